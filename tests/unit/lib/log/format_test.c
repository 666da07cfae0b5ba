// SPDX-License-Identifier: Apache-2.0
/**
 * Lines: each form shows each type exactly so, no field can break out of its line or its quotes,
 * the longest record fits, a terminal gets colour only when it is wanted, and format names read.
 */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/log/format.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/log/capture.h"

static char line[FIL_LOG_LINE_BYTES_MAX + 1];

static const char *format(struct fil_log_style style, enum fil_log_level level, const char *role,
                          const struct fil_log_field *fields)
{
    static alignas(8) uint8_t memory[FIL_LOG_RECORD_BYTES_MAX];
    const struct fil_log_record head = {
        .site = {.event = "tested", .file = "here.c", .line = 12},
        .role = role,
        .wall_ns = CAPTURE_WALL_NS,
        .level = level,
    };
    struct fil_writer writer;
    fil_writer_init(&writer, line, sizeof(line));
    fil_log_format_line(&writer, &style, fil_log_record_encode(memory, &head, fields));
    return fil_writer_terminate(&writer);
}

static const struct fil_log_style logfmt = {.format = FIL_LOG_FORMAT_LOGFMT};
static const struct fil_log_style json = {.format = FIL_LOG_FORMAT_JSON};
static const struct fil_log_style human = {.format = FIL_LOG_FORMAT_HUMAN};
static const struct fil_log_style colored = {.format = FIL_LOG_FORMAT_HUMAN, .has_color = true};

static const struct fil_address address = {.ip = {127, 0, 0, 1}, .port = 5701};

#define SOME_OF_EACH                                                                           \
    FIL_F_TEXT("word", "one"), FIL_F_TEXT("words", "two \"words\""), FIL_F_U64("count", 42),   \
        FIL_F_I64("delta", -7), FIL_F_F64("ratio", 0.25), FIL_F_BOOL("ready", true),           \
        FIL_F_ADDRESS("peer", &address), FIL_F_NS("took", 12345678), FIL_F_SIZE("used", 1536), \
        FIL_F_HEX("call", 255), FIL_F_ERROR(FIL_E_FULL),                                       \
    {                                                                                          \
        .type = FIL_LOG_END                                                                    \
    }

static void test_logfmt_shows_each_type(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {SOME_OF_EACH};
    assert_string_equal(
        format(logfmt, FIL_LOG_INFO, "io/0", fields),
        "ts=2031-05-04T12:30:01.042Z level=info role=io/0 event=tested word=one "
        "words=\"two \\\"words\\\"\" count=42 delta=-7 ratio=0.25 ready=true "
        "peer=127.0.0.1:5701 took_ms=12.345678 used_bytes=1536 call=0xff "
        "error=FULL error_text=\"a bounded queue or buffer is full: retry later\"\n");
}

static void test_json_shows_each_type(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {SOME_OF_EACH};
    assert_string_equal(
        format(json, FIL_LOG_ERROR, "io/0", fields),
        "{\"ts\":\"2031-05-04T12:30:01.042Z\",\"level\":\"error\",\"role\":\"io/0\","
        "\"event\":\"tested\",\"word\":\"one\",\"words\":\"two \\\"words\\\"\",\"count\":42,"
        "\"delta\":-7,\"ratio\":0.25,\"ready\":true,\"peer\":\"127.0.0.1:5701\","
        "\"took_ms\":12.345678,\"used_bytes\":1536,\"call\":\"0xff\",\"error\":\"FULL\","
        "\"error_text\":\"a bounded queue or buffer is full: retry later\"}\n");
}

static void test_human_form_is_short(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {SOME_OF_EACH};
    assert_string_equal(format(human, FIL_LOG_WARN, "io/0", fields),
                        "12:30:01.042Z WARN  io/0 tested word=one words=\"two \\\"words\\\"\" "
                        "count=42 delta=-7 ratio=0.25 ready=true peer=127.0.0.1:5701 took=12.3ms "
                        "used=1.5KiB call=0xff error=FULL "
                        "(a bounded queue or buffer is full: retry later)\n");
}

