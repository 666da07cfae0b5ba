// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sim_env.h"

#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "tests/support/sim_env_internal.h"

#define WALL_START_NS UINT64_C(1700000000000000000) // some day of 2023

// Three generators, so that what one part draws does not move the others.
#define SCHEDULE_STREAM UINT64_C(0x5363686564756c65)
#define PRODUCT_STREAM  UINT64_C(0x50726f6475637421)
#define OPTIONS_STREAM  UINT64_C(0x4f7074696f6e7321)

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)

const struct fil_sim_options fil_sim_hostile = {
    .chance =
        {
            [FIL_SIM_FAULT_SHORT_RECEIVE] = 0.3,
            [FIL_SIM_FAULT_SHORT_SEND] = 0.3,
            [FIL_SIM_FAULT_RECEIVE_AGAIN] = 0.05,
            [FIL_SIM_FAULT_SEND_AGAIN] = 0.05,
            [FIL_SIM_FAULT_RESET] = 0.002,
            [FIL_SIM_FAULT_CONNECT_REFUSED] = 0.05,
            [FIL_SIM_FAULT_ACCEPT_AGAIN] = 0.1,
            [FIL_SIM_FAULT_ACCEPT_SYSTEM] = 0.1,
            [FIL_SIM_FAULT_SPURIOUS_READY] = 0.01,
            [FIL_SIM_FAULT_FILE_SHORT] = 0.1,
            [FIL_SIM_FAULT_FILE_ERROR] = 0.02,
            [FIL_SIM_FAULT_CYCLE_SKIPPED] = 0.1,
        },
    .delay_ns = {.min = 1 * MICROSECOND, .max = 2 * MILLISECOND},
    .segment_bytes = {.min = 1, .max = 1500},
    .buffer_bytes = {.min = 16, .max = 4096},
    .cycle_ns = {.min = 0, .max = 20 * MICROSECOND},
};

static uint64_t read_clock(struct fil_env *env)
{
    return fil_sim__of(env)->now_ns;
}

static uint64_t read_wall(struct fil_env *env)
{
    return WALL_START_NS + fil_sim__of(env)->now_ns;
}

static void fill_random(struct fil_env *env, void *out_bytes, size_t size)
{
    struct fil_sim *sim = fil_sim__of(env);
    fil_prng_fill(&sim->product, out_bytes, size);
    fil_sim__trace(sim, FIL_SIM_ACTION_RANDOM, 0, (int64_t)size, 0);
}

static const struct fil_env_ops sim_ops = {
    .now_ns = read_clock,
    .wall_ns = read_wall,
    .random = fill_random,
    .listen = fil_sim__listen,
    .accept = fil_sim__accept,
    .connect = fil_sim__connect,
    .receive = fil_sim__receive,
    .send = fil_sim__send,
    .finish = fil_sim__finish,
    .close = fil_sim__close,
    .poller_new = fil_sim__poller_new,
    .poller_free = fil_sim__poller_free,
    .poller_add = fil_sim__poller_add,
    .poller_change = fil_sim__poller_change,
    .poller_remove = fil_sim__poller_remove,
    .poller_wait = fil_sim__poller_wait,
    .poller_wake = fil_sim__poller_wake,
    .poller_fd = fil_sim__poller_fd,
    .file_read = fil_sim__file_read,
    .file_write = fil_sim__file_write,
};

static void check_options(const struct fil_sim_options *options)
{
    for (uint32_t fault = 0; fault < FIL_SIM_FAULT_COUNT; fault++) {
        fil_assert(options->chance[fault] >= 0);
        fil_assert(options->chance[fault] < 1); // what always fails never ends
    }
    fil_assert(options->delay_ns.min <= options->delay_ns.max);
    fil_assert(options->segment_bytes.min <= options->segment_bytes.max);
    fil_assert(options->buffer_bytes.min <= options->buffer_bytes.max);
    fil_assert(options->cycle_ns.min <= options->cycle_ns.max);
}

static void release(struct fil_sim *sim)
{
    fil_sim__files_fini(sim);
    fil_sim__sockets_fini(sim);
}

int fil_sim_init(struct fil_sim *sim, uint64_t seed, const struct fil_sim_options *options)
{
    memset(sim, 0, sizeof(*sim));
    sim->env.ops = &sim_ops;
    sim->seed = seed;
    sim->now_ns = FIL_SIM_START_NS;
    if (options != NULL) {
        check_options(options);
        sim->options = *options;
    }
    fil_prng_init(&sim->network, seed);
    fil_prng_init(&sim->schedule, seed ^ SCHEDULE_STREAM);
    fil_prng_init(&sim->product, seed ^ PRODUCT_STREAM);
    fil_list_init(&sim->timers);
    fil_list_init(&sim->pollers);
    if (fil_sim__sockets_init(sim) != FIL_OK || fil_sim__files_init(sim) != FIL_OK) {
        release(sim);
        return FIL_E_NOMEM;
    }
    fil_sim__trace(sim, FIL_SIM_ACTION_SEED, (int64_t)seed, 0, 0);
    return FIL_OK;
}

