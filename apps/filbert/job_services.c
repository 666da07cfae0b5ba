// SPDX-License-Identifier: Apache-2.0
#include "job_services.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"

#define MEMORY_BYTES (UINT64_C(256) << 20)
#define STALL_NS     UINT64_C(60000000000)
#define OUTPUT_MAX   ((size_t)4 << 20)

static void end_loop(struct fil_loop *loop, struct fil_message *message)
{
    (void)loop;
    FIL_CONTAINER_OF(message, struct job_services, message)->is_over = true;
}

static void run_loop(void *context)
{
    struct job_services *services = context;
    struct fil_loop *loop = &services->loop;
    fil_loop_enter(loop);
    while (!services->is_over) {
        (void)fil_loop_cycle(loop, FIL_WAIT_FOREVER);
    }
    // No job asks any more: what is left are connections that wait for nothing.
    while (fil_loop_connection_count(loop) > 0) {
        fil_loop_abort(loop);
        (void)fil_loop_cycle(loop, 0);
    }
}

int job_services_start(struct job_services *services)
{
    *services = (struct job_services){.message = {.run = end_loop}};
    fil_budget_init(&services->budget, MEMORY_BYTES);
    const struct fil_loop_options options = {.env = fil_env_real(),
                                             .budget = &services->budget,
                                             .limits = {.connections_max = UINT32_MAX,
                                                        .frame_bytes_max = OUTPUT_MAX,
                                                        .output_bytes_max = OUTPUT_MAX,
                                                        .stall_timeout_ns = STALL_NS}};
    int error = fil_loop_init(&services->loop, &options);
    if (error != FIL_OK) {
        return error;
    }
    fil_http_caller_init(&services->caller, &services->loop, 1);
    services->grid.caller = &services->caller.base;
    fil_flow_connect_services(&services->connector, &services->grid);
    error = fil_thread_start(&services->thread, "io/0", run_loop, services);
    if (error != FIL_OK) {
        fil_http_caller_fini(&services->caller);
        fil_loop_fini(&services->loop);
    }
    return error;
}

void job_services_stop(struct job_services *services)
{
    fil_loop_post(&services->loop, &services->message);
    fil_thread_join(&services->thread);
    fil_http_caller_fini(&services->caller);
    fil_loop_fini(&services->loop);
    fil_assert(fil_budget_drawn(&services->budget) == 0);
}
