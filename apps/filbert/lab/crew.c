// SPDX-License-Identifier: Apache-2.0
#include "crew.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define CHUNKS_KEPT       64U
#define REPLY_CHUNK_BYTES 512U
#define REPLIES_KEPT      4096U

static void init_worker(struct lab_worker *worker, struct lab_crew *crew)
{
    struct fil_budget *budget = &crew->model->budget;
    worker->crew = crew;
    fil_stack_init(&worker->inbox);
    fil_parker_init(&worker->parker);
    lab_keyspace_init(&worker->keyspace, crew->model->env, budget);
    fil_chunk_pool_init(&worker->chunks, budget, CHUNKS_KEPT);
    fil_pool_init(&worker->reply_chunks, budget, REPLY_CHUNK_BYTES, REPLIES_KEPT);
    lab_errand_pool_init(&worker->errands, budget);
}

struct lab_crew *lab_crew_new(struct lab_model *model, uint32_t count)
{
    fil_assert(count > 0 && count <= LAB_CREW_MAX);
    struct lab_crew *crew = fil_alloc_aligned(
        FIL_CACHE_LINE, sizeof(struct lab_crew) + count * sizeof(struct lab_worker));
    if (crew == NULL) {
        return NULL;
    }
    crew->model = model;
    for (uint32_t i = 0; i < count; i++) {
        init_worker(&crew->workers[i], crew);
    }
    crew->count = count;
    model->state = crew;
    return crew;
}

static void adopt_pools(struct lab_worker *worker)
{
    fil_pool_adopt(&worker->chunks);
    fil_pool_adopt(&worker->reply_chunks);
    fil_pool_adopt(&worker->errands);
}

static void fini_worker(struct lab_worker *worker)
{
    adopt_pools(worker);
    fil_pool_fini(&worker->errands);
    fil_pool_fini(&worker->reply_chunks);
    fil_pool_fini(&worker->chunks);
    lab_keyspace_fini(&worker->keyspace);
    struct fil_env *env = worker->crew->model->env;
    env->ops->poller_free(env, worker->poller);
}

static void wake_all(struct lab_crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        (void)fil_parker_wake(&crew->workers[i].parker);
    }
}

/** When some threads could not be started the others must not wait for them. */
static void end_half_started(struct lab_crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        if (!crew->workers[i].thread.is_started) {
            atomic_store_explicit(&crew->model->open_count, 0, memory_order_seq_cst);
        }
    }
    wake_all(crew);
}

void lab_crew_stop(struct lab_model *model)
{
    struct lab_crew *crew = model->state;
    end_half_started(crew);
    for (uint32_t i = 0; i < crew->count; i++) {
        if (crew->workers[i].thread.is_started) {
            fil_thread_join(&crew->workers[i].thread);
        }
    }
    lab_model_fini_wires(model);
    for (uint32_t i = 0; i < crew->count; i++) {
        fini_worker(&crew->workers[i]);
    }
    fil_free(crew);
    model->state = NULL;
}

int lab_worker_watch(struct lab_worker *worker, uint32_t first, uint32_t step)
{
    struct lab_model *model = worker->crew->model;
    struct fil_env *env = model->env;
    int error = env->ops->poller_new(env, &worker->poller);
    if (error != FIL_OK) {
        return error;
    }
    fil_parker_init_poller(&worker->parker, env, worker->poller);
    for (uint32_t i = first; error == FIL_OK && i < model->wire_count; i += step) {
        struct lab_wire *wire = &model->wires[i];
        wire->context = worker;
        wire->output.pool = &worker->chunks;
        error = env->ops->poller_add(env, worker->poller, wire->fd, FIL_POLL_READ, wire);
    }
    return error;
}

static bool is_over(struct lab_worker *worker)
{
    struct lab_crew *crew = worker->crew;
    return lab_model_is_over(crew->model) &&
           atomic_load_explicit(&crew->away_count, memory_order_seq_cst) == 0;
}

static void run_until_over(void *context)
{
    struct lab_worker *worker = context;
    struct lab_crew *crew = worker->crew;
    adopt_pools(worker);
    while (!is_over(worker)) {
        worker->run(worker);
    }
    wake_all(crew);
}

int lab_worker_start(struct lab_worker *worker, const char *name,
                     void (*run)(struct lab_worker *worker))
{
    worker->run = run;
    return fil_thread_start(&worker->thread, name, run_until_over, worker);
}

int lab_worker_wait(struct lab_worker *worker, struct fil_poll_event *out_events)
{
    struct fil_env *env = worker->crew->model->env;
    fil_parker_prepare(&worker->parker);
    bool has_work = !fil_stack_is_empty(&worker->inbox) || is_over(worker);
    int count = env->ops->poller_wait(env, worker->poller, out_events, LAB_CREW_EVENTS_MAX,
                                      has_work ? 0 : FIL_WAIT_FOREVER);
    fil_parker_cancel(&worker->parker);
    return count;
}

void lab_worker_sleep(struct lab_worker *worker)
{
    fil_parker_prepare(&worker->parker);
    if (fil_stack_is_empty(&worker->inbox) && !is_over(worker)) {
        fil_parker_park(&worker->parker, FIL_WAIT_FOREVER);
    } else {
        fil_parker_cancel(&worker->parker);
    }
}

bool lab_worker_serve(struct lab_worker *worker, struct lab_wire *wire, lab_wire_fn handle)
{
    struct lab_model *model = worker->crew->model;
    if (lab_wire_receive(wire, handle)) {
        return true;
    }
    model->env->ops->poller_remove(model->env, worker->poller, wire->fd);
    lab_model_end_wire(model, wire);
    return false;
}
