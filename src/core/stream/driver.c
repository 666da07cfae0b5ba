// SPDX-License-Identifier: Apache-2.0
#include "core/stream/driver_internal.h"
#include "core/stream/job.h"
#include "core/stream/worker.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

// Turns of a step: batches processed before other tasklets get theirs.
#define TURNS_PER_STEP 8U

// Steps after which small output is sent on although there is more input.
#define STEPS_PER_FLUSH 8U

int fil_driver_init(struct fil_driver *driver)
{
    uint32_t input_count = 0;
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        driver->inlets[i].first_input = input_count;
        input_count += driver->inlets[i].source_count;
    }
    driver->state = FIL_DRIVER_RESTORING;
    driver->state_after_restore =
        driver->inlet_count == 0 ? FIL_DRIVER_COMPLETING : FIL_DRIVER_RUNNING;
    driver->barrier_id = fil_job_barrier(driver->job);
    driver->committed_id = driver->barrier_id;
    driver->context.epoch = driver->barrier_id + 1;
    driver->steps_to_flush = STEPS_PER_FLUSH;
    driver->context.tasklet = &driver->tasklet;
    int error = fil_watermarks_init(&driver->watermarks, input_count);
    if (error != FIL_OK) {
        return error;
    }
    driver->self = fil_alloc_zero(1, driver->ops->size == 0 ? 1 : driver->ops->size);
    return driver->self == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_driver__close(struct fil_driver *driver)
{
    if (driver->has_started && driver->ops->close != NULL) {
        driver->ops->close(driver->self);
    }
    driver->has_started = false;
    driver->state = FIL_DRIVER_CLOSED;
}

static void drop_inbox(struct fil_driver *driver)
{
    if (driver->inbox.batch != NULL) {
        fil_batch_unref(driver->inbox.batch);
        driver->inbox.batch = NULL;
    }
}

void fil_driver_fini(struct fil_driver *driver)
{
    fil_driver__close(driver);
    drop_inbox(driver);
    for (uint32_t i = 0; driver->inlets != NULL && i < driver->inlet_count; i++) {
        fil_inlet_fini(&driver->inlets[i]);
    }
    for (uint32_t i = 0; driver->context.outbox.outlets != NULL && i < driver->context.outbox.count;
         i++) {
        fil_outlet_fini(&driver->context.outbox.outlets[i]);
    }
    fil_watermarks_fini(&driver->watermarks);
    fil_free(driver->inlets);
    fil_free(driver->context.outbox.outlets);
    fil_free(driver->self);
    driver->inlets = NULL;
    driver->context.outbox.outlets = NULL;
    driver->self = NULL;
}

/** An error of the outbox explains why a processor found no room. */
int fil_driver__explain(const struct fil_driver *driver, int result)
{
    return driver->context.outbox.error != FIL_OK ? driver->context.outbox.error : result;
}

int fil_driver__mark(struct fil_driver *driver, enum fil_batch_kind kind, int64_t value)
{
    bool is_emitted = fil_outbox_mark(&driver->context.outbox, kind, value);
    return fil_driver__explain(driver, is_emitted ? FIL_OK : FIL_E_FULL);
}

static int process_inbox(struct fil_driver *driver)
{
    uint32_t before = driver->inbox.position;
    int result = driver->ops->process(driver->self, &driver->context, &driver->inbox);
    fil_assert(driver->inbox.position >= before && driver->inbox.position <= driver->inbox.limit);
    fil_counter_add(&driver->record_count, driver->inbox.position - before);
    if (driver->inbox.position == driver->inbox.limit && result == FIL_OK) {
        drop_inbox(driver);
    }
    return fil_driver__explain(driver, result);
}

/** Looks whether the inputs together allow a new mark. */
static void gather_watermark(struct fil_driver *driver)
{
    int64_t time = 0;
    enum fil_batch_kind kind = fil_watermarks_next(&driver->watermarks, &time);
    if (kind == FIL_BATCH_WATERMARK) {
        int64_t delay = driver->context.delay;
        driver->watermark = time < INT64_MIN + delay ? INT64_MIN : time - delay;
        driver->has_watermark = driver->watermark != FIL_TIME_NONE;
    } else if (kind == FIL_BATCH_IDLE) {
        driver->has_idle = true;
    }
}

static int process_watermark(struct fil_driver *driver)
{
    if (driver->ops->process_watermark != NULL && !driver->is_watermark_processed) {
        int result =
            driver->ops->process_watermark(driver->self, &driver->context, driver->watermark);
        if (fil_driver__explain(driver, result) != FIL_OK) {
            return fil_driver__explain(driver, result);
        }
    }
    driver->is_watermark_processed = true;
    int result = fil_driver__mark(driver, FIL_BATCH_WATERMARK, driver->watermark);
    if (result == FIL_OK) {
        driver->is_watermark_processed = false;
        driver->has_watermark = false;
        gather_watermark(driver);
    }
    return result;
}

