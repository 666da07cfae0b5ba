// SPDX-License-Identifier: Apache-2.0
/**
 * A crew: the threads that work on one stage. Each calls the stage's cycle and, when that moved
 * nothing, idles by its strategy.
 *
 *   member                                 who brings work
 *   ------                                 ---------------
 *   announce: my parker, my bit            push work
 *   look at the queues once more           is a bit set? clear it and wake that member
 *   sleep, or stay awake for work
 *   clear my bit
 *
 * Both sides write before they look, sequentially consistent, so at least one sees the other.
 * Whoever clears a member's bit has handed the work over to it: a member that announced its sleep
 * always looks at the queues again before it announces the next. So one push wakes at most one
 * member, and none when all are awake.
 *
 * Threads: start and stop by one thread at a time. Without start the members' cycles may be called
 *          by anyone, one at a time for each member: a simulation does.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/meter.h"
#include "core/exec/stage_hooks.h"
#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/idle.h"
#include "lib/conc/parker.h"
#include "lib/conc/role.h"
#include "lib/os/cpu_set.h"
#include "lib/os/thread.h"

#define FIL_CREW_MEMBERS_MAX 256U

struct fil_crew_ops {
    /** One bounded turn of the stage as this member; returns how much it moved. */
    uint32_t (*cycle)(void *context, uint32_t index);

    /** Whether the member's next cycle would find something; a sequentially consistent look. */
    bool (*has_work)(void *context, uint32_t index);
};

struct fil_crew_options {
    const char *name; // of the threads: "name-index"; cut to what the kernel keeps
    const struct fil_role *role;
    const struct fil_crew_ops *ops;
    void *context;
    uint32_t member_count; // 1 to FIL_CREW_MEMBERS_MAX
    enum fil_idle_kind idle;
    const struct fil_cpu_set *cpus;      // NULL: any; must outlive the crew
    const struct fil_stage_hooks *hooks; // NULL: none; must outlive the crew
    struct fil_runner *const *runners;   // one a member, or NULL; must outlive the crew
};

struct fil_crew_member {
    // Written by init, then read-only.
    struct fil_crew *crew;
    uint32_t index;

    // Shared.
    alignas(FIL_CACHE_LINE) struct fil_parker parker;

    // The member's own; the counters are read by anyone.
    alignas(FIL_CACHE_LINE) struct fil_idle idle;
    struct fil_counter park_count;
    struct fil_meter meter;

    // The starter's own.
    struct fil_thread thread;
};

struct fil_crew {
    // Written by init, then read-only.
    struct fil_crew_options options;
    char name[FIL_THREAD_NAME_MAX];
    struct fil_crew_member *members;

    // Shared: whose sleep is announced, a bit for each member.
    alignas(FIL_CACHE_LINE) _Atomic uint64_t parked[FIL_CREW_MEMBERS_MAX / 64];
    _Atomic bool is_stopping;
};

/** What the whole crew did; about 30 KiB. */
struct fil_crew_stats {
    uint32_t member_count;
    uint64_t wake_count; // wake-ups that needed a system call
    uint64_t park_count;
    struct fil_meter meter;
};

/** FIL_E_INVALID for a count out of range, FIL_E_NOMEM. */
int fil_crew_init(struct fil_crew *crew, const struct fil_crew_options *options) FIL_NODISCARD;

/** The threads have been stopped; harmless after a failed init. */
void fil_crew_fini(struct fil_crew *crew);

/** Starts the first `count` members' threads; on failure none runs. */
int fil_crew_start(struct fil_crew *crew, uint32_t count) FIL_NODISCARD;

/** Starts one more member's thread; harmless when it runs already. */
int fil_crew_start_member(struct fil_crew *crew, uint32_t index) FIL_NODISCARD;

/**
 * Ends the threads when they have nothing left to do, joins them, and does itself what has come
 * meanwhile: afterwards no member has work. Not from a member's thread.
 */
void fil_crew_stop(struct fil_crew *crew);

/** Wakes one parked member with first <= index < end; false when none of them is parked. */
FIL_ANY_THREAD bool fil_crew_wake_any(struct fil_crew *crew, uint32_t first, uint32_t end);

/** Wakes this member if it is parked. */
FIL_ANY_THREAD bool fil_crew_wake(struct fil_crew *crew, uint32_t index);

/** Member: sleeps until woken unless there is work; false when there was, or the crew stops. */
bool fil_crew_park(struct fil_crew *crew, uint32_t index);

/** A cycle begins on the calling thread; leave ends it and takes what enter returned. */
const struct fil_crew *fil_crew_enter(const struct fil_crew *crew);
void fil_crew_leave(const struct fil_crew *outer);

/** Whether the calling thread is in a cycle of this crew. */
FIL_ANY_THREAD bool fil_crew_is_current(const struct fil_crew *crew);

/** NULL when the crew has none. */
static inline struct fil_runner *fil_crew_runner(const struct fil_crew *crew, uint32_t index)
{
    return crew->options.runners == NULL ? NULL : crew->options.runners[index];
}

static inline struct fil_meter *fil_crew_meter(struct fil_crew *crew, uint32_t index)
{
    return &crew->members[index].meter;
}

/** Adds up what the members have written so far. */
FIL_ANY_THREAD void fil_crew_read(const struct fil_crew *crew, struct fil_crew_stats *out_stats);
