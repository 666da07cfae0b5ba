// SPDX-License-Identifier: Apache-2.0
/**
 * Stages that look at many records together, or wait for an answer: the order of a sort stays in
 * the stages behind it; the first ones of windows and keys; inputs that are grouped together, over
 * all and in windows; calls that other threads answer. All with a parallelism of 1 to 4. Mistakes
 * name their stage.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "filbert/pipeline.h"
#include "filbert/stream.h"
#include "lib/base/attr.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define SALES 3000
#define SHOPS 7

struct sale {
    int64_t time;
    int64_t shop;
    int64_t amount;
};

static const struct fil_field fields[] = {FIL_TIME(struct sale, time), FIL_I64(struct sale, shop),
                                          FIL_I64(struct sale, amount)};
static const struct fil_type type = FIL_TYPE(struct sale, fields);

static struct sale sales[SALES];
static struct sale wanted[SALES];

static int set_up(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 3);
    for (uint32_t i = 0; i < SALES; i++) {
        sales[i] = (struct sale){.time = i,
                                 .shop = (int64_t)fil_prng_below(&prng, SHOPS),
                                 .amount = (int64_t)fil_prng_below(&prng, 500)};
    }
    return 0;
}

static int run(struct fil_pipeline *pipeline, uint32_t parallelism)
{
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = parallelism};
    assert_string_equal(fil_pipeline_text(pipeline), "");
    assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
    int error = fil_stream_run(stream, pipeline, NULL);
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
    return error;
}

/** The dearest first, then the earliest. */
static int compare_sales(const void *a, const void *b)
{
    const struct sale *first = a;
    const struct sale *second = b;
    if (first->amount != second->amount) {
        return first->amount > second->amount ? -1 : 1;
    }
    return (first->time > second->time) - (first->time < second->time);
}

static const struct fil_order_by dearest[] = {{.field = "amount", .is_descending = true},
                                              {.field = "time"}};

static bool is_even(void *context, const void *record)
{
    (void)context;
    return ((const struct sale *)record)->amount % 2 == 0;
}

static void test_order_stays_behind_a_sort(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (uint32_t i = 0; i < SALES; i++) {
        wanted[count] = sales[i];
        count += is_even(NULL, &sales[i]);
    }
    qsort(wanted, count, sizeof(*wanted), compare_sales);
    for (uint32_t parallelism = 1; parallelism <= 4; parallelism++) {
        struct fil_pipeline *pipeline = fil_pipeline_new("sorted");
        struct fil_stage *all = fil_read_list(pipeline, &type, sales, SALES);
        struct fil_stage *even = fil_stage_filter(fil_stage_sort(all, dearest, 2), is_even, NULL);
        fil_write_expected(even, wanted, count, true);
        assert_int_equal(run(pipeline, parallelism), FIL_OK);
    }
}

/** The dearest sales of a shop, or of all, with a time in [start, end), behind what is wanted. */
static uint32_t want_top(uint32_t count, int64_t shop, int64_t start, int64_t end, uint32_t limit)
{
    static struct sale some[SALES];
    uint32_t found = 0;
    for (uint32_t i = 0; i < SALES; i++) {
        some[found] = sales[i];
        found +=
            (shop < 0 || sales[i].shop == shop) && sales[i].time >= start && sales[i].time < end;
    }
    qsort(some, found, sizeof(*some), compare_sales);
    found = found < limit ? found : limit;
    memcpy(&wanted[count], some, found * sizeof(*some));
    return count + found;
}

static void test_first_ones_of_windows_and_keys(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 16; i++) {
        const struct fil_top top = {.count = 5,
                                    .by = {dearest[0], dearest[1]},
                                    .key = i % 2 == 0 ? NULL : "shop",
                                    .size = i % 4 < 2 ? 0 : 100};
        int64_t size = top.size == 0 ? SALES : top.size;
        uint32_t count = 0;
        for (int64_t start = 0; start < SALES; start += size) {
            for (int64_t shop = top.key == NULL ? -1 : 0; shop < (top.key == NULL ? 0 : SHOPS);
                 shop++) {
                count = want_top(count, shop, start, start + size, 5);
            }
        }
        struct fil_pipeline *pipeline = fil_pipeline_new("top");
        struct fil_stage *all = fil_read_list(pipeline, &type, sales, SALES);
        fil_write_expected(fil_stage_top(all, &top), wanted, count, false);
        assert_int_equal(run(pipeline, 1 + i / 4), FIL_OK);
    }
}

