// SPDX-License-Identifier: Apache-2.0
/**
 * Emission of windows: block by block of slots, column by column.
 *
 * A block is a segment of the columns. Its running states take in the slices that are new in the
 * window, as whole segments; then its results are written, as far as there is room; then the slices
 * that leave the window are deducted, and keys that have no records left are forgotten.
 */
#include <string.h>

#include "core/stream/window_internal.h"
#include "lib/base/assert.h"

#define SLOTS_PER_CALL 4096U

static uint32_t block_size(const struct fil_window *window)
{
    return 1U << window->segments.shift;
}

static uint32_t block_begin(const struct fil_window *window)
{
    return window->slot & ~(block_size(window) - 1);
}

/** One behind the block's last slot that has ever been used. */
static uint32_t block_end(const struct fil_window *window)
{
    uint32_t end = block_begin(window) + block_size(window);
    uint32_t limit = window->group.table.slot_limit;
    return end < limit ? end : limit;
}

/** The window's slices go into the running states of the block. FIL_E_NOMEM. */
static int combine_block(struct fil_window *window)
{
    uint32_t begin = block_begin(window);
    uint8_t *sums = fil_column_get(&window->running, begin);
    if (sums == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = window->first_part;
         i < window->slice_count && window->slices[i].index <= window->emitting; i++) {
        const void *parts = fil_column_find(&window->slices[i].states, begin);
        if (parts != NULL) {
            fil_aggregate_combine_many(fil_window__aggregate(window), sums, parts,
                                       block_size(window));
        }
    }
    window->is_combined = true;
    return FIL_OK;
}

/** Without running states: those of one slot in all slices, as one. */
static const void *combine_slot(struct fil_window *window, uint32_t slot)
{
    const struct fil_aggregate *aggregate = fil_window__aggregate(window);
    memset(window->scratch, 0, aggregate->state_size);
    for (uint32_t i = window->first_part;
         i < window->slice_count && window->slices[i].index <= window->emitting; i++) {
        const void *part = fil_column_find(&window->slices[i].states, slot);
        if (part != NULL && fil_aggregate_count_of(part) != 0) {
            aggregate->ops->combine(aggregate, window->scratch, part);
        }
    }
    return window->scratch;
}

/** The state of the next slot of the block that has a result, from the current one on; or NULL. */
static inline const void *next_state(struct fil_window *window, uint32_t end)
{
    if (window->slot < end && fil_window__has_running(window)) {
        // A slot that is not in use has an empty state here. All slots are in one segment.
        const uint8_t *state = fil_column_at(&window->running, window->slot);
        uint32_t size = window->segments.item_size;
        for (; window->slot < end; window->slot++, state += size) {
            if (fil_aggregate_count_of(state) != 0) {
                return state;
            }
        }
        return NULL;
    }
    for (; window->slot < end; window->slot++) {
        const void *state = fil_key_table_has(&window->group.table, window->slot)
                                ? combine_slot(window, window->slot)
                                : NULL;
        if (state != NULL && fil_aggregate_count_of(state) != 0) {
            return state;
        }
    }
    return NULL;
}

/** Where a batch of results goes. */
struct results {
    uint8_t *rows;
    int64_t *times;   // NULL: the edge has none
    uint64_t *hashes; // NULL: the edge has none
    uint32_t room;
    uint32_t count;
};

/** Writes results, beginning with that of the current slot, until block or room are at their end.
 */
static void write_results(struct fil_window *window, struct results *results, const void *state,
                          uint32_t end)
{
    const struct fil_window_config *config = window->config;
    int64_t window_end = (window->emitting + 1) * config->slide;
    const struct fil_window_result head = {.start = window_end - config->size, .end = window_end};
    uint32_t key_bytes = fil_group_key_bytes(&config->group);
    uint32_t stride = fil_window_result_bytes(config);
    uint8_t *row = results->rows;
    while (state != NULL && results->count < results->room) {
        memcpy(row, &head, sizeof(head));
        fil_group_write_key(&window->group, window->slot, row + sizeof(head));
        fil_aggregate_export(&config->group.aggregate, state, row + sizeof(head) + key_bytes);
        fil_early_write(&config->early, false, row + stride - sizeof(int64_t));
        if (results->times != NULL) {
            results->times[results->count] = window_end - 1;
        }
        if (results->hashes != NULL) {
            results->hashes[results->count] =
                fil_key_table_hash(&window->group.table, window->slot);
        }
        row += stride;
        results->count++;
        window->slot++;
        state = next_state(window, end);
    }
}

