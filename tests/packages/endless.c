// SPDX-License-Identifier: Apache-2.0
/** A good package: numbers, ten a second, until it is cancelled. */
#include <string.h>

#include <filbert/package.h>

static const struct fil_field fields[] = {{"v", FIL_FIELD_I64, 0, 8}};
static const struct fil_type type = {"v", 8, fields, 1};

static void write_number(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    memcpy(out_record, &sequence, sizeof(sequence));
}

static int take(void *context, const void *record)
{
    (void)context;
    (void)record;
    return FIL_OK;
}

static int build(struct fil_pipeline *pipeline)
{
    const struct fil_read_options read = {.rate_a_second = 10};
    fil_write_function(fil_read_generator(pipeline, &type, write_number, 0, &read), take, 0);
    return FIL_OK;
}

FIL_PACKAGE("endless", build, {.guarantee = FIL_GUARANTEE_AT_LEAST_ONCE})
