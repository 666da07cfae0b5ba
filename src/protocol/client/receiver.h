// SPDX-License-Identifier: Apache-2.0
/**
 * Finds the messages in the bytes of a connection.
 *
 * It looks at each frame's header once, however small the pieces are in which a message comes, and
 * refuses a bad one as soon as its header is there: nobody waits for two gigabytes that were only
 * announced. A whole message stays where it was received; only one that came in fragments is put
 * together in memory of its own.
 *
 * Guarantee: a message that is given out begins with an initial frame of at least a response's
 * header, consists of whole frames, ends with its only final one, and its BEGIN and END frames
 * match, at most FIL_WIRE_DEPTH_MAX deep. END and null frames are empty.
 *
 * Errors: FIL_E_AGAIN means "more bytes, please". FIL_E_MALFORMED, FIL_E_LIMIT, FIL_E_NOMEM: the
 * stream is of no use any more, `problem` says why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"
#include "lib/mem/parcel.h"

/** Structures within structures; what is known needs 7 levels, the rest is for newer clients. */
#define FIL_WIRE_DEPTH_MAX 32U

/** The most bytes of a message before its sender is known, unless the receiver is told otherwise.
 */
#define FIL_WIRE_STRANGER_BYTES_MAX ((size_t)4096)

struct fil_wire_receiver {
    // Limits; may be changed between two messages.
    size_t frame_bytes_max;   // one frame with its header
    size_t message_bytes_max; // all frames of a message
    bool takes_fragments;

    // What is known of the message at the front of the bytes.
    size_t position; // the first frame whose header was not looked at
    uint32_t depth;  // of structures, at position
    bool is_final;   // the frame before position is the last one
    bool is_fragment;
    bool is_last_fragment;

    // The fragmented message that is being put together.
    bool is_assembling;
    bool is_assembled; // given out, to be forgotten by the next call
    uint64_t fragment_id;
    struct fil_budget *budget; // for its memory; NULL: not accounted
    uint8_t *assembly;
    size_t assembly_size;
    size_t assembly_capacity;

    char problem[112];
};

/** Starts with the limits of a sender that is not known yet. */
void fil_wire_receiver_init(struct fil_wire_receiver *receiver, struct fil_budget *budget);
void fil_wire_receiver_fini(struct fil_wire_receiver *receiver);

/** The sender is known: it may send more, and fragments. */
void fil_wire_receiver_trust(struct fil_wire_receiver *receiver, size_t frame_bytes_max,
                             size_t message_bytes_max);

/**
 * Finds the message at the front of bytes. FIL_OK: out_message is whole, and the first out_size
 * bytes are done with; it is valid until they change or the receiver is called again. FIL_E_AGAIN:
 * incomplete; drop out_size bytes (fragments), then call again with the rest and more behind it.
 */
int fil_wire_receive(struct fil_wire_receiver *receiver, struct fil_bytes bytes,
                     struct fil_bytes *out_message, size_t *out_size) FIL_NODISCARD;

/** Takes over the memory of the message that was given out last, which came in fragments. */
struct fil_parcel fil_wire_receiver_take(struct fil_wire_receiver *receiver);

/** How many bytes the incomplete message needs at least, as far as is known; 0: not known. */
size_t fil_wire_receiver_expected(const struct fil_wire_receiver *receiver);