static void test_color_only_when_asked(void **state)
{
    (void)state;
    const struct fil_log_field none[] = {{.type = FIL_LOG_END}};
    assert_string_equal(
        format(colored, FIL_LOG_WARN, "main", none),
        "\033[2m12:30:01.042Z\033[0m \033[33mWARN \033[0m\033[2m main\033[0m\033[1m "
        "tested\033[0m\n");
    assert_null(strchr(format(human, FIL_LOG_WARN, "main", none), '\033'));
    assert_null(strchr(format(logfmt, FIL_LOG_WARN, "main", none), '\033'));
}

static void test_no_field_breaks_out(void **state)
{
    (void)state;
    static const char evil[] = "x\n\033[2Jlevel=error \"},{\xC2\x85\xE2\x80\xA8";
    const struct fil_log_field fields[] = {FIL_F_TEXT("name", evil), {.type = FIL_LOG_END}};
    const struct fil_log_style styles[] = {logfmt, json, human};
    for (size_t i = 0; i < FIL_COUNT_OF(styles); i++) {
        const char *text = format(styles[i], FIL_LOG_INFO, evil, fields);
        size_t size = strlen(text);
        assert_int_equal(text[size - 1], '\n');
        for (size_t at = 0; at + 1 < size; at++) {
            assert_true((unsigned char)text[at] >= 0x20);
        }
        assert_non_null(strstr(text, "\"x\\n\\u001b[2Jlevel=error \\\"},{\\u0085\\u2028\""));
    }
}

static void test_bad_names_are_made_harmless(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {FIL_F_U64("a b=\"\n", 1), {.type = FIL_LOG_END}};
    assert_non_null(strstr(format(logfmt, FIL_LOG_INFO, "io/0", fields), " a_b___=1\n"));
    assert_non_null(strstr(format(json, FIL_LOG_INFO, "io/0", fields), ",\"a_b___\":1}\n"));
}

static void assert_duration(uint64_t ns, const char *expected)
{
    const struct fil_log_field fields[] = {FIL_F_NS("t", ns), {.type = FIL_LOG_END}};
    assert_non_null(strstr(format(logfmt, FIL_LOG_INFO, "io/0", fields), expected));
}

static void test_durations_are_exact_milliseconds(void **state)
{
    (void)state;
    assert_duration(0, " t_ms=0\n");
    assert_duration(1, " t_ms=0.000001\n");
    assert_duration(100000, " t_ms=0.1\n");
    assert_duration(1000000, " t_ms=1\n");
    assert_duration(1050000, " t_ms=1.05\n");
    assert_duration(UINT64_C(3600000000000), " t_ms=3600000\n");
    assert_duration(UINT64_MAX, " t_ms=18446744073709.551615\n");
}

static void test_numbers_that_are_none_stay_valid(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {FIL_F_F64("a", (double)NAN),
                                           FIL_F_F64("b", -(double)INFINITY),
                                           FIL_F_F64("c", 1e300),
                                           {.type = FIL_LOG_END}};
    assert_non_null(strstr(format(json, FIL_LOG_INFO, "io/0", fields),
                           ",\"a\":\"NaN\",\"b\":\"-Inf\",\"c\":1e+300}\n"));
    assert_non_null(
        strstr(format(logfmt, FIL_LOG_INFO, "io/0", fields), " a=NaN b=-Inf c=1e+300\n"));
}

