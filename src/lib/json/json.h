// SPDX-License-Identifier: Apache-2.0
/**
 * JSON, read once into a flat list of values that point into the text.
 *
 *     struct fil_json json;
 *     int error = fil_json_read(&json, text);
 *     if (error == FIL_OK) {
 *         const struct fil_json_node *price = fil_json_member(&json, json.nodes,
 * fil_bytes_of("price"));
 *         ...
 *     }
 *     fil_json_release(&json);
 *
 * Values stand in the order of the text, an object as its members' names and values one behind the
 * other: node i's next sibling is node i.behind. Of members with the same name the last one counts.
 * Names are compared by their characters, whatever their escapes.
 *
 * Memory: the list is the reader's own; the text is borrowed and must outlive it.
 * Limits: strict JSON (RFC 8259) in UTF-8, up to 8192 values and 64 levels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/json/cursor.h"

#define FIL_JSON_VALUES_MAX 8192U
#define FIL_JSON_DEPTH_MAX  64U

enum fil_json_kind {
    FIL_JSON_OBJECT, // its members follow: a name, a value, and so on
    FIL_JSON_ARRAY,
    FIL_JSON_STRING,
    FIL_JSON_NUMBER,
    FIL_JSON_TRUE,
    FIL_JSON_FALSE,
    FIL_JSON_NULL,
};

struct fil_json_node {
    enum fil_json_kind kind;
    uint32_t behind;    // the index behind it and all that is inside
    uint32_t name_hash; // of a member's name
    size_t start;       // in the text
    size_t end;
};

struct fil_json {
    struct fil_json_cursor cursor; // over the text, while it is read
    struct fil_json_node *nodes;   // the first one is the document's value
    uint32_t count;
    uint32_t capacity;
};

/** FIL_E_MALFORMED, FIL_E_LIMIT or FIL_E_NOMEM; to be released in any case. */
int fil_json_read(struct fil_json *json, struct fil_bytes text) FIL_NODISCARD;

void fil_json_release(struct fil_json *json);

/** The value as it was written. */
struct fil_bytes fil_json_text(const struct fil_json *json, const struct fil_json_node *node);

/** The value of that member, the name in plain UTF-8; NULL: no such member, or not an object. */
const struct fil_json_node *fil_json_member(const struct fil_json *json,
                                            const struct fil_json_node *object,
                                            struct fil_bytes name);

/** Whether two names, of the same document or of two, have the same characters. */
bool fil_json_is_same_name(const struct fil_json *a, const struct fil_json_node *a_name,
                           const struct fil_json *b, const struct fil_json_node *b_name);

/**
 * A string's characters as UTF-8, without quotes and escapes; it never grows, so node's own size is
 * room enough. Returns how many bytes; a lone surrogate becomes three bytes that are not UTF-8.
 */
size_t fil_json_string(const struct fil_json *json, const struct fil_json_node *node,
                       uint8_t *out_bytes);
