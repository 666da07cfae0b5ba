// SPDX-License-Identifier: Apache-2.0
/**
 * Pipelines: mistakes are found before anything runs and name their stage; neighbours without state
 * become one vertex; results equal a simple evaluation, whatever the parallelism; the same pipeline
 * gives the same JSON; refused memory is an error.
 */
#include "core/pipeline/csv.h"
#include "core/pipeline/planner.h"
#include "core/stream/dag_text.h"
#include "filbert/stream.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define TRADES   3000U
#define SYMBOLS  11U
#define ROWS_MAX 20000U

struct trade {
    int64_t time;
    char symbol[8];
    int64_t price;
    double weight;
};

static const struct fil_field trade_fields[] = {
    FIL_TIME(struct trade, time), FIL_TEXT(struct trade, symbol), FIL_I64(struct trade, price),
    FIL_F64(struct trade, weight)};
static const struct fil_type trade_type = FIL_TYPE(struct trade, trade_fields);

static struct trade trades[TRADES];

static void make_trades(void)
{
    struct fil_prng prng;
    fil_prng_init(&prng, 1);
    for (uint32_t i = 0; i < TRADES; i++) {
        trades[i] = (struct trade){
            .time = (int64_t)i * 3, .price = (int64_t)fil_prng_below(&prng, 1000), .weight = 0.5};
        trades[i].symbol[0] = (char)('A' + fil_prng_below(&prng, SYMBOLS));
    }
}

struct row {
    uint8_t bytes[64];
};

struct rows {
    struct row items[ROWS_MAX];
    uint32_t count;
    uint32_t size;
};

static int take(void *context, const void *record)
{
    struct rows *rows = context;
    assert_true(rows->count < ROWS_MAX);
    memcpy(rows->items[rows->count].bytes, record, rows->size);
    rows->count++;
    return FIL_OK;
}

static bool is_dear(void *context, const void *record)
{
    (void)context;
    return ((const struct trade *)record)->price >= 500;
}

static void halve(void *context, const void *record, void *out_record)
{
    (void)context;
    struct trade trade = *(const struct trade *)record;
    trade.price /= 2;
    memcpy(out_record, &trade, sizeof(trade));
}

static bool twice(void *context, const void *record, uint32_t index, void *out_record)
{
    (void)context;
    struct trade trade = *(const struct trade *)record;
    trade.price += index;
    memcpy(out_record, &trade, sizeof(trade));
    return index < 2;
}

static const struct fil_group_by by_symbol = {
    .key = "symbol",
    .aggregates = {{.kind = FIL_AGGREGATION_COUNT},
                   {.name = "volume", .kind = FIL_AGGREGATION_SUM, .field = "price"}},
    .size = 300,
    .slide = 100};

struct volume {
    int64_t start;
    int64_t end;
    char symbol[8];
    int64_t count;
    int64_t volume;
};

/** Dear trades, halved, each twice, in sliding windows by symbol. */
static struct fil_pipeline *make_volumes(struct rows *rows)
{
    struct fil_pipeline *pipeline = fil_pipeline_new("volumes");
    assert_non_null(pipeline);
    struct fil_stage *stage = fil_read_list(pipeline, &trade_type, trades, TRADES);
    stage = fil_stage_name(fil_stage_filter(stage, is_dear, NULL), "dear");
    stage = fil_stage_map(stage, &trade_type, halve, NULL);
    stage = fil_stage_flat_map(stage, &trade_type, twice, NULL);
    stage = fil_stage_window(stage, &by_symbol);
    rows->size = sizeof(struct volume);
    rows->count = 0;
    fil_write_function(stage, take, rows);
    return pipeline;
}

/** What a window of a symbol must have. */
static struct volume evaluate(int64_t start, char symbol)
{
    struct volume volume = {.start = start, .end = start + by_symbol.size, .symbol = {symbol}};
    for (uint32_t i = 0; i < TRADES; i++) {
        const struct trade *trade = &trades[i];
        if (trade->price >= 500 && trade->symbol[0] == symbol && trade->time >= start &&
            trade->time < start + by_symbol.size) {
            volume.count += 2;
            volume.volume += trade->price / 2 * 2 + 1;
        }
    }
    return volume;
}

