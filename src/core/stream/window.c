// SPDX-License-Identifier: Apache-2.0
#include "core/stream/window.h"

#include <stdio.h>

#include "core/stream/watermark.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define STATES_SHIFT   10U
#define SLOTS_PER_CALL 4096U
#define NO_INDEX       INT64_MIN

// A slice's number is its start divided by the slide. Window w is the one whose last slice is w.

struct slice {
    int64_t index;
    struct fil_column states;
};

struct window {
    const struct fil_window_config *config;
    struct fil_group group;
    struct fil_segments segments;
    int64_t pane_count;   // slices of a window
    struct slice *slices; // by number; only those with records
    uint32_t slice_count;
    uint32_t slice_room;
    uint32_t slice_last;       // that was used last
    int64_t closed;            // last window that was emitted or passed over
    struct fil_column running; // with deduct: sum of the slices up to `combined`
    int64_t combined;
    void *scratch; // without deduct: the window's state of one key

    // The emission that is under way.
    bool is_emitting;
    int64_t emitting;
    uint32_t slot;
    bool is_combined; // the slot's new slices are in its running state
    bool has_results;

    uint32_t saved_slice;
    uint32_t saved_slot;
    bool is_head_saved;
    bool has_head; // restored
};

uint32_t fil_window_result_bytes(const struct fil_window_config *config)
{
    return (uint32_t)sizeof(struct fil_window_result) + fil_group_key_bytes(&config->group) +
           config->group.aggregate.result_size;
}

static const struct fil_aggregate *aggregate_of(const struct window *window)
{
    return &window->config->group.aggregate;
}

static bool is_sliding(const struct window *window)
{
    return window->pane_count > 1;
}

static bool has_running(const struct window *window)
{
    return is_sliding(window) && aggregate_of(window)->ops->deduct != NULL;
}

static int check_config(const struct fil_window_config *config,
                        const struct fil_processor_context *context)
{
    if (config->slide <= 0 || config->size < config->slide || config->size % config->slide != 0 ||
        config->size / config->slide > FIL_WINDOW_SLICES_MAX) {
        return FIL_E_INVALID;
    }
    bool is_good = context->outbox.count == 1 && context->outbox.outlets[0].edge->layout.stride ==
                                                     fil_window_result_bytes(config);
    return is_good ? FIL_OK : FIL_E_INVALID;
}

static int window_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct window *window = self;
    window->config = config;
    int error = check_config(window->config, context);
    if (error == FIL_OK) {
        error = fil_group_init(&window->group, context->budget, &window->config->group);
    }
    if (error != FIL_OK) {
        return error;
    }
    uint32_t state_size = aggregate_of(window)->state_size;
    fil_segments_init(&window->segments, context->budget, state_size,
                      window->group.has_key ? STATES_SHIFT : 0);
    fil_column_init(&window->running, &window->segments);
    window->pane_count = window->config->size / window->config->slide;
    window->closed = NO_INDEX;
    window->combined = NO_INDEX;
    window->scratch = fil_alloc_zero(1, state_size);
    return window->scratch == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void window_close(void *self)
{
    struct window *window = self;
    for (uint32_t i = 0; i < window->slice_count; i++) {
        fil_column_clear(&window->slices[i].states);
    }
    if (window->segments.item_size != 0) {
        fil_column_clear(&window->running);
        fil_segments_fini(&window->segments);
    }
    fil_free(window->slices);
    fil_free(window->scratch);
    fil_group_fini(&window->group);
}

