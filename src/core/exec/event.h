// SPDX-License-Identifier: Apache-2.0
/**
 * The event stage: delivers events to listeners, on its own threads.
 *
 *     publish --> lane (listener, order key) --> line of an event thread --> deliver
 *
 * A listener has lanes; the order key picks the lane. A lane is a queue of its own and is served by
 * one thread at a time: its home. Each thread serves the lanes that have events in turn, so that a
 * flood to one listener costs the others a turn, not their place; a slow listener's turns get
 * shorter until they are one event long. A listener of which a lane has isolate_at events waiting,
 * while other lanes wait for the same thread, is moved to a thread of its own if one is left. It
 * goes back when it is served after a second in which no turn left anything behind. Moving a
 * listener to another thread changes its lanes' home and nothing else, so no event is lost or
 * overtaken.
 *
 * Order:    for each (listener, order key) as published by one thread.
 * Limits:   events in all lanes together; for each lane a reserve that nobody can take away and a
 *           maximum. A full lane makes the publisher wait for a while if its thread may block; then
 *           the event is dropped, counted, and shows as a gap in the lane's sequence numbers. Who
 *           may not block is called when there is room (lobby.h). When few places are left no
 *           listener draws more than its share of them.
 * Memory:   events are the publisher's structs; nothing is allocated after registration.
 * Progress: publish is lock-free as long as there is room.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/crew.h"
#include "core/exec/drops.h"
#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/idle.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/os/cpu_set.h"
#include "lib/os/env.h"

#define FIL_EVENT_THREADS      5U       // unless the machine has fewer cpus
#define FIL_EVENT_CAPACITY     1000000U // events in all lanes together
#define FIL_EVENT_CAPACITY_MAX (1U << 28)
#define FIL_EVENT_TIMEOUT_NS   UINT64_C(250000000)
#define FIL_EVENT_CALM_NS      UINT64_C(1000000000)
#define FIL_EVENT_ISOLATED_MAX 64U // listeners with a thread of their own, at most

/**
 * First member of what is published. From publish to deliver (or discard) it belongs to the stage,
 * afterwards to the listener, which frees it or sends it home.
 */
struct fil_event {
    _Atomic(struct fil_event *) next; // the lane's
    uint64_t seq;  // set for deliver: counts from 1 in each lane; a gap is what was dropped
    uint32_t lane; // set for deliver: whose numbers these are
};

struct fil_lane;

/** The lanes that one thread serves. */
struct fil_event_queue {
    // Written by init, then read-only.
    uint32_t index;

    // Shared: lanes that have got events.
    alignas(FIL_CACHE_LINE) struct fil_stack arrivals;

    // Written by the queue's thread, read by anyone.
    alignas(FIL_CACHE_LINE) struct fil_counter length; // events, as of each lane's last turn
    struct fil_counter forward_count;                  // lanes sent on to another thread

    // The thread's own: lanes in line.
    struct fil_lane *first FIL_OWNED_BY(event);
    struct fil_lane *last FIL_OWNED_BY(event);
    uint32_t lane_count FIL_OWNED_BY(event);
};

struct fil_events_options {
    struct fil_env *env;
    uint32_t thread_count;   // 1 or more
    uint32_t isolated_max;   // threads for listeners that are moved away; 0 to the limit above
    uint32_t capacity;       // events in all lanes together, up to FIL_EVENT_CAPACITY_MAX
    uint32_t isolate_at;     // events in a lane that holds others up; 0: none is moved by itself
    uint64_t put_timeout_ns; // how long a publisher that may block waits for room; 0: not at all
    enum fil_idle_kind idle;
    const struct fil_cpu_set *cpus;      // NULL: any; must outlive the stage
    const struct fil_stage_hooks *hooks; // for the threads; NULL: none; must outlive the stage
    struct fil_runner *const *runners;   // one a queue, or NULL; must outlive the stage
};

struct fil_events {
    // Written by init, then read-only.
    struct fil_events_options options;
    struct fil_event_queue *queues; // the shared threads' first, then the isolated ones'
    uint32_t queue_count;

    // Shared.
    struct fil_crew crew;
    alignas(FIL_CACHE_LINE) _Atomic uint64_t credit; // places that no lane has been granted
    _Atomic uint64_t isolated;                       // which isolated threads are given away
    _Atomic uint32_t next_home;
    _Atomic uint32_t listener_count;
    _Atomic bool is_started;
    struct fil_counter dropped_count;
    struct fil_counter waited_count;    // publishers that had to wait
    struct fil_counter refused_count;   // registrations for which there was no room
    struct fil_counter isolation_count; // listeners that were moved to a thread of their own
    struct fil_counter calm_count;      // those that went back by themselves
    struct fil_drops drops;
};

struct fil_events_stats {
    uint64_t queue_length;  // events, as of each lane's last turn
    uint64_t granted_count; // places that lanes hold for themselves, reserves included
    uint32_t listener_count;
    uint64_t dropped_count;
    uint64_t waited_count;
    uint64_t refused_count;
    uint64_t forward_count;
    struct fil_crew_stats crew;
};

/** Five threads or as many as there are cpus, a million events, a quarter of a second. */
struct fil_events_options fil_events_defaults(struct fil_env *env, uint32_t cpu_count);

/** FIL_E_INVALID for options out of range, FIL_E_NOMEM. */
int fil_events_init(struct fil_events *events,
                    const struct fil_events_options *options) FIL_BEFORE_SHARING FIL_NODISCARD;

/** Every listener has been closed, and the threads are stopped. */
void fil_events_fini(struct fil_events *events) FIL_BEFORE_SHARING;

int fil_events_start(struct fil_events *events) FIL_NODISCARD;

/** Delivers what is queued, then ends the threads. Nobody may publish any more but listeners. */
void fil_events_stop(struct fil_events *events);

/** Places that no lane has been granted. */
FIL_ANY_THREAD uint64_t fil_events_credit(const struct fil_events *events);

/** From a listener's deliver: the runner of the thread that calls it; NULL when there is none. */
struct fil_runner *fil_events_runner(void);

/** Threads that there can be, the isolated ones included: the indexes of cycle. */
uint32_t fil_events_queue_count(const struct fil_events *events);

/** One bounded turn of a thread; returns how much it moved. */
uint32_t fil_events_cycle(struct fil_events *events, uint32_t index) FIL_RUNS_ON(event);

FIL_ANY_THREAD void fil_events_read(struct fil_events *events, struct fil_events_stats *out_stats);
