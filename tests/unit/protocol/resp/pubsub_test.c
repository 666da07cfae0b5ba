// SPDX-License-Identifier: Apache-2.0
/**
 * Publish and subscribe inside one member, one test a promise: a message reaches those who listen
 * and nobody else, behind what they asked before, also from a transaction; who ends a subscription
 * gets nothing of it any more; who reads too slowly is cut and counted; a lane that is full loses
 * messages and counts them; who publishes to several waits until all have room, also with EXEC, and
 * no partition has to do with that; very many subscriptions come and go turn by turn, up to a
 * limit; failing memory loses messages or refuses subscriptions, and leaves
 * nothing behind. Whatever happens, what PUBLISH has counted is what subscribers got and what is
 * counted as lost, exactly.
 *
 * The dialogue itself is compared with Redis by tests/integration/pubsub_test.py.
 */
#include "protocol/resp/pubsub.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/mem/chunk.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND       UINT64_C(1000000000)
#define CLIENT_BYTES ((size_t)5 << 20)

static struct resp_world world;
static struct fil_events events;
static struct fil_runner runner;
static struct fil_runner *runners[] = {&runner};
static struct fil_pool chunks;
static bool is_stage_asleep;

static void settle(void *context, struct fil_runner *who)
{
    (void)context;
    fil_runner_end_turn(who);
}

static const struct fil_stage_hooks hooks = {.settle = settle};

static uint32_t cycle_all(void *context)
{
    (void)context;
    fil_role_assert_partition();
    fil_role_assert_event();
    (void)fil_alarm_cycle(fil_exec_alarm(world.exec));
    uint32_t moved = fil_partition_stage_cycle(fil_exec_stage(world.exec, 0));
    return moved + (is_stage_asleep ? 0 : fil_events_cycle(&events, 0));
}

static void open_world(uint32_t capacity) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    resp_world_open(&world, 64U << 20);
    fil_role_enter(&fil_role_event);
    fil_runner_init(&runner, world.exec, "event/0");
    fil_chunk_pool_init(&chunks, &world.net.budget, 0);
    runner.chunks = &chunks;
    struct fil_events_options options = {.env = &world.net.sim.env,
                                         .thread_count = 1,
                                         .capacity = capacity,
                                         .hooks = &hooks,
                                         .runners = runners};
    assert_int_equal(fil_events_init(&events, &options), FIL_OK);
    world.server.options.events = &events;
    world.server.pubsub.events = &events;
    world.net.worker = (struct fil_sim_cycle){.cycle = cycle_all};
}

static int set_up(void **state)
{
    (void)state;
    is_stage_asleep = false;
    resp_world_init(&world);
    world.net.client_options.send_bytes_max = CLIENT_BYTES;
    world.net.client_options.receive_bytes_max = CLIENT_BYTES;
    return 0;
}

/** Ends the connections while the stage is there to let their listeners go. */
static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_role_assert_io();
    is_stage_asleep = false;
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < world.net.opened_loops; i++) {
            (void)fil_loop_cycle(&world.net.loops[i], 0);
            fil_loop_abort(&world.net.loops[i]);
        }
        (void)cycle_all(NULL);
    }
    fil_events_fini(&events);
    fil_pool_fini(&chunks);
    resp_world_close(&world);
    return 0;
}

static struct fil_sim_client *send(const char *text)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, text);
    net_world_run_for(&world.net, SECOND / 10);
    return client;
}

static void go_on(struct fil_sim_client *client, const char *text)
{
    net_world_send(client, text);
    net_world_run_for(&world.net, SECOND / 10);
}

static uint64_t lost(void)
{
    return fil_counter_read(&world.server.pubsub.lost);
}

/** How often the text is in what the client has received. */
static uint32_t count_of(const struct fil_sim_client *client, const char *text)
{
    struct fil_bytes received = fil_sim_client_received(client);
    size_t size = strlen(text);
    uint32_t count = 0;
    for (size_t i = 0; i + size <= received.size; i++) {
        count += memcmp(received.data + i, text, size) == 0;
    }
    return count;
}

