// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel's ownership protocol, in every order its steps can have: one test a case of
 * kernel_cases.def. Promises, of each: never two threads in a partition; no operation lost, run
 * after its end or overtaken by a later one of its sender; no lost wake-up and no deadlock; in the
 * end every partition is idle and empty, and nobody sleeps who has work.
 *
 * That the cases can fail is shown by the mutants of kernel_table.cmake, each a test of its own.
 */
#include "tests/interleave/kernel_cases.h"
#include "tests/unit/harness.h"

#define CASES_MAX 64U

static void explore_case(void **state)
{
    const char *name = *state;
    struct fil_explorer_result result;
    assert_true(fil_kernel_case_run(name, &result));
    print_message("%s: %llu states stand for %.2g schedules; %u places are shared\n", name,
                  (unsigned long long)result.state_count, result.schedule_count,
                  result.shared_count);
    if (result.has_failed) {
        fail_msg("%s", result.failure);
    }
    assert_true(result.end_count > 0);
}

int main(void)
{
    static struct CMUnitTest tests[CASES_MAX];
    uint32_t count = fil_kernel_case_count();
    if (count > CASES_MAX) {
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        tests[i] = (struct CMUnitTest){.name = fil_kernel_case_name(i),
                                       .test_func = explore_case,
                                       .initial_state = (void *)(uintptr_t)fil_kernel_case_name(i)};
    }
    // cmocka's macro knows arrays of a fixed size only.
    return _cmocka_run_group_tests("kernel", tests, count, NULL, NULL);
}
