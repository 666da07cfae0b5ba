// SPDX-License-Identifier: Apache-2.0
/**
 * Promises, in every order in which producer, consumer and canceller can interleave their steps.
 * Promises: a value ends exactly once; a continuation runs once, or not at all when it was
 * cancelled; an ensure always runs once; a hook runs at most once and only when somebody cancels,
 * and never after the completion; a sleeper is woken; all memory comes back, and none is used after
 * that.
 */
#include <string.h>

#include "core/exec/join.h"
#include "core/exec/promise.h"
#include "core/exec/race.h"
#include "core/exec/share.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/os/futex.h"
#include "tests/interleave/suite.h"

#define STEPS      3U
#define ACTORS_MAX 3U

struct producer {
    fil_explorer_fn run;
    bool has_inner;
    bool has_hook;
};

struct consumer {
    fil_explorer_fn run;
    bool cancels;
    uint32_t calls; // when nobody cancels
    uint32_t ensures;
};

typedef int (*join_fn)(struct fil_target *home, const struct fil_future *members, uint32_t count,
                       struct fil_future *out_future);

struct promise_case {
    const char *name;
    void (*set_up)(void);
    bool (*check)(void); // whether the order had the right result
    fil_explorer_fn actors[ACTORS_MAX];
    const struct producer *producer;
    const struct consumer *consumer;
    join_fn join;
};

static const struct promise_case *now;

static struct world {
    struct fil_promise promise;
    struct fil_future future;
    struct fil_promise inner_promise;
    struct fil_future inner_future;
    struct fil_promise steps[STEPS];
    struct fil_future step_futures[STEPS];
    uint32_t step_count;
    struct fil_stack queue;
    bool is_completed;
    struct fil_race *race;
    uint32_t win_count;
    struct fil_share *share;
    struct {
        uint32_t made;
        uint32_t destroyed;
        uint32_t calls;
        uint32_t ensures;
        uint32_t hooks;
    } seen;
} world;

static void begin_world(void)
{
    memset(&world, 0, sizeof(world));
    fil_explorer_track(&world, sizeof(world));
}

static void must_be_ok(int error)
{
    fil_assert(error == FIL_OK);
}

static void destroy_value(void *value)
{
    fil_assert(value == &world.seen);
    world.seen.destroyed++;
}

static struct fil_result make_value(void)
{
    world.seen.made++;
    return fil_result_pointer(&world.seen, destroy_value);
}

static void take_value(void *context, struct fil_result *result)
{
    (void)context;
    world.seen.calls++;
    fil_result_destroy(*result);
    *result = make_value();
}

static void note_end(void *context, int code)
{
    (void)context;
    (void)code;
    world.seen.ensures++;
}

static void note_hook(void *context)
{
    (void)context;
    world.seen.hooks++;
}

static void add_then(void)
{
    must_be_ok(
        fil_future_continue(&world.future, &(struct fil_continuation){.when = FIL_WHEN_EITHER,
                                                                      .target = fil_target_inline(),
                                                                      .fn = take_value}));
}

static void add_ensure(void)
{
    must_be_ok(fil_future_ensure(&world.future, fil_target_inline(), note_end, NULL));
}

static void new_pair(struct fil_promise *out_promise, struct fil_future *out_future)
{
    must_be_ok(fil_promise_new(NULL, out_promise, out_future));
}

static void add_hook(struct fil_promise to)
{
    must_be_ok(fil_promise_on_cancel(to, fil_target_inline(), note_hook, NULL));
}

// One producer and one consumer: every pair of what each of them can do.

static void produce_value(void *context)
{
    (void)context;
    (void)fil_promise_complete(world.promise, make_value());
}

static void produce_nothing(void *context)
{
    (void)context;
    fil_promise_drop(world.promise);
}

static void produce_with_hook(void *context)
{
    (void)context;
    add_hook(world.promise);
    (void)fil_promise_complete(world.promise, make_value());
}

static void produce_by_another(void *context)
{
    (void)context;
    (void)fil_promise_complete(world.promise, fil_result_wait(world.inner_future));
    (void)fil_promise_complete(world.inner_promise, make_value());
}

static void produce_by_another_with_hook(void *context)
{
    (void)context;
    add_hook(world.inner_promise);
    (void)fil_promise_complete(world.promise, fil_result_wait(world.inner_future));
    (void)fil_promise_complete(world.inner_promise, make_value());
}

static void consume_forgetting(void *context)
{
    (void)context;
    fil_future_forget(world.future);
}

static void consume_cancelling(void *context)
{
    (void)context;
    fil_future_cancel(world.future);
}

