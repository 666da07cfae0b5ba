// SPDX-License-Identifier: Apache-2.0
/**
 * The client against members with a script: what is set can be read; results come in the order in
 * which they arrive; a wrong cluster name is told at once and an absent member in time; calls go to
 * the owner of their key; too many calls are refused and waiting calls are not; what a member says
 * is told; every allocation may fail.
 */
#include <string.h>

#include "filbert/client.h"
#include "lib/base/alloc.h"
#include "protocol/client/error_code.h"
#include "tests/unit/client/client_world.h"
#include "tests/unit/harness.h"

static struct client_world world;

struct results {
    uint32_t count;
    int last_error;
    int64_t values[64];
};

static void on_value(void *context, int error, const struct fil_value *value)
{
    struct results *results = context;
    results->last_error = error;
    if (results->count < 64) {
        results->values[results->count] = fil_value_i64(value);
    }
    results->count++;
}

static void test_what_is_set_can_be_read(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fil_map *map = client_world_map(&world);
    struct fil_value value = {0};
    uint64_t count = 0;
    assert_int_equal(fil_map_set(map, fil_str("France"), fil_str("Paris")), FIL_OK);
    assert_int_equal(fil_map_get(map, fil_str("France"), &value), FIL_OK);
    assert_string_equal(fil_value_str(&value), "Paris");
    fil_value_release(&value);
    assert_int_equal(fil_map_put(map, fil_str("France"), fil_str("Lyon"), &value), FIL_OK);
    assert_string_equal(fil_value_str(&value), "Paris");
    fil_value_release(&value);
    assert_int_equal(fil_map_count(map, &count), FIL_OK);
    assert_int_equal(count, 1);
    assert_int_equal(fil_map_remove(map, fil_str("France"), NULL), FIL_OK);
    assert_int_equal(fil_map_get(map, fil_str("France"), &value), FIL_OK);
    assert_true(fil_value_is_null(&value));
    client_world_fini(&world);
}

static void test_many_calls_are_in_flight_at_once(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fil_map *map = client_world_map(&world);
    struct results results = {0};
    for (int32_t i = 0; i < 32; i++) {
        assert_int_equal(fil_map_put_async(map, fil_i32(i), fil_i64(i * 10), on_value, &results),
                         FIL_OK);
    }
    assert_int_equal(client_world_stats(&world).in_flight, 32);
    assert_int_equal(results.count, 0);
    assert_int_equal(fil_client_drain(world.client), FIL_OK);
    assert_int_equal(results.count, 32);
    results = (struct results){0};
    for (int32_t i = 0; i < 32; i++) {
        assert_int_equal(fil_map_get_async(map, fil_i32(i), on_value, &results), FIL_OK);
    }
    assert_int_equal(fil_client_drain(world.client), FIL_OK);
    assert_int_equal(results.values[31], 310);
    assert_int_equal(world.cluster.members[0].accept_count, 1);
    client_world_fini(&world);
}

static void on_text(void *context, int error, const struct fil_value *value)
{
    char *text = context;
    assert_int_equal(error, FIL_OK);
    strncpy(text, fil_value_str(value), 31);
}

static void test_texts_end_where_they_should_in_callbacks(void **state)
{
    (void)state;
    char first[32] = {0};
    char second[32] = {0};
    client_world_init(&world, 1, NULL);
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_set(map, fil_str("a"), fil_str("one")), FIL_OK);
    assert_int_equal(fil_map_set(map, fil_str("b"), fil_str("three")), FIL_OK);
    assert_int_equal(fil_map_get_async(map, fil_str("a"), on_text, first), FIL_OK);
    assert_int_equal(fil_map_get_async(map, fil_str("b"), on_text, second), FIL_OK);
    assert_int_equal(fil_client_drain(world.client), FIL_OK);
    assert_string_equal(first, "one");
    assert_string_equal(second, "three");
    client_world_fini(&world);
}

static void test_wrong_cluster_name_is_told_at_once(void **state)
{
    (void)state;
    char problem[128];
    client_world_prepare(&world, 1);
    world.cluster.members[0].status = 1;
    client_world_open(&world, NULL);
    client_world_pass(&world, 10);
    assert_int_equal(world.client->fatal, FIL_E_DENIED);
    assert_non_null(strstr(fil_client_problem(world.client, problem, sizeof(problem)), "name"));
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_set(map, fil_str("a"), fil_str("b")), FIL_E_DENIED);
    client_world_fini(&world);
}