static uint32_t expect_volumes(const struct rows *rows)
{
    uint32_t wanted = 0;
    for (int64_t start = -200; start < (int64_t)TRADES * 3; start += 100) {
        for (char symbol = 'A'; symbol < (char)('A' + SYMBOLS); symbol++) {
            struct volume volume = evaluate(start, symbol);
            uint32_t found = 0;
            for (uint32_t i = 0; i < rows->count; i++) {
                found += memcmp(rows->items[i].bytes, &volume, sizeof(volume)) == 0;
            }
            assert_int_equal(found, volume.count == 0 ? 0 : 1);
            wanted += volume.count != 0;
        }
    }
    return wanted;
}

static void test_results_equal_a_simple_evaluation(void **state)
{
    (void)state;
    make_trades();
    static struct rows rows;
    for (uint32_t parallelism = 1; parallelism <= 4; parallelism++) {
        struct fil_stream *stream = NULL;
        const struct fil_stream_options options = {.worker_count = 1 + parallelism % 3};
        assert_int_equal(fil_stream_start(&stream, &options), FIL_OK);
        struct fil_pipeline *pipeline = make_volumes(&rows);
        const struct fil_stream_job_options job = {
            .parallelism = parallelism,
            .guarantee = parallelism % 2 == 0 ? FIL_GUARANTEE_EXACTLY_ONCE : FIL_GUARANTEE_NONE,
            .interval_ms = 1};
        assert_int_equal(fil_stream_run(stream, pipeline, &job), FIL_OK);
        fil_pipeline_free(pipeline);
        fil_stream_stop(stream);
        assert_int_equal(expect_volumes(&rows), rows.count);
    }
}

struct total {
    int64_t start;
    int64_t end;
    int64_t count;
    double weight;
    int64_t least;
};

static const struct fil_group_by of_all = {
    .aggregates = {{.kind = FIL_AGGREGATION_COUNT},
                   {.kind = FIL_AGGREGATION_SUM, .field = "weight"},
                   {.kind = FIL_AGGREGATION_MIN, .field = "price"}},
    .size = 300,
    .slide = 100};

/** The aggregates of all trades from a time on, before another. */
static struct total total_of(int64_t start, int64_t end)
{
    struct total total = {.start = start, .end = end};
    for (uint32_t i = 0; i < TRADES; i++) {
        const struct trade *trade = &trades[i];
        if (trade->time >= start && trade->time < end) {
            bool is_less = total.count == 0 || trade->price < total.least;
            total.least = is_less ? trade->price : total.least;
            total.count++;
            total.weight += trade->weight;
        }
    }
    return total;
}

static void run_once(struct fil_pipeline *pipeline, uint32_t parallelism)
{
    struct fil_stream *stream = NULL;
    assert_int_equal(fil_stream_start(&stream, NULL), FIL_OK);
    const struct fil_stream_job_options job = {
        .parallelism = parallelism, .guarantee = FIL_GUARANTEE_EXACTLY_ONCE, .interval_ms = 1};
    assert_int_equal(fil_stream_run(stream, pipeline, &job), FIL_OK);
    fil_pipeline_free(pipeline);
    fil_stream_stop(stream);
}

/** Groups without a key go through two vertices, and nobody notices. */
static void test_windows_of_all_equal_a_simple_evaluation(void **state)
{
    (void)state;
    make_trades();
    static struct rows rows;
    for (uint32_t parallelism = 1; parallelism <= 4; parallelism++) {
        rows = (struct rows){.size = sizeof(struct total)};
        struct fil_pipeline *pipeline = fil_pipeline_new("totals");
        struct fil_stage *all = fil_read_list(pipeline, &trade_type, trades, TRADES);
        fil_write_function(fil_stage_window(all, &of_all), take, &rows);
        run_once(pipeline, parallelism);
        uint32_t windows = 0;
        for (int64_t end = 100; end - of_all.size < (int64_t)TRADES * 3; end += 100, windows++) {
            struct total wanted = total_of(end - of_all.size, end);
            assert_memory_equal(rows.items[windows].bytes, &wanted, sizeof(wanted));
        }
        assert_int_equal(rows.count, windows);
    }
}