static int pass_idle(struct fil_driver *driver)
{
    int result = FIL_OK;
    if (driver->ops->process_idle != NULL && !driver->is_idle_processed) {
        result =
            fil_driver__explain(driver, driver->ops->process_idle(driver->self, &driver->context));
    }
    if (result != FIL_OK) {
        return result;
    }
    driver->is_idle_processed = true;
    result = fil_driver__mark(driver, FIL_BATCH_IDLE, 0);
    driver->is_idle_processed = result != FIL_OK;
    driver->has_idle = result != FIL_OK;
    return result;
}

static void take_end(struct fil_driver *driver, struct fil_inlet *inlet, uint32_t source)
{
    inlet->sources[source].is_ended = true;
    inlet->ended_count++;
    fil_watermarks_set_ended(&driver->watermarks, inlet->first_input + source);
    gather_watermark(driver);
    fil_driver__check_barrier(driver);
}

static void take_mark(struct fil_driver *driver, struct fil_inlet *inlet, uint32_t source,
                      struct fil_batch *mark)
{
    uint32_t input = inlet->first_input + source;
    if (mark->kind == FIL_BATCH_WATERMARK) {
        fil_watermarks_set(&driver->watermarks, input, mark->value);
        gather_watermark(driver);
    } else if (mark->kind == FIL_BATCH_IDLE) {
        fil_watermarks_set_idle(&driver->watermarks, input);
        gather_watermark(driver);
    } else if (mark->kind == FIL_BATCH_BARRIER) {
        fil_driver__take_barrier(driver, &inlet->sources[source], mark->value);
    } else {
        fil_assert(mark->kind == FIL_BATCH_END);
        take_end(driver, inlet, source);
    }
    fil_batch_unref(mark);
}

static void take_batch(struct fil_driver *driver, uint32_t index, uint32_t source,
                       struct fil_batch *batch)
{
    struct fil_inlet *inlet = &driver->inlets[index];
    if (batch->kind != FIL_BATCH_DATA) {
        take_mark(driver, inlet, source, batch);
        return;
    }
    fil_watermarks_touch(&driver->watermarks, inlet->first_input + source);
    driver->inbox = (struct fil_inbox){.batch = batch, .limit = batch->count, .input = index};
}

/** The number below which no inlet is read yet; INT32_MAX when all have ended. */
static int32_t open_priority(const struct fil_driver *driver)
{
    int32_t priority = INT32_MAX;
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        const struct fil_inlet *inlet = &driver->inlets[i];
        if (!inlet->is_completed && inlet->edge->priority < priority) {
            priority = inlet->edge->priority;
        }
    }
    return priority;
}

/** Tells the processor that an edge has ended. FIL_E_AGAIN: none has. */
static int complete_inputs(struct fil_driver *driver)
{
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        struct fil_inlet *inlet = &driver->inlets[i];
        if (inlet->is_completed || !fil_inlet_is_ended(inlet)) {
            continue;
        }
        if (driver->ops->complete_input != NULL) {
            int result = driver->ops->complete_input(driver->self, &driver->context, i);
            if (fil_driver__explain(driver, result) != FIL_OK) {
                return fil_driver__explain(driver, result);
            }
        }
        inlet->is_completed = true;
        return FIL_OK;
    }
    return FIL_E_AGAIN;
}

/** Takes one batch or mark from the inlets whose turn it is. FIL_E_AGAIN: there is none. */
static int refill(struct fil_driver *driver)
{
    int32_t priority = open_priority(driver);
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        uint32_t index = driver->next_inlet;
        driver->next_inlet = index + 1 == driver->inlet_count ? 0 : index + 1;
        struct fil_inlet *inlet = &driver->inlets[index];
        if (inlet->is_completed || inlet->edge->priority != priority) {
            continue;
        }
        uint32_t source = 0;
        int error = FIL_OK;
        struct fil_batch *batch =
            fil_inlet_take(inlet, driver->context.outbox.pools, &source, &error);
        if (error != FIL_OK) {
            return error;
        }
        if (batch != NULL) {
            take_batch(driver, index, source, batch);
            return FIL_OK;
        }
    }
    return FIL_E_AGAIN;
}

static bool all_completed(const struct fil_driver *driver)
{
    for (uint32_t i = 0; i < driver->inlet_count; i++) {
        if (!driver->inlets[i].is_completed) {
            return false;
        }
    }
    return true;
}

