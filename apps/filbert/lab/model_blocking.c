// SPDX-License-Identifier: Apache-2.0
/**
 * A thread for each connection that blocks in receive and send. The data is shared: it is divided
 * into parts with a lock each, so that two threads wait for each other only when they want the same
 * part, and a long operation holds up its own part only.
 */
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/blocking.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"
#include "model.h"

#define PARTS       64U
#define CHUNKS_KEPT 4U
#define STACK_BYTES (UINT64_C(512) << 10)

struct part {
    alignas(FIL_CACHE_LINE) struct fil_mutex mutex;
    struct lab_keyspace keyspace;
};

struct worker {
    struct lab_wire *wire;
    struct fil_pool chunks;
    struct fil_thread thread;
};

struct blocking {
    struct part parts[PARTS];
    uint32_t worker_count; // started so far
    struct worker workers[];
};

static void handle(struct lab_wire *wire, const struct lab_request *request)
{
    struct blocking *blocking = wire->model->state;
    struct part *part = &blocking->parts[lab_request_part(request, PARTS)];
    fil_mutex_lock(&part->mutex);
    lab_keyspace_run(&part->keyspace, request, &wire->output);
    fil_mutex_unlock(&part->mutex);
}

static void run(void *context)
{
    struct worker *worker = context;
    struct lab_wire *wire = worker->wire;
    fil_pool_adopt(&worker->chunks);
    wire->output.pool = &worker->chunks;
    while (lab_wire_receive(wire, handle)) {
        lab_wire_flush(wire);
    }
    lab_model_end_wire(wire->model, wire);
}

static int start_worker(struct lab_model *model, struct worker *worker, struct lab_wire *wire)
{
    worker->wire = wire;
    fil_chunk_pool_init(&worker->chunks, &model->budget, CHUNKS_KEPT);
    fil_blocking_allow(wire->fd);
    int error = fil_thread_start_with(
        &worker->thread,
        &(struct fil_thread_options){
            .name = "connection", .entry = run, .context = worker, .stack_bytes = STACK_BYTES});
    if (error != FIL_OK) {
        fil_pool_fini(&worker->chunks);
    }
    return error;
}

static int start(struct lab_model *model)
{
    size_t size = sizeof(struct blocking) + model->wire_count * sizeof(struct worker);
    struct blocking *blocking = fil_alloc_aligned(FIL_CACHE_LINE, size);
    if (blocking == NULL) {
        return FIL_E_NOMEM;
    }
    model->state = blocking;
    for (uint32_t i = 0; i < PARTS; i++) {
        fil_mutex_init(&blocking->parts[i].mutex);
        lab_keyspace_init(&blocking->parts[i].keyspace, model->env, &model->budget);
    }
    int error = FIL_OK;
    while (error == FIL_OK && blocking->worker_count < model->wire_count) {
        uint32_t next = blocking->worker_count;
        error = start_worker(model, &blocking->workers[next], &model->wires[next]);
        blocking->worker_count += error == FIL_OK;
    }
    return error;
}

static void stop(struct lab_model *model)
{
    struct blocking *blocking = model->state;
    for (uint32_t i = 0; i < blocking->worker_count; i++) {
        fil_thread_join(&blocking->workers[i].thread);
    }
    lab_model_fini_wires(model);
    for (uint32_t i = 0; i < blocking->worker_count; i++) {
        fil_pool_adopt(&blocking->workers[i].chunks);
        fil_pool_fini(&blocking->workers[i].chunks);
    }
    for (uint32_t i = 0; i < PARTS; i++) {
        lab_keyspace_fini(&blocking->parts[i].keyspace);
        fil_mutex_fini(&blocking->parts[i].mutex);
    }
    fil_free(blocking);
    model->state = NULL;
}

const struct lab_model_ops lab_model_blocking = {.start = start, .stop = stop};
