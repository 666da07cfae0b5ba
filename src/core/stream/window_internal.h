// SPDX-License-Identifier: Apache-2.0
/** What the parts of the window processor share: taking records in, emitting, saved state. */
#pragma once

#include "core/stream/window.h"

#define FIL_WINDOW_NO_INDEX INT64_MIN

// A slice's number is its start divided by the slide. Window w is the one whose last slice is w.

struct fil_window_slice {
    int64_t index;
    struct fil_column states;
};

struct fil_window {
    const struct fil_window_config *config;
    struct fil_group group;
    struct fil_segments segments;
    int64_t pane_count;              // slices of a window
    struct fil_window_slice *slices; // by number; only those with records
    uint32_t slice_count;
    uint32_t slice_room;
    uint32_t slice_last;       // that was used last
    int64_t closed;            // last window that was emitted or passed over
    struct fil_column running; // with deduct: sum of the slices up to `combined`
    int64_t combined;
    void *scratch; // without deduct: the window's state of one key

    // The emission that is under way, a block of slots (a segment of the columns) at a time.
    bool is_emitting;
    int64_t emitting;
    uint32_t first_part; // of the slices: the first one that goes into the states
    uint32_t slot;
    bool is_combined; // the block's new slices are in its running states
    bool has_results;
    struct fil_early early;

    uint32_t saved_slice;
    uint32_t saved_slot;
    bool is_head_saved;
    bool has_head; // restored
};

static inline const struct fil_aggregate *fil_window__aggregate(const struct fil_window *window)
{
    return &window->config->group.aggregate;
}

/** Whether there are running states. */
static inline bool fil_window__has_running(const struct fil_window *window)
{
    return window->pane_count > 1 && fil_window__aggregate(window)->ops->deduct != NULL;
}

/** Number of the slice that a time is in. */
int64_t fil_window__index_of(const struct fil_window *window, int64_t time);

/** First slice whose number is not below; slice_count when there is none. */
uint32_t fil_window__lower_bound(const struct fil_window *window, int64_t index);

/** The slice of that number, made if need be. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_window__find_slice(struct fil_window *window, int64_t index,
                           struct fil_window_slice **out_slice) FIL_NODISCARD;

/** Emits all windows up to that one. FIL_E_FULL also when it was enough for one call. */
int fil_window__emit_until(struct fil_window *window, struct fil_processor_context *context,
                           int64_t last) FIL_NODISCARD;

/** What the open windows have. FIL_E_FULL also when it was enough for one call. */
int fil_window__emit_early(struct fil_window *window, struct fil_processor_context *context)
    FIL_NODISCARD;

int fil_window__save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer) FIL_NODISCARD;
int fil_window__restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                        struct fil_bytes value) FIL_NODISCARD;
