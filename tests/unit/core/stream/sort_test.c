// SPDX-License-Identifier: Apache-2.0
/**
 * Sorting: the same output under all schedules of the kit, and the right one, also of more records
 * than a run has; numbers, doubles and texts have their order, up and down, and what is no number
 * comes last; too little memory is an error.
 */
#include "core/stream/sort.h"

#include <math.h>
#include <stddef.h>

#include "lib/base/prng.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define FEW  100U
#define MANY 20000U

struct record {
    int64_t number;
    double real;
    char text[8];
};

static struct record records[MANY];
static int64_t times[MANY];

static int set_up(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 5);
    for (uint32_t i = 0; i < MANY; i++) {
        records[i] = (struct record){.number = (int64_t)fil_prng_below(&prng, 50) - 25,
                                     .real = (double)fil_prng_below(&prng, 100) / 7 - 5};
        records[i].text[0] = (char)('a' + fil_prng_below(&prng, 20));
        times[i] = (int64_t)i;
    }
    records[3].real = -(double)NAN;
    records[4].real = -0.0;
    return 0;
}

static struct kit_case case_of(const struct fil_sort_config *config, uint32_t count)
{
    return (struct kit_case){.ops = &fil_sort_ops,
                             .config = config,
                             .in_stride = sizeof(struct record),
                             .out_stride = sizeof(struct record),
                             .records = records,
                             .times = times,
                             .count = count};
}

static struct fil_sort_config by(enum fil_order_kind kind, uint32_t offset, bool is_descending)
{
    return (struct fil_sort_config){
        .order = {
            .fields = {{.kind = kind, .offset = offset, .size = 8, .is_descending = is_descending}},
            .field_count = 1,
            .record_size = sizeof(struct record)}};
}

static const struct record *at(const struct kit_output *output, uint32_t index)
{
    return (const struct record *)(const void *)(output->records + (size_t)index * output->stride);
}

static bool are_ordered(enum fil_order_kind kind, const struct record *a, const struct record *b)
{
    switch (kind) {
    case FIL_ORDER_I64:
        return a->number <= b->number;
    case FIL_ORDER_F64:
        return isnan(b->real) || a->real <= b->real;
    case FIL_ORDER_TEXT:
        break;
    }
    return memcmp(a->text, b->text, sizeof(a->text)) <= 0;
}

static void test_output_is_sorted_under_all_schedules(void **state)
{
    (void)state;
    const uint32_t offsets[] = {[FIL_ORDER_I64] = offsetof(struct record, number),
                                [FIL_ORDER_F64] = offsetof(struct record, real),
                                [FIL_ORDER_TEXT] = offsetof(struct record, text)};
    for (uint32_t kind = 0; kind < 6; kind++) {
        bool is_descending = kind >= 3;
        const struct fil_sort_config config =
            by((enum fil_order_kind)(kind % 3), offsets[kind % 3], is_descending);
        const struct kit_case each = case_of(&config, FEW);
        struct kit_output output;
        kit_check(&each, &output, NULL, NULL);
        assert_int_equal(output.count, FEW);
        for (uint32_t i = 1; i < FEW; i++) {
            const struct record *first = at(&output, is_descending ? i : i - 1);
            const struct record *second = at(&output, is_descending ? i - 1 : i);
            assert_true(are_ordered((enum fil_order_kind)(kind % 3), first, second));
        }
        kit_output_fini(&output);
    }
}

static void test_many_records_are_sorted(void **state)
{
    (void)state;
    const struct fil_sort_config config = by(FIL_ORDER_I64, 0, false);
    const struct kit_case each = case_of(&config, MANY);
    const struct kit_schedule schedules[] = {
        {.inbox_max = 1024, .batch_records = 256},
        {.inbox_max = 1000, .batch_records = 100, .refusal_seed = 3, .snapshot_every = 5000}};
    for (uint32_t j = 0; j < FIL_COUNT_OF(schedules); j++) {
        struct kit_output output;
        assert_int_equal(kit_run(&each, &schedules[j], &output), FIL_OK);
        assert_int_equal(output.count, MANY);
        for (uint32_t i = 1; i < MANY; i++) {
            assert_true(fil_order_compare(&config.order, at(&output, i - 1), at(&output, i)) <= 0);
        }
        kit_output_fini(&output);
    }
}

static void test_nothing_is_sorted_to_nothing(void **state)
{
    (void)state;
    const struct fil_sort_config config = by(FIL_ORDER_I64, 0, false);
    const struct kit_case each = case_of(&config, 0);
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 0);
    kit_output_fini(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_output_is_sorted_under_all_schedules, set_up),
        cmocka_unit_test_setup(test_many_records_are_sorted, set_up),
        cmocka_unit_test_setup(test_nothing_is_sorted_to_nothing, set_up),
    };
    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
