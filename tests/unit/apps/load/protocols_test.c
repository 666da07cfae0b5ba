// SPDX-License-Identifier: Apache-2.0
/**
 * Protocols of the generator: each tells its own null server's replies apart, in whatever pieces
 * they come; misses and errors are seen; numbered replies may come in any order; garbage is
 * refused; a whole run against the null server brings back every request.
 */
#include "apps/filbert/load/protocol.h"

#include <string.h>

#include "apps/filbert/load/client.h"
#include "apps/filbert/load/measure.h"
#include "apps/filbert/load/measure_plot.h"
#include "apps/filbert/load/measure_report.h"
#include "apps/filbert/load/null_server.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static const char *const names[] = {"resp", "memcached", "hazelcast", "http"};

static struct load_requests_options options_of(const char *name, enum load_command command)
{
    return (struct load_requests_options){
        .protocol = load_protocol_find(name),
        .command = command,
        .key_count = 1000,
        .key_size = 16,
        .value_size = 30,
        .key_batch = 1,
        .pipeline = 4,
    };
}

/** The replies in a text, given in pieces; the last reply is told. */
static int count_replies(const struct load_protocol *protocol, const char *text, size_t size,
                         size_t piece, struct load_reply *out_reply)
{
    struct load_replies replies = {0};
    int count = 0;
    for (size_t at = 0; at < size; at += piece) {
        struct fil_bytes bytes = fil_bytes_make(text + at, size - at < piece ? size - at : piece);
        int result = 0;
        while ((result = protocol->next(&replies, &bytes, out_reply)) == 1) {
            count++;
        }
        if (result < 0) {
            return result;
        }
    }
    return count;
}

static void test_replies_are_told_apart_in_any_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        for (enum load_command command = LOAD_GET; command <= LOAD_SET; command++) {
            struct load_requests_options options = options_of(names[i], command);
            const struct load_protocol *protocol = options.protocol;
            char text[1024];
            struct fil_writer writer;
            fil_writer_init(&writer, text, sizeof(text));
            protocol->answer(&writer, command, &options);
            protocol->answer(&writer, command, &options);
            for (size_t piece = 1; piece <= writer.size; piece++) {
                struct load_reply reply = {0};
                assert_int_equal(count_replies(protocol, text, writer.size, piece, &reply), 2);
                assert_int_not_equal(reply.kind, '-');
                assert_int_equal(reply.miss_count, 0);
            }
        }
    }
}

static void test_misses_and_errors_are_seen(void **state)
{
    (void)state;
    struct load_reply reply = {0};
    assert_int_equal(count_replies(&load_protocol_memcached, "END\r\n", 5, 2, &reply), 1);
    assert_int_equal(reply.miss_count, 1);
    assert_int_equal(count_replies(&load_protocol_memcached, "SERVER_ERROR x\r\n", 16, 3, &reply),
                     1);
    assert_int_equal(reply.kind, '-');
    static const char missing[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno";
    assert_int_equal(count_replies(&load_protocol_http, missing, sizeof(missing) - 1, 5, &reply),
                     1);
    assert_int_equal(reply.miss_count, 1);
    static const char broken[] = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";
    assert_int_equal(count_replies(&load_protocol_http, broken, sizeof(broken) - 1, 5, &reply), 1);
    assert_int_equal(reply.kind, '-');
    // A null answers a get of the client protocol.
    static const char null_reply[] = "\x13\0\0\0\0\xc0\x01\x02\x01\0\x07\0\0\0\0\0\0\0\0"
                                     "\x06\0\0\0\0\x24";
    assert_int_equal(
        count_replies(&load_protocol_hazelcast, null_reply, sizeof(null_reply) - 1, 4, &reply), 1);
    assert_int_equal(reply.miss_count, 1);
    assert_int_equal(reply.number, 7);
}

static void test_garbage_is_refused(void **state)
{
    (void)state;
    struct load_reply reply = {0};
    static const char text[] = "this is nothing that anybody would say to a client\r\n";
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        assert_int_equal(
            count_replies(load_protocol_find(names[i]), text, sizeof(text) - 1, 7, &reply),
            FIL_E_MALFORMED);
    }
    assert_null(load_protocol_find("gopher"));
}

