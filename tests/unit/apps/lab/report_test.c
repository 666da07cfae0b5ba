// SPDX-License-Identifier: Apache-2.0
/**
 * The report's forms: the tables and the picture show every setting with its figures, a failed one
 * with its reason; the picture is well-formed XML; JSON has every sample; the advice names a
 * setting only when it is clearly better under every load, and never what an option cannot do.
 */
#include "apps/filbert/lab/report.h"

#include <stdio.h>
#include <string.h>

#include "apps/filbert/lab/setting.h"
#include "filbert/error.h"
#include "tests/unit/harness.h"

#define TEXT_BYTES (1U << 20)

static struct lab_result results[8];
static struct lab_report report;
static char text[TEXT_BYTES];

static int set_up(void **state)
{
    (void)state;
    memset(results, 0, sizeof(results));
    report = (struct lab_report){.results = results, .round_count = 1, .seconds = 1};
    (void)snprintf(report.machine, sizeof(report.machine), "2 cores <& \"more\">");
    return 0;
}

/** Adds a setting with one round; the throughputs are given by load. */
static struct lab_result *add(const char *name, double single, double pipelined, double mixed)
{
    const double ops[LAB_CASE_COUNT] = {single, pipelined, mixed};
    struct lab_result *result = &results[report.count];
    result->setting = lab_setting_find(fil_bytes_of(name));
    assert_non_null(result->setting);
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        struct lab_sample sample = {.values = {
                                        [LAB_FIGURE_THROUGHPUT] = ops[i],
                                        [LAB_FIGURE_CPU] = 1e9 / ops[i],
                                        [LAB_FIGURE_SWITCHES] = i == 1 ? 0 : 12.5,
                                        [LAB_FIGURE_P99] = 4321,
                                        [LAB_FIGURE_P50] = 100,
                                        [LAB_FIGURE_LOAD] = 0.99,
                                    }};
        lab_series_add(&result->series[i], &sample);
    }
    report.count++;
    return result;
}

static const char *write(void (*form)(const struct lab_report *, struct fil_writer *))
{
    struct fil_writer writer;
    fil_writer_init(&writer, text, TEXT_BYTES - 1);
    form(&report, &writer);
    assert_false(writer.is_full);
    text[writer.size] = '\0';
    return text;
}

static uint32_t count_of(const char *haystack, const char *needle)
{
    uint32_t count = 0;
    for (const char *at = strstr(haystack, needle); at != NULL; at = strstr(at + 1, needle)) {
        count++;
    }
    return count;
}

static void test_table_shows_every_setting_under_every_load(void **state)
{
    (void)state;
    add("defaults", 100e3, 1500e3, 90e3);
    add("textbook", 80e3, 150e3, 60e3);
    const char *table = write(lab_report_table);
    assert_int_equal(count_of(table, "all switches off "), LAB_CASE_COUNT);
    assert_int_equal(count_of(table, "the defaults "), LAB_CASE_COUNT);
    assert_non_null(strstr(table, "0.10")); // of the defaults' throughput
    assert_non_null(strstr(table, "99 % *"));
    assert_non_null(strstr(table, "4321"));
}

static void test_failed_setting_is_shown_with_its_reason(void **state)
{
    (void)state;
    add("defaults", 100e3, 1500e3, 90e3);
    struct lab_result *failed = add("seda", 1, 1, 1);
    failed->error = FIL_E_TIMEOUT;
    memset(failed->series, 0, sizeof(failed->series));
    assert_null(lab_report_find(&report, "seda"));
    assert_int_equal(count_of(write(lab_report_table), fil_error_text(FIL_E_TIMEOUT)),
                     LAB_CASE_COUNT);
    assert_int_equal(count_of(write(lab_report_plot), fil_error_text(FIL_E_TIMEOUT)), 1);
    assert_int_equal(count_of(write(lab_report_json), fil_error_text(FIL_E_TIMEOUT)), 1);
}

/** Every opened element is closed, in order; nothing is left open. */
static void expect_well_formed(const char *xml)
{
    char open[16][16];
    uint32_t depth = 0;
    for (const char *at = strchr(xml, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        bool is_closing = at[1] == '/';
        const char *name = at + 1 + is_closing;
        int size = (int)strcspn(name, " />");
        if (is_closing) {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strncmp(open[depth], name, (size_t)size), 0);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            (void)snprintf(open[depth], sizeof(open[depth]), "%.*s", size, name);
            depth++;
        }
    }
    assert_int_equal(depth, 0);
}