static void test_aggregates_of_all_equal_a_simple_evaluation(void **state)
{
    (void)state;
    make_trades();
    struct total wanted = total_of(INT64_MIN, INT64_MAX);
    const size_t head = offsetof(struct total, count);
    static struct rows rows;
    struct fil_group_by group = of_all;
    group.size = 0;
    group.slide = 0;
    for (uint32_t parallelism = 1; parallelism <= 4; parallelism++) {
        rows = (struct rows){.size = (uint32_t)(sizeof(wanted) - head)};
        struct fil_pipeline *pipeline = fil_pipeline_new("total");
        struct fil_stage *all = fil_read_list(pipeline, &trade_type, trades, TRADES);
        fil_write_function(fil_stage_aggregate(all, &group), take, &rows);
        run_once(pipeline, parallelism);
        assert_int_equal(rows.count, 1);
        assert_memory_equal(rows.items[0].bytes, (const uint8_t *)&wanted + head, rows.size);
    }
}

static void test_neighbours_without_state_become_one_vertex(void **state)
{
    (void)state;
    static struct rows rows;
    struct fil_pipeline *pipeline = make_volumes(&rows);
    struct fil_dag dag;
    fil_dag_init(&dag);
    assert_int_equal(fil_planner_plan(pipeline, 2, NULL, &dag), FIL_OK);
    char text[2048];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    fil_dag_write_json(&dag, &writer);
    assert_string_equal(
        fil_writer_terminate(&writer),
        "{\"vertices\":[{\"name\":\"list-1\",\"processor\":\"generator\",\"parallelism\":2},"
        "{\"name\":\"dear+map-3+flat-map-4\",\"processor\":\"chain\",\"parallelism\":2},"
        "{\"name\":\"window-5\",\"processor\":\"window\",\"parallelism\":2},"
        "{\"name\":\"function-6\",\"processor\":\"callback sink\",\"parallelism\":1}],"
        "\"edges\":[{\"from\":\"list-1\",\"to\":\"dear+map-3+flat-map-4\",\"kind\":\"isolated\","
        "\"record_bytes\":32},"
        "{\"from\":\"dear+map-3+flat-map-4\",\"to\":\"window-5\",\"kind\":\"partitioned\","
        "\"record_bytes\":32,\"key\":[8,8]},"
        "{\"from\":\"window-5\",\"to\":\"function-6\",\"kind\":\"unicast\","
        "\"record_bytes\":40}]}\n");
    fil_dag_fini(&dag);
    fil_pipeline_free(pipeline);
}

static bool note_last(void *context, void *state, const void *record, int64_t time, void *out)
{
    (void)context;
    int64_t *last = state;
    const struct trade *trade = record;
    assert_int_equal(time, trade->time);
    bool is_rise = *last != 0 && trade->price > *last;
    *last = trade->price;
    memcpy(out, trade, sizeof(*trade));
    return is_rise;
}

struct listing {
    char symbol[8];
    int64_t board;
};

static const struct fil_field listing_fields[] = {FIL_TEXT(struct listing, symbol),
                                                  FIL_I64(struct listing, board)};
static const struct fil_type listing_type = FIL_TYPE(struct listing, listing_fields);

static bool add_board(void *context, const void *record, const void *partner, void *out)
{
    (void)context;
    struct trade trade = *(const struct trade *)record;
    trade.price = partner == NULL ? -1 : ((const struct listing *)partner)->board;
    memcpy(out, &trade, sizeof(trade));
    return true;
}

