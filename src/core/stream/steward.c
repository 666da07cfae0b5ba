// SPDX-License-Identifier: Apache-2.0
#include "core/stream/steward.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/stream/steward_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define INTERVAL_NS      UINT64_C(10000000000)
#define RESTART_DELAY_NS UINT64_C(100000000)
#define DELAY_SHIFT_MAX  8U

static bool has_snapshots(const struct fil_steward *steward)
{
    return steward->options.guarantee != FIL_GUARANTEE_NONE;
}

static void set_state(struct fil_steward *steward, enum fil_steward_state state)
{
    // R1 pairs with A1: the cause is written before the state that says FAILED.
    atomic_store_explicit(&steward->state, state, memory_order_release);
}

static void FIL_PRINTF(3, 4) fail(struct fil_steward *steward, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(steward->text, sizeof(steward->text), format, arguments); // cut when too long
    va_end(arguments);
    steward->error = error;
    set_state(steward, FIL_STEWARD_FAILED);
}

/** The state of an instance, on its worker's thread: each has a part of its own. */
static bool put(struct fil_snapshots *snapshots, const struct fil_driver *driver, int64_t id,
                const struct fil_state_entry *entry)
{
    struct fil_steward *steward = FIL_CONTAINER_OF(snapshots, struct fil_steward, snapshots);
    fil_assert(steward->current != NULL && steward->current->id == id);
    fil_snapshot_put(steward->current, driver->number, entry);
    return true;
}

static int check_options(const struct fil_steward_options *options, char *out_text)
{
    bool is_guaranteed = options->guarantee != FIL_GUARANTEE_NONE;
    if (options->name == NULL || !fil_snapshot_name_is_valid(options->name) ||
        strlen(options->name) >= FIL_DAG_NAME_MAX) {
        (void)snprintf(out_text, FIL_STEWARD_TEXT_MAX,
                       "a job needs a name of 1 to %u letters, digits, '.', '-' and '_'",
                       FIL_DAG_NAME_MAX - 1);
        return FIL_E_INVALID;
    }
    if (is_guaranteed && options->store == NULL) {
        (void)snprintf(out_text, FIL_STEWARD_TEXT_MAX,
                       "job '%s' wants snapshots, but there is no place to keep them",
                       options->name);
        return FIL_E_INVALID;
    }
    if (!is_guaranteed && options->start_from != NULL) {
        (void)snprintf(out_text, FIL_STEWARD_TEXT_MAX,
                       "job '%s' starts from a snapshot, but has no guarantee", options->name);
        return FIL_E_INVALID;
    }
    return FIL_OK;
}

int fil_steward_init(struct fil_steward *steward, struct fil_dag *dag,
                     const struct fil_steward_options *options, char out_text[FIL_STEWARD_TEXT_MAX])
{
    *steward = (struct fil_steward){.options = *options, .snapshots = {.put = put}};
    out_text[0] = '\0';
    int error = check_options(options, out_text);
    if (error == FIL_OK) {
        error = fil_dag_check(dag);
        (void)snprintf(out_text, FIL_STEWARD_TEXT_MAX, "%s", dag->text);
    }
    if (error == FIL_OK) {
        memcpy(steward->name, options->name, strlen(options->name) + 1);
        if (options->start_from != NULL) {
            (void)snprintf(steward->start_from, sizeof(steward->start_from), "%s",
                           options->start_from); // one that is too long is not found
            steward->options.start_from = steward->start_from;
        }
        error = fil_dag_clone(&steward->dag, dag);
    }
    if (error == FIL_OK) {
        steward->figures = fil_alloc_zero(dag->vertex_count, sizeof(*steward->figures));
        error = steward->figures == NULL ? FIL_E_NOMEM : FIL_OK;
    }
    steward->options.interval_ns = options->interval_ns == 0 ? INTERVAL_NS : options->interval_ns;
    steward->options.restart_delay_ns =
        options->restart_delay_ns == 0 ? RESTART_DELAY_NS : options->restart_delay_ns;
    return error;
}

