// SPDX-License-Identifier: Apache-2.0
/**
 * A directory on a kernel whose threads are not started, with a clock that the test moves, and
 * errands: operations that do a piece of work inside a container's partition and may wait there.
 */
#pragma once

#include "core/container/directory.h"
#include "core/container/waiting.h"
#include "core/exec/event.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/exec/kernel_fixture.h"

#define PARTITIONS 4U
#define NS_PER_MS  1000000U

static struct fil_budget world_budget;
static struct fil_events world_events;
static struct fil_directory *directory;
static const void *world_config;
static const struct fil_container_type *world_types[1];

static inline struct fil_bytes text(const char *words)
{
    return fil_bytes_of(words);
}

static inline const void *config_of(void *context, const struct fil_container_type *type,
                                    struct fil_bytes name)
{
    (void)context;
    (void)type;
    (void)name;
    return world_config;
}

static inline void open_world(const struct fil_container_type *type,
                              const void *config) FIL_BEFORE_SHARING
{
    kernel_init(&(struct fil_exec_options){
        .partition_count = PARTITIONS, .thread_count = 1, .has_caller_runs = true});
    fil_budget_init(&world_budget, UINT64_C(1) << 28);
    assert_int_equal(
        fil_events_init(&world_events, &(struct fil_events_options){.env = &kernel.clock.env,
                                                                    .thread_count = 1,
                                                                    .capacity = 256}),
        FIL_OK);
    world_config = config;
    world_types[0] = type;
    struct fil_directory_options options = {.exec = kernel.exec,
                                            .events = &world_events,
                                            .budget = &world_budget,
                                            .seed = 42,
                                            .count_max = 4,
                                            .types = world_types,
                                            .type_count = 1,
                                            .config = config_of};
    assert_int_equal(fil_directory_new(&directory, &options), FIL_OK);
}

/** Cycles the one partition thread until it has nothing to do. */
static inline void settle(void) FIL_BEFORE_SHARING
{
    while (kernel_cycle(0) > 0) {
    }
}

/** Delivers the events that wait. */
static inline void deliver_events(void) FIL_BEFORE_SHARING
{
    fil_role_enter(&fil_role_event);
    while (fil_events_cycle(&world_events, 0) > 0) {
    }
}

static inline void close_world(void) FIL_BEFORE_SHARING
{
    fil_alloc_fail_after(-1);
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        fil_partition_close(kernel_partition(i), &kernel.runner);
    }
    fil_directory_free(directory);
    directory = NULL;
    deliver_events();
    fil_events_fini(&world_events);
    kernel_fini();
    assert_int_equal(fil_budget_drawn(&world_budget), 0);
}

static inline uint64_t now_ms(void)
{
    return kernel.clock.now_ns / NS_PER_MS;
}

static inline void pass_ms(uint64_t ms)
{
    kernel.clock.now_ns += ms * NS_PER_MS;
}

static inline struct fil_container *get_container(const struct fil_container_type *type,
                                                  const char *name)
{
    struct fil_container *container = NULL;
    assert_int_equal(fil_directory_get(directory, type, text(name), &container), FIL_OK);
    return container;
}

/** Goes into the container's partition; the runner's clock is the test's. */
static inline struct fil_partition *go_in(const struct fil_container *container)
{
    struct fil_partition *partition = kernel_partition(container->partition_id);
    kernel.runner.now_ns = kernel.clock.now_ns;
    assert_true(fil_partition_enter(partition, &kernel.runner));
    return partition;
}

static struct fil_partition *world_inside;

/** A world with one container, inside of which the test stays until leave_world. */
static inline struct fil_container *open_inside(const struct fil_container_type *type,
                                                const void *config) FIL_BEFORE_SHARING
{
    open_world(type, config);
    struct fil_container *container = get_container(type, "words");
    world_inside = go_in(container);
    return container;
}

/** Tears down what open_inside has made. */
static inline int leave_world(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    fil_partition_leave(world_inside);
    close_world();
    return 0;
}

struct errand {
    struct fil_op op;
    struct fil_waiter waiter;
    int (*work)(struct errand *errand); // FIL_E_AGAIN: it waits
    void *target;
    uint64_t number; // what it brings, or what it got
    bool is_done;
    int error;
    uint64_t done_order;
};

static uint64_t errands_done;

static inline enum fil_op_outcome run_errand(struct fil_op *op, struct fil_partition *partition)
{
    struct errand *errand = FIL_CONTAINER_OF(op, struct errand, op);
    op->error = fil_waiter_begin_here(&errand->waiter, op);
    if (op->error == FIL_OK) {
        op->error = errand->work(errand);
    }
    if (op->error == FIL_E_AGAIN) {
        return fil_waiter_park_here(&errand->waiter, partition);
    }
    return FIL_OP_DONE;
}

static inline void complete_errand(struct fil_op *op, struct fil_runner *runner)
{
    struct errand *errand = FIL_CONTAINER_OF(op, struct errand, op);
    (void)runner;
    fil_waiter_end_here(&errand->waiter);
    fil_assert(!errand->is_done);
    errand->is_done = true;
    errand->error = op->error;
    errand->done_order = errands_done;
    errands_done++;
}

static const struct fil_op_type errand_type = {
    .name = "errand", .run = run_errand, .complete = complete_errand};

/** Puts the errand into the partition's mailbox; 0 ms: it has no deadline. */
static inline void send_errand(struct errand *errand, const struct fil_container *container,
                               uint64_t timeout_ms)
{
    fil_op_init(&errand->op, &errand_type, container->partition_id);
    errand->waiter = (struct fil_waiter){0};
    errand->is_done = false;
    kernel.runner.now_ns = kernel.clock.now_ns;
    if (timeout_ms > 0) {
        errand->op.deadline_ns = kernel.clock.now_ns + timeout_ms * NS_PER_MS;
    }
    struct fil_partition *partition = kernel_partition(container->partition_id);
    fil_partition_deliver(partition, &errand->op, &errand->op, &kernel.runner);
}

static inline void abandon_errand(struct errand *errand)
{
    fil_exec_abandon(kernel.exec, &errand->op, &kernel.runner);
}
