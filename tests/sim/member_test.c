// SPDX-License-Identifier: Apache-2.0
/**
 * A whole member in one thread, on a virtual clock and a network where everything goes wrong by
 * seed, with clients that speak RESP and HTTP to its one port. Over a thousand seeds: every reply
 * that arrives is the right one and in order, as a model of each client's own keys says; a
 * connection is lost only where the network lost one; the same seed gives the same run; and a
 * network that loses bytes is found out.
 *
 * A failure prints its seed; `sim_member seed=17` runs that one alone and writes its trace to
 * stderr. Seeds that have failed once stand in regressions.txt and run first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/conc/role.h"
#include "lib/conf/conf.h"
#include "node/node.h"
#include "tests/support/sim_client.h"
#include "tests/unit/harness.h"

#define SEEDS            UINT64_C(1000)
#define SEEDS_TWICE      UINT64_C(50)
#define RESP_CLIENTS     2U
#define KEYS             5U
#define VALUE_MAX        3000U
#define COMMANDS         25U
#define PAGES            6U
#define SECOND           UINT64_C(1000000000)
#define REGRESSIONS_PATH "tests/sim/regressions.txt"

/** What a client's own keys should hold; a value is one letter, again and again. */
struct model {
    char prefix;
    struct {
        bool is_there;
        char letter;
        size_t size;
    } keys[KEYS];
};

/** The expected replies of HTTP, each with a '@' where its Date line is. */
struct page_model {
    char text[PAGES * 512];
    size_t size;
};

struct member_world {
    struct fil_sim sim;
    struct fil_options options;
    struct fil_conf conf;
    struct fil_node *node;
    struct fil_sim_client resp[RESP_CLIENTS];
    struct model models[RESP_CLIENTS];
    struct fil_sim_client http;
    struct page_model pages;
};

static struct member_world world;

// RESP: commands with the replies the model knows.

/** Expects a line of a marker and a number. */
static void expect_number(struct fil_sim_client *client, char marker, uint64_t number)
{
    char text[32];
    int size = snprintf(text, sizeof(text), "%c%" PRIu64 "\r\n", marker, number);
    fil_sim_client_expect(client, fil_bytes_make(text, (size_t)size));
}

static void expect_bulk(struct fil_sim_client *client, const struct model *model, uint64_t key)
{
    char value[VALUE_MAX];
    size_t size = model->keys[key].size;
    if (!model->keys[key].is_there) {
        fil_sim_client_expect(client, fil_bytes_of("$-1\r\n"));
        return;
    }
    memset(value, model->keys[key].letter, sizeof(value));
    expect_number(client, '$', size);
    if (size > 0) {
        fil_sim_client_expect(client, fil_bytes_make(value, size));
    }
    fil_sim_client_expect(client, fil_bytes_of("\r\n"));
}

static void send_set(struct fil_sim_client *client, struct model *model, uint64_t key)
{
    char text[VALUE_MAX + 128];
    char value[VALUE_MAX];
    struct fil_sim *sim = client->sim;
    model->keys[key].is_there = true;
    model->keys[key].letter = (char)('a' + fil_sim_draw(sim, (struct fil_sim_range){.max = 25}));
    model->keys[key].size = fil_sim_draw(
        sim, (struct fil_sim_range){
                 .max = fil_sim_draw(sim, (struct fil_sim_range){.max = 9}) == 0 ? VALUE_MAX : 20});
    int size = (int)model->keys[key].size;
    memset(value, model->keys[key].letter, sizeof(value));
    int written =
        snprintf(text, sizeof(text), "*3\r\n$3\r\nSET\r\n$2\r\n%c%" PRIu64 "\r\n$%d\r\n%.*s\r\n",
                 model->prefix, key, size, size, value);
    fil_sim_client_send(client, fil_bytes_make(text, (size_t)written));
    fil_sim_client_expect(client, fil_bytes_of("+OK\r\n"));
}

