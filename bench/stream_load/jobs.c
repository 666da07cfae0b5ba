// SPDX-License-Identifier: Apache-2.0
/**
 * Loads that are about jobs rather than records.
 *
 * idle: 100 jobs of three vertices, two instances each, whose sources wait for an hour; the share
 * of a core that they take. light: from the submit of a small job until its first record is at the
 * sink, 300 jobs after 300 others. skew: one heavy vertex among light ones, all of them at first on
 * one worker, with hand-over and without.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/stream_load/bench.h"
#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "lib/base/histogram.h"
#include "lib/os/futex.h"

#define IDLE_JOBS    100U
#define IDLE_SECONDS 5U
#define LIGHT_JOBS   300U
#define HEAVY_ROUNDS 64U
#define LIGHT_ROUNDS 16U
#define LIGHT_COUNT  4U
#define NS_A_US      1000U

static void generate_numbers(void *context, const struct fil_generator_span *span)
{
    (void)context;
    uint64_t *numbers = span->records;
    for (uint32_t i = 0; i < span->count; i++) {
        numbers[i] = span->first + i * span->step;
        span->times[i] = FIL_TIME_NONE;
    }
}

static void copy_number(void *context, const void *record, void *out_record)
{
    (void)context;
    memcpy(out_record, record, sizeof(uint64_t));
}

static const struct fil_map_config copy = {.map = copy_number};
static const struct fil_edge number_edge = {.kind = FIL_EDGE_ISOLATED, .layout = {.stride = 8}};

static struct fil_job *submit(struct bench_engine *engine, struct fil_dag *dag)
{
    struct fil_job *job = NULL;
    int error =
        fil_job_submit(&engine->workers, dag, &(struct fil_job_options){.name = "small"}, &job);
    return error == FIL_OK ? job : NULL;
}

static void end_job(struct fil_job *job)
{
    if (job != NULL) {
        fil_job_cancel(job);
        (void)!fil_job_wait(job, FIL_WAIT_FOREVER);
        fil_job_free(job);
    }
}

static void plan_small(struct fil_dag *dag, const struct fil_generator_config *source,
                       const struct fil_callback_sink_config *sink, uint32_t parallelism)
{
    fil_dag_init(dag);
    fil_dag_add_vertex(dag, "numbers", &fil_generator_ops, source, parallelism);
    fil_dag_add_vertex(dag, "map", &fil_map_ops, &copy, parallelism);
    fil_dag_add_vertex(dag, "end", &fil_callback_sink_ops, sink, parallelism);
    fil_dag_add_edge(dag, "numbers", "map", &number_edge);
    fil_dag_add_edge(dag, "map", "end", &number_edge);
}

static int ignore(void *context, const void *record, uint32_t size, int64_t time)
{
    (void)context;
    (void)record;
    (void)size;
    (void)time;
    return FIL_OK;
}

static void wait_seconds(uint64_t seconds)
{
    static _Atomic uint32_t never;
    uint64_t end = fil_env_now_ns(fil_env_real()) + seconds * BENCH_SECOND_NS;
    for (uint64_t now = fil_env_now_ns(fil_env_real()); now < end;
         now = fil_env_now_ns(fil_env_real())) {
        (void)!fil_futex_wait(&never, 0, (int64_t)(end - now));
    }
}

int bench_idle(const struct bench_options *options)
{
    const struct fil_generator_config source = {.generate_many = generate_numbers,
                                                .rate_a_second = 1,
                                                .began_ns = fil_env_now_ns(fil_env_real()) +
                                                            3600 * BENCH_SECOND_NS};
    const struct fil_callback_sink_config sink = {.accept = ignore};
    struct bench_engine engine;
    struct fil_job *jobs[IDLE_JOBS] = {NULL};
    struct fil_dag dag;
    uint32_t running = 0;
    bench_engine_start(&engine, false);
    for (uint32_t i = 0; i < IDLE_JOBS; i++) {
        plan_small(&dag, &source, &sink, BENCH_INSTANCES);
        jobs[i] = submit(&engine, &dag);
        running += jobs[i] != NULL;
        fil_dag_fini(&dag);
    }
    uint64_t seconds = options->seconds == 0 ? IDLE_SECONDS : options->seconds;
    wait_seconds(1);
    clock_t cpu = clock();
    wait_seconds(seconds);
    double used = (double)(clock() - cpu) / (double)CLOCKS_PER_SEC;
    for (uint32_t i = 0; i < IDLE_JOBS; i++) {
        end_job(jobs[i]);
    }
    bench_engine_stop(&engine);
    (void)printf("{\"load\":\"idle\",\"is_right\":%s,\"jobs\":%u,\"cpu\":%.6f}\n",
                 running == IDLE_JOBS ? "true" : "false", running, used / (double)seconds);
    return running == IDLE_JOBS ? 0 : 1;
}

static int note_first(void *context, const void *record, uint32_t size, int64_t time)
{
    _Atomic uint64_t *seen_ns = context;
    (void)record;
    (void)size;
    (void)time;
    // Relaxed: read when the job is over.
    if (atomic_load_explicit(seen_ns, memory_order_relaxed) == 0) {
        atomic_store_explicit(seen_ns, fil_env_now_ns(fil_env_real()), memory_order_relaxed);
    }
    return FIL_OK;
}

/** Nanoseconds from submit to the first record at the sink; 0 when there was none. */
static uint64_t run_small(struct bench_engine *engine)
{
    _Atomic uint64_t seen_ns = 0;
    const struct fil_generator_config source = {.generate_many = generate_numbers, .count = 1};
    const struct fil_callback_sink_config sink = {.accept = note_first, .context = &seen_ns};
    struct fil_dag dag;
    plan_small(&dag, &source, &sink, 1);
    uint64_t began = fil_env_now_ns(fil_env_real());
    struct fil_job *job = submit(engine, &dag);
    if (job != NULL) {
        (void)!fil_job_wait(job, FIL_WAIT_FOREVER);
        fil_job_free(job);
    }
    fil_dag_fini(&dag);
    uint64_t seen = atomic_load_explicit(&seen_ns, memory_order_relaxed);
    return seen == 0 ? 0 : seen - began;
}

