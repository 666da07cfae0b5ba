// SPDX-License-Identifier: Apache-2.0
/**
 * Routes, one test a promise: a pattern matches the paths it describes and no others, parameters
 * are the segments as they were sent, a star takes the rest; GET is HEAD's too; patterns that mean
 * nothing are refused; answers are counted by class and time; failing memory is told.
 */
#include "core/service/route.h"

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static struct fil_reply handler(struct fil_request *request)
{
    (void)request;
    return (struct fil_reply){.status = 200};
}

static struct fil_route *make(const char *pattern)
{
    struct fil_route *route = NULL;
    assert_int_equal(fil_route_new(&route, pattern, handler, NULL), FIL_OK);
    return route;
}

static bool matches(const char *pattern, const char *path, const char *first_param)
{
    struct fil_route *route = make(pattern);
    struct fil_bytes params[FIL_ROUTE_PARAMS_MAX] = {0};
    bool is_match = fil_route_match(route, fil_bytes_of(path), params);
    if (is_match && first_param != NULL) {
        assert_true(fil_bytes_equal_text(params[0], first_param));
    }
    fil_route_free(route);
    return is_match;
}

static void test_patterns_match_what_they_describe(void **state)
{
    (void)state;
    assert_true(matches("GET /", "/", NULL));
    assert_false(matches("GET /", "//", NULL));
    assert_true(matches("GET /a/b", "/a/b", NULL));
    assert_false(matches("GET /a/b", "/a/b/", NULL));
    assert_true(matches("GET /users/{id}", "/users/7%2F8", "7%2F8"));
    assert_false(matches("GET /users/{id}", "/users/", NULL));
    assert_false(matches("GET /users/{id}", "/users/7/8", NULL));
    assert_false(matches("GET /users/{id}", "/users", NULL));
    assert_true(matches("GET /{a}/x", "/q/x", "q"));
    assert_false(matches("GET /{a}/x", "/q/y", NULL));
    assert_true(matches("GET /files/*", "/files/a/b", "a/b"));
    assert_true(matches("GET /files/*", "/files/", ""));
    assert_false(matches("GET /files/*", "/files", NULL));
}

static void test_parameters_are_found_by_name(void **state)
{
    (void)state;
    struct fil_route *route = make("PUT /v1/maps/{name}/{key}/*");
    assert_int_equal(fil_route_param_index(route, "name"), 0);
    assert_int_equal(fil_route_param_index(route, "key"), 1);
    assert_int_equal(fil_route_param_index(route, "*"), 2);
    assert_int_equal(fil_route_param_index(route, "v1"), -1);
    assert_int_equal(route->method, FIL_HTTP_PUT);
    fil_route_free(route);
}

static void test_get_answers_head_too(void **state)
{
    (void)state;
    struct fil_route *route = make("GET /a");
    assert_true(fil_route_has_method(route, FIL_HTTP_HEAD));
    assert_true(fil_route_has_method(route, FIL_HTTP_GET));
    assert_false(fil_route_has_method(route, FIL_HTTP_POST));
    fil_route_free(route);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "",
        "GET",
        "GET ",
        "GET a",
        "FETCH /a",
        "get /a",
        "GET /{}",
        "GET /{a",
        "GET /a}",
        "GET /*/a",
        "GET  /a",
        "GET /a/{b}c{",
        "GET /{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}",
    };
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct fil_route *route = NULL;
        assert_int_equal(fil_route_new(&route, patterns[i], handler, NULL), FIL_E_INVALID);
        assert_null(route);
    }
}

static void test_answers_are_counted(void **state)
{
    (void)state;
    struct fil_route *route = make("GET /a");
    fil_route_count(route, 204, 999);
    fil_route_count(route, 404, 1000);
    fil_route_count(route, 503, UINT64_MAX - 1);
    fil_route_count(route, 503, FIL_ROUTE_UNTIMED);
    assert_int_equal(fil_counter_read(&route->stats.classes[2]), 1);
    assert_int_equal(fil_counter_read(&route->stats.classes[4]), 1);
    assert_int_equal(fil_counter_read(&route->stats.classes[5]), 2);
    assert_int_equal(fil_route_answers(route), 4);
    assert_int_equal(fil_counter_read(&route->stats.latencies[0]), 1);
    assert_int_equal(fil_counter_read(&route->stats.latencies[1]), 1);
    assert_int_equal(fil_counter_read(&route->stats.latencies[FIL_ROUTE_LATENCIES - 1]), 1);
    fil_route_free(route);
}

static void test_failing_memory_is_told(void **state)
{
    (void)state;
    struct fil_route *route = NULL;
    for (int position = 0; position < 2; position++) {
        fil_alloc_fail_after(position);
        assert_int_equal(fil_route_new(&route, "GET /a", handler, NULL), FIL_E_NOMEM);
        fil_alloc_fail_after(-1);
    }
    fil_route_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns_match_what_they_describe),
        cmocka_unit_test(test_parameters_are_found_by_name),
        cmocka_unit_test(test_get_answers_head_too),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_answers_are_counted),
        cmocka_unit_test(test_failing_memory_is_told),
    };
    return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
