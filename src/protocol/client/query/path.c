// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/path.h"

#include "filbert/error.h"
#include "grid/map/form.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "protocol/client/form.h"
#include "protocol/client/query/path_internal.h"

#define TYPE_COMPACT (-55)

// Reading a path.

static int add_step(struct fil_query_path *path, const struct fil_query_step *step)
{
    if (path->step_count == FIL_QUERY_STEPS_MAX) {
        return FIL_E_LIMIT;
    }
    path->steps[path->step_count] = *step;
    path->step_count++;
    return FIL_OK;
}

/** What stands between brackets: a number, or any. */
static int add_index(struct fil_query_path *path, struct fil_bytes text)
{
    uint64_t index = 0;
    struct fil_query_step step = {.kind = FIL_QUERY_STEP_ANY};
    if (!fil_bytes_equal_text(text, "any")) {
        if (!fil_bytes_to_u64(text, &index) || index > UINT32_MAX) {
            return FIL_E_MALFORMED;
        }
        step = (struct fil_query_step){.kind = FIL_QUERY_STEP_INDEX, .index = (uint32_t)index};
    }
    return add_step(path, &step);
}

static int add_name(struct fil_query_path *path, struct fil_bytes name)
{
    bool is_first = path->step_count == 0 && !path->is_key;
    if (name.size == 0) {
        return FIL_E_MALFORMED;
    }
    if (is_first && fil_bytes_equal_text(name, "__key")) {
        path->is_key = true;
        return FIL_OK;
    }
    if (is_first && fil_bytes_equal_text(name, "this")) {
        return FIL_OK;
    }
    struct fil_query_step step = {.kind = FIL_QUERY_STEP_NAME, .name = name};
    return add_step(path, &step);
}

static struct fil_bytes rest_from(struct fil_bytes bytes, size_t at)
{
    fil_debug_assert(at <= bytes.size);
    return fil_bytes_make(bytes.data + at, bytes.size - at);
}

/** A part between dots: a name with brackets behind it. */
static int add_part(struct fil_query_path *path, struct fil_bytes part)
{
    size_t open = fil_bytes_find(part, '[');
    int error = add_name(path, fil_bytes_make(part.data, open));
    while (error == FIL_OK && open < part.size) {
        struct fil_bytes inside = rest_from(part, open + 1);
        size_t close = fil_bytes_find(inside, ']');
        if (close == inside.size || part.data[open] != '[') {
            return FIL_E_MALFORMED;
        }
        error = add_index(path, fil_bytes_make(inside.data, close));
        open += close + 2;
    }
    return error;
}

int fil_query_path_parse(struct fil_bytes text, struct fil_query_path *out_path)
{
    *out_path = (struct fil_query_path){0};
    int error = FIL_OK;
    bool is_over = false;
    while (error == FIL_OK && !is_over) {
        size_t dot = fil_bytes_find(text, '.');
        is_over = dot == text.size;
        error = add_part(out_path, fil_bytes_make(text.data, dot));
        text = is_over ? text : rest_from(text, dot + 1);
    }
    return error;
}

// Following it.

bool fil_query__visit_null(const struct fil_query__search *search)
{
    struct fil_wire_value null = {.type = FIL_WIRE_DATA_NULL};
    return search->visit(search->context, &null);
}

struct fil_wire_value fil_query_value_of(struct fil_bytes form)
{
    struct fil_wire_value value = {.type = FIL_WIRE_DATA_NULL};
    if (!fil_map_form_is_serialized(form)) {
        return fil_wire_value_text((enum fil_wire_data_type)fil_wire_form_type(form), form);
    }
    if (fil_wire_value_decode(form, &value) != FIL_OK) {
        value.type = FIL_WIRE_DATA_NULL;
    }
    return value;
}

/** Text of other protocols may be JSON as well. */
static bool looks_like_json(struct fil_bytes form)
{
    return form.size > 0 && (form.data[0] == '{' || form.data[0] == '[');
}

static bool search_serialized(const struct fil_query__search *search, struct fil_bytes form)
{
    struct fil_wire_value value;
    struct fil_bytes payload = rest_from(form, FIL_MAP_FORM_HEAD);
    if ((int32_t)fil_load_u32_be(form.data + 4) == TYPE_COMPACT) {
        return fil_query__search_compact(search, payload);
    }
    if (fil_wire_value_decode(form, &value) != FIL_OK) {
        search->entry->is_opaque = true;
        return fil_query__visit_null(search);
    }
    return value.type == FIL_WIRE_DATA_JSON ? fil_query__search_json(search, value.text)
                                            : fil_query__visit_null(search);
}

bool fil_query_path_visit(const struct fil_query_path *path, struct fil_query_entry *entry,
                          fil_query_visit_fn visit, void *context)
{
    struct fil_bytes form = path->is_key ? entry->key : entry->value;
    struct fil_query__search search = {.steps = path->steps,
                                       .step_count = path->step_count,
                                       .entry = entry,
                                       .visit = visit,
                                       .context = context};
    if (path->step_count == 0) {
        struct fil_wire_value value = fil_query_value_of(form);
        return visit(context, &value);
    }
    if (fil_map_form_is_serialized(form)) {
        return search_serialized(&search, form);
    }
    return looks_like_json(form) ? fil_query__search_json(&search, form)
                                 : fil_query__visit_null(&search);
}
