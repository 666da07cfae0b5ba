// SPDX-License-Identifier: Apache-2.0
/**
 * When something goes wrong: a client comes back after its member did, with pauses that grow; reads
 * are repeated and writes that may have run are not, unless told so; errors that say "not here" are
 * repeated at once and then with pauses; a silent member is given up; members that leave are
 * forgotten, new ones dialed; garbage ends a connection and nothing else; another cluster or
 * another number of partitions is noticed.
 */
#include "filbert/client.h"
#include "protocol/client/error_code.h"
#include "tests/unit/client/client_world.h"
#include "tests/unit/harness.h"

static struct client_world world;

static void test_client_comes_back_after_its_member(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(10)), FIL_OK);
    fake_member_stop(member);
    client_world_pass(&world, 3000);
    assert_int_equal(client_world_stats(&world).member_count, 0);
    fake_member_start(member);
    struct fil_value value = {0};
    assert_int_equal(fil_map_get(map, fil_i32(1), &value), FIL_OK); // it waits for the member
    assert_int_equal(fil_value_i64(&value), 10);
    assert_int_equal(member->greeting_count, 2);
    assert_int_equal(member->proxy_count, 2);
    assert_int_equal(client_world_stats(&world).loss_count, 1);
    client_world_fini(&world);
}

static void test_pauses_between_dials_grow(void **state)
{
    (void)state;
    client_world_prepare(&world, 1);
    world.cluster.members[0].is_silent = true; // connects, but never answers
    client_world_open(&world, &(struct fil_client_options){.retry_first_ms = 100});
    client_world_pass(&world, 60000);
    uint32_t count = world.cluster.members[0].accept_count;
    assert_in_range(count, 5, 12); // five seconds each, and the pauses between them
    world.cluster.members[0].is_silent = false;
    client_world_pass(&world, 15000);
    assert_int_equal(client_world_stats(&world).member_count, 1);
    client_world_fini(&world);
}

static void test_reads_are_repeated_after_a_lost_connection(void **state)
{
    (void)state;
    struct fil_value value = {0};
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(10)), FIL_OK);
    member->drop_count = 1;
    assert_int_equal(fil_map_get(map, fil_i32(1), &value), FIL_OK);
    assert_int_equal(fil_value_i64(&value), 10);
    assert_int_equal(client_world_stats(&world).retry_count, 1);
    client_world_fini(&world);
}

static void test_writes_that_may_have_run_are_not_repeated(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    struct fil_map *map = client_world_map(&world);
    member->drop_count = 1;
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(10)), FIL_E_INDETERMINATE);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(10)), FIL_OK);
    assert_int_equal(member->request_count, 2);
    client_world_fini(&world);
}

static void test_writes_are_repeated_when_told_so(void **state)
{
    (void)state;
    client_world_init(&world, 1, &(struct fil_client_options){.repeats_all = true});
    struct fake_member *member = &world.cluster.members[0];
    member->drop_count = 1;
    assert_int_equal(fil_map_set(client_world_map(&world), fil_i32(1), fil_i32(10)), FIL_OK);
    assert_int_equal(member->request_count, 2);
    client_world_fini(&world);
}

static void test_what_did_not_run_is_repeated_with_pauses(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    uint64_t begin_ns = world.sim.now_ns;
    member->error_code = FIL_WIRE_ERROR_PARTITION_MIGRATING;
    member->error_count = 8;
    assert_int_equal(fil_map_set(client_world_map(&world), fil_i32(1), fil_i32(10)), FIL_OK);
    uint64_t elapsed_ms = (world.sim.now_ns - begin_ns) / 1000000;
    assert_in_range(elapsed_ms, 2900, 3500); // five at once, three after a second each
    assert_int_equal(client_world_stats(&world).retry_count, 8);
    client_world_fini(&world);
}

static void test_lost_target_repeats_what_may_run_twice(void **state)
{
    (void)state;
    struct fil_value value = {0};
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    struct fil_map *map = client_world_map(&world);
    member->error_code = FIL_WIRE_ERROR_TARGET_DISCONNECTED;
    member->error_count = 1;
    assert_int_equal(fil_map_get(map, fil_i32(1), &value), FIL_OK);
    assert_int_equal(client_world_stats(&world).retry_count, 1);
    member->error_count = 1;
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(10)), FIL_E_INDETERMINATE);
    assert_int_equal(client_world_stats(&world).retry_count, 1);
    client_world_fini(&world);
}

