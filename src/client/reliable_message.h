// SPDX-License-Identifier: Apache-2.0
/**
 * A message of a reliable topic as it stands in the ring buffer: an object that all clients of the
 * protocol write and read, around the serialized value.
 *
 *   hash 4, type -2 4, 1, factory -9 4, class 2 4, time 8, publisher, size 4, value
 *
 * The publisher is a type of four bytes: 0 for none, or -2 and an address.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_RELIABLE_HEAD_SIZE 33U // all that stands before the value, without a publisher

/** Writes the head for a value of that size. */
void fil_reliable_head_encode(uint8_t head[FIL_RELIABLE_HEAD_SIZE], int64_t time_ms, size_t size);

/** Time and serialized value, which is borrowed. FIL_E_MALFORMED for anything else. */
int fil_reliable_decode(struct fil_bytes data, int64_t *out_time_ms, struct fil_bytes *out_value)
    FIL_NODISCARD;
