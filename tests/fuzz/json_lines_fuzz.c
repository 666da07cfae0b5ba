// SPDX-License-Identifier: Apache-2.0
/**
 * A line of JSON as a record: whatever it is, it is read or refused; what was read and written is
 * read again as the same record.
 */
#include <string.h>

#include "core/pipeline/json_lines.h"
#include "lib/base/assert.h"

struct record {
    int64_t time;
    char text[7];
    double real;
    int64_t number;
};

static const struct fil_field fields[] = {
    FIL_TIME(struct record, time), FIL_TEXT(struct record, text), FIL_F64(struct record, real),
    FIL_I64(struct record, number)};
static const struct fil_type type = FIL_TYPE(struct record, fields);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record record;
    int error = fil_json_lines_parse(&type, fil_bytes_make(data, size), &record);
    if (error != FIL_OK) {
        fil_assert(error == FIL_E_MALFORMED || error == FIL_E_NOT_FOUND);
        return 0;
    }
    char text[512];
    size_t written = fil_json_lines_format(&type, &record, text, sizeof(text));
    fil_assert(written <= sizeof(text));
    struct record again;
    error = fil_json_lines_parse(&type, fil_bytes_make(text, written), &again);
    // Half a surrogate is read as bytes that are no UTF-8, which are not written as they are.
    fil_assert(error != FIL_OK || again.number == record.number);
    fil_assert(error != FIL_OK || again.time == record.time);
    return 0;
}
