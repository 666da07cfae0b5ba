// SPDX-License-Identifier: Apache-2.0
/**
 * Submissions with real threads, one test a promise: what a function says comes back; one that
 * waits can be cancelled and does not run, one that runs is told; a full queue refuses, or has them
 * wait outside, in their order, where its policy is to wait; each executor has its own bounds, and
 * a full one neither holds up nor refuses what is for another; deadlines hold, that of the start
 * although all threads are busy; one that will not run makes room at once; an executor that is shut
 * down refuses until it is revived; memory that fails leaves nothing behind; whoever races, each
 * submission ends once.
 */
#include "grid/executor/submission.h"

#include <pthread.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define MS              UINT64_C(1000000)
#define HOUR_NS         (3600000 * MS)
#define PARTITION_COUNT 7U
#define GENERIC_THREADS 3U
#define CAPACITY        2U
#define RACES           2000U
#define OUTSIDERS       8U

struct world {
    struct fil_budget budget;
    struct fil_exec *exec;
    struct fil_runner own; // the test's thread's
    struct fil_runner generic_runners[GENERIC_THREADS];
    struct fil_runner executor_runners[2]; // one each
    struct fil_runner *generic_list[GENERIC_THREADS];
    struct fil_runner *executor_list[2];
    struct fil_generic generic;
    struct fil_invocation_service invocations;
    struct fil_executor executor;
    struct fil_executor other; // "other", of the same kind
    struct fil_functions functions;
    struct fil_submissions submissions;
};

/** What a test may choose. */
struct choice {
    uint32_t in_flight_max;
    uint64_t wait_ns;
    uint64_t task_timeout_ns;
    uint64_t start_timeout_ns;
    uint32_t line_max;
    uint32_t lane_max;
    enum fil_executor_policy policy;
    uint64_t full_ns;
};

static struct world world;
static _Atomic uint32_t gate; // 1: open
static _Atomic uint32_t run_count;
static _Atomic uint32_t told_count;

static int wait_at_gate(struct fil_function_call *call)
{
    atomic_fetch_add(&run_count, 1);
    while (atomic_load(&gate) == 0) {
        fil_thread_yield();
    }
    return fil_function_reply_number(call, 1);
}

static int fail_so(struct fil_function_call *call)
{
    return fil_function_fail(call, FIL_E_NOT_READY, "as it was asked to");
}

/** Ends only when it is told to. */
static int wait_for_end(struct fil_function_call *call)
{
    atomic_fetch_add(&run_count, 1);
    int error = fil_function_sleep(call, HOUR_NS / MS);
    atomic_fetch_add(&told_count, 1);
    return error;
}

static int turn_list[OUTSIDERS];
static uint32_t turn_count; // the only thread's

static int note_turn(struct fil_function_call *call)
{
    size_t size;
    turn_list[turn_count] = fil_function_text(call, &size)[0] - 'a';
    turn_count++;
    return FIL_OK;
}

static int open(void *context, const char *name, struct fil_executor **out_executor)
{
    (void)context;
    bool is_other = strcmp(name, "other") == 0;
    if (strcmp(name, "slow") == 0) {
        atomic_fetch_add(&run_count, 1);
        while (atomic_load(&gate) == 0) {
            fil_thread_yield();
        }
        return FIL_E_LIMIT;
    }
    *out_executor = is_other ? &world.other : &world.executor;
    return is_other || strcmp(name, "work") == 0 ? FIL_OK : FIL_E_LIMIT;
}

static void init_runners(struct fil_runner *runners, struct fil_runner **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_runner_init(&runners[i], world.exec, "test");
        list[i] = &runners[i];
    }
}

static void build_executor(struct fil_executor *executor, const char *name,
                           struct fil_runner **runners, const struct choice *choice)
{
    struct fil_executor_options options = {.env = fil_env_real(),
                                           .name = name,
                                           .thread_count = 1,
                                           .capacity = CAPACITY,
                                           .policy = choice->policy,
                                           .wait_timeout_ns = choice->full_ns,
                                           .in_flight_max = choice->in_flight_max,
                                           .place_timeout_ns = choice->wait_ns,
                                           .outside_max = 100000,
                                           .runners = runners};
    assert_int_equal(fil_executor_init(executor, &options), FIL_OK);
}

