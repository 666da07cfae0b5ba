// SPDX-License-Identifier: Apache-2.0
/**
 * The trampoline, one test a promise: a task runs before the call returns; one that is brought by a
 * running task waits for its end; tasks run in their order; a flush runs those that wait in the
 * middle of a task; sending to the current target runs in place, to another one it submits; the
 * inline target is current on every thread.
 */
#include "core/exec/trampoline.h"

#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_target.h"
#include "tests/unit/harness.h"

#define NOTES_MAX 16U

struct noted {
    struct fil_task task;
    int number;
    struct noted *brings[2];
    bool flushes;
};

static int notes[NOTES_MAX];
static uint32_t note_count;

static void note(int number)
{
    assert_true(note_count < NOTES_MAX);
    notes[note_count] = number;
    note_count++;
}

/** Notes its number when it begins, and the negative when it ends. */
static void run_noted(struct fil_task *task)
{
    struct noted *noted = FIL_CONTAINER_OF(task, struct noted, task);
    note(noted->number);
    for (uint32_t i = 0; i < 2; i++) {
        if (noted->brings[i] != NULL) {
            fil_trampoline_run(&noted->brings[i]->task);
        }
    }
    if (noted->flushes) {
        fil_trampoline_flush();
    }
    note(-noted->number);
}

static int set_up(void **state)
{
    (void)state;
    note_count = 0;
    return 0;
}

static void assert_notes(const int *expected, uint32_t count)
{
    assert_int_equal(note_count, count);
    assert_memory_equal(notes, expected, count * sizeof(int));
}

static void test_task_runs_before_the_call_returns(void **state)
{
    (void)state;
    struct noted one = {.task.run = run_noted, .number = 1};
    fil_trampoline_run(&one.task);
    assert_notes((const int[]){1, -1}, 2);
    fil_trampoline_flush(); // nothing waits
    assert_int_equal(note_count, 2);
}

static void test_task_of_a_running_one_waits_for_its_end(void **state)
{
    (void)state;
    struct noted four = {.task.run = run_noted, .number = 4};
    struct noted two = {.task.run = run_noted, .number = 2, .brings = {&four}};
    struct noted three = {.task.run = run_noted, .number = 3};
    struct noted one = {.task.run = run_noted, .number = 1, .brings = {&two, &three}};
    fil_trampoline_run(&one.task);
    assert_notes((const int[]){1, -1, 2, -2, 3, -3, 4, -4}, 8);
}

static void test_flush_runs_those_that_wait(void **state)
{
    (void)state;
    struct noted two = {.task.run = run_noted, .number = 2};
    struct noted one = {.task.run = run_noted, .number = 1, .brings = {&two}, .flushes = true};
    fil_trampoline_run(&one.task);
    assert_notes((const int[]){1, 2, -2, -1}, 4);
}

static void test_send_runs_here_or_submits(void **state)
{
    (void)state;
    struct hand_target hand;
    struct noted one = {.task.run = run_noted, .number = 1};
    hand_target_init(&hand);
    fil_trampoline_send(&hand.target, &one.task);
    assert_int_equal(note_count, 0);
    assert_int_equal(hand_target_run(&hand), 1);
    assert_int_equal(note_count, 2);
    hand_target_current = &hand;
    fil_trampoline_send(&hand.target, &one.task);
    hand_target_current = NULL;
    assert_int_equal(note_count, 4);
    assert_int_equal(hand_target_run(&hand), 0);
}

static void send_inline(void *context)
{
    fil_trampoline_send(fil_target_inline(), context);
}

static void test_inline_target_is_current_everywhere(void **state)
{
    (void)state;
    struct noted one = {.task.run = run_noted, .number = 1};
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "sender", send_inline, &one.task), FIL_OK);
    fil_thread_join(&thread);
    assert_int_equal(note_count, 2);
    send_inline(&one.task);
    fil_target_submit(fil_target_inline(), &one.task);
    assert_int_equal(note_count, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_task_runs_before_the_call_returns, set_up),
        cmocka_unit_test_setup(test_task_of_a_running_one_waits_for_its_end, set_up),
        cmocka_unit_test_setup(test_flush_runs_those_that_wait, set_up),
        cmocka_unit_test_setup(test_send_runs_here_or_submits, set_up),
        cmocka_unit_test_setup(test_inline_target_is_current_everywhere, set_up),
    };
    return cmocka_run_group_tests_name("trampoline", tests, NULL, NULL);
}
