// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/stream/window_internal.h"

/** With early results by event time, when the last ones were. */
static size_t head_size(const struct fil_window *window)
{
    return window->config->early.every != 0 ? 2 * sizeof(int64_t) : sizeof(int64_t);
}

static bool save_head(struct fil_window *window, struct fil_state_writer *writer)
{
    const int64_t head[2] = {window->closed, window->early.told};
    return fil_state_put_all(writer, fil_bytes_make(NULL, 0),
                             fil_bytes_make(head, head_size(window)));
}

/** One state under its key and slice; true also when there is none. */
static bool save_state(struct fil_window *window, struct fil_state_writer *writer)
{
    const struct fil_window_slice *slice = &window->slices[window->saved_slice];
    const void *state = fil_column_find(&slice->states, window->saved_slot);
    const struct fil_key_table *table = &window->group.table;
    if (state == NULL || !fil_key_table_has(table, window->saved_slot) ||
        fil_aggregate_count_of(state) == 0) {
        return true;
    }
    struct fil_bytes key = fil_key_table_key(table, window->saved_slot);
    uint8_t name[sizeof(slice->index) + FIL_KEY_TABLE_KEY_BYTES_MAX];
    memcpy(name, &slice->index, sizeof(slice->index));
    memcpy(name + sizeof(slice->index), key.data, key.size);
    return fil_state_put_keyed(writer, fil_key_table_hash(table, window->saved_slot),
                               fil_bytes_make(name, sizeof(slice->index) + key.size),
                               fil_bytes_make(state, window->segments.item_size));
}

int fil_window__save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    struct fil_window *window = self;
    (void)context;
    if (!window->is_head_saved && !save_head(window, writer)) {
        return FIL_E_FULL;
    }
    window->is_head_saved = true;
    for (; window->saved_slice < window->slice_count; window->saved_slice++) {
        for (; window->saved_slot < window->group.table.slot_limit; window->saved_slot++) {
            if (!save_state(window, writer)) {
                return FIL_E_FULL;
            }
        }
        window->saved_slot = 0;
    }
    window->saved_slice = 0;
    window->is_head_saved = false;
    return FIL_OK;
}

static int restore_head(struct fil_window *window, struct fil_bytes value)
{
    int64_t head[2] = {0, FIL_TIME_NONE};
    if (value.size != head_size(window)) {
        return FIL_E_MALFORMED;
    }
    memcpy(head, value.data, value.size);
    int64_t closed = head[0];
    window->early.told =
        window->has_head && window->early.told < head[1] ? window->early.told : head[1];
    // Instances differ only with at-least-once: the least loses nothing.
    window->closed = window->has_head && window->closed < closed ? window->closed : closed;
    window->has_head = true;
    return FIL_OK;
}

static int restore_state(struct fil_window *window, int64_t index, struct fil_bytes key,
                         struct fil_bytes value)
{
    uint32_t slot = 0;
    struct fil_window_slice *slice = NULL;
    int error = fil_group_find_key(&window->group, key, &slot);
    if (error == FIL_OK) {
        error = fil_window__find_slice(window, index, &slice);
    }
    if (error != FIL_OK) {
        return error;
    }
    return fil_group_restore(&window->group, &slice->states, slot, value);
}

int fil_window__restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                        struct fil_bytes value)
{
    struct fil_window *window = self;
    fil_early_wind(&window->config->early, context);
    if (key.size == 0) {
        return restore_head(window, value);
    }
    int64_t index;
    if (key.size <= sizeof(index)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&index, key.data, sizeof(index));
    return restore_state(window, index,
                         fil_bytes_make(key.data + sizeof(index), key.size - sizeof(index)), value);
}
