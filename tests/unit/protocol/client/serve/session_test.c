// SPDX-License-Identifier: Apache-2.0
/**
 * A session of the client protocol, byte by byte: nobody is served before authentication, a wrong
 * cluster name has its status, an unknown or bad request its error code and the connection lives
 * on, entries are put and got whether or not the partition is free, a locked key makes others wait
 * and their replies come when they may, requests about a whole map see all partitions, an event for
 * which there is no memory is counted for its client too, and huge containers are emptied on no
 * loop.
 */
#include "protocol/client/serve/session.h"

#include <string.h>

#include "core/exec/turn.h"
#include "grid/map/maps.h"
#include "grid/set/set.h"
#include "lib/base/alloc.h"
#include "protocol/client/error_code.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/news.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/client/serve/wire_world.h"

// Messages are written in hexadecimal; blanks are for the reader.

static uint8_t room[8192];

static uint8_t digit(char letter)
{
    return (uint8_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
}

static struct fil_bytes bytes_of(const char *hex)
{
    size_t size = 0;
    for (const char *at = hex; *at != '\0'; at++) {
        if (*at != ' ') {
            assert_true(size < sizeof(room));
            room[size] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
            size++;
            at++;
        }
    }
    return fil_bytes_make(room, size);
}

#define MAGIC "435032 "

// Client 00..01, "dev", no user, PYH 5.7.0 named c, no labels; correlation 1.
#define HELLO(cluster)                                                           \
    "28000000 00c0 00010000 0100000000000000 ffffffff"                           \
    "00 0100000000000000 0200000000000000 01 " cluster                           \
    "06000000 0004 06000000 0004 09000000 0000 505948 0b000000 0000 352e372e30 " \
    "07000000 0000 63 06000000 0010 06000000 0028 "
#define DEV   "09000000 0000 646576 "
#define OTHER "09000000 0000 646578 "

#define PING      "16000000 00e0 000b0000 0700000000000000 ffffffff "
#define PING_DONE "13000000 00e0 010b0000 0700000000000000 00 "

#define NAME_M "07000000 0000 6d "
#define KEY_K  "13000000 0000 00000000 fffffff5 00000001 6b "

// put of k, v to the map m in partition 3; the last frame is final.
#define PUT(correlation, partition, thread)                                                 \
    "26000000 00c0 00010100 " correlation partition thread "ffffffffffffffff " NAME_M KEY_K \
    "13000000 0020 00000000 fffffff5 00000001 76 "
#define GET(correlation, partition)                                            \
    "1e000000 00c0 00020100 " correlation partition "0100000000000000 " NAME_M \
    "13000000 0020 00000000 fffffff5 00000001 6b "
#define LOCK(correlation, thread)                                            \
    "2e000000 00c0 00100100 " correlation PLACE_3 thread "ffffffffffffffff " \
    "0900000000000000 " NAME_M "13000000 0020 00000000 fffffff5 00000001 6b "
#define UNLOCK(correlation, thread)                                                 \
    "26000000 00c0 00130100 " correlation PLACE_3 thread "0a00000000000000 " NAME_M \
    "13000000 0020 00000000 fffffff5 00000001 6b "
#define PLACE_3  "03000000 "
#define PLACE_99 "63000000 "
#define NONE     "ffffffff "
#define C(n)     #n "00000000000000 "

static struct fil_sim_client *greet(void)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    fil_sim_client_send(client, bytes_of(MAGIC HELLO(DEV)));
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(fil_sim_client_received(client).size > 32);
    return client;
}

/** Sends, and gives what came back since then. */
static struct fil_bytes ask(struct fil_sim_client *client, const char *hex)
{
    size_t before = fil_sim_client_received(client).size;
    fil_sim_client_send(client, bytes_of(hex));
    net_world_run_for(&world.net, SECOND / 10);
    struct fil_bytes all = fil_sim_client_received(client);
    return fil_bytes_make(all.data + before, all.size - before);
}

