// SPDX-License-Identifier: Apache-2.0
/**
 * Topics over HTTP, and what happens in the grid as server-sent events.
 *
 *     POST /v1/topics/{name}                         200, with how many listen as JSON
 *     GET  /v1/events/topics/{name}                  messages, as they are published
 *     GET  /v1/events/maps/{name}[?values=false]     changes of entries, as they are made
 *
 * The same topics and maps that Hazelcast clients see. docs/openapi.yaml describes it.
 */
#pragma once

#include "core/container/directory.h"
#include "core/service/service.h"
#include "grid/map/maps.h"
#include "lib/base/attr.h"

/** What the routes work on; outlives the service. */
struct fil_rest_grid {
    struct fil_directory *directory;
    struct fil_maps *maps;
};

/** Adds the routes. */
int fil_rest_topics_add(struct fil_service *service, struct fil_rest_grid *grid) FIL_NODISCARD;
