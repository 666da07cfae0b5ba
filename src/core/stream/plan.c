// SPDX-License-Identifier: Apache-2.0
#include "core/stream/plan.h"

#include <stddef.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

static uint32_t parallelism_of(const struct fil_job *job, uint32_t vertex)
{
    return job->dag.vertices[vertex].parallelism;
}

static struct fil_driver *driver_of(struct fil_job *job, uint32_t vertex, uint32_t index)
{
    return &job->drivers[job->first_driver[vertex] + index];
}

static uint32_t count_rings(const struct fil_job *job, const struct fil_dag_edge *edge)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < parallelism_of(job, edge->from); from++) {
        for (uint32_t to = 0; to < parallelism_of(job, edge->to); to++) {
            count += fil_dag_edge_connects(&job->dag, edge, from, to);
        }
    }
    return count;
}

static int allocate(struct fil_job *job)
{
    const struct fil_dag *dag = &job->dag;
    uint32_t drivers = 0;
    uint32_t blocking = 0;
    uint32_t rings = 0;
    job->first_driver = fil_alloc_zero(dag->vertex_count, sizeof(*job->first_driver));
    if (job->first_driver == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < dag->vertex_count; i++) {
        job->first_driver[i] = drivers;
        drivers += dag->vertices[i].parallelism;
        blocking += dag->vertices[i].ops->is_blocking ? dag->vertices[i].parallelism : 0;
    }
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        rings += count_rings(job, &dag->edges[i]);
    }
    job->drivers = fil_alloc_aligned(FIL_CACHE_LINE, drivers * sizeof(*job->drivers));
    job->rings = fil_alloc_aligned(FIL_CACHE_LINE, (rings + 1) * sizeof(*job->rings));
    job->dedicated = fil_alloc_aligned(FIL_CACHE_LINE, (blocking + 1) * sizeof(*job->dedicated));
    if (job->drivers == NULL || job->rings == NULL || job->dedicated == NULL) {
        return FIL_E_NOMEM;
    }
    job->driver_count = drivers;
    return FIL_OK;
}

static uint32_t count_edges(const struct fil_dag *dag, uint32_t vertex, bool is_input)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dag->edge_count; i++) {
        count += (is_input ? dag->edges[i].to : dag->edges[i].from) == vertex;
    }
    return count;
}

static int prepare_driver(struct fil_job *job, uint32_t vertex, uint32_t index, bool is_prior)
{
    const struct fil_dag_vertex *each = &job->dag.vertices[vertex];
    struct fil_driver *driver = driver_of(job, vertex, index);
    uint32_t outputs = count_edges(&job->dag, vertex, false);
    *driver = (struct fil_driver){.job = job,
                                  .vertex = vertex,
                                  .number = job->first_driver[vertex] + index,
                                  .is_prior = is_prior,
                                  .ops = each->ops,
                                  .config = each->config,
                                  .inlet_count = count_edges(&job->dag, vertex, true)};
    driver->context =
        (struct fil_processor_context){.vertex = each->name,
                                       .index = index,
                                       .count = each->parallelism,
                                       .budget = job->options.budget,
                                       .env = job->workers->options.env,
                                       .has_snapshots = job->options.snapshots != NULL};
    fil_tasklet_init(&driver->tasklet, &fil_driver_ops, each->name, job->slot);
    job->committer_count += each->ops->commit != NULL;
    atomic_fetch_add_explicit(&job->prior_count, is_prior, memory_order_relaxed); // not shared yet
    driver->inlets = fil_alloc_zero(driver->inlet_count + 1, sizeof(*driver->inlets));
    driver->context.outbox.outlets = fil_alloc_zero(outputs + 1, sizeof(struct fil_outlet));
    driver->context.outbox.count = outputs;
    return driver->inlets == NULL || driver->context.outbox.outlets == NULL ? FIL_E_NOMEM : FIL_OK;
}

static int place(struct fil_job *job, struct fil_driver *driver, uint32_t first_worker)
{
    struct fil_workers *workers = job->workers;
    struct fil_worker *home =
        &workers->items[(first_worker + driver->context.index) % workers->count];
    if (driver->ops->is_blocking) {
        home = &job->dedicated[job->dedicated_count];
        int error = fil_worker_init(home, workers, FIL_WORKERS_MAX + job->dedicated_count);
        job->dedicated_count++;
        if (error != FIL_OK) {
            return error;
        }
        home->is_dedicated = true;
        driver->tasklet.is_pinned = true;
    }
    atomic_init(&driver->tasklet.home, home);
    return FIL_OK;
}

static int prepare_drivers(struct fil_job *job)
{
    // Relaxed: any order of placing is good.
    uint32_t first = atomic_fetch_add_explicit(&job->workers->next_worker, 1, memory_order_relaxed);
    bool is_prior[FIL_DAG_VERTICES_MAX] = {false};
    fil_dag_find_prior(&job->dag, is_prior);
    for (uint32_t vertex = 0; vertex < job->dag.vertex_count; vertex++) {
        for (uint32_t i = 0; i < parallelism_of(job, vertex); i++) {
            int error = prepare_driver(job, vertex, i, is_prior[vertex]);
            if (error == FIL_OK) {
                error = place(job, driver_of(job, vertex, i), first);
            }
            if (error != FIL_OK) {
                return error;
            }
        }
    }
    return FIL_OK;
}

