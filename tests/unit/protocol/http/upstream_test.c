// SPDX-License-Identifier: Apache-2.0
/**
 * Which server is asked, one test a promise: lists are read strictly; the cheaper of two is taken;
 * a slow answer counts at once and fades; one that fails is left out for longer each time, and one
 * may look when it is back; one that cannot be reached is left out at once; when all are out, all
 * are asked; retries and hedges have a budget; what is usual is learned from answers; addresses of
 * names come and go, and those that are gone are not asked.
 */
#include "filbert/error.h"
#include "protocol/http/upstream.h"
#include "tests/unit/harness.h"

#define SECOND UINT64_C(1000000000)
#define MS     UINT64_C(1000000)

static struct fil_upstream upstream;
static uint64_t now_ns;

static int set_up(void **state)
{
    (void)state;
    now_ns = 1000 * SECOND;
    return fil_upstream_init(&upstream, fil_bytes_of("10.0.0.1:80, 10.0.0.2:80,10.0.0.3:80"));
}

static uint32_t pick(uint64_t random, uint32_t avoided)
{
    return fil_upstream_pick(&upstream, random, avoided, now_ns);
}

/** A server that is asked and has answered. */
static void answer(uint32_t index, uint64_t took_ns)
{
    uint32_t others = 7U & ~(1U << index);
    assert_int_equal(pick(0, others), index);
    fil_upstream_answered(&upstream, index, took_ns, now_ns);
}

static void lose(uint32_t index)
{
    uint32_t others = 7U & ~(1U << index);
    assert_int_equal(pick(0, others), index);
    fil_upstream_failed(&upstream, index, MS, now_ns);
}

/** How often each is picked, in a thousand; all answer at once. */
static void count_picks(uint32_t counts[3])
{
    uint64_t random = UINT64_C(88172645463325252); // xorshift: any will do
    counts[0] = counts[1] = counts[2] = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t index = pick(random, 0);
        assert_in_range(index, 0, 2);
        counts[index]++;
        fil_upstream_forget(&upstream, index);
    }
}

static void test_lists_are_read_strictly(void **state)
{
    (void)state;
    assert_int_equal(upstream.server_count, 3);
    struct fil_address second;
    (void)fil_upstream_address(&upstream, 1, &second);
    assert_int_equal(second.ip[3], 2);
    struct fil_upstream other;
    assert_int_equal(fil_upstream_init(&other, fil_bytes_of("")), FIL_E_INVALID);
    assert_int_equal(fil_upstream_init(&other, fil_bytes_of("10.0.0.1:80,")), FIL_E_ADDRESS);
    assert_int_equal(fil_upstream_init(&other, fil_bytes_of("nobody")), FIL_E_ADDRESS);
    assert_int_equal(fil_upstream_init(&other, fil_bytes_of("1.1.1.1:1,1.1.1.1:1,1.1.1.1:1,"
                                                            "1.1.1.1:1,1.1.1.1:1,1.1.1.1:1,"
                                                            "1.1.1.1:1,1.1.1.1:1,1.1.1.1:1,"
                                                            "1.1.1.1:1,1.1.1.1:1,1.1.1.1:1,"
                                                            "1.1.1.1:1,1.1.1.1:1,1.1.1.1:1,"
                                                            "1.1.1.1:1,1.1.1.1:1")),
                     FIL_E_LIMIT);
}

static void test_all_are_asked_while_they_are_alike(void **state)
{
    (void)state;
    uint32_t counts[3];
    count_picks(counts);
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range(counts[i], 200, 500);
    }
}

static void test_slow_one_is_asked_only_when_there_is_no_other(void **state)
{
    (void)state;
    uint32_t counts[3];
    answer(0, MS);
    answer(1, MS);
    answer(2, 50 * MS);
    count_picks(counts);
    assert_int_equal(counts[2], 0); // one of two is always cheaper
    assert_int_equal(pick(0, 3), 2);
    fil_upstream_forget(&upstream, 2);
}