void fil_steward_fini(struct fil_steward *steward)
{
    fil_job_free(steward->job);
    fil_snapshot_unref(steward->current);
    fil_snapshot_unref(steward->last);
    fil_dag_fini(&steward->dag);
    fil_free(steward->figures);
    *steward = (struct fil_steward){0};
}

void fil_steward_abandon(struct fil_steward *steward)
{
    if (steward->job != NULL) {
        fil_job_cancel(steward->job);
    }
    set_state(steward, FIL_STEWARD_CANCELLED);
}

/** Where the job begins: FIL_OK also without a snapshot, when it has none of its own. */
static int find_last(struct fil_steward *steward)
{
    const struct fil_steward_options *options = &steward->options;
    if (!has_snapshots(steward) || steward->last != NULL) {
        return FIL_OK;
    }
    struct fil_snapshot_store *store = options->store;
    bool is_named = options->start_from != NULL;
    if (options->is_new && !is_named) {
        return store->ops->remove(store, steward->name);
    }
    int error =
        store->ops->read(store, is_named ? options->start_from : steward->name, &steward->last);
    return error == FIL_E_NOT_FOUND && !is_named ? FIL_OK : error;
}

static bool is_fitting(struct fil_steward *steward)
{
    char text[FIL_SNAPSHOT_TEXT_MAX];
    int error = find_last(steward);
    if (error != FIL_OK) {
        const char *name = steward->options.start_from;
        fail(steward, error, "snapshot '%s' of job '%s': %s", name == NULL ? steward->name : name,
             steward->name, fil_error_text(error));
        return false;
    }
    if (steward->last == NULL) {
        return true;
    }
    error = fil_snapshot_check(steward->last, &steward->dag, steward->options.may_drop_state, text);
    if (error != FIL_OK) {
        fail(steward, error, "job '%s' cannot start from its snapshot: %s", steward->name, text);
    }
    return error == FIL_OK;
}

/** After a failure: again a little later, or not at all. */
static void settle_failure(struct fil_steward *steward, int error, const char *where,
                           uint64_t now_ns)
{
    if (!fil_error_is_retryable(error) || steward->failure_count >= steward->options.restart_max) {
        fail(steward, error, "job '%s' failed%s", steward->name, where);
        return;
    }
    uint32_t shift =
        steward->failure_count < DELAY_SHIFT_MAX ? steward->failure_count : DELAY_SHIFT_MAX;
    steward->due_ns = now_ns + (steward->options.restart_delay_ns << shift);
    steward->failure_count++;
    fil_counter_add(&steward->stats.restart_count, 1);
    set_state(steward, FIL_STEWARD_STARTING);
}

static void start(struct fil_steward *steward, uint64_t now_ns)
{
    if (!is_fitting(steward)) {
        return;
    }
    const struct fil_steward_options *from = &steward->options;
    const struct fil_job_options options = {
        .name = steward->name,
        .weight = from->weight,
        .is_at_least_once = from->guarantee == FIL_GUARANTEE_AT_LEAST_ONCE,
        .budget = from->budget,
        .snapshots = has_snapshots(steward) ? &steward->snapshots : NULL,
        .restore = steward->last,
        .on_change = from->on_change,
        .context = from->context};
    steward->phase = FIL_STEWARD_IDLE;
    steward->pending = FIL_STEWARD_NOTHING;
    steward->is_final = false;
    int error = fil_job_submit(from->workers, &steward->dag, &options, &steward->job);
    if (error != FIL_OK) {
        char where[FIL_STEWARD_TEXT_MAX];
        (void)snprintf(where, sizeof(where), " to start: %s", fil_error_text(error));
        settle_failure(steward, error, where, now_ns);
        return;
    }
    steward->due_ns = now_ns + from->interval_ns;
    set_state(steward, FIL_STEWARD_RUNNING);
}

static void stop_for(struct fil_steward *steward, enum fil_steward_request request)
{
    steward->pending = request;
    steward->phase = FIL_STEWARD_STOPPING;
    fil_job_cancel(steward->job);
}

