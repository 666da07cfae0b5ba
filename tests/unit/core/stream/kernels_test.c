// SPDX-License-Identifier: Apache-2.0
/**
 * Functions for many records at once give what those for one give, under all schedules of the kit:
 * a generator's, a map's that works in place or not, a filter's, a flat map's, and chains of maps
 * and filters. A batch that somebody else holds is not changed. A chain without functions, and one
 * whose memory is refused, are errors.
 */
#include "core/stream/block.h"
#include "core/stream/chain.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define RECORDS 600U

struct pair {
    uint64_t key;
    int64_t value;
};

static struct pair pairs[RECORDS];
static int64_t times[RECORDS];

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECORDS; i++) {
        pairs[i] = (struct pair){.key = i % 9, .value = (int64_t)i};
        times[i] = (int64_t)i * 2;
    }
    return 0;
}

static struct kit_case case_of(const struct fil_processor_ops *ops, const void *config,
                               uint32_t out_stride)
{
    return (struct kit_case){.ops = ops,
                             .config = config,
                             .in_stride = sizeof(struct pair),
                             .out_stride = out_stride,
                             .records = pairs,
                             .times = times,
                             .count = RECORDS};
}

static const struct pair *pair_at(const struct kit_output *output, uint32_t index)
{
    return (const void *)(output->records + (size_t)index * output->stride);
}

static void generate_many(void *context, const struct fil_generator_span *span)
{
    (void)context;
    struct pair *out = span->records;
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t number = span->first + i * span->step;
        out[i] = (struct pair){.key = number % 5, .value = (int64_t)number};
        span->times[i] = (int64_t)number;
    }
}

static void test_generator_of_many_writes_every_number_once(void **state)
{
    (void)state;
    const struct fil_generator_config config = {
        .generate_many = generate_many, .count = 1000, .time = {.lag = 10, .frame = 10}};
    struct kit_case each = case_of(&fil_generator_ops, &config, sizeof(struct pair));
    each.count = 0;
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 1000);
    int64_t sum = 0;
    for (uint32_t i = 0; i < output.count; i++) {
        assert_int_equal(pair_at(&output, i)->key, (uint64_t)pair_at(&output, i)->value % 5);
        sum += pair_at(&output, i)->value;
    }
    assert_int_equal(sum, 999 * 500);
    assert_int_equal(output.last_watermark, 980);
    kit_output_fini(&output);
}

static void add_key_many(void *context, const void *records, void *out_records, uint32_t count)
{
    (void)context;
    const struct pair *from = records;
    struct pair *to = out_records;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (struct pair){.key = from[i].key, .value = from[i].value + (int64_t)from[i].key};
    }
}

static void add_key(void *context, const void *record, void *out_record)
{
    add_key_many(context, record, out_record, 1);
}

static void test_map_of_many_is_the_map_of_each(void **state)
{
    (void)state;
    const struct fil_map_config config = {.map_many = add_key_many};
    const struct kit_case each = case_of(&fil_map_ops, &config, sizeof(struct pair));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, RECORDS);
    for (uint32_t i = 0; i < RECORDS; i++) {
        assert_int_equal(pair_at(&output, i)->value, i + i % 9);
    }
    kit_output_fini(&output);
}

static uint32_t select_odd(void *context, const void *records, uint32_t count, uint32_t *out_kept)
{
    (void)context;
    const struct pair *all = records;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        out_kept[kept] = i;
        kept += all[i].value % 2 != 0;
    }
    return kept;
}

static uint32_t select_all(void *context, const void *records, uint32_t count, uint32_t *out_kept)
{
    (void)context;
    (void)records;
    for (uint32_t i = 0; i < count; i++) {
        out_kept[i] = i;
    }
    return count;
}

static void test_filter_of_many_keeps_what_was_selected(void **state)
{
    (void)state;
    const struct fil_filter_config odd = {.select = select_odd};
    const struct fil_filter_config all = {.select = select_all};
    const struct kit_case some = case_of(&fil_filter_ops, &odd, sizeof(struct pair));
    const struct kit_case whole = case_of(&fil_filter_ops, &all, sizeof(struct pair));
    struct kit_output output;
    kit_check(&some, &output, NULL, NULL);
    assert_int_equal(output.count, RECORDS / 2);
    for (uint32_t i = 0; i < output.count; i++) {
        assert_int_equal(pair_at(&output, i)->value, 2 * i + 1);
    }
    kit_output_fini(&output);
    kit_check(&whole, &output, NULL, NULL);
    assert_int_equal(output.count, RECORDS);
    assert_memory_equal(output.records, pairs, sizeof(pairs));
    kit_output_fini(&output);
}

