// SPDX-License-Identifier: Apache-2.0
#include "lib/http/target.h"

#include "lib/base/assert.h"
#include "lib/http/character_internal.h"

#define ESCAPE_SIZE 3U // %xx

/** The first `size` bytes, taken off. */
static struct fil_bytes take(struct fil_bytes *bytes, size_t size)
{
    fil_assert(size <= bytes->size);
    struct fil_bytes front = fil_bytes_make(bytes->data, size);
    if (size > 0) {
        *bytes = fil_bytes_make(bytes->data + size, bytes->size - size);
    }
    return front;
}

bool fil_http_target_next_segment(struct fil_bytes *path, struct fil_bytes *out_segment)
{
    if (path->size == 0 || path->data[0] != '/') {
        return false;
    }
    (void)take(path, 1);
    *out_segment = take(path, fil_bytes_find(*path, '/'));
    return true;
}

bool fil_http_target_next_parameter(struct fil_bytes *query,
                                    struct fil_http_parameter *out_parameter)
{
    while (query->size > 0) {
        struct fil_bytes part = take(query, fil_bytes_find(*query, '&'));
        if (query->size > 0) {
            (void)take(query, 1);
        }
        if (part.size > 0) {
            out_parameter->name = take(&part, fil_bytes_find(part, '='));
            out_parameter->value = part;
            if (part.size > 0) {
                (void)take(&out_parameter->value, 1);
            }
            return true;
        }
    }
    return false;
}

/** Takes one decoded byte off the text, which is not empty; -1 when the escape is broken. */
static int take_byte(struct fil_bytes *text, bool has_plus)
{
    uint8_t byte = text->data[0];
    if (byte != '%') {
        (void)take(text, 1);
        return has_plus && byte == '+' ? ' ' : byte;
    }
    if (text->size < ESCAPE_SIZE) {
        return -1;
    }
    int high = fil_http_character__hex(text->data[1]);
    int low = fil_http_character__hex(text->data[2]);
    (void)take(text, ESCAPE_SIZE);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** How many bytes decoding gives, and whether it changes any; false when an escape is broken. */
static bool measure(struct fil_bytes text, bool has_plus, size_t *out_size, bool *out_is_plain)
{
    *out_size = 0;
    *out_is_plain = true;
    while (text.size > 0) {
        uint8_t first = text.data[0];
        if (take_byte(&text, has_plus) < 0) {
            return false;
        }
        *out_size += 1;
        *out_is_plain = *out_is_plain && first != '%' && !(has_plus && first == '+');
    }
    return true;
}

static int decode(struct fil_bytes text, bool has_plus, struct fil_writer *writer,
                  struct fil_bytes *out_decoded)
{
    size_t size = 0;
    bool is_plain = false;
    if (!measure(text, has_plus, &size, &is_plain)) {
        return FIL_E_MALFORMED;
    }
    if (is_plain) {
        *out_decoded = text;
        return FIL_OK;
    }
    if (size > fil_writer_room(writer)) {
        return FIL_E_FULL;
    }
    uint8_t *here = fil_writer_reserve(writer, size);
    fil_assert(here != NULL);
    *out_decoded = fil_bytes_make(here, size);
    for (size_t i = 0; i < size; i++) {
        here[i] = (uint8_t)take_byte(&text, has_plus);
    }
    fil_assert(text.size == 0);
    return FIL_OK;
}

int fil_http_target_decode(struct fil_bytes text, struct fil_writer *writer,
                           struct fil_bytes *out_decoded)
{
    return decode(text, false, writer, out_decoded);
}

int fil_http_target_decode_query(struct fil_bytes text, struct fil_writer *writer,
                                 struct fil_bytes *out_decoded)
{
    return decode(text, true, writer, out_decoded);
}

/** FIL_OK, FIL_E_NOT_FOUND when it is another name, FIL_E_MALFORMED. */
static int match_name(struct fil_bytes encoded, struct fil_bytes name)
{
    bool is_equal = true;
    size_t at = 0;
    while (encoded.size > 0) {
        int byte = take_byte(&encoded, true);
        if (byte < 0) {
            return FIL_E_MALFORMED;
        }
        is_equal = is_equal && at < name.size && name.data[at] == byte;
        at++;
    }
    return is_equal && at == name.size ? FIL_OK : FIL_E_NOT_FOUND;
}

int fil_http_target_find_parameter(struct fil_bytes query, const char *name,
                                   struct fil_writer *writer, struct fil_bytes *out_value)
{
    struct fil_bytes wanted = fil_bytes_of(name);
    struct fil_http_parameter parameter;
    while (fil_http_target_next_parameter(&query, &parameter)) {
        int result = match_name(parameter.name, wanted);
        if (result == FIL_OK) {
            return decode(parameter.value, true, writer, out_value);
        }
        if (result != FIL_E_NOT_FOUND) {
            return result;
        }
    }
    return FIL_E_NOT_FOUND;
}

bool fil_http_target_encode(struct fil_writer *writer, struct fil_bytes bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t byte = bytes.data[i];
        if (fil_http_character__is(byte, FIL_HTTP_CHARACTER_UNRESERVED)) {
            (void)fil_writer_u8(writer, byte); // a full writer stays full: looked at below
        } else {
            const char escape[ESCAPE_SIZE] = {'%', digits[byte >> 4], digits[byte & 15]};
            (void)fil_writer_bytes(writer, fil_bytes_make(escape, ESCAPE_SIZE));
        }
    }
    return !writer->is_full;
}