#define SUBSCRIBED   "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
#define UNSUBSCRIBED "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n"
#define MESSAGE(one) "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n" one "\r\n"

static void test_message_reaches_those_who_listen(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *first = send("SUBSCRIBE c\r\n");
    struct fil_sim_client *second = send("SUBSCRIBE c\r\n");
    struct fil_sim_client *other = send("SUBSCRIBE d\r\n");
    struct fil_sim_client *publisher = send("PUBLISH c 1\r\nPUBLISH c 2\r\nPUBLISH e 3\r\n");
    net_world_assert_received(publisher, ":2\r\n:2\r\n:0\r\n");
    net_world_assert_received(first, SUBSCRIBED MESSAGE("1") MESSAGE("2"));
    net_world_assert_received(second, SUBSCRIBED MESSAGE("1") MESSAGE("2"));
    net_world_assert_received(other, "*3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:1\r\n");
    assert_int_equal(fil_counter_read(&world.server.pubsub.messages), 4);
    assert_int_equal(fil_counter_read(&world.server.pubsub.deliveries), 4);
}

static void test_transaction_publishes(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *listener = send("SUBSCRIBE c\r\n");
    struct fil_sim_client *publisher = send("MULTI\r\nPUBLISH c 1\r\nPUBLISH d 2\r\nEXEC\r\n");
    net_world_assert_received(publisher, "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:1\r\n:0\r\n");
    net_world_assert_received(listener, SUBSCRIBED MESSAGE("1"));
}

static void test_message_goes_behind_what_was_asked_before(void **state)
{
    (void)state;
    world.has_caller_runs = false;
    open_world(1000);
    struct fil_sim_client *subscriber = send("SET k v\r\nGET k\r\nSUBSCRIBE c\r\n");
    (void)send("PUBLISH c 1\r\n");
    net_world_assert_received(subscriber, "+OK\r\n$1\r\nv\r\n" SUBSCRIBED MESSAGE("1"));
}

static void test_nothing_comes_after_the_end_of_a_subscription(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    struct fil_sim_client *publisher = send("PUBLISH c 1\r\n");
    go_on(subscriber, "UNSUBSCRIBE c\r\n");
    is_stage_asleep = false;
    go_on(publisher, "PUBLISH c 2\r\n");
    net_world_assert_received(publisher, ":1\r\n:0\r\n");
    net_world_assert_received(subscriber, SUBSCRIBED UNSUBSCRIBED);
}

static void test_reset_ends_subscriptions(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\nPSUBSCRIBE p*\r\nRESET\r\nGET k\r\n");
    struct fil_sim_client *publisher = send("PUBLISH c 1\r\nPUBLISH pop 1\r\nPUBSUB NUMPAT\r\n");
    go_on(subscriber, "SUBSCRIBE c\r\n");
    net_world_assert_received(publisher, ":0\r\n:0\r\n:0\r\n");
    net_world_assert_received(subscriber, SUBSCRIBED "*3\r\n$10\r\npsubscribe\r\n$2\r\np*\r\n:2\r\n"
                                                     "+RESET\r\n$-1\r\n" SUBSCRIBED);
}

static void test_slow_reader_is_cut_and_counted(void **state)
{
    (void)state;
    world.net.limits.output_bytes_max = 1000;
    open_world(100000);
    struct fil_sim_client *slow = net_world_client(&world.net);
    net_world_send(slow, "SUBSCRIBE c\r\n");
    fil_sim_client_await(slow, strlen(SUBSCRIBED));
    fil_sim_client_stop_reading(slow);
    net_world_run_for(&world.net, SECOND / 10);
    struct fil_sim_client *quick = send("SUBSCRIBE c\r\n");
    static char publish[20 * 2012 + 1];
    for (uint32_t i = 0; i < 20; i++) {
        char *line = publish + strlen(publish);
        memcpy(line, "PUBLISH c ", 10);
        memset(line + 10, 'x', 2000);
        memcpy(line + 2010, "\r\n", 3);
    }
    struct fil_sim_client *publisher = net_world_client(&world.net);
    uint32_t sent = 0;
    while (net_world_closed(&world.net, FIL_CLOSE_OVERRUN) == 0 && sent < 2000) {
        go_on(publisher, publish);
        sent += 20;
    }
    assert_int_equal(net_world_closed(&world.net, FIL_CLOSE_OVERRUN), 1);
    assert_int_equal(fil_counter_read(&world.server.pubsub.overruns), 1);
    assert_true(quick->received_size > sent * 2000);
    assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of("c")), 1);
    fil_sim_client_start_reading(slow);
    net_world_run_for(&world.net, SECOND / 10);
    size_t message_bytes = strlen("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2000\r\n") + 2000 + 2;
    uint64_t got = (slow->received_size - strlen(SUBSCRIBED)) / message_bytes;
    assert_in_range(got, 1, sent - 1);
    assert_int_equal(got + lost(), sent);
    assert_int_equal(fil_counter_read(&events.drops.places[0].count), sent - got);
}

