// SPDX-License-Identifier: Apache-2.0
/**
 * SEDA as in the books: an I/O thread decodes, each request is a message of its own to the stage of
 * its key, each message wakes the stage, each reply goes back through the I/O thread, wakes it, and
 * is written by itself.
 */
#include "crew.h"
#include "errand.h"
#include "filbert/error.h"
#include "model.h"

/** The crew's first worker; the others are the stages. */
static struct lab_worker *io_worker(struct lab_crew *crew)
{
    return &crew->workers[0];
}

static void send_message(struct lab_worker *to, struct lab_errand *errand)
{
    (void)fil_stack_push(&to->inbox, &errand->link);
    (void)fil_parker_wake(&to->parker);
}

static void io_dispatch(struct lab_wire *wire, const struct lab_request *request)
{
    struct lab_worker *io = wire->context;
    struct lab_crew *crew = io->crew;
    struct lab_errand *errand = lab_errand_new(&io->errands, wire, request);
    // Relaxed: only compared with 0 when everything is over.
    atomic_fetch_add_explicit(&crew->away_count, 1, memory_order_relaxed);
    send_message(&crew->workers[1 + lab_request_part(request, crew->count - 1)], errand);
}

static void io_send_replies(struct lab_worker *io)
{
    struct fil_link *link = fil_stack_take_all(&io->inbox);
    while (link != NULL) {
        struct lab_errand *errand = FIL_CONTAINER_OF(link, struct lab_errand, link);
        struct lab_wire *wire = errand->wire;
        link = link->next;
        atomic_fetch_sub_explicit(&io->crew->away_count, 1, memory_order_relaxed);
        if (lab_errand_collect(errand, &io->errands) > 0) {
            lab_wire_flush(wire);
        }
    }
}

static void io_turn(struct lab_worker *io)
{
    struct fil_poll_event events[LAB_CREW_EVENTS_MAX];
    int count = lab_worker_wait(io, events);
    for (int i = 0; i < count; i++) {
        (void)lab_worker_serve(io, events[i].context, io_dispatch);
    }
    io_send_replies(io);
}

static void stage_turn(struct lab_worker *stage)
{
    struct fil_link *link = fil_stack_take_all(&stage->inbox);
    while (link != NULL) {
        struct lab_errand *errand = FIL_CONTAINER_OF(link, struct lab_errand, link);
        link = link->next;
        lab_errand_run(errand, &stage->keyspace, &stage->reply_chunks);
        send_message(io_worker(stage->crew), errand);
    }
    lab_worker_sleep(stage);
}

static int start(struct lab_model *model)
{
    uint32_t stage_count = model->core_count < LAB_CREW_MAX ? model->core_count : LAB_CREW_MAX - 1;
    struct lab_crew *crew = lab_crew_new(model, 1 + stage_count);
    if (crew == NULL) {
        return FIL_E_NOMEM;
    }
    int error = lab_worker_watch(io_worker(crew), 0, 1);
    for (uint32_t i = 0; i < crew->count; i++) {
        crew->workers[i].parker.is_eager = true; // each message is a wake-up
    }
    for (uint32_t i = 1; error == FIL_OK && i < crew->count; i++) {
        error = lab_worker_start(&crew->workers[i], "stage", stage_turn);
    }
    return error == FIL_OK ? lab_worker_start(io_worker(crew), "io", io_turn) : error;
}

const struct lab_model_ops lab_model_seda = {.start = start, .stop = lab_crew_stop};
