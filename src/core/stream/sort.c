// SPDX-License-Identifier: Apache-2.0
#include "core/stream/sort.h"

#include <stdio.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define RUN_RECORDS_MAX  4096U
#define RUN_RECORDS_MIN  16U
#define RUN_BYTES        (256U << 10)
#define RECORDS_PER_CALL 4096U
#define SAVE_BYTES       (32U << 10)

/** Some records; sorted when it is sealed. */
struct run {
    uint8_t *records;
    int64_t *times;
    uint32_t *numbers; // of its records, in their order
    uint32_t count;
    uint32_t next; // to be emitted, of numbers
};

struct sort {
    const struct fil_sort_config *config;
    struct fil_budget *budget;
    uint32_t run_capacity;
    struct run *runs;
    uint32_t run_count;
    uint32_t run_room;
    uint32_t *scratch;
    uint32_t *heap; // numbers of runs, the one with the least record first
    uint32_t heap_count;
    uint32_t saved_run;
    uint32_t saved_at;
    bool is_sealed;
};

static uint32_t stride_of(const struct sort *sort)
{
    return sort->config->order.record_size;
}

static size_t run_bytes(const struct sort *sort)
{
    return (size_t)sort->run_capacity *
           (((stride_of(sort) + 7U) & ~7U) + sizeof(int64_t) + sizeof(uint32_t));
}

static int sort_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct sort *sort = self;
    sort->config = config;
    sort->budget = context->budget;
    uint32_t stride = stride_of(sort);
    if (context->outbox.count != 1 || stride == 0 ||
        context->outbox.outlets[0].edge->layout.stride != stride ||
        sort->config->order.field_count > FIL_ORDER_FIELDS_MAX) {
        return FIL_E_INVALID;
    }
    uint32_t fitting = RUN_BYTES / stride;
    fitting = fitting < RUN_RECORDS_MIN ? RUN_RECORDS_MIN : fitting;
    sort->run_capacity = fitting > RUN_RECORDS_MAX ? RUN_RECORDS_MAX : fitting;
    sort->scratch = fil_alloc(sort->run_capacity * sizeof(*sort->scratch));
    return sort->scratch == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void sort_close(void *self)
{
    struct sort *sort = self;
    for (uint32_t i = 0; i < sort->run_count; i++) {
        fil_budget_free(sort->budget, sort->runs[i].times, run_bytes(sort));
    }
    fil_free(sort->runs);
    fil_free(sort->heap);
    fil_free(sort->scratch);
}

/** One more run, which is empty. FIL_E_NOMEM. */
static int open_run(struct sort *sort)
{
    if (sort->run_count == sort->run_room) {
        uint32_t room = sort->run_room == 0 ? 16 : sort->run_room * 2;
        struct run *runs = fil_realloc(sort->runs, room * sizeof(*runs));
        if (runs == NULL) {
            return FIL_E_NOMEM;
        }
        sort->runs = runs;
        sort->run_room = room;
    }
    int64_t *times = fil_budget_alloc(sort->budget, run_bytes(sort));
    if (times == NULL) {
        return FIL_E_NOMEM;
    }
    uint32_t *numbers = (uint32_t *)(void *)(times + sort->run_capacity);
    sort->runs[sort->run_count] = (struct run){
        .times = times, .numbers = numbers, .records = (uint8_t *)(numbers + sort->run_capacity)};
    sort->run_count++;
    return FIL_OK;
}

static void seal_run(struct sort *sort)
{
    struct run *run = &sort->runs[sort->run_count - 1];
    fil_order_sort(&sort->config->order, run->records, run->count, run->numbers, sort->scratch);
}

/** Keeps one record more. FIL_E_NOMEM. */
static int add(struct sort *sort, const void *record, int64_t time)
{
    if (sort->run_count == 0 || sort->runs[sort->run_count - 1].count == sort->run_capacity) {
        if (sort->run_count != 0) {
            seal_run(sort);
        }
        int error = open_run(sort);
        if (error != FIL_OK) {
            return error;
        }
    }
    struct run *run = &sort->runs[sort->run_count - 1];
    memcpy(run->records + (size_t)run->count * stride_of(sort), record, stride_of(sort));
    run->times[run->count] = time;
    run->count++;
    return FIL_OK;
}

