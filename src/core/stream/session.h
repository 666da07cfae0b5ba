// SPDX-License-Identifier: Apache-2.0
/**
 * Session windows: records of a key that are less than a gap apart belong together.
 *
 * A session reaches from its first record to one gap behind its last; records that come out of
 * order may join sessions that were apart. It is emitted when the watermark has reached its end. A
 * record is late, and is counted and dropped, when a session of its own would have ended by then.
 *
 * Closing looks at all open sessions, some at a time, and only when the watermark has passed the
 * end of at least one.
 */
#pragma once

#include "core/stream/window.h"

struct fil_session_config {
    struct fil_group_config group;
    int64_t gap;
    struct fil_window_stats *stats; // NULL: not wanted
    bool gives_late;                // as that of a window
    struct fil_early_config early;
    int64_t lateness;
};

/** Bytes of a result, laid out as that of a window: the output edge's stride. */
uint32_t fil_session_result_bytes(const struct fil_session_config *config);

extern const struct fil_processor_ops fil_session_ops;
