// SPDX-License-Identifier: Apache-2.0
/**
 * Every built-in processor gives the same output under all schedules of the kit, and the right one:
 * generator and list source with watermarks, map, filter, flat map, batch aggregate with each
 * aggregate, counter, list and callback sinks. A list sink that is full is an error.
 */
#include "core/stream/batch_aggregate.h"
#include "core/stream/chain.h"
#include "core/stream/keyed.h"
#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/harness.h"

#define RECORDS 100U
#define KEYS    7U

struct event {
    uint64_t key;
    int64_t value;
};

static struct event events[RECORDS];
static int64_t times[RECORDS];

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECORDS; i++) {
        events[i] = (struct event){.key = i * 5 % KEYS, .value = (int64_t)i - 30};
        times[i] = (int64_t)i * 3;
    }
    return 0;
}

static int64_t value_at(const struct kit_output *output, uint32_t index, uint32_t place)
{
    int64_t value;
    memcpy(&value, output->records + (size_t)index * output->stride + place, sizeof(value));
    return value;
}

static struct kit_case case_of(const struct fil_processor_ops *ops, const void *config,
                               uint32_t out_stride)
{
    return (struct kit_case){.ops = ops,
                             .config = config,
                             .in_stride = sizeof(struct event),
                             .out_stride = out_stride,
                             .records = events,
                             .times = times,
                             .count = RECORDS};
}

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    memcpy(out_record, &sequence, sizeof(sequence));
    return (int64_t)sequence * 10;
}

static void test_generator(void **state)
{
    (void)state;
    const struct fil_generator_config config = {
        .generate = generate, .count = 1000, .time = {.lag = 100, .frame = 50}};
    struct kit_case each = case_of(&fil_generator_ops, &config, 8);
    each.count = 0;
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 1000);
    assert_int_equal(value_at(&output, 999, 0), 999);
    assert_int_equal(output.last_watermark, 9850);
    kit_output_fini(&output);
}

static void test_generator_with_a_rate_waits(void **state)
{
    (void)state;
    const struct fil_generator_config config = {
        .generate = generate, .count = 50, .rate_a_second = 1000000};
    struct kit_case each = case_of(&fil_generator_ops, &config, 8);
    each.count = 0;
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 50);
    kit_output_fini(&output);
}

static void test_list_source(void **state)
{
    (void)state;
    const struct fil_list_source_config config = {
        .records = events, .times = times, .count = RECORDS, .time = {.frame = 1}};
    struct kit_case each = case_of(&fil_list_source_ops, &config, sizeof(struct event));
    each.count = 0;
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, RECORDS);
    assert_memory_equal(output.records, events, sizeof(events));
    assert_int_equal(output.last_watermark, times[RECORDS - 1]);
    kit_output_fini(&output);
}

static void halve(void *context, const void *record, void *out_record)
{
    (void)context;
    const struct event *event = record;
    int64_t half = event->value / 2;
    memcpy(out_record, &half, sizeof(half));
}

static void test_map(void **state)
{
    (void)state;
    const struct fil_map_config config = {.map = halve};
    const struct kit_case each = case_of(&fil_map_ops, &config, 8);
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, RECORDS);
    for (uint32_t i = 0; i < RECORDS; i++) {
        assert_int_equal(value_at(&output, i, 0), events[i].value / 2);
    }
    kit_output_fini(&output);
}

static bool is_positive(void *context, const void *record)
{
    (void)context;
    return ((const struct event *)record)->value > 0;
}

static void test_filter(void **state)
{
    (void)state;
    const struct fil_filter_config config = {.keep = is_positive};
    const struct kit_case each = case_of(&fil_filter_ops, &config, sizeof(struct event));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 69);
    assert_memory_equal(output.records, events + 31, 69 * sizeof(struct event));
    kit_output_fini(&output);
}

/** As many outputs as the key says. */
static bool repeat(void *context, const void *record, uint32_t index, void *out_record)
{
    (void)context;
    const struct event *event = record;
    int64_t number = event->value * 10 + index;
    memcpy(out_record, &number, sizeof(number));
    return index < event->key;
}

