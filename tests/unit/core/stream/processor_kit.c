// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/core/stream/processor_kit.h"

#include <stdlib.h>

#include "core/stream/ring.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define CALLS_MAX 2000000U

/** Saved state, in memory. */
struct entries {
    struct fil_state_writer base;
    struct fil_prng prng;
    bool refuses;
    uint32_t count;
    struct {
        uint8_t *bytes;
        size_t key_size;
        size_t value_size;
    } items[4096];
};

struct kit {
    const struct kit_case *each;
    const struct kit_schedule *schedule;
    struct fil_budget budget;
    struct fil_batch_pools pools;
    struct fil_edge out_edge;
    struct fil_ring ring;
    struct fil_edge late_edge;
    struct fil_ring late_ring;
    struct fil_outlet outlets[2];
    struct fil_processor_context context;
    struct fil_prng prng;
    void *self;
    struct kit_output *output;
    struct entries entries;
    uint32_t call_count;
};

void kit_output_init(struct kit_output *output, uint32_t stride)
{
    *output = (struct kit_output){.stride = stride, .last_watermark = KIT_NO_WATERMARK};
}

void kit_output_fini(struct kit_output *output)
{
    fil_free(output->records);
    output->records = NULL;
}

static size_t sort_stride;

static int compare_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sort_stride);
}

void kit_output_sort(struct kit_output *output)
{
    sort_stride = output->stride;
    if (output->count > 1) {
        qsort(output->records, output->count, output->stride, compare_bytes);
    }
}

static void keep(struct kit_output *output, const void *record)
{
    if (output->count == output->capacity) {
        output->capacity = output->capacity == 0 ? 256 : output->capacity * 2;
        output->records = fil_realloc(output->records, (size_t)output->capacity * output->stride);
        assert_non_null(output->records);
    }
    memcpy(output->records + (size_t)output->count * output->stride, record, output->stride);
    output->count++;
}

static void keep_late(struct kit *kit, const void *record)
{
    const int64_t mark = KIT_LATE;
    uint8_t row[256] = {0};
    assert_true(sizeof(mark) + kit->each->late_stride <= kit->output->stride);
    assert_true(kit->output->stride <= sizeof(row));
    memcpy(row, &mark, sizeof(mark));
    memcpy(row + sizeof(mark), record, kit->each->late_stride);
    keep(kit->output, row);
}

static void drain_late(struct kit *kit)
{
    assert_int_equal(fil_outlet_flush(&kit->outlets[1], &kit->pools), FIL_OK);
    struct fil_batch *batch = fil_ring_take(&kit->late_ring);
    while (batch != NULL) {
        for (uint32_t i = 0; i < batch->count; i++) {
            keep_late(kit, fil_batch_record(batch, i));
        }
        fil_batch_unref(batch);
        batch = fil_ring_take(&kit->late_ring);
    }
}

static void drain(struct kit *kit)
{
    if (kit->context.outbox.count == 0) {
        return;
    }
    if (kit->context.outbox.count == 2) {
        drain_late(kit);
    }
    assert_int_equal(fil_outlet_flush(&kit->outlets[0], &kit->pools), FIL_OK);
    struct fil_batch *batch = fil_ring_take(&kit->ring);
    while (batch != NULL) {
        for (uint32_t i = 0; i < batch->count; i++) {
            keep(kit->output, fil_batch_record(batch, i));
        }
        if (batch->kind == FIL_BATCH_WATERMARK) {
            assert_true(batch->value > kit->output->last_watermark);
            kit->output->last_watermark = batch->value;
        }
        fil_batch_unref(batch);
        batch = fil_ring_take(&kit->ring);
    }
}

static void allow_output(struct kit *kit)
{
    kit->context.outbox.quota =
        kit->schedule->refusal_seed == 0 ? 8 : (uint32_t)fil_prng_below(&kit->prng, 3);
    kit->context.now_ns += 1000;
    if (kit->each->between != NULL) {
        kit->each->between();
    }
    kit->call_count++;
    assert_true(kit->call_count < CALLS_MAX);
}