static void test_full_lane_loses_messages_and_counts_them(void **state)
{
    (void)state;
    open_world(32);
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    struct fil_sim_client *publisher = net_world_client(&world.net);
    for (uint32_t i = 0; i < 100; i++) {
        net_world_send(publisher, "PUBLISH c 1\r\n");
    }
    net_world_run_for(&world.net, SECOND / 10);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND / 10);
    uint64_t taken = fil_counter_read(&world.server.pubsub.messages);
    assert_in_range(taken, 1, 32);
    assert_int_equal(fil_counter_read(&world.server.pubsub.lost), 100 - taken);
    assert_int_equal(fil_counter_read(&events.dropped_count), 100 - taken);
    assert_int_equal(subscriber->received_size, strlen(SUBSCRIBED) + taken * strlen(MESSAGE("1")));
    char text[32];
    (void)snprintf(text, sizeof(text), " sub=1 lost=%u ", (unsigned)(100 - taken));
    assert_int_equal(count_of(send("CLIENT LIST\r\n"), text), 1);
}

static uint64_t next_ns(void *context)
{
    (void)context;
    return fil_alarm_next_ns(fil_exec_alarm(world.exec));
}

/** A world whose publishers wait for room for a second. */
static void open_patient_world(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    open_world(32);
    events.options.put_timeout_ns = SECOND;
    world.net.worker.next_ns = next_ns;
}

static void test_publisher_waits_for_room_and_loses_nothing(void **state)
{
    (void)state;
    open_patient_world();
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    struct fil_sim_client *publisher = net_world_client(&world.net);
    char line[32];
    for (uint32_t i = 100; i < 200; i++) {
        (void)snprintf(line, sizeof(line), "PUBLISH c %u\r\n", i);
        net_world_send(publisher, line);
    }
    net_world_send(publisher, "PING\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    uint64_t taken = fil_counter_read(&world.server.pubsub.messages);
    assert_in_range(taken, 1, 32);
    assert_int_equal(count_of(publisher, ":1\r\n"), taken);
    // Nobody else waits with it.
    assert_int_equal(count_of(send("PING\r\n"), "+PONG\r\n"), 1);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND);
    assert_int_equal(count_of(publisher, ":1\r\n"), 100);
    assert_int_equal(count_of(publisher, "+PONG\r\n"), 1);
    assert_int_equal(fil_counter_read(&events.dropped_count), 0);
    assert_true(fil_counter_read(&events.waited_count) > 0);
    const char *at = (const char *)subscriber->received;
    for (uint32_t i = 100; i < 200; i++) {
        (void)snprintf(line, sizeof(line), "$3\r\n%u\r\n", i);
        at = strstr(at, line); // in order
        assert_non_null(at);
    }
}

static void test_publisher_waits_no_longer_than_it_may(void **state)
{
    (void)state;
    open_patient_world();
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    struct fil_sim_client *publisher = net_world_client(&world.net);
    for (uint32_t i = 0; i < 34; i++) {
        net_world_send(publisher, "PUBLISH c 1\r\n");
    }
    net_world_run_for(&world.net, SECOND / 2);
    uint64_t taken = fil_counter_read(&world.server.pubsub.messages);
    assert_int_equal(fil_counter_read(&events.dropped_count), 0);
    net_world_run_for(&world.net, 40 * SECOND);
    assert_int_equal(count_of(publisher, ":1\r\n"), 34);
    assert_int_equal(fil_counter_read(&events.dropped_count), 34 - taken);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(subscriber->received_size, strlen(SUBSCRIBED) + taken * strlen(MESSAGE("1")));
}

