// SPDX-License-Identifier: Apache-2.0
/**
 * WebSockets: a route whose handler accepts one answers with messages in both directions until one
 * side closes.
 *
 *     static void on_message(struct fil_websocket *socket, void *context,
 *                            const struct fil_websocket_message *message)
 *     {
 *         fil_websocket_send(socket, message->kind, message->data, message->size);
 *     }
 *
 *     static struct fil_reply echo(struct fil_request *request) // of "GET /echo"
 *     {
 *         return fil_websocket_accept(
 *             request, &(struct fil_websocket_options){.on_message = on_message});
 *     }
 *
 * Callbacks run on the connection's I/O thread, one at a time, so they must not block; what takes
 * longer is handed to another thread. Sending is for any thread.
 *
 * Memory:  a socket lives until on_close has returned, or longer for whoever has taken a reference.
 */
#pragma once

#include "filbert/service.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_websocket;

enum fil_websocket_kind {
    FIL_WEBSOCKET_KIND_TEXT, // UTF-8, in both directions
    FIL_WEBSOCKET_KIND_BINARY,
};

/** Why a socket was closed, besides 3000 to 4999, which are the programs' own. */
enum fil_websocket_code {
    FIL_WEBSOCKET_NORMAL = 1000,
    FIL_WEBSOCKET_GOING_AWAY = 1001, // the page was left, or the member stops
    FIL_WEBSOCKET_PROTOCOL = 1002,
    FIL_WEBSOCKET_UNACCEPTABLE = 1003,
    FIL_WEBSOCKET_NONE_SENT = 1005, // heard, never sent
    FIL_WEBSOCKET_LOST = 1006,      // heard, never sent: the connection ended without a word
    FIL_WEBSOCKET_NO_TEXT = 1007,
    FIL_WEBSOCKET_POLICY = 1008,
    FIL_WEBSOCKET_TOO_LARGE = 1009,
    FIL_WEBSOCKET_INTERNAL = 1011,
};

struct fil_websocket_message {
    enum fil_websocket_kind kind;
    const void *data; // borrowed for the call; not terminated
    size_t size;
};

/** All zero means the defaults; callbacks may be NULL. */
struct fil_websocket_options {
    void *context;             // for the callbacks
    size_t message_bytes_max;  // of a message that is received; 0: 1 MiB
    uint32_t ping_interval_ms; // of silence, then a ping; as much again, then the end; 0: 30 s
    const char *subprotocol;   // spoken when the client offers it; static; NULL: none

    /** The first callback: messages may be sent from here on. */
    void (*on_open)(struct fil_websocket *socket, void *context);

    void (*on_message)(struct fil_websocket *socket, void *context,
                       const struct fil_websocket_message *message);

    /** The last callback of a socket that was opened. The reason is a text, perhaps empty. */
    void (*on_close)(struct fil_websocket *socket, void *context, int code, const char *reason);
};

/**
 * Takes over the request's connection; return what this returns. A request that does not ask for a
 * WebSocket gets 426, a handshake that is none 400. Headers that were added go along.
 */
struct fil_reply fil_websocket_accept(struct fil_request *request,
                                      const struct fil_websocket_options *options);

/** What has asked for the socket, for parameters and headers; on_open may look at it. */
struct fil_request *fil_websocket_request(struct fil_websocket *socket);

/**
 * Copies a message. FIL_E_AGAIN when so much waits for the reader that this one must wait too,
 * FIL_E_CLOSED, FIL_E_NOMEM, FIL_E_INVALID for a text that is not UTF-8; nothing is taken then.
 * While a reader has that much before it, nothing is received from it either.
 */
int fil_websocket_send(struct fil_websocket *socket, enum fil_websocket_kind kind, const void *data,
                       size_t size);

/**
 * Waits until a message is taken again: for threads of pools and of the program. FIL_E_TIMEOUT,
 * FIL_E_CLOSED, FIL_E_WOULD_BLOCK on an I/O thread.
 */
int fil_websocket_wait(struct fil_websocket *socket, uint32_t timeout_ms);

/**
 * Says goodbye: on_close follows when the other side has answered, or has had the time of a ping.
 * A reason of at most 123 bytes of UTF-8; NULL: none. FIL_E_CLOSED when somebody was first,
 * FIL_E_INVALID for a code that may not be sent, FIL_E_NOMEM.
 */
int fil_websocket_close(struct fil_websocket *socket, int code, const char *reason);

/** Keeps the socket beyond on_close; any thread that has a reference, or a callback. */
struct fil_websocket *fil_websocket_ref(struct fil_websocket *socket);
void fil_websocket_unref(struct fil_websocket *socket);

#ifdef __cplusplus
}
#endif
