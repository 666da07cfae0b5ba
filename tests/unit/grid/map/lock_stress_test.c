// SPDX-License-Identifier: Apache-2.0
/**
 * Locks, writers, expiry and listeners under real threads; the thread sanitizer watches.
 *
 * Several callers lock, write, read and unlock a few keys, with leases and deadlines, while entries
 * expire, another caller clears the map again and again and a listener counts. Promises: what is
 * written between lock and unlock is written by the owner alone (a plain value per key proves it);
 * every operation completes exactly once; writers that wait go on; everything is given back.
 */
#include <stdio.h>

#include "core/exec/event.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "grid/map/listen.h"
#include "grid/map/lock.h"
#include "grid/map/maps.h"
#include "grid/map/walk.h"
#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define CALLERS    3U
#define KEYS       4U
#define ROUNDS     6000U
#define PARTITIONS 7U

enum action {
    LOCK,
    WRITE_LOCKED, // by the owner of the lock
    UNLOCK,
    WRITE,      // by anybody, waits for the lock
    WRITE_SHORT // an entry that soon expires
};

struct step {
    struct fil_op op;
    enum action action;
    uint32_t key_index;
    struct fil_map_key key;
    struct fil_map_owner owner;
    uint64_t lease_ms;
    _Atomic bool is_done; // R1: released by complete, A1: acquired by the caller
};

struct caller {
    struct fil_thread thread;
    struct fil_runner runner;
    struct fil_prng prng;
    uint32_t number;
    struct step step;
    uint64_t completed;
    uint64_t timed_out;
};

static struct fil_budget budget;
static struct fil_exec *exec;
static struct fil_events events;
static struct fil_maps *maps;
static struct fil_map *map;
static char names[KEYS][8];
static uint64_t guarded[KEYS]; // the owner's own while it holds the key without a lease
static _Atomic uint64_t event_count;
static _Atomic uint32_t open_count;

static enum fil_op_outcome park(struct step *step, struct fil_partition *partition,
                                uint64_t wait_key)
{
    step->op.error = fil_partition_park(partition, &step->op, wait_key);
    return step->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static enum fil_op_outcome lock(struct step *step, struct fil_partition *partition, uint64_t now_ms)
{
    uint64_t wait_key = 0;
    struct fil_map_lock_wish wish = {
        .owner = step->owner, .lease_ms = step->lease_ms, .now_ms = now_ms};
    int error = fil_map_lock_here(map, &step->key, &wish, &wait_key);
    if (error == FIL_E_AGAIN) {
        return park(step, partition, wait_key);
    }
    step->op.error = error;
    return FIL_OP_DONE;
}

static enum fil_op_outcome run_step(struct fil_op *op, struct fil_partition *partition)
{
    struct step *step = FIL_CONTAINER_OF(op, struct step, op);
    uint64_t now_ms = fil_map_now_ms(map, partition->runner->now_ns);
    uint64_t wait_key = 0;
    struct fil_map_lock_wish wish = {.owner = step->owner, .now_ms = now_ms};
    struct fil_store_write how = {.now_ms = now_ms};
    if (step->action == LOCK) {
        return lock(step, partition, now_ms);
    }
    if (step->action == UNLOCK) {
        op->error = fil_map_unlock_here(map, &step->key, &wish);
        return FIL_OP_DONE;
    }
    if (fil_map_has_locks_here(map, partition->id) &&
        fil_map_must_wait_here(map, &step->key, &step->owner, now_ms, &wait_key)) {
        return park(step, partition, wait_key);
    }
    how.expires_ms = step->action == WRITE_SHORT ? now_ms + 3 : 0;
    op->error = fil_map_put_here(map, &step->key, step->key.bytes, &how, NULL);
    return FIL_OP_DONE;
}

static void complete_step(struct fil_op *op, struct fil_runner *runner)
{
    struct step *step = FIL_CONTAINER_OF(op, struct step, op);
    (void)runner;
    // R1.
    atomic_store_explicit(&step->is_done, true, memory_order_release);
}

static const struct fil_op_type step_type = {
    .name = "step", .run = run_step, .complete = complete_step};

/** Submits and waits; returns the error. */
static int act(struct caller *caller, enum action action, uint32_t key_index, uint64_t lease_ms,
               uint64_t wait_ns)
{
    struct step *step = &caller->step;
    step->action = action;
    step->key_index = key_index;
    step->key = fil_map_place(map, fil_bytes_of(names[key_index]));
    step->owner = (struct fil_map_owner){caller->number, 1};
    step->lease_ms = lease_ms;
    atomic_store_explicit(&step->is_done, false, memory_order_relaxed);
    fil_op_init(&step->op, &step_type, step->key.partition_id);
    if (wait_ns > 0) {
        step->op.deadline_ns = fil_env_now_ns(fil_env_real()) + wait_ns;
    }
    fil_exec_submit(exec, &step->op, &caller->runner);
    // A1.
    while (!atomic_load_explicit(&step->is_done, memory_order_acquire)) {
        fil_thread_yield();
    }
    caller->completed++;
    caller->timed_out += step->op.error == FIL_E_TIMEOUT;
    return step->op.error;
}

/** Holds the key and changes what only its owner may touch. */
static void hold(struct caller *caller, uint32_t key_index)
{
    if (act(caller, LOCK, key_index, 0, 0) != FIL_OK) {
        fail_msg("a lock was refused");
    }
    guarded[key_index]++;
    (void)act(caller, WRITE_LOCKED, key_index, 0, 0);
    if (act(caller, LOCK, key_index, 0, 0) != FIL_OK) {
        fail_msg("a lock is not re-entrant");
    }
    guarded[key_index]++;
    (void)act(caller, UNLOCK, key_index, 0, 0);
    (void)act(caller, UNLOCK, key_index, 0, 0);
}

static void use_map(void *context)
{
    struct caller *caller = context;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t key_index = (uint32_t)fil_prng_below(&caller->prng, KEYS - 1);
        switch (fil_prng_below(&caller->prng, 5)) {
        case 0:
        case 1:
            hold(caller, key_index);
            break;
        case 2:
            // The last key is locked with leases only, and never unlocked.
            (void)act(caller, LOCK, KEYS - 1, 1 + fil_prng_below(&caller->prng, 3), 500000);
            break;
        case 3:
            (void)act(caller, WRITE_SHORT, key_index, 0, 0);
            break;
        default:
            (void)act(caller, WRITE, key_index, 0, 2000000);
            break;
        }
    }
}