static void test_publisher_that_leaves_while_it_waits_leaves_nothing(void **state)
{
    (void)state;
    open_patient_world();
    (void)send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    struct fil_sim_client *publisher = net_world_client(&world.net);
    for (uint32_t i = 0; i < 40; i++) {
        net_world_send(publisher, "PUBLISH c 1\r\n");
    }
    net_world_run_for(&world.net, SECOND / 10);
    fil_sim_client_reset(publisher);
    net_world_run_for(&world.net, SECOND / 10);
    uint64_t taken = fil_counter_read(&world.server.pubsub.messages);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND);
    assert_int_equal(fil_counter_read(&world.server.pubsub.messages), taken);
}

/** Fills the first subscriber's lane beyond its reserve; the stage is asleep. */
static void publish_some(struct fil_sim_client *publisher, const char *line, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        net_world_send(publisher, line);
    }
    net_world_run_for(&world.net, SECOND / 10);
}

/** 16 places each, and 4 that they share. */
static void test_places_are_taken_for_all_or_none(void **state)
{
    (void)state;
    open_patient_world();
    fil_events_fini(&events);
    struct fil_events_options options = events.options;
    options.capacity = 3 * 16 + 4;
    assert_int_equal(fil_events_init(&events, &options), FIL_OK);
    struct fil_sim_client *subscribers[3];
    for (uint32_t i = 0; i < 3; i++) {
        subscribers[i] = send("SUBSCRIBE c\r\n");
    }
    is_stage_asleep = true;
    struct fil_sim_client *publisher = net_world_client(&world.net);
    publish_some(publisher, "PUBLISH c 1\r\n", 40);
    // All three have had a place of those they share, and the last is no use to all.
    assert_int_equal(fil_counter_read(&world.server.pubsub.messages), 3 * 17);
    assert_int_equal(fil_counter_read(&events.dropped_count), 0);
    assert_int_equal(count_of(publisher, ":3\r\n"), 17);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND);
    assert_int_equal(count_of(publisher, ":3\r\n"), 40);
    assert_int_equal(fil_counter_read(&events.dropped_count), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(count_of(subscribers[i], MESSAGE("1")), 40);
    }
}

static void test_transaction_waits_for_room(void **state)
{
    (void)state;
    open_patient_world();
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    publish_some(net_world_client(&world.net), "PUBLISH c 1\r\n", 16);
    struct fil_sim_client *publisher =
        send("MULTI\r\nPUBLISH c 2\r\nSET k v\r\nPUBLISH c 3\r\nEXEC\r\nPING\r\n");
    net_world_assert_received(publisher, "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n");
    net_world_assert_received(send("GET k\r\n"), "$-1\r\n");
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(count_of(publisher, "*3\r\n:1\r\n+OK\r\n:1\r\n+PONG\r\n"), 1);
    assert_int_equal(count_of(subscriber, MESSAGE("2") MESSAGE("3")), 1);
    assert_int_equal(fil_counter_read(&events.dropped_count), 0);
}

static void test_transaction_waits_no_longer_than_it_may(void **state)
{
    (void)state;
    open_patient_world();
    (void)send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    publish_some(net_world_client(&world.net), "PUBLISH c 1\r\n", 16);
    struct fil_sim_client *publisher = send("MULTI\r\nPUBLISH c 2\r\nEXEC\r\n");
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(count_of(publisher, "*1\r\n:1\r\n"), 1);
    assert_int_equal(fil_counter_read(&events.dropped_count), 1);
    assert_int_equal(lost(), 1);
}

static uint32_t sleep_partitions(void *context)
{
    (void)context;
    fil_role_assert_event();
    return is_stage_asleep ? 0 : fil_events_cycle(&events, 0);
}

