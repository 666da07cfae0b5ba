// SPDX-License-Identifier: Apache-2.0
/**
 * Loads without a limit on the source.
 *
 * q1, q2, q5, w4: bids {id, ms, auction = id mod keys, price = |mix(id)| mod 100}, 5000 a
 * millisecond of event time. q1: price * 8 / 10. q2: auctions that are multiples of 128. q5, w4:
 * bids of each auction over 10 s by 500 ms, the ten best of each slide. w2: the sum of n by n mod
 * 10 M.
 */
#include <stdio.h>
#include <string.h>

#include "bench/stream_load/bench.h"
#include "core/stream/batch_aggregate.h"
#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "core/stream/window.h"

#define AUCTIONS      10000U
#define AUCTIONS_MANY 1000000U
#define BIDS_A_MS     5000U
#define SIZE_MS       10000U
#define SLIDE_MS      500U
#define SLICES        (SIZE_MS / SLIDE_MS)
#define TOP           10U
#define SUM_KEYS      10000000U
#define SUM_KEPT      (1U << 20)
#define KEPT_AUCTIONS 128U

struct bid {
    uint64_t id;
    int64_t time_ms;
    uint64_t auction;
    int64_t price;
};

struct number {
    uint64_t key;
    int64_t value;
};

struct digest {
    _Atomic int64_t sum;
    _Atomic uint64_t count;
};

static inline struct bid make_bid(uint64_t id, uint64_t auctions)
{
    return (struct bid){.id = id,
                        .time_ms = (int64_t)(id / BIDS_A_MS),
                        .auction = id % auctions,
                        .price = bench_random(id, 100)};
}

static inline void make_bids(const struct fil_generator_span *span, uint64_t auctions)
{
    struct bid *bids = span->records;
    for (uint32_t i = 0; i < span->count; i++) {
        bids[i] = make_bid(span->first + i * span->step, auctions);
        span->times[i] = bids[i].time_ms;
    }
}

static void generate_bids(void *context, const struct fil_generator_span *span)
{
    (void)context;
    make_bids(span, AUCTIONS);
}

static void generate_many_auctions(void *context, const struct fil_generator_span *span)
{
    (void)context;
    make_bids(span, AUCTIONS_MANY);
}

static void convert(void *context, const void *records, void *out_records, uint32_t count)
{
    (void)context;
    const struct bid *from = records;
    struct bid *to = out_records;
    for (uint32_t i = 0; i < count; i++) {
        struct bid bid = from[i];
        bid.price = bid.price * 8 / 10;
        to[i] = bid;
    }
}

static uint32_t select_auctions(void *context, const void *records, uint32_t count,
                                uint32_t *out_kept)
{
    (void)context;
    const struct bid *bids = records;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        out_kept[kept] = i;
        kept += bids[i].auction % KEPT_AUCTIONS == 0;
    }
    return kept;
}

static int take_digest(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    memcpy(self, &config, sizeof(config));
    return FIL_OK;
}

static void add_to(void *self, int64_t sum, uint64_t count)
{
    struct digest *digest = *(struct digest *const *)self;
    // Relaxed: read when the job is over.
    atomic_fetch_add_explicit(&digest->sum, sum, memory_order_relaxed);
    atomic_fetch_add_explicit(&digest->count, count, memory_order_relaxed);
}

/** Sums a batch at a time, so that the sink is not what is measured. */
static int take_prices(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    (void)context;
    const struct bid *bids = fil_batch_record(inbox->batch, 0);
    int64_t sum = 0;
    uint32_t count = inbox->limit - inbox->position;
    for (; inbox->position < inbox->limit; inbox->position++) {
        sum += bids[inbox->position].price;
    }
    add_to(self, sum, count);
    return FIL_OK;
}

static int take_sums(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    (void)context;
    const struct number *numbers = fil_batch_record(inbox->batch, 0);
    int64_t sum = 0;
    uint64_t count = 0;
    for (; inbox->position < inbox->limit; inbox->position++) {
        sum += numbers[inbox->position].value;
        count += numbers[inbox->position].key % SUM_KEPT == 0;
    }
    add_to(self, sum, count);
    return FIL_OK;
}

static const struct fil_processor_ops prices_ops = {
    .name = "prices", .size = sizeof(struct digest *), .init = take_digest, .process = take_prices};
