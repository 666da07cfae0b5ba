// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the generator: in a closed loop the next batch leaves when the last reply of
 * the one before is there, and the run ends when all is answered; in an open loop no more than the
 * pipeline is in flight, and what is due waits; errors are counted and keep their words; a reply of
 * the wrong kind, one that nobody asked for, a closed connection and a refused one end the run and
 * are told; requests larger than a socket takes leave in pieces; without memory nothing is left
 * behind.
 *
 * The server is this thread: it answers between two cycles. Large requests have one of their own.
 */
#include "apps/filbert/load/generator.h"

#include <pthread.h>
#include <sched.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

#define LARGE_BYTES ((size_t)16 << 20)

/** A listener, the server's end of one connection, and a source of the same request. */
struct world {
    struct fil_env *env;
    struct fil_address address;
    int listener;
    int fd; // -1: not accepted
    struct load_generator generator;
    struct fil_bytes request;
    uint64_t received; // bytes
};

static struct world world;
static uint8_t scratch[1 << 20];

static void next(void *context, uint32_t limit, struct load_expected *out_expected,
                 struct load_batch *out_batch)
{
    (void)context;
    for (uint32_t i = 0; i < limit; i++) {
        out_expected[i] = (struct load_expected){.kind = '+'};
    }
    // One request stands for all: the server of this test counts bytes only.
    *out_batch = (struct load_batch){.bytes = world.request, .count = limit};
}

static int set_up(void **state)
{
    (void)state;
    world = (struct world){.env = fil_env_real(), .fd = -1, .request = fil_bytes_of("PING\r\n")};
    struct fil_address any;
    assert_int_equal(fil_address_parse("127.0.0.1:0", &any), FIL_OK);
    assert_int_equal(world.env->ops->listen(world.env, &any, 8, &world.listener, &world.address),
                     FIL_OK);
    return 0;
}

static void hang_up(void)
{
    if (world.fd >= 0) {
        world.env->ops->close(world.env, world.fd);
        world.fd = -1;
    }
}

static int tear_down(void **state)
{
    (void)state;
    load_generator_close(&world.generator);
    hang_up();
    world.env->ops->close(world.env, world.listener);
    return 0;
}

static void open_one(void)
{
    assert_int_equal(load_generator_open(&world.generator, world.env, &world.address, 1), FIL_OK);
    struct fil_address peer;
    assert_int_equal(world.env->ops->accept(world.env, world.listener, &world.fd, &peer), FIL_OK);
}

static void begin(uint32_t pipeline, uint64_t request_count, double interval_ns)
{
    struct load_plan plan = {.source = {.next = next},
                             .pipeline = pipeline,
                             .request_count = request_count,
                             .interval_ns = interval_ns};
    assert_int_equal(load_generator_begin(&world.generator, &plan), FIL_OK);
}

/** Takes all that has come. */
static void drain(void)
{
    int64_t size = 0;
    while ((size = world.env->ops->receive(world.env, world.fd, scratch, sizeof(scratch))) > 0) {
        world.received += (uint64_t)size;
    }
}

static void answer(const char *text)
{
    struct fil_bytes bytes = fil_bytes_of(text);
    int64_t sent = world.env->ops->send(world.env, world.fd, &bytes, 1);
    assert_int_equal(sent, bytes.size);
}

static uint64_t count_of(const struct fil_counter *counter)
{
    return fil_counter_read(counter);
}

static void test_closed_loop_sends_when_all_is_answered(void **state)
{
    (void)state;
    open_one();
    begin(2, 5, 0);
    answer("+OK\r\n");
    assert_true(load_generator_cycle(&world.generator));
    drain();
    assert_int_equal(world.received, world.request.size); // the second reply is missing still
    answer("+OK\r\n");
    assert_true(load_generator_cycle(&world.generator));
    drain();
    assert_int_equal(world.received, 2 * world.request.size);
    answer("+OK\r\n+OK\r\n");
    assert_true(load_generator_cycle(&world.generator));
    answer("+OK\r\n"); // the fifth leaves alone
    assert_true(load_generator_cycle(&world.generator));
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(world.generator.failure.code, FIL_OK);
    assert_int_equal(count_of(&world.generator.figures.replies), 5);
    assert_int_equal(fil_histogram_count(&world.generator.figures.latency_ns[0]), 5);
}

static void test_end_lets_the_rest_come_back(void **state)
{
    (void)state;
    open_one();
    begin(1, LOAD_ALL, 0);
    load_generator_end(&world.generator);
    answer("+OK\r\n");
    assert_true(load_generator_cycle(&world.generator));
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(count_of(&world.generator.figures.replies), 1);
}

static void test_open_loop_keeps_within_the_pipeline(void **state)
{
    (void)state;
    open_one();
    begin(4, 10, 1); // all are due at once
    for (int i = 0; i < 10; i++) {
        answer("+OK\r\n");
        (void)load_generator_cycle(&world.generator);
        assert_true(world.generator.in_flight <= 4);
    }
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(world.generator.failure.code, FIL_OK);
    assert_int_equal(count_of(&world.generator.figures.replies), 10);
    assert_int_equal(load_generator_unsent_count(&world.generator), 0);
}

