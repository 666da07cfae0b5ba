// SPDX-License-Identifier: Apache-2.0
/** What is measured in the lab: the loads, the figures, and their medians over the rounds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LAB_ROUNDS_MAX 32U

enum lab_case_id {
    LAB_CASE_SINGLE,
    LAB_CASE_PIPELINED,
    LAB_CASE_MIXED,
    LAB_CASE_COUNT
};

struct lab_case {
    const char *name;  // for programs
    const char *title; // for people
    uint32_t pipeline;
    bool is_mixed;
};

extern const struct lab_case lab_cases[LAB_CASE_COUNT];

enum lab_figure_id {
    LAB_FIGURE_THROUGHPUT, // operations a second
    LAB_FIGURE_CPU,        // the server's processor time an operation, ns
    LAB_FIGURE_SWITCHES,   // the server's context switches for 1000 operations
    LAB_FIGURE_P99,        // of the short operations, us
    LAB_FIGURE_P50,        // the same
    LAB_FIGURE_LOAD,       // how busy the generator was, of a core
    LAB_FIGURE_COUNT
};

/** One measurement. */
struct lab_sample {
    double values[LAB_FIGURE_COUNT];
};

/** All measurements of one setting under one load. */
struct lab_series {
    struct lab_sample samples[LAB_ROUNDS_MAX];
    uint32_t count;
};

struct lab_summary {
    double median;
    double low;
    double high;
};

/** Adds a measurement; the series has room for LAB_ROUNDS_MAX. */
void lab_series_add(struct lab_series *series, const struct lab_sample *sample);

/** Median, smallest and largest; all 0 for an empty series. */
struct lab_summary lab_series_summary(const struct lab_series *series, enum lab_figure_id figure);

/** The same of any values, which are put in order; count is at most LAB_ROUNDS_MAX. */
struct lab_summary lab_summarize(double *values, uint32_t count);
