// SPDX-License-Identifier: Apache-2.0
/** One connection of the lab's generators: sends encoded requests and counts the replies. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"
#include "replies.h"

struct lab_client {
    int fd;
    uint32_t in_flight; // requests without a reply
    bool has_long;      // one of them is a long one
    uint64_t sent_ns;   // when they left, or should have left
    struct lab_replies replies;
};

/** Connects and waits for readiness to read in the poller. */
int lab_client_open(struct lab_client *client, struct fil_env *env, struct fil_poller *poller,
                    const struct fil_address *address) FIL_NODISCARD;

void lab_client_close(struct lab_client *client, struct fil_env *env, struct fil_poller *poller);

/** Sends all of it; a socket that is full is tried again. FIL_E_CLOSED. */
int lab_client_send(struct lab_client *client, struct fil_env *env, struct fil_bytes bytes)
    FIL_NODISCARD;

/**
 * Receives once with the caller's buffer. Returns how many replies came, or FIL_E_CLOSED, or
 * FIL_E_MALFORMED when one of them was an error or nobody had asked for it.
 */
int lab_client_receive(struct lab_client *client, struct fil_env *env, void *buffer, size_t size)
    FIL_NODISCARD;
