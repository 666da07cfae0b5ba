// SPDX-License-Identifier: Apache-2.0
#include "grid/map/json_merge.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"

#define NONE UINT32_MAX

enum kind {
    KIND_OBJECT, // its members follow: a name, a value, and so on
    KIND_ARRAY,
    KIND_STRING,
    KIND_NULL,
    KIND_OTHER, // a number, true or false
};

struct node {
    enum kind kind;
    uint32_t behind; // the index behind it and all that is inside
    uint32_t name_hash;
    size_t start; // in the text
    size_t end;
};

struct document {
    struct fil_bytes text;
    size_t at; // while it is read
    struct node *nodes;
    uint32_t count;
    uint32_t capacity;
};

// Reading.

static int read_value(struct document *document, uint32_t depth);

static uint8_t peek(const struct document *document)
{
    return document->at < document->text.size ? document->text.data[document->at] : 0;
}

static void skip_blanks(struct document *document)
{
    while (peek(document) == ' ' || peek(document) == '\t' || peek(document) == '\n' ||
           peek(document) == '\r') {
        document->at++;
    }
}

static bool skip_if(struct document *document, uint8_t wanted)
{
    if (document->at < document->text.size && peek(document) == wanted) {
        document->at++;
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

static int add_node(struct document *document, enum kind kind, uint32_t *out_index)
{
    if (document->count == document->capacity) {
        uint32_t capacity = document->capacity == 0 ? 64 : document->capacity * 2;
        if (capacity > FIL_JSON_VALUES_MAX) {
            return FIL_E_LIMIT;
        }
        struct node *nodes = fil_realloc(document->nodes, capacity * sizeof(*nodes));
        if (nodes == NULL) {
            return FIL_E_NOMEM;
        }
        document->nodes = nodes;
        document->capacity = capacity;
    }
    *out_index = document->count;
    document->nodes[document->count] = (struct node){.kind = kind, .start = document->at};
    document->count++;
    return FIL_OK;
}

static int close_node(struct document *document, uint32_t index)
{
    document->nodes[index].end = document->at;
    document->nodes[index].behind = document->count;
    return FIL_OK;
}

static bool skip_escape(struct document *document)
{
    if (!skip_if(document, 'u')) {
        uint8_t c = peek(document);
        document->at++;
        return c != 0 && strchr("\"\\/bfnrt", c) != NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (!is_hex(peek(document))) {
            return false;
        }
        document->at++;
    }
    return true;
}

static int read_string(struct document *document, uint32_t *out_index)
{
    int error = add_node(document, KIND_STRING, out_index);
    if (error != FIL_OK) {
        return error;
    }
    if (!skip_if(document, '"')) {
        return FIL_E_MALFORMED;
    }
    while (!skip_if(document, '"')) {
        if (peek(document) < ' ') {
            return FIL_E_MALFORMED; // a control character, or the end of the text
        }
        if (skip_if(document, '\\')) {
            if (!skip_escape(document)) {
                return FIL_E_MALFORMED;
            }
        } else {
            document->at++;
        }
    }
    return close_node(document, *out_index);
}

static bool skip_digits(struct document *document)
{
    size_t start = document->at;
    while (is_digit(peek(document))) {
        document->at++;
    }
    return document->at > start;
}

static bool skip_number(struct document *document)
{
    (void)skip_if(document, '-');
    if (!skip_if(document, '0') && !skip_digits(document)) {
        return false;
    }
    if (skip_if(document, '.') && !skip_digits(document)) {
        return false;
    }
    if (skip_if(document, 'e') || skip_if(document, 'E')) {
        if (!skip_if(document, '+')) {
            (void)skip_if(document, '-');
        }
        return skip_digits(document);
    }
    return true;
}

static bool skip_word(struct document *document, const char *word)
{
    size_t size = strlen(word);
    if (document->text.size - document->at < size ||
        memcmp(document->text.data + document->at, word, size) != 0) {
        return false;
    }
    document->at += size;
    return true;
}

static int read_plain(struct document *document)
{
    uint32_t index = 0;
    int error = add_node(document, KIND_OTHER, &index);
    if (error != FIL_OK) {
        return error;
    }
    if (skip_word(document, "null")) {
        document->nodes[index].kind = KIND_NULL;
    } else if (!skip_word(document, "true") && !skip_word(document, "false") &&
               !skip_number(document)) {
        return FIL_E_MALFORMED;
    }
    return close_node(document, index);
}

static int read_array(struct document *document, uint32_t depth)
{
    uint32_t index = 0;
    int error = add_node(document, KIND_ARRAY, &index);
    document->at++;
    skip_blanks(document);
    bool is_over = error == FIL_OK && skip_if(document, ']');
    while (error == FIL_OK && !is_over) {
        error = read_value(document, depth);
        skip_blanks(document);
        is_over = skip_if(document, ']');
        if (error == FIL_OK && !is_over && !skip_if(document, ',')) {
            return FIL_E_MALFORMED;
        }
    }
    return error == FIL_OK ? close_node(document, index) : error;
}

// Names, by their characters.

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

static struct unescaper unescape(const struct document *document, const struct node *node)
{
    return (struct unescaper){.at = document->text.data + node->start + 1,
                              .end = document->text.data + node->end - 1};
}

static uint32_t hash_name(const struct document *document, const struct node *node)
{
    struct unescaper name = unescape(document, node);
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

static bool is_same_name(const struct document *a, const struct node *a_name,
                         const struct document *b, const struct node *b_name)
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

static int read_member(struct document *document, uint32_t depth)
{
    uint32_t name = 0;
    skip_blanks(document);
    int error = read_string(document, &name);
    if (error != FIL_OK) {
        return error;
    }
    document->nodes[name].name_hash = hash_name(document, &document->nodes[name]);
    skip_blanks(document);
    return skip_if(document, ':') ? read_value(document, depth) : FIL_E_MALFORMED;
}

static int read_object(struct document *document, uint32_t depth)
{
    uint32_t index = 0;
    int error = add_node(document, KIND_OBJECT, &index);
    document->at++;
    skip_blanks(document);
    bool is_over = error == FIL_OK && skip_if(document, '}');
    while (error == FIL_OK && !is_over) {
        error = read_member(document, depth);
        skip_blanks(document);
        is_over = skip_if(document, '}');
        if (error == FIL_OK && !is_over && !skip_if(document, ',')) {
            return FIL_E_MALFORMED;
        }
    }
    return error == FIL_OK ? close_node(document, index) : error;
}

static int read_value(struct document *document, uint32_t depth)
{
    uint32_t index = 0;
    skip_blanks(document);
    if (depth == FIL_JSON_DEPTH_MAX) {
        return FIL_E_LIMIT;
    }
    switch (peek(document)) {
    case '{':
        return read_object(document, depth + 1);
    case '[':
        return read_array(document, depth + 1);
    case '"':
        return read_string(document, &index);
    default:
        return read_plain(document);
    }
}

static int read_document(struct document *document, struct fil_bytes text)
{
    *document = (struct document){.text = text};
    if (!fil_utf8_is_valid(text)) {
        return FIL_E_MALFORMED;
    }
    int error = read_value(document, 0);
    skip_blanks(document);
    return error == FIL_OK && document->at != text.size ? FIL_E_MALFORMED : error;
}

// Merging.

/** A value of a document; index NONE: there is none. */
struct value {
    const struct document *document;
    uint32_t index;
};

static const struct node *node_of(struct value value)
{
    return &value.document->nodes[value.index];
}

static bool is_object(struct value value)
{
    return value.index != NONE && node_of(value)->kind == KIND_OBJECT;
}

/** The value of the last member of that name from index `from` on. */
static struct value find_member(struct value object, uint32_t from, const struct document *other,
                                const struct node *name)
{
    struct value found = {.document = object.document, .index = NONE};
    uint32_t behind = node_of(object)->behind;
    for (uint32_t i = from; i < behind; i = object.document->nodes[i + 1].behind) {
        if (is_same_name(object.document, &object.document->nodes[i], other, name)) {
            found.index = i + 1;
        }
    }
    return found;
}

static void write_text(struct fil_map_buffer *out, struct value value)
{
    const struct node *node = node_of(value);
    fil_map_buffer_add(
        out, fil_bytes_make(value.document->text.data + node->start, node->end - node->start));
}

static void write_name(struct fil_map_buffer *out, const struct document *document, uint32_t name,
                       bool *is_first)
{
    if (!*is_first) {
        fil_map_buffer_add(out, fil_bytes_of(","));
    }
    *is_first = false;
    write_text(out, (struct value){.document = document, .index = name});
    fil_map_buffer_add(out, fil_bytes_of(":"));
}

static void merge(struct value target, struct value patch, struct fil_map_buffer *out);

/** The target's members: kept, merged, or left out. */
static void write_old_members(struct value target, struct value patch, struct fil_map_buffer *out,
                              bool *is_first)
{
    const struct node *nodes = target.document->nodes;
    uint32_t behind = node_of(target)->behind;
    for (uint32_t i = target.index + 1; i < behind; i = nodes[i + 1].behind) {
        struct value own = {.document = target.document, .index = i + 1};
        struct value change = find_member(patch, patch.index + 1, target.document, &nodes[i]);
        bool is_repeated =
            find_member(target, nodes[i + 1].behind, target.document, &nodes[i]).index != NONE;
        if (is_repeated || (change.index != NONE && node_of(change)->kind == KIND_NULL)) {
            continue;
        }
        write_name(out, target.document, i, is_first);
        if (change.index == NONE) {
            write_text(out, own);
        } else {
            merge(own, change, out);
        }
    }
}

/** The patch's members that the target does not have. */
static void write_new_members(struct value target, struct value patch, struct fil_map_buffer *out,
                              bool *is_first)
{
    const struct node *nodes = patch.document->nodes;
    uint32_t behind = node_of(patch)->behind;
    struct value none = {.document = patch.document, .index = NONE};
    for (uint32_t i = patch.index + 1; i < behind; i = nodes[i + 1].behind) {
        struct value own = {.document = patch.document, .index = i + 1};
        bool is_repeated =
            find_member(patch, nodes[i + 1].behind, patch.document, &nodes[i]).index != NONE;
        bool is_old =
            is_object(target) &&
            find_member(target, target.index + 1, patch.document, &nodes[i]).index != NONE;
        if (is_repeated || is_old || node_of(own)->kind == KIND_NULL) {
            continue;
        }
        write_name(out, patch.document, i, is_first);
        merge(none, own, out);
    }
}

/** Bounded: it goes as deep as the patch. */
static void merge(struct value target, struct value patch, struct fil_map_buffer *out)
{
    bool is_first = true;
    if (!is_object(patch)) {
        write_text(out, patch);
        return;
    }
    fil_map_buffer_add(out, fil_bytes_of("{"));
    if (is_object(target)) {
        write_old_members(target, patch, out, &is_first);
    }
    write_new_members(target, patch, out, &is_first);
    fil_map_buffer_add(out, fil_bytes_of("}"));
}

int fil_json_merge(struct fil_bytes target, struct fil_bytes patch, struct fil_map_buffer *out)
{
    struct document old = {0};
    struct document change = {0};
    int error = target.size == 0 ? FIL_OK : read_document(&old, target);
    if (error == FIL_OK) {
        error = read_document(&change, patch);
    }
    if (error == FIL_OK) {
        struct value from = {.document = &old, .index = target.size == 0 ? NONE : 0};
        merge(from, (struct value){.document = &change, .index = 0}, out);
        error = out->is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    }
    fil_free(old.nodes);
    fil_free(change.nodes);
    return error;
}
