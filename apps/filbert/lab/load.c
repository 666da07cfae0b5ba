// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

int lab_load_open(struct lab_load *load, struct fil_env *env, const struct fil_address *address)
{
    *load = (struct lab_load){0};
    return load_generator_open(&load->generator, env, address, LAB_CONNECTIONS);
}

void lab_load_close(struct lab_load *load)
{
    load_generator_close(&load->generator);
}

static void fail(struct lab_load *load, int error)
{
    fil_assert(error != FIL_OK);
    // Relaxed: read after the join, or as a hint.
    atomic_store_explicit(&load->error, error, memory_order_relaxed);
}

bool lab_load_has_failed(struct lab_load *load)
{
    return atomic_load_explicit(&load->error, memory_order_relaxed) != FIL_OK;
}

const struct fil_histogram *lab_load_latency_ns(const struct lab_load *load)
{
    return &load->generator.figures.latency_ns[0];
}

uint64_t lab_load_reply_count(const struct lab_load *load)
{
    return fil_counter_read(&load->generator.figures.replies);
}

/** Does between two cycles what others have asked for. */
static void look_around(struct lab_load *load)
{
    struct load_figures *figures = &load->generator.figures;
    // Relaxed, both: a batch more or less does not matter.
    uint32_t wanted = atomic_load_explicit(&load->figures_wanted, memory_order_relaxed);
    if (wanted != load->figures_seen) {
        load->figures_seen = wanted;
        for (uint32_t i = 0; i < LOAD_GROUPS; i++) {
            fil_histogram_reset(&figures->latency_ns[i]);
        }
    }
    if (atomic_load_explicit(&load->is_stopping, memory_order_relaxed)) {
        load_generator_end(&load->generator);
    }
    if (fil_counter_read(&figures->errors) > 0) {
        fail(load, FIL_E_MALFORMED);
    }
}

static void announce(struct lab_load *load)
{
    // R1 pairs with A1: the figures are new, and the thread can be told from the server's.
    atomic_store_explicit(&load->thread_id, fil_thread_id(), memory_order_release);
    fil_futex_wake(&load->thread_id, 1);
}

static void run(void *context)
{
    struct lab_load *load = context;
    struct load_generator *generator = &load->generator;
    int error = load_generator_begin(generator, &(struct load_plan){
                                                    .source = lab_workload_source(&load->requests),
                                                    .pipeline = load->options.pipeline,
                                                    .request_count = load->options.request_count,
                                                });
    announce(load);
    while (error == FIL_OK && !lab_load_has_failed(load) && load_generator_cycle(generator)) {
        look_around(load);
    }
    if (generator->failure.code != FIL_OK) {
        fail(load, generator->failure.code);
    }
}

int lab_load_start(struct lab_load *load, const struct lab_load_options *options)
{
    fil_assert(options->pipeline > 0);
    load->options = *options;
    load->requests = (struct lab_workload_cursor){.workload = options->workload};
    atomic_store_explicit(&load->error, FIL_OK, memory_order_relaxed);
    atomic_store_explicit(&load->is_stopping, false, memory_order_relaxed);
    atomic_store_explicit(&load->thread_id, 0, memory_order_relaxed);
    int error = fil_thread_start_with(
        &load->thread, &(struct fil_thread_options){
                           .name = "load", .entry = run, .context = load, .cpus = options->cpus});
    if (error != FIL_OK) {
        return error;
    }
    // A1 pairs with R1: the thread is there, and its figures are this run's.
    while (atomic_load_explicit(&load->thread_id, memory_order_acquire) == 0) {
        (void)!fil_futex_wait(&load->thread_id, 0, FIL_WAIT_FOREVER);
    }
    return FIL_OK;
}

void lab_load_begin_figures(struct lab_load *load)
{
    atomic_fetch_add_explicit(&load->figures_wanted, 1, memory_order_relaxed);
}

int lab_load_stop(struct lab_load *load)
{
    atomic_store_explicit(&load->is_stopping, true, memory_order_relaxed);
    return lab_load_finish(load);
}

int lab_load_finish(struct lab_load *load)
{
    fil_thread_join(&load->thread);
    return atomic_load_explicit(&load->error, memory_order_relaxed);
}
