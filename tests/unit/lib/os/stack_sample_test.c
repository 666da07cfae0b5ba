// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of a stack sample: it names the function that a busy, a sleeping or the asking
 * thread is in; a thread that is not there or does not answer costs no more than the time allowed,
 * and its late answer harms nobody; a signal that somebody uses is left alone; the sampled thread
 * notices nothing; the hash tells callers apart, not places in one function.
 */
#include "lib/os/stack_sample.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/os/mutex.h"
#include "lib/os/symbol.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define PATIENCE_NS INT64_C(20000000000) // nobody waits for so long unless it is broken

struct subject {
    struct fil_thread thread;
    struct fil_mutex mutex;
    struct fil_condition condition;
    _Atomic uint32_t id; // 0: not running yet
    _Atomic bool is_over;
    bool was_disturbed;
};

static uint32_t await_id(struct subject *subject)
{
    uint32_t id = atomic_load_explicit(&subject->id, memory_order_acquire);
    while (id == 0) {
        fil_thread_yield();
        id = atomic_load_explicit(&subject->id, memory_order_acquire);
    }
    return id;
}

static bool is_over(struct subject *subject)
{
    return atomic_load_explicit(&subject->is_over, memory_order_acquire);
}

static uint32_t start(struct subject *subject, fil_thread_fn entry)
{
    *subject = (struct subject){.id = 0};
    fil_mutex_init(&subject->mutex);
    fil_condition_init(&subject->condition);
    assert_int_equal(fil_thread_start(&subject->thread, "subject", entry, subject), FIL_OK);
    return await_id(subject);
}

static void finish(struct subject *subject)
{
    fil_mutex_lock(&subject->mutex);
    atomic_store_explicit(&subject->is_over, true, memory_order_release);
    fil_condition_broadcast(&subject->condition);
    fil_mutex_unlock(&subject->mutex);
    fil_thread_join(&subject->thread);
    fil_condition_fini(&subject->condition);
    fil_mutex_fini(&subject->mutex);
}

static bool names(const struct fil_stack_sample *sample, const char *function)
{
    char text[FIL_SYMBOL_TEXT_MAX];
    for (uint32_t i = 0; i < sample->count; i++) {
        if (strstr(fil_symbol_describe(sample->frames[i] - (i > 0), text), function) != NULL) {
            return true;
        }
    }
    return false;
}

static __attribute__((noinline)) void spin_in_plain_sight(struct subject *subject)
{
    errno = EDOM;
    while (!is_over(subject)) {
        // The thread sanitizer delivers signals only in calls that it knows, such as these.
        fil_mutex_lock(&subject->mutex);
        fil_mutex_unlock(&subject->mutex);
        subject->was_disturbed |= errno != EDOM;
    }
}

static void spin(void *context)
{
    struct subject *subject = context;
    atomic_store_explicit(&subject->id, fil_thread_id(), memory_order_release);
    spin_in_plain_sight(subject);
}

static __attribute__((noinline)) void sleep_in_plain_sight(struct subject *subject)
{
    fil_mutex_lock(&subject->mutex);
    while (!is_over(subject)) {
        int result = fil_condition_wait(&subject->condition, &subject->mutex, FIL_WAIT_FOREVER);
        subject->was_disturbed |= result != FIL_OK;
    }
    fil_mutex_unlock(&subject->mutex);
}

static void sleep_until_over(void *context)
{
    struct subject *subject = context;
    atomic_store_explicit(&subject->id, fil_thread_id(), memory_order_release);
    sleep_in_plain_sight(subject);
}

static void test_nothing_is_sampled_before_prepare(void **state)
{
    (void)state;
    struct fil_stack_sample sample = {.count = 7};
    assert_int_equal(fil_stack_sample_take(fil_thread_id(), PATIENCE_NS, &sample),
                     FIL_E_UNSUPPORTED);
    assert_int_equal(sample.count, 0);
}

static void test_a_signal_in_use_is_left_alone(void **state)
{
    (void)state;
    struct sigaction mine = {.sa_handler = SIG_IGN};
    assert_int_equal(sigaction(SIGRTMAX, &mine, NULL), 0);
    assert_int_equal(fil_stack_sample_prepare(), FIL_OK);
    assert_int_equal(fil_stack_sample_prepare(), FIL_OK);
    struct sigaction now = {0};
    assert_int_equal(sigaction(SIGRTMAX, NULL, &now), 0);
    assert_ptr_equal(now.sa_handler, SIG_IGN);
    assert_int_equal(sigaction(SIGRTMAX - 1, NULL, &now), 0);
    assert_true((now.sa_flags & SA_SIGINFO) != 0);
    assert_int_equal(sigaction(SIGRTMAX - 2, NULL, &now), 0);
    assert_true((now.sa_flags & SA_SIGINFO) == 0); // the second prepare took none
}

static void test_a_busy_thread_shows_its_function_and_notices_nothing(void **state)
{
    (void)state;
    struct subject subject;
    uint32_t id = start(&subject, spin);
    for (int i = 0; i < 50; i++) {
        struct fil_stack_sample sample;
        assert_int_equal(fil_stack_sample_take(id, PATIENCE_NS, &sample), FIL_OK);
        assert_true(names(&sample, "spin_in_plain_sight"));
    }
    finish(&subject);
    assert_false(subject.was_disturbed);
}

