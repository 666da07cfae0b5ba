// SPDX-License-Identifier: Apache-2.0
/**
 * A service, one test a promise: the configuration's word for a route goes before the route's own,
 * that before the server's, that before the process's; a place that does not exist is told with the
 * route, and so is a rule for no route; requests find their routes and what else a path answers;
 * what a caller says of itself becomes its bid; errors have their statuses.
 */
#include "core/service/service.h"

#include "core/exec/exec.h"
#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

static struct fil_sim sim;
static struct fil_budget budget;
static struct fil_exec *exec;
static struct fil_service service;
static const struct fil_service_pool_plan plans[] = {
    {.name = "cpu", .thread_count = 1, .thread_max = 1, .capacity = 4},
    {.name = "block", .thread_count = 1, .thread_max = 3, .capacity = 4},
};

static struct fil_reply handler(struct fil_request *request)
{
    return fil_reply_text(request, 200, "done");
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    fil_budget_init(&budget, UINT64_C(1) << 30);
    struct fil_exec_options options = {
        .env = &sim.env, .budget = &budget, .partition_count = 1, .thread_count = 1};
    return fil_exec_new(&exec, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_service_fini(&service);
    fil_exec_free(exec);
    fil_sim_fini(&sim);
    return 0;
}

static void init(const char *run_on, const char *process_run_on, const char *route_run_on)
{
    fil_service_init(&service, &(struct fil_service_options){.env = &sim.env,
                                                             .exec = exec,
                                                             .run_on = run_on,
                                                             .process_run_on = process_run_on,
                                                             .route_run_on = route_run_on,
                                                             .pools = plans,
                                                             .pool_count = 2});
}

static struct fil_route *add(const char *pattern, const char *run_on)
{
    struct fil_route *route = NULL;
    struct fil_route_options options = {.run_on = run_on};
    assert_int_equal(fil_service_route(&service, pattern, handler, &options, &route), FIL_OK);
    return route;
}

static void assert_place(const struct fil_route *route, const char *pool, const char *reason)
{
    assert_string_equal(route->place_reason, reason);
    assert_int_equal(route->place, pool == NULL ? FIL_PLACE_LOOP : FIL_PLACE_POOL);
    if (pool != NULL) {
        assert_string_equal(route->pool->name, pool);
    }
}

static void test_nearest_word_places_a_route(void **state)
{
    (void)state;
    init("block", "cpu", " GET /a = loop ;; GET /b=cpu");
    struct fil_route *named = add("GET /a", "block");
    struct fil_route *moved = add("GET /b", NULL);
    struct fil_route *own = add("GET /c", "cpu");
    struct fil_route *plain = add("GET /d", NULL);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_place(named, NULL, "the configuration names the route");
    assert_place(moved, "cpu", "the configuration names the route");
    assert_place(own, "cpu", "the route says so");
    assert_place(plain, "block", "the server says so");
    assert_int_equal(service.pool_count, 2);
}

static void test_process_and_default_come_last(void **state)
{
    (void)state;
    init(NULL, "cpu", NULL);
    struct fil_route *route = add("GET /a", NULL);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_place(route, "cpu", "the configuration says so for all");
    fil_service_fini(&service);
    init("", "", "");
    route = add("GET /a", NULL);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    assert_place(route, NULL, "the default");
    assert_int_equal(service.pool_count, 0);
}

static void test_mistakes_are_told(void **state)
{
    (void)state;
    init(NULL, NULL, NULL);
    (void)add("GET /a", "gpu");
    assert_int_equal(fil_service_open(&service), FIL_E_CONFIG);
    assert_string_equal(service.problem,
                        "'GET /a' runs on 'gpu', which is neither loop nor a pool");
    fil_service_fini(&service);
    init(NULL, NULL, "GET /b=cpu");
    (void)add("GET /a", NULL);
    assert_int_equal(fil_service_open(&service), FIL_E_CONFIG);
    assert_string_equal(service.problem,
                        "service.routes names 'GET /b', which is no route: see /services");
    assert_int_equal(fil_service_route(&service, "GET /a", handler, NULL, NULL), FIL_E_EXISTS);
}

static struct fil_request make_request(enum fil_http_method method, const char *path)
{
    struct fil_request request;
    fil_request_init(&request);
    request.method = method;
    request.path = fil_bytes_of(path);
    return request;
}

static void test_request_finds_its_route(void **state)
{
    (void)state;
    init(NULL, NULL, NULL);
    struct fil_route *get = add("GET /a/{b}", NULL);
    struct fil_route *put = add("PUT /a/{b}", NULL);
    assert_int_equal(fil_service_open(&service), FIL_OK);
    struct fil_request request = make_request(FIL_HTTP_PUT, "/a/x%20y");
    assert_true(fil_service_find(&service, &request));
    assert_ptr_equal(request.route, put);
    assert_string_equal(fil_param(&request, "b"), "x y");
    assert_string_equal(fil_param(&request, "c"), "");
    request.method = FIL_HTTP_HEAD;
    assert_true(fil_service_find(&service, &request));
    assert_ptr_equal(request.route, get);
    request.method = FIL_HTTP_DELETE;
    assert_false(fil_service_find(&service, &request));
    fil_service_refuse_unknown(&request);
    assert_int_equal(request.reply.status, 405);
    assert_string_equal(request.reply.data, "this path answers GET, HEAD, PUT\n");
    fil_request_fini(&request);
}

static void test_caller_says_what_it_wants(void **state)
{
    (void)state;
    static const struct fil_http_header headers[] = {
        {{(const uint8_t *)"filbert-timeout-ms", 18}, {(const uint8_t *)"25", 2}},
        {{(const uint8_t *)"Filbert-Priority", 16}, {(const uint8_t *)"batch", 5}},
        {{(const uint8_t *)"Filbert-Tenant", 14}, {(const uint8_t *)"acme", 4}},
    };
    init(NULL, NULL, NULL);
    struct fil_route *route = add("GET /a", NULL);
    route->options.deadline_ms = 50;
    assert_int_equal(fil_service_open(&service), FIL_OK);
    struct fil_request request = make_request(FIL_HTTP_GET, "/a");
    request.headers = headers;
    request.header_count = 3;
    request.arrived_ns = 1000;
    assert_true(fil_service_find(&service, &request));
    assert_true(fil_service_dispatch(&request));
    assert_int_equal(request.deadline_ns, 25001000);
    assert_int_equal(request.job.bid.priority, FIL_PRIORITY_BATCH);
    assert_int_not_equal(request.job.bid.tenant, 0);
    assert_int_equal(request.reply.status, 200);
    assert_int_equal(fil_counter_read(&route->stats.classes[2]), 1);
    fil_request_fini(&request);
}

static void test_errors_have_their_statuses(void **state)
{
    (void)state;
    static const struct {
        int error;
        int status;
    } samples[] = {
        {FIL_E_INVALID, 400}, {FIL_E_NOT_FOUND, 404},   {FIL_E_EXISTS, 409}, {FIL_E_DENIED, 403},
        {FIL_E_LIMIT, 413},   {FIL_E_UNSUPPORTED, 501}, {FIL_E_FULL, 503},   {FIL_E_TIMEOUT, 504},
        {FIL_E_NOMEM, 503},   {FIL_E_CONFIG, 500},
    };
    init(NULL, NULL, NULL);
    struct fil_request request = make_request(FIL_HTTP_GET, "/");
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        assert_int_equal(fil_reply_error(&request, samples[i].error).status, samples[i].status);
    }
    fil_request_fini(&request);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nearest_word_places_a_route), TEST(process_and_default_come_last),
        TEST(mistakes_are_told),           TEST(request_finds_its_route),
        TEST(caller_says_what_it_wants),   TEST(errors_have_their_statuses),
    };
#undef TEST
    return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}