static uint32_t round_up_to_power_of_two(uint32_t count)
{
    uint32_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

static int open_ring(struct fil_job *job, const struct fil_edge *edge, struct fil_ring **out_ring)
{
    uint32_t batches = edge->batch_count == 0 ? FIL_EDGE_BATCHES : edge->batch_count;
    uint64_t bytes = edge->size_bytes == 0 ? FIL_EDGE_BYTES : edge->size_bytes;
    *out_ring = &job->rings[job->ring_count];
    job->ring_count++;
    return fil_ring_init(*out_ring, round_up_to_power_of_two(batches), bytes);
}

/** Which of the vertex's edges this is, in the order they were added. */
static uint32_t ordinal(const struct fil_job *job, const struct fil_dag_edge *edge, bool is_input)
{
    uint32_t count = 0;
    for (const struct fil_dag_edge *each = job->dag.edges; each != edge; each++) {
        count += is_input ? each->to == edge->to : each->from == edge->from;
    }
    return count;
}

static int open_outlets(struct fil_job *job, const struct fil_dag_edge *edge)
{
    uint32_t output = ordinal(job, edge, false);
    for (uint32_t from = 0; from < parallelism_of(job, edge->from); from++) {
        uint32_t count = 0;
        for (uint32_t to = 0; to < parallelism_of(job, edge->to); to++) {
            count += fil_dag_edge_connects(&job->dag, edge, from, to);
        }
        struct fil_driver *driver = driver_of(job, edge->from, from);
        int error = fil_outlet_init(&driver->context.outbox.outlets[output], &edge->edge, count);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static int open_inlets(struct fil_job *job, const struct fil_dag_edge *edge)
{
    uint32_t input = ordinal(job, edge, true);
    for (uint32_t to = 0; to < parallelism_of(job, edge->to); to++) {
        uint32_t count = 0;
        for (uint32_t from = 0; from < parallelism_of(job, edge->from); from++) {
            count += fil_dag_edge_connects(&job->dag, edge, from, to);
        }
        struct fil_driver *driver = driver_of(job, edge->to, to);
        int error = fil_inlet_init(&driver->inlets[input], &edge->edge, count);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static void attach(struct fil_ring *ring, struct fil_driver *from, struct fil_outlet *outlet,
                   struct fil_driver *to, struct fil_inlet *inlet)
{
    ring->producer = &from->tasklet;
    ring->consumer = &to->tasklet;
    uint32_t place = 0;
    while (outlet->targets[place] != NULL) {
        place++;
    }
    outlet->targets[place] = ring;
    place = 0;
    while (inlet->sources[place].ring != NULL) {
        place++;
    }
    inlet->sources[place].ring = ring;
}

static int connect_edge(struct fil_job *job, const struct fil_dag_edge *edge)
{
    uint32_t output = ordinal(job, edge, false);
    uint32_t input = ordinal(job, edge, true);
    for (uint32_t from = 0; from < parallelism_of(job, edge->from); from++) {
        for (uint32_t to = 0; to < parallelism_of(job, edge->to); to++) {
            if (!fil_dag_edge_connects(&job->dag, edge, from, to)) {
                continue;
            }
            struct fil_ring *ring = NULL;
            int error = open_ring(job, &edge->edge, &ring);
            if (error != FIL_OK) {
                return error;
            }
            struct fil_driver *producer = driver_of(job, edge->from, from);
            struct fil_driver *consumer = driver_of(job, edge->to, to);
            attach(ring, producer, &producer->context.outbox.outlets[output], consumer,
                   &consumer->inlets[input]);
        }
    }
    return FIL_OK;
}

static int connect_all(struct fil_job *job)
{
    int error = FIL_OK;
    for (uint32_t i = 0; error == FIL_OK && i < job->dag.edge_count; i++) {
        const struct fil_dag_edge *edge = &job->dag.edges[i];
        error = open_outlets(job, edge);
        if (error == FIL_OK) {
            error = open_inlets(job, edge);
        }
        if (error == FIL_OK) {
            error = connect_edge(job, edge);
        }
    }
    return error;
}

int fil_plan_init(struct fil_job *job)
{
    int error = allocate(job);
    if (error == FIL_OK) {
        error = prepare_drivers(job);
    }
    if (error == FIL_OK) {
        error = connect_all(job);
    }
    for (uint32_t i = 0; error == FIL_OK && i < job->driver_count; i++) {
        error = fil_driver_init(&job->drivers[i]);
    }
    return error;
}

void fil_plan_fini(struct fil_job *job)
{
    for (uint32_t i = 0; i < job->driver_count; i++) {
        fil_driver_fini(&job->drivers[i]);
    }
    for (uint32_t i = 0; i < job->ring_count; i++) {
        fil_ring_fini(&job->rings[i]);
    }
    for (uint32_t i = 0; i < job->dedicated_count; i++) {
        fil_worker_fini(&job->dedicated[i]);
    }
    fil_free(job->dedicated);
    fil_free(job->rings);
    fil_free(job->drivers);
    fil_free(job->first_driver);
}
