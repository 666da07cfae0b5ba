// SPDX-License-Identifier: Apache-2.0
#include "core/exec/event.h"

#include "core/exec/activity.h"
#include "core/exec/lane_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define EVENTS_PER_CYCLE 1024U
#define QUANTUM_MAX      256U
#define TURN_NS          UINT64_C(200000) // what a turn should not exceed

static _Thread_local struct fil_runner *current_runner;

struct fil_runner *fil_events_runner(void)
{
    return current_runner;
}

struct fil_events_options fil_events_defaults(struct fil_env *env, uint32_t cpu_count)
{
    return (struct fil_events_options){
        .env = env,
        .thread_count = (uint32_t)fil_max_u64(fil_min_u64(cpu_count, FIL_EVENT_THREADS), 1),
        .isolated_max = 8,
        .capacity = FIL_EVENT_CAPACITY,
        .put_timeout_ns = FIL_EVENT_TIMEOUT_NS,
        .idle = FIL_IDLE_KIND_BLOCK,
    };
}

uint64_t fil_events_credit(const struct fil_events *events)
{
    // Relaxed: a guess.
    return atomic_load_explicit(&events->credit, memory_order_relaxed);
}

uint64_t fil_events__share(const struct fil_events *events, uint64_t credit)
{
    // Relaxed: a figure.
    uint32_t count = atomic_load_explicit(&events->listener_count, memory_order_relaxed);
    return fil_max_u64(credit / fil_max_u64(count, 1), 1);
}

uint32_t fil_events__draw(struct fil_events *events, uint32_t count)
{
    // Relaxed, here and below: a number of places publishes nothing but itself.
    uint64_t credit = atomic_load_explicit(&events->credit, memory_order_relaxed);
    uint32_t drawn = 0;
    // Lock-free: when this thread goes round again, another has drawn or given back.
    do {
        drawn = (uint32_t)fil_min_u64(count, credit);
    } while (drawn > 0 &&
             !atomic_compare_exchange_weak_explicit(&events->credit, &credit, credit - drawn,
                                                    memory_order_relaxed, memory_order_relaxed));
    return drawn;
}

void fil_events__give_back(struct fil_events *events, uint32_t count)
{
    uint64_t before = atomic_fetch_add_explicit(&events->credit, count, memory_order_relaxed);
    fil_assert(before + count <= events->options.capacity);
}

static void append(struct fil_event_queue *queue, struct fil_lane *lane) FIL_RUNS_ON(event)
{
    lane->link.next = NULL;
    if (queue->last == NULL) {
        queue->first = lane;
    } else {
        queue->last->link.next = &lane->link;
    }
    queue->last = lane;
    queue->lane_count++;
}

static struct fil_lane *take_first(struct fil_event_queue *queue) FIL_RUNS_ON(event)
{
    struct fil_lane *lane = queue->first;
    fil_assert(lane != NULL);
    struct fil_link *next = lane->link.next;
    queue->first = next == NULL ? NULL : FIL_CONTAINER_OF(next, struct fil_lane, link);
    if (queue->first == NULL) {
        queue->last = NULL;
    }
    queue->lane_count--;
    return lane;
}

static void adopt_arrivals(struct fil_event_queue *queue) FIL_RUNS_ON(event)
{
    struct fil_link *link = fil_stack_take_all(&queue->arrivals);
    while (link != NULL) {
        struct fil_link *next = link->next;
        append(queue, FIL_CONTAINER_OF(link, struct fil_lane, link));
        link = next;
    }
}

static void count_length(struct fil_event_queue *queue, struct fil_lane *lane, uint32_t queued)
    FIL_RUNS_ON(event)
{
    // May be less than before: the sum wraps back.
    fil_counter_add(&queue->length, (uint64_t)queued - lane->seen_count);
    lane->seen_count = queued;
}

/** The turns of a listener that takes long get shorter, those of a quick one longer. */
static void adapt_quantum(struct fil_lane *lane, uint32_t moved, uint64_t elapsed_ns)
    FIL_RUNS_ON(event)
{
    if (elapsed_ns > TURN_NS) {
        lane->quantum = (uint32_t)fil_max_u64(lane->quantum / 2, 1);
    } else if (moved == lane->quantum && elapsed_ns < TURN_NS / 2) {
        lane->quantum = (uint32_t)fil_min_u64((uint64_t)lane->quantum * 2, QUANTUM_MAX);
    }
}

static void note_service(struct fil_lane *lane, struct fil_meter *meter, uint32_t moved,
                         uint64_t elapsed_ns) FIL_RUNS_ON(event)
{
    uint64_t average_ns = elapsed_ns / moved;
    fil_histogram_record_many(&meter->service_ns, average_ns, moved);
    uint64_t slowest_ns = fil_counter_read(&lane->slowest_ns);
    if (average_ns > slowest_ns) {
        fil_counter_add(&lane->slowest_ns, average_ns - slowest_ns);
    }
}