static void test_calls_wait_for_a_member_until_their_time_is_over(void **state)
{
    (void)state;
    struct results results = {0};
    client_world_prepare(&world, 0);
    client_world_open(&world, &(struct fil_client_options){.call_timeout_ms = 3000});
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_count_async(map, on_value, &results), FIL_OK);
    client_world_pass(&world, 2900);
    assert_int_equal(results.count, 0);
    client_world_pass(&world, 200);
    assert_int_equal(results.count, 1);
    assert_int_equal(results.last_error, FIL_E_TIMEOUT);
    assert_int_equal(client_world_stats(&world).timeout_count, 1);
    client_world_fini(&world);
}

static void test_calls_may_have_a_time_of_their_own(void **state)
{
    (void)state;
    struct results results = {0};
    struct fil_value value = {0};
    client_world_init(&world, 1, &(struct fil_client_options){.in_flight_max = 2});
    world.cluster.members[0].is_mute = true;
    struct fil_map *map = client_world_map(&world);
    uint64_t begin_ns = world.sim.now_ns;
    assert_int_equal(fil_map_count_async(map, on_value, &results), FIL_OK); // two minutes
    assert_int_equal(fil_call_timeout_set(50), 0);
    assert_int_equal(fil_map_get(map, fil_i32(1), &value), FIL_E_TIMEOUT);
    assert_in_range((world.sim.now_ns - begin_ns) / 1000000, 50, 60);
    assert_int_equal(fil_call_timeout_set(70), 50);
    assert_int_equal(fil_map_count_async(map, on_value, &results), FIL_OK);
    // There is no room until the other one is given up, and that is part of its time.
    assert_int_equal(fil_call_timeout_set(20), 70);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(1)), FIL_E_TIMEOUT);
    assert_in_range((world.sim.now_ns - begin_ns) / 1000000, 70, 85);
    assert_int_equal(fil_call_timeout_set(0), 20);
    client_world_pass(&world, 100);
    assert_int_equal(results.count, 1);
    assert_int_equal(results.last_error, FIL_E_TIMEOUT);
    assert_int_equal(client_world_stats(&world).in_flight, 1);
    client_world_fini(&world);
}

static void on_change(void *context, const struct fil_map_change *change)
{
    (void)context;
    (void)change;
}

static void test_listener_without_an_answer_is_given_up(void **state)
{
    (void)state;
    struct fil_subscription *subscription = NULL;
    client_world_init(&world, 1, &(struct fil_client_options){.call_timeout_ms = 3000});
    world.cluster.members[0].is_silent = true;
    uint64_t begin_ns = world.sim.now_ns;
    assert_int_equal(fil_map_subscribe(client_world_map(&world),
                                       &(struct fil_map_subscribe_options){.changed = on_change},
                                       &subscription),
                     FIL_E_TIMEOUT);
    assert_in_range((world.sim.now_ns - begin_ns) / 1000000, 3000, 3100);
    client_world_fini(&world);
}

static void test_calls_go_to_the_owner_of_their_key(void **state)
{
    (void)state;
    client_world_init(&world, 3, NULL);
    struct fil_map *map = client_world_map(&world);
    for (int32_t i = 0; i < 20; i++) {
        assert_int_equal(fil_map_set(map, fil_i32(i), fil_i32(i)), FIL_OK);
    }
    for (uint32_t i = 0; i < FAKE_PARTITIONS; i++) {
        struct fil_client_link *link = fil_client__route(world.client, (int32_t)i);
        assert_int_equal(link->member.low, 100 + i % 3);
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(world.cluster.members[i].greeting_count, 1);
        total += world.cluster.members[i].request_count;
    }
    assert_int_equal(total, 20);
    client_world_fini(&world);
}

static void test_single_client_talks_to_one_member(void **state)
{
    (void)state;
    client_world_prepare(&world, 3);
    client_world_open(&world, &(struct fil_client_options){.is_single = true});
    client_world_pass(&world, 1000);
    assert_int_equal(client_world_stats(&world).member_count, 1);
    struct fil_map *map = client_world_map(&world);
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(fil_map_set(map, fil_i32(i), fil_i32(i)), FIL_OK);
    }
    assert_int_equal(world.cluster.members[0].request_count, 8);
    assert_int_equal(world.cluster.members[1].accept_count, 0);
    client_world_fini(&world);
}

