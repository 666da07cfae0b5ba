// SPDX-License-Identifier: Apache-2.0
/**
 * A thread's promises: it runs its entry with its context, join sees all it wrote, it carries its
 * name (cut where the kernel cuts), it has the stack it asked for and stays on the cpus it was
 * given; cpus that do not exist are refused; a detached one runs without being joined; where the
 * system lets it choose its slice, it has the one it chose and nobody else has.
 */
#include "lib/os/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "filbert/error.h"
#include "lib/os/cpu_set_internal.h"
#include "tests/unit/harness.h"

struct report {
    char name[FIL_THREAD_NAME_MAX];
    uint32_t id;
    size_t stack_bytes;
    struct fil_cpu_set cpus;
};

static struct fil_cpu_set affinity(void)
{
    cpu_set_t system;
    assert_int_equal(sched_getaffinity(0, sizeof(system), &system), 0);
    return fil_cpu_set__from_system(&system);
}

static size_t own_stack_bytes(void)
{
    pthread_attr_t attributes;
    size_t size = 0;
    assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
    assert_int_equal(pthread_attr_getstacksize(&attributes, &size), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    return size;
}

static void write_report(void *context)
{
    struct report *report = context;
    (void)fil_thread_name(report->name);
    report->id = fil_thread_id();
    report->stack_bytes = own_stack_bytes();
    report->cpus = affinity();
    fil_thread_pause();
    fil_thread_yield();
}

static void set_flag(void *context)
{
    _Atomic bool *flag = context;
    atomic_store_explicit(flag, true, memory_order_release);
}

static void test_detached_thread_runs_without_a_join(void **state)
{
    (void)state;
    // Static: the thread may be in its last instructions when the test is over.
    static struct fil_thread thread;
    static _Atomic bool has_run;
    assert_int_equal(fil_thread_start(&thread, "alone", set_flag, &has_run), FIL_OK);
    fil_thread_detach(&thread);
    while (!atomic_load_explicit(&has_run, memory_order_acquire)) {
        fil_thread_yield();
    }
}

static void test_join_sees_what_the_thread_wrote(void **state)
{
    (void)state;
    struct report report = {.id = 0};
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "io/0", write_report, &report), FIL_OK);
    fil_thread_join(&thread);
    assert_string_equal(report.name, "io/0");
    assert_int_not_equal(report.id, 0);
    assert_int_not_equal(report.id, fil_thread_id());
    assert_false(thread.is_started);
}

static void test_long_name_is_cut(void **state)
{
    (void)state;
    struct report report = {.id = 0};
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "partition/123456789", write_report, &report),
                     FIL_OK);
    fil_thread_join(&thread);
    assert_string_equal(report.name, "partition/12345");
}

static void test_thread_has_the_stack_it_asked_for(void **state)
{
    (void)state;
    struct report report = {.id = 0};
    struct fil_thread thread;
    struct fil_thread_options options = {
        .name = "stack", .entry = write_report, .context = &report, .stack_bytes = 8U << 20};
    assert_int_equal(fil_thread_start_with(&thread, &options), FIL_OK);
    fil_thread_join(&thread);
    assert_true(report.stack_bytes >= options.stack_bytes); // the system may have a larger one left
    assert_true(options.stack_bytes > FIL_THREAD_STACK_BYTES);
}

static void test_thread_starts_on_its_cpus(void **state)
{
    (void)state;
    struct fil_cpu_set mine = affinity();
    struct fil_cpu_set one = {0};
    fil_cpu_set_add(&one, fil_cpu_set_next(&mine, 0));
    struct report report = {.id = 0};
    struct fil_thread thread;
    struct fil_thread_options options = {
        .name = "pinned", .entry = write_report, .context = &report, .cpus = &one};
    assert_int_equal(fil_thread_start_with(&thread, &options), FIL_OK);
    fil_thread_join(&thread);
    assert_memory_equal(&report.cpus, &one, sizeof(one));
}