/** Whether a lane with so many events left should not stand before the others in line. */
static bool is_flood(const struct fil_events *events, const struct fil_event_queue *queue,
                     uint32_t queued) FIL_RUNS_ON(event)
{
    uint32_t isolate_at = events->options.isolate_at;
    return FIL_UNLIKELY(isolate_at > 0 && queued >= isolate_at) && queue->lane_count > 0 &&
           queue->index < events->options.thread_count;
}

/**
 * Gives a listener that floods a thread of its own. Without a thread for it the listener stays
 * here; its turns are fair all the same.
 */
static void isolate_flood(struct fil_lane *lane, uint64_t now_ns) FIL_RUNS_ON(event)
{
    // Relaxed, here and below: a time.
    atomic_store_explicit(&lane->listener->flooded_ns, now_ns, memory_order_relaxed);
    (void)!fil_listener__isolate(lane->listener);
}

/** On a thread of the listener's own: whether it still needs it. The lane is in our hands. */
static void judge_isolated(struct fil_lane *lane, bool is_drained, uint64_t now_ns)
    FIL_RUNS_ON(event)
{
    struct fil_listener *listener = lane->listener;
    uint64_t flooded_ns = atomic_load_explicit(&listener->flooded_ns, memory_order_relaxed);
    if (!is_drained) {
        atomic_store_explicit(&listener->flooded_ns, now_ns, memory_order_relaxed);
    } else if (now_ns > flooded_ns && now_ns - flooded_ns >= FIL_EVENT_CALM_NS) {
        (void)fil_listener__calm(listener);
    }
}

/** Gives a lane its turn; now_ns is moved on when it took time. Returns how many events moved. */
static uint32_t serve(struct fil_events *events, struct fil_event_queue *queue,
                      struct fil_lane *lane, uint64_t *now_ns) FIL_RUNS_ON(event)
{
    struct fil_meter *meter = fil_crew_meter(&events->crew, queue->index);
    uint32_t moved = fil_lane__serve(lane, meter);
    bool is_drained = moved < lane->quantum;
    if (moved > 0) {
        uint64_t end_ns = fil_env_now_ns(events->options.env);
        note_service(lane, meter, moved, end_ns - *now_ns);
        adapt_quantum(lane, moved, end_ns - *now_ns);
        *now_ns = end_ns;
    }
    if (FIL_UNLIKELY(queue->index >= events->options.thread_count)) {
        judge_isolated(lane, is_drained, *now_ns);
    }
    // Once released the lane may be another's.
    count_length(queue, lane, 0);
    uint32_t queued = 0;
    if (fil_lane__release(lane, moved, &queued)) {
        if (is_flood(events, queue, queued)) {
            isolate_flood(lane, *now_ns);
        }
        count_length(queue, lane, queued);
        append(queue, lane);
    }
    return moved;
}

/** Whether the lane has moved to another thread; it is on its way there then. */
static bool has_moved_on(struct fil_event_queue *queue, struct fil_lane *lane) FIL_RUNS_ON(event)
{
    // Relaxed: only which thread; the hand-over goes through the arrivals.
    if (FIL_LIKELY(atomic_load_explicit(&lane->home, memory_order_relaxed) == queue->index)) {
        return false;
    }
    count_length(queue, lane, 0);
    fil_counter_add(&queue->forward_count, 1);
    fil_lane__schedule(lane);
    return true;
}

/** Goes once along the line, or as far as a cycle may. */
static uint32_t serve_line(struct fil_events *events, struct fil_event_queue *queue)
    FIL_RUNS_ON(event)
{
    uint64_t start_ns = fil_env_now_ns(events->options.env);
    uint64_t now_ns = start_ns;
    if (current_runner != NULL) {
        fil_activity_step(current_runner, start_ns);
    }
    uint32_t moved = 0;
    uint32_t forwarded = 0;
    for (uint32_t turns = queue->lane_count; turns > 0 && moved < EVENTS_PER_CYCLE; turns--) {
        struct fil_lane *lane = take_first(queue);
        if (has_moved_on(queue, lane)) {
            forwarded++;
        } else {
            moved += serve(events, queue, lane, &now_ns);
        }
        if (current_runner != NULL) {
            fil_counter_add(&current_runner->stats.runs, 1);
            fil_activity_step(current_runner, now_ns);
        }
    }
    if (moved > 0) {
        fil_meter_cycle(fil_crew_meter(&events->crew, queue->index), moved, now_ns - start_ns);
    }
    return moved + forwarded;
}

/** As serve_line; a runner shows that the thread is at it. */
static uint32_t serve_watched(struct fil_events *events, struct fil_event_queue *queue)
    FIL_RUNS_ON(event)
{
    struct fil_runner *runner = current_runner;
    if (runner == NULL) {
        return serve_line(events, queue);
    }
    const char *outer = fil_activity_begin(runner, "event");
    uint32_t moved = serve_line(events, queue);
    fil_activity_end(runner, outer);
    return moved;
}