static void check(struct fil_bytes received, const char *hex)
{
    struct fil_bytes expected = bytes_of(hex);
    assert_int_equal(received.size, expected.size);
    assert_memory_equal(received.data, expected.data, expected.size);
}

/** The code stands behind the initial frame, two BEGINs and a frame's header. */
static uint32_t error_code(struct fil_bytes received)
{
    assert_true(received.size > 41);
    assert_int_equal(fil_load_u32_le(received.data + 6), 0);
    return fil_load_u32_le(received.data + 37);
}

static void test_nobody_is_served_before_authentication(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    assert_int_equal(error_code(ask(client, MAGIC PING PING)), FIL_WIRE_ERROR_AUTHENTICATION);
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
}

static void test_stranger_cannot_announce_a_large_message(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    (void)ask(client, MAGIC "01100000 00c0 00010000 0100000000000000 ffffffff");
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    net_world_run_for(&world.net, 3 * SECOND);
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_STRANGER), 1);
}

static void test_wrong_cluster_name_has_its_status(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    struct fil_bytes answer = ask(client, MAGIC HELLO(OTHER));
    assert_int_equal(fil_load_u32_le(answer.data + 6), 0x000101);
    assert_int_equal(answer.data[19], 1);
    assert_int_equal(error_code(ask(client, PING)), FIL_WIRE_ERROR_AUTHENTICATION);
}

static void test_authentication_tells_who_we_are(void **state)
{
    (void)state;
    struct fil_bytes answer = fil_sim_client_received(greet());
    assert_int_equal(answer.data[19], 0);
    struct fil_wire_uuid uuid = fil_wire_load_uuid(answer.data + 20);
    assert_int_equal(uuid.high, world.server.member_uuid.high);
    assert_int_equal(uuid.low, world.server.member_uuid.low);
    assert_int_equal(fil_load_u32_le(answer.data + 38), PARTITION_COUNT);
}

static void test_unknown_request_is_refused_and_the_connection_lives(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    struct fil_bytes answer = ask(client, "16000000 00e0 00017f00 0500000000000000 ffffffff");
    assert_int_equal(error_code(answer), FIL_WIRE_ERROR_UNSUPPORTED_OPERATION);
    check(ask(client, PING), PING_DONE);
}

static void test_bad_requests_have_their_errors(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    assert_int_equal(error_code(ask(client, GET(C(02), PLACE_99))),
                     FIL_WIRE_ERROR_ILLEGAL_ARGUMENT);
    assert_int_equal(error_code(ask(client, GET(C(02), NONE))), FIL_WIRE_ERROR_ILLEGAL_ARGUMENT);
    // A key that is null.
    assert_int_equal(error_code(ask(client, "1e000000 00c0 00020100 " C(03) PLACE_3
                                    "0100000000000000 " NAME_M "06000000 0024 ")),
                     FIL_WIRE_ERROR_ILLEGAL_ARGUMENT);
    check(ask(client, PING), PING_DONE);
}

static void test_members_and_partitions_follow_the_listener(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    struct fil_bytes answer = ask(client, "17000000 00e0 00030000 0900000000000000 ffffffff 00");
    check(fil_bytes_make(answer.data, 19), "13000000 00e0 01030000 0900000000000000 00");
    const uint8_t *event = answer.data + 19;
    assert_int_equal(fil_load_u32_le(event + 6), 0x000302);
    assert_int_equal(fil_load_u64_le(event + 10), 9);
    // The last frame is the packed list of the table's keys: the one member.
    const uint8_t *keys = answer.data + answer.size - FIL_WIRE_UUID_SIZE;
    assert_int_equal(fil_wire_load_uuid(keys).low, world.server.member_uuid.low);
}

static void test_entry_is_put_and_got(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    check(ask(client, GET(C(02), PLACE_3)), "13000000 00c0 01020100 " C(02) "00 06000000 0024");
    check(ask(client, PUT(C(03), PLACE_3, "0100000000000000 ")),
          "13000000 00c0 01010100 " C(03) "00 06000000 0024");
    check(ask(client, PUT(C(04), PLACE_3, "0100000000000000 ")),
          "13000000 00c0 01010100 " C(04) "00 13000000 0020 00000000 fffffff5 00000001 76");
    // Many at once are answered all.
    struct fil_bytes many = ask(client, GET(C(05), PLACE_3) GET(C(06), PLACE_3) PING);
    assert_int_equal(many.size, 2 * (19 + 19) + 19);
}

