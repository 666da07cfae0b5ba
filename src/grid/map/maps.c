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

    struct fil_names names; // shared
    struct fil_mutex mutex; // of those who make maps
};

static void name_of(const void *thing, struct fil_bytes *out_name)
{
    *out_name = fil_map_name(thing);
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
    if (fil_names_init(&maps->names, options->count_max, options->seed, name_of) != FIL_OK ||
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
    return fil_names_find(&maps->names, name);
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
                                         .id = fil_maps_count(maps),
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

/** Makes the map, unless another has been quicker. */
static int add_map(struct fil_maps *maps, struct fil_bytes name, struct fil_map **out_map)
    FIL_TSA(requires_capability(maps->mutex))
{
    struct fil_map *map = fil_names_find(&maps->names, name);
    if (map == NULL) {
        int error = fil_maps_count(maps) == maps->options.count_max ? FIL_E_COUNT_MAX
                                                                    : make_map(maps, name, &map);
        if (error != FIL_OK) {
            return error;
        }
        error = fil_names_add(&maps->names, map);
        fil_assert(error == FIL_OK); // there was room
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
    return fil_names_count(&maps->names);
}

struct fil_map *fil_maps_next(struct fil_maps *maps, uint32_t *position)
{
    return fil_names_next(&maps->names, position);
}
