// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

const struct lab_result *lab_report_find(const struct lab_report *report, const char *name)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const struct lab_result *result = &report->results[i];
        if (strcmp(result->setting->name, name) == 0) {
            return result->error == FIL_OK ? result : NULL;
        }
    }
    return NULL;
}

double lab_result_median(const struct lab_result *result, enum lab_case_id load_case,
                         enum lab_figure_id figure)
{
    fil_assert(load_case < LAB_CASE_COUNT);
    return lab_series_summary(&result->series[load_case], figure).median;
}
