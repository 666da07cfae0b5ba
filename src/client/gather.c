// SPDX-License-Identifier: Apache-2.0
#include "client/gather.h"

#include <string.h>

#include "client/client_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

static bool has_bytes(const struct fil_value *value)
{
    return value->type == FIL_VALUE_STR || value->type == FIL_VALUE_BLOB ||
           value->type == FIL_VALUE_JSON || value->type == FIL_VALUE_DATA;
}

static int grow_items(struct fil_gather *gather, size_t wanted)
{
    if (wanted <= gather->capacity) {
        return FIL_OK;
    }
    size_t capacity = gather->capacity * 2 < wanted ? wanted : gather->capacity * 2;
    struct fil_value *items = fil_realloc(gather->items, capacity * sizeof(*items));
    if (items == NULL) {
        return FIL_E_NOMEM;
    }
    gather->items = items;
    gather->capacity = capacity;
    return FIL_OK;
}

static int grow_bytes(struct fil_gather *gather, size_t wanted)
{
    if (wanted <= gather->bytes_capacity) {
        return FIL_OK;
    }
    size_t capacity = gather->bytes_capacity * 2 < wanted ? wanted : gather->bytes_capacity * 2;
    uint8_t *bytes = fil_realloc(gather->bytes, capacity);
    if (bytes == NULL) {
        return FIL_E_NOMEM;
    }
    gather->bytes = bytes;
    gather->bytes_capacity = capacity;
    return FIL_OK;
}

int fil_gather_reserve(struct fil_gather *gather, size_t count)
{
    int error = grow_items(gather, gather->count + count);
    for (size_t i = 0; error == FIL_OK && i < count; i++) {
        gather->items[gather->count] = fil_null();
        gather->count++;
    }
    return error;
}

int fil_gather_set(struct fil_gather *gather, size_t index, struct fil_bytes data)
{
    fil_assert(index < gather->count);
    struct fil_value value = fil_client__value_view(data);
    if (has_bytes(&value)) {
        size_t size = value.as.bytes.size;
        int error = grow_bytes(gather, gather->bytes_size + size + 1);
        if (error != FIL_OK) {
            return error;
        }
        memcpy(gather->bytes + gather->bytes_size, value.as.bytes.data, size);
        gather->bytes[gather->bytes_size + size] = 0;
        // The bytes may move; until finish only their place is known.
        value.as.bytes.data = (const void *)(uintptr_t)gather->bytes_size;
        gather->bytes_size += size + 1;
    }
    gather->items[index] = value;
    return FIL_OK;
}

int fil_gather_add(struct fil_gather *gather, struct fil_bytes data)
{
    int error = fil_gather_reserve(gather, 1);
    return error == FIL_OK ? fil_gather_set(gather, gather->count - 1, data) : error;
}

int fil_gather_finish(struct fil_gather *gather, struct fil_value **out_items)
{
    size_t items_size = gather->count * sizeof(struct fil_value);
    uint8_t *block = fil_alloc(items_size + gather->bytes_size + 1);
    *out_items = (struct fil_value *)(void *)block;
    if (block == NULL) {
        return FIL_E_NOMEM;
    }
    if (gather->bytes_size > 0) {
        memcpy(block + items_size, gather->bytes, gather->bytes_size);
    }
    for (size_t i = 0; i < gather->count; i++) {
        struct fil_value *item = &(*out_items)[i];
        *item = gather->items[i];
        if (has_bytes(item)) {
            item->as.bytes.data = block + items_size + (uintptr_t)item->as.bytes.data;
        }
    }
    return FIL_OK;
}

void fil_gather_fini(struct fil_gather *gather)
{
    fil_free(gather->items);
    fil_free(gather->bytes);
    *gather = (struct fil_gather){0};
}
