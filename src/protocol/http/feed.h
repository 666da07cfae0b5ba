// SPDX-License-Identifier: Apache-2.0
/**
 * A feed: what happens to a topic or a map, as an answer that goes on until its reader is gone.
 *
 *     opening --listens--> open --reader gone, member stops--> closing --> the answer's end
 *        |                                                        ^
 *        +--------------- reader gone meanwhile: -----------------+
 *
 * Each message has the number that the event stage gave it: a gap is what a slow reader has missed,
 * because as much waited for it as may. Nobody else waits for it.
 *
 * Memory:  the feed lives in its request's memory.
 * Threads: opened on the request's loop; events come on event threads; closed on the loop.
 */
#pragma once

#include "filbert/service.h"

struct fil_container;
struct fil_map;

/** One of the two. */
struct fil_feed_source {
    struct fil_container *topic;
    struct fil_map *map;
    bool has_values; // of the map's entries
};

/** Begins the answer; the handler returns what this returns. */
struct fil_reply fil_feed_open(struct fil_request *request, const struct fil_feed_source *source);
