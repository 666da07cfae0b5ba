// SPDX-License-Identifier: Apache-2.0
/** A map on a kernel whose threads are not started, with a clock that the test moves. */
#pragma once

#include "grid/map/map.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/exec/kernel_fixture.h"

#define PARTITIONS 4U

static struct fil_budget map_budget;
static struct fil_map *map;

static inline struct fil_bytes text(const char *words)
{
    return fil_bytes_of(words);
}

static inline uint64_t now_ms(void)
{
    return fil_map_now_ms(map, kernel.clock.now_ns);
}

static inline void open_map_in(const struct fil_map_config *config, struct fil_events *events)
{
    kernel_init(&(struct fil_exec_options){
        .partition_count = PARTITIONS, .thread_count = 1, .has_caller_runs = true});
    fil_budget_init(&map_budget, UINT64_C(1) << 28);
    struct fil_map_setup setup = {.exec = kernel.exec,
                                  .events = events,
                                  .budget = &map_budget,
                                  .partition_count = PARTITIONS,
                                  .seed = 42,
                                  .wall_offset_ns = UINT64_C(1700000000000000000),
                                  .name = text("sample"),
                                  .config = *config};
    assert_int_equal(fil_map_new(&map, &setup), FIL_OK);
}

static inline void open_map_with(const struct fil_map_config *config)
{
    open_map_in(config, NULL);
}

static inline void close_map(void)
{
    fil_alloc_fail_after(-1);
    fil_map_free(map);
    map = NULL;
    kernel_fini();
    assert_int_equal(fil_budget_drawn(&map_budget), 0);
}

static inline struct fil_map_key place(const char *key)
{
    return fil_map_place(map, text(key));
}

/** Goes into the key's partition; the runner's clock is the test's. */
static inline struct fil_partition *go_in(const struct fil_map_key *key)
{
    struct fil_partition *partition = kernel_partition(key->partition_id);
    kernel.runner.now_ns = kernel.clock.now_ns;
    assert_true(fil_partition_enter(partition, &kernel.runner));
    return partition;
}

static inline int put_with(const char *key, const char *value, struct fil_store_write how)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    how.now_ms = now_ms();
    int error = fil_map_put_here(map, &where, text(value), &how, NULL);
    fil_partition_leave(partition);
    return error;
}

static inline void put(const char *key, const char *value)
{
    assert_int_equal(put_with(key, value, (struct fil_store_write){0}), FIL_OK);
}

static inline void put_for(const char *key, const char *value, uint64_t ttl_ms)
{
    struct fil_store_write how = {.expires_ms = now_ms() + ttl_ms};
    assert_int_equal(put_with(key, value, how), FIL_OK);
}

static inline bool remove_key(const char *key)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    bool was_there = fil_map_remove_here(map, &where, now_ms(), NULL);
    fil_partition_leave(partition);
    return was_there;
}

static inline void assert_value(const char *key, const char *value)
{
    struct fil_map_key where = place(key);
    struct fil_bytes found = {0};
    bool is_found = fil_map_peek_here(map, &where, now_ms(), &found);
    assert_int_equal(is_found, value != NULL);
    if (value != NULL) {
        assert_true(fil_bytes_equal_text(found, value));
    }
}

static inline void pass_ms(uint64_t ms)
{
    kernel.clock.now_ns += ms * 1000000U;
}

/** Cycles the one partition thread until it has nothing to do. */
static inline uint32_t settle(void) FIL_BEFORE_SHARING
{
    uint32_t sum = 0;
    for (uint32_t moved = kernel_cycle(0); moved > 0; moved = kernel_cycle(0)) {
        sum += moved;
    }
    return sum;
}
