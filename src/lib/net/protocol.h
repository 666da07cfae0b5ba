// SPDX-License-Identifier: Apache-2.0
/**
 * What a protocol brings to a connection: how its first bytes look, and what to do with bytes.
 *
 * All functions but collect run on the I/O loop that owns the connection. Bytes are borrowed for
 * the call.
 */
#pragma once

#include <stddef.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

struct fil_connection;
struct fil_protocol;

enum fil_match {
    FIL_MATCH_NO,
    FIL_MATCH_MAYBE, // could still become one with more bytes
    FIL_MATCH_YES,
};

/** What of a request that has begun, and of which the protocol keeps no input, is to come. */
enum fil_rest {
    FIL_REST_NONE,
    FIL_REST_HELD, // it may come when we have made way for it: the peer cannot be blamed
    FIL_REST_AWAITED,
};

/** What stands behind the empty lines that some clients send first; it may be nothing yet. */
static inline struct fil_bytes fil_protocol_skip_empty_lines(struct fil_bytes first)
{
    size_t skipped = 0;
    while (skipped < first.size && (first.data[skipped] == '\r' || first.data[skipped] == '\n')) {
        skipped++;
    }
    return fil_bytes_make(first.data + skipped, first.size - skipped);
}

struct fil_protocol_ops {
    const char *name;

    /** Zeroed memory that each loop has for the protocol; 0: it needs none. */
    size_t workspace_bytes;

    /** Whether a connection's first bytes (at least one) are of this protocol. */
    enum fil_match (*match)(struct fil_bytes first);

    /** Makes the session, kept in connection->session. */
    int (*open)(struct fil_connection *connection, const struct fil_protocol *protocol);

    /**
     * Handles the complete requests at the front of bytes; out_consumed tells how far it came, the
     * rest comes again with more behind it. Stops early when the connection is congested. An
     * error ends the connection after its output, to which the protocol has added the reason.
     */
    int (*receive)(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed);

    /**
     * Adds to the output why the connection ends: there is no memory for what it sends. May be
     * NULL.
     */
    void (*refuse)(struct fil_connection *connection);

    /**
     * Moves replies that other threads have finished to the output. May be NULL. Runs on the
     * thread that holds the connection's writer flag, whichever that is. Returns true to be called
     * again after the output was sent.
     */
    bool (*collect)(struct fil_connection *connection);

    /**
     * How many requests still wait for their replies. The connection ends after them, and beyond
     * FIL_CONNECTION_PENDING_MAX takes no further ones. The writer flag is held. NULL: none do.
     */
    uint32_t (*pending)(struct fil_connection *connection);

    /**
     * Whether the rest of a request is waited for although receive has consumed all there was, as
     * of a body. The writer flag is held. NULL: what is incomplete is never consumed.
     */
    enum fil_rest (*rest)(const struct fil_connection *connection);

    /** The peer is gone: requests that wait for something should not. May be NULL. */
    void (*abandon)(struct fil_connection *connection);

    /**
     * The peer sends no more, but may still read, or the member stops and requests wait behind
     * others, maybe several times: what should not go on without more of it ends now. NULL:
     * everything goes on.
     */
    void (*end)(struct fil_connection *connection);

    /** The member stops: what would go on for ever ends now. The writer flag is held. May be NULL.
     */
    void (*stop)(struct fil_connection *connection);

    /** Whether the peer has not yet said who it is: then the handshake's time goes on. May be NULL.
     */
    bool (*is_stranger)(const struct fil_connection *connection);

    /** When the connection is to be cut, whatever else; UINT64_MAX: not at all. May be NULL. */
    uint64_t (*deadline)(const struct fil_connection *connection);

    /**
     * That time has come: true when the connection may live on, because the deadline is another
     * one now. The writer flag is held. NULL: it is cut.
     */
    bool (*expire)(struct fil_connection *connection);

    /** A peer that has ended its sending is gone, and does not wait for what is left to send. */
    bool is_gone_at_end;

    /**
     * The answers of the last requests need more of the peer's input: when the member stops, the
     * protocol hears so, maybe several times, and finishes the connection itself when it is done.
     */
    bool ends_itself;

    /** Frees the session; the connection is closed and nobody holds it any more. */
    void (*close)(struct fil_connection *connection);
};

/** A protocol with what it works on; the list of them belongs to the composition root. */
struct fil_protocol {
    const struct fil_protocol_ops *ops;
    void *context;
};
