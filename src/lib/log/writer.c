// SPDX-License-Identifier: Apache-2.0
// The side of the log that writes. Everything here happens under the turn, which is taken without
// waiting: the writer's thread has it nearly always, the last words of a process seldom.
#include <stdalign.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/log/log_internal.h"

#define RECORDS_PER_CYCLE 256U

/** Drops of one ring are told at most so often. */
#define DROP_INTERVAL_NS UINT64_C(1000000000)

/** How long the thread waits before it tries a descriptor again that took nothing. */
#define BLOCKED_WAIT_NS INT64_C(10000000)
/** And how often at the end, before it gives up: one second in all. */
#define BLOCKED_TRIES_AT_STOP 100U

/** Tries for the turn, and turns, when the process is about to end. */
#define LAST_TRIES 1000U

/** Turns at the end of the log: enough for all that any ring holds, not for a thread that goes on.
 */
#define LAST_TURNS 100000U

/** Enough for a summary: what is kept of the last repeat, and three fields more. */
#define OWN_RECORD_BYTES (2 * FIL_LOG_KEPT_BYTES)

#define FIL_HOLDS_TURN FIL_TSA(requires_capability(log->turn))

static void discard_output(struct fil_log *log) FIL_HOLDS_TURN
{
    uint64_t lost = 0;
    for (size_t i = log->output_sent; i < log->output.size; i++) {
        lost += log->output.data[i] == '\n';
    }
    fil_counter_add(&log->lost_count, lost);
    log->output_sent = log->output.size;
}

/** Writes as much as the descriptor takes; returns whether nothing is left. */
static bool send_output(struct fil_log *log) FIL_HOLDS_TURN
{
    int64_t taken = 1;
    while (log->output_sent < log->output.size && taken > 0) {
        taken = log->env->ops->file_write(log->env, log->fd, log->output.data + log->output_sent,
                                          log->output.size - log->output_sent);
        if (taken > 0) {
            fil_counter_add(&log->byte_count, (uint64_t)taken);
            log->output_sent += (size_t)taken;
            fil_assert(log->output_sent <= log->output.size);
        } else if (taken < 0 && taken != FIL_E_AGAIN) {
            // Nowhere to say so but in the statistics; the next lines may be luckier.
            discard_output(log);
        }
    }
    bool is_done = log->output_sent == log->output.size;
    if (is_done) {
        fil_writer_init(&log->output, log->output.data, FIL_LOG_OUTPUT_BYTES);
        log->output_sent = 0;
    }
    // Relaxed: a hint for the writer's own thread.
    atomic_store_explicit(&log->is_blocked, !is_done, memory_order_relaxed);
    return is_done;
}

/** Room for a record's line and one that the record may push out. */
static bool has_room(struct fil_log *log) FIL_HOLDS_TURN
{
    return fil_writer_room(&log->output) >= 2 * (size_t)FIL_LOG_LINE_BYTES_MAX || send_output(log);
}

static void write_record(struct fil_log *log, const struct fil_log_record *record) FIL_HOLDS_TURN
{
    fil_log_format_line(&log->output, &log->style, record);
    fil_counter_add(&log->line_count, 1);
}

/** The log's own events take the same way as all others, without a ring. */
static void write_own(struct fil_log *log, struct fil_log_record head,
                      const struct fil_log_field *fields) FIL_HOLDS_TURN
{
    alignas(8) uint8_t memory[OWN_RECORD_BYTES];
    fil_assert(fil_log_record_measure(fields) <= sizeof(memory));
    head.wall_ns = fil_env_wall_ns(log->env);
    write_record(log, fil_log_record_encode(memory, &head, fields));
}

/** Appends the fields of the last one; the error stands before them already. */
static void add_last_fields(const struct fil_log_distinct *entry, struct fil_log_field *fields,
                            uint32_t count)
{
    const struct fil_log_record *last = (const struct fil_log_record *)entry->last;
    uint32_t position = 0;
    struct fil_log_field field;
    while (count < FIL_LOG_FIELDS_MAX && fil_log_record_next(last, &position, &field)) {
        if (field.type != FIL_LOG_CODE || field.value.code != entry->error) {
            fields[count] = field;
            count++;
        }
    }
    fields[count].type = FIL_LOG_END;
}

static void write_summary(struct fil_log *log, const struct fil_log_distinct *entry) FIL_HOLDS_TURN
{
    fil_assert(entry->untold_count > 0);
    const struct fil_log_record head = {
        .site = entry->site, .role = entry->role, .level = entry->level};
    struct fil_log_field fields[FIL_LOG_FIELDS_MAX + 1] = {
        FIL_F_U64("repeated", entry->untold_count), FIL_F_NS("within", log->window_ns)};
    uint32_t count = 2;
    if (entry->error != FIL_OK) {
        fields[count] = FIL_F_ERROR(entry->error);
        count++;
    }
    add_last_fields(entry, fields, count);
    write_own(log, head, fields);
}

