// SPDX-License-Identifier: Apache-2.0
/**
 * The report as a picture: a row a setting, a panel a figure, a bar a load.
 *
 * Throughput has a linear axis; the other figures differ by orders of magnitude and have
 * logarithmic ones, on which equal ratios are equal lengths.
 */
#include <math.h>
#include <stdio.h>

#include "filbert/error.h"
#include "report.h"

#define MARGIN       24.0
#define HEAD_HEIGHT  118.0
#define FOOT_HEIGHT  34.0
#define LABEL_WIDTH  286.0
#define PANEL_WIDTH  226.0
#define PANEL_GAP    30.0
#define VALUE_WIDTH  40.0 // behind the longest bar
#define BAR_HEIGHT   9.0
#define ROW_GAP      8.0
#define GROUP_HEIGHT 30.0
#define ROW_HEIGHT   (BAR_HEIGHT * LAB_CASE_COUNT + ROW_GAP)
#define PANEL_COUNT  4U
#define DECADES_MAX  8
#define LINEAR_TICKS 4
#define PAGE_WIDTH   (2 * MARGIN + LABEL_WIDTH + PANEL_COUNT * (PANEL_WIDTH + PANEL_GAP))

struct panel {
    enum lab_figure_id figure;
    const char *title;
    bool is_logarithmic;
};

static const struct panel panels[PANEL_COUNT] = {
    {LAB_FIGURE_THROUGHPUT, "Throughput, operations a second", false},
    {LAB_FIGURE_CPU, "Server CPU an operation, ns", true},
    {LAB_FIGURE_SWITCHES, "Context switches, 1000 operations", true},
    {LAB_FIGURE_P99, "p99 of short operations, us", true},
};

static const char *const colors[LAB_CASE_COUNT] = {"#4878a8", "#e08a3c", "#6a9f58"};

/** What a length on a panel means. */
struct axis {
    double low; // at the left edge
    double high;
    bool is_logarithmic;
};

static void write_escaped(struct fil_writer *writer, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            (void)fil_writer_text(writer, "&lt;");
            break;
        case '&':
            (void)fil_writer_text(writer, "&amp;");
            break;
        default:
            (void)fil_writer_u8(writer, (uint8_t)*text);
            break;
        }
    }
}

static void write_label(struct fil_writer *writer, double x, double y, const char *style,
                        const char *text)
{
    (void)fil_writer_format(writer, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, style);
    write_escaped(writer, text);
    (void)fil_writer_text(writer, "</text>\n");
}

/** Three digits that count: "0.12", "5.3", "460", "1.48 M". */
static const char *format_value(double value, char text[16])
{
    if (value == 0) {
        (void)snprintf(text, 16, "0");
    } else if (value >= 999500) {
        (void)snprintf(text, 16, "%.2f M", value / 1e6);
    } else if (value >= 9995) {
        (void)snprintf(text, 16, "%.0f k", value / 1e3);
    } else if (value >= 99.5) {
        (void)snprintf(text, 16, "%.0f", value);
    } else {
        (void)snprintf(text, 16, value >= 9.95 ? "%.1f" : "%.2f", value);
    }
    return text;
}

static struct axis make_axis(const struct lab_report *report, const struct panel *panel)
{
    double low = HUGE_VAL;
    double high = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        for (uint32_t j = 0; j < LAB_CASE_COUNT; j++) {
            double value =
                lab_result_median(&report->results[i], (enum lab_case_id)j, panel->figure);
            low = value > 0 && value < low ? value : low;
            high = value > high ? value : high;
        }
    }
    if (high <= 0) {
        return (struct axis){.low = panel->is_logarithmic ? 1 : 0,
                             .high = 10,
                             .is_logarithmic = panel->is_logarithmic};
    }
    if (!panel->is_logarithmic) {
        return (struct axis){.low = 0, .high = high};
    }
    double top = ceil(log10(high));
    // A bar must have a length also for the smallest value.
    double bottom = fmax(floor(log10(low) - 0.2), top - DECADES_MAX);
    return (struct axis){.low = pow(10, bottom), .high = pow(10, top), .is_logarithmic = true};
}

static double length_of(const struct axis *axis, double value)
{
    double room = PANEL_WIDTH - VALUE_WIDTH;
    if (value <= axis->low) {
        return 0;
    }
    double part = axis->is_logarithmic ? log10(value / axis->low) / log10(axis->high / axis->low)
                                       : value / axis->high;
    return fmin(part, 1) * room;
}

static double panel_x(uint32_t index)
{
    return MARGIN + LABEL_WIDTH + index * (PANEL_WIDTH + PANEL_GAP);
}

static void write_tick(struct fil_writer *writer, double x, double value, double bottom)
{
    char text[16];
    (void)fil_writer_format(
        writer, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", x,
        HEAD_HEIGHT - 6, x, bottom);
    write_label(writer, x, HEAD_HEIGHT - 10, "tick", format_value(value, text));
}

/** A round number that divides the axis into a few parts. */
static double choose_step(double high)
{
    double rough = high / LINEAR_TICKS;
    double decade = pow(10, floor(log10(rough)));
    double digit = rough / decade;
    return decade * (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1);
}