static void test_silent_member_is_given_up(void **state)
{
    (void)state;
    client_world_init(
        &world, 1,
        &(struct fil_client_options){.heartbeat_interval_ms = 1000, .heartbeat_timeout_ms = 4000});
    struct fake_member *member = &world.cluster.members[0];
    client_world_pass(&world, 10000);
    assert_in_range(member->ping_count, 8, 12);
    assert_int_equal(client_world_stats(&world).loss_count, 0);
    member->is_silent = true;
    client_world_pass(&world, 5500);
    assert_int_equal(client_world_stats(&world).loss_count, 1);
    client_world_fini(&world);
}

static void test_members_come_and_go(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fake_cluster *cluster = &world.cluster;
    fake_member_start(&cluster->members[1]);
    cluster->member_count = 2;
    cluster->version = 2;
    fake_cluster_tell_views(cluster);
    client_world_pass(&world, 1000);
    assert_int_equal(client_world_stats(&world).member_count, 2);
    assert_int_equal(fil_client__route(world.client, 1)->member.low, 101);
    cluster->member_count = 1;
    cluster->version = 3;
    fake_cluster_tell_views(cluster);
    client_world_pass(&world, 1000);
    assert_int_equal(client_world_stats(&world).member_count, 1);
    assert_int_equal(fil_client__route(world.client, 1)->member.low, 100);
    // An older view is no news.
    cluster->member_count = 2;
    cluster->version = 2;
    fake_cluster_tell_views(cluster);
    client_world_pass(&world, 1000);
    assert_int_equal(client_world_stats(&world).member_count, 1);
    client_world_fini(&world);
}

static void test_views_are_asked_of_another_member_when_one_is_gone(void **state)
{
    (void)state;
    client_world_init(&world, 2, NULL);
    struct fil_client_link *first = world.client->view_link;
    assert_non_null(first);
    fake_member_stop(&world.cluster.members[first->member.low - 100]);
    client_world_pass(&world, 1000);
    assert_int_equal(client_world_stats(&world).member_count, 1);
    assert_non_null(world.client->view_link);
    assert_ptr_not_equal(world.client->view_link, first);
    assert_int_equal(fil_map_set(client_world_map(&world), fil_i32(1), fil_i32(1)), FIL_OK);
    client_world_fini(&world);
}

static void test_garbage_ends_the_connection_only(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    struct fil_value value = {0};
    member->sends_garbage = true;
    assert_int_equal(fil_map_get(client_world_map(&world), fil_i32(1), &value), FIL_OK);
    assert_true(fil_value_is_null(&value));
    assert_int_equal(client_world_stats(&world).loss_count, 1);
    client_world_fini(&world);
}

static void test_other_number_of_partitions_is_refused(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    struct fake_member *member = &world.cluster.members[0];
    fake_member_stop(member);
    world.cluster.partition_count = 8;
    fake_member_start(member);
    client_world_pass(&world, 3000);
    assert_int_equal(client_world_stats(&world).member_count, 0);
    world.cluster.partition_count = FAKE_PARTITIONS;
    world.cluster.id = 2; // a new cluster, as after a restart of all members
    client_world_pass(&world, 10000);
    assert_int_equal(client_world_stats(&world).member_count, 1);
    assert_int_equal(fil_map_set(client_world_map(&world), fil_i32(1), fil_i32(1)), FIL_OK);
    client_world_fini(&world);
}

static void on_end(void *context, int error, const struct fil_value *value)
{
    (void)value;
    *(int *)context = error;
}

static void test_calls_in_flight_end_when_the_client_is_closed(void **state)
{
    (void)state;
    int error = FIL_OK;
    client_world_init(&world, 1, NULL);
    world.cluster.members[0].is_mute = true;
    assert_int_equal(fil_map_count_async(client_world_map(&world), on_end, &error), FIL_OK);
    client_world_pass(&world, 10);
    client_world_fini(&world);
    assert_int_equal(error, FIL_E_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_comes_back_after_its_member),
        cmocka_unit_test(test_pauses_between_dials_grow),
        cmocka_unit_test(test_reads_are_repeated_after_a_lost_connection),
        cmocka_unit_test(test_writes_that_may_have_run_are_not_repeated),
        cmocka_unit_test(test_writes_are_repeated_when_told_so),
        cmocka_unit_test(test_what_did_not_run_is_repeated_with_pauses),
        cmocka_unit_test(test_lost_target_repeats_what_may_run_twice),
        cmocka_unit_test(test_silent_member_is_given_up),
        cmocka_unit_test(test_members_come_and_go),
        cmocka_unit_test(test_views_are_asked_of_another_member_when_one_is_gone),
        cmocka_unit_test(test_garbage_ends_the_connection_only),
        cmocka_unit_test(test_other_number_of_partitions_is_refused),
        cmocka_unit_test(test_calls_in_flight_end_when_the_client_is_closed),
    };
    return cmocka_run_group_tests_name("recovery", tests, NULL, NULL);
}
