// SPDX-License-Identifier: Apache-2.0
/**
 * The stream engine's throughput, without limit on the source, two instances of each vertex on two
 * workers; one line of JSON a run. The digest comes first: a run with a wrong one fails.
 *
 *   bench_stream q1|q5|q5-snapshots [MILLIONS]
 *
 * q1: bids, price * 8 / 10, sum. q5: bids counted by auction (10 k) over 10 s by 500 ms, the top
 * ten of each slide; 5 M bids a second of event time. q5-snapshots: the same, exactly once, a
 * snapshot a second, kept in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/steward.h"
#include "core/stream/transforms.h"
#include "core/stream/window.h"

#define AUCTIONS      10000U
#define BIDS_A_MS     5000U
#define MILLION       UINT64_C(1000000)
#define NS_A_SECOND   1e9
#define TOP           10U
#define TOP_DIGEST_OF 20U // windows that a bid is in

struct bid {
    uint64_t id;
    int64_t time_ms;
    uint64_t auction;
    int64_t price;
};

struct digest {
    _Atomic int64_t sum;
    _Atomic uint64_t count;
};

static uint64_t mix(uint64_t value)
{
    uint64_t hash = value * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
    return hash ^ (hash >> 16);
}

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    int64_t random = (int64_t)mix(sequence);
    const struct bid bid = {.id = sequence,
                            .time_ms = (int64_t)(sequence / BIDS_A_MS),
                            .auction = sequence % AUCTIONS,
                            .price = (random < 0 ? -random : random) % 100};
    memcpy(out_record, &bid, sizeof(bid));
    return bid.time_ms;
}

static void convert(void *context, const void *record, void *out_record)
{
    (void)context;
    struct bid bid = *(const struct bid *)record;
    bid.price = bid.price * 8 / 10;
    memcpy(out_record, &bid, sizeof(bid));
}

/** Sums a batch at a time, so that the sink is not what is measured. */
static int take_price(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct digest *digest = *(struct digest *const *)self;
    (void)context;
    int64_t sum = 0;
    uint32_t count = inbox->limit - inbox->position;
    for (; inbox->position < inbox->limit; inbox->position++) {
        sum += ((const struct bid *)fil_batch_record(inbox->batch, inbox->position))->price;
    }
    // Relaxed: read when the job is over.
    atomic_fetch_add_explicit(&digest->sum, sum, memory_order_relaxed);
    atomic_fetch_add_explicit(&digest->count, count, memory_order_relaxed);
    return FIL_OK;
}

static int take_digest(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    memcpy(self, &config, sizeof(config));
    return FIL_OK;
}

static const struct fil_processor_ops sum_ops = {
    .name = "sum", .size = sizeof(struct digest *), .init = take_digest, .process = take_price};

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

/** All that a run needs, in one place: graphs borrow their configurations. */
struct bench {
    struct fil_generator_config generator;
    struct fil_map_config map;
    struct fil_window_config counts;
    struct fil_window_config best;
    struct fil_callback_sink_config sink;
    struct digest digest;
    struct fil_dag dag;
};

static struct fil_edge edge_of(enum fil_edge_kind kind, uint32_t stride)
{
    return (struct fil_edge){.kind = kind,
                             .layout = {.stride = stride, .has_times = true},
                             .key = {.offset = 16, .size = 8}};
}

static void plan_q1(struct bench *bench)
{
    struct fil_edge edge = edge_of(FIL_EDGE_ISOLATED, sizeof(struct bid));
    fil_dag_add_vertex(&bench->dag, "bids", &fil_generator_ops, &bench->generator, 2);
    fil_dag_add_vertex(&bench->dag, "convert", &fil_map_ops, &bench->map, 2);
    fil_dag_add_vertex(&bench->dag, "sum", &sum_ops, &bench->digest, 2);
    fil_dag_add_edge(&bench->dag, "bids", "convert", &edge);
    fil_dag_add_edge(&bench->dag, "convert", "sum", &edge);
}

static void plan_q5(struct bench *bench)
{
    struct fil_edge bids = edge_of(FIL_EDGE_PARTITIONED, sizeof(struct bid));
    struct fil_edge counts = edge_of(FIL_EDGE_ALL_TO_ONE, fil_window_result_bytes(&bench->counts));
    struct fil_edge best = edge_of(FIL_EDGE_UNICAST, fil_window_result_bytes(&bench->best));
    fil_dag_add_vertex(&bench->dag, "bids", &fil_generator_ops, &bench->generator, 2);
    fil_dag_add_vertex(&bench->dag, "counts", &fil_window_ops, &bench->counts, 2);
    fil_dag_add_vertex(&bench->dag, "best", &fil_window_ops, &bench->best, 1);
    fil_dag_add_vertex(&bench->dag, "end", &fil_callback_sink_ops, &bench->sink, 1);
    fil_dag_add_edge(&bench->dag, "bids", "counts", &bids);
    fil_dag_add_edge(&bench->dag, "counts", "best", &counts);
    fil_dag_add_edge(&bench->dag, "best", "end", &best);
}

