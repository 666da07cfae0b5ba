// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "lib/base/assert.h"
#include "lib/json/json_internal.h"

static struct fil_json_unescaper unescape(const struct fil_json *json,
                                          const struct fil_json_node *node)
{
    return fil_json_unescape(fil_json_text(json, node));
}

uint32_t fil_json__hash_name(const struct fil_json *json, const struct fil_json_node *node)
{
    struct fil_json_unescaper name = unescape(json, node);
    uint8_t piece[4];
    uint32_t hash = 2166136261U;
    for (uint32_t size = fil_json_take_piece(&name, piece); size > 0;
         size = fil_json_take_piece(&name, piece)) {
        for (uint32_t i = 0; i < size; i++) {
            hash = (hash ^ piece[i]) * 16777619U;
        }
    }
    return hash;
}

/** The next byte of a name, or -1; the piece is what was taken last. */
struct name_reader {
    struct fil_json_unescaper name;
    uint8_t piece[4];
    uint32_t size;
    uint32_t used;
};

static int next_byte(struct name_reader *reader)
{
    if (reader->used == reader->size) {
        reader->size = fil_json_take_piece(&reader->name, reader->piece);
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
    return fil_json_string_equals(fil_json_text(json, node), name);
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
    struct fil_json_unescaper string = unescape(json, node);
    uint8_t piece[4];
    size_t written = 0;
    for (uint32_t size = fil_json_take_piece(&string, piece); size > 0;
         size = fil_json_take_piece(&string, piece)) {
        memcpy(out_bytes + written, piece, size);
        written += size;
    }
    return written;
}