static int sort_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct sort *sort = self;
    (void)context;
    for (; inbox->position < inbox->limit; inbox->position++) {
        if (fil_batch_record_size(inbox->batch, inbox->position) != stride_of(sort)) {
            return FIL_E_INVALID;
        }
        int error = add(sort, fil_batch_record(inbox->batch, inbox->position),
                        fil_batch_time(inbox->batch, inbox->position));
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

static const uint8_t *first_of(const struct sort *sort, uint32_t run)
{
    const struct run *from = &sort->runs[run];
    return from->records + (size_t)from->numbers[from->next] * stride_of(sort);
}

static bool is_before(const struct sort *sort, uint32_t a, uint32_t b)
{
    return fil_order_compare(&sort->config->order, first_of(sort, a), first_of(sort, b)) < 0;
}

/** Lets the run at a place of the heap sink to where it belongs. */
static void sink(struct sort *sort, uint32_t place)
{
    for (;;) {
        uint32_t least = place;
        for (uint32_t child = 2 * place + 1; child <= 2 * place + 2 && child < sort->heap_count;
             child++) {
            least = is_before(sort, sort->heap[child], sort->heap[least]) ? child : least;
        }
        if (least == place) {
            return;
        }
        uint32_t run = sort->heap[place];
        sort->heap[place] = sort->heap[least];
        sort->heap[least] = run;
        place = least;
    }
}

/** All input is there: the heap of its runs. */
static int seal(struct sort *sort)
{
    if (sort->run_count != 0) {
        sort->heap = fil_alloc(sort->run_count * sizeof(*sort->heap));
        if (sort->heap == NULL) {
            return FIL_E_NOMEM;
        }
        seal_run(sort);
    }
    sort->heap_count = sort->run_count;
    for (uint32_t i = 0; i < sort->run_count; i++) {
        sort->heap[i] = i;
    }
    for (uint32_t i = sort->run_count; i > 0; i--) {
        sink(sort, i - 1);
    }
    sort->is_sealed = true;
    return FIL_OK;
}

/** Emits the least record of all runs; false when there is no room. */
static bool emit_least(struct sort *sort, struct fil_processor_context *context)
{
    struct run *run = &sort->runs[sort->heap[0]];
    void *room = fil_outbox_reserve(&context->outbox, 0, stride_of(sort));
    if (room == NULL) {
        return false;
    }
    memcpy(room, first_of(sort, sort->heap[0]), stride_of(sort));
    fil_outbox_commit(&context->outbox, 0, stride_of(sort), run->times[run->numbers[run->next]], 0);
    run->next++;
    if (run->next == run->count) {
        sort->heap_count--;
        sort->heap[0] = sort->heap[sort->heap_count];
    }
    sink(sort, 0);
    return true;
}

static int sort_complete(void *self, struct fil_processor_context *context)
{
    struct sort *sort = self;
    int error = sort->is_sealed ? FIL_OK : seal(sort);
    for (uint32_t i = 0; error == FIL_OK && i < RECORDS_PER_CALL; i++) {
        if (sort->heap_count == 0) {
            return FIL_OK;
        }
        if (!emit_least(sort, context)) {
            return FIL_E_FULL;
        }
    }
    return error == FIL_OK ? FIL_E_FULL : error; // enough for one call
}

/** Records of a run from `saved_at` on that go together into a snapshot. */
static uint32_t save_count(const struct sort *sort, const struct run *run)
{
    uint32_t fitting = SAVE_BYTES / stride_of(sort);
    uint32_t left = run->count - sort->saved_at;
    fitting = fitting == 0 ? 1 : fitting;
    return left < fitting ? left : fitting;
}

static int sort_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    struct sort *sort = self;
    (void)context;
    // When it has begun to emit it ends before the next snapshot: nothing is left then.
    while (!sort->is_sealed && sort->saved_run < sort->run_count) {
        const struct run *run = &sort->runs[sort->saved_run];
        uint32_t count = save_count(sort, run);
        // Whoever gets them back: any instance will do.
        uint64_t place = sort->saved_run + sort->saved_at;
        if (count != 0 &&
            !fil_state_put_shard(
                writer, place, fil_bytes_make(run->times + sort->saved_at, count * sizeof(int64_t)),
                fil_bytes_make(run->records + (size_t)sort->saved_at * stride_of(sort),
                               (size_t)count * stride_of(sort)))) {
            return FIL_E_FULL;
        }
        sort->saved_at += count;
        if (sort->saved_at == run->count) {
            sort->saved_run++;
            sort->saved_at = 0;
        }
    }
    sort->saved_run = 0;
    return FIL_OK;
}

static int sort_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                        struct fil_bytes value)
{
    struct sort *sort = self;
    (void)context;
    size_t count = key.size / sizeof(int64_t);
    if (key.size % sizeof(int64_t) != 0 || value.size != count * stride_of(sort)) {
        return FIL_E_MALFORMED;
    }
    int error = FIL_OK;
    for (size_t i = 0; error == FIL_OK && i < count; i++) {
        int64_t time;
        memcpy(&time, key.data + i * sizeof(time), sizeof(time));
        error = add(sort, value.data + i * stride_of(sort), time);
    }
    return error;
}

static void sort_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    const struct fil_sort_config *sort = config;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "records of %u bytes",
                   sort->order.record_size);
}

const struct fil_processor_ops fil_sort_ops = {.name = "sort",
                                               .size = sizeof(struct sort),
                                               .init = sort_init,
                                               .process = sort_process,
                                               .complete = sort_complete,
                                               .save = sort_save,
                                               .restore = sort_restore,
                                               .describe = sort_describe,
                                               .close = sort_close};