/** No partition thread runs, as if all were in something long: who waits is woken all the same. */
static void test_wait_for_room_needs_no_partition(void **state)
{
    (void)state;
    open_patient_world();
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    world.net.worker = (struct fil_sim_cycle){.cycle = sleep_partitions};
    struct fil_sim_client *publisher = net_world_client(&world.net);
    publish_some(publisher, "PUBLISH c 1\r\n", 17);
    assert_int_equal(count_of(publisher, ":1\r\n"), 16);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(count_of(publisher, ":1\r\n"), 17);
    assert_int_equal(count_of(subscriber, MESSAGE("1")), 17);
    is_stage_asleep = true;
    publish_some(publisher, "PUBLISH c 1\r\n", 17);
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(count_of(publisher, ":1\r\n"), 34); // its time was over
    assert_int_equal(fil_counter_read(&events.dropped_count), 1);
}

static void test_messages_of_who_is_gone_are_counted(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *subscriber = send("SUBSCRIBE c\r\n");
    is_stage_asleep = true;
    struct fil_sim_client *publisher = send("PUBLISH c 1\r\nPUBLISH c 2\r\nPUBLISH c 3\r\n");
    net_world_assert_received(publisher, ":1\r\n:1\r\n:1\r\n");
    fil_sim_client_reset(subscriber);
    net_world_run_for(&world.net, SECOND / 10);
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(lost(), 3);
}

static void test_messages_on_their_way_to_the_end_of_a_subscription_are_counted(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *subscriber = send("SUBSCRIBE c d\r\n");
    is_stage_asleep = true;
    (void)send("PUBLISH c 1\r\nPUBLISH c 2\r\n");
    go_on(subscriber, "UNSUBSCRIBE c\r\n");
    is_stage_asleep = false;
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(fil_counter_read(&world.server.pubsub.unwanted), 2);
    assert_int_equal(lost(), 0);
}

/** Each allocation of a message's way fails in turn: to its lane, and into the output. */
static void test_failing_memory_loses_no_message_uncounted(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *clients[NET_WORLD_CLIENTS_MAX];
    uint32_t client_count = 0;
    struct fil_sim_client *subscriber = NULL;
    struct fil_sim_client *publisher = NULL;
    for (int position = 0; position < 12; position++) {
        if (subscriber == NULL || subscriber->state != FIL_SIM_CLIENT_OPEN) {
            subscriber = send("SUBSCRIBE c\r\nPSUBSCRIBE c*\r\n");
            clients[client_count++] = subscriber;
        }
        if (publisher == NULL || publisher->state != FIL_SIM_CLIENT_OPEN) {
            publisher = send("PING\r\n");
            clients[client_count++] = publisher;
        }
        fil_alloc_fail_after(position);
        go_on(publisher, "PUBLISH c 1\r\n");
        fil_alloc_fail_after(-1);
    }
    uint64_t got = 0;
    uint64_t told = 0; // by PUBLISH; those with a pattern less have lost the pattern's
    for (uint32_t i = 0; i < client_count; i++) {
        got += count_of(clients[i], "$1\r\nc\r\n$1\r\n1\r\n");
        if (count_of(clients[i], "+PONG\r\n") > 0) { // a publisher
            told += 2 * (count_of(clients[i], ":2\r\n") + count_of(clients[i], ":1\r\n"));
        }
    }
    assert_true(got > 0);
    assert_true(lost() > 0);
    assert_int_equal(got + lost(), told);
}

static void test_channels_beyond_the_first_table_are_found(void **state)
{
    (void)state;
    open_world(1000);
    static char words[48000] = "SUBSCRIBE";
    char text[64];
    for (uint32_t i = 0; i < 3000; i++) {
        size_t size = strlen(words);
        (void)snprintf(words + size, sizeof(words) - size, " channel%u", i);
    }
    struct fil_sim_client *subscriber = net_world_client(&world.net);
    net_world_send(subscriber, words);
    go_on(subscriber, "\r\n");
    for (uint32_t i = 0; i < 3000; i++) {
        (void)snprintf(text, sizeof(text), "channel%u", i);
        assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of(text)), 1);
    }
    go_on(subscriber, "UNSUBSCRIBE\r\n");
    assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of("channel7")), 0);
}