static void count_event(void *context, const struct fil_map_event *event)
{
    (void)context;
    (void)event;
    atomic_fetch_add_explicit(&event_count, 1, memory_order_relaxed);
}

static void note_done(void *context, int error, struct fil_runner *from)
{
    (void)from;
    (void)context;
    (void)error;
    atomic_fetch_sub_explicit(&open_count, 1, memory_order_acq_rel);
}

static void finish_walk(struct fil_map_walk *walk, struct fil_runner *runner)
{
    (void)walk;
    (void)runner;
    atomic_fetch_sub_explicit(&open_count, 1, memory_order_acq_rel);
}

static void await_done(void)
{
    while (atomic_load_explicit(&open_count, memory_order_acquire) > 0) {
        fil_thread_yield();
    }
}

static void open_world(void)
{
    fil_budget_init(&budget, UINT64_C(1) << 28);
    struct fil_exec_options options = {.env = fil_env_real(),
                                       .budget = &budget,
                                       .partition_count = PARTITIONS,
                                       .thread_count = 2,
                                       .has_caller_runs = true,
                                       .has_stealing = true,
                                       .has_batching = true,
                                       .has_wake_suppression = true};
    assert_int_equal(fil_exec_new(&exec, &options), FIL_OK);
    struct fil_events_options event_options = {
        .env = fil_env_real(), .thread_count = 1, .capacity = 10000, .idle = FIL_IDLE_KIND_BLOCK};
    assert_int_equal(fil_events_init(&events, &event_options), FIL_OK);
    assert_int_equal(fil_events_start(&events), FIL_OK);
    assert_int_equal(fil_exec_start(exec), FIL_OK);
    struct fil_maps_options map_options = {.env = fil_env_real(),
                                           .exec = exec,
                                           .events = &events,
                                           .budget = &budget,
                                           .seed = 5,
                                           .count_max = 4,
                                           .defaults = {.journal_capacity = 100}};
    assert_int_equal(fil_maps_new(&maps, &map_options), FIL_OK);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("stress"), &map), FIL_OK);
}

static void close_world(void)
{
    fil_exec_stop(exec);
    fil_events_stop(&events);
    fil_maps_free(maps);
    fil_events_fini(&events);
    fil_exec_free(exec);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void disturb(struct fil_runner *runner)
{
    struct fil_map_listener_options options = {
        .name = "count", .kinds = FIL_MAP_EVENTS_ALL, .has_values = true, .deliver = count_event};
    static struct fil_map_walk walk;
    for (uint32_t i = 0; i < 40; i++) {
        struct fil_map_listener *listener = NULL;
        atomic_store_explicit(&open_count, 2, memory_order_relaxed);
        assert_int_equal(fil_map_listener_open(map, &options, runner, note_done, &listener),
                         FIL_OK);
        fil_map_walk_clear(&walk, map);
        fil_map_walk_start(&walk, finish_walk, NULL, runner);
        await_done();
        atomic_store_explicit(&open_count, 1, memory_order_relaxed);
        fil_map_listener_close(listener, runner, note_done);
        await_done();
    }
}

static void test_locks_hold_under_threads(void **state)
{
    (void)state;
    static struct caller callers[CALLERS];
    struct fil_runner runner;
    open_world();
    fil_runner_init(&runner, exec, "disturber");
    for (uint32_t i = 0; i < KEYS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "key%u", i);
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.number = i + 1};
        fil_prng_init(&callers[i].prng, i + 1);
        fil_runner_init(&callers[i].runner, exec, "caller");
        assert_int_equal(fil_thread_start(&callers[i].thread, "caller", use_map, &callers[i]),
                         FIL_OK);
    }
    disturb(&runner);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CALLERS; i++) {
        fil_thread_join(&callers[i].thread);
        assert_true(callers[i].completed >= ROUNDS);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        sum += guarded[i];
    }
    assert_true(sum > ROUNDS);
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_true(stats.locks <= 1);
    assert_true(stats.puts > ROUNDS);
    close_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locks_hold_under_threads),
    };
    return cmocka_run_group_tests_name("lock_stress", tests, NULL, NULL);
}