static void test_locked_key_makes_others_wait(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    check(ask(client, LOCK(C(02), "0100000000000000 ")), "13000000 00e0 01100100 " C(02) "00");
    // Another thread of the same client: neither its put nor its lock is answered, a ping is.
    check(ask(client, PUT(C(03), PLACE_3, "0200000000000000 ") PING), PING_DONE);
    assert_int_equal(error_code(ask(client, UNLOCK(C(04), "0200000000000000 "))),
                     FIL_WIRE_ERROR_ILLEGAL_MONITOR_STATE);
    struct fil_bytes both = ask(client, UNLOCK(C(05), "0100000000000000 "));
    assert_int_equal(both.size, 19 + 19 + 6); // the unlock, and the put that waited
}

static void test_locks_of_a_client_that_is_gone_are_let_go(void **state)
{
    (void)state;
    struct fil_sim_client *gone = greet();
    (void)ask(gone, LOCK(C(02), "0100000000000000 "));
    struct fil_map *map = fil_maps_find(world.maps, fil_bytes_of("m"));
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.locks, 1);
    fil_sim_client_close(gone);
    net_world_run_for(&world.net, SECOND / 10);
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.locks, 0);
}

static void test_whole_map_is_walked(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    (void)ask(client, PUT(C(02), "00000000 ", "0100000000000000 ")
                          PUT(C(03), "06000000 ", "0100000000000000 "));
    struct fil_bytes keys = ask(client, "16000000 00c0 00220100 " C(04) NONE "07000000 0020 6d");
    // The same key in two partitions, because the header says where.
    check(keys, "13000000 00c0 01220100 " C(04) "00 06000000 0010 " KEY_K KEY_K "06000000 0028");
    check(ask(client, "16000000 00c0 002d0100 " C(05) NONE "07000000 0020 6d"),
          "13000000 00e0 012d0100 " C(05) "00");
    check(ask(client, "16000000 00c0 002a0100 " C(06) NONE "07000000 0020 6d"),
          "17000000 00e0 012a0100 " C(06) "00 00000000");
}

/** Memory runs out at each place in turn: the request is answered, refused, or ends the connection.
 */
static void test_request_survives_want_of_memory(void **state)
{
    (void)state;
    for (int64_t position = 0; position < 10; position++) {
        struct fil_sim_client *client = greet();
        fil_alloc_fail_after(position);
        struct fil_bytes answer =
            ask(client, PUT(C(03), PLACE_3, "0100000000000000 ")
                            LOCK(C(04), "0100000000000000 ") "16000000 00c0 00220100 " C(05) NONE
                "07000000 0020 6d ");
        fil_alloc_fail_after(-1);
        assert_true(answer.size >= 3 * 19 || client->state != FIL_SIM_CLIENT_OPEN);
        fil_sim_client_close(client);
        net_world_run_for(&world.net, SECOND / 10);
    }
    check(ask(greet(), PING), PING_DONE);
}

static void test_event_without_memory_is_counted_for_its_client(void **state)
{
    (void)state;
    (void)greet();
    fil_role_assert_io();
    struct fil_loop *loop = &world.net.loops[0];
    assert_false(fil_list_is_empty(&loop->connections));
    struct fil_connection *connection =
        FIL_CONTAINER_OF(loop->connections.next, struct fil_connection, link);
    struct fil_wire_session *session = connection->session;
    fil_alloc_fail_after(0);
    assert_null(fil_wire_news_new(session, &world.turns[0].runner));
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_counter_read(&session->events_lost), 1);
    assert_int_equal(fil_counter_read(&world.server.stats.events_lost), 1);
}

