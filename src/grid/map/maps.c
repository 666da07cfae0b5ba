// SPDX-License-Identifier: Apache-2.0
#include "grid/map/maps.h"

#include <stdatomic.h>
#include <string.h>

#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"

struct fil_maps {
    // Set by new, then read-only.
    struct fil_maps_options options;
    struct fil_map_rule *rules;
    uint64_t wall_offset_ns;
    uint32_t slot_count; // a power of two, at least twice count_max

    // Shared: a map is put in once and stays.
    _Atomic(struct fil_map *) *slots;
    _Atomic uint32_t count;

    struct fil_mutex mutex; // of those who make maps
};

static uint32_t slots_for(uint32_t count_max)
{
    uint32_t count = 2;
    while (count < count_max * 2) {
        count *= 2;
    }
    return count;
}

static uint64_t find_wall_offset(struct fil_env *env)
{
    if (env == NULL) {
        return 0;
    }
    uint64_t wall_ns = fil_env_wall_ns(env);
    uint64_t now_ns = fil_env_now_ns(env);
    // A clock that stands before the machine was started says nothing: then there is none.
    return wall_ns > now_ns ? wall_ns - now_ns : 0;
}

static int copy_rules(struct fil_maps *maps, const struct fil_maps_options *options)
{
    if (options->rule_count == 0) {
        return FIL_OK;
    }
    maps->rules = fil_alloc_zero(options->rule_count, sizeof(maps->rules[0]));
    if (maps->rules == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(maps->rules, options->rules, options->rule_count * sizeof(maps->rules[0]));
    return FIL_OK;
}

int fil_maps_new(struct fil_maps **out_maps, const struct fil_maps_options *options)
{
    if (options->count_max == 0 || options->count_max > FIL_MAPS_MAX ||
        options->rule_count > FIL_MAP_RULES_MAX) {
        return FIL_E_INVALID;
    }
    struct fil_maps *maps = fil_alloc_zero(1, sizeof(*maps));
    if (maps == NULL) {
        return FIL_E_NOMEM;
    }
    maps->options = *options;
    if (options->exec != NULL) {
        maps->options.partition_count = fil_exec_partition_count(options->exec);
    }
    maps->wall_offset_ns = find_wall_offset(options->env);
    maps->slot_count = slots_for(options->count_max);
    fil_mutex_init(&maps->mutex);
    maps->slots = fil_alloc_zero(maps->slot_count, sizeof(maps->slots[0]));
    if (maps->slots == NULL || copy_rules(maps, options) != FIL_OK) {
        fil_maps_free(maps);
        return FIL_E_NOMEM;
    }
    *out_maps = maps;
    return FIL_OK;
}

void fil_maps_free(struct fil_maps *maps)
{
    if (maps == NULL) {
        return;
    }
    for (uint32_t i = 0; maps->slots != NULL && i < maps->slot_count; i++) {
        // Relaxed: nobody else is here any more.
        fil_map_free(atomic_load_explicit(&maps->slots[i], memory_order_relaxed));
    }
    fil_free(maps->slots);
    fil_free(maps->rules);
    fil_mutex_fini(&maps->mutex);
    fil_free(maps);
}

/** The map, or NULL and the slot where it would be. */
static struct fil_map *look_up(struct fil_maps *maps, struct fil_bytes name, uint32_t *out_slot)
{
    uint32_t mask = maps->slot_count - 1;
    uint32_t slot = (uint32_t)fil_hash(name, maps->options.seed) & mask;
    // Bounded: at least half of the slots are empty.
    for (;; slot = (slot + 1) & mask) {
        // A1 pairs with R1: the map is complete.
        struct fil_map *map = atomic_load_explicit(&maps->slots[slot], memory_order_acquire);
        if (map == NULL || fil_bytes_equal(fil_map_name(map), name)) {
            *out_slot = slot;
            return map;
        }
    }
}

struct fil_map *fil_maps_find(struct fil_maps *maps, struct fil_bytes name)
{
    uint32_t slot = 0;
    return look_up(maps, name, &slot);
}

static int make_map(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
{
    const struct fil_maps_options *options = &maps->options;
    const struct fil_map_rule *rule = fil_map_rule_find(maps->rules, options->rule_count, name);
    return fil_map_new(out_map, &(struct fil_map_setup){
                                    .exec = options->exec,
                                    .events = options->events,
                                    .budget = options->budget,
                                    .partition_count = options->partition_count,
                                    .seed = options->seed,
                                    .wall_offset_ns = maps->wall_offset_ns,
                                    .name = name,
                                    .id = fil_maps_count(maps),
                                    .config = rule == NULL ? options->defaults : rule->config,
                                });
}

/** Makes the map, unless another has been quicker. */
static int add_map(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
    FIL_TSA(requires_capability(maps->mutex))
{
    uint32_t slot = 0;
    struct fil_map *map = look_up(maps, name, &slot);
    if (map == NULL) {
        // Relaxed: written under the mutex only.
        uint32_t count = atomic_load_explicit(&maps->count, memory_order_relaxed);
        int error = count == maps->options.count_max ? FIL_E_LIMIT : make_map(maps, name, &map);
        if (error != FIL_OK) {
            return error;
        }
        // R1 pairs with A1.
        atomic_store_explicit(&maps->slots[slot], map, memory_order_release);
        atomic_store_explicit(&maps->count, count + 1, memory_order_relaxed);
        if (maps->options.made != NULL) {
            maps->options.made(maps->options.context, map);
        }
    }
    *out_map = map;
    return FIL_OK;
}

int fil_maps_get(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
{
    *out_map = fil_maps_find(maps, name);
    if (FIL_LIKELY(*out_map != NULL)) {
        return FIL_OK;
    }
    fil_mutex_lock(&maps->mutex);
    int error = add_map(maps, name, out_map);
    fil_mutex_unlock(&maps->mutex);
    return error;
}

uint32_t fil_maps_count(const struct fil_maps *maps)
{
    // Relaxed: the reader wants a recent figure.
    return atomic_load_explicit(&maps->count, memory_order_relaxed);
}

struct fil_map *fil_maps_next(struct fil_maps *maps, uint32_t *position)
{
    while (*position < maps->slot_count) {
        uint32_t slot = (*position)++;
        // A1 pairs with R1, as above.
        struct fil_map *map = atomic_load_explicit(&maps->slots[slot], memory_order_acquire);
        if (map != NULL) {
            return map;
        }
    }
    return NULL;
}