/** Whether results are four words each: the head, a key of one, a result that is one of the state.
 */
static bool has_plain_rows(const struct fil_window *window, const struct results *results)
{
    return fil_window__has_running(window) && window->group.word_count == 1 &&
           fil_window__aggregate(window)->ops->has_plain_result && results->hashes == NULL &&
           !fil_early_is_wanted(&window->config->early) &&
           window->group.table.row_segments.shift == window->segments.shift;
}

/** write_results for these, the usual ones: keys and states lie in a row, and nothing is called. */
static void write_plain(struct fil_window *window, struct results *results, const uint8_t *state,
                        uint32_t end)
{
    const struct fil_window_config *config = window->config;
    int64_t window_end = (window->emitting + 1) * config->slide;
    uint32_t size = window->segments.item_size;
    uint32_t result_at = config->group.aggregate.ops->result_at;
    const uint64_t *key = fil_column_at(&window->group.table.rows, window->slot);
    uint64_t *row = (void *)results->rows;
    for (; window->slot < end && results->count < results->room; window->slot++) {
        if (fil_aggregate_count_of(state) != 0) {
            row[0] = (uint64_t)(window_end - config->size);
            row[1] = (uint64_t)window_end;
            row[2] = *key;
            memcpy(&row[3], state + result_at, sizeof(*row));
            row += 4;
            results->count++;
        }
        key++;
        state += size;
    }
    for (uint32_t i = 0; results->times != NULL && i < results->count; i++) {
        results->times[i] = window_end - 1;
    }
}

/** The results of the block from the current slot on; FIL_E_FULL when there is no room. */
static int emit_block(struct fil_window *window, struct fil_processor_context *context)
{
    struct fil_outbox *outbox = &context->outbox;
    uint32_t end = block_end(window);
    const void *state = next_state(window, end);
    while (state != NULL) {
        uint64_t hashes[FIL_BATCH_RECORDS];
        struct results results = {.hashes = fil_outbox_wants_hashes(outbox, 0) ? hashes : NULL};
        results.rows = fil_outbox_reserve_many(outbox, 0, &results.room);
        if (results.rows == NULL) {
            return FIL_E_FULL;
        }
        results.room = results.room < FIL_BATCH_RECORDS ? results.room : FIL_BATCH_RECORDS;
        results.times = fil_outbox_times(outbox, 0);
        if (has_plain_rows(window, &results)) {
            write_plain(window, &results, state, end);
        } else {
            write_results(window, &results, state, end);
        }
        fil_outbox_commit_many(outbox, 0, results.count, results.times, results.hashes);
        window->has_results = true;
        state = next_state(window, end);
    }
    return FIL_OK;
}

/** Whether the slot has records in a slice from that one on. */
static bool is_used(const struct fil_window *window, uint32_t slot, uint32_t first)
{
    for (uint32_t i = first; i < window->slice_count; i++) {
        const void *part = fil_column_find(&window->slices[i].states, slot);
        if (part != NULL && fil_aggregate_count_of(part) != 0) {
            return true;
        }
    }
    return false;
}

static void forget(struct fil_window *window, const uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        void *running = fil_column_find(&window->running, slots[i]);
        if (running != NULL) {
            memset(running, 0, fil_window__aggregate(window)->state_size);
        }
        fil_key_table_remove(&window->group.table, slots[i]);
    }
}

/** The slices that leave the window leave the running states of the block, too. */
static void deduct_block(struct fil_window *window, uint32_t begin, uint32_t leaving)
{
    uint8_t *sums = fil_column_at(&window->running, begin);
    for (uint32_t i = 0; i < leaving; i++) {
        const void *parts = fil_column_find(&window->slices[i].states, begin);
        if (parts != NULL) {
            fil_aggregate_deduct_many(fil_window__aggregate(window), sums, parts,
                                      block_size(window));
        }
    }
}

