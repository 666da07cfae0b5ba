// SPDX-License-Identifier: Apache-2.0
#include "measure_plot.h"

#include <math.h>

#define WIDTH     860.0
#define HEIGHT    460.0
#define LEFT      80.0
#define RIGHT     30.0
#define TOP       60.0
#define BOTTOM    60.0
#define NINES_MAX 5   // up to the quantile 0.99999
#define STEPS     240 // of a line
#define NS_PER_US 1000.0

static const char *const colors[] = {"#4878a8", "#e08a3c", "#6a9f58", "#a05a9c"};

/** The decades of microseconds that the axis shows. */
struct range {
    double low;
    double high;
};

static double x_of(double nines)
{
    return LEFT + nines / NINES_MAX * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct range *range, double us)
{
    double part = (log10(us) - range->low) / (range->high - range->low);
    return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

static double latency_us(const struct fil_histogram *latency_ns, double nines)
{
    double us = (double)fil_histogram_quantile(latency_ns, 1 - pow(10, -nines)) / NS_PER_US;
    return us < 0.1 ? 0.1 : us;
}

static struct range find_range(const struct load_plot_line *lines, uint32_t count)
{
    struct range range = {.low = 9, .high = -1};
    for (uint32_t i = 0; i < count; i++) {
        double low = log10(latency_us(lines[i].latency_ns, 0));
        double high = log10(latency_us(lines[i].latency_ns, NINES_MAX));
        range.low = fmin(range.low, floor(low));
        range.high = fmax(range.high, ceil(high));
    }
    range.high = range.high <= range.low ? range.low + 1 : range.high;
    return range;
}

static void write_axes(const struct range *range, struct fil_writer *writer)
{
    static const char *const quantiles[] = {"0", "0.9", "0.99", "0.999", "0.9999", "0.99999"};
    for (int i = 0; i <= NINES_MAX; i++) {
        (void)fil_writer_format(writer,
                                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n"
                                "<text x=\"%.1f\" y=\"%.1f\" class=\"m\">%s</text>\n",
                                x_of(i), x_of(i), TOP, HEIGHT - BOTTOM, x_of(i),
                                HEIGHT - BOTTOM + 20, quantiles[i]);
    }
    for (int i = (int)range->low; i <= (int)range->high; i++) {
        double y = y_of(range, pow(10, i));
        (void)fil_writer_format(writer,
                                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n"
                                "<text x=\"%.1f\" y=\"%.1f\" class=\"e\">%g us</text>\n",
                                LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, pow(10, i));
    }
}

static void write_line(const struct load_plot_line *line, uint32_t index, const struct range *range,
                       struct fil_writer *writer)
{
    const char *color = colors[index % FIL_COUNT_OF(colors)];
    (void)fil_writer_format(writer, "<polyline stroke=\"%s\" points=\"", color);
    for (int i = 0; i <= STEPS; i++) {
        double nines = (double)i / STEPS * NINES_MAX;
        (void)fil_writer_format(writer, "%.1f,%.1f ", x_of(nines),
                                y_of(range, latency_us(line->latency_ns, nines)));
    }
    (void)fil_writer_format(writer, "\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n",
                            LEFT + 12, TOP + 18 + 18 * (double)index, color, line->name);
}

void load_measure_plot(const struct load_plot_line *lines, uint32_t count, const char *title,
                       struct fil_writer *writer)
{
    struct range range = find_range(lines, count);
    (void)fil_writer_format(
        writer,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n"
        "<style>text{font:13px sans-serif}.m{text-anchor:middle}.e{text-anchor:end}"
        "line{stroke:#ddd}polyline{fill:none;stroke-width:2}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"%.0f\" y=\"30\" style=\"font-size:16px\">%s</text>\n"
        "<text x=\"%.0f\" y=\"%.0f\" class=\"m\">quantile</text>\n",
        WIDTH, HEIGHT, WIDTH, LEFT, title, WIDTH / 2, HEIGHT - 14);
    write_axes(&range, writer);
    for (uint32_t i = 0; i < count; i++) {
        write_line(&lines[i], i, &range, writer);
    }
    (void)fil_writer_text(writer, "</svg>\n");
}
