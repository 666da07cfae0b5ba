// SPDX-License-Identifier: Apache-2.0
/** What a measurement over RESP has found, for people and for programs. */
#pragma once

#include "lib/base/cursor.h"
#include "measure.h"

/** Two servers under the same load, and how they compare: the first over the second. */
void load_measure_report_ratios(const char *first, const char *second,
                                const struct load_measure_summary *summaries, bool is_json,
                                struct fil_writer *writer);

void load_measure_report_table(const struct load_measure_options *options,
                               const struct load_measure_summary *summary,
                               struct fil_writer *writer);

void load_measure_report_json(const struct load_measure_options *options,
                              const struct load_measure_summary *summary,
                              struct fil_writer *writer);