/** A return has other fields than a sale. */
struct back {
    char reason[16];
    int64_t shop;
    int64_t when;
};

static const struct fil_field back_fields[] = {
    FIL_TEXT(struct back, reason), FIL_I64(struct back, shop), FIL_TIME(struct back, when)};
static const struct fil_type back_type = FIL_TYPE(struct back, back_fields);

struct sums {
    int64_t start;
    int64_t end;
    int64_t shop;
    int64_t count;
    int64_t least;
    int64_t returns;
    int64_t latest;
};

static struct back backs[SALES / 10];

static struct sums sum_up(int64_t shop, int64_t start, int64_t end)
{
    struct sums sums = {.start = start, .end = end, .shop = shop};
    for (uint32_t i = 0; i < SALES; i++) {
        const struct sale *sale = &sales[i];
        if (sale->shop == shop && sale->time >= start && sale->time < end) {
            sums.least = sums.count == 0 || sale->amount < sums.least ? sale->amount : sums.least;
            sums.count++;
        }
    }
    for (uint32_t i = 0; i < FIL_COUNT_OF(backs); i++) {
        if (backs[i].shop == shop && backs[i].when >= start && backs[i].when < end) {
            sums.returns++;
            sums.latest = backs[i].when > sums.latest ? backs[i].when : sums.latest;
        }
    }
    return sums;
}

static struct fil_stage *group_both(struct fil_pipeline *pipeline, int64_t size, int64_t slide)
{
    const struct fil_co_group group = {
        .inputs = {{.stage = fil_read_list(pipeline, &type, sales, SALES),
                    .key = "shop",
                    .aggregates = {{.kind = FIL_AGGREGATION_COUNT},
                                   {.kind = FIL_AGGREGATION_MIN, .field = "amount"}}},
                   {.stage = fil_read_list(pipeline, &back_type, backs, FIL_COUNT_OF(backs)),
                    .key = "shop",
                    .aggregates = {{.name = "returns", .kind = FIL_AGGREGATION_COUNT},
                                   {.kind = FIL_AGGREGATION_MAX, .field = "when"}}}},
        .when = {.size = size, .slide = slide}};
    return fil_stage_co_group(&group);
}

static void test_inputs_are_grouped_together(void **state)
{
    (void)state;
    static struct sums groups[SALES];
    for (uint32_t i = 0; i < FIL_COUNT_OF(backs); i++) {
        // One shop has returns and no sales.
        backs[i] = (struct back){
            .reason = "broken", .shop = (int64_t)i % (SHOPS + 1), .when = (int64_t)i * 10};
    }
    for (uint32_t parallelism = 1; parallelism <= 4; parallelism++) {
        uint32_t count = 0;
        for (int64_t start = -400; start < SALES; start += 100) {
            for (int64_t shop = 0; shop <= SHOPS; shop++) {
                groups[count] = sum_up(shop, start, start + 500);
                count += groups[count].count + groups[count].returns != 0;
            }
        }
        struct fil_pipeline *pipeline = fil_pipeline_new("windows");
        fil_write_expected(group_both(pipeline, 500, 100), groups, count, false);
        assert_int_equal(run(pipeline, parallelism), FIL_OK);
        int64_t all[SHOPS + 1][5];
        for (int64_t shop = 0; shop <= SHOPS; shop++) {
            struct sums sums = sum_up(shop, 0, SALES);
            memcpy(all[shop], &sums.shop, sizeof(all[shop]));
        }
        pipeline = fil_pipeline_new("all");
        fil_write_expected(group_both(pipeline, 0, 0), all, SHOPS + 1, false);
        assert_int_equal(run(pipeline, parallelism), FIL_OK);
    }
}

