// SPDX-License-Identifier: Apache-2.0
/**
 * The log: any thread says what happened, one thread writes it down.
 *
 *   fil_log_event(log, FIL_LOG_INFO, "listening", FIL_F_ADDRESS("address", &bound),
 *                 FIL_F_U64("threads", threads), FIL_F_NS("took", took_ns));
 *
 * An event is a name with typed fields, never a sentence. Below the log's level nothing of the call
 * is evaluated. Above it the event is copied into the calling thread's ring; the writer formats it
 * and writes it to a descriptor. Whoever logs never waits for the output: a full ring drops the
 * event and counts it, and the writer tells the count as the event log_dropped.
 *
 * Repeats of a warning or an error are collapsed, see distinct.h.
 *
 * Order:    events of one thread stay in order; those of several are merged by their time, as far
 *           as they are there when the writer looks.
 * Progress: wait-free for an attached thread, but for the wake-up of a parked writer. Others share
 *           one ring behind a mutex, which is held for one copy.
 * Memory:   nothing is allocated but by new and attach.
 * Threads:  the writer is a stage (cycle) with a thread around it (start, stop). Tests and
 *           simulations call the cycle themselves.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/log/distinct.h"
#include "lib/log/field.h"
#include "lib/log/format.h"
#include "lib/log/level.h"
#include "lib/log/record.h"
#include "lib/log/ring.h"
#include "lib/os/env.h"

/** Threads with a ring of their own, at the same time. */
#define FIL_LOG_RINGS_MAX 512U

#define FIL_LOG_RING_BYTES       (UINT32_C(1) << 16)
#define FIL_LOG_REPEAT_WINDOW_NS UINT64_C(5000000000)

struct fil_log_options {
    struct fil_env *env;
    int fd; // borrowed: the log does not close it
    enum fil_log_level level;
    struct fil_log_style style;
    uint32_t ring_bytes;       // a thread's ring, a power of two; 0: FIL_LOG_RING_BYTES
    uint64_t repeat_window_ns; // 0: FIL_LOG_REPEAT_WINDOW_NS
    bool keeps_repeats;        // write every repeat
};

/** What became of the events so far. */
struct fil_log_stats {
    uint64_t line_count;
    uint64_t byte_count;
    uint64_t dropped_count; // events that found their ring full
    uint64_t repeat_count;  // events that were only counted, and told by a summary
    uint64_t lost_count;    // lines the descriptor did not take
};

struct fil_log;

void fil_log_free(struct fil_log *log);

/** NULL when memory is out. */
struct fil_log *fil_log_new(const struct fil_log_options *options) FIL_GIVES(fil_log_free);

/** Starts the writer's thread. FIL_E_SYSTEM or FIL_E_NOMEM when there is none to be had. */
int fil_log_start(struct fil_log *log) FIL_NODISCARD;

/** Writes everything that was logged before the call, ends the thread and joins it. */
void fil_log_stop(struct fil_log *log);

/**
 * Gives the calling thread a ring of its own; its events carry the role ("io/0", cut at
 * FIL_LOG_ROLE_MAX). FIL_E_EXISTS when it has one, of this or another log, FIL_E_LIMIT when
 * too many threads have, FIL_E_NOMEM. Without a ring the thread logs through the shared one.
 */
FIL_ANY_THREAD int fil_log_attach(struct fil_log *log, const char *role) FIL_NODISCARD;

/** Gives the ring back; a thread that attached calls it before it ends. Harmless without a ring. */
FIL_ANY_THREAD void fil_log_detach(struct fil_log *log);

FIL_ANY_THREAD void fil_log_set_level(struct fil_log *log, enum fil_log_level level);
FIL_ANY_THREAD enum fil_log_level fil_log_get_level(const struct fil_log *log);

/** What the check of the level needs to see of a log. Its first member. */
struct fil_log_gate {
    _Atomic uint32_t level;
};

/** A log of NULL swallows everything. */
FIL_ANY_THREAD static inline bool fil_log_is_on(const struct fil_log *log, enum fil_log_level level)
{
    const struct fil_log_gate *gate = (const struct fil_log_gate *)(const void *)log;
    // Relaxed: a thread that learns of a new level a moment later is fine.
    return gate != NULL &&
           (uint32_t)level >= atomic_load_explicit(&gate->level, memory_order_relaxed);
}

/** Logs an event: its name, a string literal, then FIL_F_ fields (up to FIL_LOG_FIELDS_MAX). */
#define fil_log_event(log, level, ...) \
    FIL_LOG_EVENT((log), (level), __VA_ARGS__, {.type = FIL_LOG_END})

#define FIL_LOG_EVENT(log, level, name, ...)                                            \
    (fil_log_is_on((log), (level))                                                      \
         ? fil_log_append((log), (level),                                               \
                          &(const struct fil_log_site){                                 \
                              .event = "" name "", .file = __FILE__, .line = __LINE__}, \
                          (const struct fil_log_field[]){__VA_ARGS__})                  \
         : (void)0)

/** What fil_log_event calls; the fields end with FIL_LOG_END. */
FIL_ANY_THREAD void fil_log_append(struct fil_log *log, enum fil_log_level level,
                                   const struct fil_log_site *site,
                                   const struct fil_log_field *fields);

/** One bounded turn of the writer; returns how many events it moved. 0 when another has the turn.
 */
FIL_ANY_THREAD uint32_t fil_log_cycle(struct fil_log *log);

/** When the writer has something to do although nobody logs; UINT64_MAX when it has not. */
FIL_ANY_THREAD uint64_t fil_log_next_ns(struct fil_log *log);

/**
 * Writes what is in the rings, from whatever thread: for the last words of a process. Best effort:
 * gives up when the writer is stuck in its own turn.
 */
FIL_ANY_THREAD void fil_log_flush_now(struct fil_log *log);

/**
 * Writes what was logged before, as far as its descriptor takes it, then calls speak, while which
 * no line is written: what it says stands between whole lines where both are shown. Events wait
 * meanwhile. speak must not wait for long, nor log so much that a ring is full.
 */
FIL_ANY_THREAD void fil_log_interject(struct fil_log *log, void (*speak)(void *context),
                                      void *context);

FIL_ANY_THREAD void fil_log_read_stats(struct fil_log *log, struct fil_log_stats *out_stats);

typedef void (*fil_log_distinct_fn)(void *context, const struct fil_log_distinct *entry);

/** Calls back for each distinct warning and error, without holding up the writer. */
FIL_ANY_THREAD void fil_log_distinct(struct fil_log *log, fil_log_distinct_fn callback,
                                     void *context);

/**
 * The log that a failed assertion writes to and flushes. Set by main before threads start and
 * taken back (NULL) after they ended; everybody else gets the log passed down.
 */
void fil_log_set_default(struct fil_log *log);
