// SPDX-License-Identifier: Apache-2.0
/**
 * The inner loop of an exchange: whatever the number of targets and the size of a row, each record
 * goes with its time to the target of its hash, behind those that came before it.
 */
#include "core/stream/scatter.h"

#include <string.h>

#include "core/stream/key.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define RECORDS    200U
#define STRIDE_MAX 40U

static uint8_t from[RECORDS * STRIDE_MAX];
static int64_t from_times[RECORDS];
static uint64_t hashes[RECORDS];
static uint8_t rows[FIL_SCATTER_TARGETS_MAX][RECORDS * STRIDE_MAX];
static int64_t times[FIL_SCATTER_TARGETS_MAX][RECORDS];

static void fill(uint64_t seed)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    for (uint32_t i = 0; i < sizeof(from); i++) {
        from[i] = (uint8_t)fil_prng_below(&prng, 256);
    }
    for (uint32_t i = 0; i < RECORDS; i++) {
        from_times[i] = (int64_t)fil_prng_below(&prng, 1000);
        hashes[i] = fil_key_mix(fil_prng_below(&prng, UINT64_MAX));
    }
}

static void check(uint32_t target_count, uint32_t stride, bool has_times)
{
    struct fil_scatter scatter = {.target_count = target_count,
                                  .from_rows = from,
                                  .from_times = has_times ? from_times : NULL,
                                  .hashes = hashes,
                                  .count = RECORDS};
    for (uint32_t i = 0; i < target_count; i++) {
        scatter.rows[i] = rows[i];
        scatter.times[i] = has_times ? times[i] : NULL;
    }
    fil_scatter(&scatter, stride);
    uint32_t counts[FIL_SCATTER_TARGETS_MAX] = {0};
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint32_t target = fil_key_part(hashes[i], target_count);
        uint32_t place = counts[target]++;
        assert_memory_equal(&rows[target][place * stride], &from[i * stride], stride);
        assert_true(!has_times || times[target][place] == from_times[i]);
    }
    assert_memory_equal(scatter.counts, counts, target_count * sizeof(counts[0]));
}

static void test_each_record_goes_to_its_target_in_order(void **state)
{
    (void)state;
    for (uint32_t targets = 1; targets <= FIL_SCATTER_TARGETS_MAX; targets++) {
        for (uint32_t stride = 8; stride <= STRIDE_MAX; stride += 8) {
            fill(targets * 100 + stride);
            check(targets, stride, true);
            check(targets, stride, false);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_record_goes_to_its_target_in_order),
    };
    return cmocka_run_group_tests_name("scatter", tests, NULL, NULL);
}