static void consume_then(void *context)
{
    (void)context;
    add_then();
    fil_future_forget(world.future);
}

static void consume_then_cancelling(void *context)
{
    (void)context;
    add_then();
    fil_future_cancel(world.future);
}

static void consume_chain(void *context)
{
    (void)context;
    add_then();
    add_ensure();
    fil_future_forget(world.future);
}

static void consume_chain_cancelling(void *context)
{
    (void)context;
    add_ensure();
    add_then();
    fil_future_cancel(world.future);
}

static void consume_awaiting(void *context)
{
    (void)context;
    struct fil_result result;
    must_be_ok(fil_future_await(world.future, FIL_WAIT_FOREVER, &result));
    fil_result_destroy(result);
}

enum producer_name {
    VALUE,
    NOTHING,
    HOOK,
    ANOTHER,
    ANOTHER_HOOK
};

enum consumer_name {
    FORGET,
    CANCEL,
    THEN,
    THEN_CANCEL,
    CHAIN,
    CHAIN_CANCEL,
    AWAIT
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

static void set_up_pair(void)
{
    begin_world();
    new_pair(&world.promise, &world.future);
    if (now->producer->has_inner) {
        new_pair(&world.inner_promise, &world.inner_future);
    }
}

/** What holds after every play: values and memory have found their ends. */
static bool is_clean(void)
{
    return fil_explorer_block_count() == 0 && world.seen.made == world.seen.destroyed;
}

static bool check_pair(void)
{
    bool calls_are_right =
        now->consumer->cancels ? world.seen.calls <= 1 : world.seen.calls == now->consumer->calls;
    bool hooks_are_right = now->consumer->cancels && now->producer->has_hook
                               ? world.seen.hooks <= 1
                               : world.seen.hooks == 0;
    return is_clean() && calls_are_right && hooks_are_right &&
           world.seen.ensures == now->consumer->ensures;
}

// A chain that waits for other futures again and again, while its consumer cancels or attaches.

static void next_step(void *context, struct fil_result *result)
{
    uint32_t *step = context;
    fil_result_destroy(*result);
    *step += 1;
    if (*step == STEPS) {
        *result = make_value();
        return;
    }
    struct fil_future next = world.step_futures[*step];
    must_be_ok(fil_future_then_on(&next, fil_target_inline(), next_step, context));
    *result = fil_result_wait(next);
}

static void set_up_loop(void)
{
    begin_world();
    for (uint32_t i = 0; i < STEPS; i++) {
        new_pair(&world.steps[i], &world.step_futures[i]);
        if (i == STEPS - 1) {
            add_hook(world.steps[i]);
        }
    }
    world.future = world.step_futures[0];
    must_be_ok(
        fil_future_then_on(&world.future, fil_target_inline(), next_step, &world.step_count));
}

static void complete_steps(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < STEPS; i++) {
        (void)fil_promise_complete(world.steps[i], make_value());
    }
}

/** The futures that no step came to are still the test's. */
static bool check_loop(void)
{
    for (uint32_t i = world.step_count + 1; i < STEPS; i++) {
        fil_future_forget(world.step_futures[i]);
    }
    return is_clean() && world.seen.hooks <= 1;
}

static bool check_whole_loop(void)
{
    return check_loop() && world.step_count == STEPS && world.seen.calls == 1 &&
           world.seen.hooks == 0;
}

// Three parties: a continuation waits for another future, which a third thread completes.

static void wait_for_inner(void *context, struct fil_result *result)
{
    (void)context;
    world.seen.calls++;
    fil_result_destroy(*result);
    *result = fil_result_wait(world.inner_future);
}

static void set_up_three(void)
{
    begin_world();
    new_pair(&world.promise, &world.future);
    new_pair(&world.inner_promise, &world.inner_future);
    add_hook(world.inner_promise);
    must_be_ok(fil_future_then_on(&world.future, fil_target_inline(), wait_for_inner, NULL));
}

static void complete_inner(void *context)
{
    (void)context;
    (void)fil_promise_complete(world.inner_promise, make_value());
}

/** A continuation that was left out has not used the inner future up. */
static bool check_three(void)
{
    if (world.seen.calls == 0) {
        fil_future_forget(world.inner_future);
    }
    return is_clean() && world.seen.hooks <= 1 && world.seen.ensures == now->consumer->ensures;
}

// A hook that is queued on the producer's target while the producer completes there.

static void queue_submit(struct fil_target *target, struct fil_task *task)
{
    (void)target;
    (void)fil_stack_push(&world.queue, &task->link);
}

static bool queue_is_current(struct fil_target *target)
{
    (void)target;
    return false;
}

