// SPDX-License-Identifier: Apache-2.0
/**
 * Promises, step by step: the orders in which producer, consumer and canceller can interleave their
 * steps are played through one after the other. Promises, in every order: a value ends exactly
 * once; a continuation runs once, or not at all when it was cancelled; an ensure always runs once;
 * a hook runs at most once and only when somebody cancels; a sleeper is woken; all memory comes
 * back, and (with the address sanitizer) none is used after that.
 *
 * The number of interruptions is small here; with EXPLORER_EXTRA (explorer.h) it is what you want.
 */
#define FIL_INTERLEAVE

#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/explorer.h"

static int64_t live_count; // blocks that are not back

static void *counted_alloc(size_t size)
{
    live_count++;
    return fil_alloc(size);
}

static void counted_free(void *block)
{
    live_count--;
    fil_free(block);
}

#define fil_alloc counted_alloc
#define fil_free  counted_free
#include "core/exec/cell.c"
#include "core/exec/join.c"
#include "core/exec/promise.c"
#include "core/exec/race.c"
#include "core/exec/share.c"
#include "core/exec/trampoline.c"
#undef fil_alloc
#undef fil_free

static struct fil_promise promise;
static struct fil_future future;
static struct fil_promise inner_promise;
static struct fil_future inner_future;

static struct {
    uint32_t made;
    uint32_t destroyed;
    uint32_t calls;
    uint32_t ensures;
    uint32_t hooks;
} seen;

static void destroy_value(void *value)
{
    assert_ptr_equal(value, &seen);
    seen.destroyed++;
}

static struct fil_result make_value(void)
{
    seen.made++;
    return fil_result_pointer(&seen, destroy_value);
}

static void take_value(void *context, struct fil_result *result)
{
    (void)context;
    seen.calls++;
    fil_result_destroy(*result);
    *result = make_value();
}

static void note_end(void *context, int code)
{
    (void)context;
    (void)code;
    seen.ensures++;
}

static void note_hook(void *context)
{
    (void)context;
    seen.hooks++;
}

static void add_then(void)
{
    assert_int_equal(
        fil_future_continue(&future, &(struct fil_continuation){.when = FIL_WHEN_EITHER,
                                                                .target = fil_target_inline(),
                                                                .fn = take_value}),
        FIL_OK);
}

static void add_ensure(void)
{
    assert_int_equal(fil_future_ensure(&future, fil_target_inline(), note_end, NULL), FIL_OK);
}

static void new_pair(struct fil_promise *out_promise, struct fil_future *out_future)
{
    assert_int_equal(fil_promise_new(NULL, out_promise, out_future), FIL_OK);
}

static void add_hook(struct fil_promise to)
{
    assert_int_equal(fil_promise_on_cancel(to, fil_target_inline(), note_hook, NULL), FIL_OK);
}

// One producer and one consumer: every pair of what each of them can do.

static void produce_value(void)
{
    (void)fil_promise_complete(promise, make_value());
}

static void produce_nothing(void)
{
    fil_promise_drop(promise);
}

static void produce_with_hook(void)
{
    add_hook(promise);
    (void)fil_promise_complete(promise, make_value());
}

static void produce_by_another(void)
{
    (void)fil_promise_complete(promise, fil_result_wait(inner_future));
    (void)fil_promise_complete(inner_promise, make_value());
}

static void produce_by_another_with_hook(void)
{
    add_hook(inner_promise);
    (void)fil_promise_complete(promise, fil_result_wait(inner_future));
    (void)fil_promise_complete(inner_promise, make_value());
}

static void consume_forgetting(void)
{
    fil_future_forget(future);
}

static void consume_cancelling(void)
{
    fil_future_cancel(future);
}

static void consume_then(void)
{
    add_then();
    fil_future_forget(future);
}

static void consume_then_cancelling(void)
{
    add_then();
    fil_future_cancel(future);
}

static void consume_chain(void)
{
    add_then();
    add_ensure();
    fil_future_forget(future);
}

static void consume_chain_cancelling(void)
{
    add_ensure();
    add_then();
    fil_future_cancel(future);
}

static void consume_awaiting(void)
{
    struct fil_result result;
    assert_int_equal(fil_future_await(future, FIL_WAIT_FOREVER, &result), FIL_OK);
    fil_result_destroy(result);
}

struct producer {
    explorer_actor_fn run;
    bool has_inner;
    bool has_hook;
};