static bool put(struct fil_state_writer *base, const struct fil_state_entry *entry)
{
    struct fil_bytes key = entry->key;
    struct fil_bytes value = entry->value;
    struct entries *entries = (struct entries *)(void *)base;
    if (entries->refuses && fil_prng_below(&entries->prng, 2) == 0) {
        return false;
    }
    assert_true(entries->count < FIL_COUNT_OF(entries->items));
    uint8_t *bytes = fil_alloc(key.size + value.size + 1);
    assert_non_null(bytes);
    if (key.size != 0) {
        memcpy(bytes, key.data, key.size);
    }
    memcpy(bytes + key.size, value.data, value.size);
    entries->items[entries->count].bytes = bytes;
    entries->items[entries->count].key_size = key.size;
    entries->items[entries->count].value_size = value.size;
    entries->count++;
    return true;
}

static int make_instance(struct kit *kit)
{
    const struct fil_processor_ops *ops = kit->each->ops;
    kit->self = fil_alloc_zero(1, ops->size == 0 ? 1 : ops->size);
    assert_non_null(kit->self);
    return ops->init == NULL ? FIL_OK : ops->init(kit->self, &kit->context, kit->each->config);
}

static void drop_instance(struct kit *kit)
{
    const struct fil_processor_ops *ops = kit->each->ops;
    while (ops->stop != NULL && ops->stop(kit->self, &kit->context) == FIL_E_AGAIN) {
        allow_output(kit); // operations are under way elsewhere
    }
    if (kit->each->ops->close != NULL) {
        kit->each->ops->close(kit->self);
    }
    fil_free(kit->self);
    kit->self = NULL;
}

static bool has_to_wait(int result)
{
    return result == FIL_E_FULL || result == FIL_E_AGAIN;
}

static int save_and_restore(struct kit *kit)
{
    const struct fil_processor_ops *ops = kit->each->ops;
    struct entries *entries = &kit->entries;
    entries->base.put = put;
    entries->refuses = kit->schedule->refusal_seed != 0;
    entries->count = 0;
    int result = ops->save == NULL ? FIL_OK : FIL_E_FULL;
    while (has_to_wait(result)) {
        allow_output(kit);
        result = ops->save(kit->self, &kit->context, &entries->base);
        drain(kit);
    }
    drop_instance(kit);
    if (result == FIL_OK) {
        result = make_instance(kit);
    }
    for (uint32_t i = 0; i < entries->count; i++) {
        uint8_t *bytes = entries->items[i].bytes;
        size_t key_size = entries->items[i].key_size;
        if (result == FIL_OK) {
            result = ops->restore(kit->self, &kit->context, fil_bytes_make(bytes, key_size),
                                  fil_bytes_make(bytes + key_size, entries->items[i].value_size));
        }
        fil_free(bytes);
    }
    return result;
}

static int give_records(struct kit *kit, uint32_t first, uint32_t count)
{
    const struct kit_case *each = kit->each;
    const struct fil_layout layout = {
        .stride = each->in_stride, .record_count = count, .has_times = each->times != NULL};
    struct fil_batch *batch = fil_batch_new(&kit->pools, &layout, 0);
    assert_non_null(batch);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *record =
            (const uint8_t *)each->records + (size_t)(first + i) * each->in_stride;
        memcpy(fil_batch_room(batch, each->in_stride), record, each->in_stride);
        fil_batch_commit(batch, each->in_stride, each->times == NULL ? 0 : each->times[first + i],
                         0);
    }
    struct fil_inbox inbox = {.batch = batch, .limit = count};
    int result = FIL_OK;
    while (inbox.position < inbox.limit && (result == FIL_OK || has_to_wait(result))) {
        allow_output(kit);
        result = each->ops->process(kit->self, &kit->context, &inbox);
        drain(kit);
    }
    fil_batch_unref(batch);
    return has_to_wait(result) ? FIL_OK : result;
}