int bench_light(const struct bench_options *options)
{
    static struct fil_histogram taken;
    struct bench_engine engine;
    uint32_t lost = 0;
    (void)options;
    fil_histogram_init(&taken);
    bench_engine_start(&engine, false);
    for (uint32_t i = 0; i < 2 * LIGHT_JOBS; i++) {
        uint64_t took = run_small(&engine);
        lost += took == 0;
        if (i >= LIGHT_JOBS) {
            fil_histogram_record(&taken, took);
        }
    }
    bench_engine_stop(&engine);
    (void)printf(
        "{\"load\":\"light\",\"is_right\":%s,\"p50_us\":%.1f,\"p90_us\":%.1f,"
        "\"p99_us\":%.1f,\"count\":%" PRIu64 "}\n",
        lost == 0 ? "true" : "false", (double)fil_histogram_quantile(&taken, 0.5) / NS_A_US,
        (double)fil_histogram_quantile(&taken, 0.9) / NS_A_US,
        (double)fil_histogram_quantile(&taken, 0.99) / NS_A_US, fil_histogram_count(&taken));
    return lost == 0 ? 0 : 1;
}

static void mix_rounds(void *context, const void *record, void *out_record)
{
    uint64_t value;
    memcpy(&value, record, sizeof(value));
    for (uint32_t i = 0; i < *(const uint32_t *)context; i++) {
        value = bench_mix(value + i);
    }
    memcpy(out_record, &value, sizeof(value));
}

/** Records a second of the skewed job. */
static double run_skewed(const struct bench_options *options, bool has_no_hand_over)
{
    static uint32_t heavy_rounds = HEAVY_ROUNDS;
    static uint32_t light_rounds = LIGHT_ROUNDS;
    const struct fil_map_config heavy = {.map = mix_rounds, .context = &heavy_rounds};
    const struct fil_map_config light = {.map = mix_rounds, .context = &light_rounds};
    const struct fil_generator_config source = {.generate_many = generate_numbers,
                                                .count = options->millions * BENCH_MILLION};
    struct fil_counter_sink counter = {0};
    const struct fil_counter_sink_config sink = {.sink = &counter};
    struct bench_engine engine;
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "v0", &fil_generator_ops, &source, 1);
    char names[LIGHT_COUNT + 3][8] = {"v0"};
    for (uint32_t i = 1; i <= LIGHT_COUNT + 2; i++) {
        bool is_end = i == LIGHT_COUNT + 2;
        (void)snprintf(names[i], sizeof(names[i]), "v%u", i);
        fil_dag_add_vertex(&dag, names[i], is_end ? &fil_counter_sink_ops : &fil_map_ops,
                           is_end   ? (const void *)&sink
                           : i == 2 ? (const void *)&heavy
                                    : (const void *)&light,
                           1);
        fil_dag_add_edge(&dag, names[i - 1], names[i], &number_edge);
    }
    struct bench_result result = {0};
    bench_engine_start(&engine, has_no_hand_over);
    bench_run(&engine, &dag, false, &result);
    bench_engine_stop(&engine);
    fil_dag_fini(&dag);
    bool is_right = result.took_ns != 0 && counter.record_count == source.count;
    return is_right ? (double)source.count * (double)BENCH_SECOND_NS / (double)result.took_ns : 0;
}

int bench_skew(const struct bench_options *options)
{
    double without = run_skewed(options, true);
    double with = run_skewed(options, false);
    bool is_right = without > 0 && with > 0;
    (void)printf("{\"load\":\"skew\",\"is_right\":%s,\"without_a_second\":%.0f,"
                 "\"with_a_second\":%.0f,\"ratio\":%.2f}\n",
                 is_right ? "true" : "false", without, with, is_right ? with / without : 0);
    return is_right ? 0 : 1;
}
