// SPDX-License-Identifier: Apache-2.0
/**
 * The scripted client, one test a promise: it sends its script in order and in fragments, pauses
 * and reads when told, ends in each of the ways a client ends, and judges what it received.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/support/sim_client.h"
#include "tests/unit/support/sim_pair.h"

struct scene {
    struct sim_pair pair; // its server end is accepted by hand
    struct fil_sim_client client;
};

static void set_scene(struct scene *scene, const struct fil_sim_client_options *options)
{
    sim_pair_listen(&scene->pair, 1, NULL);
    assert_int_equal(fil_sim_client_init(&scene->client, &scene->pair.sim, "client", options),
                     FIL_OK);
    fil_sim_client_connect(&scene->client, &scene->pair.address);
}

static void clear_scene(struct scene *scene)
{
    fil_sim_client_fini(&scene->client);
    sim_pair_close(&scene->pair);
}

/** Turns of the client alone, until nothing more happens. */
static void run_client(struct scene *scene)
{
    struct fil_sim_cycle cycle = {.cycle = fil_sim_client_cycle, .context = &scene->client};
    assert_int_equal(fil_sim_run(&scene->pair.sim, &cycle, 1, &(struct fil_sim_until){0}), FIL_OK);
}

static int64_t server_receive(struct scene *scene, char *buffer, size_t size)
{
    if (scene->pair.server < 0) {
        scene->pair.server = sim_pair_accept(&scene->pair);
        assert_true(scene->pair.server >= 0);
    }
    return sim_pair_receive(&scene->pair, scene->pair.server, buffer, size);
}

static void server_send(struct scene *scene, const char *text)
{
    assert_int_equal(sim_pair_send(&scene->pair, scene->pair.server, text, strlen(text)),
                     (int64_t)strlen(text));
}

static void test_script_is_sent_in_order(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, NULL);
    fil_sim_client_send(&scene.client, fil_bytes_of("one "));
    fil_sim_client_send(&scene.client, fil_bytes_of("two"));
    assert_false(fil_sim_client_is_done(&scene.client));
    run_client(&scene);
    assert_true(fil_sim_client_is_done(&scene.client));
    char text[16];
    assert_int_equal(server_receive(&scene, text, sizeof(text)), 7);
    assert_memory_equal(text, "one two", 7);
    clear_scene(&scene);
}

static void test_fragments_have_the_size_asked_for(void **state)
{
    (void)state;
    struct fil_sim_client_options options = {.fragment_bytes = {.min = 2, .max = 2},
                                             .receive_bytes = {.min = 3, .max = 3}};
    struct scene scene;
    set_scene(&scene, &options);
    fil_sim_client_send(&scene.client, fil_bytes_of("12345"));
    (void)fil_sim_client_cycle(&scene.client);
    const int64_t sizes[] = {2, 2, 1};
    char text[16];
    for (size_t i = 0; i < 3; i++) {
        (void)fil_sim_client_cycle(&scene.client);
        assert_int_equal(server_receive(&scene, text, sizeof(text)), sizes[i]);
    }
    server_send(&scene, "abcdefgh");
    const size_t received[] = {3, 6, 8};
    for (size_t i = 0; i < 3; i++) {
        (void)fil_sim_client_cycle(&scene.client);
        assert_int_equal(fil_sim_client_received(&scene.client).size, received[i]);
    }
    clear_scene(&scene);
}

static void test_pauses_end_at_their_times(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, NULL);
    uint64_t start_ns = scene.pair.sim.now_ns;
    fil_sim_client_pause(&scene.client, 1000);
    fil_sim_client_pause_until(&scene.client, start_ns + 5000);
    fil_sim_client_pause_until(&scene.client, start_ns + 10);
    fil_sim_client_send(&scene.client, fil_bytes_of("x"));
    (void)fil_sim_client_cycle(&scene.client);
    (void)fil_sim_client_cycle(&scene.client);
    assert_int_equal(fil_sim_next_event_ns(&scene.pair.sim), start_ns + 1000);
    run_client(&scene);
    assert_true(fil_sim_client_is_done(&scene.client));
    assert_int_equal(scene.pair.sim.now_ns, start_ns + 5000);
    clear_scene(&scene);
}

static void test_await_waits_for_the_bytes(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, NULL);
    fil_sim_client_await(&scene.client, 4);
    fil_sim_client_send(&scene.client, fil_bytes_of("next"));
    run_client(&scene);
    char text[16];
    assert_int_equal(server_receive(&scene, text, sizeof(text)), FIL_E_AGAIN);
    server_send(&scene, "123");
    run_client(&scene);
    assert_int_equal(server_receive(&scene, text, sizeof(text)), FIL_E_AGAIN);
    server_send(&scene, "4");
    run_client(&scene);
    assert_int_equal(server_receive(&scene, text, sizeof(text)), 4);
    clear_scene(&scene);
}

