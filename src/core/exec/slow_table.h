// SPDX-License-Identifier: Apache-2.0
/**
 * The distinct slow operations of a member: what was slow, how often, for how long, and where it
 * was when it was looked at.
 *
 * Two slow operations are the same when their names and the callers on their stacks are. Repeats
 * are counted. The table is bounded: the entry that was quiet the longest makes room for a new one,
 * one that still runs only when all do; what was forgotten so is counted.
 *
 * Order:   readers get the longest first.
 * Memory:  allocated by init. A stack is turned into names once, when its entry is made, on the
 *          watchdog's thread: who reads only copies, and a library may be gone by then.
 * Threads: note, extend, finish and peek by the watchdog alone; all others by any thread. The mutex
 * is held for a copy, never while somebody is called back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/op.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/os/mutex.h"
#include "lib/os/stack_sample.h"
#include "lib/os/thread_state.h"

#define FIL_SLOW_TABLE_MAX   128U
#define FIL_SLOW_OP_MAX      64U // with the end; longer names are cut
#define FIL_SLOW_THREAD_MAX  24U
#define FIL_SLOW_STACK_MAX   2048U
#define FIL_SLOW_CHANNEL_MAX FIL_THREAD_CHANNEL_MAX

enum fil_slow_kind {
    FIL_SLOW_UNKNOWN, // it was over before anybody could ask
    FIL_SLOW_RUNNING,
    FIL_SLOW_ASLEEP,
};

/** What its thread did when it was looked at. */
struct fil_slow_state {
    enum fil_slow_kind kind;
    const char *call;                   // static: the system call it slept in, or ""
    bool is_disturbed;                  // a signal would end that call early
    char channel[FIL_SLOW_CHANNEL_MAX]; // where in the kernel, or ""
};

/** One slow operation as it is found; borrowed. */
struct fil_slow_sighting {
    const char *op;
    const char *thread;
    fil_partition_id partition_id;
    uint64_t took_ns; // so far
    uint64_t wall_ns; // when it was seen
    struct fil_slow_state state;
    const struct fil_stack_sample *stack;
};

/** One line of the table, as readers get it. */
struct fil_slow_entry {
    uint64_t serial; // its name in the calls below; never used again
    uint64_t stack_hash;
    uint64_t count;
    uint32_t running_count; // of those: not over yet
    fil_partition_id partition_id;
    uint64_t first_wall_ns;
    uint64_t last_wall_ns;
    uint64_t last_ns;
    uint64_t max_ns;
    uint64_t total_ns;
    char op[FIL_SLOW_OP_MAX];
    char thread[FIL_SLOW_THREAD_MAX]; // of the last one, as is the partition
    struct fil_slow_state state;      // of the last one that was asked
    char stack[FIL_SLOW_STACK_MAX];   // a frame a line, the innermost first; empty when unknown
};

struct fil_slow_table {
    // Set by init, then read-only.
    uint64_t threshold_ns; // for those who read: how long is slow
    struct fil_mutex mutex;

    // Written by the watchdog under the mutex.
    struct fil_slow_entry *entries;
    uint32_t count;
    uint64_t serial; // of the newest entry
    uint64_t noted_count;
    uint64_t forgotten_count;

    // The watchdog's own.
    char scratch[FIL_SLOW_STACK_MAX];
};

/** "asleep" and its like: static. */
const char *fil_slow_state_name(enum fil_slow_kind kind);

/** FIL_OK or FIL_E_NOMEM. */
int fil_slow_table_init(struct fil_slow_table *table, uint64_t threshold_ns) FIL_NODISCARD;
void fil_slow_table_fini(struct fil_slow_table *table);

/** The watchdog: enters a slow operation that still runs; returns its entry's serial. */
uint64_t fil_slow_table_note(struct fil_slow_table *table,
                             const struct fil_slow_sighting *sighting);

/** The watchdog: it still runs, and for longer now. Harmless when the entry has made room. */
void fil_slow_table_extend(struct fil_slow_table *table, uint64_t serial, uint64_t before_ns,
                           uint64_t took_ns);

/** The watchdog: it is over; what was noted or extended last is what it took. */
void fil_slow_table_finish(struct fil_slow_table *table, uint64_t serial, uint64_t wall_ns);

/** The watchdog: the entry itself, until the next note; NULL when it has made room. */
const struct fil_slow_entry *fil_slow_table_peek(struct fil_slow_table *table, uint64_t serial);

FIL_ANY_THREAD uint32_t fil_slow_table_count(struct fil_slow_table *table);

typedef void (*fil_slow_entry_fn)(void *context, const struct fil_slow_entry *entry);

/** Calls back with a copy of each entry, the longest first. */
FIL_ANY_THREAD void fil_slow_table_each(struct fil_slow_table *table, fil_slow_entry_fn callback,
                                        void *context);

/** Gets a page piece by piece; anything but FIL_OK ends the rendering with that result. */
typedef int (*fil_slow_sink_fn)(void *context, struct fil_bytes piece);

/** A page for people: one line for each entry, its stack below it. */
FIL_ANY_THREAD int fil_slow_table_render_text(struct fil_slow_table *table, fil_slow_sink_fn sink,
                                              void *context) FIL_NODISCARD;

/** The same for programs, as one JSON object. */
FIL_ANY_THREAD int fil_slow_table_render_json(struct fil_slow_table *table, fil_slow_sink_fn sink,
                                              void *context) FIL_NODISCARD;