static void test_state_join_merge_and_forks_work_together(void **state)
{
    (void)state;
    make_trades();
    static struct rows rises;
    static struct rows boards;
    rises = (struct rows){.size = sizeof(struct trade)};
    boards = (struct rows){.size = sizeof(struct trade)};
    const struct listing listings[2] = {{.symbol = "A", .board = 7}, {.symbol = "B", .board = 8}};
    struct fil_pipeline *pipeline = fil_pipeline_new("rises");
    struct fil_stage *all = fil_read_list(pipeline, &trade_type, trades, TRADES);
    struct fil_stage *partners = fil_read_list(pipeline, &listing_type, listings, 2);
    const struct fil_state_map last = {
        .key = "symbol", .state_size = 8, .type = &trade_type, .map = note_last};
    fil_write_function(fil_stage_state_map(all, &last), take, &rises);
    const struct fil_join join = {
        .key = "symbol", .partner_key = "symbol", .type = &trade_type, .join = add_board};
    struct fil_stage *joined = fil_stage_join(all, partners, &join);
    fil_write_function(fil_stage_merge(joined, all), take, &boards);
    struct fil_stream *stream = NULL;
    assert_int_equal(fil_stream_start(&stream, NULL), FIL_OK);
    const struct fil_stream_job_options job = {.parallelism = 1};
    assert_int_equal(fil_stream_run(stream, pipeline, &job), FIL_OK);
    fil_pipeline_free(pipeline);
    fil_stream_stop(stream);
    int64_t lasts[SYMBOLS] = {0};
    uint32_t wanted_rises = 0;
    uint32_t wanted_boards = 0;
    for (uint32_t i = 0; i < TRADES; i++) {
        int64_t *price = &lasts[trades[i].symbol[0] - 'A'];
        wanted_rises += *price != 0 && trades[i].price > *price;
        *price = trades[i].price;
        wanted_boards += trades[i].symbol[0] <= 'B';
    }
    assert_int_equal(rises.count, wanted_rises);
    assert_int_equal(boards.count, 2 * TRADES);
    uint32_t found_boards = 0;
    for (uint32_t i = 0; i < boards.count; i++) {
        struct trade trade;
        memcpy(&trade, boards.items[i].bytes, sizeof(trade));
        bool is_joined = trade.symbol[0] <= 'B' && trade.price == 7 + (trade.symbol[0] - 'A');
        found_boards += is_joined;
    }
    assert_true(found_boards >= wanted_boards);
}

static void count_dear(void *context, void *state, const void *record)
{
    const int64_t *limit = context;
    const struct trade *trade = record;
    *(int64_t *)state += trade->price >= *limit;
}

static void add_counts(void *context, void *into, const void *from)
{
    (void)context;
    *(int64_t *)into += *(const int64_t *)from;
}

static void tell_count(void *context, const void *state, void *out_result)
{
    (void)context;
    memcpy(out_result, state, sizeof(int64_t));
}

/** By key and of everything, where states travel between two vertices. */
static void test_aggregates_of_a_program_equal_a_simple_evaluation(void **state)
{
    (void)state;
    make_trades();
    static struct rows rows;
    int64_t limit = 900;
    int64_t wanted = 0;
    for (uint32_t i = 0; i < TRADES; i++) {
        wanted += trades[i].price >= limit;
    }
    const struct fil_custom_aggregate dear = {.state_size = sizeof(int64_t),
                                              .result = FIL_FIELD_I64,
                                              .accumulate = count_dear,
                                              .combine = add_counts,
                                              .export_result = tell_count,
                                              .context = &limit};
    for (uint32_t i = 0; i < 2; i++) {
        rows = (struct rows){.size = i == 0 ? 8 : 16};
        struct fil_pipeline *pipeline = fil_pipeline_new("dear");
        struct fil_stage *all = fil_read_list(pipeline, &trade_type, trades, TRADES);
        const struct fil_group_by group = {
            .key = i == 0 ? NULL : "symbol",
            .aggregates = {{.name = "dear", .kind = FIL_AGGREGATION_CUSTOM, .custom = &dear}}};
        fil_write_function(fil_stage_aggregate(all, &group), take, &rows);
        run_once(pipeline, 3);
        assert_int_equal(rows.count, i == 0 ? 1 : SYMBOLS);
        int64_t got = 0;
        for (uint32_t j = 0; j < rows.count; j++) {
            int64_t count = 0;
            memcpy(&count, rows.items[j].bytes + rows.size - 8, sizeof(count));
            got += count;
        }
        assert_int_equal(got, wanted);
    }
}