static void test_busy_one_costs_more(void **state)
{
    (void)state;
    answer(0, MS);
    uint64_t idle = fil_upstream_cost(&upstream, 0, now_ns);
    assert_int_equal(pick(0, 6), 0);
    assert_int_equal(fil_upstream_cost(&upstream, 0, now_ns), 2 * idle);
    fil_upstream_forget(&upstream, 0);
}

static void test_one_that_is_silent_becomes_dear(void **state)
{
    (void)state;
    uint32_t counts[3];
    answer(0, MS);
    answer(1, 20 * MS); // dear, but alive
    answer(2, 20 * MS);
    assert_int_equal(pick(0, 6), 0);
    now_ns += 30 * MS;
    count_picks(counts);
    assert_int_equal(counts[0], 0);
    fil_upstream_answered(&upstream, 0, MS, now_ns);
    assert_true(fil_upstream_cost(&upstream, 0, now_ns) < 2 * MS);
}

static void test_one_that_refuses_is_dear_and_not_failing(void **state)
{
    (void)state;
    uint32_t counts[3];
    answer(0, MS);
    answer(2, MS);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(pick(0, 5), 1);
        fil_upstream_refused(&upstream, 1, now_ns);
    }
    assert_int_equal(upstream.servers[1].ejected_ns, 0);
    count_picks(counts);
    assert_int_equal(counts[1], 0);
    now_ns += 1000 * SECOND;
    count_picks(counts);
    assert_true(counts[1] > 0);
}

static void test_slow_answer_counts_at_once_and_fades(void **state)
{
    (void)state;
    answer(0, MS);
    answer(0, 64 * MS);
    assert_int_equal(fil_upstream_cost(&upstream, 0, now_ns), 64 * MS);
    answer(0, 0);
    assert_int_equal(fil_upstream_cost(&upstream, 0, now_ns), 56 * MS);
    now_ns += 5 * SECOND;
    assert_int_equal(fil_upstream_cost(&upstream, 0, now_ns), 28 * MS);
    now_ns += 1000 * SECOND;
    assert_int_equal(fil_upstream_cost(&upstream, 0, now_ns), 1000);
}

static void test_failing_one_is_left_out_and_one_may_look(void **state)
{
    (void)state;
    uint32_t counts[3];
    for (uint32_t i = 0; i < 4; i++) {
        lose(1);
    }
    assert_int_equal(upstream.servers[1].ejected_ns, 0);
    lose(1);
    count_picks(counts);
    assert_int_equal(counts[1], 0);
    now_ns += SECOND;
    assert_int_equal(pick(0, 5), 1); // back, and one may look
    count_picks(counts);
    assert_int_equal(counts[1], 0);
    fil_upstream_answered(&upstream, 1, 0, now_ns);
    now_ns += 1000 * SECOND; // its failures have made it dear
    count_picks(counts);
    assert_true(counts[1] > 0);
}

static void test_pause_doubles_each_time_it_fails_again(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        lose(1);
    }
    uint64_t pause = SECOND;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(upstream.servers[1].ejected_ns, now_ns + pause);
        now_ns += pause;
        lose(1);
        pause = pause * 2 < 60 * SECOND ? pause * 2 : 60 * SECOND;
    }
    answer(1, MS);
    assert_int_equal(upstream.servers[1].ejected_ns, 0);
}

static void test_all_are_asked_when_all_are_out(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 15; i++) {
        lose(i % 3);
    }
    uint32_t counts[3];
    count_picks(counts);
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
    assert_int_equal(pick(0, 7), FIL_UPSTREAM_NONE);
}

static uint32_t take_budget(void)
{
    uint32_t count = 0;
    while (fil_upstream_may_retry(&upstream)) {
        count++;
        assert_true(count < 1000);
    }
    return count;
}