static void send_line(struct fil_sim_client *client, const struct model *model, const char *command,
                      uint64_t key)
{
    char text[64];
    int size = snprintf(text, sizeof(text), "%s %c%" PRIu64 "\r\n", command, model->prefix, key);
    fil_sim_client_send(client, fil_bytes_make(text, (size_t)size));
}

static void send_command(struct fil_sim_client *client, struct model *model)
{
    uint64_t key = fil_sim_draw(client->sim, (struct fil_sim_range){.max = KEYS - 1});
    switch (fil_sim_draw(client->sim, (struct fil_sim_range){.max = 6})) {
    case 0:
        send_line(client, model, "DEL", key);
        expect_number(client, ':', model->keys[key].is_there);
        model->keys[key].is_there = false;
        break;
    case 1:
        send_line(client, model, "exists", key);
        expect_number(client, ':', model->keys[key].is_there);
        break;
    case 2:
        fil_sim_client_send(client, fil_bytes_of("PING\r\nfoo\r\n"));
        fil_sim_client_expect(client, fil_bytes_of("+PONG\r\n-ERR unknown command 'foo', with args "
                                                   "beginning with: \r\n"));
        break;
    case 3:
    case 4:
        send_set(client, model, key);
        break;
    default:
        send_line(client, model, "GET", key);
        expect_bulk(client, model, key);
        break;
    }
}

/** How a script ends: an end that is asked for, a half close, or nothing. */
static void send_end(struct fil_sim_client *client, const char *farewell, const char *reply)
{
    switch (fil_sim_draw(client->sim, (struct fil_sim_range){.max = 2})) {
    case 0:
        fil_sim_client_send(client, fil_bytes_of(farewell));
        if (reply != NULL) {
            fil_sim_client_expect(client, fil_bytes_of(reply));
        }
        break;
    case 1:
        fil_sim_client_finish(client);
        break;
    default:
        break;
    }
}

static void write_resp_script(struct fil_sim_client *client, struct model *model)
{
    struct fil_sim *sim = client->sim;
    fil_sim_client_pause(client, fil_sim_draw(sim, (struct fil_sim_range){.max = SECOND / 100}));
    fil_sim_client_connect(client, fil_node_address(world.node));
    for (uint32_t i = 0; i < COMMANDS; i++) {
        send_command(client, model);
        // Some are awaited, the others pipelined.
        if (fil_sim_draw(sim, (struct fil_sim_range){.max = 5}) == 0) {
            fil_sim_client_await(client, client->expected_size);
        }
    }
    send_end(client, "QUIT\r\nPING\r\n", "+OK\r\n");
}

// HTTP: pages whose Date nobody can know in advance.

#define PAGE_HEADERS "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"

static void expect_page(const char *head, const char *body, const char *connection)
{
    struct page_model *pages = &world.pages;
    const char *headers = head[0] == '2' ? PAGE_HEADERS : "";
    pages->size += (size_t)snprintf(
        pages->text + pages->size, sizeof(pages->text) - pages->size,
        "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n@Content-Type: text/plain; charset=utf-8\r\n%s"
        "\r\n%s",
        head, connection, strlen(body), headers, body);
}

static void write_http_script(struct fil_sim_client *client)
{
    struct fil_sim *sim = client->sim;
    fil_sim_client_pause(client, fil_sim_draw(sim, (struct fil_sim_range){.max = SECOND / 100}));
    fil_sim_client_connect(client, fil_node_address(world.node));
    for (uint32_t i = 0; i + 1 < PAGES; i++) {
        if (fil_sim_draw(sim, (struct fil_sim_range){.max = 1}) == 0) {
            fil_sim_client_send(client, fil_bytes_of("GET /livez HTTP/1.1\r\nHost: [::1]\r\n\r\n"));
            expect_page("200 OK", "ok\n", "");
        } else {
            fil_sim_client_send(client, fil_bytes_of("GET /none HTTP/1.1\r\nHost: [::1]\r\n\r\n"));
            expect_page("404 Not Found", "no such page: / lists what there is\n", "");
        }
    }
    fil_sim_client_send(
        client, fil_bytes_of("GET /readyz HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n"));
    expect_page("200 OK", "ready\n", "Connection: close\r\n");
}

