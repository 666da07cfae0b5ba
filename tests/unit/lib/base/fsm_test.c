// SPDX-License-Identifier: Apache-2.0
/**
 * State machines, one test a promise: allowed moves are made and traced, forbidden ones stop the
 * process with both states named; the invariant is checked at the start and after every move; the
 * machine knows where it can go and when it has ended.
 */
#include <string.h>

#include "lib/base/fsm.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/base/assertion.h"

enum door_state {
    DOOR_OPEN,
    DOOR_SHUT,
    DOOR_GONE
};

struct door {
    struct fil_fsm fsm;
    bool is_locked;
};

static unsigned check_count;
static unsigned trace_count;
static uint32_t traced_from;
static uint32_t traced_to;

static void check_door(const struct fil_fsm *fsm)
{
    const struct door *door = FIL_CONTAINER_OF_CONST(fsm, struct door, fsm);
    check_count++;
    if (fil_fsm_is(fsm, DOOR_OPEN)) {
        fil_assert(!door->is_locked);
    }
}

static void trace_door(const struct fil_fsm *fsm, uint32_t from, uint32_t to)
{
    assert_int_equal(fsm->state, to);
    trace_count++;
    traced_from = from;
    traced_to = to;
}

//  OPEN <----> SHUT ----> GONE
static const struct fil_fsm_state door_states[] = {
    [DOOR_OPEN] = {"open", FIL_FSM_TO(DOOR_SHUT)},
    [DOOR_SHUT] = {"shut", FIL_FSM_TO(DOOR_OPEN) | FIL_FSM_TO(DOOR_GONE)},
    [DOOR_GONE] = {"gone", FIL_FSM_END},
};

static const struct fil_fsm_kind door_kind =
    FIL_FSM_KIND("door", door_states, check_door, trace_door);
static const struct fil_fsm_kind plain_kind = FIL_FSM_KIND("plain", door_states, NULL, NULL);

static struct door door;

static int set_up(void **state)
{
    (void)state;
    check_count = 0;
    trace_count = 0;
    door.is_locked = false;
    fil_fsm_init(&door.fsm, &door_kind, DOOR_OPEN);
    return 0;
}

static void test_allowed_moves_are_made_checked_and_traced(void **state)
{
    (void)state;
    assert_int_equal(check_count, 1);
    fil_fsm_move(&door.fsm, DOOR_SHUT);
    assert_true(fil_fsm_is(&door.fsm, DOOR_SHUT));
    assert_string_equal(fil_fsm_state_name(&door.fsm), "shut");
    assert_int_equal(check_count, 2);
    assert_int_equal(trace_count, 1);
    assert_int_equal(traced_from, DOOR_OPEN);
    assert_int_equal(traced_to, DOOR_SHUT);
}

static void test_machine_knows_where_it_can_go(void **state)
{
    (void)state;
    assert_true(fil_fsm_can_move(&door.fsm, DOOR_SHUT));
    assert_false(fil_fsm_can_move(&door.fsm, DOOR_OPEN));
    assert_false(fil_fsm_can_move(&door.fsm, DOOR_GONE));
    assert_false(fil_fsm_can_move(&door.fsm, 3));
    assert_false(fil_fsm_can_move(&door.fsm, UINT32_MAX));
    assert_false(fil_fsm_is_ended(&door.fsm));
    fil_fsm_move(&door.fsm, DOOR_SHUT);
    fil_fsm_move(&door.fsm, DOOR_GONE);
    assert_true(fil_fsm_is_ended(&door.fsm));
}

static void vanish(void *context)
{
    fil_fsm_move(context, DOOR_GONE);
}

static void move_nowhere(void *context)
{
    fil_fsm_move(context, 17);
}

static void test_forbidden_move_stops_with_both_states_named(void **state)
{
    (void)state;
    assert_true(assertion_stops(vanish, &door.fsm));
    assert_non_null(strstr(assertion_text, "door must not move from open to gone"));
    assert_true(fil_fsm_is(&door.fsm, DOOR_OPEN));
    assert_true(assertion_stops(move_nowhere, &door.fsm));
    assert_int_equal(trace_count, 0);
}

static void open_door(void *context)
{
    fil_fsm_move(context, DOOR_OPEN);
}

static void test_broken_invariant_stops_the_move(void **state)
{
    (void)state;
    fil_fsm_move(&door.fsm, DOOR_SHUT);
    door.is_locked = true;
    assert_true(assertion_stops(open_door, &door.fsm));
    assert_non_null(strstr(assertion_text, "is_locked"));
    assert_int_equal(trace_count, 1);
}

static void begin_beyond_the_table(void *context)
{
    fil_fsm_init(context, &plain_kind, 3);
}

static void test_callbacks_are_optional_and_the_table_is_not(void **state)
{
    (void)state;
    struct fil_fsm fsm;
    fil_fsm_init(&fsm, &plain_kind, DOOR_SHUT);
    fil_fsm_move(&fsm, DOOR_GONE);
    assert_true(fil_fsm_is_ended(&fsm));
    assert_true(assertion_stops(begin_beyond_the_table, &fsm));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_allowed_moves_are_made_checked_and_traced, set_up),
        cmocka_unit_test_setup(test_machine_knows_where_it_can_go, set_up),
        cmocka_unit_test_setup(test_forbidden_move_stops_with_both_states_named, set_up),
        cmocka_unit_test_setup(test_broken_invariant_stops_the_move, set_up),
        cmocka_unit_test_setup(test_callbacks_are_optional_and_the_table_is_not, set_up),
    };
    return cmocka_run_group_tests_name("fsm", tests, NULL, NULL);
}