static void build_stages(const struct choice *choice)
{
    init_runners(world.generic_runners, world.generic_list, GENERIC_THREADS);
    init_runners(world.executor_runners, world.executor_list, 2);
    fil_runner_init(&world.own, world.exec, "test");
    struct fil_generic_options options = fil_generic_defaults(fil_env_real(), 1);
    options.runners = world.generic_list;
    assert_int_equal(fil_generic_init(&world.generic, &options), FIL_OK);
    struct fil_invocation_options invocations = {
        .exec = world.exec, .memory = &world.budget, .in_flight_max = 1};
    assert_int_equal(fil_invocation_service_init(&world.invocations, &invocations), FIL_OK);
    build_executor(&world.executor, "work", &world.executor_list[0], choice);
    build_executor(&world.other, "other", &world.executor_list[1], choice);
}

static void start(void)
{
    assert_int_equal(fil_exec_start(world.exec), FIL_OK);
    assert_int_equal(fil_invocation_service_start(&world.invocations), FIL_OK);
    assert_int_equal(fil_generic_start(&world.generic), FIL_OK);
    assert_int_equal(fil_executor_start(&world.executor), FIL_OK);
    assert_int_equal(fil_executor_start(&world.other), FIL_OK);
}

static void build(const struct choice *choice)
{
    static const struct fil_function mine[] = {{"gate", 0, 0, wait_at_gate},
                                               {"fail", 0, 0, fail_so},
                                               {"stay", 0, 0, wait_for_end},
                                               {"turn", 0, 0, note_turn}};
    memset(&world, 0, sizeof(world));
    atomic_store(&gate, 0);
    atomic_store(&run_count, 0);
    atomic_store(&told_count, 0);
    fil_budget_init(&world.budget, UINT64_C(1) << 30);
    struct fil_exec_options options = {.env = fil_env_real(),
                                       .budget = &world.budget,
                                       .partition_count = PARTITION_COUNT,
                                       .thread_count = 2,
                                       .has_caller_runs = true,
                                       .has_stealing = true,
                                       .has_batching = true,
                                       .has_wake_suppression = true};
    assert_int_equal(fil_exec_new(&world.exec, &options), FIL_OK);
    build_stages(choice);
    fil_functions_init(&world.functions);
    for (size_t i = 0; i < FIL_COUNT_OF(mine); i++) {
        assert_int_equal(fil_functions_add(&world.functions, &mine[i], NULL), FIL_OK);
    }
    struct fil_submissions_options submissions = {
        .env = fil_env_real(),
        .exec = world.exec,
        .generic = &world.generic,
        .invocations = &world.invocations,
        .budget = &world.budget,
        .start_timeout_ns = choice->start_timeout_ns == 0 ? HOUR_NS : choice->start_timeout_ns,
        .task_timeout_ns = choice->task_timeout_ns,
        .line_max = choice->line_max == 0 ? 100000 : choice->line_max,
        .lane_max = choice->lane_max == 0 ? 100000 : choice->lane_max,
        .open = open};
    assert_int_equal(fil_submissions_init(&world.submissions, &submissions), FIL_OK);
    start();
}

static void stop_executors(void)
{
    atomic_store(&gate, 1);
    fil_executor_stop(&world.executor);
    fil_executor_stop(&world.other);
}

static void stop_rest(void)
{
    fil_invocation_service_close(&world.invocations);
    fil_generic_stop(&world.generic);
    fil_invocation_service_stop(&world.invocations);
    fil_exec_stop(world.exec);
}

static void clear(void)
{
    fil_submissions_fini(&world.submissions);
    fil_executor_fini(&world.executor);
    fil_executor_fini(&world.other);
    fil_invocation_service_fini(&world.invocations);
    fil_generic_fini(&world.generic);
    fil_exec_free(world.exec);
    assert_int_equal(fil_budget_drawn(&world.budget), 0);
}

/** From the outside in, as a member does. */
static void wreck(void)
{
    stop_executors();
    stop_rest();
    clear();
}

/** One submission, and what became of it. */
struct note {
    struct fil_submission *submission;
    _Atomic uint32_t ended_count;
    int outcome;
};

static void on_ended(void *context, struct fil_submission *submission, struct fil_runner *runner)
{
    struct note *note = context;
    assert_non_null(runner);
    note->outcome = fil_submission_outcome(submission);
    atomic_fetch_add(&note->ended_count, 1);
}