/** Calls that a thread answers, in turns from both ends. */
static struct {
    pthread_mutex_t lock;
    struct {
        struct fil_async *call;
        const struct sale *record;
        struct sale *answer;
    } items[SALES];
    uint32_t count;
    bool is_over;
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ask(void *context, struct fil_async *call, const void *record, void *out_record)
{
    (void)context;
    pthread_mutex_lock(&asked.lock);
    asked.items[asked.count].call = call;
    asked.items[asked.count].record = record;
    asked.items[asked.count].answer = out_record;
    asked.count++;
    pthread_mutex_unlock(&asked.lock);
}

/** The last one that was asked is answered first; false when it is over. */
static bool answer_one(void)
{
    pthread_mutex_lock(&asked.lock);
    bool is_over = asked.is_over;
    struct fil_async *call = NULL;
    if (asked.count > 0) {
        asked.count--;
        *asked.items[asked.count].answer = *asked.items[asked.count].record;
        asked.items[asked.count].answer->amount *= 2;
        call = asked.items[asked.count].call;
    }
    pthread_mutex_unlock(&asked.lock);
    if (call != NULL) {
        fil_async_end(call, FIL_OK);
    }
    return !is_over;
}

static void *answer_all(void *context)
{
    (void)context;
    while (answer_one()) {
        sched_yield();
    }
    return NULL;
}

static void test_other_threads_answer_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SALES; i++) {
        wanted[i] = sales[i];
        wanted[i].amount *= 2;
    }
    pthread_t thread;
    asked.is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, answer_all, NULL), 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct fil_pipeline *pipeline = fil_pipeline_new("calls");
        struct fil_stage *all = fil_read_list(pipeline, &type, sales, SALES);
        const struct fil_async_call call = {
            .type = &type, .begin = ask, .concurrency = 10 * i, .is_unordered = i % 2 == 1};
        uint32_t parallelism = i < 2 ? 1 : 3;
        fil_write_expected(fil_stage_async(all, &call), wanted, SALES,
                           parallelism == 1 && !call.is_unordered);
        assert_int_equal(run(pipeline, parallelism), FIL_OK);
    }
    pthread_mutex_lock(&asked.lock);
    asked.is_over = true;
    pthread_mutex_unlock(&asked.lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static const char *mistake_of(struct fil_pipeline *pipeline)
{
    static char text[256];
    (void)fil_pipeline_check(pipeline);
    memset(text, 0, sizeof(text));
    memcpy(text, fil_pipeline_text(pipeline), strnlen(fil_pipeline_text(pipeline), 255));
    fil_pipeline_free(pipeline);
    return text;
}

static void test_mistakes_name_their_stage(void **state)
{
    (void)state;
    struct fil_pipeline *pipeline = fil_pipeline_new("a");
    const struct fil_async_call many = {.type = &type, .begin = ask, .concurrency = 5000};
    (void)fil_stage_async(fil_read_list(pipeline, &type, sales, 1), &many);
    assert_string_equal(mistake_of(pipeline), "stage 'async-2': 5000 calls at once, 4096 at most");
    pipeline = fil_pipeline_new("a");
    const struct fil_async_call none = {.type = &type};
    (void)fil_stage_async(fil_read_list(pipeline, &type, sales, 1), &none);
    assert_string_equal(mistake_of(pipeline), "stage 'async-2': it needs a function");
    pipeline = fil_pipeline_new("a");
    (void)fil_stage_sort(fil_read_list(pipeline, &type, sales, 1), NULL, 0);
    assert_string_equal(mistake_of(pipeline), "stage 'sort-2': it needs a field to order by");
    pipeline = fil_pipeline_new("a");
    const struct fil_top large = {.count = 5000, .by = {dearest[0]}};
    (void)fil_stage_top(fil_read_list(pipeline, &type, sales, 1), &large);
    assert_string_equal(mistake_of(pipeline), "stage 'top-2': the first 5000 records of 24 bytes: "
                                              "it keeps 1 and more, in up to 32768 bytes");
    pipeline = fil_pipeline_new("a");
    (void)fil_stage_late(group_both(pipeline, 500, 0));
    assert_string_equal(mistake_of(pipeline), "stage 'cogroup-5': late records of a co-group are "
                                              "counted, but are no stage");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_stays_behind_a_sort),
        cmocka_unit_test(test_first_ones_of_windows_and_keys),
        cmocka_unit_test(test_inputs_are_grouped_together),
        cmocka_unit_test(test_other_threads_answer_calls),
        cmocka_unit_test(test_mistakes_name_their_stage),
    };
    return cmocka_run_group_tests_name("together", tests, set_up, NULL);
}