static int give_watermark(struct kit *kit, int64_t time)
{
    if (kit->each->ops->process_watermark == NULL) {
        return FIL_OK;
    }
    int result = FIL_E_FULL;
    while (has_to_wait(result)) {
        allow_output(kit);
        result = kit->each->ops->process_watermark(kit->self, &kit->context, time);
        drain(kit);
    }
    return result;
}

/** As the engine does before it takes new input; once, so that there are answers left for later. */
static int give_answers(struct kit *kit)
{
    if (kit->each->ops->resume == NULL) {
        return FIL_OK;
    }
    allow_output(kit);
    int result = kit->each->ops->resume(kit->self, &kit->context);
    drain(kit);
    return result == FIL_E_FULL ? FIL_OK : result;
}

/** How many records go at once: up to the schedule's limit, or the next watermark. */
static uint32_t stretch(const struct kit *kit, uint32_t first)
{
    const struct kit_case *each = kit->each;
    uint32_t count = 0;
    while (first + count < each->count && count < kit->schedule->inbox_max) {
        count++;
        if (each->watermarks != NULL && each->watermarks[first + count - 1] != KIT_NO_WATERMARK) {
            break;
        }
    }
    return count;
}

static int give_all(struct kit *kit)
{
    const struct kit_case *each = kit->each;
    uint32_t since = 0;
    int result = FIL_OK;
    for (uint32_t first = 0; result == FIL_OK && first < each->count;) {
        uint32_t count = stretch(kit, first);
        result = give_answers(kit);
        result = result == FIL_OK ? give_records(kit, first, count) : result;
        first += count;
        since += count;
        if (result == FIL_OK && each->watermarks != NULL &&
            each->watermarks[first - 1] != KIT_NO_WATERMARK) {
            result = give_watermark(kit, each->watermarks[first - 1]);
        }
        if (result == FIL_OK && kit->schedule->snapshot_every != 0 &&
            since >= kit->schedule->snapshot_every) {
            since = 0;
            result = save_and_restore(kit);
        }
    }
    return result;
}

static int complete(struct kit *kit)
{
    const struct fil_processor_ops *ops = kit->each->ops;
    int result = ops->complete == NULL ? FIL_OK : FIL_E_FULL;
    uint32_t calls = 0;
    while (has_to_wait(result)) {
        allow_output(kit);
        result = ops->complete(kit->self, &kit->context);
        drain(kit);
        calls++;
        // A source may be saved between any two calls; others have ended.
        bool is_source = ops->process == NULL;
        if (is_source && result != FIL_OK && kit->schedule->snapshot_every != 0 &&
            calls % kit->schedule->snapshot_every == 0) {
            int error = save_and_restore(kit);
            result = error == FIL_OK ? result : error;
        }
    }
    return result;
}

static void open_kit(struct kit *kit, const struct kit_case *each,
                     const struct kit_schedule *schedule, struct kit_output *output)
{
    *kit = (struct kit){.each = each, .schedule = schedule, .output = output};
    fil_budget_init(&kit->budget, UINT64_C(1) << 30);
    fil_batch_pools_init(&kit->pools, &kit->budget);
    fil_prng_init(&kit->prng, schedule->refusal_seed);
    fil_prng_init(&kit->entries.prng, schedule->refusal_seed);
    kit->out_edge = (struct fil_edge){.layout = {.stride = each->out_stride,
                                                 .record_count = schedule->batch_records,
                                                 .has_times = true}};
    assert_int_equal(fil_ring_init(&kit->ring, 1024, UINT64_C(1) << 30), FIL_OK);
    assert_int_equal(fil_outlet_init(&kit->outlets[0], &kit->out_edge, 1), FIL_OK);
    kit->outlets[0].targets[0] = &kit->ring;
    kit->late_edge = kit->out_edge;
    kit->late_edge.layout.stride = each->late_stride;
    assert_int_equal(fil_ring_init(&kit->late_ring, 1024, UINT64_C(1) << 30), FIL_OK);
    assert_int_equal(fil_outlet_init(&kit->outlets[1], &kit->late_edge, 1), FIL_OK);
    kit->outlets[1].targets[0] = &kit->late_ring;
    uint32_t output_count = each->late_stride != 0 ? 2 : each->out_stride != 0;
    kit->context = (struct fil_processor_context){
        .vertex = "kit",
        .count = 1,
        .budget = &kit->budget,
        .env = fil_env_real(),
        .has_snapshots = true,
        .outbox = {
            .outlets = kit->outlets, .count = output_count, .pools = &kit->pools, .quota = 8}};
}