/** What arrived of the pages: the start of it, all of it, or something else. */
static enum fil_sim_verdict http_verdict(void)
{
    static const char date[] = "Date: ";
    struct fil_bytes received = fil_sim_client_received(&world.http);
    size_t at = 0;
    size_t expected = 0;
    while (at < received.size && expected < world.pages.size) {
        if (world.pages.text[expected] == '@') {
            size_t left = received.size - at;
            size_t size = sizeof(date) - 1 < left ? sizeof(date) - 1 : left;
            if (memcmp(received.data + at, date, size) != 0) {
                return FIL_SIM_VERDICT_WRONG;
            }
            size_t line = sizeof("Date: Tue, 14 Nov 2023 22:13:21 GMT\r\n") - 1;
            at += line < left ? line : left;
        } else if (received.data[at] != (uint8_t)world.pages.text[expected]) {
            return FIL_SIM_VERDICT_WRONG;
        } else {
            at++;
        }
        expected++;
    }
    if (at < received.size) {
        return FIL_SIM_VERDICT_WRONG;
    }
    if (expected == world.pages.size) {
        return FIL_SIM_VERDICT_MATCHED;
    }
    return world.http.state == FIL_SIM_CLIENT_LOST ? FIL_SIM_VERDICT_LOST
           : world.http.state == FIL_SIM_CLIENT_OPEN || world.http.state == FIL_SIM_CLIENT_NEW
               ? FIL_SIM_VERDICT_WAITING
               : FIL_SIM_VERDICT_ENDED;
}

static bool http_is_settled(void)
{
    enum fil_sim_verdict verdict = http_verdict();
    return verdict == FIL_SIM_VERDICT_WRONG ||
           (fil_sim_client_is_done(&world.http) && verdict != FIL_SIM_VERDICT_WAITING);
}

// The world.

static const struct fil_sim_client_options client_options = {
    .fragment_bytes = {.min = 1, .max = 200},
    .receive_bytes = {.min = 1, .max = 400},
};

/** The kernel's switches by the seed: each combination gets its share of the runs. */
static void choose_switches(uint64_t seed)
{
    world.options.partition.caller_runs = (seed & 1) == 0;
    world.options.partition.write_through = (seed & 2) == 0;
    world.options.partition.batching = (seed & 4) == 0;
    world.options.partition.stealing = (seed & 8) == 0;
    if (seed & 16) {
        // So short that connections move in the middle of everything.
        world.options.net.balance_interval_ns = SECOND / 1000;
    }
}

static void open_member(uint64_t seed)
{
    struct fil_plan plan = {.io_threads = 2,
                            .partition_threads = 2,
                            .connections_max = 1000,
                            .memory_bytes = UINT64_C(64) << 20};
    assert_int_equal(fil_conf_init(&world.conf, &fil_options_table, &world.options), FIL_OK);
    choose_switches(seed);
    struct fil_node_setup setup = {
        .env = &world.sim.env, .options = &world.options, .plan = &plan, .conf = &world.conf};
    assert_int_equal(fil_node_new(&world.node, &setup), FIL_OK);
}

static void open_world(uint64_t seed)
{
    static const char *const names[RESP_CLIENTS] = {"resp 0", "resp 1"};
    struct fil_sim_options network;
    fil_sim_options_draw(&network, seed);
    assert_int_equal(fil_sim_init(&world.sim, seed, &network), FIL_OK);
    open_member(seed);
    for (uint32_t i = 0; i < RESP_CLIENTS; i++) {
        world.models[i] = (struct model){.prefix = (char)('x' + i)};
        assert_int_equal(fil_sim_client_init(&world.resp[i], &world.sim, names[i], &client_options),
                         FIL_OK);
        write_resp_script(&world.resp[i], &world.models[i]);
    }
    world.pages.size = 0;
    assert_int_equal(fil_sim_client_init(&world.http, &world.sim, "http", &client_options), FIL_OK);
    write_http_script(&world.http);
}

