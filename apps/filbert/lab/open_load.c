// SPDX-License-Identifier: Apache-2.0
#include "open_load.h"

#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

// In flight a connection, at most: more than a stall of the server can bring together.
#define WAITING_MAX 256U

static int error_of(const struct load_generator *generator)
{
    bool has_errors = fil_counter_read(&generator->figures.errors) > 0;
    return generator->failure.code == FIL_OK && has_errors ? FIL_E_MALFORMED
                                                           : generator->failure.code;
}

static void next_burn(void *context, uint32_t limit, struct load_expected *out_expected,
                      struct load_batch *out_batch)
{
    const struct lab_burner *burner = context;
    fil_assert(limit > 0);
    out_expected[0] = (struct load_expected){.kind = '+'};
    *out_batch = (struct load_batch){.bytes = fil_bytes_of(burner->request), .count = 1};
}

static void burn(void *context)
{
    struct lab_burner *burner = context;
    const struct load_plan plan = {
        .source = {.next = next_burn, .context = burner}, .pipeline = 1, .request_count = 1};
    // Relaxed: the join orders the rest.
    while (atomic_load_explicit(&burner->is_stopping, memory_order_relaxed) == 0) {
        burner->count++;
        int error = load_generator_run(&burner->generator, &plan);
        if (error != FIL_OK || error_of(&burner->generator) != FIL_OK) {
            return; // the error stays in the generator
        }
        (void)!fil_futex_wait(&burner->is_stopping, 0, (int64_t)burner->pause_ns);
    }
}

static int start_burner(struct lab_burner *burner, const struct lab_open_options *options)
{
    *burner = (struct lab_burner){.pause_ns = options->burn_pause_ns};
    int size = snprintf(burner->request, sizeof(burner->request),
                        "FILBERT.BURN %u key:000000000000\r\n", options->burn_us);
    fil_assert(size > 0 && (size_t)size < sizeof(burner->request));
    int error = load_generator_open(&burner->generator, options->env, options->address, 1);
    if (error == FIL_OK) {
        error = fil_thread_start(&burner->thread, "burner", burn, burner);
    }
    if (error != FIL_OK) {
        load_generator_close(&burner->generator);
    }
    return error;
}

static int stop_burner(struct lab_burner *burner)
{
    atomic_store_explicit(&burner->is_stopping, 1, memory_order_relaxed);
    fil_futex_wake(&burner->is_stopping, 1);
    fil_thread_join(&burner->thread);
    int error = error_of(&burner->generator);
    load_generator_close(&burner->generator);
    return error;
}

static int run_generator(struct lab_open_load *load, const struct lab_open_options *options)
{
    struct load_generator *generator = &load->generator;
    load->requests = (struct lab_workload_cursor){.workload = options->workload};
    int error = load_generator_run(generator, &(struct load_plan){
                                                  .source = lab_workload_source(&load->requests),
                                                  .pipeline = WAITING_MAX,
                                                  .request_count = LOAD_ALL,
                                                  .duration_ns = options->duration_ns,
                                                  .interval_ns = (double)options->interval_ns,
                                              });
    if (error == FIL_OK && load_generator_unsent_count(generator) > 0) {
        return FIL_E_FULL;
    }
    return error == FIL_OK ? error_of(generator) : error;
}

int lab_open_load_run(struct lab_open_load *load, const struct lab_open_options *options)
{
    fil_assert(options->interval_ns > 0);
    load->burner.count = 0;
    int error =
        load_generator_open(&load->generator, options->env, options->address, LAB_OPEN_CLIENTS);
    bool has_burner = error == FIL_OK && options->burn_us > 0;
    if (has_burner) {
        error = start_burner(&load->burner, options);
        has_burner = error == FIL_OK;
    }
    if (error == FIL_OK) {
        error = run_generator(load, options);
    }
    int burn_error = has_burner ? stop_burner(&load->burner) : FIL_OK;
    load_generator_close(&load->generator);
    return error == FIL_OK ? burn_error : error;
}

const struct fil_histogram *lab_open_load_latency_ns(const struct lab_open_load *load)
{
    return &load->generator.figures.latency_ns[0];
}