/** First slice whose number is not below; slice_count when there is none. */
static uint32_t lower_bound(const struct window *window, int64_t index)
{
    uint32_t low = 0;
    uint32_t high = window->slice_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (window->slices[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int insert_slice(struct window *window, uint32_t place, int64_t index)
{
    if (window->slice_count == FIL_WINDOW_SLICES_MAX) {
        return FIL_E_LIMIT;
    }
    if (window->slice_count == window->slice_room) {
        uint32_t room = window->slice_room == 0 ? 16 : window->slice_room * 2;
        struct slice *slices = fil_realloc(window->slices, room * sizeof(*slices));
        if (slices == NULL) {
            return FIL_E_NOMEM;
        }
        window->slices = slices;
        window->slice_room = room;
    }
    memmove(&window->slices[place + 1], &window->slices[place],
            (window->slice_count - place) * sizeof(*window->slices));
    window->slices[place].index = index;
    fil_column_init(&window->slices[place].states, &window->segments);
    window->slice_count++;
    return FIL_OK;
}

/** The slice of that number, made if need be. */
static int find_slice(struct window *window, int64_t index, struct slice **out_slice)
{
    uint32_t place = window->slice_last;
    if (place >= window->slice_count || window->slices[place].index != index) {
        place = lower_bound(window, index);
        if (place == window->slice_count || window->slices[place].index != index) {
            int error = insert_slice(window, place, index);
            if (error != FIL_OK) {
                return error;
            }
        }
        window->slice_last = place;
    }
    *out_slice = &window->slices[place];
    return FIL_OK;
}

static int64_t index_of(const struct window *window, int64_t time)
{
    int64_t slide = window->config->slide;
    int64_t index = time / slide;
    return time % slide < 0 ? index - 1 : index;
}

static bool is_late(const struct window *window, int64_t index)
{
    return window->closed != NO_INDEX && index <= window->closed - (window->pane_count - 1);
}

static void count_late(struct window *window, uint64_t count)
{
    if (window->config->stats != NULL && count != 0) {
        // Relaxed: a count publishes nothing but itself.
        atomic_fetch_add_explicit(&window->config->stats->late_count, count, memory_order_relaxed);
    }
}

/** States of the work's slots in a column; FIL_E_NOMEM. */
static int find_states(struct window *window, struct fil_column *column)
{
    struct fil_group_work *work = &window->group.work;
    for (uint32_t i = 0; i < work->count; i++) {
        work->states[i] = fil_column_get(column, work->slots[i]);
        if (work->states[i] == NULL) {
            return FIL_E_NOMEM;
        }
        FIL_PREFETCH(work->states[i]);
    }
    return FIL_OK;
}

static void accumulate(struct window *window)
{
    struct fil_group_work *work = &window->group.work;
    const struct fil_aggregate *aggregate = aggregate_of(window);
    aggregate->ops->accumulate(aggregate, work->states, work->records, work->count);
}

/** Records of one slice. */
static int update(struct window *window, int64_t index)
{
    if (window->group.work.count == 0) {
        return FIL_OK;
    }
    int error = fil_group_find(&window->group);
    // A slice that the running states hold already gets a record into both, so that what is
    // deducted later was added before.
    bool is_twice = has_running(window) && index <= window->combined;
    if (error == FIL_OK && is_twice) {
        error = find_states(window, &window->running);
        if (error == FIL_OK) {
            accumulate(window);
        }
    }
    struct slice *slice = NULL;
    if (error == FIL_OK) {
        error = find_slice(window, index, &slice);
    }
    if (error == FIL_OK) {
        error = find_states(window, &slice->states);
    }
    if (error == FIL_OK) {
        accumulate(window);
    }
    return error;
}

/** Gathers records of one slice, as many as come in a row; counts those that are late. */
static int64_t gather(struct window *window, struct fil_inbox *inbox)
{
    struct fil_group_work *work = &window->group.work;
    work->count = 0;
    int64_t index = index_of(window, fil_batch_time(inbox->batch, inbox->position));
    int64_t begin = index * window->config->slide;
    bool is_dropped = is_late(window, index);
    uint64_t late_count = 0;
    while (inbox->position < inbox->limit && work->count < FIL_KEY_TABLE_GROUP) {
        int64_t time = fil_batch_time(inbox->batch, inbox->position);
        if (time < begin || time - begin >= window->config->slide) {
            break;
        }
        if (is_dropped) {
            late_count++;
        } else {
            fil_group_add(&window->group, inbox->batch, inbox->position);
        }
        inbox->position++;
    }
    count_late(window, late_count);
    return index;
}

/** Times so near the ends of the range that a window around them would leave it. */
static bool is_beyond(const struct window *window, int64_t time)
{
    int64_t margin = 2 * window->config->slide + window->config->size;
    return time < INT64_MIN + margin || time > INT64_MAX - margin;
}

static int window_process(void *self, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    struct window *window = self;
    (void)context;
    while (inbox->position < inbox->limit) {
        if (is_beyond(window, fil_batch_time(inbox->batch, inbox->position))) {
            return FIL_E_INVALID;
        }
        int64_t index = gather(window, inbox);
        int error = update(window, index);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

/** The slot's state in the window that is being emitted, or NULL when it has none. */
static int window_state(struct window *window, uint32_t slot, const void **out_state)
{
    const struct fil_aggregate *aggregate = aggregate_of(window);
    int64_t first = window->emitting - window->pane_count + 1;
    int64_t after = has_running(window) && window->combined >= first ? window->combined + 1 : first;
    void *sum = window->scratch;
    *out_state = NULL;
    if (has_running(window)) {
        sum = fil_column_get(&window->running, slot);
        if (sum == NULL) {
            return FIL_E_NOMEM;
        }
    } else {
        memset(sum, 0, aggregate->state_size);
    }
    if (!has_running(window) || !window->is_combined) {
        for (uint32_t i = lower_bound(window, after);
             i < window->slice_count && window->slices[i].index <= window->emitting; i++) {
            const void *part = fil_column_find(&window->slices[i].states, slot);
            if (part != NULL && fil_aggregate_count_of(part) != 0) {
                aggregate->ops->combine(aggregate, sum, part);
            }
        }
        window->is_combined = true;
    }
    *out_state = sum;
    return FIL_OK;
}

static bool emit(struct window *window, struct fil_processor_context *context, uint32_t slot,
                 const void *state)
{
    const struct fil_window_config *config = window->config;
    uint32_t size = fil_window_result_bytes(config);
    uint8_t *room = fil_outbox_reserve(&context->outbox, 0, size);
    if (room == NULL) {
        return false;
    }
    int64_t end = (window->emitting + 1) * config->slide;
    const struct fil_window_result result = {.start = end - config->size, .end = end};
    memcpy(room, &result, sizeof(result));
    fil_group_write_key(&window->group, slot, room + sizeof(result));
    config->group.aggregate.ops->export_result(&config->group.aggregate, state,
                                               room + sizeof(result) +
                                                   fil_group_key_bytes(&config->group));
    fil_outbox_commit(&context->outbox, 0, size, end - 1, fil_group_hash(&window->group, slot));
    window->has_results = true;
    return true;
}

/** After its result: the slice that leaves the window leaves the running state, too. */
static void let_go(struct window *window, uint32_t slot)
{
    const struct fil_aggregate *aggregate = aggregate_of(window);
    int64_t leaving = window->emitting - window->pane_count + 1;
    bool is_used = false;
    for (uint32_t i = 0; i < window->slice_count; i++) {
        const void *part = fil_column_find(&window->slices[i].states, slot);
        if (part == NULL || fil_aggregate_count_of(part) == 0) {
            continue;
        }
        if (window->slices[i].index > leaving) {
            is_used = true;
            break;
        }
        if (has_running(window)) {
            aggregate->ops->deduct(aggregate, fil_column_at(&window->running, slot), part);
        }
    }
    if (!is_used) {
        void *running = fil_column_find(&window->running, slot);
        if (running != NULL) {
            memset(running, 0, aggregate->state_size);
        }
        fil_key_table_remove(&window->group.table, slot);
    }
}

/** One slot of the window that is being emitted. FIL_E_FULL, FIL_E_NOMEM. */
static int emit_slot(struct window *window, struct fil_processor_context *context, uint32_t slot)
{
    if (fil_key_table_key(&window->group.table, slot) == NULL) {
        return FIL_OK;
    }
    const void *state = NULL;
    int error = window_state(window, slot, &state);
    if (error != FIL_OK) {
        return error;
    }
    if (fil_aggregate_count_of(state) != 0 && !emit(window, context, slot, state)) {
        return FIL_E_FULL;
    }
    let_go(window, slot);
    window->is_combined = false;
    return FIL_OK;
}

static void drop_slices(struct window *window, int64_t last)
{
    uint32_t count = lower_bound(window, last + 1);
    for (uint32_t i = 0; i < count; i++) {
        fil_column_clear(&window->slices[i].states);
    }
    memmove(window->slices, window->slices + count,
            (window->slice_count - count) * sizeof(*window->slices));
    window->slice_count -= count;
    window->slice_last = 0;
}

static void end_window(struct window *window)
{
    window->closed = window->emitting;
    window->combined = window->emitting;
    window->is_emitting = false;
    drop_slices(window, window->emitting - window->pane_count + 1);
    if (window->config->stats != NULL && window->has_results) {
        // Relaxed: a count publishes nothing but itself.
        atomic_fetch_add_explicit(&window->config->stats->window_count, 1, memory_order_relaxed);
    }
}

/** Whether a window up to that one is left to emit; starts it. */
static bool begin_window(struct window *window, int64_t last)
{
    if (window->slice_count == 0) {
        return false;
    }
    int64_t next = window->slices[0].index;
    if (window->closed != NO_INDEX && window->closed + 1 > next) {
        next = window->closed + 1;
    }
    if (next > last) {
        return false;
    }
    window->emitting = next;
    window->is_emitting = true;
    window->is_combined = false;
    window->has_results = false;
    window->slot = 0;
    return true;
}

/** Emits all windows up to that one. FIL_E_FULL also when it was enough for one call. */
static int emit_until(struct window *window, struct fil_processor_context *context, int64_t last)
{
    for (uint32_t i = 0; i < SLOTS_PER_CALL;) {
        if (!window->is_emitting && !begin_window(window, last)) {
            return FIL_OK;
        }
        for (; window->slot < window->group.table.slot_limit && i < SLOTS_PER_CALL; i++) {
            int error = emit_slot(window, context, window->slot);
            if (error != FIL_OK) {
                return error;
            }
            window->slot++;
        }
        if (window->slot == window->group.table.slot_limit) {
            end_window(window);
        }
    }
    return FIL_E_FULL;
}

static int window_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    struct window *window = self;
    if (time == FIL_TIME_NONE) {
        return FIL_OK;
    }
    // Window w ends at (w + 1) slides: the last one that the watermark has passed.
    int64_t last = index_of(window, time) - 1;
    int result = emit_until(window, context, last);
    if (result == FIL_OK && (window->closed == NO_INDEX || last > window->closed)) {
        window->closed = last;
    }
    return result;
}

static int window_complete(void *self, struct fil_processor_context *context)
{
    struct window *window = self;
    return emit_until(window, context, INT64_MAX);
}

static bool save_head(struct window *window, struct fil_state_writer *writer)
{
    return fil_state_put_all(writer, fil_bytes_make(NULL, 0),
                             fil_bytes_make(&window->closed, sizeof(window->closed)));
}

/** One state under its key and slice; true also when there is none. */
static bool save_state(struct window *window, struct fil_state_writer *writer)
{
    const struct slice *slice = &window->slices[window->saved_slice];
    const void *state = fil_column_find(&slice->states, window->saved_slot);
    const struct fil_key_table_key *key =
        fil_key_table_key(&window->group.table, window->saved_slot);
    if (state == NULL || key == NULL || fil_aggregate_count_of(state) == 0) {
        return true;
    }
    uint8_t name[sizeof(slice->index) + FIL_KEY_TABLE_KEY_BYTES_MAX];
    memcpy(name, &slice->index, sizeof(slice->index));
    memcpy(name + sizeof(slice->index), key->bytes, key->size);
    return fil_state_put_keyed(writer, key->hash,
                               fil_bytes_make(name, sizeof(slice->index) + key->size),
                               fil_bytes_make(state, window->segments.item_size));
}

static int window_save(void *self, struct fil_processor_context *context,
                       struct fil_state_writer *writer)
{
    struct window *window = self;
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

static int restore_head(struct window *window, struct fil_bytes value)
{
    int64_t closed;
    if (value.size != sizeof(closed)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&closed, value.data, sizeof(closed));
    // Instances differ only with at-least-once: the least loses nothing.
    window->closed = window->has_head && window->closed < closed ? window->closed : closed;
    window->has_head = true;
    return FIL_OK;
}

static int restore_state(struct window *window, int64_t index, struct fil_bytes key,
                         struct fil_bytes value)
{
    uint32_t slot = 0;
    struct slice *slice = NULL;
    int error = fil_group_find_key(&window->group, key, &slot);
    if (error == FIL_OK) {
        error = find_slice(window, index, &slice);
    }
    if (error != FIL_OK) {
        return error;
    }
    return fil_group_restore(&window->group, &slice->states, slot, value);
}

static int window_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                          struct fil_bytes value)
{
    struct window *window = self;
    (void)context;
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

static void window_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_window_config *window = config;
    char kind[48];
    (void)snprintf(kind, sizeof(kind), "%lld by %lld", (long long)window->size,
                   (long long)window->slide);
    fil_group_describe(&window->group, kind, out_text);
}

const struct fil_processor_ops fil_window_ops = {.name = "window",
                                                 .size = sizeof(struct window),
                                                 .init = window_init,
                                                 .process = window_process,
                                                 .process_watermark = window_watermark,
                                                 .complete = window_complete,
                                                 .save = window_save,
                                                 .restore = window_restore,
                                                 .describe = window_describe,
                                                 .close = window_close};
