// SPDX-License-Identifier: Apache-2.0
/** The distribution of latencies as a picture: one line a measurement. */
#pragma once

#include "measure.h"

struct load_plot_line {
    const char *name;
    const struct fil_histogram *latency_ns;
};

/** Writes an SVG. The axis of quantiles is stretched towards the end: each nine is as wide. */
void load_measure_plot(const struct load_plot_line *lines, uint32_t count, const char *title,
                       struct fil_writer *writer);
