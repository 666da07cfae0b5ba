// SPDX-License-Identifier: Apache-2.0
/** The report for programs: every sample. */
#include "filbert/error.h"
#include "report.h"

static const char *const figure_names[LAB_FIGURE_COUNT] = {
    [LAB_FIGURE_THROUGHPUT] = "ops_per_s",
    [LAB_FIGURE_CPU] = "cpu_ns_per_op",
    [LAB_FIGURE_SWITCHES] = "switches_per_1000_ops",
    [LAB_FIGURE_P99] = "p99_us",
    [LAB_FIGURE_P50] = "p50_us",
    [LAB_FIGURE_LOAD] = "load_busy",
};

static void write_string(struct fil_writer *writer, const char *text)
{
    (void)fil_writer_u8(writer, '"');
    for (; *text != '\0'; text++) {
        uint8_t letter = (uint8_t)*text;
        if (letter == '"' || letter == '\\') {
            (void)fil_writer_u8(writer, '\\');
        }
        (void)fil_writer_u8(writer, letter < ' ' ? ' ' : letter);
    }
    (void)fil_writer_u8(writer, '"');
}

static void write_member(struct fil_writer *writer, const char *name, const char *text)
{
    (void)fil_writer_format(writer, "\"%s\": ", name);
    write_string(writer, text);
}

static void write_series(struct fil_writer *writer, const struct lab_series *series)
{
    for (uint32_t figure = 0; figure < LAB_FIGURE_COUNT; figure++) {
        (void)fil_writer_format(writer, "%s\"%s\": [", figure == 0 ? "" : ", ",
                                figure_names[figure]);
        for (uint32_t i = 0; i < series->count; i++) {
            (void)fil_writer_format(writer, "%s%.6g", i == 0 ? "" : ", ",
                                    series->samples[i].values[figure]);
        }
        (void)fil_writer_text(writer, "]");
    }
}

static void write_result(struct fil_writer *writer, const struct lab_result *result)
{
    (void)fil_writer_text(writer, "    {");
    write_member(writer, "name", result->setting->name);
    (void)fil_writer_text(writer, ", ");
    write_member(writer, "group", result->setting->group);
    (void)fil_writer_text(writer, ", ");
    write_member(writer, "title", result->setting->title);
    (void)fil_writer_text(writer, ", ");
    write_member(writer, "options", result->setting->options);
    (void)fil_writer_text(writer, ", ");
    write_member(writer, "error", result->error == FIL_OK ? "" : fil_error_text(result->error));
    (void)fil_writer_text(writer, ", \"loads\": {");
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        (void)fil_writer_format(writer, "%s\n      \"%s\": {", i == 0 ? "" : ",",
                                lab_cases[i].name);
        write_series(writer, &result->series[i]);
        (void)fil_writer_text(writer, "}");
    }
    (void)fil_writer_text(writer, "}}");
}

void lab_report_json(const struct lab_report *report, struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "{\n  ");
    write_member(writer, "machine", report->machine);
    (void)fil_writer_text(writer, ",\n  ");
    write_member(writer, "place", report->place);
    (void)fil_writer_format(writer, ",\n  \"rounds\": %u,\n  \"seconds\": %.6g,\n",
                            report->round_count, report->seconds);
    char advice[1024];
    struct fil_writer text;
    fil_writer_init(&text, advice, sizeof(advice) - 1);
    lab_report_advise(report, &text);
    advice[text.size] = '\0';
    (void)fil_writer_text(writer, "  ");
    write_member(writer, "advice", advice);
    (void)fil_writer_text(writer, ",\n  \"settings\": [\n");
    for (uint32_t i = 0; i < report->count; i++) {
        write_result(writer, &report->results[i]);
        (void)fil_writer_text(writer, i + 1 < report->count ? ",\n" : "\n");
    }
    (void)fil_writer_text(writer, "  ]\n}\n");
}