static void prepare(struct bench *bench, uint64_t count)
{
    *bench = (struct bench){
        .generator = {.generate = generate, .count = count, .time = {.frame = 500}},
        .map = {.map = convert},
        .counts = {.group = {.key = {.offset = 16, .size = 8},
                             .aggregate = fil_aggregate_count(),
                             .expected_count = AUCTIONS},
                   .size = 10000,
                   .slide = 500},
        .best = {.group = {.aggregate = fil_aggregate_top(24, 16, TOP)}, .size = 500, .slide = 500},
        .sink = {.accept = take_top, .context = &bench->digest}};
    fil_dag_init(&bench->dag);
}

/** Runs to the end; the nanoseconds it took, or 0. */
static uint64_t run(struct bench *bench, struct fil_workers *workers, bool has_snapshots,
                    uint64_t *out_snapshots)
{
    struct fil_env *env = fil_env_real();
    struct fil_snapshot_memory memory;
    fil_snapshot_memory_init(&memory);
    const struct fil_steward_options options = {
        .name = "bench",
        .workers = workers,
        .store = &memory.base,
        .guarantee = has_snapshots ? FIL_GUARANTEE_EXACTLY_ONCE : FIL_GUARANTEE_NONE,
        .interval_ns = 1000 * MILLION};
    char text[FIL_STEWARD_TEXT_MAX];
    static struct fil_steward steward;
    uint64_t began = fil_env_now_ns(env);
    bool is_good = fil_steward_init(&steward, &bench->dag, &options, text) == FIL_OK;
    while (is_good && !fil_steward_is_over(&steward)) {
        (void)fil_steward_cycle(&steward, fil_env_now_ns(env));
        if (steward.job != NULL) {
            (void)!fil_job_wait(steward.job, (int64_t)MILLION);
        }
    }
    uint64_t took = fil_env_now_ns(env) - began;
    is_good = is_good && fil_steward_state(&steward) == FIL_STEWARD_COMPLETED;
    *out_snapshots = fil_counter_read(&steward.stats.snapshot_count);
    fil_steward_fini(&steward);
    fil_snapshot_memory_fini(&memory);
    return is_good ? took : 0;
}

/** What the whole input gives, worked out without the engine. */
static int64_t expected_of(bool is_q1, uint64_t count)
{
    if (!is_q1) {
        return (int64_t)(count / AUCTIONS * TOP_DIGEST_OF * TOP);
    }
    int64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct bid bid;
        (void)generate(NULL, i, &bid);
        sum += bid.price * 8 / 10;
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t millions = 60;
    if (argc < 2 || (argc > 2 && !fil_bytes_to_u64(fil_bytes_of(argv[2]), &millions))) {
        (void)fprintf(stderr, "usage: bench_stream q1|q5|q5-snapshots [MILLIONS]\n");
        return 2;
    }
    bool is_q1 = strcmp(argv[1], "q1") == 0;
    bool has_snapshots = strcmp(argv[1], "q5-snapshots") == 0;
    static struct bench bench;
    prepare(&bench, millions * MILLION);
    if (is_q1) {
        plan_q1(&bench);
    } else {
        plan_q5(&bench);
    }
    struct fil_budget budget;
    struct fil_workers workers;
    fil_budget_init(&budget, UINT64_C(4) << 30);
    const struct fil_workers_options options = {
        .env = fil_env_real(), .budget = &budget, .worker_count = 2};
    if (fil_workers_init(&workers, &options) != FIL_OK || fil_workers_start(&workers) != FIL_OK) {
        return 1;
    }
    uint64_t snapshots = 0;
    uint64_t took = run(&bench, &workers, has_snapshots, &snapshots);
    fil_workers_stop(&workers);
    fil_workers_fini(&workers);
    fil_dag_fini(&bench.dag);
    bool is_right = took != 0 && bench.digest.sum == expected_of(is_q1, millions * MILLION);
    (void)printf("{\"name\":\"%s\",\"millions\":%" PRIu64 ",\"digest\":%" PRId64
                 ",\"is_right\":%s,\"results\":%" PRIu64 ",\"snapshots\":%" PRIu64
                 ",\"million_a_second\":%.1f}\n",
                 argv[1], millions, (int64_t)bench.digest.sum, is_right ? "true" : "false",
                 (uint64_t)bench.digest.count, snapshots,
                 took == 0 ? 0 : (double)millions * NS_A_SECOND / (double)took);
    return is_right ? 0 : 1;
}
