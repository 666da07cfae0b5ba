// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of gathering: a loop rests when one connection has its next small request there
 * at once, several times in a row; never for a client that waits for its reply, for several busy
 * connections or for large requests; and no more once a rest has brought nothing.
 */
#include "lib/net/gather.h"

#include "lib/base/attr.h"
#include "tests/unit/harness.h"

#define AT_ONCE UINT64_C(500)
#define LATER   (FIL_GATHER_WAIT_NS + 1)
#define REQUEST UINT64_C(100)

static int client, other;

static void note_turns(struct fil_gather *gather, const void *source, uint64_t waited_ns,
                       uint64_t bytes)
{
    for (uint32_t i = 0; i < 100; i++) {
        fil_gather_note_turn(gather, source, waited_ns, bytes);
    }
}

static void test_one_busy_connection_makes_it_rest(void **state)
{
    (void)state;
    struct fil_gather gather = {0};
    for (uint32_t i = 0; i < FIL_GATHER_STREAK; i++) {
        fil_gather_note_turn(&gather, &client, AT_ONCE, REQUEST);
        assert_false(fil_gather_is_due(&gather));
    }
    fil_gather_note_turn(&gather, &client, AT_ONCE, REQUEST);
    assert_true(fil_gather_is_due(&gather));
}

static void test_a_client_that_waits_for_replies_never_does(void **state)
{
    (void)state;
    struct fil_gather gather = {0};
    note_turns(&gather, &client, LATER, REQUEST);
    assert_false(fil_gather_is_due(&gather));
}

static void test_several_connections_never_do(void **state)
{
    (void)state;
    struct fil_gather gather = {0};
    for (uint32_t i = 0; i < 100; i++) {
        fil_gather_note_turn(&gather, i % 2 == 0 ? &client : &other, AT_ONCE, REQUEST);
        assert_false(fil_gather_is_due(&gather));
    }
    note_turns(&gather, NULL, AT_ONCE, 2 * REQUEST);
    assert_false(fil_gather_is_due(&gather));
}

static void test_large_turns_never_do(void **state)
{
    (void)state;
    struct fil_gather gather = {0};
    note_turns(&gather, &client, AT_ONCE, FIL_GATHER_TURN_BYTES + 1);
    assert_false(fil_gather_is_due(&gather));
}

static void test_it_rests_on_while_that_brings_more(void **state)
{
    (void)state;
    struct fil_gather gather = {0};
    note_turns(&gather, &client, AT_ONCE, REQUEST);
    for (uint32_t i = 0; i < 100; i++) {
        fil_gather_note_rest(&gather, 2 * REQUEST);
        assert_true(fil_gather_is_due(&gather));
    }
}

static void test_it_ends_when_a_rest_brings_no_more(void **state)
{
    (void)state;
    const uint64_t brought[] = {0, REQUEST, 2 * REQUEST - 1};
    for (size_t i = 0; i < FIL_COUNT_OF(brought); i++) {
        struct fil_gather gather = {0};
        note_turns(&gather, &client, AT_ONCE, REQUEST);
        fil_gather_note_rest(&gather, brought[i]);
        assert_false(fil_gather_is_due(&gather));
    }
}

static void test_turns_without_input_do_not_keep_it_resting(void **state)
{
    (void)state;
    struct fil_gather gather = {0};
    note_turns(&gather, &client, AT_ONCE, 0); // as of a connection that only writes
    assert_true(fil_gather_is_due(&gather));
    fil_gather_note_rest(&gather, 0);
    assert_false(fil_gather_is_due(&gather));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_busy_connection_makes_it_rest),
        cmocka_unit_test(test_a_client_that_waits_for_replies_never_does),
        cmocka_unit_test(test_several_connections_never_do),
        cmocka_unit_test(test_large_turns_never_do),
        cmocka_unit_test(test_it_rests_on_while_that_brings_more),
        cmocka_unit_test(test_it_ends_when_a_rest_brings_no_more),
        cmocka_unit_test(test_turns_without_input_do_not_keep_it_resting),
    };
    return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