/** As many outputs as the key says; the cursor is the next one. */
static uint32_t fan_out(void *context, struct fil_bytes record, uint64_t *cursor, void *out_records,
                        uint32_t room)
{
    (void)context;
    const struct pair *pair = (const void *)record.data;
    struct pair *out = out_records;
    uint32_t count = 0;
    for (; count < room && *cursor < pair->key; ++*cursor) {
        out[count++] = (struct pair){.key = *cursor, .value = pair->value};
    }
    return count;
}

static void test_expansion_goes_on_where_the_room_ended(void **state)
{
    (void)state;
    const struct fil_flat_map_config config = {.expand = fan_out};
    const struct kit_case each = case_of(&fil_flat_map_ops, &config, sizeof(struct pair));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    uint32_t next = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        for (uint64_t j = 0; j < pairs[i].key; j++) {
            assert_int_equal(pair_at(&output, next)->key, j);
            assert_int_equal(pair_at(&output, next)->value, i);
            next++;
        }
    }
    assert_int_equal(output.count, next);
    kit_output_fini(&output);
}

static bool is_third(void *context, const void *record)
{
    (void)context;
    return ((const struct pair *)record)->key % 3 == 0;
}

static void keep_value(void *context, const void *record, void *out_record)
{
    (void)context;
    memcpy(out_record, &((const struct pair *)record)->value, sizeof(int64_t));
}

static const struct fil_chain_step steps[] = {
    {.kind = FIL_CHAIN_MAP, .map_many = add_key_many, .stride = sizeof(struct pair)},
    {.kind = FIL_CHAIN_FILTER, .select = select_odd, .stride = sizeof(struct pair)},
    {.kind = FIL_CHAIN_FILTER, .keep = is_third, .stride = sizeof(struct pair)},
    {.kind = FIL_CHAIN_MAP, .map = add_key, .stride = sizeof(struct pair)},
    {.kind = FIL_CHAIN_MAP, .map = keep_value, .stride = sizeof(int64_t)}};

static void test_chain_of_maps_and_filters_goes_block_by_block(void **state)
{
    (void)state;
    const struct fil_chain_config config = {.steps = steps, .count = 5};
    const struct kit_case each = case_of(&fil_chain_ops, &config, sizeof(int64_t));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    uint32_t next = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        int64_t key = (int64_t)pairs[i].key;
        int64_t value = (int64_t)i + key;
        if (value % 2 == 0 || key % 3 != 0) {
            continue;
        }
        int64_t found = 0;
        memcpy(&found, output.records + (size_t)next * sizeof(found), sizeof(found));
        assert_int_equal(found, value + key);
        next++;
    }
    assert_int_equal(output.count, next);
    kit_output_fini(&output);
}

static void test_chain_may_end_with_a_filter(void **state)
{
    (void)state;
    const struct fil_chain_config config = {.steps = steps, .count = 2};
    const struct kit_case each = case_of(&fil_chain_ops, &config, sizeof(struct pair));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    uint32_t odd = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        odd += (i + i % 9) % 2;
    }
    assert_int_equal(output.count, odd);
    kit_output_fini(&output);
}

static void test_block_without_a_function_or_memory_is_an_error(void **state)
{
    (void)state;
    const struct fil_chain_step empty = {.kind = FIL_CHAIN_MAP, .stride = 8};
    struct fil_block block = {0};
    assert_int_equal(
        fil_block_init(&block, &(struct fil_chain_config){.steps = &empty, .count = 1}),
        FIL_E_INVALID);
    fil_block_fini(&block);
    for (int64_t after = 0; after < 2; after++) {
        fil_alloc_fail_after(after);
        int error = fil_block_init(&block, &(struct fil_chain_config){.steps = steps, .count = 5});
        fil_alloc_fail_after(-1);
        assert_int_equal(error, FIL_E_NOMEM);
        fil_block_fini(&block);
    }
    assert_false(fil_block_fits(&(struct fil_chain_config){
        .steps = &(struct fil_chain_step){.kind = FIL_CHAIN_FLAT_MAP}, .count = 1}));
}

