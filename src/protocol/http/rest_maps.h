// SPDX-License-Identifier: Apache-2.0
/**
 * Maps over HTTP: the same entries that Redis and Hazelcast clients see.
 *
 *     GET    /v1/maps/{name}/{key}             200 with the value, 404
 *     PUT    /v1/maps/{name}/{key}[?ttl_ms=]   201 when it is new, 204 when it was there
 *     DELETE /v1/maps/{name}/{key}             204, 404
 *     GET    /v1/maps/{name}                   200 with figures as JSON, 404
 *
 * An operation runs in the key's partition: on the loop that brought it when the partition is free,
 * else by whoever has it; a write to a locked key waits under the key, never a thread. For programs
 * docs/openapi.yaml describes it.
 */
#pragma once

#include "core/service/service.h"
#include "grid/map/maps.h"
#include "lib/base/attr.h"

/** Adds the routes; the maps must outlive the service. */
int fil_rest_maps_add(struct fil_service *service, struct fil_maps *maps) FIL_NODISCARD;
