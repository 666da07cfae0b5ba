// SPDX-License-Identifier: Apache-2.0
/**
 * Calls of services and the sink over HTTP, with a caller that answers when the test likes: under
 * all schedules of the kit each record is asked for and joined, in order or not, and never are more
 * under way than may be; paths and bodies are what the stage says; a missing answer is told from
 * one; what has failed is tried again after a pause where that is allowed, and fails the job
 * otherwise; a job that ends cancels what is under way; refused memory is an error.
 */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "flow/connector.h"
#include "flow/inquiries.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define COUNT       120U
#define CONCURRENCY 5U
#define TEXT_MAX    4096U

struct row {
    int64_t id;
    char name[8];
    int64_t value;
};

static const struct fil_field fields[] = {FIL_I64(struct row, id), FIL_TEXT(struct row, name),
                                          FIL_I64(struct row, value)};
static const struct fil_type type = FIL_TYPE(struct row, fields);
static const struct fil_field answer_fields[] = {{"value", FIL_FIELD_I64, 0, 8}};
static const struct fil_type answer_type = {"answer", 8, answer_fields, 1};
static struct row rows[COUNT];

/** How the service behaves. */
static struct {
    struct fil_outcall *under_way[CONCURRENCY];
    uint32_t count;
    uint32_t count_max;
    uint32_t started;
    uint32_t cancelled;
    struct fil_prng prng;
    uint32_t failures;     // of each request, before it is answered
    int status;            // of the failures; 0: no answer
    bool is_started;       // a server may have begun
    char target[TEXT_MAX]; // of the last request
    char body[TEXT_MAX];
    const char *kind;
    uint64_t delivered; // records in the bodies of requests that were answered
} service;

static void answer(struct fil_outcall *call)
{
    struct fil_inquiry *inquiry = FIL_CONTAINER_OF(call, struct fil_inquiry, call);
    call->error = FIL_OK;
    call->status = 200;
    call->is_started = false;
    if (inquiry->try_count <= service.failures) {
        call->status = service.status;
        call->error = service.status == 0 ? FIL_E_CLOSED : FIL_OK;
        call->is_started = service.is_started;
        return;
    }
    for (size_t i = 0; i < call->body.size; i++) {
        service.delivered += call->body.data[i] == '{';
    }
    if (call->room != NULL) {
        struct row row;
        memcpy(&row, inquiry->flight.record, sizeof(row));
        call->status = row.id % 5 == 0 ? 404 : 200;
        int size = snprintf((char *)call->room, call->room_size,
                            "{\"other\": [1], \"value\": %lld}", (long long)row.id * 10);
        call->content_size = (size_t)size;
    }
}