static void test_a_sleeping_thread_shows_its_function_and_sleeps_on(void **state)
{
    (void)state;
    struct subject subject;
    uint32_t id = start(&subject, sleep_until_over);
    struct fil_stack_sample sample;
    int error = FIL_OK;
    do {
        // It may not have come to the function yet. And the thread sanitizer may hold a signal back
        // that comes just before the sleep; the next one wakes it.
        error = fil_stack_sample_take(id, 100000000, &sample);
        assert_true(error == FIL_OK || error == FIL_E_TIMEOUT);
    } while (error != FIL_OK || !names(&sample, "sleep_in_plain_sight"));
    finish(&subject);
    assert_false(subject.was_disturbed);
}

static void test_the_asking_thread_can_sample_itself(void **state)
{
    (void)state;
    struct fil_stack_sample sample;
    assert_int_equal(fil_stack_sample_take(fil_thread_id(), PATIENCE_NS, &sample), FIL_OK);
    assert_true(names(&sample, "fil_stack_sample_take"));
    assert_true(names(&sample, "test_the_asking_thread"));
}

static void test_no_such_thread_is_told_at_once(void **state)
{
    (void)state;
    struct subject subject;
    uint32_t id = start(&subject, spin);
    finish(&subject);
    struct fil_stack_sample sample = {.count = 7};
    assert_int_equal(fil_stack_sample_take(0, PATIENCE_NS, &sample), FIL_E_NOT_FOUND);
    assert_int_equal(sample.count, 0);
    // The kernel may not have buried the joined thread yet: then it does not answer.
    int error = fil_stack_sample_take(id, 1000000, &sample);
    assert_true(error == FIL_E_NOT_FOUND || error == FIL_E_TIMEOUT);
}

static void spin_deaf_then_listening(void *context)
{
    struct subject *subject = context;
    sigset_t all;
    (void)sigfillset(&all);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, NULL), 0);
    atomic_store_explicit(&subject->id, fil_thread_id(), memory_order_release);
    while (!is_over(subject)) {
        fil_thread_yield();
    }
    // What was sent meanwhile is delivered here, too late.
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &all, NULL), 0);
}

static void test_a_late_answer_harms_nobody(void **state)
{
    (void)state;
    struct subject deaf;
    struct subject other;
    uint32_t deaf_id = start(&deaf, spin_deaf_then_listening);
    uint32_t other_id = start(&other, spin);
    struct fil_stack_sample sample = {.count = 7};
    assert_int_equal(fil_stack_sample_take(deaf_id, 1000000, &sample), FIL_E_TIMEOUT);
    assert_int_equal(sample.count, 0);
    assert_int_equal(fil_stack_sample_take(deaf_id, 0, &sample), FIL_E_TIMEOUT);
    atomic_store_explicit(&deaf.is_over, true, memory_order_release);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(fil_stack_sample_take(other_id, PATIENCE_NS, &sample), FIL_OK);
        assert_true(names(&sample, "spin_in_plain_sight"));
    }
    finish(&deaf);
    finish(&other);
}

#define ASKERS 4U

struct asker {
    struct fil_thread thread;
    uint32_t subject_id;
    uint32_t named_count;
};

static void ask_often(void *context)
{
    struct asker *asker = context;
    for (int i = 0; i < 25; i++) {
        struct fil_stack_sample sample;
        if (fil_stack_sample_take(asker->subject_id, PATIENCE_NS, &sample) == FIL_OK) {
            asker->named_count += names(&sample, "spin_in_plain_sight");
        }
    }
}

static void test_many_may_ask_at_once(void **state)
{
    (void)state;
    struct subject subject;
    uint32_t id = start(&subject, spin);
    struct asker askers[ASKERS];
    for (uint32_t i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){.subject_id = id};
        assert_int_equal(fil_thread_start(&askers[i].thread, "asker", ask_often, &askers[i]),
                         FIL_OK);
    }
    for (uint32_t i = 0; i < ASKERS; i++) {
        fil_thread_join(&askers[i].thread);
        assert_int_equal(askers[i].named_count, 25);
    }
    finish(&subject);
}

static void test_the_hash_is_of_the_callers(void **state)
{
    (void)state;
    struct fil_stack_sample one = {.count = 3, .frames = {10, 20, 30}};
    struct fil_stack_sample elsewhere_in_it = {.count = 3, .frames = {11, 20, 30}};
    struct fil_stack_sample another_caller = {.count = 3, .frames = {10, 21, 30}};
    struct fil_stack_sample shorter = {.count = 2, .frames = {10, 20, 30}};
    struct fil_stack_sample none = {.count = 0};
    assert_true(fil_stack_sample_hash(&one) == fil_stack_sample_hash(&elsewhere_in_it));
    assert_true(fil_stack_sample_hash(&one) != fil_stack_sample_hash(&another_caller));
    assert_true(fil_stack_sample_hash(&one) != fil_stack_sample_hash(&shorter));
    assert_true(fil_stack_sample_hash(&one) != fil_stack_sample_hash(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_sampled_before_prepare), // the first two in this order
        cmocka_unit_test(test_a_signal_in_use_is_left_alone),
        cmocka_unit_test(test_a_busy_thread_shows_its_function_and_notices_nothing),
        cmocka_unit_test(test_a_sleeping_thread_shows_its_function_and_sleeps_on),
        cmocka_unit_test(test_the_asking_thread_can_sample_itself),
        cmocka_unit_test(test_no_such_thread_is_told_at_once),
        cmocka_unit_test(test_a_late_answer_harms_nobody),
        cmocka_unit_test(test_many_may_ask_at_once),
        cmocka_unit_test(test_the_hash_is_of_the_callers),
    };
    return cmocka_run_group_tests_name("stack_sample", tests, NULL, NULL);
}