static struct fil_submission_request request_for(struct note *note, const char *name,
                                                 const char *argument, uint64_t id)
{
    return (struct fil_submission_request){
        .executor = fil_bytes_of("work"),
        .entry = fil_functions_find(&world.functions, fil_bytes_of(name)),
        .argument = fil_bytes_of(argument),
        .id = {.high = 1, .low = id},
        .partition_id =
            id % 2 == 0 ? FIL_OP_NO_PARTITION : (fil_partition_id)(id % PARTITION_COUNT),
        .ended = on_ended,
        .context = note,
    };
}

static int send_one(struct note *note, const char *name, const char *argument, uint64_t id)
{
    struct fil_submission_request request = request_for(note, name, argument, id);
    int error = fil_submission_new(&world.submissions, &request, &note->submission);
    return error == FIL_OK ? fil_submission_send(note->submission) : error;
}

static void send(struct note *note, const char *name, const char *argument, uint64_t id)
{
    *note = (struct note){0};
    assert_int_equal(send_one(note, name, argument, id), FIL_OK);
}

static void send_to(const char *executor, struct note *note, uint64_t id)
{
    *note = (struct note){0};
    struct fil_submission_request request = request_for(note, "echo", "", id);
    request.executor = fil_bytes_of(executor);
    assert_int_equal(fil_submission_new(&world.submissions, &request, &note->submission), FIL_OK);
    assert_int_equal(fil_submission_send(note->submission), FIL_OK);
}

static int await(struct note *note)
{
    while (atomic_load(&note->ended_count) == 0) {
        fil_thread_yield();
    }
    return note->outcome;
}

static void forget(struct note *note)
{
    fil_submission_unref(note->submission);
}

static void await_runs(uint32_t count)
{
    while (atomic_load(&run_count) < count) {
        fil_thread_yield();
    }
}

static uint64_t queued(void)
{
    struct fil_executor_stats stats;
    fil_executor_read(&world.executor, &stats);
    return stats.queue_length;
}

/** One that runs and as many as the queue has room for. */
static void fill(struct note notes[CAPACITY + 1])
{
    send(&notes[0], "gate", "", 1);
    await_runs(1);
    for (uint32_t i = 1; i <= CAPACITY; i++) {
        send(&notes[i], "gate", "", 1 + i);
    }
    while (queued() < CAPACITY) {
        fil_thread_yield();
    }
}

static void empty(struct note notes[CAPACITY + 1])
{
    atomic_store(&gate, 1);
    for (uint32_t i = 0; i <= CAPACITY; i++) {
        assert_int_equal(await(&notes[i]), FIL_OK);
        forget(&notes[i]);
    }
}

static void test_what_a_function_says_comes_back(void **state)
{
    (void)state;
    struct note note;
    build(&(struct choice){0});
    send(&note, "echo", "hello", 3);
    assert_int_equal(await(&note), FIL_OK);
    assert_memory_equal(note.submission->call.data, "hello", 5);
    assert_int_equal(fil_function_partition(&note.submission->call), 3);
    forget(&note);
    // Also an error that would have an invocation come again.
    send(&note, "fail", "", 4);
    assert_int_equal(await(&note), FIL_E_NOT_READY);
    assert_string_equal(fil_submission_problem(note.submission), "as it was asked to");
    assert_int_equal(fil_function_partition(&note.submission->call), -1);
    forget(&note);
    wreck();
}

static void test_one_that_waits_can_be_cancelled(void **state)
{
    (void)state;
    struct note notes[2];
    build(&(struct choice){0});
    send(&notes[0], "gate", "", 1);
    await_runs(1);
    send(&notes[1], "gate", "", 2);
    struct fil_submission_id id = {.high = 1, .low = 2};
    assert_true(fil_submissions_cancel(&world.submissions, id, false, &world.own));
    assert_int_equal(await(&notes[1]), FIL_E_CANCELLED);
    assert_false(fil_submissions_cancel(&world.submissions, id, false, &world.own));
    atomic_store(&gate, 1);
    assert_int_equal(await(&notes[0]), FIL_OK);
    assert_int_equal(atomic_load(&run_count), 1);
    forget(&notes[0]);
    forget(&notes[1]);
    wreck();
}

static void test_one_that_runs_is_told(void **state)
{
    (void)state;
    struct note note;
    build(&(struct choice){0});
    send(&note, "stay", "", 1);
    await_runs(1);
    assert_true(fil_submission_cancel(note.submission, true, &world.own));
    assert_int_equal(await(&note), FIL_E_CANCELLED);
    forget(&note);
    while (atomic_load(&told_count) == 0) {
        fil_thread_yield();
    }
    wreck();
}

