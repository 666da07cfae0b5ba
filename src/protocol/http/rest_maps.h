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
#include "lib/base/attr.h"
#include "protocol/http/rest.h"

/** Adds the routes, bound to no map in particular. */
int fil_rest_maps_add(struct fil_service *service, struct fil_rest_binding *binding) FIL_NODISCARD;