static int open_line(struct fil_caller *caller, const char *servers,
                     struct fil_caller_line **out_line)
{
    assert_string_equal(servers, "10.0.0.1:80");
    *out_line = fil_alloc(1);
    (void)caller;
    return *out_line == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void close_line(struct fil_caller_line *line)
{
    fil_free(line);
}

static int prepare(struct fil_caller_line *line, struct fil_outcall *call)
{
    assert_non_null(line);
    call->state = fil_alloc(1);
    return call->state == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void release(struct fil_outcall *call)
{
    fil_free(call->state);
    call->state = NULL;
}

static void start(struct fil_outcall *call)
{
    assert_true(service.count < CONCURRENCY);
    assert_true(call->target.size < TEXT_MAX && call->body.size < TEXT_MAX);
    service.under_way[service.count] = call;
    service.count++;
    service.count_max = service.count > service.count_max ? service.count : service.count_max;
    service.started++;
    memcpy(service.target, call->target.data, call->target.size);
    service.target[call->target.size] = '\0';
    memcpy(service.body, call->body.data, call->body.size);
    service.body[call->body.size] = '\0';
    service.kind = call->type;
}

static struct fil_outcall *remove_one(uint32_t place)
{
    struct fil_outcall *call = service.under_way[place];
    service.count--;
    service.under_way[place] = service.under_way[service.count];
    return call;
}

static void end_one(void)
{
    if (service.count > 0) {
        struct fil_outcall *call =
            remove_one((uint32_t)fil_prng_below(&service.prng, service.count));
        answer(call);
        call->done(call);
    }
}

static void cancel(struct fil_outcall *call)
{
    for (uint32_t i = 0; i < service.count; i++) {
        if (service.under_way[i] == call) {
            service.cancelled++;
            (void)remove_one(i);
            call->error = FIL_E_CANCELLED;
            call->done(call);
            return;
        }
    }
    fail_msg("it was not started");
}

static const struct fil_caller_ops caller_ops = {.open = open_line,
                                                 .close = close_line,
                                                 .prepare = prepare,
                                                 .release = release,
                                                 .start = start,
                                                 .cancel = cancel};
static struct fil_caller caller = {.ops = &caller_ops};
static struct fil_flow_grid grid = {.caller = &caller};
static struct fil_connection_request request;
static struct fil_connection connection;

static bool join(void *context, const void *record, const void *partner, void *out_record)
{
    (void)context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    row.value = -1;
    if (partner != NULL) {
        memcpy(&row.value, partner, sizeof(row.value));
    }
    memcpy(out_record, &row, sizeof(row));
    return true;
}

static int set_up(void **state)
{
    (void)state;
    memset(&service, 0, sizeof(service));
    fil_prng_init(&service.prng, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        rows[i] = (struct row){.id = i, .name = "a b"};
    }
    request =
        (struct fil_connection_request){.record_type = &type,
                                        .method = "POST",
                                        .parts = {{"/x/", 3, &fields[1]}, {"?id=", 4, &fields[0]}},
                                        .part_count = 2,
                                        .timeout_ns = 1000,
                                        .pause_ns = 2000,
                                        .pause_ns_max = 5000,
                                        .tries = 3,
                                        .batch = 1,
                                        .has_body = true};
    connection = (struct fil_connection){.kind = FIL_CONNECTION_CALL,
                                         .name = "10.0.0.1:80",
                                         .value_type = answer_type,
                                         .record_size = sizeof(struct row),
                                         .join = join,
                                         .partner_size = 8,
                                         .out_size = sizeof(struct row),
                                         .concurrency = CONCURRENCY,
                                         .request = &request,
                                         .grid = &grid};
    return 0;
}

static struct kit_case call_case(void)
{
    return (struct kit_case){.ops = &fil_service_call_ops,
                             .config = &connection,
                             .in_stride = sizeof(struct row),
                             .out_stride = sizeof(struct row),
                             .records = rows,
                             .count = COUNT,
                             .is_unordered = connection.is_unordered,
                             .between = end_one};
}

/** The sink's turn. */
static struct kit_case sink_case(uint32_t batch)
{
    connection.kind = FIL_CONNECTION_WRITE_HTTP;
    connection.partner_size = 0;
    request.batch = batch;
    request.part_count = 1;
    request.parts[0].field = NULL;
    return (struct kit_case){.ops = &fil_http_sink_ops,
                             .config = &connection,
                             .in_stride = sizeof(struct row),
                             .records = rows,
                             .count = COUNT,
                             .between = end_one};
}

static void check_calls(void)
{
    const struct kit_case each = call_case();
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, COUNT);
    assert_int_equal(service.count, 0);
    assert_int_equal(service.count_max, CONCURRENCY);
    bool is_seen[COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        struct row row;
        memcpy(&row, output.records + i * sizeof(row), sizeof(row));
        assert_true(connection.is_unordered || row.id == (int64_t)i);
        assert_false(is_seen[row.id]);
        is_seen[row.id] = true;
        assert_int_equal(row.value, row.id % 5 == 0 ? -1 : row.id * 10);
    }
    kit_output_fini(&output);
}

static void test_answers_are_joined_in_order(void **state)
{
    (void)state;
    check_calls();
    assert_string_equal(service.kind, "application/json");
}

static void test_answers_are_joined_as_they_come(void **state)
{
    (void)state;
    connection.is_unordered = true;
    check_calls();
}

static int run_once(const struct kit_case *each)
{
    const struct kit_schedule schedule = {.inbox_max = 16, .batch_records = 16};
    struct kit_output output;
    int error = kit_run(each, &schedule, &output);
    kit_output_fini(&output);
    return error;
}

static void test_paths_and_bodies_are_as_the_stage_says(void **state)
{
    (void)state;
    struct kit_case each = call_case();
    each.count = 1;
    rows[0] = (struct row){.id = -7, .name = "a/\"\xc3\xa4", .value = 3};
    assert_int_equal(run_once(&each), FIL_OK);
    assert_string_equal(service.target, "/x/a%2F%22%C3%A4?id=-7");
    assert_string_equal(service.body, "{\"id\":-7,\"name\":\"a/\\\"\xc3\xa4\",\"value\":3}");
    request.has_body = false;
    request.method = "GET";
    assert_int_equal(run_once(&each), FIL_OK);
    assert_string_equal(service.body, "");
}

static void test_what_has_failed_is_tried_again_after_a_pause(void **state)
{
    (void)state;
    service.failures = 2;
    service.status = 503;
    request.method = "PUT";
    check_calls();
    service.status = 0; // no answer at all
    service.is_started = true;
    check_calls();
    request.method = "POST"; // may be repeated when nothing was begun
    service.is_started = false;
    check_calls();
    service.is_started = true;
    request.may_repeat = true; // or when the job says so
    check_calls();
}

static void test_what_does_not_help_fails_the_job(void **state)
{
    (void)state;
    const struct kit_case each = call_case();
    service.failures = 1;
    service.status = 500;
    assert_int_equal(run_once(&each), FIL_E_IO); // POST: the server may have begun
    service.status = 0;
    service.is_started = true;
    assert_int_equal(run_once(&each), FIL_E_CLOSED);
    service.status = 400;
    assert_int_equal(run_once(&each), FIL_E_REFUSED);
    request.method = "GET";
    service.failures = 3; // as many as there are tries
    service.status = 502;
    assert_int_equal(run_once(&each), FIL_E_IO);
    service.status = 429;
    assert_int_equal(run_once(&each), FIL_E_IO);
}

static uint64_t delivered_before;

static void note_delivered(void)
{
    delivered_before = service.delivered;
}

static void check_delivered(void)
{
    assert_int_equal(service.delivered - delivered_before, COUNT);
}

static void test_sink_delivers_each_record(void **state)
{
    (void)state;
    const struct kit_case each = sink_case(1);
    struct kit_output output;
    kit_output_init(&output, 8);
    kit_check(&each, &output, note_delivered, check_delivered);
    kit_output_fini(&output);
    assert_int_equal(service.count_max, CONCURRENCY);
    assert_string_equal(service.kind, "application/json");
}

static void test_sink_delivers_batches(void **state)
{
    (void)state;
    struct kit_case each = sink_case(7);
    struct kit_output output;
    service.failures = 1;
    service.status = 429;
    kit_output_init(&output, 8);
    kit_check(&each, &output, note_delivered, check_delivered);
    kit_output_fini(&output);
    assert_string_equal(service.kind, "application/x-ndjson");
    each.count = 2;
    service.started = 0;
    assert_int_equal(run_once(&each), FIL_OK);
    assert_int_equal(service.started, 2); // one request, and its second try
    assert_string_equal(service.body, "{\"id\":0,\"name\":\"a b\",\"value\":0}\n"
                                      "{\"id\":1,\"name\":\"a b\",\"value\":0}\n");
}

static void test_missing_service_fails_the_sink(void **state)
{
    (void)state;
    const struct kit_case each = sink_case(1);
    service.failures = 1;
    service.status = 404;
    assert_int_equal(run_once(&each), FIL_E_REFUSED);
}

/** An instance with requests under way, without an engine. */
static struct fil_inquiries all;
static struct fil_budget budget;
static struct fil_processor_context context;

static int open_all(void)
{
    memset(&all, 0, sizeof(all));
    fil_budget_init(&budget, UINT64_C(1) << 24);
    context = (struct fil_processor_context){.budget = &budget, .now_ns = 1};
    return fil_inquiries_open(&all, &context, &connection);
}

static void ask(const struct row *row)
{
    struct fil_inquiry *inquiry = fil_inquiries_take(&all, row, 0);
    assert_non_null(inquiry);
    fil_inquiry_add(inquiry, row);
    fil_inquiry_send(inquiry);
}

static void test_job_that_ends_cancels_what_is_under_way(void **state)
{
    (void)state;
    assert_int_equal(open_all(), FIL_OK);
    service.failures = 1;
    service.status = 429;
    for (uint32_t i = 0; i < 3; i++) {
        ask(&rows[i]);
    }
    end_one(); // it pauses
    assert_int_equal(fil_inquiries_take_back(&all, &context), FIL_OK);
    assert_int_equal(context.tick_at_ns, 1 + request.pause_ns);
    assert_int_equal(service.count, 2);
    assert_int_equal(fil_inquiries_stop(&all, &context), FIL_OK);
    assert_int_equal(service.cancelled, 2);
    assert_int_equal(all.flight.out_count, 0);
    fil_inquiries_close(&all);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error == FIL_E_NOMEM && after < 100; after++) {
        fil_alloc_fail_after(after);
        error = open_all();
        fil_alloc_fail_after(-1);
        assert_int_equal(fil_inquiries_stop(&all, &context), FIL_OK);
        fil_inquiries_close(&all);
        assert_int_equal(fil_budget_drawn(&budget), 0);
    }
    assert_int_equal(error, FIL_OK);
}

