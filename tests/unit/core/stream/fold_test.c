// SPDX-License-Identifier: Apache-2.0
/**
 * Folding in front of an exchange: under every schedule, with tables from none to large and with
 * slices or without, the states that come out are together those of the records that went in, none
 * is left when its slice is passed by a watermark, and few keys become few states; where nothing
 * can be folded records pass one by one; a snapshot holds nothing of it; idle input holds nothing
 * back; times at the ends of the range are refused.
 */
#include "core/stream/fold.h"

#include "core/stream/watermark.h"
#include "core/stream/window.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define RECORDS 20000U
#define KEYS    4000U
#define SLIDE   100
#define SLICES  16U

struct event {
    uint64_t key;
    int64_t value;
};

struct part {
    int64_t start;
    int64_t end;
    uint64_t key;
    uint64_t count;
    int64_t sum;
};

static struct event events[RECORDS];
static int64_t times[RECORDS];
static int64_t watermarks[RECORDS];
static int64_t wanted[SLICES][KEYS];
static int64_t got[SLICES][KEYS];

static void make_events(uint64_t seed, uint32_t count, uint32_t keys)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    memset(wanted, 0, sizeof(wanted));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slice = i * SLICES / count;
        slice -= slice != 0 && fil_prng_below(&prng, 4) == 0; // out of order
        events[i] = (struct event){.key = fil_prng_below(&prng, keys),
                                   .value = (int64_t)fil_prng_below(&prng, 2001) - 1000};
        times[i] = (int64_t)slice * SLIDE - 500 + (int64_t)fil_prng_below(&prng, SLIDE);
        watermarks[i] = i % 97 == 0 ? ((int64_t)slice - 1) * SLIDE - 500 : KIT_NO_WATERMARK;
        wanted[slice][events[i].key] += events[i].value;
    }
}

static struct fil_fold_config config_of(int64_t slide, uint32_t place_max)
{
    return (struct fil_fold_config){.key = {.size = 8},
                                    .aggregate = fil_aggregate_sum(8),
                                    .slide = slide,
                                    .place_max = place_max};
}

static struct kit_case case_of(const struct fil_fold_config *config, uint32_t count)
{
    return (struct kit_case){.ops = &fil_fold_ops,
                             .config = config,
                             .in_stride = sizeof(struct event),
                             .out_stride = fil_fold_result_bytes(config),
                             .records = events,
                             .times = times,
                             .watermarks = watermarks,
                             .count = count};
}

/** Adds what came out; without slices all of it is in the first. The number of records. */
static uint64_t add_parts(const struct kit_output *output, bool has_slices)
{
    uint64_t count = 0;
    memset(got, 0, sizeof(got));
    for (uint32_t i = 0; i < output->count; i++) {
        struct part part = {.start = -500, .end = -500 + SLIDE};
        const uint8_t *row = output->records + (size_t)i * output->stride;
        memcpy(has_slices ? (void *)&part.start : (void *)&part.key, row, output->stride);
        assert_int_equal(part.end, part.start + SLIDE);
        got[(part.start + 500) / SLIDE][part.key] += part.sum;
        count += part.count;
    }
    return count;
}

static void check_parts(const struct kit_output *output, bool has_slices, uint64_t count)
{
    assert_int_equal(add_parts(output, has_slices), count);
    for (uint32_t key = 0; key < KEYS; key++) {
        int64_t sum = 0;
        for (uint32_t slice = 0; slice < SLICES; slice++) {
            sum += wanted[slice][key];
            assert_true(!has_slices || got[slice][key] == wanted[slice][key]);
        }
        assert_true(has_slices || got[0][key] == sum);
    }
}