static const struct fil_env_ops *still_ops;
static uint64_t crept_ns;

/** Time goes on a little with each look. */
static uint64_t creep(struct fil_env *env)
{
    crept_ns += 4000;
    return still_ops->now_ns(env) + crept_ns;
}

#define CHANNELS 3000U

/** A world whose turns have time for some channels; a subscriber asks for very many. */
static void open_creeping_world(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    static struct fil_env_ops ops;
    world.caller_budget_ns = 20000;
    open_world(1000);
    still_ops = world.net.sim.env.ops;
    ops = *still_ops;
    ops.now_ns = creep;
    world.net.sim.env.ops = &ops;
}

static struct fil_sim_client *subscribe_to_many(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    static char words[48000];
    open_creeping_world();
    (void)snprintf(words, sizeof(words), "SUBSCRIBE");
    for (uint32_t i = 0; i < CHANNELS; i++) {
        size_t size = strlen(words);
        (void)snprintf(words + size, sizeof(words) - size, " channel%u", i);
    }
    struct fil_sim_client *subscriber = net_world_client(&world.net);
    net_world_send(subscriber, words);
    go_on(subscriber, "\r\nPING\r\n");
    return subscriber;
}

static uint64_t turns(void)
{
    return fil_counter_read(&world.net.loops[0].stats.turns);
}

/** What the client got for the channels, in their order. */
static void assert_confirmed(const struct fil_sim_client *client, const char *what)
{
    const char *at = (const char *)client->received;
    char text[64];
    for (uint32_t i = 0; i < CHANNELS; i++) {
        (void)snprintf(text, sizeof(text), "%s\r\n$%u\r\nchannel%u\r\n", what,
                       (unsigned)snprintf(NULL, 0, "channel%u", i), i);
        at = strstr(at, text);
        assert_non_null(at);
    }
}

static void test_very_many_subscriptions_come_and_go_turn_by_turn(void **state)
{
    (void)state;
    struct fil_sim_client *subscriber = subscribe_to_many();
    assert_true(turns() > CHANNELS / 100);
    assert_confirmed(subscriber, "subscribe");
    assert_int_equal(count_of(subscriber, "*2\r\n$4\r\npong\r\n"), 1);
    uint64_t before = turns();
    go_on(subscriber, "UNSUBSCRIBE\r\nPING\r\n");
    assert_true(turns() > before + CHANNELS / 100);
    assert_confirmed(subscriber, "unsubscribe");
    assert_int_equal(count_of(subscriber, "+PONG\r\n"), 1);
    assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of("channel7")), 0);
}

static void test_very_many_subscriptions_end_with_reset(void **state)
{
    (void)state;
    struct fil_sim_client *subscriber = subscribe_to_many();
    uint64_t before = turns();
    go_on(subscriber, "RESET\r\nGET k\r\n");
    assert_true(turns() > before + CHANNELS / 200);
    assert_int_equal(count_of(subscriber, "+RESET\r\n$-1\r\n"), 1);
    assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of("channel7")), 0);
}

static void test_very_many_subscriptions_end_with_their_connection(void **state)
{
    (void)state;
    struct fil_sim_client *subscriber = subscribe_to_many();
    uint64_t before = turns();
    fil_sim_client_reset(subscriber);
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(turns() > before + CHANNELS / 200);
    char text[64];
    for (uint32_t i = 0; i < CHANNELS; i++) {
        (void)snprintf(text, sizeof(text), "channel%u", i);
        assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of(text)), 0);
    }
    struct fil_events_stats stats;
    fil_events_read(&events, &stats);
    assert_int_equal(stats.listener_count, 0);
    assert_int_equal(fil_loop_connection_count(&world.net.loops[0]), 0);
}

#define PATTERNS  200U
#define LONG_NAME 4000U

static char long_name[LONG_NAME + 1]; // of a channel