static void take_record(struct fil_log *log, const struct fil_log_record *record,
                        uint64_t now_ns) FIL_HOLDS_TURN
{
    enum fil_log_verdict verdict = FIL_LOG_VERDICT_WRITE;
    if (record->level >= FIL_LOG_WARN) {
        struct fil_log_distinct evicted;
        verdict = fil_log_distinct_note(&log->distinct, record, now_ns, &evicted);
        if (evicted.untold_count > 0) {
            write_summary(log, &evicted);
        }
    }
    if (verdict == FIL_LOG_VERDICT_WRITE) {
        write_record(log, record);
    } else {
        fil_counter_add(&log->repeat_count, 1);
    }
}

static uint32_t count_rings(struct fil_log *log)
{
    // A1 pairs with R1: the rings are complete. Sequentially consistent because the look before
    // parking uses it too.
    return atomic_load_explicit(&log->ring_count, memory_order_seq_cst);
}

/** The rings that have something. */
static uint32_t fill_lanes(struct fil_log *log) FIL_HOLDS_TURN
{
    uint32_t count = 0;
    uint32_t ring_count = count_rings(log);
    for (uint32_t i = 0; i < ring_count; i++) {
        const struct fil_log_record *record = fil_log_ring_peek(log->rings[i]);
        if (record != NULL) {
            log->lanes[count] = (struct fil_log_lane){.ring = log->rings[i], .record = record};
            count++;
        }
    }
    return count;
}

static uint32_t oldest_lane(struct fil_log *log, uint32_t count) FIL_HOLDS_TURN
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (log->lanes[i].record->wall_ns < log->lanes[oldest].record->wall_ns) {
            oldest = i;
        }
    }
    return oldest;
}

/** Writes records of all rings, merged by time. */
static uint32_t take_records(struct fil_log *log, uint64_t now_ns) FIL_HOLDS_TURN
{
    uint32_t moved = 0;
    uint32_t count = fill_lanes(log);
    while (count > 0 && moved < RECORDS_PER_CYCLE && has_room(log)) {
        struct fil_log_lane *lane = &log->lanes[oldest_lane(log, count)];
        take_record(log, lane->record, now_ns);
        fil_log_ring_release(lane->ring);
        moved++;
        lane->record = fil_log_ring_peek(lane->ring);
        if (lane->record == NULL) {
            count--;
            *lane = log->lanes[count];
        }
    }
    return moved;
}

static uint64_t untold_drops(const struct fil_log_ring *ring)
{
    return fil_counter_read(&ring->dropped) - ring->dropped_told;
}

/** When the drops of a ring may be told. */
static uint64_t drops_due_ns(const struct fil_log_ring *ring)
{
    return ring->dropped_told == 0 ? 0 : ring->dropped_told_ns + DROP_INTERVAL_NS;
}

static uint32_t tell_drops(struct fil_log *log, uint64_t now_ns, bool is_last) FIL_HOLDS_TURN
{
    uint32_t told = 0;
    uint32_t count = count_rings(log);
    for (uint32_t i = 0; i < count && has_room(log); i++) {
        struct fil_log_ring *ring = log->rings[i];
        uint64_t dropped = untold_drops(ring);
        // A4 pairs with R4: the ring's role is there to be read. A drop alone does not say so.
        uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
        bool is_due = is_last || now_ns >= drops_due_ns(ring);
        if (dropped == 0 || !is_due || state == FIL_LOG_RING_FREE) {
            continue;
        }
        const struct fil_log_record head = {
            .site = {.event = "log_dropped", .file = __FILE__, .line = __LINE__},
            .role = ring->role,
            .level = FIL_LOG_WARN};
        const struct fil_log_field fields[] = {FIL_F_U64("count", dropped), {.type = FIL_LOG_END}};
        write_own(log, head, fields);
        ring->dropped_told += dropped;
        ring->dropped_told_ns = now_ns;
        told++;
    }
    return told;
}

static uint32_t tell_repeats(struct fil_log *log, uint64_t now_ns) FIL_HOLDS_TURN
{
    uint32_t told = 0;
    struct fil_log_distinct entry;
    while (has_room(log) && fil_log_distinct_take_due(&log->distinct, now_ns, &entry)) {
        write_summary(log, &entry);
        told++;
    }
    return told;
}

/** Rings whose threads have left become free for others once nothing of them is untold. */
static void free_rings(struct fil_log *log) FIL_HOLDS_TURN
{
    uint32_t count = count_rings(log);
    for (uint32_t i = FIL_LOG_SHARED_RING + 1; i < count; i++) {
        struct fil_log_ring *ring = log->rings[i];
        // A3 pairs with R3: the thread's last record is seen by the look behind it.
        uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
        if (state == FIL_LOG_RING_CLOSED && fil_log_ring_is_empty(ring) &&
            untold_drops(ring) == 0) {
            // R2 pairs with A2: we do not look at the ring's name any more.
            atomic_store_explicit(&ring->state, FIL_LOG_RING_FREE, memory_order_release);
        }
    }
}

