// SPDX-License-Identifier: Apache-2.0
#include "lib/json/json.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/json/json_internal.h"

static int read_value(struct fil_json *json, uint32_t depth);

static int add_node(struct fil_json *json, enum fil_json_kind kind, uint32_t *out_index)
{
    if (json->count == json->capacity) {
        uint32_t capacity = json->capacity == 0 ? 64 : json->capacity * 2;
        if (capacity > FIL_JSON_VALUES_MAX) {
            return FIL_E_LIMIT;
        }
        struct fil_json_node *nodes = fil_realloc(json->nodes, capacity * sizeof(*nodes));
        if (nodes == NULL) {
            return FIL_E_NOMEM;
        }
        json->nodes = nodes;
        json->capacity = capacity;
    }
    *out_index = json->count;
    json->nodes[json->count] = (struct fil_json_node){.kind = kind, .start = json->cursor.at};
    json->count++;
    return FIL_OK;
}

static int close_node(struct fil_json *json, uint32_t index)
{
    json->nodes[index].end = json->cursor.at;
    json->nodes[index].behind = json->count;
    return FIL_OK;
}

static int read_string(struct fil_json *json, uint32_t *out_index)
{
    int error = add_node(json, FIL_JSON_STRING, out_index);
    if (error != FIL_OK) {
        return error;
    }
    if (!fil_json_skip_string(&json->cursor)) {
        return FIL_E_MALFORMED;
    }
    return close_node(json, *out_index);
}

static int read_plain(struct fil_json *json)
{
    uint32_t index = 0;
    int error = add_node(json, FIL_JSON_NUMBER, &index);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_json_node *node = &json->nodes[index];
    if (fil_json_skip_word(&json->cursor, "null")) {
        node->kind = FIL_JSON_NULL;
    } else if (fil_json_skip_word(&json->cursor, "true")) {
        node->kind = FIL_JSON_TRUE;
    } else if (fil_json_skip_word(&json->cursor, "false")) {
        node->kind = FIL_JSON_FALSE;
    } else if (!fil_json_skip_number(&json->cursor)) {
        return FIL_E_MALFORMED;
    }
    return close_node(json, index);
}

static int read_array(struct fil_json *json, uint32_t depth)
{
    uint32_t index = 0;
    int error = add_node(json, FIL_JSON_ARRAY, &index);
    json->cursor.at++;
    fil_json_skip_blanks(&json->cursor);
    bool is_over = error == FIL_OK && fil_json_skip_if(&json->cursor, ']');
    while (error == FIL_OK && !is_over) {
        error = read_value(json, depth);
        fil_json_skip_blanks(&json->cursor);
        is_over = fil_json_skip_if(&json->cursor, ']');
        if (error == FIL_OK && !is_over && !fil_json_skip_if(&json->cursor, ',')) {
            return FIL_E_MALFORMED;
        }
    }
    return error == FIL_OK ? close_node(json, index) : error;
}

static int read_member(struct fil_json *json, uint32_t depth)
{
    uint32_t name = 0;
    fil_json_skip_blanks(&json->cursor);
    int error = read_string(json, &name);
    if (error != FIL_OK) {
        return error;
    }
    json->nodes[name].name_hash = fil_json__hash_name(json, &json->nodes[name]);
    fil_json_skip_blanks(&json->cursor);
    return fil_json_skip_if(&json->cursor, ':') ? read_value(json, depth) : FIL_E_MALFORMED;
}

static int read_object(struct fil_json *json, uint32_t depth)
{
    uint32_t index = 0;
    int error = add_node(json, FIL_JSON_OBJECT, &index);
    json->cursor.at++;
    fil_json_skip_blanks(&json->cursor);
    bool is_over = error == FIL_OK && fil_json_skip_if(&json->cursor, '}');
    while (error == FIL_OK && !is_over) {
        error = read_member(json, depth);
        fil_json_skip_blanks(&json->cursor);
        is_over = fil_json_skip_if(&json->cursor, '}');
        if (error == FIL_OK && !is_over && !fil_json_skip_if(&json->cursor, ',')) {
            return FIL_E_MALFORMED;
        }
    }
    return error == FIL_OK ? close_node(json, index) : error;
}

static int read_value(struct fil_json *json, uint32_t depth)
{
    uint32_t index = 0;
    fil_json_skip_blanks(&json->cursor);
    if (depth == FIL_JSON_DEPTH_MAX) {
        return FIL_E_LIMIT;
    }
    switch (fil_json_peek(&json->cursor)) {
    case '{':
        return read_object(json, depth + 1);
    case '[':
        return read_array(json, depth + 1);
    case '"':
        return read_string(json, &index);
    default:
        return read_plain(json);
    }
}

int fil_json_read(struct fil_json *json, struct fil_bytes text)
{
    *json = (struct fil_json){.cursor = {.text = text}};
    if (!fil_utf8_is_valid(text)) {
        return FIL_E_MALFORMED;
    }
    int error = read_value(json, 0);
    fil_json_skip_blanks(&json->cursor);
    return error == FIL_OK && json->cursor.at != text.size ? FIL_E_MALFORMED : error;
}

void fil_json_release(struct fil_json *json)
{
    fil_free(json->nodes);
    *json = (struct fil_json){0};
}

struct fil_bytes fil_json_text(const struct fil_json *json, const struct fil_json_node *node)
{
    fil_assert(node->start <= node->end && node->end <= json->cursor.text.size);
    return fil_bytes_make(json->cursor.text.data + node->start, node->end - node->start);
}