uint32_t fil_events_cycle(struct fil_events *events, uint32_t index)
{
    fil_debug_assert(fil_role_is(&fil_role_event));
    fil_assert(index < events->queue_count);
    struct fil_event_queue *queue = &events->queues[index];
    if (!fil_stack_is_empty(&queue->arrivals)) {
        adopt_arrivals(queue);
    }
    if (queue->first == NULL) {
        return 0;
    }
    const struct fil_crew *outer = fil_crew_enter(&events->crew);
    struct fil_runner *outer_runner = current_runner;
    current_runner = fil_crew_runner(&events->crew, index);
    uint32_t moved = serve_watched(events, queue);
    fil_stage_hooks_settle(events->options.hooks, current_runner);
    current_runner = outer_runner;
    fil_crew_leave(outer);
    return moved;
}

static uint32_t cycle(void *context, uint32_t index)
{
    fil_role_assert_event();
    return fil_events_cycle(context, index);
}

static bool has_work(void *context, uint32_t index)
{
    fil_role_assert_event();
    struct fil_events *events = context;
    struct fil_event_queue *queue = &events->queues[index];
    return queue->first != NULL || !fil_stack_is_empty(&queue->arrivals);
}

static const struct fil_crew_ops crew_ops = {.cycle = cycle, .has_work = has_work};

static bool is_valid(const struct fil_events_options *options)
{
    return options->thread_count >= 1 && options->isolated_max <= FIL_EVENT_ISOLATED_MAX &&
           options->thread_count <= FIL_CREW_MEMBERS_MAX - options->isolated_max &&
           options->capacity >= 1 && options->capacity <= FIL_EVENT_CAPACITY_MAX &&
           options->put_timeout_ns <= INT64_MAX;
}

static int init_queues(struct fil_events *events) FIL_BEFORE_SHARING
{
    events->queues =
        fil_alloc_aligned(FIL_CACHE_LINE, events->queue_count * sizeof(*events->queues));
    if (events->queues == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < events->queue_count; i++) {
        events->queues[i].index = i;
        fil_stack_init(&events->queues[i].arrivals);
    }
    return FIL_OK;
}

int fil_events_init(struct fil_events *events, const struct fil_events_options *options)
{
    if (!is_valid(options)) {
        return FIL_E_INVALID;
    }
    *events = (struct fil_events){.options = *options};
    events->queue_count = options->thread_count + options->isolated_max;
    atomic_init(&events->credit, options->capacity);
    int error = init_queues(events);
    if (error != FIL_OK) {
        return error;
    }
    error =
        fil_crew_init(&events->crew, &(struct fil_crew_options){.name = "event",
                                                                .role = &fil_role_event,
                                                                .ops = &crew_ops,
                                                                .context = events,
                                                                .member_count = events->queue_count,
                                                                .idle = options->idle,
                                                                .cpus = options->cpus,
                                                                .hooks = options->hooks,
                                                                .runners = options->runners});
    if (error != FIL_OK) {
        fil_free(events->queues);
        events->queues = NULL;
    }
    return error;
}

void fil_events_fini(struct fil_events *events)
{
    // Relaxed: everybody else is gone.
    fil_assert(atomic_load_explicit(&events->listener_count, memory_order_relaxed) == 0);
    fil_crew_fini(&events->crew);
    fil_free(events->queues);
    events->queues = NULL;
}

int fil_events_start(struct fil_events *events)
{
    int error = fil_crew_start(&events->crew, events->options.thread_count);
    // Threads of listeners that were isolated before.
    uint64_t isolated = atomic_load_explicit(&events->isolated, memory_order_acquire);
    for (uint32_t i = 0; error == FIL_OK && i < events->options.isolated_max; i++) {
        if ((isolated >> i & 1) != 0) {
            error = fil_crew_start_member(&events->crew, events->options.thread_count + i);
        }
    }
    if (error != FIL_OK) {
        fil_crew_stop(&events->crew);
        return error;
    }
    // Release: for isolate, which starts threads from now on.
    atomic_store_explicit(&events->is_started, true, memory_order_release);
    return FIL_OK;
}

void fil_events_stop(struct fil_events *events)
{
    atomic_store_explicit(&events->is_started, false, memory_order_relaxed); // nobody isolates now
    fil_crew_stop(&events->crew);
}

uint32_t fil_events_queue_count(const struct fil_events *events)
{
    return events->queue_count;
}

void fil_events_read(struct fil_events *events, struct fil_events_stats *out_stats)
{
    // Relaxed: figures.
    uint64_t credit = atomic_load_explicit(&events->credit, memory_order_relaxed);
    out_stats->granted_count = events->options.capacity - credit;
    out_stats->listener_count = atomic_load_explicit(&events->listener_count, memory_order_relaxed);
    out_stats->dropped_count = fil_counter_read(&events->dropped_count);
    out_stats->waited_count = fil_counter_read(&events->waited_count);
    out_stats->refused_count = fil_counter_read(&events->refused_count);
    out_stats->queue_length = 0;
    out_stats->forward_count = 0;
    for (uint32_t i = 0; i < events->queue_count; i++) {
        out_stats->queue_length += fil_counter_read(&events->queues[i].length);
        out_stats->forward_count += fil_counter_read(&events->queues[i].forward_count);
    }
    fil_crew_read(&events->crew, &out_stats->crew);
}
