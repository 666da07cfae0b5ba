// SPDX-License-Identifier: Apache-2.0
/**
 * The index of routes, one test a promise: a route without parameters is found by its path and
 * method, GET's by HEAD too, however many there are; one that an earlier route with parameters
 * hides is not in it; of two for the same request the earlier one is found.
 */
#include "core/service/route_index.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/harness.h"

#define MANY 256U

static struct fil_route_index route_index;
static struct fil_route *routes[MANY];
static uint32_t route_count;

static struct fil_reply handler(struct fil_request *request)
{
    (void)request;
    return (struct fil_reply){.status = 200};
}

static int set_up(void **state)
{
    (void)state;
    route_index = (struct fil_route_index){0};
    route_count = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < route_count; i++) {
        fil_route_free(routes[i]);
    }
    return 0;
}

static void add(const char *pattern)
{
    assert_int_equal(fil_route_new(&routes[route_count], pattern, handler, NULL), FIL_OK);
    fil_route_index_add(&route_index, routes[route_count], routes, route_count);
    route_count++;
}

static const struct fil_route *find(enum fil_http_method method, const char *path)
{
    return fil_route_index_find(&route_index, fil_bytes_of(path), method);
}

static void test_path_and_method_find_the_route(void **state)
{
    (void)state;
    add("GET /");
    add("GET /hello");
    add("PUT /hello");
    assert_ptr_equal(find(FIL_HTTP_GET, "/"), routes[0]);
    assert_ptr_equal(find(FIL_HTTP_GET, "/hello"), routes[1]);
    assert_ptr_equal(find(FIL_HTTP_HEAD, "/hello"), routes[1]);
    assert_ptr_equal(find(FIL_HTTP_PUT, "/hello"), routes[2]);
    assert_null(find(FIL_HTTP_DELETE, "/hello"));
    assert_null(find(FIL_HTTP_GET, "/hello/"));
    assert_null(find(FIL_HTTP_GET, ""));
}

static void test_many_routes_are_all_found(void **state)
{
    (void)state;
    char pattern[64];
    for (uint32_t i = 0; i < MANY; i++) {
        // The first and the last bytes are the same: they meet in one place.
        (void)snprintf(pattern, sizeof(pattern), "GET /the/same/%04u/at/both/ends", i);
        add(pattern);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(pattern, sizeof(pattern), "/the/same/%04u/at/both/ends", i);
        assert_ptr_equal(find(FIL_HTTP_GET, pattern), routes[i]);
    }
    assert_null(find(FIL_HTTP_GET, "/the/same/9999/at/both/ends"));
}

static void test_paths_of_all_sizes_are_found(void **state)
{
    (void)state;
    static const char letters[] = "GET /abcdefghijklmnopq";
    char pattern[sizeof(letters)] = {0};
    for (size_t size = sizeof("GET /") - 1; size < sizeof(letters); size++) {
        memcpy(pattern, letters, size);
        add(pattern);
        assert_ptr_equal(find(FIL_HTTP_GET, pattern + 4), routes[route_count - 1]);
        pattern[size - 1] = 'z';
        assert_null(find(FIL_HTTP_GET, pattern + 4));
    }
}

static void test_hidden_routes_are_left_to_the_order(void **state)
{
    (void)state;
    add("GET /users/{id}");
    add("GET /users/me");
    add("GET /users/me/photo");
    add("GET /groups/all");
    add("GET /groups/{id}");
    assert_null(find(FIL_HTTP_GET, "/users/me"));
    assert_ptr_equal(find(FIL_HTTP_GET, "/users/me/photo"), routes[2]);
    assert_ptr_equal(find(FIL_HTTP_GET, "/groups/all"), routes[3]);
    assert_null(find(FIL_HTTP_GET, "/groups/7"));
}

static void test_earlier_one_of_two_is_found(void **state)
{
    (void)state;
    add("HEAD /a");
    add("GET /a");
    add("GET /b");
    add("HEAD /b");
    assert_ptr_equal(find(FIL_HTTP_HEAD, "/a"), routes[0]);
    assert_ptr_equal(find(FIL_HTTP_GET, "/a"), routes[1]);
    assert_ptr_equal(find(FIL_HTTP_HEAD, "/b"), routes[2]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(path_and_method_find_the_route), TEST(many_routes_are_all_found),
        TEST(paths_of_all_sizes_are_found),   TEST(hidden_routes_are_left_to_the_order),
        TEST(earlier_one_of_two_is_found),
    };
#undef TEST
    return cmocka_run_group_tests_name("route_index", tests, NULL, NULL);
}
