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

#include "core/service/service.h"
#include "lib/base/attr.h"
#include "protocol/http/rest.h"

/** Adds the routes, bound to no structure in particular. */
int fil_rest_topics_add(struct fil_service *service, struct fil_rest_binding *binding)
    FIL_NODISCARD;
