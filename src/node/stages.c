// SPDX-License-Identifier: Apache-2.0
#include "node/stages.h"

#include "filbert/error.h"
#include "lib/base/checked.h"

// Listeners that are moved to a thread of their own; the threads are started when they are needed.
#define ISOLATED_MAX 8U

#define EXECUTOR_THREADS_SPARE 64U

static uint32_t at_least_one(uint32_t count)
{
    return (uint32_t)fil_max_u64(count, 1);
}

static uint32_t generic_thread_count(const struct fil_plan *plan)
{
    return at_least_one(plan->generic_threads) + 1; // and the reserved one
}

static uint32_t event_thread_count(const struct fil_plan *plan)
{
    return at_least_one(plan->event_threads) + ISOLATED_MAX;
}

/** What the configuration asks for, and some for those that are made later. */
static uint32_t executor_thread_count(const struct fil_options *options)
{
    struct fil_executor_wish wishes[FIL_EXECUTORS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    int wished = fil_executors_parse(options, wishes, problem);
    uint32_t count = EXECUTOR_THREADS_SPARE;
    for (int i = 0; i < wished; i++) {
        count += wishes[i].thread_count;
    }
    return count;
}

uint32_t fil_stages_thread_count(const struct fil_options *options, const struct fil_plan *plan)
{
    uint32_t invocation_threads = 1;
    return generic_thread_count(plan) + event_thread_count(plan) + executor_thread_count(options) +
           invocation_threads;
}

static int init_generic(struct fil_stages *stages, const struct fil_options *options,
                        const struct fil_plan *plan, const struct fil_stage_hooks *hooks)
{
    uint32_t count = generic_thread_count(plan);
    int error = fil_worker_kits_init(&stages->generic_kits, stages->exec, "generic", count);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_generic_init(
        &stages->generic,
        &(struct fil_generic_options){
            .env = fil_exec_options(stages->exec)->env,
            .worker_count = count - 1,
            .capacity = (uint32_t)options->generic.capacity,
            .priority_capacity = FIL_GENERIC_PRIORITY_CAPACITY,
            .idle = options->generic.idle,
            .cpus = fil_options_read_cpus(options->generic.cpus, &stages->generic_cpus),
            .hooks = hooks,
            .runners = stages->generic_kits.runners,
        });
    stages->has_generic = error == FIL_OK;
    return error;
}

static int init_events(struct fil_stages *stages, const struct fil_options *options,
                       const struct fil_plan *plan, const struct fil_stage_hooks *hooks)
{
    uint32_t count = event_thread_count(plan);
    int error = fil_worker_kits_init(&stages->event_kits, stages->exec, "event", count);
    if (error != FIL_OK) {
        return error;
    }
    error =
        fil_events_init(&stages->events,
                        &(struct fil_events_options){
                            .env = fil_exec_options(stages->exec)->env,
                            .thread_count = count - ISOLATED_MAX,
                            .isolated_max = ISOLATED_MAX,
                            .capacity = (uint32_t)options->event.capacity,
                            .isolate_at = (uint32_t)options->event.isolate_at,
                            .put_timeout_ns = options->event.put_timeout_ns,
                            .idle = options->event.idle,
                            .cpus = fil_options_read_cpus(options->event.cpus, &stages->event_cpus),
                            .hooks = hooks,
                            .runners = stages->event_kits.runners,
                        });
    stages->has_events = error == FIL_OK;
    return error;
}

static int init_invocations(struct fil_stages *stages, const struct fil_options *options,
                            const struct fil_stage_hooks *hooks)
{
    int error = fil_invocation_service_init(
        &stages->invocations, &(struct fil_invocation_options){
                                  .exec = stages->exec,
                                  .memory = fil_exec_options(stages->exec)->budget,
                                  .in_flight_max = (uint32_t)options->invocation.in_flight_max,
                                  .wait_ns = options->invocation.wait_timeout_ns,
                                  .timeout_ns = options->invocation.timeout_ns,
                                  .hooks = hooks,
                              });
    stages->has_invocations = error == FIL_OK;
    return error;
}

int fil_stages_init(struct fil_stages *stages, const struct fil_stages_options *options)
{
    *stages = (struct fil_stages){.exec = options->exec};
    int error = init_generic(stages, options->options, options->plan, options->hooks);
    if (error == FIL_OK) {
        error = init_events(stages, options->options, options->plan, options->hooks);
    }
    if (error == FIL_OK) {
        error = init_invocations(stages, options->options, options->hooks);
    }
    if (error == FIL_OK) {
        error = fil_executors_init(&stages->executors, options->exec, options->options,
                                   options->metrics, options->hooks);
    }
    if (error != FIL_OK) {
        fil_stages_fini(stages);
    }
    return error;
}

void fil_stages_fini(struct fil_stages *stages)
{
    fil_executors_fini(&stages->executors);
    if (stages->has_invocations) {
        fil_invocation_service_fini(&stages->invocations);
    }
    if (stages->has_events) {
        fil_events_fini(&stages->events);
    }
    if (stages->has_generic) {
        fil_generic_fini(&stages->generic);
    }
    stages->has_invocations = false;
    stages->has_events = false;
    stages->has_generic = false;
    fil_worker_kits_fini(&stages->event_kits);
    fil_worker_kits_fini(&stages->generic_kits);
}

int fil_stages_start(struct fil_stages *stages)
{
    int error = fil_invocation_service_start(&stages->invocations);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_events_start(&stages->events);
    if (error != FIL_OK) {
        goto stop_invocations;
    }
    error = fil_generic_start(&stages->generic);
    if (error != FIL_OK) {
        goto stop_events;
    }
    error = fil_executors_start(&stages->executors);
    if (error != FIL_OK) {
        goto stop_generic;
    }
    return FIL_OK;

stop_generic:
    fil_generic_stop(&stages->generic);
stop_events:
    fil_events_stop(&stages->events);
stop_invocations:
    fil_invocation_service_stop(&stages->invocations);
    return error;
}

void fil_stages_stop(struct fil_stages *stages)
{
    // From the outside in: each may still use those that are stopped after it.
    fil_invocation_service_close(&stages->invocations);
    fil_executors_stop(&stages->executors);
    fil_generic_stop(&stages->generic);
    fil_events_stop(&stages->events);
    fil_invocation_service_stop(&stages->invocations);
}

uint32_t fil_stages_cycle(struct fil_stages *stages)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < fil_generic_thread_count(&stages->generic); i++) {
        moved += fil_generic_cycle(&stages->generic, i);
    }
    for (uint32_t i = 0; i < fil_events_queue_count(&stages->events); i++) {
        moved += fil_events_cycle(&stages->events, i);
    }
    moved += fil_invocation_service_cycle(&stages->invocations);
    return moved + fil_executors_cycle(&stages->executors);
}
