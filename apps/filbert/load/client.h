// SPDX-License-Identifier: Apache-2.0
/**
 * One connection of a generator: sends encoded requests, and knows for each request in flight when
 * it was due and what it expects.
 *
 * Memory: what a full socket does not take at once is copied and kept until it does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"
#include "replies.h"
#include "source.h"

/** A request without a reply. */
struct load_pending {
    uint64_t due_ns; // when it left, or should have left
    bool is_done;    // answered before one that left earlier
    struct load_expected expected;
};

struct load_client {
    int fd; // -1: none
    bool is_connected;
    struct load_replies replies;

    // The requests in flight: a ring in the generator's memory.
    struct load_pending *pending;
    uint32_t pending_mask;
    uint32_t first; // the number of the oldest
    uint32_t span;  // from the oldest to the youngest, also what is answered between them
    uint32_t in_flight;

    // What is still to be sent.
    uint8_t *rest;
    size_t rest_capacity;
    size_t rest_begin;
    size_t rest_end;
};

/** Begins to connect; the poller tells FIL_POLL_WRITE with the client when it is done. */
int load_client_open(struct load_client *client, struct fil_env *env, struct fil_poller *poller,
                     const struct fil_address *address) FIL_NODISCARD;

void load_client_close(struct load_client *client, struct fil_env *env, struct fil_poller *poller);

static inline bool load_client_has_rest(const struct load_client *client)
{
    return client->rest_begin < client->rest_end;
}

/**
 * Sends, and keeps what does not go now; nothing may be kept from before. FIL_E_CLOSED,
 * FIL_E_NOMEM.
 */
int load_client_send(struct load_client *client, struct fil_env *env, struct fil_poller *poller,
                     struct fil_bytes bytes) FIL_NODISCARD;

/** The socket takes more: goes on with what was kept. FIL_E_CLOSED. */
int load_client_resume(struct load_client *client, struct fil_env *env, struct fil_poller *poller)
    FIL_NODISCARD;

static inline void load_client_push(struct load_client *client, struct load_pending pending)
{
    client->pending[(client->first + client->span) & client->pending_mask] = pending;
    client->span++;
    client->in_flight++;
}

/** The oldest request in flight; there must be one. */
static inline struct load_pending load_client_take(struct load_client *client)
{
    struct load_pending pending = client->pending[client->first & client->pending_mask];
    client->first++;
    client->span--;
    client->in_flight--;
    return pending;
}

/** The request of this number. False: it is not in flight. */
FIL_NODISCARD static inline bool load_client_take_number(struct load_client *client,
                                                         uint64_t number,
                                                         struct load_pending *out_pending)
{
    struct load_pending *pending = &client->pending[number & client->pending_mask];
    if ((uint32_t)number - client->first >= client->span || pending->is_done) {
        return false;
    }
    *out_pending = *pending;
    pending->is_done = true;
    client->in_flight--;
    while (client->span > 0 && client->pending[client->first & client->pending_mask].is_done) {
        client->first++;
        client->span--;
    }
    return true;
}