struct consumer {
    explorer_actor_fn run;
    bool cancels;
    uint32_t calls; // when nobody cancels
    uint32_t ensures;
};

static const struct producer producers[] = {
    {.run = produce_value},
    {.run = produce_nothing},
    {.run = produce_with_hook, .has_hook = true},
    {.run = produce_by_another, .has_inner = true},
    {.run = produce_by_another_with_hook, .has_inner = true, .has_hook = true},
};

static const struct consumer consumers[] = {
    {.run = consume_forgetting},
    {.run = consume_cancelling, .cancels = true},
    {.run = consume_then, .calls = 1},
    {.run = consume_then_cancelling, .cancels = true},
    {.run = consume_chain, .calls = 1, .ensures = 1},
    {.run = consume_chain_cancelling, .cancels = true, .ensures = 1},
    {.run = consume_awaiting},
};

static const struct producer *producer;
static const struct consumer *consumer;

static void set_up_pair(void)
{
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    new_pair(&promise, &future);
    if (producer->has_inner) {
        new_pair(&inner_promise, &inner_future);
    }
}

/** What holds after every play: values and memory have found their ends. */
static bool is_clean(void)
{
    return live_count == 0 && seen.made == seen.destroyed;
}

static bool check_pair(void)
{
    bool calls_are_right = consumer->cancels ? seen.calls <= 1 : seen.calls == consumer->calls;
    bool hooks_are_right =
        consumer->cancels && producer->has_hook ? seen.hooks <= 1 : seen.hooks == 0;
    return is_clean() && calls_are_right && hooks_are_right && seen.ensures == consumer->ensures;
}

static uint32_t assert_all_right(const struct explorer_scenario *scenario)
{
    struct explorer_outcome outcome = explorer_run(scenario);
    assert_int_equal(outcome.stuck_count, 0);
    assert_int_equal(outcome.wrong_count, 0);
    return outcome.order_count;
}

static void test_producer_and_consumer_meet_in_any_order(void **state)
{
    (void)state;
    uint32_t order_count = 0;
    for (uint32_t p = 0; p < FIL_COUNT_OF(producers); p++) {
        for (uint32_t c = 0; c < FIL_COUNT_OF(consumers); c++) {
            producer = &producers[p];
            consumer = &consumers[c];
            order_count += assert_all_right(&(struct explorer_scenario){
                .actors = {producer->run, consumer->run},
                .actor_count = 2,
                .interruptions_max = producer->has_inner ? 2 : 4,
                .set_up = set_up_pair,
                .check = check_pair,
            });
        }
    }
    assert_true(order_count > 1000);
}

// A chain that waits for other futures again and again, while its consumer cancels or attaches.

#define STEPS 3U

static struct fil_promise steps[STEPS];
static struct fil_future step_futures[STEPS];

static void next_step(void *context, struct fil_result *result)
{
    uint32_t *step = context;
    fil_result_destroy(*result);
    *step += 1;
    if (*step == STEPS) {
        *result = make_value();
        return;
    }
    struct fil_future next = step_futures[*step];
    assert_int_equal(fil_future_then_on(&next, fil_target_inline(), next_step, context), FIL_OK);
    *result = fil_result_wait(next);
}

static uint32_t step_count;
static uint32_t begun_from; // the first future that no continuation has seen

static void set_up_loop(void)
{
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    step_count = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        new_pair(&steps[i], &step_futures[i]);
        if (i == STEPS - 1) {
            add_hook(steps[i]);
        }
    }
    future = step_futures[0];
    assert_int_equal(fil_future_then_on(&future, fil_target_inline(), next_step, &step_count),
                     FIL_OK);
}

static void complete_steps(void)
{
    for (uint32_t i = 0; i < STEPS; i++) {
        (void)fil_promise_complete(steps[i], make_value());
    }
}

/** The futures that no step came to are still the test's. */
static bool check_loop(void)
{
    begun_from = step_count + 1;
    for (uint32_t i = begun_from; i < STEPS; i++) {
        fil_future_forget(step_futures[i]);
    }
    return is_clean() && seen.hooks <= 1;
}