static const struct fil_processor_ops sums_ops = {
    .name = "sums", .size = sizeof(struct digest *), .init = take_digest, .process = take_sums};

static int take_top(void *context, const void *record, uint32_t size, int64_t time)
{
    struct digest *digest = context;
    (void)size;
    (void)time;
    const struct fil_aggregate_top *top =
        (const void *)((const uint8_t *)record + sizeof(struct fil_window_result));
    for (uint32_t i = 0; i < TOP; i++) {
        digest->sum += top[i].value;
    }
    digest->count++;
    return FIL_OK;
}

static struct fil_edge edge_of(enum fil_edge_kind kind, uint32_t stride, uint32_t key_offset)
{
    return (struct fil_edge){.kind = kind,
                             .layout = {.stride = stride, .has_times = true},
                             .key = {.offset = key_offset, .size = 8}};
}

static int finish(const struct bench_options *options, struct fil_dag *dag,
                  const struct digest *digest, int64_t expected)
{
    struct bench_engine engine;
    struct bench_result result = {.digest_expected = expected,
                                  .record_count = options->millions * BENCH_MILLION};
    bool has_snapshots = strcmp(options->name, "q5-snapshots") == 0;
    bench_engine_start(&engine, false);
    bench_run(&engine, dag, has_snapshots, &result);
    bench_engine_stop(&engine);
    fil_dag_fini(dag);
    result.digest = digest->sum;
    result.result_count = digest->count;
    return bench_tell(options, &result);
}

/** The sum of the prices that come out, worked out without the engine. */
static int64_t expect_prices(uint64_t count, bool is_map)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct bid bid = make_bid(i, AUCTIONS);
        bool is_kept = is_map || bid.auction % KEPT_AUCTIONS == 0;
        sum += !is_kept ? 0 : is_map ? bid.price * 8 / 10 : bid.price;
    }
    return sum;
}

int bench_bids(const struct bench_options *options)
{
    bool is_map = strcmp(options->name, "q1") == 0;
    const struct fil_generator_config bids = {.generate_many = generate_bids,
                                              .count = options->millions * BENCH_MILLION,
                                              .time = {.frame = SLIDE_MS}};
    const struct fil_map_config map = {.map_many = convert};
    const struct fil_filter_config filter = {.select = select_auctions};
    struct fil_edge edge = edge_of(FIL_EDGE_ISOLATED, sizeof(struct bid), 0);
    struct digest digest = {0};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "bids", &fil_generator_ops, &bids, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "work", is_map ? &fil_map_ops : &fil_filter_ops,
                       is_map ? (const void *)&map : (const void *)&filter, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "prices", &prices_ops, &digest, BENCH_INSTANCES);
    fil_dag_add_edge(&dag, "bids", "work", &edge);
    fil_dag_add_edge(&dag, "work", "prices", &edge);
    return finish(options, &dag, &digest, expect_prices(bids.count, is_map));
}

/** The sum of the best of all windows: of bids in a row, each auction has as many as any, or one
 * more. */
static int64_t expect_tops(uint64_t count, uint64_t auctions)
{
    const uint64_t slice = (uint64_t)BIDS_A_MS * SLIDE_MS;
    uint64_t slices = (count + slice - 1) / slice;
    uint64_t sum = 0;
    for (uint64_t window = 0; window < slices + SLICES - 1; window++) {
        uint64_t begin = window < SLICES ? 0 : (window + 1 - SLICES) * slice;
        uint64_t end = (window + 1) * slice < count ? (window + 1) * slice : count;
        uint64_t more = (end - begin) % auctions < TOP ? (end - begin) % auctions : TOP;
        sum += (end - begin) / auctions * TOP + more;
    }
    return (int64_t)sum;
}

