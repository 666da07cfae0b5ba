// SPDX-License-Identifier: Apache-2.0
/** A member's structures without the member: partitions, maps, a directory, a connector. */
#pragma once

#include "core/exec/event.h"
#include "filbert/error.h"
#include "flow/connector.h"
#include "grid/list/list.h"
#include "grid/map/map.h"
#include "grid/queue/queue.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "grid/topic/topic.h"
#include "lib/os/env.h"
#include "tests/unit/harness.h"

#define WORLD_PARTITIONS 7U
#define WORLD_JOURNAL    70000U

struct world {
    struct fil_budget budget;
    struct fil_exec *exec;
    struct fil_maps *maps;
    struct fil_directory *directory;
    struct fil_flow_grid grid;
    struct fil_connector connector;
    bool has_threads;
};

static const struct fil_queue_config world_small_queue = {.size_max = 10, .empty_ttl_ms = -1};

static inline const void *world_config(void *context, const struct fil_container_type *type,
                                       struct fil_bytes name)
{
    (void)context;
    bool is_small = type == &fil_queue_type && fil_bytes_equal(name, fil_bytes_of("small"));
    return is_small ? &world_small_queue : NULL;
}

/** Without threads, operations run in place. */
static inline void world_open(struct world *world, bool has_threads)
{
    static const struct fil_container_type *const types[] = {&fil_queue_type, &fil_list_type,
                                                             &fil_topic_type, &fil_ringbuffer_type};
    *world = (struct world){.has_threads = has_threads};
    fil_budget_init(&world->budget, UINT64_C(1) << 30);
    const struct fil_exec_options options = {.env = fil_env_real(),
                                             .budget = &world->budget,
                                             .partition_count = WORLD_PARTITIONS,
                                             .thread_count = 2,
                                             .idle = FIL_IDLE_KIND_BLOCK,
                                             .has_caller_runs = true,
                                             .has_stealing = true,
                                             .has_batching = true,
                                             .has_wake_suppression = true};
    assert_int_equal(fil_exec_new(&world->exec, &options), FIL_OK);
    if (has_threads) {
        assert_int_equal(fil_exec_start(world->exec), FIL_OK);
    }
    const struct fil_maps_options maps = {.env = fil_env_real(),
                                          .exec = world->exec,
                                          .budget = &world->budget,
                                          .seed = 5,
                                          .count_max = 20,
                                          .defaults = {.journal_capacity = WORLD_JOURNAL}};
    assert_int_equal(fil_maps_new(&world->maps, &maps), FIL_OK);
    const struct fil_directory_options directory = {.env = fil_env_real(),
                                                    .exec = world->exec,
                                                    .budget = &world->budget,
                                                    .seed = 5,
                                                    .count_max = 20,
                                                    .types = types,
                                                    .type_count = FIL_COUNT_OF(types),
                                                    .config = world_config};
    assert_int_equal(fil_directory_new(&world->directory, &directory), FIL_OK);
    world->grid = (struct fil_flow_grid){
        .exec = world->exec, .maps = world->maps, .directory = world->directory};
    fil_flow_connect(&world->connector, &world->grid);
}

static inline void world_close(struct world *world)
{
    if (world->has_threads) {
        fil_exec_stop(world->exec);
    }
    fil_directory_free(world->directory);
    fil_maps_free(world->maps);
    fil_exec_free(world->exec);
    assert_int_equal(fil_budget_drawn(&world->budget), 0);
}

static inline struct fil_map *world_map(struct world *world, const char *name)
{
    struct fil_map *map = NULL;
    assert_int_equal(fil_maps_get(world->maps, fil_bytes_of(name), &map), FIL_OK);
    return map;
}

static inline struct fil_container *
world_container(struct world *world, const struct fil_container_type *type, const char *name)
{
    struct fil_container *container = NULL;
    assert_int_equal(fil_directory_get(world->directory, type, fil_bytes_of(name), &container),
                     FIL_OK);
    return container;
}