static void close_kit(struct kit *kit)
{
    drop_instance(kit);
    fil_outlet_fini(&kit->outlets[0]);
    fil_outlet_fini(&kit->outlets[1]);
    fil_ring_fini(&kit->ring);
    fil_ring_fini(&kit->late_ring);
    fil_batch_pools_fini(&kit->pools);
    assert_int_equal(fil_budget_drawn(&kit->budget), 0);
}

int kit_run(const struct kit_case *each, const struct kit_schedule *schedule,
            struct kit_output *out_output)
{
    kit_output_init(out_output, each->out_stride);
    struct kit *kit = fil_alloc_zero(1, sizeof(*kit));
    assert_non_null(kit);
    open_kit(kit, each, schedule, out_output);
    int result = make_instance(kit);
    if (result == FIL_OK) {
        result = give_all(kit);
    }
    if (result == FIL_OK) {
        result = complete(kit);
    }
    close_kit(kit);
    fil_free(kit);
    return result;
}

static void run_one(const struct kit_case *each, const struct kit_schedule *schedule,
                    struct kit_output *out_output, void (*before)(void), void (*after)(void))
{
    if (before != NULL) {
        before();
    }
    assert_int_equal(kit_run(each, schedule, out_output), FIL_OK);
    if (after != NULL) {
        after();
    }
}

static void compare(const struct kit_case *each, const struct kit_schedule *schedule,
                    const struct kit_output *wanted, void (*before)(void), void (*after)(void))
{
    struct kit_output got;
    run_one(each, schedule, &got, before, after);
    struct kit_output copy = {.stride = wanted->stride};
    for (uint32_t i = 0; i < wanted->count; i++) {
        keep(&copy, wanted->records + (size_t)i * wanted->stride);
    }
    assert_int_equal(got.count, wanted->count);
    // Of two outputs the order between them is nobody's.
    if (schedule->snapshot_every != 0 || each->late_stride != 0 || each->is_unordered) {
        kit_output_sort(&got);
        kit_output_sort(&copy);
    }
    if (wanted->count != 0) {
        assert_memory_equal(got.records, copy.records, (size_t)got.count * got.stride);
    }
    kit_output_fini(&copy);
    kit_output_fini(&got);
}

void kit_check(const struct kit_case *each, struct kit_output *out_output, void (*before)(void),
               void (*after)(void))
{
    const struct kit_schedule trivial = {.inbox_max = 1024, .batch_records = 256};
    run_one(each, &trivial, out_output, before, after);
    const struct kit_schedule schedules[] = {
        {.inbox_max = 1, .batch_records = 256},
        {.inbox_max = 1, .batch_records = 1, .refusal_seed = 1},
        {.inbox_max = 3, .batch_records = 2, .refusal_seed = 2},
        {.inbox_max = 1024, .batch_records = 1, .refusal_seed = 3},
        {.inbox_max = 7, .batch_records = 5, .refusal_seed = 4},
        {.inbox_max = 1, .batch_records = 4, .snapshot_every = 1},
        {.inbox_max = 1, .batch_records = 1, .refusal_seed = 5, .snapshot_every = 1},
        {.inbox_max = 5, .batch_records = 3, .refusal_seed = 6, .snapshot_every = 10},
    };
    for (uint32_t i = 0; i < FIL_COUNT_OF(schedules); i++) {
        if (schedules[i].snapshot_every == 0 || !each->has_no_snapshots) {
            compare(each, &schedules[i], out_output, before, after);
        }
    }
}