static const struct kit_schedule schedules[] = {
    {.inbox_max = 1024, .batch_records = 256},
    {.inbox_max = 1, .batch_records = 256},
    {.inbox_max = 3, .batch_records = 2, .refusal_seed = 2},
    {.inbox_max = 1024, .batch_records = 1, .refusal_seed = 3},
    {.inbox_max = 1, .batch_records = 4, .snapshot_every = 1},
    {.inbox_max = 5, .batch_records = 3, .refusal_seed = 6, .snapshot_every = 10},
};

static void run_all(const struct fil_fold_config *config, uint32_t count)
{
    struct kit_case each = case_of(config, count);
    for (uint32_t i = 0; i < FIL_COUNT_OF(schedules); i++) {
        struct kit_output output;
        assert_int_equal(kit_run(&each, &schedules[i], &output), FIL_OK);
        check_parts(&output, config->slide != 0, count);
        kit_output_fini(&output);
    }
}

static void test_states_are_those_of_the_records(void **state)
{
    (void)state;
    const uint32_t places[] = {1, 8, 64, 0}; // one place is no table
    for (uint32_t i = 0; i < FIL_COUNT_OF(places) * 2; i++) {
        make_events(i + 1, 1500, i % 3 == 0 ? 7 : KEYS);
        const struct fil_fold_config config = config_of(i % 2 == 0 ? SLIDE : 0, places[i / 2]);
        run_all(&config, 1500);
    }
}

static uint32_t count_states(uint32_t keys, uint32_t place_max)
{
    make_events(77, RECORDS, keys);
    const struct fil_fold_config config = config_of(0, place_max);
    struct kit_case each = case_of(&config, RECORDS);
    struct kit_output output;
    assert_int_equal(kit_run(&each, &schedules[0], &output), FIL_OK);
    check_parts(&output, false, RECORDS);
    uint32_t count = output.count;
    kit_output_fini(&output);
    return count;
}

static void test_few_keys_are_few_states(void **state)
{
    (void)state;
    assert_int_equal(count_states(50, 0), 50);
    uint32_t count = count_states(KEYS, 0); // a few of them find their places taken
    assert_true(count > KEYS * 9 / 10 && count < KEYS * 11 / 10);
}

static void test_what_cannot_be_folded_passes(void **state)
{
    (void)state;
    // Nearly all find their places taken; after the first thousands nothing is tried any more.
    uint32_t count = count_states(KEYS, 64);
    assert_true(count > RECORDS / 2 && count <= RECORDS);
}

/** An instance outside of the kit, with an output that always has room. */
struct bare {
    struct fil_budget budget;
    struct fil_batch_pools pools;
    struct fil_edge edge;
    struct fil_outlet outlet;
    struct fil_ring ring;
    struct fil_processor_context context;
    void *self;
};

static void open_bare(struct bare *bare, const struct fil_fold_config *config, uint64_t limit_bytes)
{
    *bare = (struct bare){
        .edge = {.layout = {.stride = fil_fold_result_bytes(config), .has_times = true}}};
    fil_budget_init(&bare->budget, limit_bytes);
    fil_batch_pools_init(&bare->pools, &bare->budget);
    assert_int_equal(fil_ring_init(&bare->ring, 64, UINT64_C(1) << 30), FIL_OK);
    assert_int_equal(fil_outlet_init(&bare->outlet, &bare->edge, 1), FIL_OK);
    bare->outlet.targets[0] = &bare->ring;
    bare->context = (struct fil_processor_context){
        .count = 1,
        .budget = &bare->budget,
        .outbox = {.outlets = &bare->outlet, .count = 1, .pools = &bare->pools, .quota = 64}};
    bare->self = fil_alloc_zero(1, fil_fold_ops.size);
    assert_non_null(bare->self);
    assert_int_equal(fil_fold_ops.init(bare->self, &bare->context, config), FIL_OK);
}

