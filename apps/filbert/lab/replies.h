// SPDX-License-Identifier: Apache-2.0
/**
 * Counts RESP replies in a stream of bytes without looking at what they say.
 *
 * Knows what the lab's requests are answered with: simple strings, errors, integers, bulk strings
 * and null. Bytes may come in any pieces.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"

struct lab_replies {
    uint64_t error_count; // replies that were errors, so far

    // Of the reply that has begun.
    size_t skip;  // bytes of its body that are still to come
    uint8_t kind; // its first byte; 0: none has begun
    bool is_null; // its size is negative
    size_t size;  // of its body, as far as it was read
};

/** The number of replies that end in these bytes. */
uint32_t lab_replies_feed(struct lab_replies *replies, struct fil_bytes bytes);