static uint32_t cycle_member(void *context)
{
    return fil_node_cycle(context);
}

static bool all_are_settled(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < RESP_CLIENTS; i++) {
        if (!fil_sim_client_is_settled(&world.resp[i])) {
            return false;
        }
    }
    return http_is_settled();
}

static int run_world(void)
{
    struct fil_sim_cycle cycles[] = {
        {.cycle = cycle_member, .context = world.node},
        {.cycle = fil_sim_client_cycle, .context = &world.resp[0]},
        {.cycle = fil_sim_client_cycle, .context = &world.resp[1]},
        {.cycle = fil_sim_client_cycle, .context = &world.http},
    };
    struct fil_sim_until until = {.is_met = all_are_settled, .step_count_max = 200000};
    return fil_sim_run(&world.sim, cycles, FIL_COUNT_OF(cycles), &until);
}

/** Returns the trace's hash; asserts that nothing is left open. */
static uint64_t close_world(void)
{
    fil_node_abort(world.node);
    fil_node_free(world.node);
    fil_conf_fini(&world.conf);
    for (uint32_t i = 0; i < RESP_CLIENTS; i++) {
        fil_sim_client_fini(&world.resp[i]);
    }
    fil_sim_client_fini(&world.http);
    uint64_t hash = fil_sim_trace_hash(&world.sim);
    fil_sim_fini(&world.sim);
    return hash;
}

/** How many of the clients came to each verdict. */
struct tally {
    uint32_t counts[FIL_SIM_VERDICT_WRONG + 1];
};

static void count_verdicts(struct tally *tally)
{
    for (uint32_t i = 0; i < RESP_CLIENTS; i++) {
        tally->counts[fil_sim_client_verdict(&world.resp[i])]++;
    }
    tally->counts[http_verdict()]++;
}

static bool is_right(int result, const struct tally *tally)
{
    uint64_t cuts = fil_sim_faults(&world.sim, FIL_SIM_FAULT_RESET) +
                    fil_sim_faults(&world.sim, FIL_SIM_FAULT_CONNECT_REFUSED);
    return result == FIL_OK && tally->counts[FIL_SIM_VERDICT_LOST] <= cuts &&
           tally->counts[FIL_SIM_VERDICT_MATCHED] + tally->counts[FIL_SIM_VERDICT_LOST] ==
               RESP_CLIENTS + 1;
}

static void report(int result, const struct tally *tally)
{
    (void)fil_sim_report(&world.sim, stderr);
    fail_msg("seed=%" PRIu64 ": the run ended with %s; matched=%u lost=%u ended=%u waiting=%u "
             "wrong=%u; again with: sim_member seed=%" PRIu64,
             world.sim.seed, result == FIL_OK ? "FIL_OK" : fil_error_name(result),
             tally->counts[FIL_SIM_VERDICT_MATCHED], tally->counts[FIL_SIM_VERDICT_LOST],
             tally->counts[FIL_SIM_VERDICT_ENDED], tally->counts[FIL_SIM_VERDICT_WAITING],
             tally->counts[FIL_SIM_VERDICT_WRONG], world.sim.seed);
}

/** Runs one seed, with its trace if wanted, and adds to the total; returns the trace's hash. */
static uint64_t run_seed(uint64_t seed, bool is_traced, struct tally *total)
{
    struct tally tally = {0};
    open_world(seed);
    fil_sim_trace_to(&world.sim, is_traced ? stderr : NULL);
    int result = run_world();
    count_verdicts(&tally);
    if (!is_right(result, &tally)) {
        report(result, &tally);
    }
    for (uint32_t i = 0; i <= FIL_SIM_VERDICT_WRONG; i++) {
        total->counts[i] += tally.counts[i];
    }
    return close_world();
}

