// SPDX-License-Identifier: Apache-2.0
/** The report as text for a terminal: one table a load, the settings below their headings. */
#include <stdio.h>

#include "filbert/error.h"
#include "report.h"

#define TITLE_WIDTH   44
#define LOAD_IS_LIMIT 0.97 // a generator that is busier than this may be what limits the server

static void write_spread(const struct lab_summary *summary, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "%.0f-%.0f", summary->low / 1000, summary->high / 1000);
}

static void write_row(struct fil_writer *writer, const struct lab_report *report,
                      const struct lab_result *result, enum lab_case_id load_case)
{
    if (result->error != FIL_OK) {
        (void)fil_writer_format(writer, "  %-*s failed: %s\n", TITLE_WIDTH, result->setting->title,
                                fil_error_text(result->error));
        return;
    }
    const struct lab_result *defaults = lab_report_find(report, "defaults");
    const struct lab_series *series = &result->series[load_case];
    struct lab_summary ops = lab_series_summary(series, LAB_FIGURE_THROUGHPUT);
    double base =
        defaults == NULL ? 0 : lab_result_median(defaults, load_case, LAB_FIGURE_THROUGHPUT);
    double load = lab_series_summary(series, LAB_FIGURE_LOAD).median;
    char spread[32];
    write_spread(&ops, spread, sizeof(spread));
    (void)fil_writer_format(writer, "  %-*s %8.0f %11s %7.2f %9.0f %10.1f %9.0f %5.0f %%%s\n",
                            TITLE_WIDTH, result->setting->title, ops.median / 1000, spread,
                            base > 0 ? ops.median / base : 0,
                            lab_series_summary(series, LAB_FIGURE_CPU).median,
                            lab_series_summary(series, LAB_FIGURE_SWITCHES).median,
                            lab_series_summary(series, LAB_FIGURE_P99).median, load * 100,
                            load > LOAD_IS_LIMIT ? " *" : "");
}

static void write_case(struct fil_writer *writer, const struct lab_report *report,
                       enum lab_case_id load_case)
{
    (void)fil_writer_format(writer, "\n%s\n\n  %-*s %8s %11s %7s %9s %10s %9s %7s\n",
                            lab_cases[load_case].title, TITLE_WIDTH, "", "k ops/s", "spread",
                            "x def.", "cpu ns/op", "sw./1000op", "p99 us", "load");
    const char *group = NULL;
    for (uint32_t i = 0; i < report->count; i++) {
        const struct lab_result *result = &report->results[i];
        if (result->setting->group != group) {
            group = result->setting->group;
            (void)fil_writer_format(writer, "%s\n", group);
        }
        write_row(writer, report, result, load_case);
    }
}

void lab_report_table(const struct lab_report *report, struct fil_writer *writer)
{
    (void)fil_writer_format(writer, "%s; %s\n", report->machine, report->place);
    (void)fil_writer_format(
        writer, "median of %u round%s, the settings in turn, %.3g s each in all\n",
        report->round_count, report->round_count == 1 ? "" : "s", report->seconds);
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        write_case(writer, report, (enum lab_case_id)i);
    }
    (void)fil_writer_text(
        writer, "\nx def.: throughput by that of the defaults. cpu, sw.: of the server's threads.\n"
                "p99: of the short operations. load: how busy the generator was, of a core; *: it "
                "may be\nwhat limited the server.\n");
}
