// SPDX-License-Identifier: Apache-2.0
/**
 * Labels: sorted and escaped as Prometheus wants them whatever order they come in; every rule
 * refuses what breaks it, with its own sentence; values are any UTF-8 text and nothing else.
 */
#include <string.h>

#include "lib/base/attr.h"
#include "lib/metric/labels.h"
#include "tests/unit/harness.h"

static const char *format(struct fil_metric_labels labels)
{
    static char memory[FIL_METRIC_LABELS_TEXT_MAX + 1];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    fil_metric_labels_format(&writer, labels);
    assert_false(writer.is_full);
    return fil_writer_terminate(&writer);
}

static void test_sorted_and_escaped(void **state)
{
    (void)state;
    assert_string_equal(format(FIL_METRIC_NO_LABELS), "");
    assert_string_equal(format(FIL_METRIC_LABELS({"loop", "0"})), "loop=\"0\"");
    assert_string_equal(
        format(FIL_METRIC_LABELS({"protocol", "resp"}, {"loop", "0"}, {"kind", "."})),
        "kind=\".\",loop=\"0\",protocol=\"resp\"");
    assert_string_equal(format(FIL_METRIC_LABELS({"map", "a\"b\\c\nd"})),
                        "map=\"a\\\"b\\\\c\\nd\"");
    assert_string_equal(format(FIL_METRIC_LABELS({"map", "caf\xC3\xA9"})), "map=\"caf\xC3\xA9\"");
}

static void assert_problem(struct fil_metric_labels labels, const char *words)
{
    const char *problem = fil_metric_labels_problem(labels);
    assert_non_null(problem);
    assert_non_null(strstr(problem, words));
}

static void test_names_follow_their_rules(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        NULL,       "",     "Map",        "0map", "_map",
        "__name__", "ma p", "m\xC3\xA4p", "a-b",  "a_name_of_thirty_three_letters_xx"};
    for (size_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        assert_problem(FIL_METRIC_LABELS({wrong[i], "x"}), "a label's name");
    }
    assert_problem(FIL_METRIC_LABELS({"le", "x"}), "le and quantile");
    assert_problem(FIL_METRIC_LABELS({"quantile", "x"}), "le and quantile");
    assert_problem(FIL_METRIC_LABELS({"a", "x"}, {"b", "x"}, {"a", "y"}), "once");
    assert_null(fil_metric_labels_problem(
        FIL_METRIC_LABELS({"a_name_of_thirty_two_letters_xxx", "x"}, {"a1", "x"})));
    assert_null(fil_metric_labels_problem(FIL_METRIC_NO_LABELS));
}

static void test_count_and_sizes_are_limited_exactly(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    struct fil_metric_label items[FIL_METRIC_LABELS_MAX + 1];
    for (size_t i = 0; i < FIL_COUNT_OF(items); i++) {
        items[i] = (struct fil_metric_label){names[i], "x"};
    }
    struct fil_metric_labels labels = {.items = items, .count = FIL_METRIC_LABELS_MAX};
    assert_null(fil_metric_labels_problem(labels));
    labels.count++;
    assert_problem(labels, "at most 8 labels");

    char value[FIL_METRIC_LABEL_VALUE_MAX + 2];
    memset(value, 'v', sizeof(value));
    value[FIL_METRIC_LABEL_VALUE_MAX] = '\0';
    assert_null(fil_metric_labels_problem(FIL_METRIC_LABELS({"a", value})));
    value[FIL_METRIC_LABEL_VALUE_MAX] = 'v';
    value[FIL_METRIC_LABEL_VALUE_MAX + 1] = '\0';
    assert_problem(FIL_METRIC_LABELS({"a", value}), "1 to 256 bytes");
    assert_problem(FIL_METRIC_LABELS({"a", NULL}), "1 to 256 bytes");
    assert_problem(FIL_METRIC_LABELS({"a", ""}), "1 to 256 bytes");
}

static void test_values_are_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {
        "plain",         "\x7F",         "\xC2\x80",     "\xDF\xBF",         "\xE0\xA0\x80",
        "\xED\x9F\xBF",  "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
        "a\xE2\x82\xAC."};
    static const char *const bad[] = {"\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC3",
                                      "\xC3(",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xE2\x82",
                                      "\xE2\x82(",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xF0\x9F\x8C",
                                      "a\xFF"};
    for (size_t i = 0; i < FIL_COUNT_OF(good); i++) {
        assert_null(fil_metric_labels_problem(FIL_METRIC_LABELS({"a", good[i]})));
    }
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        assert_problem(FIL_METRIC_LABELS({"a", bad[i]}), "UTF-8");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted_and_escaped),
        cmocka_unit_test(test_names_follow_their_rules),
        cmocka_unit_test(test_count_and_sizes_are_limited_exactly),
        cmocka_unit_test(test_values_are_utf8),
    };
    return cmocka_run_group_tests_name("metric labels", tests, NULL, NULL);
}
