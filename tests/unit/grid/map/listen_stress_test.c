// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners under real threads; the thread sanitizer watches. Callers write rising numbers to keys
 * of their own while partition threads help, and a listener with a lane for each event thread looks
 * on. Promises: the changes of a key arrive in their order, none is lost, and each says what was
 * there before.
 */
#include <stdio.h>

#include "core/exec/event.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "grid/map/listen.h"
#include "grid/map/maps.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define CALLERS 3U
#define KEYS    5U // of each caller
#define WRITES  3000U

struct caller {
    struct fil_thread thread;
    struct fil_runner runner;
    uint32_t number;
};

struct write {
    struct fil_op op;
    struct fil_map_key key;
    char value[16];
    _Atomic bool is_done; // R1: released by complete, A1: acquired by the caller
};

static struct fil_budget budget;
static struct fil_exec *exec;
static struct fil_events events;
static struct fil_maps *maps;
static struct fil_map *map;
static uint64_t last[CALLERS][KEYS]; // written by the lane of the key
static _Atomic uint64_t event_count;
static _Atomic uint32_t problem_count;
static _Atomic uint32_t open_count;

static enum fil_op_outcome run_write(struct fil_op *op, struct fil_partition *partition)
{
    struct write *write = FIL_CONTAINER_OF(op, struct write, op);
    struct fil_store_write how = {.now_ms = fil_map_now_ms(map, partition->runner->now_ns)};
    op->error = fil_map_put_here(map, &write->key, fil_bytes_of(write->value), &how, NULL);
    return FIL_OP_DONE;
}

static void complete_write(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    // R1.
    atomic_store_explicit(&FIL_CONTAINER_OF(op, struct write, op)->is_done, true,
                          memory_order_release);
}

static const struct fil_op_type fast_type = {
    .name = "write", .run = run_write, .complete = complete_write};
static const struct fil_op_type slow_type = {
    .name = "slow_write", .run = run_write, .complete = complete_write, .is_slow = true};

static void use_map(void *context)
{
    struct caller *caller = context;
    for (uint32_t i = 1; i <= WRITES; i++) {
        char name[16];
        struct write write;
        (void)snprintf(name, sizeof(name), "%u:%u", caller->number, i % KEYS);
        (void)snprintf(write.value, sizeof(write.value), "%u", i);
        write.key = fil_map_place(map, fil_bytes_of(name));
        atomic_init(&write.is_done, false);
        fil_op_init(&write.op, i % 3 == 0 ? &slow_type : &fast_type, write.key.partition_id);
        fil_exec_submit(exec, &write.op, &caller->runner);
        // A1.
        while (!atomic_load_explicit(&write.is_done, memory_order_acquire)) {
            fil_thread_yield();
        }
        if (write.op.error != FIL_OK) {
            atomic_fetch_add_explicit(&problem_count, 1, memory_order_relaxed);
        }
    }
}

static void check_event(void *context, const struct fil_map_event *event)
{
    uint64_t caller = 0;
    uint64_t key = 0;
    uint64_t value = 0;
    uint64_t old = 0;
    (void)context;
    bool is_read = fil_bytes_to_u64(fil_bytes_make(event->key.data, 1), &caller) &&
                   fil_bytes_to_u64(fil_bytes_make(event->key.data + 2, 1), &key) &&
                   fil_bytes_to_u64(event->value, &value) && caller < CALLERS && key < KEYS;
    if (is_read && event->kind == FIL_MAP_UPDATED) {
        is_read = fil_bytes_to_u64(event->old_value, &old);
    }
    if (!is_read || last[caller][key] != old || value <= old) {
        atomic_fetch_add_explicit(&problem_count, 1, memory_order_relaxed);
    }
    if (is_read) {
        last[caller][key] = value;
    }
    atomic_fetch_add_explicit(&event_count, 1, memory_order_relaxed);
}

static void note_done(void *context, int error, struct fil_runner *from)
{
    (void)from;
    (void)context;
    if (error != FIL_OK) {
        atomic_fetch_add_explicit(&problem_count, 1, memory_order_relaxed);
    }
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
                                       .partition_count = 5,
                                       .thread_count = 2,
                                       .has_caller_runs = true,
                                       .has_stealing = true,
                                       .has_batching = true,
                                       .has_wake_suppression = true};
    assert_int_equal(fil_exec_new(&exec, &options), FIL_OK);
    struct fil_events_options event_options = {.env = fil_env_real(),
                                               .thread_count = 2,
                                               .capacity = 4 * CALLERS * WRITES,
                                               .idle = FIL_IDLE_KIND_BLOCK};
    assert_int_equal(fil_events_init(&events, &event_options), FIL_OK);
    assert_int_equal(fil_events_start(&events), FIL_OK);
    assert_int_equal(fil_exec_start(exec), FIL_OK);
    struct fil_maps_options map_options = {.env = fil_env_real(),
                                           .exec = exec,
                                           .events = &events,
                                           .budget = &budget,
                                           .seed = 5,
                                           .count_max = 1};
    assert_int_equal(fil_maps_new(&maps, &map_options), FIL_OK);
    assert_int_equal(fil_maps_get(maps, fil_bytes_of("stress"), &map), FIL_OK);
}

static void test_order_holds_under_threads(void **state)
{
    (void)state;
    static struct caller callers[CALLERS];
    struct fil_runner runner;
    struct fil_map_listener *listener = NULL;
    open_world();
    fil_runner_init(&runner, exec, "test");
    struct fil_map_listener_options options = {.name = "check",
                                               .kinds = FIL_MAP_ADDED | FIL_MAP_UPDATED,
                                               .has_values = true,
                                               .deliver = check_event};
    atomic_store_explicit(&open_count, 1, memory_order_relaxed);
    assert_int_equal(fil_map_listener_open(map, &options, &runner, note_done, &listener), FIL_OK);
    await_done();
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.number = i};
        fil_runner_init(&callers[i].runner, exec, "caller");
        assert_int_equal(fil_thread_start(&callers[i].thread, "caller", use_map, &callers[i]),
                         FIL_OK);
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        fil_thread_join(&callers[i].thread);
    }
    fil_exec_stop(exec);
    fil_events_stop(&events);
    assert_int_equal(atomic_load(&event_count), CALLERS * WRITES);
    assert_int_equal(atomic_load(&problem_count), 0);
    fil_maps_free(maps);
    fil_events_fini(&events);
    fil_exec_free(exec);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_holds_under_threads),
    };
    return cmocka_run_group_tests_name("listen_stress", tests, NULL, NULL);
}
