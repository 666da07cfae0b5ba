// SPDX-License-Identifier: Apache-2.0
/**
 * Loads for the stream engine, one a run, and what became of it as a line of JSON; a run with a
 * wrong digest fails. Two instances of each vertex on two workers.
 *
 *   bench_stream LOAD [millions=N] [seconds=N] [folder=PATH] [folded=1]
 *
 * q1 map, q2 filter, q5 sliding window over 10 k keys, q5-snapshots the same exactly once, w4 the
 * same as q5 over 1 M keys, w2 sum by 10 M keys, w1 word count, w3 window latency, l1 latency of a
 * record, idle 100 idle jobs, light the start of small jobs, skew one heavy vertex among light
 * ones. With folded=1, q5, w4, w2 and w1 fold records in front of the exchange, as the planner
 * does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/stream_load/bench.h"
#include "core/stream/steward.h"

#define BUDGET_BYTES (UINT64_C(8) << 30)
#define WAIT_NS      1000000

struct load {
    const char *name;
    bench_fn run;
    uint64_t millions;
};

static const struct load loads[] = {
    {"q1", bench_bids, 60},    {"q2", bench_bids, 60},    {"q5", bench_windows, 60},
    {"w4", bench_windows, 30}, {"w2", bench_sums, 40},    {"q5-snapshots", bench_windows, 200},
    {"w1", bench_words, 20},   {"w3", bench_slides, 0},   {"l1", bench_ping, 0},
    {"idle", bench_idle, 0},   {"light", bench_light, 0}, {"skew", bench_skew, 20},
};

void bench_engine_start(struct bench_engine *engine, bool has_no_hand_over)
{
    fil_budget_init(&engine->budget, BUDGET_BYTES);
    const struct fil_workers_options options = {.env = fil_env_real(),
                                                .budget = &engine->budget,
                                                .worker_count = BENCH_INSTANCES,
                                                .has_no_hand_over = has_no_hand_over};
    if (fil_workers_init(&engine->workers, &options) != FIL_OK ||
        fil_workers_start(&engine->workers) != FIL_OK) {
        (void)fprintf(stderr, "bench_stream: no workers\n");
        exit(2);
    }
}

void bench_engine_stop(struct bench_engine *engine)
{
    fil_workers_stop(&engine->workers);
    fil_workers_fini(&engine->workers);
}

void bench_fold(struct bench_folded *folded, const struct fil_group_config *plain, int64_t slide)
{
    folded->fold =
        (struct fil_fold_config){.key = plain->key, .aggregate = plain->aggregate, .slide = slide};
    folded->state_at = fil_fold_state_at(&folded->fold);
    folded->group = *plain;
    folded->group.key.offset = fil_fold_key_at(&folded->fold);
    folded->group.aggregate = fil_aggregate_combined(&folded->fold.aggregate, folded->state_at);
}

void bench_add_fold(struct fil_dag *dag, const struct bench_folded *folded, const char *from,
                    const char *to, struct fil_edge edge)
{
    struct fil_edge parts = edge;
    edge.kind = FIL_EDGE_ISOLATED;
    parts.layout.stride = fil_fold_result_bytes(&folded->fold);
    parts.key = folded->group.key;
    fil_dag_add_vertex(dag, "fold", &fil_fold_ops, &folded->fold, BENCH_INSTANCES);
    fil_dag_add_edge(dag, from, "fold", &edge);
    fil_dag_add_edge(dag, "fold", to, &parts);
}

void bench_run(struct bench_engine *engine, struct fil_dag *dag, bool has_snapshots,
               struct bench_result *result)
{
    struct fil_env *env = fil_env_real();
    struct fil_snapshot_memory memory;
    fil_snapshot_memory_init(&memory);
    const struct fil_steward_options options = {
        .name = "bench",
        .workers = &engine->workers,
        .store = &memory.base,
        .guarantee = has_snapshots ? FIL_GUARANTEE_EXACTLY_ONCE : FIL_GUARANTEE_NONE,
        .interval_ns = BENCH_SECOND_NS};
    char text[FIL_STEWARD_TEXT_MAX] = "";
    static struct fil_steward steward;
    clock_t cpu = clock();
    uint64_t began = fil_env_now_ns(env);
    bool is_good = fil_steward_init(&steward, dag, &options, text) == FIL_OK;
    while (is_good && !fil_steward_is_over(&steward)) {
        (void)fil_steward_cycle(&steward, fil_env_now_ns(env));
        if (steward.job != NULL) {
            (void)!fil_job_wait(steward.job, WAIT_NS);
        }
    }
    uint64_t took = fil_env_now_ns(env) - began;
    is_good = is_good && fil_steward_state(&steward) == FIL_STEWARD_COMPLETED;
    if (!is_good) {
        (void)fprintf(stderr, "bench_stream: the job failed: %s\n", text);
    }
    result->cpu_ns = (uint64_t)(clock() - cpu) * (BENCH_SECOND_NS / CLOCKS_PER_SEC);
    result->took_ns = is_good ? took : 0;
    result->snapshot_count = fil_counter_read(&steward.stats.snapshot_count);
    fil_steward_fini(&steward);
    fil_snapshot_memory_fini(&memory);
}

int bench_tell(const struct bench_options *options, const struct bench_result *result)
{
    bool is_right = result->took_ns != 0 && result->digest == result->digest_expected;
    double rate = result->took_ns == 0 ? 0
                                       : (double)result->record_count * (double)BENCH_SECOND_NS /
                                             (double)result->took_ns;
    (void)printf("{\"load\":\"%s\",\"records\":%" PRIu64 ",\"digest\":%" PRId64
                 ",\"is_right\":%s,\"results\":%" PRIu64 ",\"snapshots\":%" PRIu64
                 ",\"a_second\":%.0f,\"cpu_ns\":%.2f}\n",
                 options->name, result->record_count, result->digest, is_right ? "true" : "false",
                 result->result_count, result->snapshot_count, rate,
                 (double)result->cpu_ns / (double)result->record_count);
    return is_right ? 0 : 1;
}

static bool read_number(const char *word, const char *name, uint64_t *out_value)
{
    size_t size = strlen(name);
    return strncmp(word, name, size) == 0 && word[size] == '=' &&
           fil_bytes_to_u64(fil_bytes_of(word + size + 1), out_value);
}

static bool read_option(const char *word, struct bench_options *options)
{
    if (strncmp(word, "folder=", 7) == 0) {
        options->folder = word + 7;
        return true;
    }
    return read_number(word, "millions", &options->millions) ||
           read_number(word, "seconds", &options->seconds) ||
           read_number(word, "folded", &options->folded);
}

int main(int argc, char **argv)
{
    struct bench_options options = {.name = argc > 1 ? argv[1] : "", .folder = "."};
    const struct load *load = NULL;
    for (uint32_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        load = strcmp(loads[i].name, options.name) == 0 ? &loads[i] : load;
    }
    bool is_good = load != NULL;
    options.millions = load == NULL ? 0 : load->millions;
    for (int i = 2; i < argc; i++) {
        is_good = read_option(argv[i], &options) && is_good;
    }
    if (!is_good) {
        (void)fprintf(stderr, "usage: bench_stream LOAD [millions=N] [seconds=N] [folder=PATH] "
                              "[folded=1]\n");
        return 2;
    }
    return load->run(&options);
}