static const struct fil_target_ops queue_ops = {
    .name = "queue", .submit = queue_submit, .is_current = queue_is_current};
static struct fil_target queue_target = {.ops = &queue_ops};

static void note_hook_before_completion(void *context)
{
    (void)context;
    fil_assert(!world.is_completed);
    world.seen.hooks++;
}

static void run_queue(void)
{
    struct fil_link *link = fil_stack_take_all(&world.queue);
    while (link != NULL) {
        struct fil_task *task = FIL_CONTAINER_OF(link, struct fil_task, link);
        link = link->next;
        task->run(task);
    }
}

static void set_up_queue(void)
{
    begin_world();
    fil_stack_init(&world.queue);
    new_pair(&world.promise, &world.future);
}

static void produce_on_target(void *context)
{
    (void)context;
    must_be_ok(
        fil_promise_on_cancel(world.promise, &queue_target, note_hook_before_completion, NULL));
    run_queue();
    world.is_completed = true;
    (void)fil_promise_complete(world.promise, make_value());
    run_queue();
}

static bool check_queue(void)
{
    run_queue();
    return is_clean() && world.seen.hooks <= 1 && world.seen.ensures == now->consumer->ensures;
}

// Two runners of a race.

static void set_up_race(void)
{
    begin_world();
    new_pair(&world.promise, &world.future);
    must_be_ok(fil_race_new(world.promise, 2, &world.race));
}

static void finish_race(void *context)
{
    (void)context;
    world.win_count += fil_race_finish(world.race, make_value());
}

static void leave_race(void *context)
{
    (void)context;
    fil_race_leave(world.race);
}

static bool check_race(void)
{
    struct fil_result result = fil_result_number(0);
    bool is_completed_once = fil_future_take(world.future, &result) == FIL_OK;
    fil_result_destroy(result);
    return is_clean() && is_completed_once && world.win_count == (world.seen.made > 0);
}

// A join of two members and its consumer.

static void set_up_join(void)
{
    struct fil_future members[2];
    begin_world();
    new_pair(&world.promise, &members[0]);
    new_pair(&world.inner_promise, &members[1]);
    add_hook(world.inner_promise);
    must_be_ok(now->join(NULL, members, 2, &world.future));
}

static void fail_inner(void *context)
{
    (void)context;
    (void)fil_promise_fail(world.inner_promise, FIL_E_FULL);
}

static bool check_join(void)
{
    return is_clean() && world.seen.hooks <= 1;
}

// A share: a listener comes and goes while the result comes.

static void set_up_share(void)
{
    begin_world();
    new_pair(&world.promise, &world.future);
    must_be_ok(fil_share_new(world.future, &world.share));
    fil_share_ref(world.share);
}

static void listen_and_take(void *context)
{
    (void)context;
    struct fil_future mine;
    must_be_ok(fil_share_listen(world.share, NULL, &mine));
    fil_share_unref(world.share);
    struct fil_result result;
    must_be_ok(fil_future_await(mine, FIL_WAIT_FOREVER, &result));
    fil_assert(fil_share_result(result.pointer)->pointer == &world.seen);
    fil_result_destroy(result);
}

static void listen_and_cancel(void *context)
{
    (void)context;
    struct fil_future mine;
    must_be_ok(fil_share_listen(world.share, NULL, &mine));
    fil_share_unref(world.share);
    fil_future_cancel(mine);
}

// Cases.

#define PAIR(p, c)                                                             \
    {                                                                          \
        .name = #p "_against_" #c, .set_up = set_up_pair, .check = check_pair, \
        .producer = &producers[p], .consumer = &consumers[c]                   \
    }
#define THREE(c)                                                                \
    {                                                                           \
        .name = "THREE_with_" #c, .set_up = set_up_three, .check = check_three, \
        .actors = {produce_value, complete_inner}, .consumer = &consumers[c]    \
    }
#define LOOP(c, is_right)                                                     \
    {                                                                         \
        .name = "LOOP_against_" #c, .set_up = set_up_loop, .check = is_right, \
        .actors = {complete_steps}, .consumer = &consumers[c]                 \
    }
#define QUEUED(c)                                                                        \
    {                                                                                    \
        .name = "QUEUED_HOOK_against_" #c, .set_up = set_up_queue, .check = check_queue, \
        .actors = {produce_on_target}, .consumer = &consumers[c]                         \
    }
#define RACE(title, first, second)                                                     \
    {                                                                                  \
        .name = "RACE_" title, .set_up = set_up_race, .check = check_race, .actors = { \
            first,                                                                     \
            second                                                                     \
        }                                                                              \
    }
