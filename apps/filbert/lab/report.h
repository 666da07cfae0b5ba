// SPDX-License-Identifier: Apache-2.0
/** What a run of the stage lab has found, and its forms: table, JSON, SVG, one sentence. */
#pragma once

#include <stdint.h>

#include "figures.h"
#include "lib/base/attr.h"
#include "lib/base/cursor.h"
#include "setting.h"

#define LAB_TEXT_MAX 256U

struct lab_result {
    const struct lab_setting *setting;
    int error; // why there are no figures, or FIL_OK
    struct lab_series series[LAB_CASE_COUNT];
};

struct lab_report {
    struct lab_result *results;
    uint32_t count;
    uint32_t round_count;
    double seconds; // that each setting was measured under each load
    char machine[LAB_TEXT_MAX];
    char place[LAB_TEXT_MAX];
};

/** NULL when the report has no such setting, or it failed. */
const struct lab_result *lab_report_find(const struct lab_report *report, const char *name);

/** The median of one figure. */
double lab_result_median(const struct lab_result *result, enum lab_case_id load_case,
                         enum lab_figure_id figure);

/** A table for each load. */
void lab_report_table(const struct lab_report *report, struct fil_writer *writer);

/** All samples; ends with a line end. */
void lab_report_json(const struct lab_report *report, struct fil_writer *writer);

/** Bars of throughput, processor time, context switches and p99 for each setting. */
void lab_report_plot(const struct lab_report *report, struct fil_writer *writer);

/** One sentence: what to set on this machine, with its worth, or why nothing. */
void lab_report_advise(const struct lab_report *report, struct fil_writer *writer);
