// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 in front of a service: decodes requests, hands them to the service's routes, writes the
 * answers in the order of the requests.
 *
 * Journey: io (decode, find the route, read the body, dispatch) -> there, or a pool (handler) ->
 * whoever holds the connection's writer flag (encode, send).
 *
 * Up to FIL_HTTP_IN_FLIGHT_MAX requests of a connection are under way at a time; what is behind
 * them waits in the socket.
 */
#pragma once

#include "core/service/service.h"
#include "lib/http/message.h"
#include "lib/mem/budget.h"
#include "lib/net/protocol.h"
#include "lib/os/env.h"
#include "protocol/http/guard.h"

#define FIL_HTTP_IN_FLIGHT_MAX 16U

/** A protocol's context is its struct fil_http_server. Read-only while loops run. */
struct fil_http_server {
    struct fil_env *env;
    struct fil_service *service;
    struct fil_budget *budget;            // of bodies that are received
    struct fil_budget *last;              // of pages when that is out; NULL: none
    const struct fil_http_limits *limits; // NULL: the codec's defaults
    struct fil_http_guard *guard;         // NULL: pages of all sites may ask
    bool has_pages_only;                  // routes of users do not exist here
};

extern const struct fil_protocol_ops fil_http_protocol;
