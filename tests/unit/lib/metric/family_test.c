// SPDX-License-Identifier: Apache-2.0
/**
 * Families: good names pass, and each rule of naming refuses what breaks it, with its own sentence.
 */
#include <string.h>

#include "lib/base/attr.h"
#include "lib/metric/family.h"
#include "tests/unit/harness.h"

#define C FIL_METRIC_COUNTER
#define G FIL_METRIC_GAUGE
#define H FIL_METRIC_HISTOGRAM

static const char *problem_of(const char *name, enum fil_metric_type type,
                              enum fil_metric_unit unit)
{
    const struct fil_metric_family family = {
        .name = name, .help = "Something.", .type = type, .unit = unit};
    return fil_metric_family_problem(&family);
}

static void test_good_names_pass(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum fil_metric_type type;
        enum fil_metric_unit unit;
    } cases[] = {
        {"filbert_connections_accepted_total", C, FIL_METRIC_PLAIN},
        {"filbert_io_busy_seconds_total", C, FIL_METRIC_NS},
        {"filbert_bytes_received_total", C, FIL_METRIC_PLAIN},
        {"filbert_connections", G, FIL_METRIC_PLAIN},
        {"filbert_memory_used_bytes", G, FIL_METRIC_PLAIN},
        {"filbert_hit_ratio", G, FIL_METRIC_PLAIN},
        {"filbert_request_seconds", H, FIL_METRIC_NS},
        {"filbert_batch_items", H, FIL_METRIC_PLAIN},
        {"process_cpu_seconds_total", C, FIL_METRIC_PLAIN},
        {"filbert_http2_streams", G, FIL_METRIC_PLAIN},
        {"filbert_m2_streams", G, FIL_METRIC_PLAIN},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        assert_null(problem_of(cases[i].name, cases[i].type, cases[i].unit));
    }
}

static void test_each_rule_has_its_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum fil_metric_type type;
        enum fil_metric_unit unit;
        const char *words;
    } cases[] = {
        {NULL, G, FIL_METRIC_PLAIN, "at most 96"},
        {"", G, FIL_METRIC_PLAIN, "begins with filbert_"},
        {"connections", G, FIL_METRIC_PLAIN, "begins with filbert_"},
        {"go_connections", G, FIL_METRIC_PLAIN, "begins with filbert_"},
        {"filbert_", G, FIL_METRIC_PLAIN, "small letters"},
        {"filbert__connections", G, FIL_METRIC_PLAIN, "small letters"},
        {"filbert_connections_", G, FIL_METRIC_PLAIN, "small letters"},
        {"filbert_Connections", G, FIL_METRIC_PLAIN, "small letters"},
        {"filbert_conn-ections", G, FIL_METRIC_PLAIN, "small letters"},
        {"filbert_a:b", G, FIL_METRIC_PLAIN, "small letters"},
        {"filbert_connections", C, FIL_METRIC_PLAIN, "counter's name ends in _total"},
        {"filbert_connections_total", G, FIL_METRIC_PLAIN, "only a counter"},
        {"filbert_connections_total", H, FIL_METRIC_PLAIN, "only a counter"},
        {"filbert_connection_count", G, FIL_METRIC_PLAIN, "parts of a histogram"},
        {"filbert_bytes_sum", G, FIL_METRIC_PLAIN, "parts of a histogram"},
        {"filbert_leaky_bucket", G, FIL_METRIC_PLAIN, "parts of a histogram"},
        {"filbert_request", H, FIL_METRIC_NS, "shown in seconds"},
        {"filbert_busy_total", C, FIL_METRIC_NS, "shown in seconds"},
        {"filbert_request_milliseconds", H, FIL_METRIC_PLAIN, "base unit"},
        {"filbert_memory_megabytes", G, FIL_METRIC_PLAIN, "base unit"},
        {"filbert_request_ms", H, FIL_METRIC_PLAIN, "written out"},
        {"filbert_memory_kb", G, FIL_METRIC_PLAIN, "written out"},
        {"filbert_connection_gauge", G, FIL_METRIC_PLAIN, "does not say its type"},
        {"filbert_error_counter_total", C, FIL_METRIC_PLAIN, "does not say its type"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        const char *problem = problem_of(cases[i].name, cases[i].type, cases[i].unit);
        assert_non_null(problem);
        assert_non_null(strstr(problem, cases[i].words));
    }
}

static void test_lengths_are_limited_exactly(void **state)
{
    (void)state;
    char name[FIL_METRIC_NAME_MAX + 2];
    memset(name, 'a', sizeof(name));
    memcpy(name, "filbert_", 8);
    name[FIL_METRIC_NAME_MAX] = '\0';
    assert_null(problem_of(name, G, FIL_METRIC_PLAIN));
    name[FIL_METRIC_NAME_MAX] = 'a';
    name[FIL_METRIC_NAME_MAX + 1] = '\0';
    assert_non_null(problem_of(name, G, FIL_METRIC_PLAIN));

    char help[FIL_METRIC_HELP_MAX + 2];
    memset(help, 'a', sizeof(help));
    help[FIL_METRIC_HELP_MAX] = '\0';
    struct fil_metric_family family = {.name = "filbert_x", .help = help, .type = G};
    assert_null(fil_metric_family_problem(&family));
    help[FIL_METRIC_HELP_MAX] = 'a';
    help[FIL_METRIC_HELP_MAX + 1] = '\0';
    assert_non_null(fil_metric_family_problem(&family));
    family.help = "";
    assert_non_null(fil_metric_family_problem(&family));
    family.help = NULL;
    assert_non_null(fil_metric_family_problem(&family));
    family.help = "two\nlines";
    assert_non_null(fil_metric_family_problem(&family));
}

static void test_same_means_the_same_description(void **state)
{
    (void)state;
    const struct fil_metric_family one = {.name = "filbert_x", .help = "X.", .type = G};
    struct fil_metric_family two = one;
    assert_true(fil_metric_family_is_same(&one, &one));
    assert_true(fil_metric_family_is_same(&one, &two));
    two.help = "Y.";
    assert_false(fil_metric_family_is_same(&one, &two));
    two = one;
    two.type = H;
    assert_false(fil_metric_family_is_same(&one, &two));
    two = one;
    two.unit = FIL_METRIC_NS;
    assert_false(fil_metric_family_is_same(&one, &two));
    two = one;
    two.name = "filbert_y";
    assert_false(fil_metric_family_is_same(&one, &two));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_names_pass),
        cmocka_unit_test(test_each_rule_has_its_sentence),
        cmocka_unit_test(test_lengths_are_limited_exactly),
        cmocka_unit_test(test_same_means_the_same_description),
    };
    return cmocka_run_group_tests_name("metric family", tests, NULL, NULL);
}