static bool has_leaks(const struct fil_sim *sim)
{
    return sim->socket_count > 0 || !fil_list_is_empty(&sim->pollers) ||
           !fil_list_is_empty(&sim->timers);
}

void fil_sim_fini(struct fil_sim *sim)
{
    if (has_leaks(sim)) {
        (void)fil_sim_report(sim, stderr);
    }
    fil_assert(!has_leaks(sim));
    // A connection outlives its descriptors only in a backlog, and no listener is left.
    fil_assert(sim->connection_count == 0);
    release(sim);
}

void fil_sim_options_draw(struct fil_sim_options *options, uint64_t seed)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed ^ OPTIONS_STREAM);
    *options = fil_sim_hostile;
    for (uint32_t fault = 0; fault < FIL_SIM_FAULT_COUNT; fault++) {
        options->chance[fault] *= fil_prng_chance(&prng, 0.5) ? 0 : 2 * fil_prng_real(&prng);
    }
    const struct fil_sim_range none = {0};
    if (fil_prng_chance(&prng, 0.3)) {
        options->delay_ns = none;
    } else {
        options->delay_ns.max = fil_prng_range(&prng, 1 * MICROSECOND, 50 * MILLISECOND);
    }
    if (fil_prng_chance(&prng, 0.3)) {
        options->segment_bytes = none;
    }
    if (fil_prng_chance(&prng, 0.3)) {
        options->buffer_bytes = none;
    }
    if (fil_prng_chance(&prng, 0.3)) {
        options->cycle_ns = none;
    }
}

uint32_t fil_sim_report(struct fil_sim *sim, FILE *out)
{
    (void)fprintf(out, "simulation seed=%llu now=%llu ns, %llu steps, %llu faults\n",
                  (unsigned long long)sim->seed, (unsigned long long)sim->now_ns,
                  (unsigned long long)sim->step_count, (unsigned long long)sim->fault_count);
    uint32_t count = fil_sim__sockets_report(sim, out) + fil_sim__pollers_report(sim, out);
    fil_list_foreach(link, &sim->timers) {
        const struct fil_sim_timer *timer = FIL_CONTAINER_OF(link, struct fil_sim_timer, link);
        (void)fprintf(out, "  timer: at %llu ns\n", (unsigned long long)timer->at_ns);
        count++;
    }
    return count;
}

// Time.

static uint64_t next_timer_ns(struct fil_sim *sim)
{
    uint64_t next_ns = FIL_SIM_NEVER;
    fil_list_foreach(link, &sim->timers) {
        uint64_t at_ns = FIL_CONTAINER_OF(link, struct fil_sim_timer, link)->at_ns;
        if (at_ns > sim->now_ns && at_ns < next_ns) {
            next_ns = at_ns;
        }
    }
    return next_ns;
}

bool fil_sim__timers_have_expired(struct fil_sim *sim)
{
    fil_list_foreach(link, &sim->timers) {
        if (FIL_CONTAINER_OF(link, struct fil_sim_timer, link)->at_ns <= sim->now_ns) {
            return true;
        }
    }
    return false;
}

uint64_t fil_sim_next_event_ns(struct fil_sim *sim)
{
    uint64_t next_ns = fil_sim__connections_next_ns(sim);
    next_ns = fil_min_u64(next_ns, fil_sim__pollers_next_ns(sim));
    next_ns = fil_min_u64(next_ns, next_timer_ns(sim));
    fil_assert(next_ns > sim->now_ns);
    return next_ns;
}

void fil_sim_advance_to(struct fil_sim *sim, uint64_t now_ns)
{
    fil_assert(now_ns >= sim->now_ns);
    fil_sim__trace(sim, FIL_SIM_ACTION_ADVANCE, 0, (int64_t)(now_ns - sim->now_ns), 0);
    // One arrival after the other: an answer may be due before the time that was asked for.
    uint64_t next_ns = fil_sim__connections_next_ns(sim);
    while (next_ns <= now_ns) {
        sim->now_ns = next_ns;
        fil_sim__connections_settle(sim);
        next_ns = fil_sim__connections_next_ns(sim);
    }
    sim->now_ns = now_ns;
}

void fil_sim_advance(struct fil_sim *sim, uint64_t elapsed_ns)
{
    fil_sim_advance_to(sim, sim->now_ns + elapsed_ns);
}

void fil_sim_timer_init(struct fil_sim_timer *timer)
{
    fil_list_init(&timer->link);
    timer->at_ns = FIL_SIM_NEVER;
}

void fil_sim_timer_set(struct fil_sim *sim, struct fil_sim_timer *timer, uint64_t at_ns)
{
    fil_list_remove(&timer->link);
    timer->at_ns = at_ns;
    fil_list_push_back(&sim->timers, &timer->link);
}

void fil_sim_timer_cancel(struct fil_sim_timer *timer)
{
    fil_list_remove(&timer->link);
    timer->at_ns = FIL_SIM_NEVER;
}

uint64_t fil_sim_draw(struct fil_sim *sim, struct fil_sim_range range)
{
    fil_assert(range.min <= range.max);
    return range.min == range.max ? range.min : fil_prng_range(&sim->network, range.min, range.max);
}