static void test_empty_list_ends_at_once(void **state)
{
    (void)state;
    static struct rows rows;
    rows.count = 0;
    struct fil_pipeline *pipeline = fil_pipeline_new("empty");
    fil_write_function(fil_read_list(pipeline, &trade_type, trades, 0), take, &rows);
    struct fil_stream *stream = NULL;
    assert_int_equal(fil_stream_start(&stream, NULL), FIL_OK);
    assert_int_equal(fil_stream_run(stream, pipeline, NULL), FIL_OK);
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
    assert_int_equal(rows.count, 0);
}

static void expect_mistake(struct fil_pipeline *pipeline, int error, const char *text)
{
    assert_int_equal(fil_pipeline_check(pipeline), error);
    assert_string_equal(fil_pipeline_text(pipeline), text);
    fil_pipeline_free(pipeline);
}

static struct fil_stage *begin(struct fil_pipeline **out_pipeline)
{
    *out_pipeline = fil_pipeline_new("wrong");
    return fil_read_list(*out_pipeline, &trade_type, trades, TRADES);
}

static void test_mistakes_name_their_stage(void **state)
{
    (void)state;
    struct fil_pipeline *pipeline = NULL;
    struct fil_group_by group = by_symbol;
    group.key = "colour";
    (void)fil_stage_window(begin(&pipeline), &group);
    expect_mistake(pipeline, FIL_E_NOT_FOUND,
                   "stage 'window-2': key 'colour' is no field of type 'struct trade'");
    group = by_symbol;
    group.slide = 7;
    (void)fil_stage_window(begin(&pipeline), &group);
    expect_mistake(
        pipeline, FIL_E_INVALID,
        "stage 'window-2': a window of 300 by 7: the size must be a positive multiple of "
        "the slide, up to 65536 of them");
    group = by_symbol;
    group.aggregates[1].field = "symbol";
    (void)fil_stage_aggregate(begin(&pipeline), &group);
    expect_mistake(pipeline, FIL_E_UNSUPPORTED,
                   "stage 'aggregate-2': there is no sum of text "
                   "'symbol'");
    group = by_symbol;
    group.aggregates[1].name = "count";
    (void)fil_stage_aggregate(begin(&pipeline), &group);
    expect_mistake(pipeline, FIL_E_EXISTS,
                   "stage 'aggregate-2': its results have two fields "
                   "'count'");
    group = by_symbol;
    group.early = -1;
    (void)fil_stage_window(begin(&pipeline), &group);
    expect_mistake(pipeline, FIL_E_INVALID,
                   "stage 'window-2': a time between early results of -1: it is 0 or more units of "
                   "the time field");
    group = by_symbol;
    group.lateness = -2;
    (void)fil_stage_window(begin(&pipeline), &group);
    expect_mistake(pipeline, FIL_E_INVALID,
                   "stage 'window-2': a lateness of -2: it is 0 or more units of the time field");
    group = by_symbol;
    group.aggregates[1] = (struct fil_aggregation){.kind = FIL_AGGREGATION_CUSTOM};
    (void)fil_stage_aggregate(begin(&pipeline), &group);
    expect_mistake(pipeline, FIL_E_INVALID,
                   "stage 'aggregate-2': an aggregate of its own needs the size of its state, "
                   "accumulate, combine, export_result and a number as its result");
    (void)fil_stage_late(begin(&pipeline));
    expect_mistake(pipeline, FIL_E_INVALID, "stage 'list-1': only windows have late records");
    struct fil_stage *window = fil_stage_window(begin(&pipeline), &by_symbol);
    assert_ptr_equal(fil_stage_late(window), fil_stage_late(window));
    fil_write_function(fil_stage_late(window), take, NULL);
    expect_mistake(pipeline, FIL_E_INVALID, "stage 'window-2': its records are not written");
    (void)fil_stage_filter(begin(&pipeline), is_dear, NULL);
    expect_mistake(pipeline, FIL_E_INVALID, "stage 'filter-2': its records are not written");
    (void)fil_stage_window(
        fil_read_list(pipeline = fil_pipeline_new("wrong"), &listing_type, trades, 1), &by_symbol);
    expect_mistake(pipeline, FIL_E_INVALID,
                   "stage 'window-2': type 'struct listing' has no time field");
    pipeline = fil_pipeline_new("");
    expect_mistake(pipeline, FIL_E_INVALID, "a pipeline needs a name of 1 to 63 bytes");
}