static void test_too_many_calls_are_refused_and_plain_ones_wait(void **state)
{
    (void)state;
    struct results results = {0};
    client_world_init(&world, 1, &(struct fil_client_options){.in_flight_max = 2});
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_count_async(map, on_value, &results), FIL_OK);
    assert_int_equal(fil_map_count_async(map, on_value, &results), FIL_OK);
    assert_int_equal(fil_map_count_async(map, on_value, &results), FIL_E_FULL);
    uint64_t count = 7;
    assert_int_equal(fil_map_count(map, &count), FIL_OK);
    assert_int_equal(count, 0);
    assert_int_equal(results.count, 2);
    assert_true(client_world_stats(&world).refused_count >= 1);
    client_world_fini(&world);
}

static void test_what_a_member_says_is_told(void **state)
{
    (void)state;
    char problem[256];
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    struct fil_map *map = client_world_map(&world);
    member->error_code = FIL_WIRE_ERROR_ILLEGAL_ARGUMENT;
    member->error_count = 1;
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(1)), FIL_E_INVALID);
    assert_non_null(
        strstr(fil_client_problem(world.client, problem, sizeof(problem)), "as the test wants it"));
    member->error_code = FIL_WIRE_ERROR_ILLEGAL_MONITOR_STATE;
    member->error_count = 1;
    assert_int_equal(fil_map_unlock(map, fil_i32(1)), FIL_E_DENIED);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(1)), FIL_OK);
    client_world_fini(&world);
}

static void on_nested(void *context, int error, const struct fil_value *value)
{
    int *out_error = context;
    struct fil_value ignored = {0};
    (void)value;
    assert_int_equal(error, FIL_OK);
    *out_error = fil_map_get(client_world_map(&world), fil_i32(1), &ignored);
    assert_int_equal(fil_client_step(world.client, 0), FIL_E_WOULD_BLOCK);
    assert_int_equal(fil_client_drain(world.client), FIL_E_WOULD_BLOCK);
}

static void test_plain_calls_in_callbacks_are_refused(void **state)
{
    (void)state;
    int error = FIL_OK;
    client_world_init(&world, 1, NULL);
    assert_int_equal(fil_map_count_async(client_world_map(&world), on_nested, &error), FIL_OK);
    assert_int_equal(fil_client_drain(world.client), FIL_OK);
    assert_int_equal(error, FIL_E_WOULD_BLOCK);
    client_world_fini(&world);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    struct fil_value value = {0};
    bool contains = false;
    client_world_init(&world, 1, NULL);
    struct fil_grid *grid = fil_client_grid(world.client);
    struct fil_map *map = client_world_map(&world);
    char name[400];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    assert_null(fil_map(grid, ""));
    assert_null(fil_map(grid, name));
    assert_null(fil_map(NULL, "m"));
    assert_ptr_equal(fil_map(grid, "m"), map);
    assert_int_equal(fil_map_get(NULL, fil_i32(1), &value), FIL_E_INVALID);
    assert_int_equal(fil_map_get(map, fil_null(), &value), FIL_E_INVALID);
    assert_int_equal(fil_map_get(map, fil_i32(1), NULL), FIL_E_INVALID);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_str(NULL)), FIL_E_INVALID);
    assert_int_equal(fil_map_set(map, fil_data("x", 1), fil_i32(1)), FIL_E_INVALID);
    assert_int_equal(fil_map_contains(NULL, fil_i32(1), &contains), FIL_E_INVALID);
    assert_int_equal(fil_map_get_async(map, fil_i32(1), NULL, NULL), FIL_E_INVALID);
    assert_int_equal(fil_map_lock(NULL, fil_i32(1)), FIL_E_INVALID);
    client_world_fini(&world);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    char problem[FIL_CLIENT_PROBLEM_MAX];
    struct fil_client_settings settings;
    struct fil_client_options options = {.address = "127.0.0.1:1, 127.0.0.2:2"};
    assert_int_equal(fil_client__settle(&settings, &options, problem, sizeof(problem)), FIL_OK);
    assert_int_equal(settings.seed_count, 2);
    assert_int_equal(settings.seeds[1].address.port, 2);
    assert_false(settings.has_hosts);
    assert_string_equal(settings.cluster, "dev");
    options.address = "cache-1.example.com:5703,127.0.0.1 , node_2, [::1], [::1]:9";
    assert_int_equal(fil_client__settle(&settings, &options, problem, sizeof(problem)), FIL_OK);
    assert_int_equal(settings.seed_count, 5);
    assert_true(settings.has_hosts);
    assert_string_equal(settings.seeds[0].host, "cache-1.example.com");
    assert_int_equal(settings.seeds[0].address.port, 5703);
    assert_string_equal(settings.seeds[1].host, "");
    assert_int_equal(settings.seeds[1].address.port, 5701);
    assert_string_equal(settings.seeds[2].host, "node_2");
    assert_true(settings.seeds[3].address.is_ipv6);
    assert_int_equal(settings.seeds[3].address.port, 5701);
    assert_int_equal(settings.seeds[4].address.port, 9);
    options = (struct fil_client_options){.in_flight_max = 100000};
    assert_int_equal(fil_client__settle(&settings, &options, problem, sizeof(problem)),
                     FIL_E_INVALID);
}