static void test_full_queue_refuses(void **state)
{
    (void)state;
    struct note notes[CAPACITY + 1];
    struct note more;
    build(&(struct choice){0});
    fill(notes);
    send(&more, "echo", "", 9);
    assert_int_equal(await(&more), FIL_E_FULL);
    forget(&more);
    assert_int_equal(fil_counter_read(&world.executor.rejected_count), 1);
    empty(notes);
    wreck();
}

static void await_outside(uint32_t count)
{
    while (atomic_load(&world.executor.lobby.count) < count) {
        fil_thread_yield();
    }
}

static void test_full_queue_has_them_wait_if_it_says_so(void **state)
{
    (void)state;
    struct note notes[CAPACITY + 1];
    struct note more;
    build(&(struct choice){.policy = FIL_EXECUTOR_WAIT, .full_ns = HOUR_NS});
    fill(notes);
    send(&more, "echo", "later", 9);
    await_outside(1);
    empty(notes);
    assert_int_equal(await(&more), FIL_OK);
    forget(&more);
    assert_int_equal(fil_counter_read(&world.executor.waited_count), 1);
    assert_int_equal(fil_counter_read(&world.executor.rejected_count), 0);
    // It was called, and did not ask again by itself.
    assert_int_equal(fil_counter_read(&world.invocations.stats.retries), 0);
    wreck();
}

static void test_those_outside_come_in_in_their_order(void **state)
{
    (void)state;
    static const char letters[OUTSIDERS][2] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct note notes[CAPACITY + 1];
    struct note outside[OUTSIDERS];
    build(&(struct choice){.policy = FIL_EXECUTOR_WAIT, .full_ns = HOUR_NS});
    turn_count = 0;
    fill(notes);
    for (uint32_t i = 0; i < OUTSIDERS; i++) {
        send(&outside[i], "turn", letters[i], 10 + i);
        await_outside(i + 1);
    }
    // One that gives up lets the others pass.
    assert_true(fil_submission_cancel(outside[3].submission, false, &world.own));
    assert_int_equal(await(&outside[3]), FIL_E_CANCELLED);
    empty(notes);
    for (uint32_t i = 0; i < OUTSIDERS; i++) {
        assert_int_equal(await(&outside[i]), i == 3 ? FIL_E_CANCELLED : FIL_OK);
        forget(&outside[i]);
    }
    assert_int_equal(turn_count, OUTSIDERS - 1);
    for (uint32_t i = 0; i < turn_count; i++) {
        assert_int_equal(turn_list[i], i + (i >= 3));
    }
    wreck();
}

static void test_a_full_one_holds_up_no_other(void **state)
{
    (void)state;
    struct note notes[CAPACITY + 1];
    struct note outside;
    struct note other;
    build(&(struct choice){.in_flight_max = CAPACITY + 1,
                           .lane_max = CAPACITY + 2,
                           .wait_ns = HOUR_NS,
                           .policy = FIL_EXECUTOR_WAIT,
                           .full_ns = HOUR_NS});
    fill(notes);
    send(&outside, "echo", "", 20);
    await_outside(1);
    for (uint32_t i = 0; i < 10; i++) {
        send_to("other", &other, 30 + i);
        assert_int_equal(await(&other), FIL_OK);
        forget(&other);
    }
    // Beyond what may be under way to it, it refuses; the other one still does not.
    send(&other, "echo", "", 50);
    assert_int_equal(await(&other), FIL_E_FULL);
    forget(&other);
    send_to("other", &other, 51);
    assert_int_equal(await(&other), FIL_OK);
    forget(&other);
    empty(notes);
    assert_int_equal(await(&outside), FIL_OK);
    forget(&outside);
    wreck();
}

static void test_stop_ends_those_outside(void **state)
{
    (void)state;
    struct note notes[CAPACITY + 1];
    struct note outside;
    build(&(struct choice){.policy = FIL_EXECUTOR_WAIT, .full_ns = HOUR_NS});
    fill(notes);
    send(&outside, "echo", "", 20);
    await_outside(1);
    stop_executors();
    assert_true(await(&outside) == FIL_OK || outside.outcome == FIL_E_CANCELLED);
    forget(&outside);
    for (uint32_t i = 0; i <= CAPACITY; i++) {
        assert_true(await(&notes[i]) == FIL_OK || notes[i].outcome == FIL_E_CANCELLED);
        forget(&notes[i]);
    }
    stop_rest();
    clear();
}