/** Notes what was asked for; a job without snapshots is stopped at once. */
static void take_request(struct fil_steward *steward)
{
    if (steward->phase == FIL_STEWARD_STOPPING) {
        return;
    }
    // A2 pairs with R2.
    enum fil_steward_request request =
        (enum fil_steward_request)atomic_load_explicit(&steward->request, memory_order_acquire);
    // A snapshot that was begun for nothing else is not the last one: records are behind it.
    bool is_saving = steward->phase != FIL_STEWARD_IDLE;
    bool is_busy =
        (is_saving || steward->pending != FIL_STEWARD_NOTHING) && request != FIL_STEWARD_CANCEL;
    if (request == FIL_STEWARD_NOTHING || is_busy) {
        return;
    }
    uint32_t expected = request;
    // Relaxed: when another one came meanwhile, it stays for the next cycle.
    (void)atomic_compare_exchange_strong_explicit(&steward->request, &expected, FIL_STEWARD_NOTHING,
                                                  memory_order_relaxed, memory_order_relaxed);
    bool is_stop = request == FIL_STEWARD_SUSPEND || request == FIL_STEWARD_RESTART;
    if (request == FIL_STEWARD_CANCEL || (is_stop && !has_snapshots(steward))) {
        stop_for(steward, request);
    } else if (request != FIL_STEWARD_RESUME) {
        steward->pending = request;
    }
}

static bool is_snapshot_due(const struct fil_steward *steward, uint64_t now_ns)
{
    return steward->pending != FIL_STEWARD_NOTHING || now_ns >= steward->due_ns;
}

static void run_idle(struct fil_steward *steward, uint64_t now_ns)
{
    if (!has_snapshots(steward)) {
        return;
    }
    if (fil_job_is_ended(steward->job) && steward->pending != FIL_STEWARD_EXPORT) {
        steward->is_final = true;
        steward->pending = FIL_STEWARD_NOTHING;
        if (steward->job->committer_count == 0) {
            fil_steward__end_snapshot(steward, now_ns, true); // nobody waits for one
        } else {
            fil_steward__begin_snapshot(steward, now_ns, false);
        }
    } else if (is_snapshot_due(steward, now_ns) && fil_job_can_save(steward->job)) {
        bool is_terminal =
            steward->pending == FIL_STEWARD_SUSPEND || steward->pending == FIL_STEWARD_RESTART;
        fil_steward__begin_snapshot(steward, now_ns, is_terminal);
    }
}

/** From here on a resume, on any thread, makes it STARTING, and that is due. */
static void fall_asleep(struct fil_steward *steward, uint64_t now_ns)
{
    steward->due_ns = now_ns;
    set_state(steward, FIL_STEWARD_SUSPENDED);
}

/** The execution is over: what comes next. */
static void settle(struct fil_steward *steward, uint64_t now_ns)
{
    enum fil_job_state state = fil_job_state(steward->job);
    int error = fil_job_error(steward->job);
    char where[FIL_STEWARD_TEXT_MAX];
    (void)snprintf(where, sizeof(where), " in vertex '%s': %s", fil_job_failed_vertex(steward->job),
                   fil_job_reason(steward->job));
    fil_steward__keep_figures(steward);
    fil_job_free(steward->job);
    steward->job = NULL;
    fil_snapshot_unref(steward->current);
    steward->current = NULL;
    steward->phase = FIL_STEWARD_IDLE; // a restart after a failure is waited for by its time
    fil_steward__tell_export(steward);
    if (state == FIL_JOB_FAILED) {
        settle_failure(steward, error, where, now_ns);
    } else if (state == FIL_JOB_CANCELLED && steward->pending == FIL_STEWARD_SUSPEND) {
        fall_asleep(steward, now_ns);
    } else if (state == FIL_JOB_CANCELLED && steward->pending == FIL_STEWARD_RESTART) {
        steward->due_ns = now_ns;
        set_state(steward, FIL_STEWARD_STARTING);
    } else {
        // Its own snapshot goes with it: the same name begins anew. Named ones stay.
        if (has_snapshots(steward)) {
            (void)steward->options.store->ops->remove(steward->options.store, steward->name);
        }
        set_state(steward,
                  state == FIL_JOB_COMPLETED ? FIL_STEWARD_COMPLETED : FIL_STEWARD_CANCELLED);
    }
}