static void test_wrong_addresses_are_told(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",   ":",   "a b:1", "300.1.1.1:5701", "1.2.3:1",    "x:70000",       "x:0x1",
        "x:", "::1", "[x]:1", "a.b.:1",         "127.0.0.1,", "caf\xc3\xa9:1",
    };
    char problem[FIL_CLIENT_PROBLEM_MAX];
    char text[FIL_CLIENT_NAME_MAX + 8];
    struct fil_client_settings settings;
    struct fil_client_options options = {0};
    for (size_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        options.address = wrong[i];
        assert_int_equal(fil_client__settle(&settings, &options, problem, sizeof(problem)),
                         FIL_E_ADDRESS);
        assert_non_null(strstr(problem, "is not an address"));
    }
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    options.address = text;
    assert_int_equal(fil_client__settle(&settings, &options, problem, sizeof(problem)),
                     FIL_E_ADDRESS);
    options.address = "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a"; // one more than there may be
    assert_int_equal(fil_client__settle(&settings, &options, problem, sizeof(problem)),
                     FIL_E_ADDRESS);
}

/** A new client connects, sets and gets while the allocation behind so many fails. */
static bool try_all(int64_t after)
{
    char problem[FIL_CLIENT_PROBLEM_MAX];
    bool is_well = false;
    fil_alloc_fail_after(after);
    if (fil_client__new(&world.client, NULL, &world.sim.env, problem) == FIL_OK) {
        client_world_pass(&world, 20000);
        struct fil_value value = {0};
        struct fil_map *map = client_world_map(&world);
        is_well = map != NULL && client_world_stats(&world).loss_count == 0 &&
                  client_world_stats(&world).member_count == 1 &&
                  fil_map_set(map, fil_i32(1), fil_str("x")) == FIL_OK &&
                  fil_map_get(map, fil_i32(1), &value) == FIL_OK;
        fil_value_release(&value);
        fil_alloc_fail_after(-1);
        fil_client_close(world.client);
        world.client = NULL;
        // The members see that it is gone.
        for (uint32_t i = 0; i < 4; i++) {
            (void)fake_member_cycle(&world.cluster.members[0]);
        }
    }
    fil_alloc_fail_after(-1);
    return is_well;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    client_world_prepare(&world, 1);
    uint32_t failures = 0;
    for (int64_t after = 0; after < 40; after++) {
        failures += !try_all(after);
    }
    assert_true(failures > 0); // most are mended by dialing again
    assert_true(try_all(1000));
    client_world_fini(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_set_can_be_read),
        cmocka_unit_test(test_many_calls_are_in_flight_at_once),
        cmocka_unit_test(test_texts_end_where_they_should_in_callbacks),
        cmocka_unit_test(test_wrong_cluster_name_is_told_at_once),
        cmocka_unit_test(test_calls_wait_for_a_member_until_their_time_is_over),
        cmocka_unit_test(test_calls_may_have_a_time_of_their_own),
        cmocka_unit_test(test_listener_without_an_answer_is_given_up),
        cmocka_unit_test(test_calls_go_to_the_owner_of_their_key),
        cmocka_unit_test(test_single_client_talks_to_one_member),
        cmocka_unit_test(test_too_many_calls_are_refused_and_plain_ones_wait),
        cmocka_unit_test(test_what_a_member_says_is_told),
        cmocka_unit_test(test_plain_calls_in_callbacks_are_refused),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_wrong_addresses_are_told),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
