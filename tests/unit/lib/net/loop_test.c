// SPDX-License-Identifier: Apache-2.0
/**
 * The loop, one test a promise: messages of one sender run in order, and a message may be sent
 * again once it has run; a loop that waits is woken, one that is awake is not; a drain answers what
 * was received, also what waits for its reader, and ends every connection after its output; an
 * abort ends it at once; on a network where everything goes wrong
 * now and then, over many seeds, each client gets exactly its answers or loses its connection, and
 * the same seed gives the same run; whichever allocation fails, nothing is wrong and nothing leaks;
 * a small budget ends connections, not the loop.
 */
#include "lib/net/loop.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND       UINT64_C(1000000000)
#define SEEDS        UINT64_C(200)
#define CLIENTS      4U
#define SCRIPT_BYTES 4000U

static struct net_world world;

static int set_up(void **state)
{
    (void)state;
    net_world_init(&world);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    net_world_close(&world);
    return 0;
}

static uint32_t turn_loop(void)
{
    fil_role_assert_io();
    return fil_loop_cycle(&world.loops[0], FIL_WAIT_FOREVER);
}

// Messages.

#define NOTES 5U

struct note {
    struct fil_message message;
    uint32_t number;
    uint32_t rounds;
};

static uint32_t run_order[3 * NOTES];
static uint32_t run_count;

static void run_note(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct note *note = FIL_CONTAINER_OF(message, struct note, message);
    run_order[run_count++] = note->number;
    if (note->rounds > 0) {
        note->rounds--;
        fil_loop_post(loop, message);
    }
}

static void test_messages_run_in_order(void **state)
{
    (void)state;
    struct note notes[NOTES];
    net_world_must_open(&world);
    run_count = 0;
    for (uint32_t i = 0; i < NOTES; i++) {
        notes[i] = (struct note){.message.run = run_note, .number = i, .rounds = 2};
        fil_loop_post(&world.loops[0], &notes[i].message);
    }
    for (uint32_t round = 1; round <= 3; round++) {
        assert_int_equal(turn_loop(), NOTES);
        assert_int_equal(run_count, round * NOTES);
        for (uint32_t i = 0; i < NOTES; i++) {
            assert_int_equal(run_order[(round - 1) * NOTES + i], i);
        }
    }
    assert_int_equal(turn_loop(), 0);
}

static uint64_t wake_count(void)
{
    return atomic_load_explicit(&world.loops[0].parker.wake_count, memory_order_relaxed);
}

static void test_loop_that_is_awake_is_not_woken(void **state)
{
    (void)state;
    struct note note = {.message.run = run_note};
    net_world_must_open(&world);
    run_count = 0;
    fil_loop_post(&world.loops[0], &note.message);
    assert_int_equal(wake_count(), 0);
    (void)turn_loop();
    // As it is while the loop waits in its poller.
    fil_parker_prepare(&world.loops[0].parker);
    fil_loop_post(&world.loops[0], &note.message);
    assert_int_equal(wake_count(), 1);
    (void)turn_loop();
    assert_int_equal(run_count, 2);
}

// What is done beside requests has a name.

static const char *work_now;
static uint32_t work_counts[3]; // messages, timers, ends

static const char *begin_work(struct fil_loop *loop, const char *name)
{
    (void)loop;
    static const char *const names[] = {"loop-messages", "connection-timer", "connection-end"};
    const char *outer = work_now;
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        work_counts[i] += strcmp(name, names[i]) == 0;
    }
    work_now = name;
    return outer;
}

static void end_work(struct fil_loop *loop, const char *outer)
{
    (void)loop;
    work_now = outer;
}

static void mark_turn(struct fil_loop *loop)
{
    (void)loop;
    assert_null(work_now);
}

static const struct fil_loop_hooks work_hooks = {
    .begin_turn = mark_turn, .end_turn = mark_turn, .begin_work = begin_work, .end_work = end_work};

static void test_what_is_no_request_has_a_name(void **state)
{
    (void)state;
    world.limits.handshake_timeout_ns = SECOND;
    net_world_must_open(&world);
    memset(work_counts, 0, sizeof(work_counts));
    world.loops[0].hooks = &work_hooks;
    struct note note = {.message.run = run_note};
    run_count = 0;
    fil_loop_post(&world.loops[0], &note.message);
    assert_int_equal(turn_loop(), 1);
    assert_int_equal(work_counts[0], 1);
    (void)net_world_client(&world); // it says nothing, and is cut
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nquit\n");
    net_world_run_for(&world, 3 * SECOND);
    assert_true(work_counts[1] > 0);
    assert_true(work_counts[2] > 0);
    assert_int_equal(net_world_closed_all(&world), 2);
    assert_null(work_now);
}

