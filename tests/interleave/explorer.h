// SPDX-License-Identifier: Apache-2.0
/**
 * Plays a few threads of real code through every order their steps on shared memory can have.
 *
 * The code under test is compiled from copies in which every atomic access first calls the explorer
 * (explored_atomic.h, interleave.cmake), and with futexes, threads and heap of the explorer's own
 * (explored_os.c). Its threads, called actors, are contexts of one system thread. At each access to
 * memory that two actors share and one of them writes, the explorer stops the actor and tries all
 * continuations one after the other. A state that it has seen before (memory, stacks, sleepers) is
 * not continued again: all schedules are covered, not only those of a few interruptions.
 *
 *     state --step of an actor--> state --...--> everybody has ended: check
 *                                          \---> nobody can go on: a deadlock, unless the case
 * rests
 *
 * With store buffers an actor's plain (not sequentially consistent) stores become visible to the
 * others any time later, in their order, as on x86: a dropped fence shows as a lost wake-up. Weaker
 * orders, and races on plain memory, are the thread sanitizer's business.
 *
 * Memory: whatever the actors change must be tracked: the explorer's heap is, the case's own
 *         variables are named by fil_explorer_track. Statistics are taken out with
 *         fil_explorer_ignore, because they tell states apart that behave alike.
 * Limits: states are told apart by 64-bit hashes; one million of them collide with a chance of
 *         3 in 10^8. Sleeps end by a wake-up or their time, never for no reason.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"

#define FIL_EXPLORER_ACTORS_MAX   6U
#define FIL_EXPLORER_NAME_MAX     16U
#define FIL_EXPLORER_START_NS     UINT64_C(1000000000) // the clock's first reading
#define FIL_EXPLORER_STATES_MAX   (UINT64_C(1) << 22)
#define FIL_EXPLORER_FAILURE_SIZE 256U

typedef void (*fil_explorer_fn)(void *context);
typedef bool (*fil_explorer_ready_fn)(void *context);

struct fil_explorer_case {
    const char *name;

    /** Makes the world anew and adds the actors. Called before each pass. */
    void (*set_up)(void *context);

    /**
     * Nobody can go on, for the actors that have not ended sleep or wait. Returns whether that is
     * no deadlock, after changing tracked memory so that somebody can. NULL: always a deadlock.
     */
    bool (*rest)(void *context);

    /** After a schedule in which everybody ended; fails with fil_explorer_fail. */
    void (*check)(void *context);

    void *context;
    bool has_store_buffers;

    /** How often somebody is interrupted who could go on; 0: as often as there is a way to. */
    uint32_t interruptions_max;
    bool is_quiet; // prints nothing
};

struct fil_explorer_result {
    bool has_failed;
    char failure[FIL_EXPLORER_FAILURE_SIZE];
    uint64_t state_count;  // different states that were compared
    uint64_t step_count;   // steps played
    uint64_t end_count;    // different states in which everybody had ended
    double schedule_count; // how many schedules the states stand for
    uint32_t shared_count; // places in memory that actors share
};

/** Plays all schedules, or up to the first that fails; that one is then printed. */
struct fil_explorer_result fil_explorer_run(const struct fil_explorer_case *explored);

// For set_up.

/** Adds an actor; returns its number. */
uint32_t fil_explorer_add(const char *name, fil_explorer_fn run, void *context);

/** The memory is part of the world. */
void fil_explorer_track(void *memory, size_t size);

/** The memory, though tracked or on the explorer's heap, decides nothing. */
void fil_explorer_ignore(void *memory, size_t size);

// For actors.

/** The schedule is wrong: ends the exploration. */
FIL_NORETURN FIL_PRINTF(1, 2) void fil_explorer_fail(const char *format, ...);

/** A step on something that only one actor may use at a time, so that others can come between. */
void fil_explorer_touch(void *memory);

/** Goes on once the condition holds, which looks at tracked memory only. */
void fil_explorer_wait_until(fil_explorer_ready_fn is_ready, void *context);

/** Blocks that were allocated in this schedule, set_up included, and not freed. */
uint64_t fil_explorer_block_count(void);

/** The clock stands still until somebody moves it, or until everybody sleeps. */
uint64_t fil_explorer_now_ns(void);
void fil_explorer_advance(uint64_t elapsed_ns);
