// SPDX-License-Identifier: Apache-2.0
#include "lib/log/log.h"

#include <assert.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/log/log_internal.h"

// A ring refuses blocks of more than a quarter of it.
static_assert(FIL_LOG_RECORD_BYTES_MAX <= FIL_LOG_RING_BYTES_MIN / 2, "records fit a small ring");
static_assert(offsetof(struct fil_log, gate) == 0, "fil_log_is_on looks at the first member");

/** A thread without ring and role: one of the application that embeds us. */
#define NAMELESS_ROLE "app"

/** The calling thread's ring and whose it is. */
struct membership {
    uint64_t log_id; // 0: none
    struct fil_log_ring *ring;
    bool is_appending;
};

static _Thread_local struct membership mine;

static _Atomic uint64_t last_log_id;

static struct fil_log *default_log;

static bool add_ring(struct fil_log *log)
{
    // Relaxed: rings are added under a mutex, or before anybody else knows the log.
    uint32_t count = atomic_load_explicit(&log->ring_count, memory_order_relaxed);
    fil_assert(count < FIL_LOG_RINGS_MAX);
    log->rings[count] = fil_log_ring_new(log->ring_bytes);
    if (log->rings[count] == NULL) {
        return false;
    }
    // R1 pairs with A1: the ring is complete before it is seen. Sequentially consistent because
    // the writer may be about to park and must not miss the ring's first record.
    atomic_store_explicit(&log->ring_count, count + 1, memory_order_seq_cst);
    return true;
}

/** The ring is this role's from now on. */
static void give_ring(struct fil_log_ring *ring, const char *role)
{
    struct fil_writer name;
    fil_writer_init(&name, ring->role, sizeof(ring->role));
    fil_writer_bytes(&name, fil_bytes_make(role, strnlen(role, FIL_LOG_ROLE_MAX - 1)));
    fil_writer_terminate(&name);
    // R4 pairs with A4: the role is written before the writer looks at it, which it may do without
    // having seen a record.
    atomic_store_explicit(&ring->state, FIL_LOG_RING_USED, memory_order_release);
}

static void init_parts(struct fil_log *log, const struct fil_log_options *options)
{
    atomic_init(&log->gate.level, (uint32_t)options->level);
    log->env = options->env;
    log->style = options->style;
    log->fd = options->fd;
    log->ring_bytes = options->ring_bytes == 0 ? FIL_LOG_RING_BYTES : options->ring_bytes;
    // Relaxed: only the number itself matters.
    log->id = 1 + atomic_fetch_add_explicit(&last_log_id, 1, memory_order_relaxed);
    log->window_ns =
        options->repeat_window_ns == 0 ? FIL_LOG_REPEAT_WINDOW_NS : options->repeat_window_ns;
    log->keeps_repeats = options->keeps_repeats;
    fil_mutex_init(&log->attach_mutex);
    fil_mutex_init(&log->shared_mutex);
    fil_mutex_init(&log->turn);
    fil_parker_init(&log->parker);
    fil_log_distinct_init(&log->distinct, log->keeps_repeats ? 0 : log->window_ns);
}

static void free_parts(struct fil_log *log)
{
    for (uint32_t i = 0; i < FIL_LOG_RINGS_MAX; i++) {
        fil_log_ring_free(log->rings[i]);
    }
    fil_free(log->output.data);
    fil_log_distinct_fini(&log->distinct);
    fil_mutex_fini(&log->turn);
    fil_mutex_fini(&log->shared_mutex);
    fil_mutex_fini(&log->attach_mutex);
    fil_free(log);
}

static bool allocate_parts(struct fil_log *log)
{
    void *output = fil_alloc(FIL_LOG_OUTPUT_BYTES);
    if (output == NULL) {
        return false;
    }
    fil_writer_init(&log->output, output, FIL_LOG_OUTPUT_BYTES);
    if (!add_ring(log)) {
        return false;
    }
    give_ring(log->rings[FIL_LOG_SHARED_RING], NAMELESS_ROLE);
    return true;
}

struct fil_log *fil_log_new(const struct fil_log_options *options)
{
    fil_assert(options->env != NULL);
    fil_assert((size_t)options->level < FIL_LOG_LEVEL_COUNT);

    struct fil_log *log = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*log));
    if (log == NULL) {
        return NULL;
    }
    init_parts(log, options);
    if (!allocate_parts(log)) {
        free_parts(log);
        return NULL;
    }
    return log;
}

void fil_log_free(struct fil_log *log)
{
    if (log == NULL) {
        return;
    }
    fil_assert(!log->is_running);
    fil_assert(log != default_log);
    fil_log__finish(log);
    free_parts(log);
}

int fil_log_start(struct fil_log *log)
{
    fil_assert(!log->is_running);
    // Relaxed: the start of the thread comes after it.
    atomic_store_explicit(&log->is_stopping, false, memory_order_relaxed);
    int result = fil_thread_start(&log->thread, "log", fil_log__run, log);
    log->is_running = result == FIL_OK;
    return result;
}

void fil_log_stop(struct fil_log *log)
{
    if (!log->is_running) {
        return;
    }
    // Sequentially consistent, as a push would be: the writer may be about to park.
    atomic_store_explicit(&log->is_stopping, true, memory_order_seq_cst);
    fil_parker_wake(&log->parker);
    fil_thread_join(&log->thread);
    log->is_running = false;
    fil_log__finish(log); // what others logged while the thread ended
}

