// SPDX-License-Identifier: Apache-2.0
#include "core/stream/window.h"

#include <stdio.h>

#include "core/stream/watermark.h"
#include "core/stream/window_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define STATES_SHIFT 10U

uint32_t fil_window_result_bytes(const struct fil_window_config *config)
{
    return (uint32_t)sizeof(struct fil_window_result) + fil_group_key_bytes(&config->group) +
           config->group.aggregate.result_size + fil_early_bytes(&config->early);
}

static int check_config(const struct fil_window_config *config,
                        const struct fil_processor_context *context)
{
    if (config->slide <= 0 || config->size < config->slide || config->size > FIL_WINDOW_SIZE_MAX ||
        config->size % config->slide != 0 || config->size / config->slide > FIL_WINDOW_SLICES_MAX ||
        (config->keeps_late && (config->size != config->slide || config->gives_late)) ||
        config->early.every < 0 || config->lateness < 0) {
        return FIL_E_INVALID;
    }
    uint32_t output_count = config->gives_late ? 2 : 1;
    bool is_good =
        context->outbox.count == output_count &&
        context->outbox.outlets[0].edge->layout.stride == fil_window_result_bytes(config);
    return is_good ? FIL_OK : FIL_E_INVALID;
}

static int window_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct fil_window *window = self;
    window->config = config;
    int error = check_config(window->config, context);
    if (error == FIL_OK) {
        error = fil_group_init(&window->group, context, &window->config->group);
    }
    if (error != FIL_OK) {
        return error;
    }
    uint32_t state_size = fil_window__aggregate(window)->state_size;
    fil_segments_init(&window->segments, context->budget, state_size,
                      window->group.has_key ? STATES_SHIFT : 0);
    fil_column_init(&window->running, &window->segments);
    window->pane_count = window->config->size / window->config->slide;
    window->closed = FIL_WINDOW_NO_INDEX;
    window->combined = FIL_WINDOW_NO_INDEX;
    window->early.told = FIL_TIME_NONE;
    context->tick_at_ns = FIL_TASKLET_NEVER;
    context->delay = window->config->lateness;
    window->scratch = fil_alloc_zero(1, state_size);
    return window->scratch == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void window_close(void *self)
{
    struct fil_window *window = self;
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

uint32_t fil_window__lower_bound(const struct fil_window *window, int64_t index)
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

static int insert_slice(struct fil_window *window, uint32_t place, int64_t index)
{
    if (window->slice_count == FIL_WINDOW_SLICES_MAX) {
        return FIL_E_LIMIT;
    }
    if (window->slice_count == window->slice_room) {
        uint32_t room = window->slice_room == 0 ? 16 : window->slice_room * 2;
        struct fil_window_slice *slices = fil_realloc(window->slices, room * sizeof(*slices));
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

int fil_window__find_slice(struct fil_window *window, int64_t index,
                           struct fil_window_slice **out_slice)
{
    uint32_t place = window->slice_last;
    if (place >= window->slice_count || window->slices[place].index != index) {
        place = fil_window__lower_bound(window, index);
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

int64_t fil_window__index_of(const struct fil_window *window, int64_t time)
{
    int64_t slide = window->config->slide;
    int64_t index = time / slide;
    return time % slide < 0 ? index - 1 : index;
}

static bool is_late(const struct fil_window *window, int64_t index)
{
    return window->closed != FIL_WINDOW_NO_INDEX && !window->config->keeps_late &&
           index <= window->closed - (window->pane_count - 1);
}

bool fil_window_pass_late(const struct fil_window_late *late, struct fil_processor_context *context,
                          const struct fil_inbox *inbox, uint32_t index)
{
    uint32_t size = fil_batch_record_size(inbox->batch, index);
    const uint8_t *record = fil_batch_record(inbox->batch, index);
    void *room = late->is_given ? fil_outbox_reserve(&context->outbox, 1, size) : NULL;
    if (late->is_given && room == NULL) {
        return false;
    }
    if (room != NULL) {
        memcpy(room, record, size);
        fil_outbox_commit(&context->outbox, 1, size, fil_batch_time(inbox->batch, index), 0);
    }
    uint64_t count = late->part_at == 0 ? 1 : fil_aggregate_count_of(record + late->part_at);
    fil_counter_add(&context->late_count, count);
    if (late->stats != NULL) {
        // Relaxed: a count publishes nothing but itself.
        atomic_fetch_add_explicit(&late->stats->late_count, count, memory_order_relaxed);
    }
    return true;
}

static int pass_late(struct fil_window *window, struct fil_processor_context *context,
                     struct fil_inbox *inbox, uint32_t count)
{
    const struct fil_window_config *config = window->config;
    const struct fil_window_late late = {
        .stats = config->stats, .is_given = config->gives_late, .part_at = config->part_at};
    for (uint32_t i = 0; i < count; i++) {
        if (!fil_window_pass_late(&late, context, inbox, inbox->position)) {
            return FIL_E_FULL;
        }
        inbox->position++;
    }
    return FIL_OK;
}

/** Records of one slice. */
static int update(struct fil_window *window, int64_t index)
{
    int error = fil_group_find(&window->group);
    // A slice that the running states hold already gets a record into both, so that what is
    // deducted later was added before.
    bool is_twice = fil_window__has_running(window) && index <= window->combined;
    if (error == FIL_OK && is_twice) {
        error = fil_group_accumulate(&window->group, &window->running);
    }
    struct fil_window_slice *slice = NULL;
    if (error == FIL_OK) {
        error = fil_window__find_slice(window, index, &slice);
    }
    if (error == FIL_OK) {
        error = fil_group_accumulate(&window->group, &slice->states);
    }
    return error;
}

/** Records in a row that are in the slice which begins then, at most a group of them. */
static uint32_t count_run(const struct fil_window *window, const struct fil_inbox *inbox,
                          int64_t begin)
{
    uint32_t left = inbox->limit - inbox->position;
    uint32_t most = left < FIL_KEY_TABLE_GROUP ? left : FIL_KEY_TABLE_GROUP;
    const int64_t *times = fil_batch_times(inbox->batch) + inbox->position;
    uint64_t slide = (uint64_t)window->config->slide;
    uint32_t count = 1;
    while (count < most && (uint64_t)times[count] - (uint64_t)begin < slide) {
        count++;
    }
    return count;
}

/** The next records, as many as are of one slice in a row. */
static int take_run(struct fil_window *window, struct fil_processor_context *context,
                    struct fil_inbox *inbox, int64_t time)
{
    int64_t index = fil_window__index_of(window, time);
    uint32_t count = count_run(window, inbox, index * window->config->slide);
    if (is_late(window, index)) {
        return pass_late(window, context, inbox, count);
    }
    fil_group_load(&window->group, inbox->batch, inbox->position, count);
    int error = update(window, index);
    inbox->position += error == FIL_OK ? count : 0;
    return error;
}

/** Times so near the ends of the range that a window around them would leave it. */
static bool is_beyond(const struct fil_window *window, int64_t time)
{
    int64_t margin = 2 * window->config->slide + window->config->size;
    return time < INT64_MIN + margin || time > INT64_MAX - margin;
}

static int window_process(void *self, struct fil_processor_context *context,
                          struct fil_inbox *inbox)
{
    struct fil_window *window = self;
    fil_early_wind(&window->config->early, context);
    while (inbox->position < inbox->limit) {
        int64_t time = fil_batch_time(inbox->batch, inbox->position);
        // Records without a time are there, too.
        if (is_beyond(window, time)) {
            return fil_processor_blame_time(context, time);
        }
        int error = take_run(window, context, inbox, time);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static int window_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    struct fil_window *window = self;
    if (time == FIL_TIME_NONE) {
        return FIL_OK;
    }
    // Window w ends at (w + 1) slides: the last one that the watermark has passed.
    int64_t last = fil_window__index_of(window, time) - 1;
    int result = fil_window__emit_until(window, context, last);
    if (result == FIL_OK && (window->closed == FIL_WINDOW_NO_INDEX || last > window->closed)) {
        window->closed = last;
    }
    const struct fil_early_config *early = &window->config->early;
    if (result == FIL_OK && fil_early_is_due(&window->early, early, time)) {
        result = fil_window__emit_early(window, context);
        window->early.told =
            result == FIL_OK ? fil_time_floor(time, early->every) : window->early.told;
    }
    return result;
}

static int window_tick(void *self, struct fil_processor_context *context)
{
    struct fil_window *window = self;
    int result = fil_window__emit_early(window, context);
    if (result == FIL_OK) {
        context->tick_at_ns = FIL_TASKLET_NEVER;
        if (window->slice_count != 0) {
            fil_early_wind(&window->config->early, context);
        }
    }
    return result;
}

static int window_complete(void *self, struct fil_processor_context *context)
{
    struct fil_window *window = self;
    return fil_window__emit_until(window, context, INT64_MAX);
}

/** Nobody else waits for more of a slice; of two stages the first holds none back then. */
static int window_idle(void *self, struct fil_processor_context *context)
{
    struct fil_window *window = self;
    return window->config->keeps_late ? fil_window__emit_until(window, context, INT64_MAX) : FIL_OK;
}

static void window_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_window_config *window = config;
    char kind[64];
    (void)snprintf(kind, sizeof(kind), "%lld by %lld%s", (long long)window->size,
                   (long long)window->slide, window->early.every != 0 ? " with early ones" : "");
    fil_group_describe(&window->group, kind, out_text);
}

const struct fil_processor_ops fil_window_ops = {.name = "window",
                                                 .size = sizeof(struct fil_window),
                                                 .init = window_init,
                                                 .process = window_process,
                                                 .process_watermark = window_watermark,
                                                 .process_idle = window_idle,
                                                 .tick = window_tick,
                                                 .complete = window_complete,
                                                 .save = fil_window__save,
                                                 .restore = fil_window__restore,
                                                 .describe = window_describe,
                                                 .close = window_close};
