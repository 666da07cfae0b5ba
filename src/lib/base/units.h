// SPDX-License-Identifier: Apache-2.0
/**
 * Sizes, durations and counts as people write them, and back.
 *
 *   size      64KiB  1GiB  500MB  1.5GiB  1048576    B, KB = 1000, KiB = 1024, up to EB and EiB
 *   duration  10ns  100us  250ms  10s  5m  1h  1d    a unit is needed, but for 0
 *   count     1000  10k  5M  2G                      thousands
 *
 * Size and count units may be written in either case, duration units may not. One blank or more may
 * stand before the unit. A fraction is taken when the result is a whole number. "max" is the
 * largest value there is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** What "max" means; a duration fits a signed timeout. */
#define FIL_SIZE_MAX_BYTES  UINT64_MAX
#define FIL_DURATION_MAX_NS ((uint64_t)INT64_MAX)
#define FIL_COUNT_MAX       UINT64_MAX

/** Room for any formatted value with its end. */
#define FIL_UNITS_TEXT_MAX 32

/** What is wrong with a text and where: one phrase that says what would be right. */
struct fil_units_fault {
    const char *text;
    size_t position;
};

/**
 * Parse the whole text. FIL_E_MALFORMED when it does not follow the form, FIL_E_LIMIT when the
 * value is too large; the out value is then untouched and out_fault (may be NULL) says what is
 * wrong.
 */
int fil_units_parse_size(struct fil_bytes text, uint64_t *out_bytes,
                         struct fil_units_fault *out_fault) FIL_NODISCARD;
int fil_units_parse_duration(struct fil_bytes text, uint64_t *out_ns,
                             struct fil_units_fault *out_fault) FIL_NODISCARD;
int fil_units_parse_count(struct fil_bytes text, uint64_t *out_count,
                          struct fil_units_fault *out_fault) FIL_NODISCARD;

/** The shortest text that parses to exactly the value ("64KiB", "90s", "10k"). Returns text. */
const char *fil_units_format_size(uint64_t bytes, char text[FIL_UNITS_TEXT_MAX]);
const char *fil_units_format_duration(uint64_t ns, char text[FIL_UNITS_TEXT_MAX]);
const char *fil_units_format_count(uint64_t count, char text[FIL_UNITS_TEXT_MAX]);

/** For eyes only, rounded to a tenth of its unit ("18.4 GiB", "1.2 ms", "3.5 k"). Returns text. */
const char *fil_units_human_size(uint64_t bytes, char text[FIL_UNITS_TEXT_MAX]);
const char *fil_units_human_duration(uint64_t ns, char text[FIL_UNITS_TEXT_MAX]);
const char *fil_units_human_count(uint64_t count, char text[FIL_UNITS_TEXT_MAX]);
