// SPDX-License-Identifier: Apache-2.0
/**
 * What a full member still does and how it refuses the rest: PERSIST and GETEX PERSIST need no
 * memory, EXPIRE and RENAME borrow it, for every key if need be; what fails all the same is told. A
 * transaction that writes is refused as a whole, when it is queued or when it is to run, and so is
 * MSET: nothing of it is done.
 */
#include <stdio.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define MAP_BYTES  (UINT64_C(1) << 20)
#define STEP_BYTES UINT64_C(4096)
#define KEYS       20U

static struct resp_world world;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    resp_world_open(&world, MAP_BYTES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

/** Puts values of that size until a round of them finds no room. */
static void fill(size_t size)
{
    static uint8_t value[4096];
    struct fil_runner runner;
    uint32_t refused = 0;
    fil_runner_init(&runner, world.exec, "test");
    for (uint32_t i = 0; refused < 200; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "f%zu:%u", size, i);
        struct fil_map_key key = fil_map_place(world.map, fil_bytes_of(name));
        struct fil_partition *partition = fil_exec_partition(world.exec, key.partition_id);
        struct fil_store_write how = {.now_ms = 1};
        assert_true(fil_partition_enter(partition, &runner));
        refused += fil_map_put_here(world.map, &key, fil_bytes_make(value, size), &how, NULL) ==
                   FIL_E_NOMEM;
        fil_partition_leave(partition);
    }
}

static void fill_up(void)
{
    for (size_t size = 4096; size > 0; size /= 4) {
        fill(size);
    }
}

/** Sends a command for each key: the head, the key's number, the tail. Each gets the reply. */
static void check_each(const char *head, const char *tail, const char *reply)
{
    static char text[KEYS * 128];
    static char replies[KEYS * 64];
    size_t size = 0;
    size_t reply_size = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%u%s\r\n", head, i, tail);
        reply_size +=
            (size_t)snprintf(replies + reply_size, sizeof(replies) - reply_size, "%s", reply);
    }
    resp_world_check(&world, text, replies);
}

static void test_expiry_ends_without_memory(void **state)
{
    (void)state;
    check_each("SET p", " value EX 1000", "+OK\r\n");
    fill_up();
    check_each("PERSIST p", "", ":1\r\n");
    check_each("TTL p", "", ":-1\r\n");
    fil_sim_advance(&world.net.sim, UINT64_C(2000) * 1000000000);
    check_each("GET p", "", "$5\r\nvalue\r\n");
    // It has a place for another.
    check_each("EXPIRE p", " 100", ":1\r\n");
    check_each("PERSIST p", "", ":1\r\n");
    check_each("PERSIST p", "", ":0\r\n");
}

static void test_getex_persist_needs_no_memory(void **state)
{
    (void)state;
    check_each("SET g", " value EX 1000", "+OK\r\n");
    fill_up();
    check_each("GETEX g", " PERSIST", "$5\r\nvalue\r\n");
    check_each("TTL g", "", ":-1\r\n");
}

/** Lets the map spare a part of its memory, and borrow more: it is small, and its runs are not. */
static void spare(void)
{
    fil_budget_divide(&world.map_budget, STEP_BYTES, MAP_BYTES / 8);
    fil_budget_lend(&world.map_budget, MAP_BYTES / 4);
}

static void test_expiry_begins_with_borrowed_memory(void **state)
{
    (void)state;
    spare();
    check_each("SET w", " value", "+OK\r\n");
    fill_up();
    check_each("EXPIRE w", " 100", ":1\r\n");
    check_each("TTL w", "", ":100\r\n");
}

static bool is_there(struct fil_map *map, const struct fil_map_key *key)
{
    struct fil_bytes value;
    return fil_map_peek_here(map, key, 1, &value);
}

#define STRIDE 7919U // a prime: all keys, in no order

