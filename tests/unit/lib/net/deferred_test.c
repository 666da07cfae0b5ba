// SPDX-License-Identifier: Apache-2.0
/**
 * Work that a protocol puts off, one test a promise: requests of several connections of a turn run
 * together, in the order in which they came; they run before another protocol does; they run before
 * what they point to is overwritten; what comes in pieces is not put off; and each loop has memory
 * of its own for the protocol, all or nothing.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "lib/net/loop.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define LINES_MAX      16U
#define LINE_BYTES_MAX 16000U

/** A protocol whose lines begin with "D" and are answered with themselves, together. */
struct line {
    struct fil_connection *connection;
    struct fil_bytes text; // borrowed from what was received
};

struct workspace {
    struct fil_deferred deferred;
    struct line lines[LINES_MAX];
    uint32_t count;
};

static struct net_world world;
static struct fil_protocol protocols[2];
static uint32_t run_count;
static uint32_t largest;

static int set_up(void **state)
{
    (void)state;
    net_world_init(&world);
    run_count = 0;
    largest = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    net_world_close(&world);
    return 0;
}

static enum fil_match match(struct fil_bytes first)
{
    return first.data[0] == 'D' ? FIL_MATCH_YES : FIL_MATCH_NO;
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    connection->session = protocol->context;
    return FIL_OK;
}

static void close_session(struct fil_connection *connection)
{
    connection->session = NULL;
}

static void run_lines(struct workspace *workspace)
{
    run_count += workspace->count > 0;
    largest = workspace->count > largest ? workspace->count : largest;
    for (uint32_t i = 0; i < workspace->count; i++) {
        fil_connection_write(workspace->lines[i].connection, workspace->lines[i].text);
    }
    workspace->count = 0;
}

static void run_deferred(struct fil_deferred *deferred, struct fil_loop *loop)
{
    (void)loop;
    run_lines(FIL_CONTAINER_OF(deferred, struct workspace, deferred));
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct workspace *workspace = fil_loop_workspace(connection->loop, connection->protocol);
    size_t size = fil_bytes_find(bytes, '\n');
    if (size == bytes.size) {
        return FIL_OK;
    }
    fil_assert(workspace->count < LINES_MAX);
    workspace->lines[workspace->count] =
        (struct line){.connection = connection, .text = fil_bytes_make(bytes.data, size + 1)};
    workspace->count++;
    *out_consumed = size + 1;
    if (!fil_connection_can_defer(connection)) {
        run_lines(workspace);
        return FIL_OK;
    }
    workspace->deferred.run = run_deferred;
    workspace->deferred.protocol = connection->protocol;
    fil_loop_defer(connection->loop, &workspace->deferred);
    return FIL_OK;
}

static const struct fil_protocol_ops deferring_protocol = {
    .name = "deferring",
    .workspace_bytes = sizeof(struct workspace),
    .match = match,
    .open = open_session,
    .receive = receive,
    .close = close_session,
};

static void open_world(void)
{
    protocols[0] = (struct fil_protocol){.ops = &deferring_protocol, .context = &world};
    protocols[1] = (struct fil_protocol){.ops = &toy_echo_protocol, .context = &world.toy};
    world.protocols = protocols;
    world.protocol_count = 2;
    net_world_must_open(&world);
}

/** A line of this size, line end included, from a new client that expects it back. */
static struct fil_sim_client *send_line(size_t size)
{
    static char text[LINE_BYTES_MAX + 1];
    struct fil_sim_client *client = net_world_client(&world);
    fil_assert(size < sizeof(text));
    memset(text, 'a' + (int)(world.client_count % 26), size);
    text[0] = 'D';
    text[size - 1] = '\n';
    text[size] = '\0';
    net_world_send(client, text);
    net_world_expect(client, text);
    return client;
}

static void assert_all_matched(void)
{
    for (uint32_t i = 0; i < world.client_count; i++) {
        enum fil_sim_verdict verdict = fil_sim_client_verdict(&world.clients[i]);
        assert_string_equal(fil_sim_verdict_text(verdict), "matched");
    }
}

static void test_requests_of_a_turn_run_together(void **state)
{
    (void)state;
    open_world();
    for (uint32_t i = 0; i < 3; i++) {
        (void)send_line(10 + i);
    }
    net_world_run(&world);
    assert_all_matched();
    assert_true(run_count > 0);
    assert_int_equal(largest, 3);
}

static void test_another_protocol_comes_after_what_was_put_off(void **state)
{
    (void)state;
    open_world();
    (void)send_line(10);
    struct fil_sim_client *echo = net_world_client(&world);
    net_world_send(echo, "ECHO\n");
    net_world_expect(echo, "ECHO\n");
    (void)send_line(10);
    net_world_run(&world);
    assert_all_matched();
    assert_int_equal(run_count, 2);
    assert_int_equal(largest, 1);
}

static void test_nothing_that_is_needed_is_overwritten(void **state)
{
    (void)state;
    open_world();
    for (uint32_t i = 0; i < NET_WORLD_CLIENTS_MAX; i++) {
        (void)send_line(15000);
    }
    net_world_run(&world);
    assert_all_matched();
    assert_true(run_count > 1);
}

static void test_what_comes_in_pieces_is_not_put_off(void **state)
{
    (void)state;
    open_world();
    struct fil_sim_client *client = net_world_client(&world);
    net_world_send(client, "D half");
    net_world_run_for(&world, 1000000);
    assert_int_equal(run_count, 0);
    net_world_send(client, " a line\n");
    net_world_expect(client, "D half a line\n");
    net_world_run(&world);
    assert_all_matched();
    assert_int_equal(run_count, 1);
}

static void test_workspaces_are_made_or_the_loop_is_not(void **state)
{
    (void)state;
    struct fil_loop loop;
    bool has_failed = true;
    open_world();
    fil_role_assert_io();
    for (int64_t after = 0; has_failed; after++) {
        fil_alloc_fail_after(after);
        int error = fil_loop_init(&loop, &(struct fil_loop_options){.env = world.loops[0].env,
                                                                    .budget = &world.budget,
                                                                    .limits = world.limits,
                                                                    .protocols = protocols,
                                                                    .protocol_count = 2});
        fil_alloc_fail_after(-1);
        has_failed = error != FIL_OK;
        assert_true(!has_failed || error == FIL_E_NOMEM);
    }
    struct workspace *workspace = fil_loop_workspace(&loop, &protocols[0]);
    assert_non_null(workspace);
    assert_int_equal(workspace->count, 0);
    assert_null(fil_loop_workspace(&loop, &protocols[1]));
    fil_loop_fini(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_requests_of_a_turn_run_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_protocol_comes_after_what_was_put_off, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_that_is_needed_is_overwritten, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_comes_in_pieces_is_not_put_off, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_workspaces_are_made_or_the_loop_is_not, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("deferred", tests, NULL, NULL);
}
