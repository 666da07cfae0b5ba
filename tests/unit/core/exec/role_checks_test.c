// SPDX-License-Identifier: Apache-2.0
/**
 * A debug build stops whoever calls the hot path from the wrong role: each stage's cycle, run by a
 * thread that has every role but the stage's own, fails an assertion that names the role; with the
 * role it runs. clang sees most of these calls at compile time; this is for those it cannot see.
 */
#include <string.h>

#include "core/exec/event.h"
#include "core/exec/executor.h"
#include "core/exec/generic.h"
#include "core/exec/partition_stage.h"
#include "filbert/error.h"
#include "lib/net/acceptor.h"
#include "lib/net/loop.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

// Never got so far as to be looked at: the role comes first.
static struct fil_partition_stage partition_stage;
static struct fil_generic generic;
static struct fil_events events;
static struct fil_executor executor;
static struct fil_loop loop;
static struct fil_acceptor acceptor;

static void cycle_partition_stage(void *context) FIL_BEFORE_SHARING
{
    (void)fil_partition_stage_cycle(context);
}

static void cycle_generic(void *context) FIL_BEFORE_SHARING
{
    (void)fil_generic_cycle(context, 1);
}

static void cycle_events(void *context) FIL_BEFORE_SHARING
{
    (void)fil_events_cycle(context, 0);
}

static void cycle_executor(void *context) FIL_BEFORE_SHARING
{
    (void)fil_executor_cycle(context, 0);
}

static void cycle_loop(void *context) FIL_BEFORE_SHARING
{
    (void)fil_loop_cycle(context, 0);
}

static void cycle_acceptor(void *context) FIL_BEFORE_SHARING
{
    (void)fil_acceptor_cycle(context, 0);
}

struct entry {
    assertion_action_fn cycle;
    void *stage;
    const struct fil_role *role;
};

static const struct entry entries[] = {
    {cycle_partition_stage, &partition_stage, &fil_role_partition},
    {cycle_generic, &generic, &fil_role_generic},
    {cycle_events, &events, &fil_role_event},
    {cycle_executor, &executor, &fil_role_executor},
    {cycle_loop, &loop, &fil_role_io},
    {cycle_acceptor, &acceptor, &fil_role_acceptor},
};

static int leave_roles(void **state)
{
    (void)state;
    fil_role_leave_all();
    return 0;
}

/** Gives this thread every role but one. */
static void enter_all_but(const struct fil_role *missing)
{
#define ENTER(role)                       \
    if (&fil_role_##role != missing) {    \
        fil_role_enter(&fil_role_##role); \
    }
    FIL_ROLES(ENTER)
#undef ENTER
}

static void test_wrong_role_is_stopped(void **state)
{
    (void)state;
#ifndef FIL_DEBUG
    skip();
#endif
    for (size_t i = 0; i < FIL_COUNT_OF(entries); i++) {
        fil_role_leave_all();
        enter_all_but(entries[i].role);
        assert_true(assertion_stops(entries[i].cycle, entries[i].stage));
        assert_non_null(strstr(assertion_text, "fil_role_is"));
        assert_non_null(strstr(assertion_text, entries[i].role->name));
    }
}

static void test_right_role_is_not(void **state)
{
    (void)state;
    struct fil_generic_options options = fil_generic_defaults(fil_env_real(), 2);
    assert_int_equal(fil_generic_init(&generic, &options), FIL_OK);
    fil_role_enter(&fil_role_generic);
    assert_false(assertion_stops(cycle_generic, &generic));
    fil_generic_fini(&generic);
    memset(&generic, 0, sizeof(generic));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_wrong_role_is_stopped, leave_roles),
        cmocka_unit_test_teardown(test_right_role_is_not, leave_roles),
    };
    return cmocka_run_group_tests_name("role_checks", tests, NULL, NULL);
}
