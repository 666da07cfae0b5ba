// SPDX-License-Identifier: Apache-2.0
/** A package that needs a function which no program has. */
#include <filbert/package.h>

void fil_stage_of_tomorrow(struct fil_pipeline *pipeline);

static int build(struct fil_pipeline *pipeline)
{
    fil_stage_of_tomorrow(pipeline);
    return FIL_OK;
}

FIL_PACKAGE("tomorrow", build, {.guarantee = FIL_GUARANTEE_NONE})