static void test_loop_is_cancelled_in_any_order(void **state)
{
    (void)state;
    static const explorer_actor_fn cancellers[] = {consume_cancelling, consume_then_cancelling,
                                                   consume_chain_cancelling};
    for (uint32_t i = 0; i < FIL_COUNT_OF(cancellers); i++) {
        (void)assert_all_right(&(struct explorer_scenario){
            .actors = {complete_steps, cancellers[i]},
            .actor_count = 2,
            .interruptions_max = 2,
            .set_up = set_up_loop,
            .check = check_loop,
        });
    }
}

static bool check_whole_loop(void)
{
    return check_loop() && step_count == STEPS && seen.calls == 1 && seen.hooks == 0;
}

static void test_loop_is_continued_in_any_order(void **state)
{
    (void)state;
    (void)assert_all_right(&(struct explorer_scenario){
        .actors = {complete_steps, consume_then},
        .actor_count = 2,
        .interruptions_max = 2,
        .set_up = set_up_loop,
        .check = check_whole_loop,
    });
}

// Three parties: a continuation waits for another future, which a third thread completes.

static void wait_for_inner(void *context, struct fil_result *result)
{
    (void)context;
    seen.calls++;
    fil_result_destroy(*result);
    *result = fil_result_wait(inner_future);
}

static void set_up_three(void)
{
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    new_pair(&promise, &future);
    new_pair(&inner_promise, &inner_future);
    add_hook(inner_promise);
    assert_int_equal(fil_future_then_on(&future, fil_target_inline(), wait_for_inner, NULL),
                     FIL_OK);
}

static void complete_inner(void)
{
    (void)fil_promise_complete(inner_promise, make_value());
}

/** A continuation that was left out has not used the inner future up. */
static bool check_three(void)
{
    if (seen.calls == 0) {
        fil_future_forget(inner_future);
    }
    return is_clean() && seen.hooks <= 1 && seen.ensures == consumer->ensures;
}

static void test_three_meet_in_any_order(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < FIL_COUNT_OF(consumers); c++) {
        consumer = &consumers[c];
        (void)assert_all_right(&(struct explorer_scenario){
            .actors = {produce_value, complete_inner, consumer->run},
            .actor_count = 3,
            .interruptions_max = 2,
            .set_up = set_up_three,
            .check = check_three,
        });
    }
}

// A hook that is queued on the producer's target while the producer completes there.

static struct fil_stack queue;

static void queue_submit(struct fil_target *target, struct fil_task *task)
{
    (void)target;
    (void)fil_stack_push(&queue, &task->link);
}

static bool queue_is_current(struct fil_target *target)
{
    (void)target;
    return false;
}

static const struct fil_target_ops queue_ops = {
    .name = "queue", .submit = queue_submit, .is_current = queue_is_current};
static struct fil_target queue_target = {.ops = &queue_ops};
static bool is_completed;

static void note_hook_before_completion(void *context)
{
    (void)context;
    assert_false(is_completed);
    seen.hooks++;
}

static void run_queue(void)
{
    struct fil_link *link = fil_stack_take_all(&queue);
    while (link != NULL) {
        struct fil_task *task = FIL_CONTAINER_OF(link, struct fil_task, link);
        link = link->next;
        task->run(task);
    }
}

static void set_up_queue(void)
{
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    is_completed = false;
    fil_stack_init(&queue);
    new_pair(&promise, &future);
}

static void produce_on_target(void)
{
    assert_int_equal(
        fil_promise_on_cancel(promise, &queue_target, note_hook_before_completion, NULL), FIL_OK);
    run_queue();
    is_completed = true;
    (void)fil_promise_complete(promise, make_value());
    run_queue();
}

static bool check_queue(void)
{
    run_queue();
    return is_clean() && seen.hooks <= 1 && seen.ensures == consumer->ensures;
}

static void test_queued_hook_never_runs_after_the_completion(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < FIL_COUNT_OF(consumers); c++) {
        consumer = &consumers[c];
        if (!consumer->cancels) {
            continue;
        }
        (void)assert_all_right(&(struct explorer_scenario){
            .actors = {produce_on_target, consumer->run},
            .actor_count = 2,
            .interruptions_max = 3,
            .set_up = set_up_queue,
            .check = check_queue,
        });
    }
}

// Two runners of a race.

static struct fil_race *race;
static uint32_t win_count;

static void set_up_race(void)
{
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    win_count = 0;
    new_pair(&promise, &future);
    assert_int_equal(fil_race_new(promise, 2, &race), FIL_OK);
}

