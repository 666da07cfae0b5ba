// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/schemas.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/codec.h"
#include "protocol/client/query/compact.h"
#include "protocol/client/schema.h"

struct entry {
    struct fil_list link;
    int64_t id;
    struct fil_compact_layout *layout;
    size_t size;
    uint8_t frames[];
};

void fil_wire_schemas_init(struct fil_wire_schemas *schemas, struct fil_budget *budget)
{
    *schemas = (struct fil_wire_schemas){.budget = budget};
    fil_mutex_init(&schemas->mutex);
    fil_list_init(&schemas->list);
}

void fil_wire_schemas_fini(struct fil_wire_schemas *schemas)
{
    for (struct fil_list *link = fil_list_take_front(&schemas->list); link != NULL;
         link = fil_list_take_front(&schemas->list)) {
        struct entry *entry = FIL_CONTAINER_OF(link, struct entry, link);
        fil_budget_return(schemas->budget, entry->layout->size_bytes);
        fil_compact_layout_free(entry->layout);
        fil_budget_free(schemas->budget, entry, sizeof(*entry) + entry->size);
    }
    fil_mutex_fini(&schemas->mutex);
}

static struct entry *find(struct fil_wire_schemas *schemas, int64_t id)
{
    fil_list_foreach(link, &schemas->list) {
        struct entry *entry = FIL_CONTAINER_OF(link, struct entry, link);
        if (entry->id == id) {
            return entry;
        }
    }
    return NULL;
}

static struct fil_compact_layout *new_layout(struct fil_wire_schemas *schemas,
                                             const struct fil_wire_schema *schema, int *out_error)
{
    struct fil_compact_layout *layout = fil_compact_layout_new(schema, out_error);
    if (layout != NULL && !fil_budget_draw(schemas->budget, layout->size_bytes)) {
        fil_compact_layout_free(layout);
        *out_error = FIL_E_NOMEM;
        return NULL;
    }
    return layout;
}

static int add(struct fil_wire_schemas *schemas, int64_t id, struct fil_bytes frames,
               const struct fil_wire_schema *schema)
{
    int error = FIL_OK;
    size_t size = sizeof(struct entry) + frames.size;
    if (schemas->count == FIL_WIRE_SCHEMAS_MAX) {
        return FIL_E_LIMIT;
    }
    struct entry *entry = fil_budget_alloc(schemas->budget, size);
    if (entry == NULL) {
        return FIL_E_NOMEM;
    }
    entry->layout = new_layout(schemas, schema, &error);
    if (entry->layout == NULL) {
        fil_budget_free(schemas->budget, entry, size);
        return error;
    }
    entry->id = id;
    entry->size = frames.size;
    memcpy(entry->frames, frames.data, frames.size);
    fil_list_init(&entry->link);
    fil_list_push_back(&schemas->list, &entry->link);
    schemas->count++;
    return FIL_OK;
}

int fil_wire_schemas_put(struct fil_wire_schemas *schemas, const struct fil_wire_part *schema)
{
    struct fil_wire_schema decoded;
    int64_t id = 0;
    if (schema->kind != FIL_WIRE_PART_FRAMES ||
        !fil_wire_decode_part(FIL_WIRE_LAYOUT(schema), schema, &decoded)) {
        return FIL_E_MALFORMED;
    }
    int error = fil_wire_schema_id(&decoded, &id);
    if (error != FIL_OK) {
        return error;
    }
    fil_mutex_lock(&schemas->mutex);
    error = find(schemas, id) != NULL ? FIL_OK : add(schemas, id, schema->frames, &decoded);
    fil_mutex_unlock(&schemas->mutex);
    return error;
}

int fil_wire_schemas_put_all(struct fil_wire_schemas *schemas, const struct fil_wire_part *list)
{
    struct fil_wire_cursor cursor = fil_wire_part_open(list);
    const uint8_t *start = cursor.position;
    struct fil_wire_schema decoded;
    int error = FIL_OK;
    while (error == FIL_OK && FIL_WIRE_DECODE_ITEM(schema, &cursor, &decoded)) {
        struct fil_wire_part part = {.kind = FIL_WIRE_PART_FRAMES,
                                     .frames =
                                         fil_bytes_make(start, (size_t)(cursor.position - start))};
        error = fil_wire_schemas_put(schemas, &part);
        start = cursor.position;
    }
    return error;
}

void fil_wire_schemas_write(struct fil_wire_schemas *schemas, int64_t id,
                            struct fil_wire_writer *writer)
{
    fil_mutex_lock(&schemas->mutex);
    const struct entry *entry = find(schemas, id);
    if (entry == NULL) {
        fil_wire_writer_null(writer);
    } else {
        fil_wire_writer_frames(writer, fil_bytes_make(entry->frames, entry->size));
    }
    fil_mutex_unlock(&schemas->mutex);
}

const struct fil_compact_layout *fil_wire_schemas_layout(struct fil_wire_schemas *schemas,
                                                         int64_t id)
{
    fil_mutex_lock(&schemas->mutex);
    const struct entry *entry = find(schemas, id);
    fil_mutex_unlock(&schemas->mutex);
    return entry == NULL ? NULL : entry->layout;
}