/** One listens to all that ends with a, and to very many others that are hard to tell from it. */
static struct fil_sim_client *subscribe_to_patterns(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    char text[64];
    open_creeping_world();
    memset(long_name, 'a', LONG_NAME);
    struct fil_sim_client *subscriber = send("PSUBSCRIBE *a\r\n");
    for (uint32_t i = 0; i < PATTERNS; i++) {
        (void)snprintf(text, sizeof(text), "PSUBSCRIBE *?*a?a*[b]%u\r\n", i);
        net_world_send(subscriber, text);
    }
    go_on(subscriber, "PING\r\n");
    assert_int_equal(count_of(subscriber, "*2\r\n$4\r\npong\r\n"), 1);
    return subscriber;
}

static struct fil_sim_client *send_long_publish(const char *behind)
{
    struct fil_sim_client *publisher = net_world_client(&world.net);
    net_world_send(publisher, "PUBLISH ");
    net_world_send(publisher, long_name);
    net_world_send(publisher, behind);
    return publisher;
}

static void test_very_many_patterns_are_matched_turn_by_turn(void **state)
{
    (void)state;
    struct fil_sim_client *subscriber = subscribe_to_patterns();
    uint64_t before = turns();
    struct fil_sim_client *publisher = send_long_publish(" 1\r\nPUBLISH xa 2\r\nPUBLISH b 3\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(turns() > before + 10);
    net_world_assert_received(publisher, ":1\r\n:1\r\n:0\r\n");
    assert_int_equal(count_of(subscriber, "pmessage"), 2);
    // In their order, although the first took long.
    const char *at = strstr((const char *)subscriber->received, "\r\n$1\r\n1\r\n");
    assert_non_null(at);
    assert_non_null(strstr(at, "$2\r\nxa\r\n$1\r\n2\r\n"));
    // Who has left is not heard, whatever the last one has looked at.
    go_on(subscriber, "PUNSUBSCRIBE *a\r\n");
    go_on(publisher, "PUBLISH xa 4\r\n");
    net_world_assert_received(publisher, ":1\r\n:1\r\n:0\r\n:0\r\n");
}

static void test_publisher_that_leaves_while_it_looks_leaves_nothing(void **state)
{
    (void)state;
    (void)subscribe_to_patterns();
    uint64_t sent = fil_counter_read(&world.net.loops[0].stats.bytes_sent);
    struct fil_sim_client *publisher = send_long_publish(" 1\r\n");
    (void)fil_sim_client_cycle(publisher);
    net_world_turn(&world.net);
    (void)fil_sim_client_cycle(publisher);
    net_world_turn(&world.net);
    (void)fil_sim_client_cycle(publisher);
    assert_int_equal(fil_counter_read(&world.net.loops[0].stats.bytes_sent), sent);
    assert_int_equal(publisher->state, FIL_SIM_CLIENT_OPEN);
    fil_sim_client_reset(publisher);
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(fil_loop_connection_count(&world.net.loops[0]), 1);
}

static void test_channels_are_matched_turn_by_turn(void **state)
{
    (void)state;
    struct fil_sim_client *subscriber = subscribe_to_many();
    uint64_t before = turns();
    struct fil_sim_client *asker =
        send("PUBSUB CHANNELS *?*l*[222222222222222222222222222222222222]99?\r\nPUBSUB CHANNELS "
             "none*\r\nPING\r\n");
    assert_true(turns() > before + 2);
    assert_int_equal(count_of(asker, "*10\r\n$11\r\nchannel299"), 1);
    assert_int_equal(count_of(asker, "channel299"), 10);
    assert_int_equal(count_of(asker, "*0\r\n+PONG\r\n"), 1);
    go_on(subscriber, "RESET\r\n");
}

static void test_patterns_have_a_limit(void **state)
{
    (void)state;
    open_world(1000);
    memset(long_name, '*', LONG_NAME);
    struct fil_sim_client *client = net_world_client(&world.net);
    for (uint32_t i = 0; i < 2; i++) {
        net_world_send(client, i == 0 ? "PSUBSCRIBE " : "PUBSUB CHANNELS ");
        net_world_send(client, long_name);
        net_world_send(client, long_name);
        go_on(client, "\r\n");
    }
    assert_int_equal(count_of(client, "-ERR the pattern is longer than 4096 bytes\r\n"), 2);
    assert_int_equal(fil_resp_pubsub_pattern_count(&world.server.pubsub), 0);
}

static void test_subscriptions_have_a_limit(void **state)
{
    (void)state;
    open_world(1000);
    world.server.options.subscriptions_max = 3;
    struct fil_sim_client *subscriber = send("SUBSCRIBE a b\r\nPSUBSCRIBE a* b*\r\n");
    assert_int_equal(count_of(subscriber, "$2\r\na*\r\n:3\r\n"), 1);
    assert_int_equal(count_of(subscriber, "-ERR too many channels and patterns on one connection: "
                                          "event.subscriptions_max is 3\r\n"),
                     1);
    assert_int_equal(fil_resp_pubsub_pattern_count(&world.server.pubsub), 1);
    // What it has it may name again, and what it gives up makes room.
    go_on(subscriber, "SUBSCRIBE a\r\nUNSUBSCRIBE b\r\nSUBSCRIBE c\r\n");
    assert_int_equal(count_of(subscriber, "-ERR"), 1);
    assert_int_equal(fil_resp_pubsub_count(&world.server.pubsub, fil_bytes_of("c")), 1);
}

/** Everything that allocates, with its n-th allocation failing; the world must close clean. */
static void test_failing_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    open_world(1000);
    struct fil_sim_client *steady = send("SUBSCRIBE c\r\nPSUBSCRIBE c*\r\n");
    struct fil_sim_client *client = net_world_client(&world.net);
    for (int position = 0; position < 40; position++) {
        fil_alloc_fail_after(position);
        go_on(client, "SUBSCRIBE c n\r\nPSUBSCRIBE n*\r\nUNSUBSCRIBE\r\nPUNSUBSCRIBE\r\n"
                      "PUBLISH c 1\r\nPUBSUB CHANNELS\r\nPUBSUB CHANNELS c*\r\n");
        fil_alloc_fail_after(-1);
        go_on(client, "UNSUBSCRIBE\r\nPUNSUBSCRIBE\r\n");
        if (client->state != FIL_SIM_CLIENT_OPEN) {
            client = net_world_client(&world.net);
        }
        if (world.net.client_count >= NET_WORLD_CLIENTS_MAX) {
            break;
        }
    }
    assert_true(steady->received_size > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_message_reaches_those_who_listen),
        TEST(test_transaction_publishes),
        TEST(test_message_goes_behind_what_was_asked_before),
        TEST(test_nothing_comes_after_the_end_of_a_subscription),
        TEST(test_reset_ends_subscriptions),
        TEST(test_slow_reader_is_cut_and_counted),
        TEST(test_full_lane_loses_messages_and_counts_them),
        TEST(test_publisher_waits_for_room_and_loses_nothing),
        TEST(test_publisher_waits_no_longer_than_it_may),
        TEST(test_publisher_that_leaves_while_it_waits_leaves_nothing),
        TEST(test_places_are_taken_for_all_or_none),
        TEST(test_transaction_waits_for_room),
        TEST(test_transaction_waits_no_longer_than_it_may),
        TEST(test_wait_for_room_needs_no_partition),
        TEST(test_messages_of_who_is_gone_are_counted),
        TEST(test_messages_on_their_way_to_the_end_of_a_subscription_are_counted),
        TEST(test_failing_memory_loses_no_message_uncounted),
        TEST(test_channels_beyond_the_first_table_are_found),
        TEST(test_very_many_subscriptions_come_and_go_turn_by_turn),
        TEST(test_very_many_patterns_are_matched_turn_by_turn),
        TEST(test_publisher_that_leaves_while_it_looks_leaves_nothing),
        TEST(test_channels_are_matched_turn_by_turn),
        TEST(test_patterns_have_a_limit),
        TEST(test_very_many_subscriptions_end_with_reset),
        TEST(test_very_many_subscriptions_end_with_their_connection),
        TEST(test_subscriptions_have_a_limit),
        TEST(test_failing_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("pubsub", tests, NULL, NULL);
}
