// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

#define EVENTS_PER_TURN 64
#define PATIENCE_NS     INT64_C(10000000000) // without any reply for so long, the server is stuck

int lab_load_open(struct lab_load *load, struct fil_env *env, const struct fil_address *address)
{
    *load = (struct lab_load){.env = env};
    int error = env->ops->poller_new(env, &load->poller);
    while (error == FIL_OK && load->client_count < LAB_CONNECTIONS) {
        error = lab_client_open(&load->clients[load->client_count], env, load->poller, address);
        load->client_count += error == FIL_OK;
    }
    return error;
}

void lab_load_close(struct lab_load *load)
{
    for (uint32_t i = 0; i < load->client_count; i++) {
        lab_client_close(&load->clients[i], load->env, load->poller);
    }
    load->client_count = 0;
    if (load->poller != NULL) {
        load->env->ops->poller_free(load->env, load->poller);
        load->poller = NULL;
    }
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

/** How many requests the next batch has; 0: there is nothing more to send. */
static uint32_t next_size(const struct lab_load *load)
{
    uint32_t rest = load->options.workload->count - load->next;
    uint32_t size = load->options.pipeline < rest ? load->options.pipeline : rest;
    return size < load->left_count ? size : (uint32_t)load->left_count;
}

static void send_batch(struct lab_load *load, struct lab_client *client, uint64_t now_ns)
{
    const struct lab_workload *workload = load->options.workload;
    uint32_t size = next_size(load);
    // Relaxed: a batch more or less does not matter.
    if (size == 0 || atomic_load_explicit(&load->is_stopping, memory_order_relaxed)) {
        return;
    }
    client->sent_ns = now_ns;
    client->has_long = lab_workload_has_long(workload, load->next, size);
    client->in_flight = size;
    int error = lab_client_send(client, load->env, lab_workload_slice(workload, load->next, size));
    if (error != FIL_OK) {
        fail(load, error);
        return;
    }
    load->next = load->next + size == workload->count ? 0 : load->next + size;
    load->left_count -= load->left_count == LAB_LOAD_ALL ? 0 : size;
    load->busy_count++;
}

static void count_replies(struct lab_load *load, struct lab_client *client, uint32_t count,
                          uint64_t now_ns)
{
    fil_counter_add(&load->replies, count);
    if (client->in_flight > 0) {
        return;
    }
    struct fil_histogram *histogram = client->has_long ? &load->long_latency_ns : &load->latency_ns;
    fil_histogram_record_many(histogram, now_ns - client->sent_ns, load->options.pipeline);
    load->busy_count--;
    send_batch(load, client, now_ns);
}

/** Forgets the latencies when they are to begin anew. */
static void look_at_figures(struct lab_load *load)
{
    // Relaxed: the moment need not be exact.
    uint32_t wanted = atomic_load_explicit(&load->figures_wanted, memory_order_relaxed);
    if (wanted != load->figures_seen) {
        load->figures_seen = wanted;
        fil_histogram_reset(&load->latency_ns);
        fil_histogram_reset(&load->long_latency_ns);
    }
}

static void turn(struct lab_load *load)
{
    struct fil_poll_event events[EVENTS_PER_TURN];
    struct fil_env *env = load->env;
    uint64_t begin_ns = fil_env_now_ns(env);
    int count = env->ops->poller_wait(env, load->poller, events, EVENTS_PER_TURN, PATIENCE_NS);
    if (count < 0 || (count == 0 && fil_env_now_ns(env) - begin_ns >= (uint64_t)PATIENCE_NS)) {
        fail(load, count < 0 ? count : FIL_E_TIMEOUT);
        return;
    }
    look_at_figures(load);
    for (int i = 0; i < count && !lab_load_has_failed(load); i++) {
        struct lab_client *client = events[i].context;
        int replies = lab_client_receive(client, env, load->buffer, sizeof(load->buffer));
        if (replies < 0) {
            fail(load, replies);
        } else if (replies > 0) {
            count_replies(load, client, (uint32_t)replies, fil_env_now_ns(env));
        }
    }
}

static void run(void *context)
{
    struct lab_load *load = context;
    // R1 pairs with A1.
    atomic_store_explicit(&load->thread_id, fil_thread_id(), memory_order_release);
    fil_futex_wake(&load->thread_id, 1);
    for (uint32_t i = 0; i < load->client_count && !lab_load_has_failed(load); i++) {
        send_batch(load, &load->clients[i], fil_env_now_ns(load->env));
    }
    while (load->busy_count > 0 && !lab_load_has_failed(load)) {
        turn(load);
    }
}

int lab_load_start(struct lab_load *load, const struct lab_load_options *options)
{
    fil_assert(options->pipeline > 0);
    load->options = *options;
    load->next = 0;
    load->left_count = options->request_count;
    load->busy_count = 0;
    atomic_store_explicit(&load->error, FIL_OK, memory_order_relaxed);
    atomic_store_explicit(&load->is_stopping, false, memory_order_relaxed);
    atomic_store_explicit(&load->thread_id, 0, memory_order_relaxed);
    fil_histogram_init(&load->latency_ns);
    fil_histogram_init(&load->long_latency_ns);
    int error = fil_thread_start_with(
        &load->thread, &(struct fil_thread_options){
                           .name = "load", .entry = run, .context = load, .cpus = options->cpus});
    if (error != FIL_OK) {
        return error;
    }
    // A1 pairs with R1: the thread is there, and can be told from the server's.
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