static void run(struct fil_steward *steward, uint64_t now_ns)
{
    if (fil_job_state(steward->job) != FIL_JOB_RUNNING) {
        settle(steward, now_ns);
        return;
    }
    take_request(steward);
    if (steward->phase == FIL_STEWARD_IDLE) {
        run_idle(steward, now_ns);
    }
    if (steward->phase == FIL_STEWARD_SAVING && fil_job_is_saved(steward->job)) {
        fil_steward__keep_current(steward, now_ns);
    }
    if (steward->phase == FIL_STEWARD_COMMITTING && fil_job_is_committed(steward->job)) {
        fil_steward__end_commit(steward, now_ns);
    }
}

/** Without an execution: what was asked for in the state. */
static void wait_for_request(struct fil_steward *steward, uint64_t now_ns)
{
    // A2 pairs with R2.
    uint32_t request =
        atomic_exchange_explicit(&steward->request, FIL_STEWARD_NOTHING, memory_order_acquire);
    // Read after the request: who resumes a job and suspends it again must not have the suspension
    // taken for one of a job that sleeps already.
    enum fil_steward_state state = fil_steward_state(steward);
    struct fil_snapshot_store *store = steward->options.store;
    if (request == FIL_STEWARD_CANCEL) {
        set_state(steward, FIL_STEWARD_CANCELLED);
    } else if (request == FIL_STEWARD_SUSPEND && state == FIL_STEWARD_STARTING) {
        fall_asleep(steward, now_ns); // it has not begun: there is nothing new to save
    } else if (request == FIL_STEWARD_RESUME) {
        (void)fil_steward__rouse(steward); // it was asked for before the job had been suspended
    } else if (request == FIL_STEWARD_EXPORT) {
        bool is_written = steward->last != NULL &&
                          store->ops->write(store, steward->export_name, steward->last) == FIL_OK;
        fil_counter_add(&steward->stats.failed_snapshot_count, !is_written);
        fil_steward__tell_export(steward);
    }
}

/** A request that had to wait for the end of a snapshot or execution: its bell has rung before. */
static bool is_asked_again(const struct fil_steward *steward)
{
    bool can_listen =
        !fil_steward_is_over(steward) || fil_steward_state(steward) == FIL_STEWARD_SUSPENDED;
    bool is_free = steward->phase == FIL_STEWARD_IDLE &&
                   (steward->job == NULL || steward->pending == FIL_STEWARD_NOTHING);
    // Relaxed: one that comes later rings.
    uint32_t request = atomic_load_explicit(&steward->request, memory_order_relaxed);
    return can_listen && is_free && request != FIL_STEWARD_NOTHING;
}

/** When the cycle wants to be called at the latest. */
static uint64_t next_turn(const struct fil_steward *steward, uint64_t now_ns)
{
    if (is_asked_again(steward)) {
        return now_ns;
    }
    bool is_waiting = fil_steward_is_over(steward) || steward->phase != FIL_STEWARD_IDLE;
    // A job that saves nothing, or not yet, rings when there is something to do: its time may have
    // passed, and would be asked for again and again.
    bool is_idle =
        steward->job != NULL && (!has_snapshots(steward) || !fil_job_can_save(steward->job));
    return is_waiting || is_idle ? FIL_TASKLET_NEVER : steward->due_ns;
}

uint64_t fil_steward_cycle(struct fil_steward *steward, uint64_t now_ns)
{
    enum fil_steward_state state = fil_steward_state(steward);
    if (state == FIL_STEWARD_STARTING || state == FIL_STEWARD_SUSPENDED) {
        wait_for_request(steward, now_ns);
        state = fil_steward_state(steward);
    }
    if (state == FIL_STEWARD_STARTING && now_ns >= steward->due_ns) {
        start(steward, now_ns);
    } else if (state == FIL_STEWARD_RUNNING) {
        run(steward, now_ns);
    }
    return next_turn(steward, now_ns);
}