static int give(struct bare *bare, uint64_t key, int64_t time)
{
    const struct fil_layout layout = {.stride = sizeof(struct event), .has_times = true};
    struct fil_batch *batch = fil_batch_new(&bare->pools, &layout, 0);
    assert_non_null(batch);
    const struct event event = {.key = key, .value = 1};
    void *room = fil_batch_room(batch, sizeof(event));
    fil_assert(room != NULL);
    memcpy(room, &event, sizeof(event));
    fil_batch_commit(batch, sizeof(event), time, 0);
    struct fil_inbox inbox = {.batch = batch, .limit = 1};
    int result = fil_fold_ops.process(bare->self, &bare->context, &inbox);
    fil_batch_unref(batch);
    return result;
}

/** States that have gone out since. */
static uint32_t take_states(struct bare *bare)
{
    assert_int_equal(fil_outlet_flush(&bare->outlet, &bare->pools), FIL_OK);
    uint32_t count = 0;
    for (struct fil_batch *batch = fil_ring_take(&bare->ring); batch != NULL;
         batch = fil_ring_take(&bare->ring)) {
        count += batch->count;
        fil_batch_unref(batch);
    }
    return count;
}

static void close_bare(struct bare *bare)
{
    fil_fold_ops.close(bare->self);
    fil_free(bare->self);
    fil_outlet_fini(&bare->outlet);
    fil_ring_fini(&bare->ring);
    fil_batch_pools_fini(&bare->pools);
    assert_int_equal(fil_budget_drawn(&bare->budget), 0);
}

static void test_states_wait_for_their_watermark(void **state)
{
    (void)state;
    const struct fil_fold_config config = config_of(SLIDE, 0);
    struct bare bare;
    open_bare(&bare, &config, UINT64_C(1) << 30);
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(give(&bare, i % 3, i % 2 == 0 ? 10 : 210), FIL_OK);
    }
    assert_int_equal(take_states(&bare), 0);
    assert_int_equal(fil_fold_ops.process_watermark(bare.self, &bare.context, 99), FIL_OK);
    assert_int_equal(take_states(&bare), 0);
    assert_int_equal(fil_fold_ops.process_watermark(bare.self, &bare.context, 100), FIL_OK);
    assert_int_equal(take_states(&bare), 3);
    assert_int_equal(give(&bare, 1, 20), FIL_OK); // late: who comes behind judges
    assert_int_equal(fil_fold_ops.process_watermark(bare.self, &bare.context, 110), FIL_OK);
    assert_int_equal(take_states(&bare), 1);
    assert_int_equal(fil_fold_ops.process_idle(bare.self, &bare.context), FIL_OK);
    assert_int_equal(take_states(&bare), 3);
    close_bare(&bare);
}

static void test_no_memory_is_no_table(void **state)
{
    (void)state;
    const struct fil_fold_config config = config_of(0, 0);
    struct bare bare;
    open_bare(&bare, &config, UINT64_C(1) << 30);
    bare.budget.limit_bytes = 0;
    struct bare poor;
    open_bare(&poor, &config, 100);
    poor.budget.limit_bytes = UINT64_C(1) << 30; // batches are another matter
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(give(&poor, 1, 0), FIL_OK);
    }
    assert_int_equal(take_states(&poor), 10);
    close_bare(&poor);
    close_bare(&bare);
}

static void test_times_at_the_ends_are_refused(void **state)
{
    (void)state;
    const struct fil_fold_config config = config_of(SLIDE, 0);
    struct bare bare;
    open_bare(&bare, &config, UINT64_C(1) << 30);
    assert_int_equal(give(&bare, 1, FIL_TIME_NONE), FIL_E_INVALID);
    assert_int_equal(give(&bare, 1, INT64_MAX - SLIDE), FIL_E_INVALID);
    close_bare(&bare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_are_those_of_the_records),
        cmocka_unit_test(test_few_keys_are_few_states),
        cmocka_unit_test(test_what_cannot_be_folded_passes),
        cmocka_unit_test(test_states_wait_for_their_watermark),
        cmocka_unit_test(test_no_memory_is_no_table),
        cmocka_unit_test(test_times_at_the_ends_are_refused),
    };
    return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
