// SPDX-License-Identifier: Apache-2.0
/**
 * The member's pages on a port of their own, served by a loop on which no handler of a user's ever
 * runs: they answer while every other loop is held.
 *
 * Threads: two of its own, the loop's and the acceptor's; the calls by the member's owner.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/net/acceptor.h"
#include "lib/net/loop.h"
#include "lib/os/thread.h"
#include "node/io_stage.h"
#include "protocol/http/server.h"

struct fil_admin_options {
    struct fil_address address;
    struct fil_service *service;
    struct fil_http_guard *guard;
    struct fil_io_stage_options stage; // its loop's protocols are the admin's own
};

struct fil_admin {
    // Set by new, then read-only.
    struct fil_http_server http;
    struct fil_protocol protocol;
    struct fil_loop loop;
    struct fil_io_stage stage;
    struct fil_acceptor acceptor;

    // Shared.
    _Atomic bool is_stopping;

    // The owner's own.
    struct fil_thread thread; // the acceptor's
};

/** Listens. FIL_E_NOMEM, FIL_E_ADDRESS_USED and its kin. */
int fil_admin_new(struct fil_admin **out_admin, const struct fil_admin_options *options)
    FIL_NODISCARD;

/** Its threads have ended; NULL is fine. */
void fil_admin_free(struct fil_admin *admin);

int fil_admin_start(struct fil_admin *admin) FIL_NODISCARD;

/** Ends its connections; those that do not end by themselves are cut. */
void fil_admin_stop(struct fil_admin *admin);
