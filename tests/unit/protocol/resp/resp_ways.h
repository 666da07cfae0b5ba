// SPDX-License-Identifier: Apache-2.0
/** Tests of commands, run both ways: by the loop in place, and by partition threads. */
#pragma once

#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define RESP_WAYS_SECOND UINT64_C(1000000000)

/** Of the test that runs. */
extern struct resp_world resp_ways_world;

/** Set-up and tear-down of each test. */
int resp_ways_set_up(void **state);
int resp_ways_tear_down(void **state);

#define RESP_WAYS_TEST(name) \
    cmocka_unit_test_setup_teardown(test_##name, resp_ways_set_up, resp_ways_tear_down)

/** From now on tests run in place, or handed over. */
void resp_ways_choose(bool has_caller_runs);

/** Sends the text to new worlds with the first, second ... allocation failing while it runs. */
void resp_ways_fail_allocations(const char *text, int positions);
