// SPDX-License-Identifier: Apache-2.0
/**
 * Filters, one test a promise: they are entered in order and left in the opposite one, each with
 * bytes of its own; who answers in the handler's place is left too, and those behind it are not
 * entered; limits count down whatever becomes of a request; a rate has its burst; a breaker opens,
 * probes and closes; a timeout brings the deadline nearer; a token is needed where one is asked
 * for; a trace goes on; a handler that has failed runs again as far as tries, method, deadline and
 * budget go, and its first answer leaves nothing behind; what passes a place is counted and timed
 * there; the configuration's mistakes are told; memory that is out is survived.
 */
#include "core/service/filter.h"

#include <string.h>

#include "core/exec/exec.h"
#include "core/service/service.h"
#include "lib/base/alloc.h"
#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

#define MS UINT64_C(1000000)

static struct fil_sim sim;
static struct fil_budget budget;
static struct fil_exec *exec;
static struct fil_service service;
static struct fil_request request;
static int handler_status;
static uint32_t handled;
static char trail[64];

static struct fil_reply handle(struct fil_request *asked)
{
    handled++;
    return fil_reply_text(asked, handler_status, "done");
}

static int set_up(void **state)
{
    (void)state;
    handler_status = 200;
    handled = 0;
    trail[0] = '\0';
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    fil_budget_init(&budget, UINT64_C(1) << 30);
    struct fil_exec_options options = {
        .env = &sim.env, .budget = &budget, .partition_count = 1, .thread_count = 1};
    fil_request_init(&request);
    return fil_exec_new(&exec, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_request_fini(&request);
    fil_service_fini(&service);
    fil_exec_free(exec);
    fil_sim_fini(&sim);
    return 0;
}

static void open_with(const char *filters)
{
    fil_service_init(
        &service, &(struct fil_service_options){.env = &sim.env, .exec = exec, .filters = filters});
    assert_int_equal(fil_service_route(&service, "GET /a", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /b", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
}

/** Begins a request; returns the status of its answer. */
static int ask(const char *path, const char *name, const char *value)
{
    struct fil_http_header header = {.name = fil_bytes_of(name == NULL ? "x" : name),
                                     .value = fil_bytes_of(name == NULL ? "y" : value)};
    fil_request_reset(&request);
    request.method = FIL_HTTP_GET;
    request.path = fil_bytes_of(path);
    request.headers = &header;
    request.header_count = 1;
    request.arrived_ns = sim.now_ns;
    assert_true(fil_service_find(&service, &request));
    assert_true(fil_service_dispatch(&request));
    request.headers = NULL;
    request.header_count = 0;
    return request.reply.status;
}

static const char *answer_header(const char *name)
{
    for (struct fil_request_header *header = request.first_header; header != NULL;
         header = header->next) {
        if (fil_bytes_equal_text(header->name, name)) {
            return (const char *)header->value.data;
        }
    }
    return "";
}

struct mark {
    char enter;
    char leave;
    bool answers;
};

static void leave_mark(char letter)
{
    size_t size = strlen(trail);
    assert_true(size + 1 < sizeof(trail));
    trail[size] = letter;
    trail[size + 1] = '\0';
}

static struct fil_reply enter_mark(void *context, struct fil_request *asked, void *state)
{
    const struct mark *mark = context;
    char *mine = state;
    assert_int_equal(*mine, 0);
    *mine = mark->leave;
    leave_mark(mark->enter);
    return mark->answers ? fil_reply_text(asked, 418, "no") : fil_reply_next();
}

static struct fil_reply leave_marked(void *context, struct fil_request *asked, void *state,
                                     struct fil_reply reply)
{
    (void)context;
    (void)asked;
    leave_mark(*(char *)state);
    return reply;
}

static void add_mark(struct mark *mark, const char *pattern)
{
    struct fil_filter filter = {.name = "mark",
                                .state_bytes = 1,
                                .context = mark,
                                .enter = enter_mark,
                                .leave = leave_marked};
    struct fil_filter_link *link = NULL;
    assert_int_equal(fil_filter_link_new(&link, &filter, filter.name), FIL_OK);
    assert_int_equal(fil_service_add_filter(&service, pattern, link), FIL_OK);
}

static void test_filters_are_left_in_the_opposite_order(void **state)
{
    (void)state;
    static struct mark all = {'a', 'A', false};
    static struct mark first = {'b', 'B', false};
    static struct mark second = {'c', 'C', false};
    fil_service_init(&service, &(struct fil_service_options){.env = &sim.env, .exec = exec});
    assert_int_equal(fil_service_route(&service, "GET /a", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /b", handle, NULL, NULL), FIL_OK);
    add_mark(&first, "GET /a");
    add_mark(&all, NULL); // all routes first, whenever it was added
    add_mark(&second, "GET /a");
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_string_equal(trail, "abcCBA");
    trail[0] = '\0';
    assert_int_equal(ask("/b", NULL, NULL), 200);
    assert_string_equal(trail, "aA");
}

static void test_who_answers_is_left_and_those_behind_are_not_entered(void **state)
{
    (void)state;
    static struct mark outer = {'a', 'A', false};
    static struct mark stubborn = {'b', 'B', true};
    static struct mark inner = {'c', 'C', false};
    fil_service_init(&service, &(struct fil_service_options){.env = &sim.env, .exec = exec});
    assert_int_equal(fil_service_route(&service, "GET /a", handle, NULL, NULL), FIL_OK);
    add_mark(&outer, NULL);
    add_mark(&stubborn, NULL);
    add_mark(&inner, NULL);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_int_equal(ask("/a", NULL, NULL), 418);
    assert_string_equal(trail, "abBA");
    assert_int_equal(handled, 0);
    assert_int_equal(fil_counter_read(&service.filters[1]->answered), 1);
}

static void test_rate_has_a_burst_and_then_an_even_pace(void **state)
{
    (void)state;
    open_with("GET /a: rate=100");
    fil_sim_advance(&sim, 1000 * MS);
    uint32_t through = 0;
    while (ask("/a", NULL, NULL) == 200) {
        through++;
    }
    assert_int_equal(request.reply.status, 429);
    assert_string_equal(answer_header("Retry-After"), "1");
    assert_in_range(through, 10, 12); // a tenth of a second's
    assert_int_equal(ask("/b", NULL, NULL), 200);
    fil_sim_advance(&sim, 10 * MS);
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_int_equal(ask("/a", NULL, NULL), 429);
}

static void test_limit_counts_down_whatever_happens(void **state)
{
    (void)state;
    open_with("*: limit=1; GET /a: auth=sesame");
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(ask("/a", NULL, NULL), 401); // refused behind the limit
        assert_int_equal(ask("/b", NULL, NULL), 200);
    }
    handler_status = 500;
    assert_int_equal(ask("/b", NULL, NULL), 500);
    handler_status = 200;
    assert_int_equal(ask("/b", NULL, NULL), 200);
}

static struct fil_request *inner_request;

static struct fil_reply handle_nested(struct fil_request *asked)
{
    // While this one is under way, another asks.
    fil_request_init(inner_request);
    inner_request->method = FIL_HTTP_GET;
    inner_request->path = fil_bytes_of("/b");
    assert_true(fil_service_find(&service, inner_request));
    assert_true(fil_service_dispatch(inner_request));
    return fil_reply_text(asked, 200, "done");
}

static void test_limit_refuses_one_too_many(void **state)
{
    (void)state;
    struct fil_request other;
    inner_request = &other;
    fil_service_init(&service, &(struct fil_service_options){
                                   .env = &sim.env, .exec = exec, .filters = "*: limit=1"});
    assert_int_equal(fil_service_route(&service, "GET /a", handle_nested, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /b", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_int_equal(other.reply.status, 503);
    assert_int_equal(handled, 0);
    fil_request_fini(&other);
    assert_int_equal(ask("/b", NULL, NULL), 200);
}

static void test_breaker_opens_probes_and_closes(void **state)
{
    (void)state;
    open_with("GET /a: breaker=3");
    handler_status = 500;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(ask("/a", NULL, NULL), 500);
    }
    assert_int_equal(ask("/a", NULL, NULL), 503);
    assert_string_equal(answer_header("Filbert-Nack"), "breaker");
    assert_int_equal(handled, 3);
    fil_sim_advance(&sim, 5000 * MS);
    assert_int_equal(ask("/a", NULL, NULL), 500); // the probe
    assert_int_equal(ask("/a", NULL, NULL), 503);
    fil_sim_advance(&sim, 5000 * MS);
    assert_int_equal(ask("/a", NULL, NULL), 503); // twice as long now
    fil_sim_advance(&sim, 5000 * MS);
    handler_status = 200;
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_int_equal(ask("/a", NULL, NULL), 200);
}

static void test_timeout_brings_the_deadline_nearer(void **state)
{
    (void)state;
    open_with("GET /a: timeout=200ms");
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_int_equal(request.deadline_ns, sim.now_ns + 200 * MS);
    assert_int_equal(request.job.bid.deadline_ns, request.deadline_ns);
    assert_int_equal(ask("/a", "Filbert-Timeout-Ms", "50"), 200);
    assert_int_equal(request.deadline_ns, sim.now_ns + 50 * MS);
}

static void test_token_is_needed(void **state)
{
    (void)state;
    open_with("GET /a: auth=sesame");
    assert_int_equal(ask("/a", NULL, NULL), 401);
    assert_string_equal(answer_header("WWW-Authenticate"), "Bearer");
    assert_int_equal(ask("/a", "Authorization", "Bearer sesamE"), 401);
    assert_int_equal(ask("/a", "Authorization", "Bearer sesame1"), 401);
    assert_int_equal(ask("/a", "Authorization", "Basic sesame"), 401);
    assert_int_equal(ask("/a", "Authorization", "Bearer sesame"), 200);
    // What a page shows holds no secret.
    assert_string_equal(service.filters[0]->text, "auth");
}

static void test_trace_goes_on(void **state)
{
    (void)state;
    open_with("*: trace");
    static const char sent[] = "00-0123456789abcdef0123456789abcdef-00f067aa0ba902b7-01";
    assert_int_equal(ask("/a", "traceparent", sent), 200);
    assert_memory_equal(answer_header("traceparent"), sent, 35);
    assert_memory_not_equal(answer_header("traceparent"), sent, 52);
    assert_int_equal(ask("/a", "traceparent", "nonsense"), 200);
    assert_int_equal(strlen(answer_header("traceparent")), sizeof(sent) - 1);
}

static struct fil_reply handle_long(struct fil_request *asked)
{
    static char text[4096];
    memset(text, 'x', sizeof(text));
    (void)fil_reply_header(asked, "ETag", "\"a\"");
    return fil_reply_bytes(200, "text/plain", text, sizeof(text));
}

static void test_compression_needs_memory_only_to_be_smaller(void **state)
{
    (void)state;
    open_with("*: gzip");
    service.routes[0]->handler = handle_long;
    assert_int_equal(ask("/a", "Accept-Encoding", "gzip"), 200);
    assert_true(request.reply.size < 200);
    assert_memory_equal(request.reply.data, "\x1f\x8b", 2);
    assert_memory_equal(answer_header("Content-Encoding"), "gzip", 4);
    assert_memory_equal(answer_header("ETag"), "W/\"a\"", 5);
    uint32_t plain = 0;
    for (int64_t i = 0; i < 8; i++) {
        fil_alloc_fail_after(i);
        assert_int_equal(ask("/a", "Accept-Encoding", "gzip"), 200);
        fil_alloc_fail_after(-1);
        plain += request.reply.size == 4096;
    }
    assert_true(plain > 0);
    assert_int_equal(ask("/a", "Accept-Encoding", "br"), 200);
    assert_int_equal(request.reply.size, 4096);
    assert_memory_equal(answer_header("Vary"), "Accept-Encoding", 15);
}

static void test_compression_moves_a_route_off_the_loop(void **state)
{
    (void)state;
    struct fil_service_pool_plan plan = {
        .name = "cpu", .thread_count = 1, .thread_max = 1, .capacity = 8};
    fil_service_init(&service, &(struct fil_service_options){.env = &sim.env,
                                                             .exec = exec,
                                                             .pools = &plan,
                                                             .pool_count = 1,
                                                             .filters = "GET /a: gzip"});
    assert_int_equal(fil_service_route(&service, "GET /a", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_route(&service, "GET /b", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_int_equal(service.routes[0]->place, FIL_PLACE_POOL);
    assert_string_equal(service.routes[0]->place_reason, "its answers are compressed");
    assert_int_equal(service.routes[1]->place, FIL_PLACE_LOOP);
}

static uint32_t failures_left;

static struct fil_reply handle_at_last(struct fil_request *asked)
{
    handled++;
    fil_sim_advance(&sim, 10 * MS);
    if (failures_left > 0) {
        failures_left--;
        (void)fil_reply_header(asked, "Failed", "yes");
        return fil_reply_text(asked, 500, "not yet");
    }
    return fil_reply_text(asked, 200, "done");
}

static void test_retry_runs_what_has_failed_again(void **state)
{
    (void)state;
    open_with("GET /a: trace, retry=3");
    service.routes[0]->handler = handle_at_last;
    failures_left = 2;
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_int_equal(handled, 3);
    assert_string_equal(answer_header("Failed"), "");
    assert_int_not_equal(strlen(answer_header("traceparent")), 0);
    assert_int_equal(request.reply_header_count, 1);
    assert_int_equal(fil_counter_read(&service.filters[1]->retries->granted), 2);
    failures_left = 5;
    assert_int_equal(ask("/a", NULL, NULL), 500); // three tries in all
    assert_int_equal(failures_left, 2);
    assert_memory_equal(answer_header("Failed"), "yes", 3);
    handled = 0;
    assert_int_equal(ask("/a", "Filbert-Timeout-Ms", "15"), 500); // the time is over
    assert_int_equal(handled, 2);
    assert_int_equal(failures_left, 0);
}

static void test_retry_leaves_alone_what_may_not_run_twice(void **state)
{
    (void)state;
    fil_service_init(&service, &(struct fil_service_options){
                                   .env = &sim.env, .exec = exec, .filters = "*: retry=3"});
    assert_int_equal(fil_service_route(&service, "POST /a", handle, NULL, NULL), FIL_OK);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    handler_status = 500;
    fil_request_reset(&request);
    request.method = FIL_HTTP_POST;
    request.path = fil_bytes_of("/a");
    assert_true(fil_service_find(&service, &request));
    assert_true(fil_service_dispatch(&request));
    assert_int_equal(request.reply.status, 500);
    assert_int_equal(handled, 1);
}

static void test_retries_end_with_their_budget(void **state)
{
    (void)state;
    open_with("GET /a: retry=10");
    handler_status = 503;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(ask("/a", NULL, NULL), 503);
    }
    const struct fil_retry_budget *budget_of = service.filters[0]->retries;
    // Ten are there at first, ten for the second before, then a fifth of the requests.
    assert_int_equal(fil_counter_read(&budget_of->granted), 40);
    assert_int_equal(handled, 100 + fil_counter_read(&budget_of->granted));
    assert_true(fil_counter_read(&budget_of->refused) > 0);
}

static void test_metrics_are_of_their_place(void **state)
{
    (void)state;
    open_with("*: metrics=all; GET /a: rate=1, metrics=behind-rate");
    service.routes[0]->handler = handle_at_last;
    fil_sim_advance(&sim, 1000 * MS);
    assert_int_equal(ask("/a", NULL, NULL), 200);
    assert_int_equal(ask("/b", NULL, NULL), 200);
    while (ask("/a", NULL, NULL) == 200) {
    }
    const struct fil_filter_meter *all = service.filters[0]->meter;
    const struct fil_filter_meter *behind = service.filters[2]->meter;
    assert_string_equal(service.filters[2]->name, "behind-rate");
    assert_int_equal(fil_counter_read(&all->classes[4]), 1);
    assert_int_equal(fil_counter_read(&behind->classes[4]), 0);
    assert_int_equal(fil_counter_read(&all->classes[2]), fil_counter_read(&behind->classes[2]) + 1);
    assert_int_equal(all->in_flight, 0);
    assert_int_equal(fil_histogram_count(&behind->took_ns), fil_counter_read(&behind->classes[2]));
    assert_int_equal(fil_histogram_min(&behind->took_ns), 10 * MS);
}

static void test_mistakes_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *filters;
        const char *problem;
    } samples[] = {
        {"log", "service.filters: 'log' is not 'route: filter, filter', as in '*: log'"},
        {"*: lgo", "service.filters: 'lgo' is none of timeout, limit, rate, retry, breaker, shed, "
                   "auth, metrics, gzip, log, trace"},
        {"*: retry=1", "service.filters: 'retry' takes tries in all, from 2 to 10, as in retry=3"},
        {"*: metrics=A", "service.filters: 'metrics' takes a name of a-z, 0-9, _ and -, as in "
                         "metrics=checkout"},
        {"*: metrics=a, log, metrics=a", "service.filters: '*' has 'metrics=a' twice"},
        {"GET /a: retry=2, retry=3", "service.filters: 'GET /a' has 'retry=3' twice"},
        {"*: rate", "service.filters: 'rate' takes how many a second, as in rate=100"},
        {"*: rate=0", "service.filters: 'rate' takes how many a second, as in rate=100"},
        {"*: log=1", "service.filters: 'log' takes nothing"},
        {"*: timeout=soon", "service.filters: 'timeout' takes a duration, as in timeout=200ms"},
        {"*: shed=all", "service.filters: 'shed' takes batch or normal, as in shed=batch"},
        {"GET /x: log", "the filter 'log' is for 'GET /x', which is no route: see /services"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(samples); i++) {
        fil_service_init(&service, &(struct fil_service_options){.env = &sim.env,
                                                                 .exec = exec,
                                                                 .filters = samples[i].filters});
        assert_int_equal(fil_service_route(&service, "GET /a", handle, NULL, NULL), FIL_OK);
        assert_int_equal(fil_service_open(&service), FIL_E_CONFIG);
        assert_string_equal(service.problem, samples[i].problem);
        fil_service_fini(&service);
    }
    open_with("");
}

static void test_memory_that_is_out_is_survived(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error != FIL_OK; after++) {
        assert_true(after < 32);
        fil_service_init(&service, &(struct fil_service_options){.env = &sim.env,
                                                                 .exec = exec,
                                                                 .filters = "*: log, trace, "
                                                                            "metrics=a"});
        assert_int_equal(fil_service_route(&service, "GET /a", handle, NULL, NULL), FIL_OK);
        fil_alloc_fail_after(after);
        error = fil_service_open(&service);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        if (error != FIL_OK) {
            fil_service_fini(&service);
        }
    }
    fil_alloc_fail_after(0);
    int status = ask("/a", NULL, NULL);
    fil_alloc_fail_after(-1);
    assert_int_equal(status, 503);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(filters_are_left_in_the_opposite_order),
        TEST(who_answers_is_left_and_those_behind_are_not_entered),
        TEST(rate_has_a_burst_and_then_an_even_pace),
        TEST(limit_counts_down_whatever_happens),
        TEST(limit_refuses_one_too_many),
        TEST(breaker_opens_probes_and_closes),
        TEST(timeout_brings_the_deadline_nearer),
        TEST(token_is_needed),
        TEST(trace_goes_on),
        TEST(compression_needs_memory_only_to_be_smaller),
        TEST(compression_moves_a_route_off_the_loop),
        TEST(retry_runs_what_has_failed_again),
        TEST(retry_leaves_alone_what_may_not_run_twice),
        TEST(retries_end_with_their_budget),
        TEST(metrics_are_of_their_place),
        TEST(mistakes_are_told),
        TEST(memory_that_is_out_is_survived),
    };
#undef TEST
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