static void test_full_queue_is_not_asked_for_ever(void **state)
{
    (void)state;
    struct note notes[CAPACITY + 1];
    struct note more;
    build(&(struct choice){.policy = FIL_EXECUTOR_WAIT, .full_ns = MS});
    fill(notes);
    send(&more, "echo", "never", 9);
    assert_int_equal(await(&more), FIL_E_FULL);
    forget(&more);
    assert_int_equal(fil_counter_read(&world.executor.rejected_count), 1);
    empty(notes);
    wreck();
}

static void test_places_bound_them(void **state)
{
    (void)state;
    struct note first;
    struct note second;
    build(&(struct choice){.in_flight_max = 1});
    send(&first, "gate", "", 1);
    await_runs(1);
    send(&second, "echo", "", 2);
    assert_int_equal(await(&second), FIL_E_FULL);
    assert_int_equal(fil_counter_read(&world.executor.rejected_count), 1);
    atomic_store(&gate, 1);
    assert_int_equal(await(&first), FIL_OK);
    forget(&first);
    forget(&second);
    wreck();
}

static void test_who_finds_no_place_waits_for_one(void **state)
{
    (void)state;
    struct note first;
    struct note second;
    build(&(struct choice){.in_flight_max = 1, .wait_ns = HOUR_NS});
    send(&first, "gate", "", 1);
    await_runs(1);
    send(&second, "echo", "", 2);
    await_outside(1);
    atomic_store(&gate, 1);
    assert_int_equal(await(&first), FIL_OK);
    assert_int_equal(await(&second), FIL_OK);
    forget(&first);
    forget(&second);
    wreck();
}

static void test_who_finds_no_place_does_not_wait_for_ever(void **state)
{
    (void)state;
    struct note first;
    struct note second;
    build(&(struct choice){.in_flight_max = 1, .wait_ns = MS});
    send(&first, "gate", "", 1);
    await_runs(1);
    send(&second, "echo", "", 2);
    assert_int_equal(await(&second), FIL_E_FULL);
    assert_int_equal(fil_counter_read(&world.executor.rejected_count), 1);
    atomic_store(&gate, 1);
    assert_int_equal(await(&first), FIL_OK);
    forget(&first);
    forget(&second);
    wreck();
}

static void test_line_has_its_limit(void **state)
{
    (void)state;
    struct note first;
    struct note second;
    struct note third = {0};
    build(&(struct choice){.line_max = 1});
    // Who serves the line is busy with making an executor.
    send_to("slow", &first, 1);
    await_runs(1);
    send(&second, "echo", "", 2);
    assert_int_equal(send_one(&third, "echo", "", 3), FIL_E_FULL);
    assert_int_equal(fil_counter_read(&world.submissions.refused_count), 1);
    // One that stands in the line can be cancelled, too.
    assert_true(fil_submission_cancel(second.submission, true, &world.own));
    atomic_store(&gate, 1);
    assert_int_equal(await(&first), FIL_E_LIMIT);
    assert_int_equal(await(&second), FIL_E_CANCELLED);
    forget(&first);
    forget(&second);
    forget(&third);
    wreck();
}

static void test_deadlines_hold(void **state)
{
    (void)state;
    struct note note;
    build(&(struct choice){.task_timeout_ns = 5 * MS});
    send(&note, "stay", "", 1);
    assert_int_equal(await(&note), FIL_E_TIMEOUT);
    forget(&note);
    // It may have come too late to run at all.
    while (atomic_load(&told_count) < atomic_load(&run_count) ||
           !fil_executor_is_idle(&world.executor)) {
        fil_thread_yield();
    }
    wreck();
}

static void run_plain(struct fil_job *job)
{
    (void)job;
    while (atomic_load(&gate) == 0) {
        fil_thread_yield();
    }
}

/** Jobs without a deadline: one holds the only thread, and so many wait. */
static void hold_executor(struct fil_job *jobs, uint32_t waiting_count)
{
    static const struct fil_job_ops ops = {.run = run_plain, .cancel = run_plain};
    for (uint32_t i = 0; i <= waiting_count; i++) {
        fil_job_init(&jobs[i], &ops);
        assert_int_equal(fil_executor_submit(&world.executor, &jobs[i]), FIL_OK);
        while (queued() > i) {
            fil_thread_yield();
        }
    }
}

