// SPDX-License-Identifier: Apache-2.0
/**
 * Services as a YAML file, one test a promise: what is good is read as it stands; what is wrong is
 * told with its place; memory that is out is told.
 */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/http/service_file.h"
#include "tests/unit/harness.h"

#define GOOD                                                              \
    "routes:\n"                                                           \
    "  - route: GET /users/{id}\n    map: users\n    key: id\n"           \
    "  - {route: POST /news, topic: news}\n"                              \
    "  - {route: GET /news, messages: news}\n"                            \
    "  - {route: GET /users, changes: users}\n"                           \
    "  - {route: GET /api/*, proxy: ['10.0.0.1:80', '10.0.0.2:80']}\n"    \
    "  - {route: PUT /one, proxy: '10.0.0.3:80', protocol: http2}\n"      \
    "  - {route: GET /gone, text: moved, status: 410, type: text/html}\n" \
    "  - {route: DELETE /job, queue: jobs}\n"

static struct fil_service_file file;

static int read(const char *text)
{
    return fil_service_file_init(&file, fil_bytes_of(text));
}

static void test_what_is_good_is_read(void **state)
{
    (void)state;
    assert_int_equal(read(GOOD), FIL_OK);
    assert_int_equal(file.entry_count, 8);
    assert_int_equal(file.entries[0].kind, FIL_SERVICE_MAP);
    assert_string_equal(file.entries[0].route, "GET /users/{id}");
    assert_string_equal(file.entries[0].target, "users");
    assert_string_equal(file.entries[0].key, "id");
    assert_int_equal(file.entries[1].kind, FIL_SERVICE_TOPIC);
    assert_int_equal(file.entries[2].kind, FIL_SERVICE_MESSAGES);
    assert_int_equal(file.entries[3].kind, FIL_SERVICE_CHANGES);
    assert_string_equal(file.entries[4].target, "10.0.0.1:80, 10.0.0.2:80");
    assert_string_equal(file.entries[5].target, "10.0.0.3:80");
    assert_true(file.entries[5].is_http2 && !file.entries[4].is_http2);
    assert_string_equal(file.entries[6].target, "moved");
    assert_string_equal(file.entries[6].type, "text/html");
    assert_int_equal(file.entries[6].status, 410);
    assert_int_equal(file.entries[7].kind, FIL_SERVICE_QUEUE);
    assert_string_equal(file.entries[7].target, "jobs");
    fil_service_file_fini(&file);
}

static void test_what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line;
        size_t column;
        const char *reason;
    } cases[] = {
        {"", 1, 1, "'routes:' is missing"},
        {"- a", 1, 1, "'routes:' is missing"},
        {"{}", 1, 1, "'routes:' is missing"},
        {"routes: [", 2, 1, "this is no YAML: did not find expected node content"},
        {"routes: x", 1, 9, "'routes' must be a list"},
        {"paths: []", 1, 1, "only one 'routes:' is expected here, not 'paths'"},
        {"routes: [x]", 1, 10, "a route is names and values, as route: GET /hello"},
        {"routes:\n  - text: a", 2, 5, "'route:' is missing, as GET /users/{id}"},
        {"routes:\n  - route: /a\n    text: a", 2, 5,
         "'/a' is no route: it is a method and a path, as GET /a/{b}"},
        {"routes:\n  - route: GET /a", 2, 5,
         "the route has nothing to do: it needs map, queue, topic, messages, changes, proxy, text "
         "or files"},
        {"routes:\n  - route: GET /a\n    text: a\n    map: b", 4, 10,
         "a route does one thing; 'map' is a second one"},
        {"routes:\n  - route: GET /a\n    txt: a", 3, 10,
         "there is no 'txt' here: a route has map, queue, topic, messages, changes, proxy, "
         "text or files"},
        {"routes:\n  - route: GET /a\n    map: b", 2, 5,
         "'key' must name a parameter of the route, as id in GET /users/{id}"},
        {"routes:\n  - {route: POST /a/{b}, map: m, key: b}", 2, 21,
         "this is no YAML: did not find expected ',' or '}'"},
        {"routes:\n  - {route: 'POST /a/{b}', map: m, key: b}", 2, 5,
         "a map is asked by GET, PUT or DELETE"},
        {"routes:\n  - {route: GET /a, queue: q}", 2, 5,
         "items are added by POST and taken by DELETE"},
        {"routes:\n  - {route: GET /a, files: /srv}", 2, 5,
         "files are asked for by GET and a path that ends in /*"},
        {"routes: []\nroutes: []", 2, 1, "only one 'routes:' is expected here, not 'routes'"},
        {"routes:\n  - {route: GET /a, topic: t}", 2, 5, "messages are published by POST"},
        {"routes:\n  - {route: PUT /a, changes: t}", 2, 5, "events are asked for by GET"},
        {"routes:\n  - {route: GET /a, text: t, status: 99}", 2, 38,
         "'99' is no status from 200 to 599"},
        {"routes:\n  - {route: GET /a, text: t, type: \"a\\nb\"}", 2, 36,
         "'type' must be one line"},
        {"routes:\n  - {route: GET /a, text: [t]}", 2, 27, "'text' must be a text"},
        {"routes:\n  - {route: GET /a, text: \"\\0\"}", 2, 27, "'text' has a zero byte"},
        {"routes:\n  - {route: GET /a, proxy: nowhere}", 2, 28,
         "'proxy' must be 1 to 16 addresses, as 10.0.0.1:80"},
        {"routes:\n  - {route: GET /a, proxy: '10.0.0.1:80', protocol: spdy}", 2, 53,
         "'protocol' must be http1 or http2, not 'spdy'"},
        {"routes:\n  - {route: GET /a, text: x, protocol: http2}", 2, 5,
         "'protocol' is of servers behind a 'proxy'"},
        {"routes:\n  - {route: GET /a, proxy: []}", 2, 28,
         "'proxy' must be 1 to 16 addresses, as 10.0.0.1:80"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        assert_int_equal(read(cases[i].text), FIL_E_MALFORMED);
        assert_string_equal(file.reason, cases[i].reason);
        assert_int_equal(file.line, cases[i].line);
        assert_int_equal(file.column, cases[i].column);
        fil_service_file_fini(&file);
    }
}

static void test_too_many_routes_are_refused(void **state)
{
    (void)state;
    static char text[8192] = "routes:\n";
    size_t size = strlen(text);
    for (uint32_t i = 0; i <= FIL_SERVICE_FILE_ROUTES_MAX; i++) {
        int written =
            snprintf(text + size, sizeof(text) - size, "- {route: GET /%u, text: t}\n", i);
        assert_true(written > 0 && (size_t)written < sizeof(text) - size);
        size += (size_t)written;
    }
    assert_int_equal(read(text), FIL_E_MALFORMED);
    assert_string_equal(file.reason, "there are more than 128 routes");
    assert_int_equal(file.line, FIL_SERVICE_FILE_ROUTES_MAX + 2);
    fil_service_file_fini(&file);
}

static void test_every_failed_allocation_is_told(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error != FIL_OK; after++) {
        fil_alloc_fail_after(after);
        error = read(GOOD);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM || error == FIL_E_MALFORMED);
        fil_service_file_fini(&file);
        assert_true(after < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_good_is_read),
        cmocka_unit_test(test_what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(test_too_many_routes_are_refused),
        cmocka_unit_test(test_every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests_name("service file", tests, NULL, NULL);
}
