// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners and near caches: changes are told to who wants them, also after a lost connection, and
 * not after the subscription is closed; a cached value costs no request; a change elsewhere, here,
 * or one whose message was lost is seen; a lost connection empties the cache; limits hold.
 */
#include "client/listener_internal.h"
#include "filbert/client.h"
#include "tests/unit/client/client_world.h"
#include "tests/unit/harness.h"

static struct client_world world;

struct changes {
    uint32_t count;
    int64_t key;
    int64_t value;
};

static void on_change(void *context, const struct fil_map_change *change)
{
    struct changes *changes = context;
    changes->count++;
    changes->key = fil_value_i64(&change->key);
    changes->value = fil_value_i64(&change->value);
    assert_int_equal(change->type, FIL_MAP_ADDED);
}

static struct fil_bytes encode(int32_t number, uint8_t room[32])
{
    struct fil_value value = fil_i32(number);
    struct fil_bytes data = {0};
    void *heap = NULL;
    assert_int_equal(fil_client__value_encode(&value, room, 32, &data, &heap), FIL_OK);
    return data;
}

static void tell_added(int32_t key, int32_t value)
{
    uint8_t key_room[32];
    uint8_t value_room[32];
    fake_cluster_tell_added(&world.cluster, encode(key, key_room), encode(value, value_room));
}

static void set_elsewhere(int32_t key, int32_t value)
{
    uint8_t key_room[32];
    uint8_t value_room[32];
    fake_cluster_set(&world.cluster, encode(key, key_room), encode(value, value_room));
}

static void tell_invalid(int32_t key)
{
    uint8_t room[32];
    fake_cluster_tell_invalid(&world.cluster, encode(key, room));
}

static void test_changes_are_told_until_closed(void **state)
{
    (void)state;
    struct changes changes = {0};
    struct fil_subscription *subscription = NULL;
    struct fil_map_subscribe_options options = {
        .has_values = true, .changed = on_change, .context = &changes};
    client_world_init(&world, 1, NULL);
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_subscribe(map, &options, &subscription), FIL_OK);
    tell_added(1, 10);
    client_world_pass(&world, 10);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.value, 10);
    fake_member_stop(&world.cluster.members[0]);
    client_world_pass(&world, 100);
    fake_member_start(&world.cluster.members[0]);
    client_world_pass(&world, 5000);
    assert_int_equal(world.cluster.members[0].listen_count, 2);
    tell_added(2, 20);
    client_world_pass(&world, 10);
    assert_int_equal(changes.count, 2);
    assert_int_equal(changes.key, 2);
    fil_subscription_close(subscription);
    client_world_pass(&world, 10);
    assert_int_equal(world.cluster.members[0].unlisten_count, 1);
    tell_added(3, 30);
    client_world_pass(&world, 10);
    assert_int_equal(changes.count, 2);
    client_world_fini(&world);
}

static void test_bad_subscriptions_are_refused(void **state)
{
    (void)state;
    struct fil_subscription *subscription = NULL;
    client_world_init(&world, 1, NULL);
    struct fil_map *map = client_world_map(&world);
    struct fil_map_subscribe_options options = {.changed = NULL};
    assert_int_equal(fil_map_subscribe(map, &options, &subscription), FIL_E_INVALID);
    options = (struct fil_map_subscribe_options){.changed = on_change, .types = 1U << 20};
    assert_int_equal(fil_map_subscribe(map, &options, &subscription), FIL_E_INVALID);
    assert_int_equal(fil_map_subscribe(NULL, &options, &subscription), FIL_E_INVALID);
    fil_subscription_close(NULL);
    client_world_fini(&world);
}

static int64_t read_key(struct fil_map *map, int32_t key)
{
    struct fil_value value = {0};
    assert_int_equal(fil_map_get(map, fil_i32(key), &value), FIL_OK);
    int64_t number = fil_value_is_null(&value) ? -1 : fil_value_i64(&value);
    fil_value_release(&value);
    return number;
}

static struct fil_map *open_near(const struct fil_near_cache_options *options)
{
    client_world_init(&world, 1, NULL);
    struct fil_map *map = client_world_map(&world);
    assert_int_equal(fil_map_cache_near(map, options), FIL_OK);
    client_world_pass(&world, 10);
    assert_int_equal(world.cluster.members[0].fetch_count, 1);
    return map;
}

static void test_cached_value_costs_no_request(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    set_elsewhere(1, 10);
    assert_int_equal(read_key(map, 1), 10);
    assert_int_equal(read_key(map, 1), 10);
    assert_int_equal(read_key(map, 1), 10);
    assert_int_equal(world.cluster.members[0].request_count, 1);
    assert_int_equal(client_world_stats(&world).near_hit_count, 2);
    assert_int_equal(fil_map_cache_near(map, NULL), FIL_E_EXISTS);
    client_world_fini(&world);
}

static void test_change_elsewhere_is_seen(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    set_elsewhere(1, 10);
    assert_int_equal(read_key(map, 1), 10);
    set_elsewhere(1, 11);
    world.cluster.sequence++;
    tell_invalid(1);
    client_world_pass(&world, 10);
    assert_int_equal(read_key(map, 1), 11);
    assert_true(client_world_stats(&world).near_drop_count > 0);
    client_world_fini(&world);
}