// The end of all connections.

static void test_drain_lets_the_output_leave(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    struct fil_sim_client *sniffed = net_world_client(&world);
    fil_sim_client_stop_reading(client);
    net_world_send(client, "ECHO\nbig 300000\n");
    net_world_expect(client, "ECHO\n");
    net_world_expect_big(client, 300000);
    net_world_send(sniffed, "EC");
    net_world_run_for(&world, SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        fil_loop_drain(&world.loops[0]);
    }
    fil_sim_client_pause(client, SECOND);
    fil_sim_client_start_reading(client);
    net_world_run(&world);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    assert_int_equal(sniffed->state, FIL_SIM_CLIENT_ENDED);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STOPPING), 2);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
}

static void test_drain_answers_what_was_received(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    struct fil_sim_client *fresh = net_world_client(&world);
    net_world_send(client, "ECHO\n");
    net_world_run_for(&world, SECOND);
    // These bytes lie in the socket when the stop begins; the loop has had no turn since.
    net_world_send(client, "one\ntwo\n");
    net_world_send(fresh, "ECHO\n");
    (void)fil_sim_client_cycle(client);
    (void)fil_sim_client_cycle(fresh);
    fil_loop_drain(&world.loops[0]);
    net_world_expect(client, "ECHO\none\ntwo\n");
    net_world_expect(fresh, "ECHO\n");
    net_world_run(&world);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(fresh)), "matched");
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STOPPING), 2);
}

static void test_drain_answers_requests_that_wait_for_their_reader(void **state)
{
    (void)state;
    world.limits.output_bytes_max = 20000;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    fil_sim_client_stop_reading(client);
    net_world_send(client, "ECHO\nbig 90000\nbig 90000\nbig 90000\nlast\n");
    net_world_expect(client, "ECHO\n");
    for (uint32_t i = 0; i < 3; i++) {
        net_world_expect_big(client, 90000);
    }
    net_world_expect(client, "last\n");
    net_world_run_for(&world, SECOND);
    fil_loop_drain(&world.loops[0]);
    fil_sim_client_start_reading(client);
    // As its stage does until the loop is empty.
    for (uint32_t i = 0; i < 200 && fil_loop_connection_count(&world.loops[0]) > 0; i++) {
        net_world_run_for(&world, SECOND / 100);
        fil_sim_advance(&world.sim, SECOND / 100);
        fil_loop_drain(&world.loops[0]);
    }
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    assert_int_equal(client->state, FIL_SIM_CLIENT_ENDED);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STOPPING), 1);
}

static void test_abort_ends_at_once(void **state)
{
    (void)state;
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    fil_sim_client_stop_reading(client);
    net_world_send(client, "ECHO\nbig 300000\n");
    net_world_run_for(&world, SECOND);
    fil_loop_drain(&world.loops[0]);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 1);
    fil_loop_abort(&world.loops[0]);
    assert_int_equal(fil_loop_connection_count(&world.loops[0]), 0);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_STOPPING), 1);
}

// Everything goes wrong.

/** Lines and large answers by chance, some in a flood, some awaited; the last one may be quit. */
static void write_script(struct fil_sim_client *client)
{
    struct fil_sim *sim = &world.sim;
    char line[64];
    uint64_t total = 5;
    fil_sim_client_pause(client, fil_sim_draw(sim, (struct fil_sim_range){.max = SECOND / 100}));
    net_world_send(client, "ECHO\n");
    net_world_expect(client, "ECHO\n");
    for (uint32_t i = 0; i < 12; i++) {
        uint64_t size = fil_sim_draw(sim, (struct fil_sim_range){.max = 3000});
        if (size % 2 == 0) {
            (void)snprintf(line, sizeof(line), "big %llu\n", (unsigned long long)size);
            net_world_expect_big(client, size);
            total += size + 1;
        } else {
            (void)snprintf(line, sizeof(line), "line %llu\n", (unsigned long long)size);
            net_world_expect(client, line);
            total += strlen(line);
        }
        net_world_send(client, line);
        if (size % 7 == 0) {
            fil_sim_client_await(client, total);
        }
    }
    switch (fil_sim_draw(sim, (struct fil_sim_range){.max = 2})) {
    case 0:
        net_world_send(client, "quit\nnothing\n");
        net_world_expect(client, "bye\n");
        break;
    case 1:
        fil_sim_client_finish(client);
        break;
    default:
        break;
    }
}

static void open_hostile(uint64_t seed)
{
    static struct fil_sim_options network;
    net_world_init(&world);
    fil_sim_options_draw(&network, seed);
    world.seed = seed;
    world.network = &network;
    world.loop_count = 2;
    world.limits.output_bytes_max = 2000;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 100};
    world.client_options.receive_bytes = (struct fil_sim_range){.min = 1, .max = 1000};
    net_world_must_open(&world);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        write_script(net_world_client(&world));
    }
}