/** Gives a time to live to all that fill has put; returns how many were refused. */
static uint32_t expire_all(size_t size, uint32_t *out_count)
{
    const uint32_t names = (uint32_t)(MAP_BYTES / size);
    struct fil_runner runner;
    uint32_t refused = 0;
    fil_runner_init(&runner, world.exec, "test");
    *out_count = 0;
    for (uint32_t i = 0; i < names; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "f%zu:%u", size, i * STRIDE % names);
        struct fil_map_key key = fil_map_place(world.map, fil_bytes_of(name));
        struct fil_partition *partition = fil_exec_partition(world.exec, key.partition_id);
        struct fil_store_write how = {.now_ms = 1, .expires_ms = 1000000};
        assert_true(fil_partition_enter(partition, &runner));
        if (is_there(world.map, &key)) {
            refused += fil_map_set_expiry_here(world.map, &key, &how) != FIL_OK;
            (*out_count)++;
        }
        fil_partition_leave(partition);
    }
    return refused;
}

static void test_every_key_of_a_full_map_can_get_an_expiry(void **state)
{
    (void)state;
    uint32_t count = 0;
    spare();
    fill(128);
    assert_int_equal(expire_all(128, &count), 0);
    assert_true(count > MAP_BYTES / 2 / 160);
    // And another one.
    assert_int_equal(expire_all(128, &count), 0);
}

static void test_keys_are_renamed_with_borrowed_memory(void **state)
{
    (void)state;
    spare();
    check_each("SET w", " value", "+OK\r\n");
    fill_up();
    resp_world_check(&world, "RENAME w1 a-name-that-is-longer\r\nGET a-name-that-is-longer\r\n",
                     "+OK\r\n$5\r\nvalue\r\n");
    resp_world_check(&world, "RENAMENX w2 another-name-that-is-longer\r\nEXISTS w1 w2\r\n",
                     ":1\r\n:0\r\n");
}

#define FULL "OOM command not allowed when used memory > 'maxmemory'."

static void test_a_transaction_is_refused_when_it_is_queued(void **state)
{
    (void)state;
    spare();
    resp_world_check(&world, "SET a 100\r\n", "+OK\r\n");
    fill_up();
    resp_world_check(&world, "MULTI\r\nDECRBY a 50\r\nSET b value\r\nEXEC\r\nGET a\r\n",
                     "+OK\r\n-" FULL "\r\n-" FULL "\r\n"
                     "-EXECABORT Transaction discarded because of previous errors.\r\n"
                     "$3\r\n100\r\n");
    resp_world_check(&world, "MULTI\r\nGET a\r\nDEL a\r\nEXEC\r\n",
                     "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n$3\r\n100\r\n:1\r\n");
}

static void test_a_transaction_is_refused_when_it_is_to_run(void **state)
{
    (void)state;
    resp_world_check(&world, "SET a 100\r\n", "+OK\r\n");
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "MULTI\r\nDECRBY a 50\r\nSET b value\r\n");
    net_world_expect(client, "+OK\r\n+QUEUED\r\n+QUEUED\r\n");
    net_world_run(&world.net);
    fill_up();
    net_world_send(client, "EXEC\r\nGET a\r\n");
    net_world_expect(client, "-EXECABORT Transaction discarded because of: " FULL "\r\n"
                             "$3\r\n100\r\n");
    net_world_run(&world.net);
    assert_int_equal(fil_sim_client_verdict(client), FIL_SIM_VERDICT_MATCHED);
}

static void test_mset_does_nothing_without_memory_for_all(void **state)
{
    (void)state;
    resp_world_check(&world, "SET a 100\r\n", "+OK\r\n");
    fill_up();
    resp_world_check(&world, "MSET a 7 b value\r\nMGET a b\r\nMULTI\r\nEXEC\r\n",
                     "-" FULL "\r\n*2\r\n$3\r\n100\r\n$-1\r\n+OK\r\n*0\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_expiry_ends_without_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_getex_persist_needs_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_expiry_begins_with_borrowed_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_key_of_a_full_map_can_get_an_expiry, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_keys_are_renamed_with_borrowed_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_transaction_is_refused_when_it_is_queued, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_transaction_is_refused_when_it_is_to_run, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_mset_does_nothing_without_memory_for_all, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("full", tests, NULL, NULL);
}