/** Answers from elsewhere leave at once, whether there is new input or not. */
static int resume(struct fil_driver *driver)
{
    if (driver->ops->resume == NULL) {
        return FIL_OK;
    }
    return fil_driver__explain(driver, driver->ops->resume(driver->self, &driver->context));
}

static int run_inputs(struct fil_driver *driver)
{
    int result = resume(driver);
    if (result != FIL_OK) {
        return result;
    }
    result = complete_inputs(driver);
    if (result != FIL_E_AGAIN) {
        if (result == FIL_OK && all_completed(driver)) {
            driver->state = FIL_DRIVER_COMPLETING;
        }
        return result;
    }
    return refill(driver);
}

static int complete(struct fil_driver *driver)
{
    if (driver->inlet_count == 0 && fil_driver__take_asked(driver)) {
        fil_driver__begin_save(driver, FIL_DRIVER_COMPLETING);
        return FIL_OK;
    }
    if (driver->ops->complete != NULL) {
        int result = driver->ops->complete(driver->self, &driver->context);
        if (fil_driver__explain(driver, result) != FIL_OK) {
            return fil_driver__explain(driver, result);
        }
    }
    driver->state = FIL_DRIVER_ENDING;
    return FIL_OK;
}

static int end(struct fil_driver *driver)
{
    if (!driver->is_end_emitted) {
        int result = fil_driver__mark(driver, FIL_BATCH_END, 0);
        if (result != FIL_OK) {
            return result;
        }
        driver->is_end_emitted = true;
    }
    int result = fil_outbox_flush(&driver->context.outbox);
    if (result != FIL_OK) {
        return result;
    }
    if (driver->job->options.snapshots != NULL) {
        driver->state = FIL_DRIVER_ENDED;
        fil_job_told_ended(driver->job, driver);
        return FIL_OK;
    }
    if (driver->ops->commit != NULL) {
        result = driver->ops->commit(driver->self, &driver->context, driver->context.epoch);
    }
    if (result == FIL_OK) {
        fil_driver__close(driver);
    }
    return result;
}

static int start(struct fil_driver *driver)
{
    driver->has_started = true;
    if (driver->ops->init == NULL) {
        return FIL_OK;
    }
    return driver->ops->init(driver->self, &driver->context, driver->config);
}

/** When it has to be called by the clock. */
static uint64_t tick_at_ns(const struct fil_driver *driver)
{
    bool has_tick = driver->ops->tick != NULL && driver->state == FIL_DRIVER_RUNNING;
    return has_tick ? driver->context.tick_at_ns : FIL_TASKLET_NEVER;
}

static bool is_tick_due(const struct fil_driver *driver)
{
    return driver->ops->tick != NULL && tick_at_ns(driver) <= driver->context.now_ns;
}

/** One piece of work; FIL_E_FULL and FIL_E_AGAIN say what it has to wait for. */
static int turn(struct fil_driver *driver)
{
    if (FIL_UNLIKELY(!driver->has_started)) {
        return start(driver);
    }
    if (FIL_UNLIKELY(driver->ops->commit != NULL)) {
        int64_t id = fil_job_committed(driver->job);
        if (id > driver->committed_id && driver->state != FIL_DRIVER_RESTORING) {
            return fil_driver__commit(driver, id);
        }
    }
    if (driver->inbox.batch != NULL) {
        return process_inbox(driver);
    }
    if (driver->has_watermark) {
        return process_watermark(driver);
    }
    if (driver->has_idle) {
        return pass_idle(driver);
    }
    if (is_tick_due(driver)) {
        return fil_driver__explain(driver, driver->ops->tick(driver->self, &driver->context));
    }
    switch (driver->state) {
    case FIL_DRIVER_RESTORING:
        return fil_driver__restore(driver);
    case FIL_DRIVER_RUNNING:
        return run_inputs(driver);
    case FIL_DRIVER_SAVING:
        return fil_driver__save(driver);
    case FIL_DRIVER_COMPLETING:
        return complete(driver);
    case FIL_DRIVER_ENDING:
        return end(driver);
    case FIL_DRIVER_ENDED:
        return fil_driver__linger(driver);
    case FIL_DRIVER_HALTED:
        return FIL_E_AGAIN;
    case FIL_DRIVER_CLOSED:
        break;
    }
    return FIL_OK;
}

static void prepare(struct fil_driver *driver)
{
    // Relaxed: this runs on that worker.
    struct fil_worker *home = atomic_load_explicit(&driver->tasklet.home, memory_order_relaxed);
    driver->context.outbox.pools = &home->pools;
    driver->context.outbox.quota = FIL_OUTBOX_QUOTA;
    driver->context.now_ns = home->now_ns;
    driver->context.wake_at_ns = FIL_TASKLET_NEVER;
    (void)fil_outbox_take_refusal(&driver->context.outbox); // of the last step, which has waited
}