static void test_retries_have_a_budget(void **state)
{
    (void)state;
    assert_int_equal(take_budget(), 10);
    fil_upstream_pay(&upstream, now_ns); // brings a second's worth too
    assert_int_equal(take_budget(), 10);
    for (uint32_t i = 0; i < 100; i++) {
        fil_upstream_pay(&upstream, now_ns);
    }
    assert_int_equal(take_budget(), 20); // a fifth
    for (uint32_t i = 0; i < 10000; i++) {
        fil_upstream_pay(&upstream, now_ns);
    }
    assert_int_equal(take_budget(), 100); // and no more than that is saved
}

static void test_unreached_one_is_left_out_at_once(void **state)
{
    (void)state;
    assert_int_equal(fil_upstream_pick_probe(&upstream, now_ns), FIL_UPSTREAM_NONE);
    assert_int_equal(pick(0, 5), 1);
    fil_upstream_unreached(&upstream, 1, 0, now_ns);
    assert_int_equal(upstream.servers[1].ejected_ns, now_ns + SECOND);
    assert_int_equal(fil_upstream_pick_probe(&upstream, now_ns), FIL_UPSTREAM_NONE);
    now_ns += SECOND;
    assert_int_equal(fil_upstream_pick_probe(&upstream, now_ns), 1);
    assert_int_equal(fil_upstream_pick_probe(&upstream, now_ns), FIL_UPSTREAM_NONE); // one looks
    fil_upstream_answered(&upstream, 1, MS, now_ns);
    assert_int_equal(upstream.servers[1].ejected_ns, 0);
    assert_int_equal(upstream.servers[1].busy, 0);
}

static void test_hedge_does_not_go_to_one_that_is_out(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(pick(0, 7U & ~(1U << i)), i);
        fil_upstream_unreached(&upstream, i, 0, now_ns);
    }
    assert_int_equal(fil_upstream_pick_other(&upstream, 0, 1, now_ns), FIL_UPSTREAM_NONE);
    assert_int_equal(fil_upstream_pick_other(&upstream, 0, 0, now_ns), 0);
    fil_upstream_forget(&upstream, 0);
}

static void test_usual_is_what_one_in_twenty_exceeds(void **state)
{
    (void)state;
    assert_int_equal(fil_upstream_hedge_ns(&upstream), UINT64_MAX);
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < 40000; i++) {
        uint64_t took_ns = (1 + i * 7919 % 100) * MS; // 1 to 100 ms, each as often
        beyond += i >= 20000 && took_ns > fil_upstream_hedge_ns(&upstream) ? 1 : 0;
        answer(0, took_ns);
    }
    assert_in_range(beyond, 500, 1500); // of 20000
    for (uint32_t i = 0; i < 20000; i++) {
        answer(0, 1000);
    }
    assert_int_equal(fil_upstream_hedge_ns(&upstream), MS);
}

static void test_hedges_have_a_budget(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (; fil_upstream_may_hedge(&upstream); count++) {
        assert_true(count < 1000);
    }
    assert_int_equal(count, 10);
    for (uint32_t i = 0; i < 50; i++) {
        fil_upstream_pay(&upstream, now_ns);
    }
    for (count = 0; fil_upstream_may_hedge(&upstream); count++) {
        assert_true(count < 1000);
    }
    assert_int_equal(count, 5); // a tenth
    assert_int_equal(fil_counter_read(&upstream.hedges.granted), 15);
}

static struct fil_resolved addresses(uint32_t first, uint32_t count)
{
    struct fil_resolved found = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        found.addresses[i] =
            (struct fil_address){.ip = {10, 0, 0, (uint8_t)(first + i)}, .port = 80};
    }
    return found;
}

/** The last bytes of the addresses that may be asked, as bits. */
static uint64_t present(void)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < upstream.server_count; i++) {
        struct fil_address address;
        (void)fil_upstream_address(&upstream, i, &address);
        bits |= fil_upstream_is_present(&upstream, i) ? UINT64_C(1) << address.ip[3] : 0;
    }
    return bits;
}

static void learn(uint32_t name, uint32_t first, uint32_t count)
{
    struct fil_resolved found = addresses(first, count);
    fil_upstream_learn(&upstream, name, FIL_OK, &found);
}

