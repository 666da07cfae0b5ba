// SPDX-License-Identifier: Apache-2.0
/**
 * WebSocket (RFC 6455, version 13) as a server speaks it: the key of the handshake, frames in and
 * heads of frames out. Pure functions over bytes: no I/O, no clock, no allocation.
 *
 * Frames are decoded strictly. Refused, with the code that says why: frames without a mask,
 * reserved bits and kinds, lengths that are not the shortest form, control frames that are cut or
 * large, messages that begin within another one or go on without one, close codes that nobody may
 * send, reasons that are not UTF-8 (1002, 1007); messages beyond their limit (1009), before their
 * content is received. The verdict does not depend on how the bytes are cut.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_WEBSOCKET_ACCEPT_SIZE  28U
#define FIL_WEBSOCKET_HEAD_MAX     14U  // of a frame that is received
#define FIL_WEBSOCKET_OUT_HEAD_MAX 10U  // of one that is sent
#define FIL_WEBSOCKET_CONTROL_MAX  125U // content of a control frame
#define FIL_WEBSOCKET_REASON_MAX   (FIL_WEBSOCKET_CONTROL_MAX - 2)

enum fil_websocket_op {
    FIL_WEBSOCKET_OP_MORE = 0,
    FIL_WEBSOCKET_OP_TEXT = 1,
    FIL_WEBSOCKET_OP_BINARY = 2,
    FIL_WEBSOCKET_OP_CLOSE = 8,
    FIL_WEBSOCKET_OP_PING = 9,
    FIL_WEBSOCKET_OP_PONG = 10,
};

enum fil_websocket_event_kind {
    FIL_WEBSOCKET_CONTENT, // some of a message: to be unmasked
    FIL_WEBSOCKET_MESSAGE, // its end
    FIL_WEBSOCKET_PING,
    FIL_WEBSOCKET_PONG,
    FIL_WEBSOCKET_CLOSE,
};

struct fil_websocket_event {
    enum fil_websocket_event_kind kind;
    enum fil_websocket_op op; // of a message: TEXT or BINARY
    struct fil_bytes content; // CONTENT: slice of what was given; PING, PONG: the decoder's, and
                              // CLOSE: its reason, until the next call
    uint64_t mask_at;         // of CONTENT, for fil_websocket_unmask
    int code;                 // of CLOSE; 1005: none was sent
};

/** One direction of a connection: what was received. */
struct fil_websocket_decoder {
    uint64_t message_size_max;
    uint64_t message_size;            // so far
    enum fil_websocket_op message_op; // MORE: no message is on its way

    uint64_t left; // of the frame's content
    uint64_t mask_at;
    bool is_in_frame;
    bool is_final;
    enum fil_websocket_op op;
    uint8_t mask[4];
    uint8_t control[FIL_WEBSOCKET_CONTROL_MAX];
    uint32_t control_size;

    int code;           // why bytes were refused: the code to close with; 0: they were not
    const char *reason; // static
};

void fil_websocket_decoder_init(struct fil_websocket_decoder *decoder, uint64_t message_size_max);

/**
 * Decodes up to the next event. FIL_OK: out_event is one. FIL_E_AGAIN: more bytes are needed; those
 * that were consumed need not come again. FIL_E_MALFORMED or FIL_E_LIMIT: the decoder's code and
 * reason say why, and every further call says the same.
 */
int fil_websocket_decode(struct fil_websocket_decoder *decoder, struct fil_bytes bytes,
                         struct fil_websocket_event *out_event, size_t *out_consumed) FIL_NODISCARD;

/** Takes the mask off content of the frame, in place; mask_at is where in the frame it begins. */
void fil_websocket_unmask(const struct fil_websocket_decoder *decoder, uint8_t *data, size_t size,
                          uint64_t mask_at);

/** Writes the head of a whole, unmasked frame; returns its size. */
size_t fil_websocket_encode_head(enum fil_websocket_op op, uint64_t size,
                                 uint8_t out_head[FIL_WEBSOCKET_OUT_HEAD_MAX]);

/** Whether a peer, or a program, may close with this code. */
bool fil_websocket_is_code(int code);

/**
 * What the handshake answers to a key, not terminated. FIL_E_INVALID for a key that is none: 16
 * bytes in base64.
 */
int fil_websocket_accept_key(struct fil_bytes key, char out_accept[FIL_WEBSOCKET_ACCEPT_SIZE])
    FIL_NODISCARD;