/** The job is stopping: closes the processor, as soon as nobody outside uses it. */
static enum fil_step shut(struct fil_driver *driver)
{
    if (driver->has_started && driver->ops->stop != NULL &&
        driver->ops->stop(driver->self, &driver->context) == FIL_E_AGAIN) {
        driver->tasklet.wake_at_ns = driver->context.wake_at_ns;
        return FIL_STEP_IDLE;
    }
    fil_driver__close(driver);
    return FIL_STEP_DONE;
}

/** Whoever has no words for it says at least which limit is meant. */
static void explain_memory(struct fil_driver *driver)
{
    const struct fil_budget *budget = driver->context.budget;
    if (driver->context.reason[0] == '\0') {
        (void)fil_processor_blame(&driver->context, FIL_E_NOMEM,
                                  "out of memory: state and batches need more than %llu MiB; raise "
                                  "the limit (of a member stream.memory), or keep less",
                                  (unsigned long long)(budget->limit_bytes >> 20));
    }
}

static enum fil_step fail(struct fil_driver *driver, int error)
{
    if (error == FIL_E_NOMEM) {
        explain_memory(driver);
    }
    fil_job_fail(driver->job, error, driver->vertex, driver->context.reason);
    driver->context.wake_at_ns = FIL_TASKLET_NEVER;
    return shut(driver);
}

/** There is no input now: small output goes on, and whoever frees room or sends input wakes. */
static enum fil_step settle_idle(struct fil_driver *driver)
{
    int result = fil_outbox_flush(&driver->context.outbox);
    if (result == FIL_E_NOMEM) {
        return fail(driver, result);
    }
    uint64_t tick = tick_at_ns(driver);
    uint64_t wake = driver->context.wake_at_ns;
    driver->tasklet.wake_at_ns = tick < wake ? tick : wake;
    driver->steps_to_flush = STEPS_PER_FLUSH;
    // Who has a time to wait for must wake then, whatever its output does.
    bool is_blocked = result == FIL_E_FULL && driver->tasklet.wake_at_ns == FIL_TASKLET_NEVER;
    return is_blocked ? FIL_STEP_BLOCKED : FIL_STEP_IDLE;
}

static enum fil_step settle_full(struct fil_driver *driver)
{
    bool is_refused = fil_outbox_take_refusal(&driver->context.outbox);
    if (!is_refused) {
        return FIL_STEP_PROGRESS; // the step's quota is used up, not the rings
    }
    // Other outputs may be what the consumer of the full one waits for.
    int result = fil_outbox_flush(&driver->context.outbox);
    if (result == FIL_E_NOMEM) {
        return fail(driver, result);
    }
    return result == FIL_OK ? FIL_STEP_PROGRESS : FIL_STEP_BLOCKED;
}

static enum fil_step settle_busy(struct fil_driver *driver)
{
    driver->steps_to_flush--;
    if (driver->steps_to_flush == 0) {
        driver->steps_to_flush = STEPS_PER_FLUSH;
        int result = fil_outbox_flush(&driver->context.outbox);
        if (result == FIL_E_NOMEM) {
            return fail(driver, result);
        }
    }
    return FIL_STEP_PROGRESS;
}

static enum fil_step settle(struct fil_driver *driver, int result)
{
    if (driver->state == FIL_DRIVER_CLOSED) {
        return FIL_STEP_DONE;
    }
    switch (result) {
    case FIL_OK:
        return settle_busy(driver);
    case FIL_E_AGAIN:
        return settle_idle(driver);
    case FIL_E_FULL:
        return settle_full(driver);
    default:
        return fail(driver, result);
    }
}

static enum fil_step step(struct fil_tasklet *tasklet)
{
    struct fil_driver *driver = FIL_CONTAINER_OF(tasklet, struct fil_driver, tasklet);
    prepare(driver);
    if (FIL_UNLIKELY(fil_job_is_stopping(driver->job))) {
        return shut(driver);
    }
    int result = FIL_OK;
    for (uint32_t i = 0; i < TURNS_PER_STEP && result == FIL_OK; i++) {
        result = turn(driver);
        if (driver->state == FIL_DRIVER_CLOSED) {
            break;
        }
    }
    return settle(driver, result);
}

static void done(struct fil_tasklet *tasklet)
{
    struct fil_driver *driver = FIL_CONTAINER_OF(tasklet, struct fil_driver, tasklet);
    fil_job_told_done(driver->job);
}

const struct fil_tasklet_ops fil_driver_ops = {.step = step, .done = done};