static void test_what_has_not_started_in_time_does_not(void **state)
{
    (void)state;
    struct fil_job held[1];
    struct note note;
    build(&(struct choice){.start_timeout_ns = 5 * MS});
    hold_executor(held, 0);
    send(&note, "gate", "", 2);
    // The only thread is busy, and stays so.
    assert_int_equal(await(&note), FIL_E_TIMEOUT);
    assert_int_equal(queued(), 0);
    forget(&note);
    atomic_store(&gate, 1);
    while (!fil_executor_is_idle(&world.executor)) {
        fil_thread_yield();
    }
    assert_int_equal(atomic_load(&run_count), 0);
    assert_int_equal(fil_counter_read(&world.executor.expired_count), 1);
    assert_int_equal(fil_counter_read(&world.executor.cancelled_count), 0);
    wreck();
}

static void test_one_that_waits_for_a_place_has_its_start_deadline(void **state)
{
    (void)state;
    struct fil_job held[CAPACITY + 1];
    struct note note;
    build(&(struct choice){
        .policy = FIL_EXECUTOR_WAIT, .full_ns = HOUR_NS, .start_timeout_ns = 5 * MS});
    hold_executor(held, CAPACITY);
    send(&note, "echo", "never", 9);
    assert_int_equal(await(&note), FIL_E_TIMEOUT);
    forget(&note);
    assert_int_equal(queued(), CAPACITY);
    wreck();
}

/** Sends one until it has begun in time. */
static void send_until_it_begins(struct note *note)
{
    send(note, "stay", "", 1);
    while (atomic_load(&run_count) == 0) {
        if (atomic_load(&note->ended_count) > 0) {
            forget(note);
            send(note, "stay", "", 1);
        }
        fil_thread_yield();
    }
}

static void test_one_that_has_begun_has_the_time_of_its_task(void **state)
{
    (void)state;
    struct note note;
    build(&(struct choice){.start_timeout_ns = 20 * MS, .task_timeout_ns = 60 * MS});
    send_until_it_begins(&note);
    assert_int_equal(await(&note), FIL_E_TIMEOUT);
    uint64_t took_ns = fil_env_now_ns(fil_env_real()) - note.submission->queued_ns;
    assert_true(took_ns >= 60 * MS); // not told at the first of the two
    forget(&note);
    while (atomic_load(&told_count) == 0) {
        fil_thread_yield();
    }
    wreck();
}

/** The only thread is busy all the time. */
static void test_cancelled_one_makes_room_at_once(void **state)
{
    (void)state;
    struct note notes[CAPACITY + 1];
    struct note more;
    build(&(struct choice){0});
    fill(notes);
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(fil_submission_cancel(notes[1].submission, false, &world.own));
        assert_int_equal(queued(), CAPACITY - 1);
        assert_int_equal(await(&notes[1]), FIL_E_CANCELLED);
        forget(&notes[1]);
        send(&notes[1], "gate", "", 100 + i);
        while (queued() < CAPACITY) {
            fil_thread_yield();
        }
    }
    assert_int_equal(fil_counter_read(&world.executor.rejected_count), 0);
    assert_int_equal(fil_counter_read(&world.executor.cancelled_count), 100);
    send(&more, "echo", "", 9);
    assert_int_equal(await(&more), FIL_E_FULL);
    forget(&more);
    empty(notes);
    wreck();
}

static void test_one_that_is_shut_down_refuses(void **state)
{
    (void)state;
    struct note note;
    struct fil_bytes name = fil_bytes_of("work");
    build(&(struct choice){0});
    assert_false(fil_submissions_is_shut_down(&world.submissions, name));
    assert_int_equal(fil_submissions_shut_down(&world.submissions, fil_bytes_of("a")), FIL_OK);
    assert_int_equal(fil_submissions_shut_down(&world.submissions, name), FIL_OK);
    assert_int_equal(fil_submissions_shut_down(&world.submissions, name), FIL_OK);
    assert_int_equal(world.submissions.closed_count, 2);
    send(&note, "echo", "", 1);
    assert_int_equal(await(&note), FIL_E_CLOSED);
    forget(&note);
    fil_submissions_revive(&world.submissions, fil_bytes_of("a"));
    fil_submissions_revive(&world.submissions, name);
    assert_int_equal(world.submissions.closed_count, 0);
    send(&note, "echo", "", 1);
    assert_int_equal(await(&note), FIL_OK);
    forget(&note);
    wreck();
}

