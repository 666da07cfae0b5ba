// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "lib/base/assert.h"
#include "lib/json/json_internal.h"

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static uint32_t hex_of(const uint8_t *digits)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = digits[i];
        value = value * 16 + (is_digit(c) ? c - (uint32_t)'0' : (c | 32U) - (uint32_t)'a' + 10);
    }
    return value;
}

/** The UTF-8 bytes of a character; returns how many. A lone surrogate has some of its own. */
static uint32_t encode(uint32_t point, uint8_t out[4])
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 63));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 63));
        out[2] = (uint8_t)(0x80 | (point & 63));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 63));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 63));
    out[3] = (uint8_t)(0x80 | (point & 63));
    return 4;
}

/** A string's characters as UTF-8, without escapes, piece by piece. */
struct unescaper {
    const uint8_t *at;
    const uint8_t *end;
};

static uint32_t take_unicode(struct unescaper *name)
{
    uint32_t point = hex_of(name->at);
    name->at += 4;
    bool is_high = point >= 0xD800 && point < 0xDC00;
    if (is_high && name->end - name->at >= 6 && name->at[0] == '\\' && name->at[1] == 'u') {
        uint32_t low = hex_of(name->at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            name->at += 6;
            return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return point;
}

/** The next bytes; 0 at the end. */
static uint32_t take_piece(struct unescaper *name, uint8_t out[4])
{
    static const char short_forms[] = "b\bf\fn\nr\rt\t";
    if (name->at == name->end) {
        return 0;
    }
    uint8_t c = *name->at++;
    if (c != '\\') {
        out[0] = c;
        return 1;
    }
    c = *name->at++;
    if (c == 'u') {
        return encode(take_unicode(name), out);
    }
    const char *form = strchr(short_forms, c);
    out[0] = form != NULL && (form - short_forms) % 2 == 0 ? (uint8_t)form[1] : c;
    return 1;
}

static struct unescaper unescape(const struct fil_json *json, const struct fil_json_node *node)
{
    return (struct unescaper){.at = json->text.data + node->start + 1,
                              .end = json->text.data + node->end - 1};
}

uint32_t fil_json__hash_name(const struct fil_json *json, const struct fil_json_node *node)
{
    struct unescaper name = unescape(json, node);
    uint8_t piece[4];
    uint32_t hash = 2166136261U;
    for (uint32_t size = take_piece(&name, piece); size > 0; size = take_piece(&name, piece)) {
        for (uint32_t i = 0; i < size; i++) {
            hash = (hash ^ piece[i]) * 16777619U;
        }
    }
    return hash;
}

/** The next byte of a name, or -1; the piece is what was taken last. */
struct name_reader {
    struct unescaper name;
    uint8_t piece[4];
    uint32_t size;
    uint32_t used;
};

static int next_byte(struct name_reader *reader)
{
    if (reader->used == reader->size) {
        reader->size = take_piece(&reader->name, reader->piece);
        reader->used = 0;
        if (reader->size == 0) {
            return -1;
        }
    }
    return reader->piece[reader->used++];
}

bool fil_json_is_same_name(const struct fil_json *a, const struct fil_json_node *a_name,
                           const struct fil_json *b, const struct fil_json_node *b_name)
{
    if (a_name->name_hash != b_name->name_hash) {
        return false;
    }
    struct name_reader left = {.name = unescape(a, a_name)};
    struct name_reader right = {.name = unescape(b, b_name)};
    int byte = 0;
    do {
        byte = next_byte(&left);
        if (byte != next_byte(&right)) {
            return false;
        }
    } while (byte >= 0);
    return true;
}

/** Whether a name of the document has these characters. */
static bool is_named(const struct fil_json *json, const struct fil_json_node *node,
                     struct fil_bytes name)
{
    struct name_reader reader = {.name = unescape(json, node)};
    for (size_t i = 0; i < name.size; i++) {
        if (next_byte(&reader) != name.data[i]) {
            return false;
        }
    }
    return next_byte(&reader) < 0;
}

const struct fil_json_node *fil_json_member(const struct fil_json *json,
                                            const struct fil_json_node *object,
                                            struct fil_bytes name)
{
    fil_assert(object >= json->nodes && object < json->nodes + json->count);
    const struct fil_json_node *found = NULL;
    if (object->kind != FIL_JSON_OBJECT) {
        return NULL;
    }
    for (const struct fil_json_node *at = object + 1; at < json->nodes + object->behind;
         at = json->nodes + at[1].behind) {
        found = is_named(json, at, name) ? at + 1 : found;
    }
    return found;
}

size_t fil_json_string(const struct fil_json *json, const struct fil_json_node *node,
                       uint8_t *out_bytes)
{
    fil_assert(node->kind == FIL_JSON_STRING);
    struct unescaper string = unescape(json, node);
    uint8_t piece[4];
    size_t written = 0;
    for (uint32_t size = take_piece(&string, piece); size > 0; size = take_piece(&string, piece)) {
        memcpy(out_bytes + written, piece, size);
        written += size;
    }
    return written;
}
