// SPDX-License-Identifier: Apache-2.0
#include "grid/map/json_merge.h"

#include "filbert/error.h"
#include "lib/json/json.h"

#define NONE UINT32_MAX

/** A value of a json; index NONE: there is none. */
struct value {
    const struct fil_json *json;
    uint32_t index;
};

static const struct fil_json_node *node_of(struct value value)
{
    return &value.json->nodes[value.index];
}

static bool is_object(struct value value)
{
    return value.index != NONE && node_of(value)->kind == FIL_JSON_OBJECT;
}

/** The value of the last member of that name from index `from` on. */
static struct value find_member(struct value object, uint32_t from, const struct fil_json *other,
                                const struct fil_json_node *name)
{
    struct value found = {.json = object.json, .index = NONE};
    uint32_t behind = node_of(object)->behind;
    for (uint32_t i = from; i < behind; i = object.json->nodes[i + 1].behind) {
        if (fil_json_is_same_name(object.json, &object.json->nodes[i], other, name)) {
            found.index = i + 1;
        }
    }
    return found;
}

static void write_text(struct fil_map_buffer *out, struct value value)
{
    fil_map_buffer_add(out, fil_json_text(value.json, node_of(value)));
}

static void write_name(struct fil_map_buffer *out, const struct fil_json *json, uint32_t name,
                       bool *is_first)
{
    if (!*is_first) {
        fil_map_buffer_add(out, fil_bytes_of(","));
    }
    *is_first = false;
    write_text(out, (struct value){.json = json, .index = name});
    fil_map_buffer_add(out, fil_bytes_of(":"));
}

static void merge(struct value target, struct value patch, struct fil_map_buffer *out);

/** The target's members: kept, merged, or left out. */
static void write_old_members(struct value target, struct value patch, struct fil_map_buffer *out,
                              bool *is_first)
{
    const struct fil_json_node *nodes = target.json->nodes;
    uint32_t behind = node_of(target)->behind;
    for (uint32_t i = target.index + 1; i < behind; i = nodes[i + 1].behind) {
        struct value own = {.json = target.json, .index = i + 1};
        struct value change = find_member(patch, patch.index + 1, target.json, &nodes[i]);
        bool is_repeated =
            find_member(target, nodes[i + 1].behind, target.json, &nodes[i]).index != NONE;
        if (is_repeated || (change.index != NONE && node_of(change)->kind == FIL_JSON_NULL)) {
            continue;
        }
        write_name(out, target.json, i, is_first);
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
    const struct fil_json_node *nodes = patch.json->nodes;
    uint32_t behind = node_of(patch)->behind;
    struct value none = {.json = patch.json, .index = NONE};
    for (uint32_t i = patch.index + 1; i < behind; i = nodes[i + 1].behind) {
        struct value own = {.json = patch.json, .index = i + 1};
        bool is_repeated =
            find_member(patch, nodes[i + 1].behind, patch.json, &nodes[i]).index != NONE;
        bool is_old = is_object(target) &&
                      find_member(target, target.index + 1, patch.json, &nodes[i]).index != NONE;
        if (is_repeated || is_old || node_of(own)->kind == FIL_JSON_NULL) {
            continue;
        }
        write_name(out, patch.json, i, is_first);
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
    struct fil_json old = {0};
    struct fil_json change = {0};
    int error = target.size == 0 ? FIL_OK : fil_json_read(&old, target);
    if (error == FIL_OK) {
        error = fil_json_read(&change, patch);
    }
    if (error == FIL_OK) {
        struct value from = {.json = &old, .index = target.size == 0 ? NONE : 0};
        merge(from, (struct value){.json = &change, .index = 0}, out);
        error = out->is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    }
    fil_json_release(&old);
    fil_json_release(&change);
    return error;
}