/** At the end of the log everything is due. */
static uint32_t take_turn(struct fil_log *log, bool is_last) FIL_HOLDS_TURN
{
    if (!send_output(log)) {
        return 0;
    }
    uint64_t now_ns = fil_env_now_ns(log->env);
    uint32_t moved = take_records(log, now_ns);
    moved += tell_drops(log, now_ns, is_last);
    moved += tell_repeats(log, is_last ? UINT64_MAX : now_ns);
    free_rings(log);
    (void)send_output(log); // what is left goes first in the next turn
    return moved;
}

uint32_t fil_log_cycle(struct fil_log *log)
{
    uint32_t moved = 0;
    if (fil_mutex_try_lock(&log->turn)) {
        moved = take_turn(log, false);
        fil_mutex_unlock(&log->turn);
    }
    return moved;
}

uint64_t fil_log_next_ns(struct fil_log *log)
{
    uint64_t next_ns = fil_log_distinct_next_ns(&log->distinct);
    fil_mutex_lock(&log->turn);
    uint32_t count = count_rings(log);
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_log_ring *ring = log->rings[i];
        if (untold_drops(ring) > 0 && drops_due_ns(ring) < next_ns) {
            next_ns = drops_due_ns(ring);
        }
    }
    fil_mutex_unlock(&log->turn);
    return next_ns;
}

void fil_log_flush_now(struct fil_log *log)
{
    // The writer's turn is short unless its descriptor blocks; or the caller is the writer itself.
    for (uint32_t i = 0; i < LAST_TRIES; i++) {
        if (fil_mutex_try_lock(&log->turn)) {
            for (uint32_t turns = 0; turns < LAST_TRIES && take_turn(log, true) > 0; turns++) {
            }
            fil_mutex_unlock(&log->turn);
            return;
        }
        fil_thread_yield();
    }
}

void fil_log_interject(struct fil_log *log, void (*speak)(void *context), void *context)
{
    fil_mutex_lock(&log->turn);
    for (uint32_t turns = 0; turns < LAST_TRIES && take_turn(log, false) > 0; turns++) {
    }
    // Relaxed: a hint for the writer's own thread, which otherwise would try again and again.
    atomic_store_explicit(&log->is_blocked, true, memory_order_relaxed);
    speak(context);
    (void)send_output(log); // and says whether it is blocked
    fil_mutex_unlock(&log->turn);
}

void fil_log__finish(struct fil_log *log)
{
    fil_mutex_lock(&log->turn);
    for (uint32_t turns = 0; turns < LAST_TURNS && take_turn(log, true) > 0; turns++) {
    }
    discard_output(log); // the descriptor had its chance
    (void)send_output(log);
    fil_mutex_unlock(&log->turn);
}

bool fil_log__has_records(struct fil_log *log)
{
    uint32_t count = count_rings(log);
    for (uint32_t i = 0; i < count; i++) {
        if (!fil_log_ring_is_empty(log->rings[i])) {
            return true;
        }
    }
    return false;
}

static bool is_stopping(struct fil_log *log)
{
    // Sequentially consistent: it is part of the look before parking.
    return atomic_load_explicit(&log->is_stopping, memory_order_seq_cst);
}

static bool is_blocked(struct fil_log *log)
{
    return atomic_load_explicit(&log->is_blocked, memory_order_relaxed);
}

static int64_t time_to_sleep(struct fil_log *log)
{
    if (is_blocked(log)) {
        return BLOCKED_WAIT_NS;
    }
    uint64_t next_ns = fil_log_next_ns(log);
    uint64_t now_ns = fil_env_now_ns(log->env);
    if (next_ns == UINT64_MAX) {
        return FIL_WAIT_FOREVER;
    }
    return next_ns > now_ns ? (int64_t)(next_ns - now_ns) : 0;
}

static void sleep_until_needed(struct fil_log *log)
{
    fil_parker_prepare(&log->parker);
    bool has_work = fil_log__has_records(log) && !is_blocked(log);
    if (has_work || is_stopping(log)) {
        fil_parker_cancel(&log->parker);
    } else {
        fil_parker_park(&log->parker, time_to_sleep(log));
    }
}

void fil_log__run(void *context)
{
    struct fil_log *log = context;
    fil_role_enter(&fil_role_log);
    while (!is_stopping(log)) {
        if (fil_log_cycle(log) == 0) {
            sleep_until_needed(log);
        }
    }
    // A reader of our output that is merely slow gets the chance to read it all.
    for (uint32_t tries = 0; tries < BLOCKED_TRIES_AT_STOP;) {
        if (fil_log_cycle(log) > 0) {
            continue;
        }
        if (!is_blocked(log)) {
            break;
        }
        fil_parker_prepare(&log->parker);
        fil_parker_park(&log->parker, BLOCKED_WAIT_NS);
        tries++;
    }
}