static void tell_all_invalid(int32_t count, uint32_t number_count)
{
    uint8_t rooms[8][32];
    struct fil_bytes keys[8];
    for (int32_t i = 0; i < count; i++) {
        keys[i] = encode(i, rooms[i]);
    }
    fake_cluster_tell_invalid_all(&world.cluster, keys, (uint32_t)count, number_count);
}

static void test_changes_elsewhere_that_are_told_together_are_seen(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    for (int32_t i = 0; i < 8; i++) {
        set_elsewhere(i, i);
        assert_int_equal(read_key(map, i), i);
        set_elsewhere(i, 100 + i);
    }
    world.cluster.sequence++;
    tell_all_invalid(3, 3);
    client_world_pass(&world, 10);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(read_key(map, i), 100 + i);
    }
    // A message that says less than it should: what else it meant is not known.
    tell_all_invalid(2, 1);
    client_world_pass(&world, 10);
    for (int32_t i = 3; i < 8; i++) {
        assert_int_equal(read_key(map, i), 100 + i);
    }
    client_world_fini(&world);
}

static void test_own_change_is_seen_at_once(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    set_elsewhere(1, 10);
    assert_int_equal(read_key(map, 1), 10);
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(12)), FIL_OK);
    assert_int_equal(read_key(map, 1), 12);
    assert_int_equal(fil_map_clear(map), FIL_OK);
    set_elsewhere(1, 13);
    assert_int_equal(read_key(map, 1), 13);
    client_world_fini(&world);
}

static void test_lost_invalidation_is_found_by_its_number(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    for (int32_t i = 0; i < 40; i++) {
        set_elsewhere(i, i);
        assert_int_equal(read_key(map, i), i);
    }
    for (int32_t i = 0; i < 40; i++) {
        set_elsewhere(i, 100 + i);
    }
    // Its number is two higher than the last: one was lost in this partition.
    world.cluster.sequence += 2;
    tell_invalid(0);
    client_world_pass(&world, 10);
    assert_int_equal(read_key(map, 0), 100);
    // All others are found within a minute, when the members are asked for their numbers.
    client_world_pass(&world, 61000);
    for (int32_t i = 0; i < 40; i++) {
        assert_int_equal(read_key(map, i), 100 + i);
    }
    client_world_fini(&world);
}

static void test_answer_that_was_overtaken_is_not_kept(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    uint8_t room[32];
    struct fil_value value = {0};
    struct fil_bytes key = encode(1, room);
    fil_client__lock(world.client);
    uint32_t ticket = fil_client__near_reserve(map, key);
    assert_int_not_equal(ticket, 0);
    fil_client__near_drop(map, key); // a change is told while the value is under way
    fil_client__near_fill(map, ticket, key);
    assert_false(fil_client__near_get(map, key, &value));
    ticket = fil_client__near_reserve(map, key);
    fil_client__near_fill(map, ticket, key);
    assert_true(fil_client__near_get(map, key, &value));
    fil_client__unlock(world.client);
    client_world_fini(&world);
}

static void test_lost_connection_empties_the_cache(void **state)
{
    (void)state;
    struct fil_map *map = open_near(NULL);
    set_elsewhere(1, 10);
    assert_int_equal(read_key(map, 1), 10);
    fake_member_stop(&world.cluster.members[0]);
    client_world_pass(&world, 100);
    set_elsewhere(1, 11);
    fake_member_start(&world.cluster.members[0]);
    assert_int_equal(read_key(map, 1), 11);
    client_world_fini(&world);
}

static void test_limits_of_the_cache_hold(void **state)
{
    (void)state;
    struct fil_map *map =
        open_near(&(struct fil_near_cache_options){.count_max = 4, .ttl_ms = 1000});
    for (int32_t i = 0; i < 16; i++) {
        set_elsewhere(i, i);
        assert_int_equal(read_key(map, i), i);
    }
    uint32_t before = world.cluster.members[0].request_count;
    assert_int_equal(read_key(map, 15), 15);
    assert_int_equal(world.cluster.members[0].request_count, before);
    assert_int_equal(read_key(map, 0), 0); // it made room for others
    assert_int_equal(world.cluster.members[0].request_count, before + 1);
    client_world_pass(&world, 1100);
    assert_int_equal(read_key(map, 15), 15); // too old
    assert_int_equal(world.cluster.members[0].request_count, before + 2);
    client_world_fini(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_are_told_until_closed),
        cmocka_unit_test(test_bad_subscriptions_are_refused),
        cmocka_unit_test(test_cached_value_costs_no_request),
        cmocka_unit_test(test_change_elsewhere_is_seen),
        cmocka_unit_test(test_changes_elsewhere_that_are_told_together_are_seen),
        cmocka_unit_test(test_own_change_is_seen_at_once),
        cmocka_unit_test(test_lost_invalidation_is_found_by_its_number),
        cmocka_unit_test(test_answer_that_was_overtaken_is_not_kept),
        cmocka_unit_test(test_lost_connection_empties_the_cache),
        cmocka_unit_test(test_limits_of_the_cache_hold),
    };
    return cmocka_run_group_tests_name("near_cache", tests, NULL, NULL);
}
