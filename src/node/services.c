// SPDX-License-Identifier: Apache-2.0
#include "node/services.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"

#define BLOCK_THREADS  4U // at the beginning
#define THREADS_MAX    256U
#define BUILT_IN_COUNT 3

static struct fil_service_pool_plan make_plan(const struct fil_options *options, const char *name,
                                              uint32_t thread_count, uint32_t thread_max)
{
    struct fil_service_pool_plan plan = {
        .thread_count = thread_count,
        .thread_max = thread_max,
        .capacity = (uint32_t)options->service.capacity,
    };
    (void)snprintf(plan.name, sizeof(plan.name), "%s", name);
    return plan;
}

/** Reads "name=threads". */
static bool read_plan(const struct fil_options *options, struct fil_bytes text,
                      struct fil_service_pool_plan *out_plan)
{
    size_t equals = fil_bytes_find(text, '=');
    struct fil_bytes name = fil_bytes_trim(fil_bytes_make(text.data, equals));
    uint64_t threads = 0;
    if (equals == text.size || name.size == 0 || name.size >= FIL_SERVICE_POOL_NAME_MAX ||
        !fil_bytes_to_u64(
            fil_bytes_trim(fil_bytes_make(text.data + equals + 1, text.size - equals - 1)),
            &threads) ||
        threads < 1 || threads > THREADS_MAX) {
        return false;
    }
    *out_plan = make_plan(options, "", (uint32_t)threads, (uint32_t)threads);
    memcpy(out_plan->name, name.data, name.size);
    out_plan->name[name.size] = '\0';
    return true;
}

static int make_built_in(const struct fil_options *options, uint32_t cpu_count,
                         struct fil_service_pool_plan *out_plans)
{
    uint32_t cpu = (uint32_t)options->service.cpu_threads;
    uint32_t block_max = (uint32_t)options->service.block_threads;
    if (cpu == 0) {
        cpu = cpu_count / 2 < 2 ? 2 : cpu_count / 2;
    }
    out_plans[0] = make_plan(options, FIL_SERVICES_ADMIN, 1, 1);
    out_plans[0].is_exempt = true;
    out_plans[1] = make_plan(options, "cpu", cpu, cpu);
    out_plans[2] = make_plan(options, "block",
                             block_max < BLOCK_THREADS ? block_max : BLOCK_THREADS, block_max);
    return BUILT_IN_COUNT;
}

static bool is_known(const struct fil_service_pool_plan *plans, int count, const char *name)
{
    bool is_found = strcmp(name, "loop") == 0;
    for (int i = 0; i < count; i++) {
        is_found |= strcmp(plans[i].name, name) == 0;
    }
    return is_found;
}

/** Takes what stands before the next semicolon; false at the end. */
static bool next_part(struct fil_bytes *rest, struct fil_bytes *out_part)
{
    if (rest->size == 0) {
        return false;
    }
    size_t size = fil_bytes_find(*rest, ';');
    size_t used = size < rest->size ? size + 1 : size;
    *out_part = fil_bytes_trim(fil_bytes_make(rest->data, size));
    *rest = fil_bytes_make(rest->data + used, rest->size - used);
    return true;
}

int fil_services_plan(const struct fil_options *options, uint32_t cpu_count,
                      struct fil_service_pool_plan out_plans[FIL_SERVICE_POOLS_MAX],
                      char *out_problem, size_t problem_size)
{
    int count = make_built_in(options, cpu_count, out_plans);
    bool has_none = strcmp(options->service.pools, "none") == 0;
    struct fil_bytes rest = fil_bytes_of(has_none ? "" : options->service.pools);
    struct fil_bytes part;
    while (next_part(&rest, &part)) {
        struct fil_service_pool_plan plan;
        if (count == FIL_SERVICE_POOLS_MAX) {
            (void)snprintf(out_problem, problem_size, "there are more than %u pools",
                           FIL_SERVICE_POOLS_MAX - BUILT_IN_COUNT);
            return FIL_E_CONFIG;
        }
        if (!read_plan(options, part, &plan)) {
            (void)snprintf(out_problem, problem_size, "'%.*s' is not name=threads, as in db=16",
                           (int)part.size, (const char *)part.data);
            return FIL_E_CONFIG;
        }
        if (is_known(out_plans, count, plan.name)) {
            (void)snprintf(out_problem, problem_size, "there is a pool '%s' already", plan.name);
            return FIL_E_CONFIG;
        }
        out_plans[count] = plan;
        count++;
    }
    return count;
}

uint32_t fil_services_thread_count(const struct fil_options *options, uint32_t cpu_count)
{
    struct fil_service_pool_plan plans[FIL_SERVICE_POOLS_MAX];
    char problem[FIL_OPTION_REASON_MAX + 1];
    // The options were checked when they were loaded.
    int count = fil_services_plan(options, cpu_count, plans, problem, sizeof(problem));
    uint32_t threads = 0;
    for (int i = 0; i < count; i++) {
        threads += plans[i].thread_max;
    }
    return threads;
}
