// SPDX-License-Identifier: Apache-2.0
/** What the stream engine's loads share: two workers, a run from submit to end, a result line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/fold.h"
#include "core/stream/group.h"
#include "core/stream/job.h"
#include "core/stream/workers.h"

#define BENCH_INSTANCES 2U
#define BENCH_MILLION   UINT64_C(1000000)
#define BENCH_SECOND_NS UINT64_C(1000000000)

/** What the command line says. */
struct bench_options {
    const char *name;
    uint64_t millions;  // of records; 0: as many as the load has
    uint64_t seconds;   // of a load with a rate
    const char *folder; // of the text
    uint64_t folded;    // not 0: groups fold records in front of their exchange
};

/** Two workers and their memory. */
struct bench_engine {
    struct fil_budget budget;
    struct fil_workers workers;
};

/** What a run has shown; digest_expected says what the input must give. */
struct bench_result {
    int64_t digest;
    int64_t digest_expected;
    uint64_t result_count;
    uint64_t snapshot_count;
    uint64_t record_count;
    uint64_t took_ns; // 0: the job failed
    uint64_t cpu_ns;  // of the process
};

/** Exits when there is no engine to be had. */
void bench_engine_start(struct bench_engine *engine, bool has_no_hand_over);
void bench_engine_stop(struct bench_engine *engine);

/** Runs a graph to its end: took_ns (0 when it failed), cpu_ns and snapshot_count are set. */
void bench_run(struct bench_engine *engine, struct fil_dag *dag, bool has_snapshots,
               struct bench_result *result);

/** A stage that groups, as the planner makes it: its configurations, and the exchange. */
struct bench_folded {
    struct fil_fold_config fold;
    struct fil_group_config group;
    uint32_t state_at;
};

/** Folds in front of the exchange; slide 0: no slices. */
void bench_fold(struct bench_folded *folded, const struct fil_group_config *plain, int64_t slide);

/** The vertex "fold" behind another one, and the edge from it to the vertex that groups. */
void bench_add_fold(struct fil_dag *dag, const struct bench_folded *folded, const char *from,
                    const char *to, struct fil_edge edge);

/** The hash of the load's definition: the same in every engine. */
static inline uint64_t bench_mix(uint64_t value)
{
    uint64_t hash = value * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
    return hash ^ (hash >> 16);
}

/** |mix(value)| mod limit. */
static inline int64_t bench_random(uint64_t value, int64_t limit)
{
    int64_t random = (int64_t)bench_mix(value);
    return (random < 0 ? -random : random) % limit;
}

typedef int (*bench_fn)(const struct bench_options *options);

// One line of JSON each; 0 when the digest is right.
int bench_bids(const struct bench_options *options);    // q1, q2
int bench_windows(const struct bench_options *options); // q5, q5-snapshots, w4
int bench_sums(const struct bench_options *options);    // w2
int bench_words(const struct bench_options *options);   // w1
int bench_slides(const struct bench_options *options);  // w3
int bench_ping(const struct bench_options *options);    // l1
int bench_idle(const struct bench_options *options);    // idle
int bench_light(const struct bench_options *options);   // light
int bench_skew(const struct bench_options *options);    // skew

/** Prints a throughput result; the exit code. */
int bench_tell(const struct bench_options *options, const struct bench_result *result);
