// SPDX-License-Identifier: Apache-2.0
/**
 * Any bytes as a Range, as entity tags, as codings with weights and as a date: a part lies within
 * what there is, a date that was read is written the same way, never a crash.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/http/accept.h"
#include "lib/http/condition.h"
#include "lib/http/date.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define SECONDS_MAX   (UINT64_MAX / NS_PER_SECOND)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(struct fil_bytes bytes, uint64_t size)
{
    struct fil_http_range range;
    if (fil_http_range_read(bytes, size, &range) == FIL_HTTP_RANGE_PART) {
        fil_assert(range.size > 0 && range.size <= size);
        fil_assert(range.offset <= size - range.size);
    }
}

static void check_date(struct fil_bytes bytes)
{
    uint64_t seconds = 0;
    char text[FIL_HTTP_DATE_TEXT_MAX];
    if (!fil_http_date_read(bytes, &seconds) || seconds > SECONDS_MAX) {
        return;
    }
    (void)fil_http_date_format(seconds * NS_PER_SECOND, text);
    // A leap second is the next one's first; the day's name is not looked at.
    bool is_leap = memcmp(bytes.data + 23, "60", 2) == 0;
    fil_assert(is_leap || memcmp(bytes.data + 5, text + 5, sizeof(text) - 6) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_bytes bytes = fil_bytes_make(data, size);
    check_range(bytes, 0);
    check_range(bytes, 1000);
    check_range(bytes, UINT64_MAX);
    check_date(bytes);
    bool is_strong = fil_http_etags_match(bytes, fil_bytes_of("\"ab\""), true);
    bool is_weak = fil_http_etags_match(bytes, fil_bytes_of("\"ab\""), false);
    fil_assert(is_weak || !is_strong);
    (void)fil_http_accepts_coding(bytes, "gzip");
    return 0;
}
