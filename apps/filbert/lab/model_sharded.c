// SPDX-License-Identifier: Apache-2.0
/**
 * Sharded event loops: each owns a share of the keys and a share of the connections, runs what is
 * its own in place and sends the rest to the owner, in batches, waking it only when it sleeps.
 */
#include "crew.h"
#include "errand.h"
#include "filbert/error.h"
#include "model.h"

#define SHARDS_MIN 2U // with one alone nothing would be sent

struct outbox {
    struct fil_link *newest;
    struct fil_link *oldest;
};

/** What a shard has to do at the end of its turn. */
struct turn {
    struct outbox outboxes[LAB_CREW_MAX];
    struct fil_list wires; // to flush
};

// Each shard is a thread of its own.
static _Thread_local struct turn turn;

static void send_later(struct lab_worker *to, struct fil_link *link)
{
    struct outbox *outbox = &turn.outboxes[to - to->crew->workers];
    outbox->oldest = outbox->newest == NULL ? link : outbox->oldest;
    link->next = outbox->newest;
    outbox->newest = link;
}

static void flush_later(struct lab_wire *wire)
{
    fil_list_remove(&wire->turn_link);
    fil_list_push_back(&turn.wires, &wire->turn_link);
}

static void handle(struct lab_wire *wire, const struct lab_request *request)
{
    struct lab_worker *shard = wire->context;
    struct lab_worker *owner = &shard->crew->workers[lab_request_part(request, shard->crew->count)];
    if (owner == shard && fil_list_is_empty(&wire->line)) {
        lab_keyspace_run(&shard->keyspace, request, &wire->output);
        return;
    }
    struct lab_errand *errand = lab_errand_new(&shard->errands, wire, request);
    if (owner == shard) {
        lab_errand_run(errand, &shard->keyspace, &shard->reply_chunks);
        (void)lab_errand_collect(errand, &shard->errands);
        return;
    }
    // Relaxed: only compared with 0 when everything is over.
    atomic_fetch_add_explicit(&shard->crew->away_count, 1, memory_order_relaxed);
    send_later(owner, &errand->link);
}

static void take_inbox(struct lab_worker *shard)
{
    struct fil_link *link = fil_stack_take_all(&shard->inbox);
    while (link != NULL) {
        struct lab_errand *errand = FIL_CONTAINER_OF(link, struct lab_errand, link);
        struct lab_wire *wire = errand->wire;
        link = link->next;
        if (wire->context != shard) {
            lab_errand_run(errand, &shard->keyspace, &shard->reply_chunks);
            send_later(wire->context, &errand->link);
            continue;
        }
        atomic_fetch_sub_explicit(&shard->crew->away_count, 1, memory_order_relaxed);
        (void)lab_errand_collect(errand, &shard->errands);
        flush_later(wire);
    }
}

static void end_turn(struct lab_crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        struct outbox *outbox = &turn.outboxes[i];
        if (outbox->newest != NULL) {
            (void)fil_stack_push_chain(&crew->workers[i].inbox, outbox->newest, outbox->oldest);
            (void)fil_parker_wake(&crew->workers[i].parker);
            *outbox = (struct outbox){0};
        }
    }
    while (!fil_list_is_empty(&turn.wires)) {
        struct fil_list *link = fil_list_take_front(&turn.wires);
        lab_wire_flush(FIL_CONTAINER_OF(link, struct lab_wire, turn_link));
    }
}

static void shard_turn(struct lab_worker *shard)
{
    struct fil_poll_event events[LAB_CREW_EVENTS_MAX];
    if (turn.wires.next == NULL) {
        fil_list_init(&turn.wires);
    }
    int count = lab_worker_wait(shard, events);
    take_inbox(shard);
    for (int i = 0; i < count; i++) {
        struct lab_wire *wire = events[i].context;
        if (lab_worker_serve(shard, wire, handle)) {
            flush_later(wire);
        }
    }
    end_turn(shard->crew);
}

static int start(struct lab_model *model)
{
    uint32_t count = model->core_count < LAB_CREW_MAX ? model->core_count : LAB_CREW_MAX;
    struct lab_crew *crew = lab_crew_new(model, count < SHARDS_MIN ? SHARDS_MIN : count);
    if (crew == NULL) {
        return FIL_E_NOMEM;
    }
    int error = FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < crew->count; i++) {
        error = lab_worker_watch(&crew->workers[i], i, crew->count);
    }
    for (uint32_t i = 0; error == FIL_OK && i < crew->count; i++) {
        error = lab_worker_start(&crew->workers[i], "shard", shard_turn);
    }
    return error;
}

const struct lab_model_ops lab_model_sharded = {.start = start, .stop = lab_crew_stop};