/** An outbox with one output and one ring behind it. */
struct outlet_fixture {
    struct fil_budget budget;
    struct fil_batch_pools pools;
    struct fil_edge edge;
    struct fil_ring ring;
    struct fil_outlet outlet;
    struct fil_processor_context context;
};

static void open_outlet(struct outlet_fixture *fixture)
{
    *fixture = (struct outlet_fixture){
        .edge = {.kind = FIL_EDGE_ISOLATED, .layout = {.stride = sizeof(struct pair)}}};
    fil_budget_init(&fixture->budget, UINT64_C(1) << 24);
    fil_batch_pools_init(&fixture->pools, &fixture->budget);
    assert_int_equal(fil_ring_init(&fixture->ring, 4, UINT64_C(1) << 20), FIL_OK);
    assert_int_equal(fil_outlet_init(&fixture->outlet, &fixture->edge, 1), FIL_OK);
    fixture->outlet.targets[0] = &fixture->ring;
    fixture->context.outbox = (struct fil_outbox){.outlets = &fixture->outlet,
                                                  .count = 1,
                                                  .pools = &fixture->pools,
                                                  .quota = FIL_OUTBOX_QUOTA};
}

static void close_outlet(struct outlet_fixture *fixture)
{
    fil_outlet_fini(&fixture->outlet);
    fil_ring_fini(&fixture->ring);
    fil_batch_pools_fini(&fixture->pools);
}

static struct fil_batch *full_batch(struct outlet_fixture *fixture)
{
    struct fil_batch *batch = fil_batch_new(&fixture->pools, &fixture->edge.layout, 0);
    fil_assert(batch != NULL);
    while (batch->count < batch->capacity) {
        void *room = fil_batch_room(batch, sizeof(struct pair));
        fil_assert(room != NULL);
        memcpy(room, &pairs[batch->count], sizeof(struct pair));
        fil_batch_commit(batch, sizeof(struct pair), FIL_TIME_NONE, 0);
    }
    return batch;
}

static void test_batch_of_its_own_is_mapped_in_place_and_a_shared_one_is_not(void **state)
{
    (void)state;
    struct outlet_fixture fixture;
    open_outlet(&fixture);
    const struct fil_map_config config = {.map_many = add_key_many};
    const struct fil_map_config *self = &config;
    struct fil_batch *own = full_batch(&fixture);
    struct fil_inbox inbox = {.batch = own, .limit = own->count};
    assert_int_equal(fil_map_ops.process((void *)&self, &fixture.context, &inbox), FIL_OK);
    struct fil_batch *passed = fil_ring_take(&fixture.ring);
    fil_assert(passed != NULL);
    assert_ptr_equal(passed, own);
    assert_int_equal(((const struct pair *)fil_batch_record(own, 8))->value, 16);
    fil_batch_unref(passed);

    fil_batch_ref(own); // somebody else reads it, too
    inbox.position = 0;
    assert_int_equal(fil_map_ops.process((void *)&self, &fixture.context, &inbox), FIL_OK);
    assert_int_equal(((const struct pair *)fil_batch_record(own, 8))->value, 16);
    assert_int_equal(fil_outbox_flush(&fixture.context.outbox), FIL_OK);
    passed = fil_ring_take(&fixture.ring);
    fil_assert(passed != NULL);
    assert_ptr_not_equal(passed, own);
    assert_int_equal(((const struct pair *)fil_batch_record(passed, 8))->value, 24);
    fil_batch_unref(passed);
    fil_batch_unref(own);
    fil_batch_unref(own);
    close_outlet(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_generator_of_many_writes_every_number_once, set_up),
        cmocka_unit_test_setup(test_map_of_many_is_the_map_of_each, set_up),
        cmocka_unit_test_setup(test_filter_of_many_keeps_what_was_selected, set_up),
        cmocka_unit_test_setup(test_expansion_goes_on_where_the_room_ended, set_up),
        cmocka_unit_test_setup(test_chain_of_maps_and_filters_goes_block_by_block, set_up),
        cmocka_unit_test_setup(test_chain_may_end_with_a_filter, set_up),
        cmocka_unit_test_setup(test_block_without_a_function_or_memory_is_an_error, set_up),
        cmocka_unit_test_setup(test_batch_of_its_own_is_mapped_in_place_and_a_shared_one_is_not,
                               set_up),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
