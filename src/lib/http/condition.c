// SPDX-License-Identifier: Apache-2.0
#include "lib/http/condition.h"

#include "lib/base/assert.h"

static struct fil_bytes skip(struct fil_bytes bytes, size_t size)
{
    return size == bytes.size ? fil_bytes_of("")
                              : fil_bytes_make(bytes.data + size, bytes.size - size);
}

/** The last so many bytes. */
static enum fil_http_range_verdict read_suffix(struct fil_bytes text, uint64_t size,
                                               struct fil_http_range *out_range)
{
    uint64_t count = 0;
    if (!fil_bytes_to_u64(text, &count)) {
        return FIL_HTTP_RANGE_WHOLE;
    }
    if (count == 0 || size == 0) {
        return FIL_HTTP_RANGE_BEYOND;
    }
    count = count < size ? count : size;
    *out_range = (struct fil_http_range){.offset = size - count, .size = count};
    return FIL_HTTP_RANGE_PART;
}

enum fil_http_range_verdict fil_http_range_read(struct fil_bytes header, uint64_t size,
                                                struct fil_http_range *out_range)
{
    static const char unit[] = "bytes=";
    size_t unit_size = sizeof(unit) - 1;
    if (header.size < unit_size ||
        !fil_bytes_equal_nocase(fil_bytes_make(header.data, unit_size), fil_bytes_of(unit))) {
        return FIL_HTTP_RANGE_WHOLE;
    }
    struct fil_bytes text = fil_bytes_trim(skip(header, unit_size));
    size_t dash = fil_bytes_find(text, '-');
    if (dash == text.size) {
        return FIL_HTTP_RANGE_WHOLE;
    }
    struct fil_bytes behind = skip(text, dash + 1);
    uint64_t first = 0;
    uint64_t last = UINT64_MAX;
    if (dash == 0) {
        return read_suffix(behind, size, out_range);
    }
    if (!fil_bytes_to_u64(fil_bytes_make(text.data, dash), &first) ||
        (behind.size > 0 && !fil_bytes_to_u64(behind, &last)) || last < first) {
        return FIL_HTTP_RANGE_WHOLE;
    }
    if (first >= size) {
        return FIL_HTTP_RANGE_BEYOND;
    }
    last = last < size ? last : size - 1;
    *out_range = (struct fil_http_range){.offset = first, .size = last - first + 1};
    return FIL_HTTP_RANGE_PART;
}

/** Takes the next tag of a list, without its W/; false at the end, or at what is no tag. */
static bool next_etag(struct fil_bytes *rest, struct fil_bytes *out_tag, bool *out_is_weak)
{
    while (rest->size > 0 &&
           (rest->data[0] == ',' || rest->data[0] == ' ' || rest->data[0] == '\t')) {
        *rest = skip(*rest, 1);
    }
    *out_is_weak = rest->size > 2 && rest->data[0] == 'W' && rest->data[1] == '/';
    struct fil_bytes text = skip(*rest, *out_is_weak ? 2 : 0);
    if (text.size < 2 || text.data[0] != '"') {
        return false;
    }
    size_t end = fil_bytes_find(skip(text, 1), '"') + 1;
    if (end == text.size) {
        return false;
    }
    *out_tag = fil_bytes_make(text.data, end + 1);
    *rest = skip(text, end + 1);
    return true;
}

bool fil_http_etags_match(struct fil_bytes list, struct fil_bytes etag, bool is_strong)
{
    fil_assert(etag.size >= 2);
    if (fil_bytes_equal_text(fil_bytes_trim(list), "*")) {
        return true;
    }
    struct fil_bytes tag;
    bool is_weak = false;
    while (next_etag(&list, &tag, &is_weak)) {
        if (!(is_strong && is_weak) && fil_bytes_equal(tag, etag)) {
            return true;
        }
    }
    return false;
}
