// SPDX-License-Identifier: Apache-2.0
/**
 * Queues over HTTP: the same items that Hazelcast clients see.
 *
 *     POST   /v1/queues/{name}[?wait_ms=]         201; 503 when the queue is full
 *     DELETE /v1/queues/{name}/first[?wait_ms=]   200 with the item, which is taken; 204
 *     GET    /v1/queues/{name}/first              200 with the item, which stays; 204, 404
 *     GET    /v1/queues/{name}                    200 with figures as JSON, 404
 *
 * Who waits for an item or for room does so in the queue's line, among the clients of other
 * protocols, and holds no thread; one whose connection ends gives its place up, and nothing is
 * lost with it.
 */
#pragma once

#include "core/service/service.h"
#include "lib/base/attr.h"
#include "protocol/http/rest.h"

/** Adds the routes, bound to no queue in particular. */
int fil_rest_queues_add(struct fil_service *service, struct fil_rest_binding *binding)
    FIL_NODISCARD;
