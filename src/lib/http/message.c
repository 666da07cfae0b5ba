// SPDX-License-Identifier: Apache-2.0
#include "lib/http/message.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/assert.h"

const struct fil_http_limits fil_http_limits_default = {
    .target_size_max = 8U << 10,
    .head_size_max = 16U << 10,
    .header_count_max = 64,
    .body_size_max = UINT64_C(16) << 20,
    .chunk_extension_size_max = 1U << 10,
    .trailer_size_max = 4U << 10,
};

void fil_http_decoder_init(struct fil_http_decoder *decoder, const struct fil_http_limits *limits)
{
    fil_assert(limits->header_count_max <= FIL_HTTP_HEADERS_MAX);
    *decoder = (struct fil_http_decoder){.limits = limits};
}

const char *fil_http_failure_format(const struct fil_http_failure *failure,
                                    char text[FIL_HTTP_FAILURE_TEXT_MAX])
{
    if (failure->code == FIL_OK) {
        (void)snprintf(text, FIL_HTTP_FAILURE_TEXT_MAX, "nothing is wrong");
    } else if (failure->line == 0) {
        (void)snprintf(text, FIL_HTTP_FAILURE_TEXT_MAX, "%s (byte %" PRIu64 " of the body)",
                       failure->reason, failure->offset);
    } else {
        (void)snprintf(text, FIL_HTTP_FAILURE_TEXT_MAX, "%s (line %" PRIu32 ", byte %" PRIu64 ")",
                       failure->reason, failure->line, failure->offset);
    }
    return text;
}

const struct fil_http_header *fil_http_headers_find(const struct fil_http_headers *headers,
                                                    const char *name)
{
    fil_assert(headers->count <= FIL_HTTP_HEADERS_MAX);
    struct fil_bytes wanted = fil_bytes_of(name);
    for (uint32_t i = 0; i < headers->count; i++) {
        if (fil_bytes_equal_nocase(headers->items[i].name, wanted)) {
            return &headers->items[i];
        }
    }
    return NULL;
}

static bool lists_token(struct fil_bytes list, struct fil_bytes token)
{
    while (list.size > 0) {
        size_t end = fil_bytes_find(list, ',');
        if (fil_bytes_equal_nocase(fil_bytes_trim(fil_bytes_make(list.data, end)), token)) {
            return true;
        }
        size_t skip = end < list.size ? end + 1 : end;
        list = fil_bytes_make(list.data + skip, list.size - skip);
    }
    return false;
}

bool fil_http_headers_have_token(const struct fil_http_headers *headers, const char *name,
                                 const char *token)
{
    fil_assert(headers->count <= FIL_HTTP_HEADERS_MAX);
    struct fil_bytes wanted = fil_bytes_of(name);
    struct fil_bytes item = fil_bytes_of(token);
    for (uint32_t i = 0; i < headers->count; i++) {
        if (fil_bytes_equal_nocase(headers->items[i].name, wanted) &&
            lists_token(headers->items[i].value, item)) {
            return true;
        }
    }
    return false;
}

const char *fil_http_method_name(enum fil_http_method method)
{
    static const char *const names[] = {[FIL_HTTP_OTHER] = "OTHER",
#define METHOD_NAME(name) [FIL_HTTP_##name] = #name,
                                        FIL_HTTP_METHODS(METHOD_NAME)
#undef METHOD_NAME
    };
    fil_assert(method < FIL_COUNT_OF(names));
    return names[method];
}
