// SPDX-License-Identifier: Apache-2.0
/** A package whose pipeline has a mistake. */
#include <filbert/package.h>

static int build(struct fil_pipeline *pipeline)
{
    fil_write_function(fil_read_list(pipeline, 0, 0, 0), 0, 0);
    return FIL_OK;
}

FIL_PACKAGE("mistake", build, {.guarantee = FIL_GUARANTEE_NONE})
