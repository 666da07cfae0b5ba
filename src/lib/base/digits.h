// SPDX-License-Identifier: Apache-2.0
/** Whole numbers as text with exactly one spelling: no blanks, no plus, no zeros in front. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"

#define FIL_DIGITS_MAX 21U // sign and digits of an int64_t, and room for a 0 byte

/** Whether the text is the one spelling of a number. */
bool fil_digits_read(struct fil_bytes text, int64_t *out_value);

/** Writes the number without a 0 byte; returns its size. */
size_t fil_digits_write(int64_t value, char text[FIL_DIGITS_MAX]);