static void write_axis(struct fil_writer *writer, uint32_t index, const struct axis *axis,
                       double bottom)
{
    double left = panel_x(index);
    write_label(writer, left, HEAD_HEIGHT - 28, "panel", panels[index].title);
    if (axis->is_logarithmic) {
        double value = axis->low;
        while (value <= axis->high * 1.01) {
            write_tick(writer, left + length_of(axis, value), value, bottom);
            value *= 10;
        }
        return;
    }
    double step = choose_step(axis->high);
    for (int i = 0; i * step <= axis->high; i++) {
        write_tick(writer, left + length_of(axis, i * step), i * step, bottom);
    }
}

static void write_bars(struct fil_writer *writer, const struct lab_result *result, uint32_t index,
                       const struct axis *axis, double y)
{
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        char text[16];
        double value = lab_result_median(result, (enum lab_case_id)i, panels[index].figure);
        double length = length_of(axis, value);
        double top = y + i * BAR_HEIGHT;
        (void)fil_writer_format(writer,
                                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                                "fill=\"%s\"/>\n",
                                panel_x(index), top, fmax(length, 0.5), BAR_HEIGHT - 1, colors[i]);
        write_label(writer, panel_x(index) + length + 3, top + BAR_HEIGHT - 1.8, "value",
                    format_value(value, text));
    }
}

static void write_row(struct fil_writer *writer, const struct lab_result *result,
                      const struct axis *axes, double y)
{
    double middle = y + BAR_HEIGHT * LAB_CASE_COUNT / 2 + 4;
    write_label(writer, MARGIN + LABEL_WIDTH - 10, middle, "row", result->setting->title);
    if (result->error != FIL_OK) {
        write_label(writer, panel_x(0), middle, "value", fil_error_text(result->error));
        return;
    }
    for (uint32_t i = 0; i < PANEL_COUNT; i++) {
        write_bars(writer, result, i, &axes[i], y);
    }
}

static void write_legend(struct fil_writer *writer)
{
    for (uint32_t i = 0; i < LAB_CASE_COUNT; i++) {
        double x = MARGIN + LABEL_WIDTH + i * 130;
        (void)fil_writer_format(
            writer, "<rect x=\"%.1f\" y=\"54\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
            colors[i]);
        write_label(writer, x + 18, 64, "legend", lab_cases[i].title);
    }
}

static void write_head(struct fil_writer *writer, const struct lab_report *report, double height)
{
    (void)fil_writer_format(
        writer,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\">\n<style>\n"
        ".title{font-size:17px;font-weight:bold}.note,.legend{font-size:12px;fill:#444}\n"
        ".panel{font-size:12px;font-weight:bold}.group{font-size:12px;font-weight:bold}\n"
        ".row{font-size:12px;text-anchor:end}.tick{font-size:9px;fill:#666;text-anchor:middle}\n"
        ".value{font-size:8.5px;fill:#222}.grid{stroke:#ddd;stroke-width:1}\n</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        PAGE_WIDTH, height, PAGE_WIDTH, height);
    write_label(writer, MARGIN, 28, "title", "Filbert stage lab");
    char note[3 * LAB_TEXT_MAX];
    (void)snprintf(note, sizeof(note), "%s; %s; median of %u round%s", report->machine,
                   report->place, report->round_count, report->round_count == 1 ? "" : "s");
    write_label(writer, MARGIN + LABEL_WIDTH, 28, "note", note);
    write_legend(writer);
}

static double page_height(const struct lab_report *report)
{
    double height = HEAD_HEIGHT + FOOT_HEIGHT;
    const char *group = NULL;
    for (uint32_t i = 0; i < report->count; i++) {
        height += ROW_HEIGHT;
        height += report->results[i].setting->group != group ? GROUP_HEIGHT : 0;
        group = report->results[i].setting->group;
    }
    return height;
}

static void write_rows(struct fil_writer *writer, const struct lab_report *report,
                       const struct axis *axes)
{
    double y = HEAD_HEIGHT;
    const char *group = NULL;
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->results[i].setting->group != group) {
            group = report->results[i].setting->group;
            write_label(writer, MARGIN, y + GROUP_HEIGHT - 9, "group", group);
            y += GROUP_HEIGHT;
        }
        write_row(writer, &report->results[i], axes, y);
        y += ROW_HEIGHT;
    }
}

void lab_report_plot(const struct lab_report *report, struct fil_writer *writer)
{
    double height = page_height(report);
    struct axis axes[PANEL_COUNT];
    write_head(writer, report, height);
    for (uint32_t i = 0; i < PANEL_COUNT; i++) {
        axes[i] = make_axis(report, &panels[i]);
        write_axis(writer, i, &axes[i], height - FOOT_HEIGHT);
    }
    write_rows(writer, report, axes);
    char advice[1024];
    struct fil_writer text;
    fil_writer_init(&text, advice, sizeof(advice) - 1);
    lab_report_advise(report, &text);
    advice[text.size] = '\0';
    write_label(writer, MARGIN, height - 12, "note", advice);
    (void)fil_writer_text(writer, "</svg>\n");
}
