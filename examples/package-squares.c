// SPDX-License-Identifier: Apache-2.0
/**
 * A stream job as a package, a shared object: squares of numbers, summed up by their last digit.
 *
 *   filbert job run build/release/examples/package-squares.so
 */
#include <inttypes.h>
#include <stdio.h>

#include <filbert/package.h>

struct number {
    int64_t digit;
    int64_t value;
};
static const struct fil_field number_fields[] = {FIL_I64(struct number, digit),
                                                 FIL_I64(struct number, value)};
static const struct fil_type number_type = FIL_TYPE(struct number, number_fields);

static void write_number(void *context, uint64_t sequence, void *out_record)
{
    struct number *number = out_record;
    (void)context;
    number->digit = (int64_t)(sequence % 10);
    number->value = (int64_t)sequence;
}

static void square(void *context, const void *record, void *out_record)
{
    const struct number *from = record;
    struct number *to = out_record;
    (void)context;
    to->digit = from->digit;
    to->value = from->value * from->value;
}

/* A result: the key and the sum. */
static int print_sum(void *context, const void *record)
{
    const int64_t *sum = record;
    (void)context;
    return printf("%" PRId64 " %" PRId64 "\n", sum[0], sum[1]) > 0 ? FIL_OK : FIL_E_IO;
}

static int build(struct fil_pipeline *pipeline)
{
    const struct fil_read_options read = {.count = 1000};
    const struct fil_group_by by_digit = {
        .key = "digit", .aggregates = {{.kind = FIL_AGGREGATION_SUM, .field = "value"}}};
    struct fil_stage *numbers =
        fil_read_generator(pipeline, &number_type, write_number, NULL, &read);
    struct fil_stage *squares = fil_stage_map(numbers, &number_type, square, NULL);
    fil_write_function(fil_stage_aggregate(squares, &by_digit), print_sum, NULL);
    return FIL_OK;
}

FIL_PACKAGE("squares", build, {.guarantee = FIL_GUARANTEE_NONE})
