// SPDX-License-Identifier: Apache-2.0
/**
 * Who may ask over HTTP, one test a promise: addresses, localhost and listed names are let in, all
 * other names are not; the host of an absolute target counts, not the header's; a page may ask the
 * host and port that it is of, and listed origins may; whoever is refused is counted.
 */
#include "protocol/http/guard.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

static struct fil_http_guard guard;

static int set_up(void **state)
{
    (void)state;
    guard = (struct fil_http_guard){0};
    return 0;
}

static const char *check(const char *host, const char *origin)
{
    char text[512];
    struct fil_http_decoder decoder;
    struct fil_http_request request;
    size_t size = 0;
    int length = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n", host,
                          origin == NULL ? "" : "oRigin: ", origin == NULL ? "" : origin,
                          origin == NULL ? "" : "\r\n");
    assert_true(length > 0 && (size_t)length < sizeof(text));
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    assert_int_equal(
        fil_http_request_decode(&decoder, fil_bytes_make(text, (size_t)length), &request, &size),
        FIL_OK);
    return fil_http_guard_check(&guard, &request);
}

static void assert_refused(const char *host, const char *origin, const char *option)
{
    const char *reason = check(host, origin);
    if (reason == NULL || strstr(reason, option) == NULL) {
        fail_msg("%s of %s: %s", host, origin == NULL ? "nobody" : origin,
                 reason == NULL ? "let in" : reason);
    }
}

static void assert_let_in(const char *host, const char *origin)
{
    const char *reason = check(host, origin);
    if (reason != NULL) {
        fail_msg("%s of %s: %s", host, origin == NULL ? "nobody" : origin, reason);
    }
}

static void test_addresses_and_localhost_are_let_in(void **state)
{
    (void)state;
    static const char *const hosts[] = {
        "127.0.0.1", "127.0.0.1:5701", "10.1.2.3:80", "0.0.0.0:1",      "[::1]", "[::1]:5701",
        "[fe80::1]", "localhost",      "LocalHost",   "localhost:5701", ""};
    for (size_t i = 0; i < FIL_COUNT_OF(hosts); i++) {
        assert_let_in(hosts[i], NULL);
    }
    assert_int_equal(fil_counter_read(&guard.refused_hosts), 0);
}

static void test_other_names_are_refused_and_counted(void **state)
{
    (void)state;
    static const char *const hosts[] = {"evil.example",
                                        "evil.example:5701",
                                        "x",
                                        "localhost.evil.example",
                                        "127.0.0.1.evil.io",
                                        "1.2.3",
                                        "[::1",
                                        "[evil]",
                                        "a.localhost:80",
                                        "localhost:x",
                                        "::1",
                                        "127.0.0.1:5701:1",
                                        "none",
                                        "localhost,x",
                                        "2130706433"};
    for (size_t i = 0; i < FIL_COUNT_OF(hosts); i++) {
        assert_refused(hosts[i], NULL, "http.hosts");
    }
    char name[300];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_refused(name, NULL, "http.hosts");
    assert_int_equal(fil_counter_read(&guard.refused_hosts), FIL_COUNT_OF(hosts) + 1);
}

/** As check, of a request whose target has a host of its own. */
static const char *check_absolute(const char *authority, const char *host, const char *origin)
{
    char text[512];
    struct fil_http_decoder decoder;
    static struct fil_http_request request;
    size_t size = 0;
    int length =
        snprintf(text, sizeof(text), "GET http://%s/ HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n\r\n",
                 authority, host, origin);
    assert_true(length > 0 && (size_t)length < sizeof(text));
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    assert_int_equal(
        fil_http_request_decode(&decoder, fil_bytes_make(text, (size_t)length), &request, &size),
        FIL_OK);
    const struct fil_http_header *header = fil_http_headers_find(&request.headers, "host");
    assert_true(fil_bytes_equal_text(header->value, authority));
    return fil_http_guard_check(&guard, &request);
}

static void test_host_of_an_absolute_target_counts(void **state)
{
    (void)state;
    assert_null(check_absolute("127.0.0.1:80", "evil.example", "http://127.0.0.1:80"));
    assert_non_null(check_absolute("evil.example", "127.0.0.1:80", "http://evil.example"));
    assert_non_null(check_absolute("127.0.0.1:80", "evil.example", "http://evil.example"));
    assert_int_equal(fil_counter_read(&guard.refused_hosts), 1);
    assert_int_equal(fil_counter_read(&guard.refused_origins), 1);
}

static void test_listed_names_are_let_in(void **state)
{
    (void)state;
    guard.hosts = "grid.example , Grid,";
    assert_let_in("grid.example", NULL);
    assert_let_in("GRID.example:8080", NULL);
    assert_let_in("grid:1", NULL);
    assert_refused("grid.example.evil", NULL, "http.hosts");
    assert_refused("example", NULL, "http.hosts");
    guard.hosts = "*";
    assert_let_in("evil.example", NULL);
}

static void test_pages_may_ask_where_they_are_from(void **state)
{
    (void)state;
    assert_let_in("127.0.0.1:5701", "http://127.0.0.1:5701");
    assert_let_in("localhost:5701", "HTTPS://LOCALHOST:5701");
    assert_let_in("[::1]", "http://[::1]");
    assert_int_equal(fil_counter_read(&guard.refused_origins), 0);
}

static void test_pages_of_others_are_refused_and_counted(void **state)
{
    (void)state;
    static const char *const origins[] = {"http://evil.example",
                                          "https://evil.example:5701",
                                          "null",
                                          "",
                                          "http://127.0.0.1",
                                          "http://127.0.0.1:3000",
                                          "http://localhost:5701",
                                          "ftp://127.0.0.1:5701",
                                          "127.0.0.1:5701",
                                          "http://",
                                          "http://127.0.0.1:5701.io",
                                          "http://127.0.0.1:5701/",
                                          "none"};
    for (size_t i = 0; i < FIL_COUNT_OF(origins); i++) {
        assert_refused("127.0.0.1:5701", origins[i], "http.origins");
    }
    // Nobody's page is at home where there is no host.
    assert_refused("", "http://", "http.origins");
    assert_int_equal(fil_counter_read(&guard.refused_origins), FIL_COUNT_OF(origins) + 1);
}

static void test_listed_origins_may_ask(void **state)
{
    (void)state;
    guard.origins = "https://shop.example, http://localhost:3000";
    assert_let_in("127.0.0.1:5701", "https://shop.example");
    assert_let_in("127.0.0.1:5701", "http://localhost:3000");
    assert_refused("127.0.0.1:5701", "http://shop.example", "http.origins");
    // To be known as a host is another right.
    assert_refused("shop.example", "https://shop.example", "http.hosts");
    guard.origins = "*";
    assert_let_in("127.0.0.1:5701", "null");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(test_##name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(addresses_and_localhost_are_let_in),
        TEST(other_names_are_refused_and_counted),
        TEST(host_of_an_absolute_target_counts),
        TEST(listed_names_are_let_in),
        TEST(pages_may_ask_where_they_are_from),
        TEST(pages_of_others_are_refused_and_counted),
        TEST(listed_origins_may_ask),
    };
#undef TEST
    return cmocka_run_group_tests_name("http_guard", tests, NULL, NULL);
}