static void test_cpus_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    struct fil_cpu_set none = {0};
    struct fil_cpu_set far = {0};
    fil_cpu_set_add(&far, FIL_CPU_MAX - 1);
    struct fil_thread thread;
    struct fil_thread_options options = {.name = "far", .entry = write_report, .cpus = &far};
    assert_int_equal(fil_thread_start_with(&thread, &options), FIL_E_INVALID);
    assert_false(thread.is_started);
    assert_int_equal(fil_thread_pin(&far), FIL_E_INVALID);
    assert_int_equal(fil_thread_pin(&none), FIL_E_INVALID);
}

static void pin_itself(void *context)
{
    struct report *report = context;
    struct fil_cpu_set one = {0};
    struct fil_cpu_set before = affinity();
    fil_cpu_set_add(&one, fil_cpu_set_next(&before, 0));
    assert_int_equal(fil_thread_pin(&one), FIL_OK);
    report->cpus = affinity();
}

static void test_pin_moves_the_calling_thread_only(void **state)
{
    (void)state;
    struct fil_cpu_set before = affinity();
    struct report report = {.id = 0};
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "pin", pin_itself, &report), FIL_OK);
    fil_thread_join(&thread);
    struct fil_cpu_set after = affinity();
    assert_int_equal(fil_cpu_set_count(&report.cpus), 1);
    assert_memory_equal(&after, &before, sizeof(before));
}

struct slices {
    uint64_t before_ns;
    uint64_t after_ns;
    int error;
};

static void choose_slice(void *context)
{
    struct slices *slices = context;
    slices->before_ns = fil_thread_slice_ns();
    slices->error = fil_thread_set_slice(FIL_THREAD_SLICE_NS_MIN * 2);
    slices->after_ns = fil_thread_slice_ns();
}

static void test_slice_is_the_calling_threads_choice(void **state)
{
    (void)state;
    struct slices slices = {.error = FIL_OK};
    struct fil_thread thread;
    uint64_t mine_ns = fil_thread_slice_ns();
    assert_int_equal(fil_thread_start(&thread, "slice", choose_slice, &slices), FIL_OK);
    fil_thread_join(&thread);
    assert_int_equal(fil_thread_slice_ns(), mine_ns);
    if (slices.before_ns == 0) {
        assert_int_equal(slices.error, FIL_E_UNSUPPORTED); // an older kernel, or a sandbox
        assert_int_equal(slices.after_ns, 0);
    } else {
        assert_int_equal(slices.error, FIL_OK);
        assert_int_equal(slices.after_ns, FIL_THREAD_SLICE_NS_MIN * 2);
    }
}

static void choose_slack(void *context)
{
    uint64_t *slack_ns = context;
    fil_thread_set_timer_slack(2000);
    *slack_ns = fil_thread_timer_slack_ns();
}

static void test_timer_slack_is_the_calling_threads_choice(void **state)
{
    (void)state;
    uint64_t chosen_ns = 0;
    struct fil_thread thread;
    uint64_t mine_ns = fil_thread_timer_slack_ns();
    assert_int_equal(fil_thread_start(&thread, "slack", choose_slack, &chosen_ns), FIL_OK);
    fil_thread_join(&thread);
    assert_int_equal(fil_thread_timer_slack_ns(), mine_ns);
    assert_int_equal(chosen_ns, mine_ns == 0 ? 0 : 2000); // a sandbox may not know of it
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join_sees_what_the_thread_wrote),
        cmocka_unit_test(test_long_name_is_cut),
        cmocka_unit_test(test_thread_has_the_stack_it_asked_for),
        cmocka_unit_test(test_thread_starts_on_its_cpus),
        cmocka_unit_test(test_cpus_that_do_not_exist_are_refused),
        cmocka_unit_test(test_detached_thread_runs_without_a_join),
        cmocka_unit_test(test_pin_moves_the_calling_thread_only),
        cmocka_unit_test(test_slice_is_the_calling_threads_choice),
        cmocka_unit_test(test_timer_slack_is_the_calling_threads_choice),
    };
    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