static void test_names_bring_servers_and_take_them_away(void **state)
{
    (void)state;
    const struct fil_resolved none = {0};
    assert_int_equal(fil_upstream_init(&upstream, fil_bytes_of("a.example:80, b-1:80")), FIL_OK);
    assert_false(fil_upstream_has_any(&upstream));
    assert_int_equal(fil_upstream_pick(&upstream, 7, 0, 1), FIL_UPSTREAM_NONE);
    assert_int_equal(fil_upstream_pick_probe(&upstream, 1), FIL_UPSTREAM_NONE);
    learn(0, 1, 2);
    learn(1, 5, 1);
    assert_int_equal(present(), 1U << 1 | 1U << 2 | 1U << 5);
    uint32_t server = fil_upstream_pick(&upstream, 7, 0, 1);
    assert_true(server < 3);
    fil_upstream_forget(&upstream, server);
    learn(0, 2, 2); // one is gone, one is new
    assert_int_equal(present(), 1U << 2 | 1U << 3 | 1U << 5);
    fil_upstream_learn(&upstream, 0, FIL_E_UNREACHABLE, &none);
    assert_int_equal(present(), 1U << 2 | 1U << 3 | 1U << 5); // what is known stays
    assert_int_equal(upstream.names[0].error, FIL_E_UNREACHABLE);
}

static void test_places_of_gone_addresses_are_used_again(void **state)
{
    (void)state;
    struct fil_address address;
    assert_int_equal(fil_upstream_init(&upstream, fil_bytes_of("a:80, 10.0.0.63:80")), FIL_OK);
    for (uint32_t first = 1; first < 40; first += 3) {
        learn(0, first, 3);
        assert_int_equal(present(), UINT64_C(7) << first | UINT64_C(1) << 63);
    }
    // One that is asked keeps its place; the version tells of another address.
    uint32_t server = fil_upstream_pick(&upstream, 1, 1, 1);
    uint32_t version = fil_upstream_address(&upstream, server, &address);
    for (uint32_t first = 41; first < 60; first += 3) {
        learn(0, first, 3);
    }
    assert_int_equal(fil_upstream_address(&upstream, server, &address), version);
    fil_upstream_forget(&upstream, server);
    for (uint32_t first = 1; first < 60; first += 3) {
        learn(0, first, 3);
    }
    assert_int_not_equal(fil_upstream_address(&upstream, server, &address), version);
}

static void test_wrong_names_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a",          "a:",    "a:-1",     "a:0",
                                        "a:65536",    "a b:1", "a/b:1",    "a:b:1",
                                        "1.2.3.4:5x", "a:1,",  "a:1,,b:1", "\xc3\xa4:1"};
    for (uint32_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        if (fil_upstream_init(&upstream, fil_bytes_of(wrong[i])) != FIL_E_ADDRESS) {
            fail_msg("%s was taken", wrong[i]);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(test_##name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(lists_are_read_strictly),
        TEST(all_are_asked_while_they_are_alike),
        TEST(slow_one_is_asked_only_when_there_is_no_other),
        TEST(busy_one_costs_more),
        TEST(one_that_is_silent_becomes_dear),
        TEST(one_that_refuses_is_dear_and_not_failing),
        TEST(slow_answer_counts_at_once_and_fades),
        TEST(failing_one_is_left_out_and_one_may_look),
        TEST(pause_doubles_each_time_it_fails_again),
        TEST(all_are_asked_when_all_are_out),
        TEST(retries_have_a_budget),
        TEST(unreached_one_is_left_out_at_once),
        TEST(hedge_does_not_go_to_one_that_is_out),
        TEST(usual_is_what_one_in_twenty_exceeds),
        TEST(hedges_have_a_budget),
        TEST(names_bring_servers_and_take_them_away),
        TEST(places_of_gone_addresses_are_used_again),
        TEST(wrong_names_are_refused),
    };
#undef TEST
    return cmocka_run_group_tests_name("upstream", tests, NULL, NULL);
}