static void finish_race(void)
{
    win_count += fil_race_finish(race, make_value());
}

static void leave_race(void)
{
    fil_race_leave(race);
}

static bool check_race(void)
{
    struct fil_result result = fil_result_number(0);
    bool is_completed_once = fil_future_take(future, &result) == FIL_OK;
    fil_result_destroy(result);
    return is_clean() && is_completed_once && win_count == (seen.made > 0);
}

static void test_race_has_one_winner_in_any_order(void **state)
{
    (void)state;
    static const explorer_actor_fn runners[][2] = {
        {finish_race, finish_race}, {finish_race, leave_race}, {leave_race, leave_race}};
    for (uint32_t i = 0; i < FIL_COUNT_OF(runners); i++) {
        (void)assert_all_right(&(struct explorer_scenario){
            .actors = {runners[i][0], runners[i][1]},
            .actor_count = 2,
            .interruptions_max = 4,
            .set_up = set_up_race,
            .check = check_race,
        });
    }
}

// A join of two members and its consumer.

static int (*join_fn)(struct fil_target *, const struct fil_future *, uint32_t,
                      struct fil_future *);

static void set_up_join(void)
{
    struct fil_future members[2];
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    new_pair(&promise, &members[0]);
    new_pair(&inner_promise, &members[1]);
    add_hook(inner_promise);
    assert_int_equal(join_fn(NULL, members, 2, &future), FIL_OK);
}

static void fail_inner(void)
{
    (void)fil_promise_fail(inner_promise, FIL_E_FULL);
}

static bool check_join(void)
{
    return is_clean() && seen.hooks <= 1;
}

static void test_join_ends_in_any_order(void **state)
{
    (void)state;
    static const struct {
        int (*join)(struct fil_target *, const struct fil_future *, uint32_t, struct fil_future *);
        explorer_actor_fn inner;
        explorer_actor_fn consumer;
    } cases[] = {
        {fil_join_all, fail_inner, consume_then},
        {fil_join_any, complete_inner, consume_cancelling},
        {fil_join_settle, complete_inner, consume_cancelling},
    };
    for (uint32_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        join_fn = cases[i].join;
        (void)assert_all_right(&(struct explorer_scenario){
            .actors = {produce_value, cases[i].inner, cases[i].consumer},
            .actor_count = 3,
            .interruptions_max = 2,
            .set_up = set_up_join,
            .check = check_join,
        });
    }
}

// A share: a listener comes and goes while the result comes.

static struct fil_share *share;

static void set_up_share(void)
{
    memset(&seen, 0, sizeof(seen));
    live_count = 0;
    new_pair(&promise, &future);
    assert_int_equal(fil_share_new(future, &share), FIL_OK);
    fil_share_ref(share);
}

static void listen_and_take(void)
{
    struct fil_future mine;
    assert_int_equal(fil_share_listen(share, NULL, &mine), FIL_OK);
    fil_share_unref(share);
    struct fil_result result;
    assert_int_equal(fil_future_await(mine, FIL_WAIT_FOREVER, &result), FIL_OK);
    assert_ptr_equal(fil_share_result(result.pointer)->pointer, &seen);
    fil_result_destroy(result);
}

static void listen_and_cancel(void)
{
    struct fil_future mine;
    assert_int_equal(fil_share_listen(share, NULL, &mine), FIL_OK);
    fil_share_unref(share);
    fil_future_cancel(mine);
}

static void test_share_reaches_its_listeners_in_any_order(void **state)
{
    (void)state;
    (void)assert_all_right(&(struct explorer_scenario){
        .actors = {produce_value, listen_and_take, listen_and_cancel},
        .actor_count = 3,
        .interruptions_max = 2,
        .set_up = set_up_share,
        .check = is_clean,
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_producer_and_consumer_meet_in_any_order),
        cmocka_unit_test(test_loop_is_cancelled_in_any_order),
        cmocka_unit_test(test_loop_is_continued_in_any_order),
        cmocka_unit_test(test_three_meet_in_any_order),
        cmocka_unit_test(test_queued_hook_never_runs_after_the_completion),
        cmocka_unit_test(test_race_has_one_winner_in_any_order),
        cmocka_unit_test(test_join_ends_in_any_order),
        cmocka_unit_test(test_share_reaches_its_listeners_in_any_order),
    };
    return cmocka_run_group_tests_name("promise_interleave", tests, NULL, NULL);
}