static void test_edges_of_text(void **state)
{
    (void)state;
    static char longer[FIL_LOG_TEXT_MAX + 2];
    memset(longer, 'a', sizeof(longer) - 1);
    const struct fil_log_field fields[] = {FIL_F_TEXT("empty", ""),
                                           FIL_F_TEXT("long", longer),
                                           FIL_F_ERROR(FIL_OK),
                                           {.type = FIL_LOG_END}};
    const char *text = format(logfmt, FIL_LOG_INFO, "io/0", fields);
    assert_non_null(strstr(text, " empty=\"\" long=aaaa"));
    assert_non_null(strstr(text, "aaaa... error=OK\n"));
    text = format(json, FIL_LOG_INFO, "io/0", fields);
    assert_non_null(strstr(text, ",\"empty\":\"\",\"long\":\"aaaa"));
    assert_non_null(strstr(text, "aaaa...\",\"error\":\"OK\"}\n"));
}

static void test_the_longest_record_fits(void **state)
{
    (void)state;
    static uint8_t worst[FIL_LOG_TEXT_MAX + 1];
    memset(worst, 0x01, sizeof(worst));
    struct fil_log_field fields[FIL_LOG_FIELDS_MAX];
    for (size_t i = 0; i < FIL_COUNT_OF(fields); i++) {
        fields[i] =
            FIL_F_BYTES("a_key_that_is_longer_than_any_key_of_ours_will_ever_be_so_it_is_cut",
                        fil_bytes_make(worst, sizeof(worst)));
    }
    const char *text = format(json, FIL_LOG_INFO, "io/0", fields);
    static const char end[] = "\\u0001...\"}\n";
    assert_string_equal(text + strlen(text) - (sizeof(end) - 1), end);
}

static void test_format_names_read(void **state)
{
    (void)state;
    enum fil_log_format found = FIL_LOG_FORMAT_JSON;
    assert_true(fil_log_format_parse(fil_bytes_of("auto"), true, &found));
    assert_int_equal(found, FIL_LOG_FORMAT_HUMAN);
    assert_true(fil_log_format_parse(fil_bytes_of("auto"), false, &found));
    assert_int_equal(found, FIL_LOG_FORMAT_LOGFMT);
    assert_true(fil_log_format_parse(fil_bytes_of("json"), true, &found));
    assert_int_equal(found, FIL_LOG_FORMAT_JSON);
    assert_true(fil_log_format_parse(fil_bytes_of("logfmt"), true, &found));
    assert_int_equal(found, FIL_LOG_FORMAT_LOGFMT);
    assert_true(fil_log_format_parse(fil_bytes_of("human"), false, &found));
    assert_int_equal(found, FIL_LOG_FORMAT_HUMAN);
    assert_false(fil_log_format_parse(fil_bytes_of("xml"), false, &found));
    assert_false(fil_log_format_parse(fil_bytes_of(""), false, &found));
}

static void test_no_color_and_dumb_terminals_win(void **state)
{
    (void)state;
    assert_true(fil_log_format_wants_color(true, NULL, NULL));
    assert_true(fil_log_format_wants_color(true, "", "xterm"));
    assert_false(fil_log_format_wants_color(true, "1", "xterm"));
    assert_false(fil_log_format_wants_color(true, NULL, "dumb"));
    assert_false(fil_log_format_wants_color(false, NULL, "xterm"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logfmt_shows_each_type),
        cmocka_unit_test(test_json_shows_each_type),
        cmocka_unit_test(test_human_form_is_short),
        cmocka_unit_test(test_color_only_when_asked),
        cmocka_unit_test(test_no_field_breaks_out),
        cmocka_unit_test(test_bad_names_are_made_harmless),
        cmocka_unit_test(test_durations_are_exact_milliseconds),
        cmocka_unit_test(test_numbers_that_are_none_stay_valid),
        cmocka_unit_test(test_edges_of_text),
        cmocka_unit_test(test_the_longest_record_fits),
        cmocka_unit_test(test_format_names_read),
        cmocka_unit_test(test_no_color_and_dumb_terminals_win),
    };
    return cmocka_run_group_tests_name("log format", tests, NULL, NULL);
}
