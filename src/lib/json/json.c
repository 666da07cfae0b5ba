// SPDX-License-Identifier: Apache-2.0
#include "lib/json/json.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/json/json_internal.h"

static int read_value(struct fil_json *json, uint32_t depth);

static uint8_t peek(const struct fil_json *json)
{
    return json->at < json->text.size ? json->text.data[json->at] : 0;
}

static void skip_blanks(struct fil_json *json)
{
    while (peek(json) == ' ' || peek(json) == '\t' || peek(json) == '\n' || peek(json) == '\r') {
        json->at++;
    }
}

static bool skip_if(struct fil_json *json, uint8_t wanted)
{
    if (json->at < json->text.size && peek(json) == wanted) {
        json->at++;
        return true;
    }
    return false;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

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
    json->nodes[json->count] = (struct fil_json_node){.kind = kind, .start = json->at};
    json->count++;
    return FIL_OK;
}

static int close_node(struct fil_json *json, uint32_t index)
{
    json->nodes[index].end = json->at;
    json->nodes[index].behind = json->count;
    return FIL_OK;
}

static bool skip_escape(struct fil_json *json)
{
    if (!skip_if(json, 'u')) {
        uint8_t c = peek(json);
        json->at++;
        return c != 0 && strchr("\"\\/bfnrt", c) != NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (!is_hex(peek(json))) {
            return false;
        }
        json->at++;
    }
    return true;
}

static int read_string(struct fil_json *json, uint32_t *out_index)
{
    int error = add_node(json, FIL_JSON_STRING, out_index);
    if (error != FIL_OK) {
        return error;
    }
    if (!skip_if(json, '"')) {
        return FIL_E_MALFORMED;
    }
    while (!skip_if(json, '"')) {
        if (peek(json) < ' ') {
            return FIL_E_MALFORMED; // a control character, or the end of the text
        }
        if (skip_if(json, '\\')) {
            if (!skip_escape(json)) {
                return FIL_E_MALFORMED;
            }
        } else {
            json->at++;
        }
    }
    return close_node(json, *out_index);
}

static bool skip_digits(struct fil_json *json)
{
    size_t start = json->at;
    while (is_digit(peek(json))) {
        json->at++;
    }
    return json->at > start;
}

static bool skip_number(struct fil_json *json)
{
    (void)skip_if(json, '-');
    if (!skip_if(json, '0') && !skip_digits(json)) {
        return false;
    }
    if (skip_if(json, '.') && !skip_digits(json)) {
        return false;
    }
    if (skip_if(json, 'e') || skip_if(json, 'E')) {
        if (!skip_if(json, '+')) {
            (void)skip_if(json, '-');
        }
        return skip_digits(json);
    }
    return true;
}

static bool skip_word(struct fil_json *json, const char *word)
{
    size_t size = strlen(word);
    if (json->text.size - json->at < size || memcmp(json->text.data + json->at, word, size) != 0) {
        return false;
    }
    json->at += size;
    return true;
}

static int read_plain(struct fil_json *json)
{
    uint32_t index = 0;
    int error = add_node(json, FIL_JSON_NUMBER, &index);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_json_node *node = &json->nodes[index];
    if (skip_word(json, "null")) {
        node->kind = FIL_JSON_NULL;
    } else if (skip_word(json, "true")) {
        node->kind = FIL_JSON_TRUE;
    } else if (skip_word(json, "false")) {
        node->kind = FIL_JSON_FALSE;
    } else if (!skip_number(json)) {
        return FIL_E_MALFORMED;
    }
    return close_node(json, index);
}

static int read_array(struct fil_json *json, uint32_t depth)
{
    uint32_t index = 0;
    int error = add_node(json, FIL_JSON_ARRAY, &index);
    json->at++;
    skip_blanks(json);
    bool is_over = error == FIL_OK && skip_if(json, ']');
    while (error == FIL_OK && !is_over) {
        error = read_value(json, depth);
        skip_blanks(json);
        is_over = skip_if(json, ']');
        if (error == FIL_OK && !is_over && !skip_if(json, ',')) {
            return FIL_E_MALFORMED;
        }
    }
    return error == FIL_OK ? close_node(json, index) : error;
}

static int read_member(struct fil_json *json, uint32_t depth)
{
    uint32_t name = 0;
    skip_blanks(json);
    int error = read_string(json, &name);
    if (error != FIL_OK) {
        return error;
    }
    json->nodes[name].name_hash = fil_json__hash_name(json, &json->nodes[name]);
    skip_blanks(json);
    return skip_if(json, ':') ? read_value(json, depth) : FIL_E_MALFORMED;
}

static int read_object(struct fil_json *json, uint32_t depth)
{
    uint32_t index = 0;
    int error = add_node(json, FIL_JSON_OBJECT, &index);
    json->at++;
    skip_blanks(json);
    bool is_over = error == FIL_OK && skip_if(json, '}');
    while (error == FIL_OK && !is_over) {
        error = read_member(json, depth);
        skip_blanks(json);
        is_over = skip_if(json, '}');
        if (error == FIL_OK && !is_over && !skip_if(json, ',')) {
            return FIL_E_MALFORMED;
        }
    }
    return error == FIL_OK ? close_node(json, index) : error;
}

static int read_value(struct fil_json *json, uint32_t depth)
{
    uint32_t index = 0;
    skip_blanks(json);
    if (depth == FIL_JSON_DEPTH_MAX) {
        return FIL_E_LIMIT;
    }
    switch (peek(json)) {
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
    *json = (struct fil_json){.text = text};
    if (!fil_utf8_is_valid(text)) {
        return FIL_E_MALFORMED;
    }
    int error = read_value(json, 0);
    skip_blanks(json);
    return error == FIL_OK && json->at != text.size ? FIL_E_MALFORMED : error;
}

void fil_json_release(struct fil_json *json)
{
    fil_free(json->nodes);
    *json = (struct fil_json){0};
}

struct fil_bytes fil_json_text(const struct fil_json *json, const struct fil_json_node *node)
{
    fil_assert(node->start <= node->end && node->end <= json->text.size);
    return fil_bytes_make(json->text.data + node->start, node->end - node->start);
}
