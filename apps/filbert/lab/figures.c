// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include "lib/base/assert.h"

const struct lab_case lab_cases[LAB_CASE_COUNT] = {
    [LAB_CASE_SINGLE] = {.name = "single", .title = "no pipeline", .pipeline = 1},
    [LAB_CASE_PIPELINED] = {.name = "pipelined", .title = "pipeline 16", .pipeline = 16},
    [LAB_CASE_MIXED] = {.name = "mixed",
                        .title = "1 in 1000 long",
                        .pipeline = 1,
                        .is_mixed = true},
};

void lab_series_add(struct lab_series *series, const struct lab_sample *sample)
{
    fil_assert(series->count < LAB_ROUNDS_MAX);
    series->samples[series->count] = *sample;
    series->count++;
}

static void sort(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
}

struct lab_summary lab_summarize(double *values, uint32_t count)
{
    if (count == 0) {
        return (struct lab_summary){0};
    }
    fil_assert(count <= LAB_ROUNDS_MAX);
    sort(values, count);
    double upper = values[count / 2];
    double lower = values[(count - 1) / 2];
    return (struct lab_summary){
        .median = (lower + upper) / 2, .low = values[0], .high = values[count - 1]};
}

struct lab_summary lab_series_summary(const struct lab_series *series, enum lab_figure_id figure)
{
    double values[LAB_ROUNDS_MAX];
    fil_assert(figure < LAB_FIGURE_COUNT);
    for (uint32_t i = 0; i < series->count; i++) {
        values[i] = series->samples[i].values[figure];
    }
    return lab_summarize(values, series->count);
}
