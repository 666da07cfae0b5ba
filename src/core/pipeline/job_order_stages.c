// SPDX-License-Identifier: Apache-2.0
// The stages of a job file that are about order: sort and top.
#include <string.h>

#include "core/pipeline/job_file_internal.h"

/** FIELD, FIELD asc or FIELD desc. */
static void read_field(struct fil_job_reader *reader, const yaml_node_t *node, bool is_descending,
                       struct fil_order_by *out_by)
{
    const char *text = fil_job_reader__text(reader, node, "a field to order by");
    size_t size = text == NULL ? 0 : strcspn(text, " ");
    const char *way = text == NULL ? "" : text + size;
    if (strcmp(way, " asc") == 0 || strcmp(way, " desc") == 0) {
        is_descending = way[1] == 'd';
    } else if (way[0] != '\0') {
        fil_job_reader__blame(reader, node,
                              "'%s' is no order: write FIELD, FIELD asc or FIELD desc", text);
    }
    if (!reader->has_failed) {
        *out_by = (struct fil_order_by){
            .field = fil_arena_text(&reader->file->arena, fil_bytes_make(text, size)),
            .is_descending = is_descending};
    }
}

/** One field or a list of them. */
static void read_order(struct fil_job_reader *reader, const yaml_node_t *node, bool is_descending,
                       struct fil_order_by out_by[FIL_ORDER_BY_MAX])
{
    if (node->type != YAML_SEQUENCE_NODE) {
        read_field(reader, node, is_descending, &out_by[0]);
        return;
    }
    const yaml_node_item_t *item = node->data.sequence.items.start;
    size_t count = (size_t)(node->data.sequence.items.top - item);
    if (count == 0 || count > FIL_ORDER_BY_MAX) {
        fil_job_reader__blame(reader, node, "an order has 1 to %d fields", FIL_ORDER_BY_MAX);
        return;
    }
    for (size_t i = 0; i < count && !reader->has_failed; i++) {
        read_field(reader, yaml_document_get_node(&reader->document, item[i]), is_descending,
                   &out_by[i]);
    }
}

void fil_job_reader__sort(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_order_by by[FIL_ORDER_BY_MAX] = {{0}};
    read_order(reader, node, false, by);
    if (!reader->has_failed) {
        reader->stage = fil_stage_sort(reader->stage, by, FIL_ORDER_BY_MAX);
    }
}

static void read_top_option(struct fil_job_reader *reader, struct fil_top *top, const char *key,
                            const yaml_node_t *value)
{
    uint64_t count = 0;
    if (strcmp(key, "count") == 0) {
        if (fil_job_reader__count(reader, value, &count)) {
            top->count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
        }
    } else if (strcmp(key, "by") == 0) {
        read_order(reader, value, true, top->by);
    } else if (strcmp(key, "of") == 0) {
        top->key = fil_job_reader__text(reader, value, "the key");
    } else if (strcmp(key, "size") == 0) {
        (void)fil_job_reader__duration(reader, value, &top->size);
    } else if (strcmp(key, "lateness") == 0) {
        (void)fil_job_reader__duration(reader, value, &top->lateness);
    } else {
        fil_job_reader__blame(reader, value, "a top has no '%s'", key);
    }
}

void fil_job_reader__top(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_top top = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_top_option(reader, &top, key, value);
    }
    if (!reader->has_failed) {
        reader->stage = fil_stage_top(reader->stage, &top);
    }
}