static void test_flat_map(void **state)
{
    (void)state;
    const struct fil_flat_map_config config = {.next = repeat};
    const struct kit_case each = case_of(&fil_flat_map_ops, &config, 8);
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    uint32_t place = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        for (uint32_t j = 0; j < events[i].key; j++) {
            assert_int_equal(value_at(&output, place, 0), events[i].value * 10 + j);
            place++;
        }
    }
    assert_int_equal(output.count, place);
    kit_output_fini(&output);
}

static double average_of_key(uint64_t key)
{
    int64_t sum = 0;
    int64_t count = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        sum += events[i].key == key ? events[i].value : 0;
        count += events[i].key == key;
    }
    return (double)sum / (double)count;
}

static void test_batch_aggregate(void **state)
{
    (void)state;
    const struct fil_group_config config = {
        .key = {.size = 8}, .aggregate = fil_aggregate_average(offsetof(struct event, value))};
    const struct kit_case each =
        case_of(&fil_batch_aggregate_ops, &config, fil_batch_aggregate_result_bytes(&config));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, KEYS);
    for (uint32_t i = 0; i < KEYS; i++) {
        double average;
        memcpy(&average, output.records + (size_t)i * output.stride + 8, sizeof(average));
        assert_true(average == average_of_key((uint64_t)value_at(&output, i, 0)));
    }
    kit_output_fini(&output);
}

static void text_key(const void *record, uint32_t size, struct fil_bytes *out_key)
{
    static const char *const names[KEYS] = {"a", "bb", "ccc", "dddd", "eeeee", "", "ggggggg"};
    (void)size;
    *out_key = fil_bytes_of(names[((const struct event *)record)->key]);
}

static void test_batch_aggregate_by_texts(void **state)
{
    (void)state;
    const struct fil_aggregate_items values = {.value = {.offset = 8, .size = 8}, .limit = 4};
    const struct fil_aggregate_items pairs = {
        .key = {.offset = 8, .size = 8}, .value = {.size = 8}, .limit = 4};
    const struct fil_aggregate aggregates[] = {
        fil_aggregate_count(),      fil_aggregate_sum(8),       fil_aggregate_min(8),
        fil_aggregate_max(8),       fil_aggregate_top(8, 0, 4), fil_aggregate_items(&values),
        fil_aggregate_items(&pairs)};
    for (uint32_t i = 0; i < FIL_COUNT_OF(aggregates); i++) {
        const struct fil_group_config config = {.key = {.size = 16, .extract = text_key},
                                                .aggregate = aggregates[i]};
        const struct kit_case each =
            case_of(&fil_batch_aggregate_ops, &config, fil_batch_aggregate_result_bytes(&config));
        struct kit_output output;
        kit_check(&each, &output, NULL, NULL);
        assert_int_equal(output.count, KEYS);
        kit_output_fini(&output);
    }
}

static struct fil_counter_sink counter;
static struct event listed[RECORDS];
static struct fil_list_sink list = {
    .records = listed, .stride = sizeof(struct event), .capacity = RECORDS};
static int64_t sum;

static void reset_sinks(void)
{
    counter = (struct fil_counter_sink){0};
    list.count = 0;
    sum = 0;
}

static void check_counter(void)
{
    assert_int_equal(counter.record_count, RECORDS);
}

static void check_list(void)
{
    assert_int_equal(list.count, RECORDS);
    assert_memory_equal(listed, events, sizeof(events));
}

static void check_sum(void)
{
    assert_int_equal(sum, 99 * 100 / 2 - 30 * 100);
}

static int add_up(void *context, const void *record, uint32_t size, int64_t time)
{
    (void)context;
    (void)time;
    assert_int_equal(size, sizeof(struct event));
    sum += ((const struct event *)record)->value;
    return FIL_OK;
}

static void test_sinks(void **state)
{
    (void)state;
    const struct fil_counter_sink_config counter_config = {.sink = &counter};
    const struct fil_list_sink_config list_config = {.sink = &list};
    const struct fil_callback_sink_config callback_config = {.accept = add_up};
    struct kit_output output;
    struct kit_case each = case_of(&fil_counter_sink_ops, &counter_config, 0);
    kit_check(&each, &output, reset_sinks, check_counter);
    each = case_of(&fil_list_sink_ops, &list_config, 0);
    kit_check(&each, &output, reset_sinks, check_list);
    each = case_of(&fil_callback_sink_ops, &callback_config, 0);
    kit_check(&each, &output, reset_sinks, check_sum);
}

