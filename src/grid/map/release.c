// SPDX-License-Identifier: Apache-2.0
#include "grid/map/release.h"

#include "lib/base/assert.h"

static void go_on(struct fil_map_release *release, struct fil_runner *runner);

static void finish_map(struct fil_map_walk *walk, struct fil_runner *runner)
{
    go_on(FIL_CONTAINER_OF(walk, struct fil_map_release, walk), runner);
}

/** Starts with the next map that has locks. Walks end on partition threads, so nothing nests. */
static void go_on(struct fil_map_release *release, struct fil_runner *runner)
{
    for (;;) {
        struct fil_map *map = fil_maps_next(release->maps, &release->position);
        struct fil_map_stats stats;
        if (map == NULL) {
            release->released(release, runner);
            return;
        }
        fil_map_read_stats(map, &stats);
        if (stats.locks > 0) {
            fil_map_walk_unlock_all(&release->walk, map, release->member);
            fil_map_walk_start(&release->walk, finish_map, NULL, runner);
            return;
        }
    }
}

void fil_map_release_start(struct fil_map_release *release, struct fil_maps *maps, uint64_t member,
                           fil_map_released_fn released, struct fil_runner *runner)
{
    fil_assert(released != NULL);
    release->maps = maps;
    release->member = member;
    release->position = 0;
    release->released = released;
    go_on(release, runner);
}
