// SPDX-License-Identifier: Apache-2.0
/**
 * A server that does nothing: for each request of a known size it sends the same reply.
 *
 * What the generator uses against it is what the generator costs, for no real server can be
 * cheaper. It has one thread and takes requests of one kind only.
 */
#pragma once

#include "lib/base/attr.h"
#include "lib/os/env.h"
#include "requests.h"

struct load_null_server;

/** Starts it on a free port of 127.0.0.1. FIL_E_UNSUPPORTED: mixed requests. */
int load_null_server_start(struct load_null_server **out_server, struct fil_env *env,
                           const struct load_requests_options *options) FIL_NODISCARD;

struct fil_address load_null_server_address(const struct load_null_server *server);

/** Ends its thread; tells how much CPU that has used. */
uint64_t load_null_server_stop(struct load_null_server *server);
