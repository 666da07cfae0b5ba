// SPDX-License-Identifier: Apache-2.0
#include "grid/map/maps.h"

#include <string.h>

#include "core/container/names.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"

struct fil_maps {
    // Set by new, then read-only.
    struct fil_maps_options options;
    struct fil_map_rule *rules;
    uint64_t wall_offset_ns;

    struct fil_names names;           // shared; those that are destroyed included
    struct fil_mutex mutex;           // of those who make and destroy maps
    _Atomic uint32_t destroyed_count; // written under the mutex
};

static void name_of(const void *thing, struct fil_bytes *out_name)
{
    *out_name = fil_map_name(thing);
}

/** Maps of all kinds together: those that there may be, and places of destroyed ones. */
static uint32_t place_count(uint32_t count_max)
{
    uint32_t count = count_max * FIL_MAPS_PLACES_PART;
    return count < FIL_MAPS_MAX ? count : FIL_MAPS_MAX;
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
    maps->wall_offset_ns = options->env == NULL ? 0 : fil_env_wall_offset_ns(options->env);
    fil_mutex_init(&maps->mutex);
    if (fil_names_init(&maps->names, place_count(options->count_max), options->seed, name_of) !=
            FIL_OK ||
        copy_rules(maps, options) != FIL_OK) {
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
    uint32_t position = 0;
    for (struct fil_map *map = fil_maps_next(maps, &position); map != NULL;
         map = fil_maps_next(maps, &position)) {
        fil_map_free(map);
    }
    fil_names_fini(&maps->names);
    fil_free(maps->rules);
    fil_mutex_fini(&maps->mutex);
    fil_free(maps);
}

struct fil_map *fil_maps_find(struct fil_maps *maps, struct fil_bytes name)
{
    struct fil_map *map = fil_names_find(&maps->names, name);
    return FIL_LIKELY(map != NULL && !fil_map_is_destroyed(map)) ? map : NULL;
}

static int make_map(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
{
    const struct fil_maps_options *options = &maps->options;
    const struct fil_map_rule *rule = fil_map_rule_find(maps->rules, options->rule_count, name);
    int error = fil_map_new(out_map, &(struct fil_map_setup){
                                         .exec = options->exec,
                                         .events = options->events,
                                         .budget = options->budget,
                                         .partition_count = options->partition_count,
                                         .seed = options->seed,
                                         .wall_offset_ns = maps->wall_offset_ns,
                                         .name = name,
                                         .id = fil_names_count(&maps->names),
                                         .config = rule == NULL ? options->defaults : rule->config,
                                     });
    if (error == FIL_OK && options->prepare != NULL) {
        error = options->prepare(options->context, *out_map);
        if (error != FIL_OK) {
            fil_map_free(*out_map);
        }
    }
    return error;
}

/** Whether the map counts; its flag and the number of those without it change together. */
static void set_destroyed(struct fil_maps *maps, struct fil_map *map, bool is_destroyed)
    FIL_TSA(requires_capability(maps->mutex))
{
    // Relaxed: one thread at a time writes them, and readers want recent figures.
    uint32_t count = atomic_load_explicit(&maps->destroyed_count, memory_order_relaxed);
    fil_assert(fil_map_is_destroyed(map) != is_destroyed);
    atomic_store_explicit(&map->is_destroyed, is_destroyed, memory_order_relaxed);
    atomic_store_explicit(&maps->destroyed_count, is_destroyed ? count + 1 : count - 1,
                          memory_order_relaxed);
    fil_maps_told_fn tell = is_destroyed ? maps->options.destroyed : maps->options.made;
    if (tell != NULL) {
        tell(maps->options.context, map);
    }
}

static int make_and_add(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
    FIL_TSA(requires_capability(maps->mutex))
{
    if (fil_names_count(&maps->names) == place_count(maps->options.count_max)) {
        return FIL_E_COUNT_MAX; // the places of destroyed ones are all taken
    }
    int error = make_map(maps, name, out_map);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_names_add(&maps->names, *out_map);
    fil_assert(error == FIL_OK); // there was room
    if (maps->options.made != NULL) {
        maps->options.made(maps->options.context, *out_map);
    }
    return FIL_OK;
}

/** Makes the map, or brings it back, unless another has been quicker. */
static int add_map(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
    FIL_TSA(requires_capability(maps->mutex))
{
    struct fil_map *map = fil_names_find(&maps->names, name);
    if (map != NULL && !fil_map_is_destroyed(map)) {
        *out_map = map;
        return FIL_OK;
    }
    if (fil_maps_count(maps) >= maps->options.count_max) {
        return FIL_E_COUNT_MAX;
    }
    if (map == NULL) {
        return make_and_add(maps, name, out_map);
    }
    set_destroyed(maps, map, false);
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

void fil_maps_destroy(struct fil_maps *maps, struct fil_map *map)
{
    fil_mutex_lock(&maps->mutex);
    // Relaxed: written under the mutex.
    if (!atomic_load_explicit(&map->is_kept, memory_order_relaxed) && !fil_map_is_destroyed(map)) {
        set_destroyed(maps, map, true);
    }
    fil_mutex_unlock(&maps->mutex);
}

void fil_maps_keep(struct fil_maps *maps, struct fil_map *map)
{
    fil_mutex_lock(&maps->mutex);
    atomic_store_explicit(&map->is_kept, true, memory_order_relaxed);
    if (fil_map_is_destroyed(map)) {
        set_destroyed(maps, map, false);
    }
    fil_mutex_unlock(&maps->mutex);
}

uint32_t fil_maps_count(const struct fil_maps *maps)
{
    // Relaxed: the reader wants a recent figure.
    return fil_names_count(&maps->names) -
           atomic_load_explicit(&maps->destroyed_count, memory_order_relaxed);
}

struct fil_map *fil_maps_next(struct fil_maps *maps, uint32_t *position)
{
    return fil_names_next(&maps->names, position);
}
