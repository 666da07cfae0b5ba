// SPDX-License-Identifier: Apache-2.0
/**
 * Tumbling and sliding windows over event time, by key.
 *
 * Time is cut into slices as long as the slide; a record touches one state, that of its key in its
 * slice. A window is some slices in a row, and is emitted when the watermark has passed its end: a
 * running state per key takes the new slice in and lets the oldest go, where the aggregate can
 * deduct; otherwise the slices are combined anew. That goes key by key and stops when the output is
 * full or enough was done for one call. Stretches of time without records cost nothing.
 *
 * A record is late when every window it belongs to has been emitted; it is counted and dropped, or
 * goes to a second output as it came. A
 * record whose first windows only have been emitted counts in the others. Keys without records in
 * any slice are forgotten. In front of an exchange, as the first of two stages, a window may keep
 * late records: they come out with the next watermark, and the second stage judges.
 *
 * A result is the window's start and end (int64_t each), the key rounded up to 8 bytes, and the
 * aggregate's result; its event time is the last moment of the window. Where early results are
 * wanted a number follows that tells them from the last one.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/early.h"
#include "core/stream/group.h"
#include "core/stream/processor.h"

/** Slices of one window, at most, and slices that may be ahead of the watermark. */
#define FIL_WINDOW_SLICES_MAX 65536U
#define FIL_WINDOW_SIZE_MAX   (INT64_MAX / 8) // also of a gap

/** Shared by the instances of a vertex; written by each, read by anyone. */
struct fil_window_stats {
    _Atomic uint64_t late_count;
    _Atomic uint64_t window_count; // emitted, with at least one result
};

struct fil_window_config {
    struct fil_group_config group;
    int64_t size;                   // a multiple of the slide
    int64_t slide;                  // equal to the size: tumbling
    struct fil_window_stats *stats; // NULL: not wanted
    bool keeps_late; // tumbling: late records are emitted again; who comes behind may want them
    bool gives_late; // late records go to output 1, whose edge is laid out as the input's
    struct fil_early_config early;
    int64_t lateness; // how much later than the watermark says a window ends
    uint32_t part_at; // records are states, whose numbers of records are there; 0: they are not
};

struct fil_window_result {
    int64_t start;
    int64_t end;
};

/** Bytes of a result: the output edge's stride. */
uint32_t fil_window_result_bytes(const struct fil_window_config *config);

extern const struct fil_processor_ops fil_window_ops;

/** What becomes of late records. */
struct fil_window_late {
    struct fil_window_stats *stats; // NULL: not wanted
    bool is_given;
    uint32_t part_at;
};

/** Counts a record of the inbox as late and passes it on when that is wanted; false: no room. */
bool fil_window_pass_late(const struct fil_window_late *late, struct fil_processor_context *context,
                          const struct fil_inbox *inbox, uint32_t index) FIL_NODISCARD;
