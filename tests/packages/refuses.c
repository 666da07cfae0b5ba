// SPDX-License-Identifier: Apache-2.0
/** A package that does not want to be built. */
#include <filbert/package.h>

static const struct fil_field fields[] = {{"v", FIL_FIELD_I64, 0, 8}};
static const struct fil_type type = {"v", 8, fields, 1};

static int take(void *context, const void *record)
{
    (void)context;
    (void)record;
    return FIL_OK;
}

static int build(struct fil_pipeline *pipeline)
{
    fil_write_function(fil_read_list(pipeline, &type, 0, 0), take, 0);
    return FIL_E_DENIED;
}

FIL_PACKAGE("refuses", build, {.guarantee = FIL_GUARANTEE_NONE})