/** A ring that nobody uses any more, or a new one. NULL when memory is out or all are in use. */
static struct fil_log_ring *find_ring(struct fil_log *log, int *out_error)
    FIL_TSA(requires_capability(log->attach_mutex))
{
    uint32_t count = atomic_load_explicit(&log->ring_count, memory_order_relaxed);
    for (uint32_t i = FIL_LOG_SHARED_RING + 1; i < count; i++) {
        // A2 pairs with R2: the writer is done with the ring of the thread before.
        uint32_t state = atomic_load_explicit(&log->rings[i]->state, memory_order_acquire);
        if (state == FIL_LOG_RING_FREE) {
            return log->rings[i];
        }
    }
    *out_error = count == FIL_LOG_RINGS_MAX ? FIL_E_LIMIT : FIL_E_NOMEM;
    return count < FIL_LOG_RINGS_MAX && add_ring(log) ? log->rings[count] : NULL;
}

int fil_log_attach(struct fil_log *log, const char *role)
{
    if (mine.log_id != 0) {
        return FIL_E_EXISTS;
    }
    int error = FIL_OK;
    fil_mutex_lock(&log->attach_mutex);
    struct fil_log_ring *ring = find_ring(log, &error);
    if (ring != NULL) {
        give_ring(ring, role);
        mine = (struct membership){.log_id = log->id, .ring = ring};
        error = FIL_OK;
    }
    fil_mutex_unlock(&log->attach_mutex);
    return error;
}

void fil_log_detach(struct fil_log *log)
{
    if (mine.log_id != log->id) {
        return;
    }
    // R3 pairs with A3: the last record is in the ring before it counts as closed.
    atomic_store_explicit(&mine.ring->state, FIL_LOG_RING_CLOSED, memory_order_release);
    mine = (struct membership){0};
    // Threads that come and go without a word must not use up the rings.
    fil_parker_wake(&log->parker);
}

void fil_log_set_level(struct fil_log *log, enum fil_log_level level)
{
    fil_assert((size_t)level < FIL_LOG_LEVEL_COUNT);
    // Relaxed: the level publishes nothing but itself.
    atomic_store_explicit(&log->gate.level, (uint32_t)level, memory_order_relaxed);
}

enum fil_log_level fil_log_get_level(const struct fil_log *log)
{
    return (enum fil_log_level)atomic_load_explicit(&log->gate.level, memory_order_relaxed);
}

/** The producer's part: only the ring's own thread, or whoever holds the shared ring's mutex. */
static void append_to(struct fil_log_ring *ring, const struct fil_log_record *head,
                      const struct fil_log_field *fields)
{
    void *memory = fil_log_ring_reserve(ring, fil_log_record_measure(fields));
    if (memory == NULL) {
        fil_counter_add(&ring->dropped, 1);
        return;
    }
    fil_log_record_encode(memory, head, fields);
    fil_log_ring_commit(ring);
}

/** A thread without a ring: its role is the best name it has. */
static const char *borrowed_role(void)
{
    static const char nobody[] = "none";
    const char *role = fil_role_name();
    return strcmp(role, nobody) == 0 ? NAMELESS_ROLE : role;
}

void fil_log_append(struct fil_log *log, enum fil_log_level level, const struct fil_log_site *site,
                    const struct fil_log_field *fields)
{
    fil_assert((size_t)level < FIL_LOG_LEVEL_COUNT);
    struct fil_log_record head = {
        .site = *site, .level = level, .wall_ns = fil_env_wall_ns(log->env)};

    mine.is_appending = true;
    if (mine.log_id == log->id) {
        head.role = mine.ring->role;
        append_to(mine.ring, &head, fields);
    } else {
        head.role = borrowed_role();
        fil_mutex_lock(&log->shared_mutex);
        append_to(log->rings[FIL_LOG_SHARED_RING], &head, fields);
        fil_mutex_unlock(&log->shared_mutex);
    }
    mine.is_appending = false;
    // After a drop too: the writer must learn of it.
    fil_parker_wake(&log->parker);
}

void fil_log_read_stats(struct fil_log *log, struct fil_log_stats *out_stats)
{
    *out_stats = (struct fil_log_stats){
        .line_count = fil_counter_read(&log->line_count),
        .byte_count = fil_counter_read(&log->byte_count),
        .repeat_count = fil_counter_read(&log->repeat_count),
        .lost_count = fil_counter_read(&log->lost_count),
    };
    // A1 pairs with R1: the rings are complete.
    uint32_t count = atomic_load_explicit(&log->ring_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        out_stats->dropped_count += fil_counter_read(&log->rings[i]->dropped);
    }
}

void fil_log_distinct(struct fil_log *log, fil_log_distinct_fn callback, void *context)
{
    struct fil_log_distinct entry;
    for (uint32_t i = 0; fil_log_distinct_read(&log->distinct, i, &entry); i++) {
        callback(context, &entry);
    }
}

/** The last words. Not from within append: its mutex may be held, and its ring is half written. */
static void on_assertion(const char *text)
{
    struct fil_log *log = default_log;
    if (log == NULL) {
        return;
    }
    if (!mine.is_appending) {
        fil_log_event(log, FIL_LOG_ERROR, "assertion_failed", FIL_F_TEXT("text", text));
    }
    fil_log_flush_now(log);
}

void fil_log_set_default(struct fil_log *log)
{
    default_log = log;
    fil_assert_set_hook(log == NULL ? NULL : on_assertion);
}
