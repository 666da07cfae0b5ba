// SPDX-License-Identifier: Apache-2.0
/** Words that say where bits are. */
#pragma once

#include <stdint.h>

#include "lib/base/bytes.h"
#include "protocol/resp/bits.h"

/** A write so far behind a string's end is left to a partition thread. */
#define FIL_RESP_FAR_BYTES (INT64_C(64) << 10)

/**
 * Reads the offset of a bit; "#n" counts in fields of so many bits, where the width is not 0.
 * Returns what is wrong with it, or NULL.
 */
const char *fil_resp_bit_word_offset(struct fil_bytes word, uint32_t width, int64_t *out_offset);

/** Reads i16, u8 and their kin; likewise. */
const char *fil_resp_bit_word_type(struct fil_bytes word, struct fil_resp_bit_field *out_field);