/** Returns how many clients got all of their answers. */
static uint32_t check_clients(void)
{
    uint32_t matched = 0;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        const struct fil_sim_client *client = &world.clients[i];
        enum fil_sim_verdict verdict = fil_sim_client_verdict(client);
        if (verdict != FIL_SIM_VERDICT_MATCHED && verdict != FIL_SIM_VERDICT_LOST) {
            (void)fil_sim_report(&world.sim, stderr);
            fail_msg("seed=%llu: client %u is %s", (unsigned long long)world.seed, i,
                     fil_sim_verdict_text(verdict));
        }
        matched += verdict == FIL_SIM_VERDICT_MATCHED;
    }
    return matched;
}

static uint64_t run_hostile(uint64_t seed, uint32_t *out_matched)
{
    open_hostile(seed);
    net_world_run(&world);
    *out_matched += check_clients();
    uint64_t hash = fil_sim_trace_hash(&world.sim);
    net_world_close(&world);
    return hash;
}

static void test_clients_get_their_answers_or_lose_their_connection(void **state)
{
    (void)state;
    uint32_t matched = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint64_t hash = run_hostile(seed, &matched);
        if (seed % 10 == 0) {
            assert_true(hash == run_hostile(seed, &matched));
        }
    }
    assert_true(matched > SEEDS * CLIENTS / 3);
    net_world_init(&world);
    net_world_must_open(&world); // for tear_down
}

// Memory.

/** Lines in pieces, a large answer to a slow reader, an end. */
static struct fil_sim_client *write_memory_script(void)
{
    world.limits.output_bytes_max = 10000;
    world.client_options.fragment_bytes = (struct fil_sim_range){.min = 7, .max = 7};
    net_world_must_open(&world);
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "ECHO\nbig 30000\nbig 100000\nand a line\nquit\n");
    net_world_expect(client, "ECHO\n");
    net_world_expect_big(client, 30000);
    net_world_expect_big(client, 100000);
    net_world_expect(client, "and a line\nbye\n");
    return client;
}

/** What came is the start of what was expected; then the echo may have said that it is full. */
static void assert_start_was_right(const struct fil_sim_client *client)
{
    size_t size = client->received_size;
    if (size >= 5 && memcmp(client->received + size - 5, "full\n", 5) == 0) {
        size -= 5;
    }
    assert_true(size <= client->expected_size);
    if (size > 0) {
        assert_memory_equal(client->received, client->expected, size);
    }
}

static void test_every_failed_allocation_is_survived(void **state)
{
    (void)state;
    bool is_complete = false;
    for (int64_t position = 0; !is_complete; position++) {
        net_world_init(&world);
        struct fil_sim_client *client = write_memory_script();
        fil_alloc_fail_after(position);
        net_world_run(&world);
        fil_alloc_fail_after(-1);
        is_complete = fil_sim_client_verdict(client) == FIL_SIM_VERDICT_MATCHED;
        if (!is_complete) {
            uint64_t refused = fil_counter_read(&world.acceptor.stats.refused_memory);
            assert_int_equal(refused + net_world_closed(&world, FIL_CLOSE_MEMORY), 1);
            assert_start_was_right(client);
            net_world_close(&world);
        }
        assert_true(position < 100);
    }
}

static void test_small_budget_ends_connections_alone(void **state)
{
    (void)state;
    world.budget_bytes = 50000;
    net_world_must_open(&world);
    struct fil_sim_client *greedy = net_world_client(&world);
    struct fil_sim_client *modest = net_world_client(&world);
    fil_sim_client_stop_reading(greedy);
    net_world_send(greedy, "ECHO\nbig 500000\n");
    fil_sim_client_pause(modest, SECOND);
    net_world_send(modest, "ECHO\nhello\n");
    net_world_expect(modest, "ECHO\nhello\n");
    net_world_run(&world);
    assert_int_equal(net_world_closed(&world, FIL_CLOSE_MEMORY), 1);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(modest)), "matched");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(messages_run_in_order),
        TEST(loop_that_is_awake_is_not_woken),
        TEST(what_is_no_request_has_a_name),
        TEST(drain_lets_the_output_leave),
        TEST(drain_answers_what_was_received),
        TEST(drain_answers_requests_that_wait_for_their_reader),
        TEST(abort_ends_at_once),
        TEST(clients_get_their_answers_or_lose_their_connection),
        TEST(every_failed_allocation_is_survived),
        TEST(small_budget_ends_connections_alone),
    };
#undef TEST
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