static void test_refused_memory_is_an_error(void **state)
{
    (void)state;
    static struct rows rows;
    bool has_passed = false;
    for (int64_t after = 1; !has_passed && after < 100; after++) {
        struct fil_pipeline *pipeline = fil_pipeline_new("volumes");
        struct fil_dag dag;
        fil_dag_init(&dag);
        fil_alloc_fail_after(after - 1);
        struct fil_stage *stage = fil_read_list(pipeline, &trade_type, trades, TRADES);
        fil_write_function(fil_stage_window(stage, &by_symbol), take, &rows);
        int error = fil_planner_plan(pipeline, 2, NULL, &dag);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        has_passed = error == FIL_OK;
        fil_dag_fini(&dag);
        fil_pipeline_free(pipeline);
    }
    assert_true(has_passed);
}

static void test_lines_give_the_same_record_again(void **state)
{
    (void)state;
    const struct trade trade = {.time = -5, .symbol = "a,\"b", .price = 12, .weight = 0.1};
    char line[128];
    size_t size = fil_csv_format(&trade_type, &trade, line, sizeof(line));
    struct fil_bytes text = fil_bytes_make(line, size);
    assert_true(fil_bytes_equal_text(text, "-5,\"a,\"\"b\",12,0.1"));
    struct trade back;
    assert_int_equal(fil_csv_parse(&trade_type, text, &back), FIL_OK);
    assert_memory_equal(&back, &trade, sizeof(trade));
    assert_true(fil_csv_format(&trade_type, &trade, line, 5) > 5);
    const char *const wrong[] = {"1,a,2",     "1,a,2,3,4", "x,a,2,3",     "1,toolong-text,2,3",
                                 "1,\"a,2,3", "1,a,2,",    "1,\"a\"b,2,3"};
    for (uint32_t i = 0; i < FIL_COUNT_OF(wrong); i++) {
        assert_int_equal(fil_csv_parse(&trade_type, fil_bytes_of(wrong[i]), &back),
                         FIL_E_MALFORMED);
    }
    assert_int_equal(fil_csv_parse(&trade_type, fil_bytes_of(""), &back), FIL_E_NOT_FOUND);
}

static void test_job_is_suspended_resumed_and_cancelled(void **state)
{
    (void)state;
    static struct rows rows;
    rows = (struct rows){.size = sizeof(struct trade)};
    struct fil_stream *stream = NULL;
    assert_int_equal(fil_stream_start(&stream, NULL), FIL_OK);
    struct fil_pipeline *pipeline = make_volumes(&rows);
    const struct fil_stream_job_options options = {.guarantee = FIL_GUARANTEE_AT_LEAST_ONCE};
    struct fil_stream_job *job = NULL;
    struct fil_stream_job *other = NULL;
    assert_int_equal(fil_stream_submit(stream, pipeline, &options, &job), FIL_OK);
    assert_int_equal(fil_stream_submit(stream, pipeline, &options, &other), FIL_E_EXISTS);
    fil_stream_job_suspend(job);
    assert_int_equal(fil_stream_job_wait(job, -1), FIL_OK);
    enum fil_stream_state now = fil_stream_job_state(job);
    assert_true(now == FIL_STREAM_SUSPENDED || now == FIL_STREAM_COMPLETED);
    fil_stream_job_release(job);
    fil_pipeline_free(pipeline);
    fil_stream_stop(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_equal_a_simple_evaluation),
        cmocka_unit_test(test_windows_of_all_equal_a_simple_evaluation),
        cmocka_unit_test(test_aggregates_of_all_equal_a_simple_evaluation),
        cmocka_unit_test(test_neighbours_without_state_become_one_vertex),
        cmocka_unit_test(test_state_join_merge_and_forks_work_together),
        cmocka_unit_test(test_aggregates_of_a_program_equal_a_simple_evaluation),
        cmocka_unit_test(test_empty_list_ends_at_once),
        cmocka_unit_test(test_mistakes_name_their_stage),
        cmocka_unit_test(test_refused_memory_is_an_error),
        cmocka_unit_test(test_lines_give_the_same_record_again),
        cmocka_unit_test(test_job_is_suspended_resumed_and_cancelled),
    };
    return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