int bench_windows(const struct bench_options *options)
{
    bool is_large = strcmp(options->name, "w4") == 0;
    const uint32_t auctions = is_large ? AUCTIONS_MANY : AUCTIONS;
    struct digest digest = {0};
    const struct fil_generator_config bids = {.generate_many =
                                                  is_large ? generate_many_auctions : generate_bids,
                                              .count = options->millions * BENCH_MILLION,
                                              .time = {.frame = SLIDE_MS}};
    const struct fil_window_config counts = {.group = {.key = {.offset = 16, .size = 8},
                                                       .aggregate = fil_aggregate_count(),
                                                       .expected_count = auctions},
                                             .size = SIZE_MS,
                                             .slide = SLIDE_MS};
    // In two stages, as the planner does it for groups without a key.
    const struct fil_aggregate top_ten = fil_aggregate_top(24, 16, TOP);
    const struct fil_window_config some = {.group = {.aggregate = fil_aggregate_partial(&top_ten)},
                                           .size = SLIDE_MS,
                                           .slide = SLIDE_MS};
    const struct fil_window_config best = {
        .group = {.aggregate = fil_aggregate_combined(&top_ten, sizeof(struct fil_window_result))},
        .size = SLIDE_MS,
        .slide = SLIDE_MS};
    const struct fil_callback_sink_config sink = {.accept = take_top, .context = &digest};
    struct fil_edge bid = edge_of(FIL_EDGE_PARTITIONED, sizeof(struct bid), 16);
    struct fil_edge count = edge_of(FIL_EDGE_ISOLATED, fil_window_result_bytes(&counts), 0);
    struct fil_edge part = edge_of(FIL_EDGE_ALL_TO_ONE, fil_window_result_bytes(&some), 0);
    struct fil_edge top = edge_of(FIL_EDGE_UNICAST, fil_window_result_bytes(&best), 0);
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "bids", &fil_generator_ops, &bids, BENCH_INSTANCES);
    struct bench_folded folded;
    bool is_folded = options->folded != 0;
    bench_fold(&folded, &counts.group, SLIDE_MS);
    struct fil_window_config folded_counts = counts;
    folded_counts.group = folded.group;
    folded_counts.part_at = folded.state_at;
    fil_dag_add_vertex(&dag, "counts", &fil_window_ops, is_folded ? &folded_counts : &counts,
                       BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "some", &fil_window_ops, &some, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "best", &fil_window_ops, &best, 1);
    fil_dag_add_vertex(&dag, "end", &fil_callback_sink_ops, &sink, 1);
    if (is_folded) {
        bench_add_fold(&dag, &folded, "bids", "counts", bid);
    } else {
        fil_dag_add_edge(&dag, "bids", "counts", &bid);
    }
    fil_dag_add_edge(&dag, "counts", "some", &count);
    fil_dag_add_edge(&dag, "some", "best", &part);
    fil_dag_add_edge(&dag, "best", "end", &top);
    return finish(options, &dag, &digest, expect_tops(bids.count, auctions));
}

static void generate_numbers(void *context, const struct fil_generator_span *span)
{
    (void)context;
    struct number *numbers = span->records;
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t n = span->first + i * span->step;
        numbers[i] = (struct number){.key = n % SUM_KEYS, .value = (int64_t)n};
        span->times[i] = FIL_TIME_NONE;
    }
}

int bench_sums(const struct bench_options *options)
{
    struct digest digest = {0};
    const struct fil_generator_config source = {.generate_many = generate_numbers,
                                                .count = options->millions * BENCH_MILLION};
    const struct fil_group_config sums = {.key = {.size = 8}, .aggregate = fil_aggregate_sum(8)};
    struct fil_edge numbers = edge_of(FIL_EDGE_PARTITIONED, sizeof(struct number), 0);
    struct fil_edge results =
        edge_of(FIL_EDGE_ISOLATED, fil_batch_aggregate_result_bytes(&sums), 0);
    numbers.layout.has_times = false;
    results.layout.has_times = false;
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &source, BENCH_INSTANCES);
    struct bench_folded folded;
    bool is_folded = options->folded != 0;
    bench_fold(&folded, &sums, 0);
    fil_dag_add_vertex(&dag, "sums", &fil_batch_aggregate_ops, is_folded ? &folded.group : &sums,
                       BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "end", &sums_ops, &digest, BENCH_INSTANCES);
    if (is_folded) {
        bench_add_fold(&dag, &folded, "numbers", "sums", numbers);
    } else {
        fil_dag_add_edge(&dag, "numbers", "sums", &numbers);
    }
    fil_dag_add_edge(&dag, "sums", "end", &results);
    int64_t count = (int64_t)source.count;
    return finish(options, &dag, &digest, count / 2 * (count - 1));
}
