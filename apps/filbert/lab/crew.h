// SPDX-License-Identifier: Apache-2.0
/**
 * The threads of a model that is made of event loops or stages: each with an inbox, a place to
 * sleep, data and pools of its own. The models say what they do.
 *
 * Threads: a worker's fields belong to its thread, but for its inbox and its parker.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "errand.h"
#include "lib/base/attr.h"
#include "lib/conc/parker.h"
#include "lib/conc/stack.h"
#include "lib/mem/pool.h"
#include "lib/os/thread.h"
#include "model.h"

#define LAB_CREW_MAX        64U
#define LAB_CREW_EVENTS_MAX 64

struct lab_crew;

struct lab_worker {
    // Shared.
    alignas(FIL_CACHE_LINE) struct fil_stack inbox; // errands
    struct fil_parker parker;

    // The worker's own.
    alignas(FIL_CACHE_LINE) struct lab_crew *crew;
    struct fil_poller *poller; // NULL: it has no connections and sleeps on a futex
    struct lab_keyspace keyspace;
    struct fil_pool chunks;       // for the output of wires
    struct fil_pool reply_chunks; // for the replies of errands
    struct fil_pool errands;
    void (*run)(struct lab_worker *worker);
    struct fil_thread thread;
};

struct lab_crew {
    struct lab_model *model;
    _Atomic uint32_t away_count; // errands that are not with the thread of their wire
    uint32_t count;              // workers that are initialised
    struct lab_worker workers[];
};

/** The crew becomes the model's state. NULL when memory is out. */
struct lab_crew *lab_crew_new(struct lab_model *model, uint32_t count);

/** The model's stop: joins the threads and frees the crew. */
void lab_crew_stop(struct lab_model *model);

/** Gives every `step`th wire from `first` on to the worker. */
int lab_worker_watch(struct lab_worker *worker, uint32_t first, uint32_t step) FIL_NODISCARD;

/** Calls run again and again on a thread of the worker's own until all is over. */
int lab_worker_start(struct lab_worker *worker, const char *name,
                     void (*run)(struct lab_worker *worker)) FIL_NODISCARD;

/** Waits for events of its wires; does not wait while there is something in the inbox. */
int lab_worker_wait(struct lab_worker *worker, struct fil_poll_event *out_events);

/** For a worker without wires: sleeps until there is something in the inbox. */
void lab_worker_sleep(struct lab_worker *worker);

/** Receives from a wire; one whose client is gone is closed. False then. */
bool lab_worker_serve(struct lab_worker *worker, struct lab_wire *wire, lab_wire_fn handle);
