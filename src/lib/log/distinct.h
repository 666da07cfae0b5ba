// SPDX-License-Identifier: Apache-2.0
/**
 * The distinct warnings and errors of a process, and which of their repeats are worth a line.
 *
 * Two records are the same event when name, place in the source, error code and the fields marked
 * FIL_F_APART are the same. The first one is written and opens a window. What repeats within it is
 * only counted; when the window ends, one summary tells how many there were, with the fields of the
 * last one, and, if there were any, the next window opens. So a storm costs one line a window, and
 * an event that was quiet for a whole window is written in full again.
 *
 * The table is bounded: the entry that was quiet the longest makes room for a new one.
 *
 * Threads: note, take_due and next_ns by the log's writer; read by any thread.
 */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/log/record.h"
#include "lib/log/ring.h"
#include "lib/os/mutex.h"

#define FIL_LOG_DISTINCT_MAX 256U

/** Bytes of the last occurrence's fields that are kept, with the end. */
#define FIL_LOG_DETAIL_MAX 192U

/** Bytes of the last occurrence that are kept for the summary, as a record. */
#define FIL_LOG_KEPT_BYTES 512U

/** One event of the table, as readers get it. */
struct fil_log_distinct {
    struct fil_log_site site;
    enum fil_log_level level;
    int error;
    uint64_t count; // since the start, written or not
    uint64_t first_wall_ns;
    uint64_t last_wall_ns;
    uint64_t untold_count;                       // repeats that no summary has told yet
    char role[FIL_LOG_ROLE_MAX];                 // of the last one
    char detail[FIL_LOG_DETAIL_MAX];             // fields of the last one, in logfmt
    alignas(8) uint8_t last[FIL_LOG_KEPT_BYTES]; // the last one, as a record, for its fields alone
};

struct fil_log_distinct_entry {
    uint64_t identity;
    uint64_t window_end_ns;
    uint64_t last_ns;
    struct fil_log_distinct shown;
};

struct fil_log_distinct_table {
    uint64_t window_ns;
    struct fil_mutex mutex;

    // Under the mutex. (In C, clang cannot tie a field to a mutex beside it; the functions say it.)
    uint32_t count;
    uint32_t untold_entries; // those with repeats that no summary has told
    struct fil_log_distinct_entry entries[FIL_LOG_DISTINCT_MAX];
};

/** What to do with a record. */
enum fil_log_verdict {
    FIL_LOG_VERDICT_WRITE,
    FIL_LOG_VERDICT_COUNTED
};

/** A window of 0 collapses nothing. */
void fil_log_distinct_init(struct fil_log_distinct_table *table, uint64_t window_ns);
void fil_log_distinct_fini(struct fil_log_distinct_table *table);

/**
 * Enters a record of level warn or error. When it needed the place of another entry whose repeats
 * are untold, out_evicted says what to tell of it; else its untold_count is 0.
 */
enum fil_log_verdict fil_log_distinct_note(struct fil_log_distinct_table *table,
                                           const struct fil_log_record *record, uint64_t now_ns,
                                           struct fil_log_distinct *out_evicted) FIL_NODISCARD;

/** The next entry with repeats whose window is over; they count as told. False when none is due. */
bool fil_log_distinct_take_due(struct fil_log_distinct_table *table, uint64_t now_ns,
                               struct fil_log_distinct *out_due) FIL_NODISCARD;

/** When the first summary falls due; UINT64_MAX when none does. */
uint64_t fil_log_distinct_next_ns(struct fil_log_distinct_table *table);

/** Copies the entry with the index; false behind the last one. */
bool fil_log_distinct_read(struct fil_log_distinct_table *table, uint32_t index,
                           struct fil_log_distinct *out_entry);