static void test_without_a_caller_it_is_not_supported(void **state)
{
    (void)state;
    struct fil_flow_grid nobody = {0};
    connection.grid = &nobody;
    assert_int_equal(open_all(), FIL_E_UNSUPPORTED);
    fil_inquiries_close(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_answers_are_joined_in_order, set_up),
        cmocka_unit_test_setup(test_answers_are_joined_as_they_come, set_up),
        cmocka_unit_test_setup(test_paths_and_bodies_are_as_the_stage_says, set_up),
        cmocka_unit_test_setup(test_what_has_failed_is_tried_again_after_a_pause, set_up),
        cmocka_unit_test_setup(test_what_does_not_help_fails_the_job, set_up),
        cmocka_unit_test_setup(test_sink_delivers_each_record, set_up),
        cmocka_unit_test_setup(test_sink_delivers_batches, set_up),
        cmocka_unit_test_setup(test_missing_service_fails_the_sink, set_up),
        cmocka_unit_test_setup(test_job_that_ends_cancels_what_is_under_way, set_up),
        cmocka_unit_test_setup(test_refused_memory_is_an_error, set_up),
        cmocka_unit_test_setup(test_without_a_caller_it_is_not_supported, set_up),
    };
    return cmocka_run_group_tests_name("inquiries", tests, NULL, NULL);
}