static void test_client_reads_only_when_it_may(void **state)
{
    (void)state;
    struct fil_sim_client_options options = {.receive_bytes_max = 8};
    struct scene scene;
    set_scene(&scene, &options);
    fil_sim_client_stop_reading(&scene.client);
    fil_sim_client_pause(&scene.client, 1000);
    fil_sim_client_start_reading(&scene.client);
    (void)fil_sim_client_cycle(&scene.client);
    (void)fil_sim_client_cycle(&scene.client);
    char text[16];
    assert_int_equal(server_receive(&scene, text, sizeof(text)), FIL_E_AGAIN);
    server_send(&scene, "0123456789");
    (void)fil_sim_client_cycle(&scene.client);
    assert_int_equal(fil_sim_client_received(&scene.client).size, 0);
    run_client(&scene);
    // What it has no room for stays in the network.
    assert_true(fil_bytes_equal_text(fil_sim_client_received(&scene.client), "01234567"));
    clear_scene(&scene);
}

static void test_each_way_to_end_reaches_the_server(void **state)
{
    (void)state;
    void (*const ways[])(struct fil_sim_client *) = {fil_sim_client_finish, fil_sim_client_close,
                                                     fil_sim_client_reset, fil_sim_client_vanish};
    const int64_t results[] = {0, 0, FIL_E_CLOSED, FIL_E_AGAIN};
    const enum fil_sim_client_state states[] = {FIL_SIM_CLIENT_OPEN, FIL_SIM_CLIENT_CLOSED,
                                                FIL_SIM_CLIENT_CLOSED, FIL_SIM_CLIENT_CLOSED};
    for (size_t i = 0; i < 4; i++) {
        struct scene scene;
        set_scene(&scene, NULL);
        ways[i](&scene.client);
        run_client(&scene);
        assert_int_equal(scene.client.state, states[i]);
        char byte = 0;
        assert_int_equal(server_receive(&scene, &byte, 1), results[i]);
        clear_scene(&scene);
    }
}

static void test_verdict_compares_what_came_with_what_should(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, NULL);
    fil_sim_client_expect(&scene.client, fil_bytes_of("ab"));
    fil_sim_client_expect(&scene.client, fil_bytes_of("cd"));
    run_client(&scene);
    scene.pair.server = sim_pair_accept(&scene.pair);
    assert_int_equal(fil_sim_client_verdict(&scene.client), FIL_SIM_VERDICT_WAITING);
    assert_false(fil_sim_client_is_settled(&scene.client));
    server_send(&scene, "abc");
    run_client(&scene);
    assert_int_equal(fil_sim_client_verdict(&scene.client), FIL_SIM_VERDICT_WAITING);
    server_send(&scene, "d");
    run_client(&scene);
    assert_int_equal(fil_sim_client_verdict(&scene.client), FIL_SIM_VERDICT_MATCHED);
    assert_true(fil_sim_client_is_settled(&scene.client));
    server_send(&scene, "e");
    run_client(&scene);
    assert_int_equal(fil_sim_client_verdict(&scene.client), FIL_SIM_VERDICT_WRONG);
    assert_string_equal(fil_sim_verdict_text(FIL_SIM_VERDICT_WRONG), "wrong");
    clear_scene(&scene);
}

static void test_verdict_tells_how_the_connection_ended(void **state)
{
    (void)state;
    for (int is_reset = 0; is_reset < 2; is_reset++) {
        struct scene scene;
        set_scene(&scene, NULL);
        fil_sim_client_expect(&scene.client, fil_bytes_of("abcd"));
        run_client(&scene);
        scene.pair.server = sim_pair_accept(&scene.pair);
        server_send(&scene, "ab");
        run_client(&scene);
        if (is_reset != 0) {
            fil_sim_reset(&scene.pair.sim, scene.pair.server);
            scene.pair.server = -1;
        } else {
            sim_pair_shut(&scene.pair, &scene.pair.server);
        }
        run_client(&scene);
        assert_int_equal(fil_sim_client_verdict(&scene.client),
                         is_reset != 0 ? FIL_SIM_VERDICT_LOST : FIL_SIM_VERDICT_ENDED);
        assert_true(fil_sim_client_is_settled(&scene.client));
        clear_scene(&scene);
    }
}

static void test_lost_connection_drops_the_script(void **state)
{
    (void)state;
    struct scene scene;
    set_scene(&scene, NULL);
    sim_pair_shut(&scene.pair, &scene.pair.listener);
    fil_sim_client_send(&scene.client, fil_bytes_of("never"));
    fil_sim_client_expect(&scene.client, fil_bytes_of("never"));
    run_client(&scene);
    assert_true(fil_sim_client_is_done(&scene.client));
    assert_int_equal(scene.client.state, FIL_SIM_CLIENT_LOST);
    assert_int_equal(fil_sim_client_verdict(&scene.client), FIL_SIM_VERDICT_LOST);
    clear_scene(&scene);
}

static void test_memory_may_run_out(void **state)
{
    (void)state;
    struct fil_sim sim;
    struct fil_sim_client client;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_sim_client_init(&client, &sim, "client", NULL), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    fil_sim_client_fini(&client);
    fil_sim_fini(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script_is_sent_in_order),
        cmocka_unit_test(test_fragments_have_the_size_asked_for),
        cmocka_unit_test(test_pauses_end_at_their_times),
        cmocka_unit_test(test_await_waits_for_the_bytes),
        cmocka_unit_test(test_client_reads_only_when_it_may),
        cmocka_unit_test(test_each_way_to_end_reaches_the_server),
        cmocka_unit_test(test_verdict_compares_what_came_with_what_should),
        cmocka_unit_test(test_verdict_tells_how_the_connection_ended),
        cmocka_unit_test(test_lost_connection_drops_the_script),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests_name("sim_client", tests, NULL, NULL);
}
