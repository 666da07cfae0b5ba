// SPDX-License-Identifier: Apache-2.0
/**
 * One event loop that does everything, without partitions: the limit that the kernel is compared
 * with. A long operation holds up everybody.
 */
#include "crew.h"
#include "filbert/error.h"
#include "model.h"

static void handle(struct lab_wire *wire, const struct lab_request *request)
{
    struct lab_worker *loop = wire->context;
    lab_keyspace_run(&loop->keyspace, request, &wire->output);
}

static void turn(struct lab_worker *loop)
{
    struct fil_poll_event events[LAB_CREW_EVENTS_MAX];
    int count = lab_worker_wait(loop, events);
    for (int i = 0; i < count; i++) {
        struct lab_wire *wire = events[i].context;
        if (lab_worker_serve(loop, wire, handle)) {
            lab_wire_flush(wire);
        }
    }
}

static int start(struct lab_model *model)
{
    struct lab_crew *crew = lab_crew_new(model, 1);
    if (crew == NULL) {
        return FIL_E_NOMEM;
    }
    int error = lab_worker_watch(&crew->workers[0], 0, 1);
    return error == FIL_OK ? lab_worker_start(&crew->workers[0], "loop", turn) : error;
}

const struct lab_model_ops lab_model_loop = {.start = start, .stop = lab_crew_stop};