#define JOIN(title, fn, inner, c)                                               \
    {                                                                           \
        .name = "JOIN_" title, .set_up = set_up_join, .check = check_join,      \
        .actors = {produce_value, inner}, .consumer = &consumers[c], .join = fn \
    }

static const struct promise_case cases[] = {
    PAIR(VALUE, FORGET),
    PAIR(VALUE, CANCEL),
    PAIR(VALUE, THEN),
    PAIR(VALUE, THEN_CANCEL),
    PAIR(VALUE, CHAIN),
    PAIR(VALUE, CHAIN_CANCEL),
    PAIR(VALUE, AWAIT),
    PAIR(NOTHING, FORGET),
    PAIR(NOTHING, CANCEL),
    PAIR(NOTHING, THEN),
    PAIR(NOTHING, THEN_CANCEL),
    PAIR(NOTHING, CHAIN),
    PAIR(NOTHING, CHAIN_CANCEL),
    PAIR(NOTHING, AWAIT),
    PAIR(HOOK, FORGET),
    PAIR(HOOK, CANCEL),
    PAIR(HOOK, THEN),
    PAIR(HOOK, THEN_CANCEL),
    PAIR(HOOK, CHAIN),
    PAIR(HOOK, CHAIN_CANCEL),
    PAIR(HOOK, AWAIT),
    PAIR(ANOTHER, FORGET),
    PAIR(ANOTHER, CANCEL),
    PAIR(ANOTHER, THEN),
    PAIR(ANOTHER, THEN_CANCEL),
    PAIR(ANOTHER, CHAIN),
    PAIR(ANOTHER, CHAIN_CANCEL),
    PAIR(ANOTHER, AWAIT),
    PAIR(ANOTHER_HOOK, FORGET),
    PAIR(ANOTHER_HOOK, CANCEL),
    PAIR(ANOTHER_HOOK, THEN),
    PAIR(ANOTHER_HOOK, THEN_CANCEL),
    PAIR(ANOTHER_HOOK, CHAIN),
    PAIR(ANOTHER_HOOK, CHAIN_CANCEL),
    PAIR(ANOTHER_HOOK, AWAIT),
    THREE(FORGET),
    THREE(CANCEL),
    THREE(THEN),
    THREE(THEN_CANCEL),
    THREE(CHAIN),
    THREE(CHAIN_CANCEL),
    THREE(AWAIT),
    LOOP(CANCEL, check_loop),
    LOOP(THEN_CANCEL, check_loop),
    LOOP(CHAIN_CANCEL, check_loop),
    LOOP(THEN, check_whole_loop),
    QUEUED(CANCEL),
    QUEUED(THEN_CANCEL),
    QUEUED(CHAIN_CANCEL),
    RACE("of_two", finish_race, finish_race),
    RACE("with_a_leaver", finish_race, leave_race),
    RACE("of_leavers", leave_race, leave_race),
    JOIN("all", fil_join_all, fail_inner, THEN),
    JOIN("any", fil_join_any, complete_inner, CANCEL),
    JOIN("settle", fil_join_settle, complete_inner, CANCEL),
    {.name = "SHARE",
     .set_up = set_up_share,
     .check = is_clean,
     .actors = {produce_value, listen_and_take, listen_and_cancel}},
};

static void add_actor(const char *name, fil_explorer_fn run)
{
    if (run != NULL) {
        (void)fil_explorer_add(name, run, NULL);
    }
}

static void set_up(void *context)
{
    static const char *const names[ACTORS_MAX] = {"actor-0", "actor-1", "actor-2"};
    now = context;
    now->set_up();
    for (uint32_t i = 0; i < ACTORS_MAX; i++) {
        add_actor(names[i], now->actors[i]);
    }
    add_actor("producer", now->producer == NULL ? NULL : now->producer->run);
    add_actor("consumer", now->consumer == NULL ? NULL : now->consumer->run);
}

static void check(void *context)
{
    (void)context;
    if (!now->check()) {
        fil_explorer_fail("made %u destroyed %u calls %u ensures %u hooks %u blocks %u",
                          world.seen.made, world.seen.destroyed, world.seen.calls,
                          world.seen.ensures, world.seen.hooks,
                          (uint32_t)fil_explorer_block_count());
    }
}

const char fil_suite_name[] = "promise";

uint32_t fil_suite_case_count(void)
{
    return FIL_COUNT_OF(cases);
}

const char *fil_suite_case_name(uint32_t index)
{
    return cases[index].name;
}

struct fil_explorer_result fil_suite_case_run(uint32_t index)
{
    struct promise_case copy = cases[index];
    return fil_explorer_run(&(struct fil_explorer_case){
        .name = copy.name, .set_up = set_up, .check = check, .context = &copy});
}
