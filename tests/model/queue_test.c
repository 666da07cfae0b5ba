// SPDX-License-Identifier: Apache-2.0
/**
 * A bounded queue against plain arrays, over random scripts: offers and polls that wait, with and
 * without deadlines, callers that go away at any moment, drains and removals. Whatever happens,
 * each call ends as the model says, in the same order, and no item is lost or doubled.
 *
 * `model_queue STEPS [SEED]` runs longer.
 */
#include <stdlib.h>

#include "lib/base/prng.h"
#include "tests/unit/grid/queue/queue_fixture.h"

#define CALLS_MAX 64U
#define BOUND     20U

static uint64_t step_count = 1000000;
static uint64_t first_seed = 1;

enum call_state {
    CALL_FREE,
    CALL_WAITS,
    CALL_DONE
};

struct call {
    struct errand errand;
    enum call_state state; // as the model sees it
    bool is_poll;
    uint64_t number; // brought, or expected
    uint64_t deadline_ms;
    int error; // expected
};

static struct call calls[CALLS_MAX];
static struct fil_prng prng;

// The model: the queue, and those that wait, in order.
static uint64_t content[BOUND];
static uint32_t content_count;
static struct call *takers[CALLS_MAX];
static uint32_t taker_count;
static struct call *offerers[CALLS_MAX];
static uint32_t offerer_count;
static uint64_t next_number;

static uint64_t shift_content(void)
{
    uint64_t first = content[0];
    content_count--;
    memmove(content, content + 1, content_count * sizeof(content[0]));
    return first;
}

static struct call *take_call(struct call **line, uint32_t *count, uint32_t index)
{
    struct call *call = line[index];
    (*count)--;
    memmove(line + index, line + index + 1, (*count - index) * sizeof(struct call *));
    return call;
}

static void end_call(struct call *call, int error)
{
    call->state = CALL_DONE;
    call->error = error;
}

/** Whoever can go on does. */
static void settle_model(void)
{
    bool has_moved = true;
    while (has_moved) {
        has_moved = false;
        if (content_count > 0 && taker_count > 0) {
            struct call *call = take_call(takers, &taker_count, 0);
            call->number = shift_content();
            end_call(call, FIL_OK);
            has_moved = true;
        }
        if (content_count < BOUND && offerer_count > 0) {
            struct call *call = take_call(offerers, &offerer_count, 0);
            content[content_count++] = call->number;
            end_call(call, FIL_OK);
            has_moved = true;
        }
    }
}

static struct call *free_call(void)
{
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        if (calls[i].state == CALL_FREE) {
            return &calls[i];
        }
    }
    return NULL;
}

static void begin_call(bool is_poll)
{
    struct call *call = free_call();
    if (call == NULL) {
        return;
    }
    uint64_t timeout_ms = fil_prng_below(&prng, 3) == 0 ? 1 + fil_prng_below(&prng, 200) : 0;
    call->is_poll = is_poll;
    call->state = CALL_WAITS;
    call->deadline_ms = timeout_ms == 0 ? UINT64_MAX : now_ms() + timeout_ms;
    if (is_poll) {
        takers[taker_count++] = call;
        send_poll(&call->errand, timeout_ms);
    } else {
        call->number = next_number++;
        offerers[offerer_count++] = call;
        send_offer(&call->errand, call->number, timeout_ms);
    }
}

/** In place, so that whoever it wakes has not run when the next thing happens. */
static void offer_in_place(void)
{
    uint64_t number = next_number++;
    int error = offer_now(number);
    bool has_room = content_count < BOUND;
    assert_int_equal(error, has_room ? FIL_OK : FIL_E_AGAIN);
    if (has_room) {
        content[content_count++] = number;
    }
}

static void drain_in_place(void)
{
    uint64_t limit = 1 + fil_prng_below(&prng, 5);
    uint64_t expected = limit < content_count ? limit : content_count;
    struct fil_partition *partition = go_in(&queue->container);
    assert_int_equal(fil_queue_drain_here(queue, limit, now_ms()), expected);
    fil_partition_leave(partition);
    for (uint64_t i = 0; i < expected; i++) {
        (void)shift_content();
    }
}

static void leave_line(struct call **line, uint32_t *count, struct call *call)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (line[i] == call) {
            (void)take_call(line, count, i);
            return;
        }
    }
}

static void give_up(struct call *call, int error)
{
    leave_line(takers, &taker_count, call);
    leave_line(offerers, &offerer_count, call);
    end_call(call, error);
}

static void disconnect_one(void)
{
    struct call *call = &calls[fil_prng_below(&prng, CALLS_MAX)];
    if (call->state == CALL_WAITS && !call->errand.is_done) {
        abandon_errand(&call->errand);
        give_up(call, FIL_E_CANCELLED);
    }
}

/** Time passes: the wheel's tick is about a millisecond, so deadlines are met or clearly not. */
static void pass_time(void)
{
    pass_ms(300);
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        if (calls[i].state == CALL_WAITS && calls[i].deadline_ms <= now_ms()) {
            give_up(&calls[i], FIL_E_TIMEOUT);
        }
    }
}

static void compare_call(struct call *call)
{
    if (call->state != CALL_DONE) {
        assert_false(call->errand.is_done && call->state == CALL_WAITS);
        return;
    }
    assert_true(call->errand.is_done);
    assert_int_equal(call->errand.error, call->error);
    if (call->error == FIL_OK) {
        assert_int_equal(call->errand.number, call->number);
    }
    call->state = CALL_FREE;
}

static bool compare_item(void *context, struct fil_bytes item)
{
    uint32_t *index = context;
    assert_int_equal(number_of(item), content[*index]);
    (*index)++;
    return true;
}

static void compare_all(void)
{
    uint32_t visited = 0;
    settle_model();
    settle();
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        compare_call(&calls[i]);
    }
    assert_int_equal(fil_queue_size_here(queue), content_count);
    fil_queue_visit_here(queue, UINT64_MAX, compare_item, &visited);
    assert_int_equal(visited, content_count);
    assert_int_equal(queue->takers.promised + queue->offerers.promised, 0);
}

/** Between two comparisons several things happen before anybody runs. */
static void step(uint64_t bias)
{
    uint64_t dice = fil_prng_below(&prng, 100);
    if (dice < bias) {
        begin_call(true);
    } else if (dice < 84) {
        begin_call(false);
    } else if (dice < 94) {
        compare_all();
        offer_in_place();
        disconnect_one();
        disconnect_one();
    } else if (dice < 96) {
        compare_all();
        drain_in_place();
    } else if (dice < 99) {
        compare_all();
        pass_time();
    } else {
        disconnect_one();
    }
    if (fil_prng_below(&prng, 3) == 0) {
        compare_all();
    }
}

static void run_script(void)
{
    for (uint64_t i = 0; i < step_count; i++) {
        step(i / 500 % 2 == 0 ? 35 : 50);
    }
    compare_all();
}

static void test_queue_serves_as_the_model_says(void **state)
{
    (void)state;
    static const struct fil_queue_config config = {.size_max = BOUND, .empty_ttl_ms = 100};
    fil_prng_init(&prng, first_seed);
    open_queue(&config);
    run_script();
    assert_true(next_number > step_count / 4);
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        if (calls[i].state == CALL_WAITS) {
            abandon_errand(&calls[i].errand);
        }
    }
    settle();
    close_world();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queue_serves_as_the_model_says)};
    step_count = argc > 1 ? strtoull(argv[1], NULL, 10) : step_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests_name("queue_model", tests, NULL, NULL);
}