// clear and destroy of the set m.
#define CLEAR_SET   "16000000 00c0 00090600 " C(05) NONE "07000000 0020 6d "
#define SET_CLEARED "13000000 00e0 01090600 " C(05) "00 "
#define DESTROY_SET                             \
    "16000000 00c0 00050000 " C(06) NONE NAME_M \
        "18000000 0020 687a3a696d706c3a73657453657276696365 "
#define SET_DESTROYED "13000000 00e0 01050000 " C(06) "00 "

static int set_up_with_sets(void **state)
{
    static const struct fil_container_type *const types[] = {&fil_set_type};
    int error = set_up(state);
    const struct fil_directory_options options = {.env = &world.net.sim.env,
                                                  .exec = world.exec,
                                                  .budget = &world.budget,
                                                  .seed = 1,
                                                  .count_max = 8,
                                                  .types = types,
                                                  .type_count = FIL_COUNT_OF(types)};
    assert_int_equal(fil_directory_new(&world.directory, &options), FIL_OK);
    world.server.options.directory = world.directory;
    return error;
}

static void fill_set(uint32_t count)
{
    struct fil_container *set = NULL;
    struct fil_runner runner;
    assert_int_equal(fil_directory_get(world.directory, &fil_set_type, fil_bytes_of("m"), &set),
                     FIL_OK);
    struct fil_partition *partition = fil_exec_partition(world.exec, set->partition_id);
    fil_runner_init(&runner, world.exec, "test");
    assert_true(fil_partition_enter(partition, &runner));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t item[8] = {0, 0, 0, 0, (uint8_t)i, (uint8_t)(i >> 8), 1, 1};
        bool is_new = false;
        struct fil_bytes bytes = fil_bytes_make(item, sizeof(item));
        assert_int_equal(fil_set_add_here(fil_set_of(set), bytes, 1, &is_new), FIL_OK);
    }
    fil_partition_leave(partition);
    assert_int_equal(fil_counter_read(&set->counters.items), count);
}

/** Of a set of so many items: how many operations the request hands over. */
static uint64_t hand_overs(uint32_t count, const char *request, const char *response)
{
    const struct fil_counter *handed_over = &world.turns[0].runner.stats.handed_over;
    struct fil_sim_client *client = greet();
    fill_set(count);
    uint64_t before = fil_counter_read(handed_over);
    check(ask(client, request), response);
    return fil_counter_read(handed_over) - before;
}

static void test_huge_containers_leave_the_loop(void **state)
{
    (void)state;
    assert_int_equal(hand_overs(FIL_WIRE_HUGE_ITEMS - 1, CLEAR_SET, SET_CLEARED), 0);
    assert_int_equal(hand_overs(FIL_WIRE_HUGE_ITEMS, CLEAR_SET, SET_CLEARED), 1);
    assert_int_equal(hand_overs(FIL_WIRE_HUGE_ITEMS - 1, DESTROY_SET, SET_DESTROYED), 0);
    assert_int_equal(hand_overs(FIL_WIRE_HUGE_ITEMS, DESTROY_SET, SET_DESTROYED), 1);
}

#define BOTH_WAYS(test)                                       \
    cmocka_unit_test_setup_teardown(test, set_up, tear_down), \
        cmocka_unit_test_setup_teardown(test, set_up_handing_over, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nobody_is_served_before_authentication, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_stranger_cannot_announce_a_large_message, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_cluster_name_has_its_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_event_without_memory_is_counted_for_its_client, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_authentication_tells_who_we_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_request_is_refused_and_the_connection_lives,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_members_and_partitions_follow_the_listener, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_huge_containers_leave_the_loop, set_up_with_sets,
                                        tear_down),
        BOTH_WAYS(test_bad_requests_have_their_errors),
        BOTH_WAYS(test_entry_is_put_and_got),
        BOTH_WAYS(test_locked_key_makes_others_wait),
        BOTH_WAYS(test_locks_of_a_client_that_is_gone_are_let_go),
        BOTH_WAYS(test_whole_map_is_walked),
        BOTH_WAYS(test_request_survives_want_of_memory),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