/** After its results: what leaves the window is let go of. */
static void end_block(struct fil_window *window, uint32_t begin, uint32_t end)
{
    bool has_running = fil_window__has_running(window);
    int64_t last_leaving = window->emitting - window->pane_count + 1;
    uint32_t leaving = fil_window__lower_bound(window, last_leaving + 1);
    if (has_running) {
        deduct_block(window, begin, leaving);
    }
    // Slices behind the window are not in the running states, but their keys are in use.
    uint32_t later = has_running ? fil_window__lower_bound(window, window->emitting + 1) : leaving;
    struct fil_key_table *table = &window->group.table;
    uint32_t gone[FIL_KEY_TABLE_GROUP];
    uint32_t count = 0;
    const uint8_t *running =
        has_running && begin < end ? fil_column_at(&window->running, begin) : NULL;
    uint32_t size = has_running ? window->segments.item_size : 0;
    for (uint32_t slot = begin; slot < end; slot++) {
        if ((running == NULL || fil_aggregate_count_of(running) == 0) &&
            fil_key_table_has(table, slot) && !is_used(window, slot, later)) {
            // Where it is in the index comes in while the others are looked for.
            fil_key_table_fetch(table, fil_key_table_hash(table, slot));
            gone[count++] = slot;
        }
        if (count == FIL_KEY_TABLE_GROUP || slot + 1 == end) {
            forget(window, gone, count);
            count = 0;
        }
        running = running == NULL ? NULL : running + size;
    }
    window->is_combined = false;
}

/** One block of the window that is being emitted. FIL_E_FULL, FIL_E_NOMEM. */
static int run_block(struct fil_window *window, struct fil_processor_context *context)
{
    uint32_t begin = block_begin(window);
    uint32_t end = block_end(window);
    int error = FIL_OK;
    if (fil_window__has_running(window) && !window->is_combined) {
        error = combine_block(window);
    }
    if (error == FIL_OK) {
        error = emit_block(window, context);
    }
    if (error == FIL_OK) {
        end_block(window, begin, end);
        window->slot = end;
    }
    return error;
}

static void drop_slices(struct fil_window *window, int64_t last)
{
    uint32_t count = fil_window__lower_bound(window, last + 1);
    for (uint32_t i = 0; i < count; i++) {
        fil_column_clear(&window->slices[i].states);
    }
    memmove(window->slices, window->slices + count,
            (window->slice_count - count) * sizeof(*window->slices));
    window->slice_count -= count;
    window->slice_last = 0;
}

static void end_window(struct fil_window *window)
{
    window->closed = window->emitting > window->closed ? window->emitting : window->closed;
    window->combined = window->emitting;
    window->is_emitting = false;
    drop_slices(window, window->emitting - window->pane_count + 1);
    if (window->config->stats != NULL && window->has_results) {
        // Relaxed: a count publishes nothing but itself.
        atomic_fetch_add_explicit(&window->config->stats->window_count, 1, memory_order_relaxed);
    }
}

/** Whether a window up to that one is left to emit; starts it. */
static bool begin_window(struct fil_window *window, int64_t last)
{
    if (window->slice_count == 0) {
        return false;
    }
    int64_t next = window->slices[0].index;
    if (window->closed != FIL_WINDOW_NO_INDEX && window->closed + 1 > next &&
        !window->config->keeps_late) {
        next = window->closed + 1;
    }
    if (next > last) {
        return false;
    }
    int64_t first = next - window->pane_count + 1;
    bool is_continued = fil_window__has_running(window) && window->combined >= first;
    window->first_part =
        fil_window__lower_bound(window, is_continued ? window->combined + 1 : first);
    window->emitting = next;
    window->is_emitting = true;
    window->is_combined = false;
    window->has_results = false;
    window->slot = 0;
    return true;
}

int fil_window__emit_until(struct fil_window *window, struct fil_processor_context *context,
                           int64_t last)
{
    for (uint32_t i = 0; i < SLOTS_PER_CALL;) {
        if (!window->is_emitting && !begin_window(window, last)) {
            return FIL_OK;
        }
        while (window->slot < window->group.table.slot_limit && i < SLOTS_PER_CALL) {
            int error = run_block(window, context);
            if (error != FIL_OK) {
                return error;
            }
            i += block_size(window);
        }
        if (window->slot >= window->group.table.slot_limit) {
            end_window(window);
        }
    }
    return FIL_E_FULL;
}