static void test_open_loop_that_is_ended_tells_what_never_left(void **state)
{
    (void)state;
    open_one();
    begin(1, 10, 1);
    answer("+OK\r\n");
    assert_true(load_generator_cycle(&world.generator));
    load_generator_end(&world.generator);
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(load_generator_unsent_count(&world.generator), 9);
}

static void test_errors_are_counted_and_keep_their_words(void **state)
{
    (void)state;
    open_one();
    begin(2, 4, 0);
    answer("-ERR first\r\n-ERR second\r\n");
    assert_true(load_generator_cycle(&world.generator));
    answer("+OK\r\n-ERR third\r\n");
    assert_true(load_generator_cycle(&world.generator));
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(world.generator.failure.code, FIL_OK);
    assert_int_equal(count_of(&world.generator.figures.errors), 3);
    assert_int_equal(count_of(&world.generator.figures.replies), 4);
    assert_string_equal(world.generator.figures.error_text, "ERR first");
}

/** The server says this to one request of two; the run must end with the code and the text. */
static void check_failure(const char *text, int code, const char *message)
{
    open_one();
    begin(2, LOAD_ALL, 0);
    answer(text);
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(world.generator.failure.code, code);
    assert_string_equal(world.generator.failure.text, message);
    assert_false(load_generator_cycle(&world.generator));
}

static void test_wrong_kind_ends_the_run(void **state)
{
    (void)state;
    check_failure(":1\r\n", FIL_E_MALFORMED,
                  "a reply begins with ':' and has 0 elements, not '+' and 0");
}

static void test_what_is_no_reply_ends_the_run(void **state)
{
    (void)state;
    check_failure("HTTP/1.1 400 Bad Request\r\n", FIL_E_MALFORMED,
                  "the server sent what is no reply of resp");
}

static void test_reply_that_nobody_asked_for_ends_the_run(void **state)
{
    (void)state;
    check_failure("+OK\r\n+OK\r\n+OK\r\n", FIL_E_MALFORMED,
                  "the server sent a reply that nobody asked for");
}

static void test_closed_connection_ends_the_run(void **state)
{
    (void)state;
    open_one();
    begin(2, LOAD_ALL, 0);
    answer("+OK\r\n");
    assert_true(load_generator_cycle(&world.generator));
    drain();
    hang_up();
    assert_false(load_generator_cycle(&world.generator));
    assert_int_equal(world.generator.failure.code, FIL_E_CLOSED);
    assert_string_equal(world.generator.failure.text,
                        "the server closed a connection after 1 replies");
}

static void test_refused_connection_is_told(void **state)
{
    (void)state;
    world.env->ops->close(world.env, world.listener);
    assert_int_equal(load_generator_open(&world.generator, world.env, &world.address, 3),
                     FIL_E_CLOSED);
    assert_non_null(strstr(world.generator.failure.text, "nobody takes connections at 127.0.0.1:"));
    struct fil_address bound;
    assert_int_equal(world.env->ops->listen(world.env, &world.address, 8, &world.listener, &bound),
                     FIL_OK);
}

/** The server's side of a large request: who waits in a cycle cannot read meanwhile. */
static void *take_large(void *context)
{
    int64_t *out_sent = context;
    struct fil_bytes reply = fil_bytes_of("+OK\r\n");
    while (world.received < LARGE_BYTES) {
        drain();
        sched_yield();
    }
    *out_sent = world.env->ops->send(world.env, world.fd, &reply, 1);
    return NULL;
}

static void test_large_requests_leave_in_pieces(void **state)
{
    (void)state;
    uint8_t *large = fil_alloc_zero(1, LARGE_BYTES);
    assert_non_null(large);
    world.request = fil_bytes_make(large, LARGE_BYTES);
    open_one();
    begin(1, 1, 0);
    assert_true(load_client_has_rest(&world.generator.clients[0]));
    pthread_t server;
    int64_t sent = 0;
    assert_int_equal(pthread_create(&server, NULL, take_large, &sent), 0);
    while (load_generator_cycle(&world.generator)) {
    }
    assert_int_equal(pthread_join(server, NULL), 0);
    assert_int_equal(sent, 5);
    assert_int_equal(world.generator.failure.code, FIL_OK);
    assert_int_equal(world.received, LARGE_BYTES);
    assert_int_equal(count_of(&world.generator.figures.replies), 1);
    fil_free(large);
}

static void test_without_memory_nothing_is_left_behind(void **state)
{
    (void)state;
    int64_t after = 0;
    for (int error = FIL_E_NOMEM; error != FIL_OK; after++) {
        fil_alloc_fail_after(after);
        error = load_generator_open(&world.generator, world.env, &world.address, 2);
        if (error == FIL_OK) {
            error = load_generator_begin(
                &world.generator,
                &(struct load_plan){.source = {.next = next}, .pipeline = 1, .request_count = 1});
        }
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        load_generator_close(&world.generator);
    }
    assert_int_equal(after, 6); // clients, buffer, poller, two rings; then it works
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_closed_loop_sends_when_all_is_answered, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_end_lets_the_rest_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open_loop_keeps_within_the_pipeline, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_open_loop_that_is_ended_tells_what_never_left, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_errors_are_counted_and_keep_their_words, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_kind_ends_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_reply_ends_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reply_that_nobody_asked_for_ends_the_run, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_closed_connection_ends_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_connection_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_requests_leave_in_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_nothing_is_left_behind, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
