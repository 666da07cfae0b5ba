// SPDX-License-Identifier: Apache-2.0
/** The stage lab: runs every setting under every load, round after round, and reports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"
#include "report.h"

struct lab_stages_options {
    struct fil_env *env;
    double seconds;       // that each setting is measured under each load, over all rounds
    uint32_t round_count; // 1 to LAB_ROUNDS_MAX
    const char *only;     // names with commas between them; NULL: all
    uint32_t key_count;
    void (*progress)(void *context, uint32_t done, uint32_t total); // may be NULL
    void *context;
};

void lab_stages_defaults(struct lab_stages_options *out_options, struct fil_env *env);

/** Only shows that it works: few keys, one short round. */
void lab_stages_hurry(struct lab_stages_options *options);

/** FIL_E_NOT_FOUND when `only` has a name that is none; a setting that fails is in the report. */
int lab_stages_run(const struct lab_stages_options *options, struct lab_report *out_report)
    FIL_NODISCARD;

void lab_report_fini(struct lab_report *report);
