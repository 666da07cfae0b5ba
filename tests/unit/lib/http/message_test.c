// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of what messages share: headers are found in any case, lists are searched token by
 * token over all lines, failures read as a sentence with a place, methods and statuses have names.
 */
#include "lib/http/message.h"

#include "lib/http/request.h"
#include "lib/http/status.h"
#include "tests/unit/lib/http/feed.h"

static struct fil_http_headers make_headers(void)
{
    struct fil_http_headers headers = {
        .count = 4,
        .items = {{BYTES("Accept"), BYTES("text/html")},
                  {BYTES("X-List"), BYTES("a, b ,\tc")},
                  {BYTES("ACCEPT"), BYTES("second")},
                  {BYTES("x-list"), BYTES(",,d,")}},
    };
    return headers;
}

static void test_headers_are_found_in_any_case(void **state)
{
    (void)state;
    struct fil_http_headers headers = make_headers();
    assert_ptr_equal(fil_http_headers_find(&headers, "accept"), &headers.items[0]);
    assert_ptr_equal(fil_http_headers_find(&headers, "aCCEPT"), &headers.items[0]);
    assert_ptr_equal(fil_http_headers_find(&headers, "x-LIST"), &headers.items[1]);
    assert_null(fil_http_headers_find(&headers, "accep"));
    assert_null(fil_http_headers_find(&headers, "accept2"));
    assert_null(fil_http_headers_find(&headers, ""));
}

static void test_lists_are_searched_over_all_lines(void **state)
{
    (void)state;
    struct fil_http_headers headers = make_headers();
    assert_true(fil_http_headers_have_token(&headers, "x-list", "a"));
    assert_true(fil_http_headers_have_token(&headers, "X-List", "B"));
    assert_true(fil_http_headers_have_token(&headers, "x-list", "c"));
    assert_true(fil_http_headers_have_token(&headers, "x-list", "d"));
    assert_false(fil_http_headers_have_token(&headers, "x-list", "e"));
    assert_false(fil_http_headers_have_token(&headers, "x-list", "a, b"));
    assert_false(fil_http_headers_have_token(&headers, "x-other", "a"));
    assert_false(fil_http_headers_have_token(&headers, "accept", "text"));
}

static void test_a_failure_reads_as_a_sentence_with_a_place(void **state)
{
    (void)state;
    char text[FIL_HTTP_FAILURE_TEXT_MAX];
    struct fil_http_failure failure = {.code = FIL_E_MALFORMED,
                                       .status = 400,
                                       .line = 3,
                                       .offset = 29,
                                       .reason = "the head holds a NUL byte"};
    assert_string_equal(fil_http_failure_format(&failure, text),
                        "the head holds a NUL byte (line 3, byte 29)");
    failure.line = 0;
    assert_string_equal(fil_http_failure_format(&failure, text),
                        "the head holds a NUL byte (byte 29 of the body)");
    failure.code = FIL_OK;
    assert_string_equal(fil_http_failure_format(&failure, text), "nothing is wrong");
}

static void test_methods_have_names(void **state)
{
    (void)state;
    assert_string_equal(fil_http_method_name(FIL_HTTP_OTHER), "OTHER");
    assert_string_equal(fil_http_method_name(FIL_HTTP_GET), "GET");
    assert_string_equal(fil_http_method_name(FIL_HTTP_CONNECT), "CONNECT");
}

static void test_statuses_have_phrases(void **state)
{
    (void)state;
    assert_string_equal(fil_http_status_phrase(200), "OK");
    assert_string_equal(fil_http_status_phrase(FIL_HTTP_STATUS_NOT_FOUND), "Not Found");
    assert_string_equal(fil_http_status_phrase(299), "Status");
    assert_string_equal(fil_http_status_phrase(0), "Status");
}

static void test_statuses_tell_whether_a_body_may_follow(void **state)
{
    (void)state;
    for (int status = FIL_HTTP_STATUS_MIN; status <= FIL_HTTP_STATUS_MAX; status++) {
        bool is_bodyless = status < 200 || status == 204 || status == 304;
        assert_int_equal(fil_http_status_has_body(status), !is_bodyless);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_are_found_in_any_case),
        cmocka_unit_test(test_lists_are_searched_over_all_lines),
        cmocka_unit_test(test_a_failure_reads_as_a_sentence_with_a_place),
        cmocka_unit_test(test_methods_have_names),
        cmocka_unit_test(test_statuses_have_phrases),
        cmocka_unit_test(test_statuses_tell_whether_a_body_may_follow),
    };
    return cmocka_run_group_tests_name("http message", tests, NULL, NULL);
}