static void test_full_list_sink_is_an_error(void **state)
{
    (void)state;
    reset_sinks();
    list.count = 1;
    const struct fil_list_sink_config config = {.sink = &list};
    const struct kit_case each = case_of(&fil_list_sink_ops, &config, 0);
    const struct kit_schedule schedule = {.inbox_max = 10, .batch_records = 10};
    struct kit_output output;
    assert_int_equal(kit_run(&each, &schedule, &output), FIL_E_LIMIT);
}

static void add_one(void *context, const void *record, void *out_record)
{
    (void)context;
    struct event event = *(const struct event *)record;
    event.value++;
    memcpy(out_record, &event, sizeof(event));
}

static bool is_even(void *context, const void *record)
{
    (void)context;
    return ((const struct event *)record)->value % 2 == 0;
}

/** As many as the key, with the number as value. */
static bool fan_out(void *context, const void *record, uint32_t index, void *out_record)
{
    (void)context;
    const struct event event = {.key = ((const struct event *)record)->key, .value = index};
    memcpy(out_record, &event, sizeof(event));
    return index < event.key;
}

static void test_chain_runs_its_steps_one_behind_the_other(void **state)
{
    (void)state;
    const struct fil_chain_step steps[] = {
        {.kind = FIL_CHAIN_MAP, .map = add_one, .stride = sizeof(struct event)},
        {.kind = FIL_CHAIN_FLAT_MAP, .next = fan_out, .stride = sizeof(struct event)},
        {.kind = FIL_CHAIN_FILTER, .keep = is_even, .stride = sizeof(struct event)},
        {.kind = FIL_CHAIN_FLAT_MAP, .next = fan_out, .stride = sizeof(struct event)},
        {.kind = FIL_CHAIN_MAP, .map = add_one, .stride = sizeof(struct event)}};
    const struct fil_chain_config config = {.steps = steps, .count = 5};
    const struct kit_case each = case_of(&fil_chain_ops, &config, sizeof(struct event));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        for (uint64_t j = 0; j < events[i].key; j += 2) {
            for (uint64_t k = 0; k < events[i].key; k++) {
                assert_int_equal(value_at(&output, wanted, 8), k + 1);
                wanted++;
            }
        }
    }
    assert_int_equal(output.count, wanted);
    kit_output_fini(&output);
}

/** Every third record of a key, with the sum of the key so far. */
static bool sum_thirds(void *context, void *state, const void *record, int64_t time,
                       void *out_record)
{
    (void)context;
    (void)time;
    int64_t *sums = state;
    const struct event *event = record;
    sums[0]++;
    sums[1] += event->value;
    const struct event out = {.key = event->key, .value = sums[1]};
    memcpy(out_record, &out, sizeof(out));
    return sums[0] % 3 == 0;
}

static void test_state_map_keeps_a_state_for_each_key(void **state)
{
    (void)state;
    const struct fil_state_map_config config = {
        .key = {.size = 8}, .state_size = 16, .map = sum_thirds};
    const struct kit_case each = case_of(&fil_state_map_ops, &config, sizeof(struct event));
    struct kit_output output;
    kit_check(&each, &output, NULL, NULL);
    int64_t sums[KEYS] = {0};
    uint32_t counts[KEYS] = {0};
    uint32_t found = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint64_t key = events[i].key;
        sums[key] += events[i].value;
        counts[key]++;
        if (counts[key] % 3 == 0) {
            assert_int_equal(value_at(&output, found, 8), sums[key]);
            found++;
        }
    }
    assert_int_equal(output.count, found);
    kit_output_fini(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_chain_runs_its_steps_one_behind_the_other, set_up),
        cmocka_unit_test_setup(test_state_map_keeps_a_state_for_each_key, set_up),
        cmocka_unit_test(test_generator),
        cmocka_unit_test(test_generator_with_a_rate_waits),
        cmocka_unit_test(test_list_source),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_flat_map),
        cmocka_unit_test(test_batch_aggregate),
        cmocka_unit_test(test_batch_aggregate_by_texts),
        cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_full_list_sink_is_an_error),
    };
    return cmocka_run_group_tests_name("processors", tests, set_up, NULL);
}
