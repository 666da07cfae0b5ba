// SPDX-License-Identifier: Apache-2.0
/**
 * Early results of windows: each open window in turn, key by key, its slices combined anew.
 *
 * Running states are not touched: they belong to the next window that ends.
 */
#include <string.h>

#include "core/stream/window_internal.h"

// States that are looked at before other tasklets get their turn.
#define STATES_PER_CALL 16384U

/** Goes on to the first open window from the current one on that has records; false: none. */
static bool find_window(struct fil_window *window)
{
    struct fil_early *early = &window->early;
    if (window->closed != FIL_WINDOW_NO_INDEX && early->next_window <= window->closed) {
        early->next_window = window->closed + 1;
    }
    int64_t first = early->next_window < INT64_MIN + window->pane_count
                        ? INT64_MIN
                        : early->next_window - window->pane_count + 1;
    uint32_t part = fil_window__lower_bound(window, first);
    if (part == window->slice_count) {
        return false;
    }
    if (window->slices[part].index > early->next_window) {
        early->next_window = window->slices[part].index;
        early->next_slot = 0;
    }
    window->first_part = part;
    return true;
}

/** The window's state of the current slot, in the scratch; how many states were looked at. */
static uint32_t combine(struct fil_window *window)
{
    const struct fil_aggregate *aggregate = fil_window__aggregate(window);
    const struct fil_early *early = &window->early;
    memset(window->scratch, 0, aggregate->state_size);
    uint32_t i = window->first_part;
    for (; i < window->slice_count && window->slices[i].index <= early->next_window; i++) {
        const void *part = fil_column_find(&window->slices[i].states, early->next_slot);
        if (part != NULL && fil_aggregate_count_of(part) != 0) {
            aggregate->ops->combine(aggregate, window->scratch, part);
        }
    }
    return i - window->first_part;
}

/** False when there is no room. */
static bool emit(struct fil_window *window, struct fil_processor_context *context)
{
    const struct fil_window_config *config = window->config;
    const struct fil_early *early = &window->early;
    uint32_t size = fil_window_result_bytes(config);
    uint8_t *row = fil_outbox_reserve(&context->outbox, 0, size);
    if (row == NULL) {
        return false;
    }
    int64_t end = (early->next_window + 1) * config->slide;
    const struct fil_window_result head = {.start = end - config->size, .end = end};
    memcpy(row, &head, sizeof(head));
    fil_group_write_key(&window->group, early->next_slot, row + sizeof(head));
    fil_aggregate_export(&config->group.aggregate, window->scratch,
                         row + sizeof(head) + fil_group_key_bytes(&config->group));
    fil_early_write(&config->early, true, row + size - fil_early_bytes(&config->early));
    fil_outbox_commit(&context->outbox, 0, size, end - 1,
                      fil_key_table_hash(&window->group.table, early->next_slot));
    return true;
}

/** The keys of one window. FIL_E_FULL also when it was enough for one call. */
static int run_window(struct fil_window *window, struct fil_processor_context *context,
                      uint32_t *work)
{
    struct fil_early *early = &window->early;
    for (; early->next_slot < window->group.table.slot_limit; early->next_slot++) {
        if (*work >= STATES_PER_CALL) {
            return FIL_E_FULL;
        }
        (*work)++;
        if (!fil_key_table_has(&window->group.table, early->next_slot)) {
            continue;
        }
        *work += combine(window);
        if (fil_aggregate_count_of(window->scratch) != 0 && !emit(window, context)) {
            return FIL_E_FULL;
        }
    }
    return FIL_OK;
}

int fil_window__emit_early(struct fil_window *window, struct fil_processor_context *context)
{
    uint32_t work = 0;
    fil_early_begin(&window->early);
    while (find_window(window)) {
        int error = run_window(window, context, &work);
        if (error != FIL_OK) {
            return error;
        }
        window->early.next_window++;
        window->early.next_slot = 0;
    }
    window->early.is_under_way = false;
    return FIL_OK;
}