static void test_numbered_replies_may_come_in_any_order(void **state)
{
    (void)state;
    struct load_pending ring[8];
    struct load_pending pending;
    struct load_client client = {.pending = ring, .pending_mask = 7, .first = 6};
    for (uint64_t i = 0; i < 4; i++) {
        load_client_push(&client, (struct load_pending){.due_ns = 100 + i});
    }
    assert_true(load_client_take_number(&client, 8, &pending));
    assert_int_equal(pending.due_ns, 102);
    assert_false(load_client_take_number(&client, 8, &pending));  // twice
    assert_false(load_client_take_number(&client, 5, &pending));  // before all
    assert_false(load_client_take_number(&client, 10, &pending)); // behind all
    assert_int_equal(client.span, 4);
    assert_true(load_client_take_number(&client, 6, &pending));
    assert_true(load_client_take_number(&client, 7, &pending));
    assert_int_equal(client.span, 1); // the gap is closed
    assert_int_equal(client.in_flight, 1);
    assert_true(load_client_take_number(&client, 9, &pending));
    assert_int_equal(client.span, 0);
}

static void test_runs_against_the_null_server_lose_nothing(void **state)
{
    (void)state;
    struct load_measure_summary *summary = fil_alloc_zero(1, sizeof(*summary));
    assert_non_null(summary);
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        struct load_null_server *server = NULL;
        struct load_measure_options options = {
            .requests = options_of(names[i], LOAD_GET),
            .connection_count = 3,
            .thread_count = 1,
            .request_count = 1000,
        };
        assert_int_equal(load_null_server_start(&server, fil_env_real(), &options.requests),
                         FIL_OK);
        options.address = load_null_server_address(server);
        assert_int_equal(load_measure_run(&options, fil_env_real(), summary), FIL_OK);
        assert_int_equal(summary->reply_count, 1000);
        assert_int_equal(summary->error_count, 0);
        (void)load_null_server_stop(server);
    }
    struct load_requests_options mixed = options_of("resp", LOAD_MIXED);
    struct load_null_server *server = NULL;
    assert_int_equal(load_null_server_start(&server, fil_env_real(), &mixed), FIL_E_UNSUPPORTED);
    fil_free(summary);
}

static void test_pictures_and_ratios_are_written(void **state)
{
    (void)state;
    struct load_measure_summary *summaries = fil_alloc_zero(2, sizeof(*summaries));
    char *text = fil_alloc(65536);
    assert_true(summaries != NULL && text != NULL);
    for (uint64_t i = 0; i < 2; i++) {
        fil_histogram_init(&summaries[i].latency_ns);
        fil_histogram_record_many(&summaries[i].latency_ns, 1000000 * (i + 1), 1000);
        summaries[i].reply_count = 1000;
        summaries[i].elapsed_ns = 1000000000 / (2 - i);
    }
    struct fil_writer writer;
    struct load_plot_line lines[2] = {{"a", &summaries[0].latency_ns},
                                      {"b", &summaries[1].latency_ns}};
    fil_writer_init(&writer, text, 65536);
    load_measure_plot(lines, 2, "t", &writer);
    assert_false(writer.is_full);
    assert_non_null(strstr(fil_writer_terminate(&writer), "<polyline"));
    fil_writer_init(&writer, text, 65536);
    load_measure_report_ratios("a", "b", summaries, true, &writer);
    assert_non_null(strstr(fil_writer_terminate(&writer), "\"ops_ratio\": 2.0000"));
    fil_writer_init(&writer, text, 65536);
    load_measure_report_ratios("a", "b", summaries, false, &writer);
    assert_non_null(strstr(fil_writer_terminate(&writer), "ops/s"));
    load_measure_add(&summaries[0], &summaries[1]);
    assert_int_equal(summaries[0].reply_count, 2000);
    fil_free(text);
    fil_free(summaries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies_are_told_apart_in_any_pieces),
        cmocka_unit_test(test_misses_and_errors_are_seen),
        cmocka_unit_test(test_garbage_is_refused),
        cmocka_unit_test(test_numbered_replies_may_come_in_any_order),
        cmocka_unit_test(test_runs_against_the_null_server_lose_nothing),
        cmocka_unit_test(test_pictures_and_ratios_are_written),
    };
    return cmocka_run_group_tests_name("protocols", tests, NULL, NULL);
}