static void test_what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct note note = {0};
    build(&(struct choice){0});
    struct fil_submission_request request = request_for(&note, "echo", "", 1);
    request.executor = fil_bytes_of("");
    assert_int_equal(fil_submission_new(&world.submissions, &request, &note.submission),
                     FIL_E_INVALID);
    request.executor = fil_bytes_of("0123456789012345678901234567890123456789");
    assert_int_equal(fil_submission_new(&world.submissions, &request, &note.submission),
                     FIL_E_INVALID);
    request.executor = fil_bytes_of("work");
    fil_alloc_fail_after(0);
    assert_int_equal(fil_submission_new(&world.submissions, &request, &note.submission),
                     FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    // One that cannot be made.
    request.executor = fil_bytes_of("another");
    assert_int_equal(fil_submission_new(&world.submissions, &request, &note.submission), FIL_OK);
    assert_int_equal(fil_submission_send(note.submission), FIL_OK);
    assert_int_equal(await(&note), FIL_E_LIMIT);
    forget(&note);
    wreck();
}

static struct note races[RACES];

/** Cancels some of them, at any time of their lives. */
static void *cancel_some(void *context)
{
    struct fil_runner runner;
    struct fil_prng prng;
    fil_runner_init(&runner, world.exec, "test");
    fil_prng_init(&prng, (uint64_t)(uintptr_t)context);
    for (uint32_t i = 0; i < RACES; i++) {
        struct fil_submission_id id = {.high = 1, .low = fil_prng_next(&prng) % RACES};
        (void)fil_submissions_cancel(&world.submissions, id, true, &runner);
    }
    return NULL;
}

static void test_each_ends_once_whoever_races(void **state)
{
    (void)state;
    pthread_t canceller;
    uint32_t ended[2] = {0};
    build(&(struct choice){
        .in_flight_max = 8, .wait_ns = HOUR_NS, .policy = FIL_EXECUTOR_WAIT, .full_ns = HOUR_NS});
    memset(races, 0, sizeof(races));
    assert_int_equal(pthread_create(&canceller, NULL, cancel_some, races), 0);
    for (uint32_t i = 0; i < RACES; i++) {
        send(&races[i], "echo", "argument", i);
    }
    assert_int_equal(pthread_join(canceller, NULL), 0);
    for (uint32_t i = 0; i < RACES; i++) {
        int outcome = await(&races[i]);
        assert_true(outcome == FIL_OK || outcome == FIL_E_CANCELLED);
        ended[outcome == FIL_OK]++;
        forget(&races[i]);
    }
    assert_int_equal(ended[0] + ended[1], RACES);
    wreck();
    for (uint32_t i = 0; i < RACES; i++) {
        assert_int_equal(atomic_load(&races[i].ended_count), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_function_says_comes_back),
        cmocka_unit_test(test_one_that_waits_can_be_cancelled),
        cmocka_unit_test(test_one_that_runs_is_told),
        cmocka_unit_test(test_full_queue_refuses),
        cmocka_unit_test(test_full_queue_has_them_wait_if_it_says_so),
        cmocka_unit_test(test_those_outside_come_in_in_their_order),
        cmocka_unit_test(test_a_full_one_holds_up_no_other),
        cmocka_unit_test(test_stop_ends_those_outside),
        cmocka_unit_test(test_full_queue_is_not_asked_for_ever),
        cmocka_unit_test(test_places_bound_them),
        cmocka_unit_test(test_who_finds_no_place_waits_for_one),
        cmocka_unit_test(test_who_finds_no_place_does_not_wait_for_ever),
        cmocka_unit_test(test_line_has_its_limit),
        cmocka_unit_test(test_deadlines_hold),
        cmocka_unit_test(test_what_has_not_started_in_time_does_not),
        cmocka_unit_test(test_one_that_waits_for_a_place_has_its_start_deadline),
        cmocka_unit_test(test_one_that_has_begun_has_the_time_of_its_task),
        cmocka_unit_test(test_cancelled_one_makes_room_at_once),
        cmocka_unit_test(test_one_that_is_shut_down_refuses),
        cmocka_unit_test(test_what_cannot_be_is_refused),
        cmocka_unit_test(test_each_ends_once_whoever_races),
    };
    return cmocka_run_group_tests_name("submission", tests, NULL, NULL);
}