static void test_picture_is_well_formed_and_shows_every_setting(void **state)
{
    (void)state;
    add("defaults", 100e3, 1500e3, 90e3);
    add("loop", 90e3, 1400e3, 9e3);
    const char *plot = write(lab_report_plot);
    assert_memory_equal(plot, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39);
    expect_well_formed(plot);
    assert_non_null(strstr(plot, "2 cores &lt;&amp;"));
    assert_non_null(strstr(plot, "one event loop, no partitions"));
    assert_non_null(strstr(plot, "1.50 M"));
    // A bar for each load, figure and setting; the page and the legend beside them.
    assert_int_equal(count_of(plot, "<rect"), 4 * LAB_CASE_COUNT * 2 + 1 + LAB_CASE_COUNT);
    assert_null(strstr(plot, "nan"));
    assert_null(strstr(plot, "inf"));
}

static void test_picture_of_nothing_is_well_formed(void **state)
{
    (void)state;
    const char *plot = write(lab_report_plot);
    expect_well_formed(plot);
    assert_null(strstr(plot, "nan"));
    assert_null(strstr(plot, "inf"));
}

static void test_json_has_every_sample(void **state)
{
    (void)state;
    add("defaults", 100e3, 1500e3, 90e3);
    add("loop", 90e3, 1400e3, 9e3);
    const char *json = write(lab_report_json);
    assert_non_null(strstr(json, "\"machine\": \"2 cores <& \\\"more\\\">\""));
    assert_non_null(strstr(json, "\"name\": \"loop\""));
    assert_int_equal(count_of(json, "\"p99_us\": [4321]"), 2 * LAB_CASE_COUNT);
    assert_non_null(strstr(json, "\"ops_per_s\": [1.5e+06]"));
    assert_int_equal(count_of(json, "{"), count_of(json, "}"));
    assert_int_equal(count_of(json, "["), count_of(json, "]"));
}

static void test_advice_names_a_setting_that_is_clearly_better(void **state)
{
    (void)state;
    add("defaults", 100e3, 1000e3, 90e3);
    add("io_2", 150e3, 1500e3, 90e3);
    add("io_4", 120e3, 1200e3, 100e3);
    const char *advice = write(lab_report_advise);
    assert_non_null(strstr(advice, "set net.io_threads=2:"));
    assert_non_null(strstr(advice, "1.31 times"));
    assert_int_equal(count_of(advice, ". "), 0); // one sentence
}

static void test_advice_keeps_the_defaults_when_it_may_be_chance(void **state)
{
    (void)state;
    struct lab_result *defaults = add("defaults", 100e3, 1000e3, 90e3);
    add("io_2", 120e3, 1200e3, 110e3);
    assert_non_null(strstr(write(lab_report_advise), "set net.io_threads=2:"));
    // The defaults have done as much in one of three rounds.
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        struct lab_sample sample = defaults->series[i].samples[0];
        lab_series_add(&defaults->series[i], &sample);
        sample.values[LAB_FIGURE_THROUGHPUT] *= 1.3;
        lab_series_add(&defaults->series[i], &sample);
    }
    assert_non_null(strstr(write(lab_report_advise), "keep the defaults"));
}

static void test_advice_keeps_the_defaults_when_a_load_would_suffer(void **state)
{
    (void)state;
    add("defaults", 100e3, 1000e3, 90e3);
    add("io_2", 200e3, 2000e3, 80e3);
    add("textbook", 80e3, 100e3, 50e3);
    add("loop", 100e3, 1050e3, 10e3);
    const char *advice = write(lab_report_advise);
    assert_non_null(strstr(advice, "keep the defaults"));
    assert_non_null(strstr(advice, "10.0 times what all switches off do"));
    assert_non_null(strstr(advice, "0.95 times what one event loop"));
}

static void test_advice_never_names_what_no_option_does(void **state)
{
    (void)state;
    add("defaults", 100e3, 1000e3, 90e3);
    add("loop", 200e3, 2000e3, 200e3);
    add("all_cores", 200e3, 2000e3, 200e3);
    assert_non_null(strstr(write(lab_report_advise), "keep the defaults"));
    report.count = 0;
    add("loop", 200e3, 2000e3, 200e3);
    assert_non_null(strstr(write(lab_report_advise), "no advice without the defaults"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_table_shows_every_setting_under_every_load, set_up),
        cmocka_unit_test_setup(test_failed_setting_is_shown_with_its_reason, set_up),
        cmocka_unit_test_setup(test_picture_is_well_formed_and_shows_every_setting, set_up),
        cmocka_unit_test_setup(test_picture_of_nothing_is_well_formed, set_up),
        cmocka_unit_test_setup(test_json_has_every_sample, set_up),
        cmocka_unit_test_setup(test_advice_names_a_setting_that_is_clearly_better, set_up),
        cmocka_unit_test_setup(test_advice_keeps_the_defaults_when_it_may_be_chance, set_up),
        cmocka_unit_test_setup(test_advice_keeps_the_defaults_when_a_load_would_suffer, set_up),
        cmocka_unit_test_setup(test_advice_never_names_what_no_option_does, set_up),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
