// SPDX-License-Identifier: Apache-2.0
/**
 * Tells RESP replies apart in a stream of bytes: their kind and how much was missing, and no more.
 *
 * Bodies of bulk strings are skipped by their length. Bytes may come in any pieces. An array may
 * hold anything but another array.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define LOAD_REPLY_TEXT_MAX 128U

struct load_reply {
    uint64_t number;        // of the request, in protocols that number them
    uint8_t kind;           // its first byte; '-' also for an array that holds an error
    bool is_refusal;        // an error that asks to come back later
    uint32_t element_count; // of an array
    uint32_t miss_count;    // nulls, on their own or in an array
};

struct load_replies {
    // Of the reply that has begun.
    struct load_reply reply;
    uint32_t elements_left; // of its array
    uint64_t skip;          // bytes of a body that are still to come

    // Of the line that has begun.
    uint8_t kind; // its first byte; 0: none has begun
    bool is_negative;
    uint64_t number;

    // Other protocols: a line, or the head of a frame.
    char line[LOAD_REPLY_TEXT_MAX];
    size_t line_size;
    bool is_line_over;

    // What the last error said, cut where it is too long.
    char error_text[LOAD_REPLY_TEXT_MAX];
    size_t error_size;
};

/**
 * Takes bytes off the front until a reply ends. Returns 1 with the reply, 0 when the bytes are used
 * up before, or FIL_E_MALFORMED.
 */
int load_replies_next(struct load_replies *replies, struct fil_bytes *bytes,
                      struct load_reply *out_reply) FIL_NODISCARD;
