// SPDX-License-Identifier: Apache-2.0
/** How many requests are due when, and what became of those of each tenth of a second. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_STEPS_MAX 16U
#define SCHEDULE_BINS_MAX  1024U

struct schedule_step {
    double rate;       // a second
    uint64_t until_ns; // from the beginning; of the last one it means nothing
};

struct schedule_bin {
    uint64_t due;
    uint64_t ok;
};

struct schedule {
    struct schedule_step steps[SCHEDULE_STEPS_MAX];
    uint32_t step_count;
    struct schedule_bin bins[SCHEDULE_BINS_MAX];
};

/** "700", or "700:2000,3000:5000,700:2000" in milliseconds; false: it is neither. */
bool schedule_read(struct schedule *schedule, const char *text);

/** The rate at that time; before the beginning that of the first step. */
double schedule_rate(const struct schedule *schedule, double elapsed_ns);

/** What was due at that time. */
struct schedule_bin *schedule_bin(struct schedule *schedule, uint64_t elapsed_ns);

/** The end of a JSON object: the bins, if there are several steps. */
void schedule_print(const struct schedule *schedule, double seconds);
