// SPDX-License-Identifier: Apache-2.0
/** Following a path into JSON text, without building anything of it. */
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/json/cursor.h"
#include "protocol/client/query/compare.h"
#include "protocol/client/query/path_internal.h"

#define TEXT_ON_STACK 512U

static struct fil_bytes taken(const struct fil_json_cursor *cursor, size_t start)
{
    fil_debug_assert(start <= cursor->at);
    return fil_bytes_make(cursor->text.data + start, cursor->at - start);
}

/** A value with the characters of a string that has escapes. */
static bool visit_unescaped(const struct fil_query__search *search, struct fil_bytes quoted,
                            uint8_t *room)
{
    struct fil_json_unescaper unescaper = fil_json_unescape(quoted);
    size_t size = 0;
    uint8_t piece[4];
    for (uint32_t more = fil_json_take_piece(&unescaper, piece); more > 0;
         more = fil_json_take_piece(&unescaper, piece)) {
        memcpy(room + size, piece, more);
        size += more;
    }
    fil_assert(size <= quoted.size); // an escape is longer than what it stands for
    struct fil_wire_value value =
        fil_wire_value_text(FIL_WIRE_DATA_STRING, fil_bytes_make(room, size));
    return search->visit(search->context, &value);
}

static bool visit_string(const struct fil_query__search *search, struct fil_bytes quoted)
{
    uint8_t on_stack[TEXT_ON_STACK];
    struct fil_bytes plain = fil_bytes_make(quoted.data + 1, quoted.size - 2);
    if (fil_bytes_find(plain, '\\') == plain.size) {
        struct fil_wire_value value = fil_wire_value_text(FIL_WIRE_DATA_STRING, plain);
        return search->visit(search->context, &value);
    }
    if (quoted.size <= sizeof(on_stack)) {
        return visit_unescaped(search, quoted, on_stack);
    }
    uint8_t *room = fil_alloc(quoted.size);
    if (room == NULL) {
        search->entry->is_opaque = true;
        return fil_query__visit_null(search);
    }
    bool is_enough = visit_unescaped(search, quoted, room);
    fil_free(room);
    return is_enough;
}

/** The value that was found. */
static bool visit_found(const struct fil_query__search *search, struct fil_bytes found)
{
    struct fil_wire_value value = {.type = FIL_WIRE_DATA_NULL};
    fil_assert(found.size > 0);
    switch (found.data[0]) {
    case '"':
        return visit_string(search, found);
    case 'n':
        break;
    case 't':
    case 'f':
        value = fil_wire_value_boolean(found.data[0] == 't');
        break;
    case '{':
    case '[':
        value = fil_wire_value_text(FIL_WIRE_DATA_JSON, found);
        break;
    default:
        if (!fil_query_number_of(found, &value)) {
            value.type = FIL_WIRE_DATA_NULL;
        }
    }
    return search->visit(search->context, &value);
}

/** The value of the member of that name; false when there is none, or no sense in the text. */
static bool find_member(struct fil_json_cursor *cursor, struct fil_bytes name)
{
    if (!fil_json_skip_if(cursor, '{')) {
        return false;
    }
    for (;;) {
        fil_json_skip_blanks(cursor);
        size_t start = cursor->at;
        if (!fil_json_skip_string(cursor)) {
            return false;
        }
        bool is_it = fil_json_string_equals(taken(cursor, start), name);
        fil_json_skip_blanks(cursor);
        if (!fil_json_skip_if(cursor, ':')) {
            return false;
        }
        if (is_it) {
            return true;
        }
        if (!fil_json_skip_value(cursor)) {
            return false;
        }
        fil_json_skip_blanks(cursor);
        if (!fil_json_skip_if(cursor, ',')) {
            return false;
        }
    }
}

/** Goes on inside of the value at the cursor, and steps over it. */
static bool search_value(const struct fil_query__search *search, struct fil_json_cursor *cursor,
                         bool *out_is_enough)
{
    fil_json_skip_blanks(cursor);
    size_t start = cursor->at;
    if (!fil_json_skip_value(cursor)) {
        return false;
    }
    struct fil_bytes found = taken(cursor, start);
    struct fil_query__search next = fil_query__next(search);
    *out_is_enough =
        next.step_count == 0 ? visit_found(&next, found) : fil_query__search_json(&next, found);
    return true;
}

/** The items of an array: one of them, or any. */
static bool search_items(const struct fil_query__search *search, struct fil_json_cursor *cursor)
{
    bool is_any = search->steps->kind == FIL_QUERY_STEP_ANY;
    bool is_enough = false;
    bool is_there = fil_json_skip_if(cursor, '[');
    fil_json_skip_blanks(cursor);
    is_there = is_there && fil_json_peek(cursor) != ']';
    for (uint32_t i = 0; is_there && !is_enough; i++) {
        bool is_wanted = is_any || i == search->steps->index;
        bool is_good =
            is_wanted ? search_value(search, cursor, &is_enough) : fil_json_skip_value(cursor);
        if (is_wanted && is_good && !is_any) {
            return is_enough;
        }
        fil_json_skip_blanks(cursor);
        is_there = is_good && fil_json_skip_if(cursor, ',');
    }
    return is_any ? is_enough : fil_query__visit_null(search);
}

bool fil_query__search_json(const struct fil_query__search *search, struct fil_bytes text)
{
    struct fil_json_cursor cursor = {.text = text};
    bool is_enough = false;
    fil_assert(search->step_count > 0);
    fil_json_skip_blanks(&cursor);
    if (search->steps->kind != FIL_QUERY_STEP_NAME) {
        return search_items(search, &cursor);
    }
    if (!find_member(&cursor, search->steps->name) || !search_value(search, &cursor, &is_enough)) {
        return fil_query__visit_null(search);
    }
    return is_enough;
}
