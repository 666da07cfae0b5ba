// SPDX-License-Identifier: Apache-2.0
/**
 * A suite's cases, each a test: what the suite promises holds in every order its steps can have.
 * That the cases can fail is shown by the mutants of the suite's table, each a test of its own.
 *
 * With two numbers, PART and PARTS, only every PARTS-th case is played, so that processors share;
 * with a name, only that case.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/interleave/suite.h"
#include "tests/unit/harness.h"

#define CASES_MAX 128U

static void explore_case(void **state)
{
    uint32_t index = *(const uint32_t *)*state;
    struct fil_explorer_result result = fil_suite_case_run(index);
    print_message("%s: %llu states stand for %.2g schedules; %u places are shared\n",
                  fil_suite_case_name(index), (unsigned long long)result.state_count,
                  result.schedule_count, result.shared_count);
    if (result.has_failed) {
        fail_msg("%s", result.failure);
    }
    assert_true(result.end_count > 0);
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[CASES_MAX];
    static uint32_t indexes[CASES_MAX];
    uint32_t part = argc == 3 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    uint32_t parts = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    uint32_t count = 0;
    if (fil_suite_case_count() > CASES_MAX || part >= parts) {
        return 2;
    }
    for (uint32_t i = part; i < fil_suite_case_count(); i += parts) {
        if (argc == 2 && strcmp(fil_suite_case_name(i), argv[1]) != 0) {
            continue;
        }
        indexes[count] = i;
        tests[count] = (struct CMUnitTest){.name = fil_suite_case_name(i),
                                           .test_func = explore_case,
                                           .initial_state = &indexes[count]};
        count++;
    }
    // cmocka's macro knows arrays of a fixed size only.
    return _cmocka_run_group_tests(fil_suite_name, tests, count, NULL, NULL);
}