static int set_up(void **state)
{
    (void)state;
    fil_role_enter(&fil_role_acceptor);
    fil_role_enter(&fil_role_io);
    fil_role_enter(&fil_role_partition);
    fil_role_enter(&fil_role_generic);
    fil_role_enter(&fil_role_event);
    fil_role_enter(&fil_role_executor);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_role_leave_all();
    return 0;
}

/** One seed a line, with the reason behind it; '#' begins a comment. */
static void test_seeds_that_failed_once_are_right(void **state)
{
    (void)state;
    char line[256];
    struct tally total = {0};
    FILE *file = fopen(REGRESSIONS_PATH, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        uint64_t seed = 0;
        if (line[0] != '#' && sscanf(line, "%" SCNu64, &seed) == 1) {
            (void)run_seed(seed, false, &total);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void test_replies_are_right_over_a_thousand_seeds(void **state)
{
    (void)state;
    struct tally total = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        (void)run_seed(seed, false, &total);
    }
    // Most get through, and some do not: the network was neither too kind nor too cruel.
    assert_true(total.counts[FIL_SIM_VERDICT_MATCHED] > 2 * SEEDS);
    assert_true(total.counts[FIL_SIM_VERDICT_LOST] > SEEDS / 20);
}

static void test_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    struct tally total = {0};
    uint64_t previous = 0;
    for (uint64_t seed = 0; seed < SEEDS_TWICE; seed++) {
        uint64_t hash = run_seed(seed, false, &total);
        assert_true(hash == run_seed(seed, false, &total));
        assert_true(hash != previous);
        previous = hash;
    }
}

// A fault that the test must find: each send of the member loses its last byte now and then.

static struct fil_env_ops broken_ops;
static const struct fil_env_ops *sound_ops;
static uint32_t send_count;

static int64_t lose_a_byte(struct fil_env *env, int fd, const struct fil_bytes *slices,
                           uint32_t count)
{
    send_count++;
    struct fil_bytes copies[FIL_SEND_SLICES_MAX];
    memcpy(copies, slices, count * sizeof(copies[0]));
    if (send_count % 20 != 0 || copies[count - 1].size < 2) {
        return sound_ops->send(env, fd, slices, count);
    }
    copies[count - 1].size--;
    int64_t sent = sound_ops->send(env, fd, copies, count);
    return sent < 0 ? sent : sent + 1;
}

static void test_network_that_loses_bytes_is_found_out(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct tally tally = {0};
        open_world(seed);
        sound_ops = world.sim.env.ops;
        broken_ops = *sound_ops;
        broken_ops.send = lose_a_byte;
        world.sim.env.ops = &broken_ops;
        int result = run_world();
        world.sim.env.ops = sound_ops;
        count_verdicts(&tally);
        found += !is_right(result, &tally);
        (void)close_world();
    }
    assert_true(found > 10);
}

/** "seed=17" runs that seed alone. */
static uint64_t single_seed;

static void test_one_seed(void **state)
{
    (void)state;
    struct tally total = {0};
    uint64_t hash = run_seed(single_seed, true, &total);
    assert_true(hash == run_seed(single_seed, false, &total));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest one[] = {
        cmocka_unit_test_setup_teardown(test_one_seed, set_up, tear_down),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_seeds_that_failed_once_are_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_replies_are_right_over_a_thousand_seeds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_same_seed_gives_the_same_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_network_that_loses_bytes_is_found_out, set_up,
                                        tear_down),
    };
    if (argc > 1 && sscanf(argv[1], "seed=%" SCNu64, &single_seed) == 1) {
        return cmocka_run_group_tests_name("member", one, NULL, NULL);
    }
    return cmocka_run_group_tests_name("member", tests, NULL, NULL);
}
