// SPDX-License-Identifier: Apache-2.0
/**
 * Loads with a rate. Every record has a time at which it is due; the source's own lateness counts.
 *
 * w3: 250 k numbers a second, counted by n mod 10 k over 10 s by 20 ms; of each window the keys
 * that are multiples of 1000 go to the sink. Latency: from the window's end until its first and its
 * last key are there. l1: 1 k records a second through source, map and sink, from due to there. A
 * probe asks for a millisecond of sleep and notes how much longer it was: what the machine adds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/stream_load/bench.h"
#include "core/stream/sinks.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "core/stream/window.h"
#include "lib/base/histogram.h"
#include "lib/os/futex.h"

#define SLIDES_RATE 250000U
#define SLIDES_KEYS 10000U
#define SLIDES_KEPT 1000U
#define SLIDE_US    20000
#define SIZE_US     10000000
#define US_A_RECORD (1000000U / SLIDES_RATE)
#define PING_RATE   1000U
#define NS_A_US     1000U
#define WARM_UP_US  3000000
#define PAUSE_NS    UINT64_C(50000) // a record is due every 8 us: some go together
#define START_NS    UINT64_C(20000000)
#define PROBE_NS    INT64_C(1000000)
#define SECONDS     15U
#define IN_FLIGHT   64U // windows whose last key is not there yet, at most

struct slide {
    int64_t end;
    uint32_t count;
};

struct latency {
    uint64_t began_ns;
    int64_t end_us; // of the records; windows that end later are cut short
    struct slide slides[IN_FLIGHT];
    uint64_t wrong_count;
    struct fil_histogram first;
    struct fil_histogram last;
};

struct probe {
    struct fil_thread thread;
    _Atomic uint32_t is_over;
    struct fil_histogram late;
};

static void probe_run(void *context)
{
    struct probe *probe = context;
    struct fil_env *env = fil_env_real();
    // Relaxed: one more turn does no harm.
    while (atomic_load_explicit(&probe->is_over, memory_order_relaxed) == 0) {
        uint64_t began = fil_env_now_ns(env);
        (void)!fil_futex_wait(&probe->is_over, 0, PROBE_NS);
        uint64_t took = fil_env_now_ns(env) - began;
        fil_histogram_record(&probe->late,
                             took > (uint64_t)PROBE_NS ? took - (uint64_t)PROBE_NS : 0);
    }
}

static void probe_start(struct probe *probe)
{
    fil_histogram_init(&probe->late);
    atomic_init(&probe->is_over, 0);
    if (fil_thread_start(&probe->thread, "probe", probe_run, probe) != FIL_OK) {
        probe->thread.is_started = false;
    }
}

static void probe_stop(struct probe *probe)
{
    atomic_store_explicit(&probe->is_over, 1, memory_order_relaxed);
    if (probe->thread.is_started) {
        fil_thread_join(&probe->thread);
    }
}

static void generate_numbers(void *context, const struct fil_generator_span *span)
{
    (void)context;
    uint64_t *keys = span->records;
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t n = span->first + i * span->step;
        keys[i] = n % SLIDES_KEYS;
        span->times[i] = (int64_t)(n * US_A_RECORD);
    }
}

struct counted {
    struct fil_window_result window;
    uint64_t key;
    uint64_t count;
};

static uint32_t select_keys(void *context, const void *records, uint32_t count, uint32_t *out_kept)
{
    (void)context;
    const struct counted *results = records;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        out_kept[kept] = i;
        kept += results[i].key % SLIDES_KEPT == 0;
    }
    return kept;
}

static void note(struct fil_histogram *histogram, const struct latency *latency, int64_t due_us)
{
    uint64_t due_ns = latency->began_ns + (uint64_t)due_us * NS_A_US;
    uint64_t now = fil_env_now_ns(fil_env_real());
    if (due_us >= WARM_UP_US) {
        fil_histogram_record(histogram, now > due_ns ? now - due_ns : 0);
    }
}

static int take_count(void *context, const void *record, uint32_t size, int64_t time)
{
    struct latency *latency = context;
    const struct counted *result = record;
    (void)size;
    (void)time;
    if (result->window.end > latency->end_us) {
        return FIL_OK;
    }
    struct slide *slide = &latency->slides[(uint64_t)(result->window.end / SLIDE_US) % IN_FLIGHT];
    if (slide->end != result->window.end) {
        *slide = (struct slide){.end = result->window.end};
        note(&latency->first, latency, slide->end);
    }
    slide->count++;
    if (slide->count == SLIDES_KEYS / SLIDES_KEPT) {
        note(&latency->last, latency, slide->end);
    }
    int64_t begin = result->window.start < 0 ? 0 : result->window.start;
    uint64_t expected = (uint64_t)(result->window.end - begin) / US_A_RECORD / SLIDES_KEYS;
    // Windows that are cut by the beginning hold one more of some keys.
    latency->wrong_count += result->count != expected && result->count != expected + 1;
    return FIL_OK;
}

static void print_part(const char *name, const struct fil_histogram *histogram)
{
    static const double parts[] = {0.5, 0.9, 0.99, 0.999};
    static const char *const names[] = {"p50", "p90", "p99", "p999"};
    (void)printf("\"%s\":{", name);
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        (void)printf("\"%s_us\":%.1f,", names[i],
                     (double)fil_histogram_quantile(histogram, parts[i]) / NS_A_US);
    }
    (void)printf("\"max_us\":%.1f,\"count\":%" PRIu64 "},",
                 (double)fil_histogram_max(histogram) / NS_A_US, fil_histogram_count(histogram));
}

/** Runs a graph that ends by itself, with the probe beside it; the share of a core that it took. */
static double run_beside_probe(struct fil_dag *dag, struct latency *latency, struct probe *probe)
{
    struct bench_engine engine;
    struct fil_job *job = NULL;
    bench_engine_start(&engine, false);
    probe_start(probe);
    clock_t cpu = clock();
    int error =
        fil_job_submit(&engine.workers, dag, &(struct fil_job_options){.name = "latency"}, &job);
    if (error == FIL_OK) {
        (void)!fil_job_wait(job, FIL_WAIT_FOREVER);
        latency->wrong_count += fil_job_state(job) != FIL_JOB_COMPLETED;
        fil_job_free(job);
    }
    double used = (double)(clock() - cpu) / (double)CLOCKS_PER_SEC;
    double took = (double)(fil_env_now_ns(fil_env_real()) - latency->began_ns) / 1e9;
    probe_stop(probe);
    bench_engine_stop(&engine);
    fil_dag_fini(dag);
    latency->wrong_count += error != FIL_OK;
    return used / took;
}

static int tell(const struct bench_options *options, const struct latency *latency,
                const struct probe *probe, double cpu)
{
    bool is_right = latency->wrong_count == 0 && fil_histogram_count(&latency->last) > 0;
    (void)printf("{\"load\":\"%s\",\"is_right\":%s,", options->name, is_right ? "true" : "false");
    print_part("first", &latency->first);
    print_part("last", &latency->last);
    print_part("probe", &probe->late);
    (void)printf("\"cpu\":%.4f}\n", cpu);
    return is_right ? 0 : 1;
}

static void begin(struct latency *latency)
{
    fil_histogram_init(&latency->first);
    fil_histogram_init(&latency->last);
    latency->began_ns = fil_env_now_ns(fil_env_real()) + START_NS;
}

static uint64_t seconds_of(const struct bench_options *options)
{
    return options->seconds == 0 ? SECONDS : options->seconds;
}

int bench_slides(const struct bench_options *options)
{
    static struct latency latency;
    static struct probe probe;
    begin(&latency);
    latency.end_us = (int64_t)(seconds_of(options) * 1000000U);
    const struct fil_generator_config numbers = {.generate_many = generate_numbers,
                                                 .rate_a_second = SLIDES_RATE,
                                                 .count = SLIDES_RATE * seconds_of(options),
                                                 .began_ns = latency.began_ns,
                                                 .pause_ns = PAUSE_NS,
                                                 .time = {.frame = SLIDE_US}};
    const struct fil_window_config counts = {.group = {.key = {.size = 8},
                                                       .aggregate = fil_aggregate_count(),
                                                       .expected_count = SLIDES_KEYS},
                                             .size = SIZE_US,
                                             .slide = SLIDE_US};
    const struct fil_filter_config keys = {.select = select_keys};
    const struct fil_callback_sink_config sink = {.accept = take_count, .context = &latency};
    struct fil_edge number = {.kind = FIL_EDGE_PARTITIONED,
                              .layout = {.stride = 8, .has_times = true},
                              .key = {.size = 8}};
    struct fil_edge count = {.kind = FIL_EDGE_ISOLATED,
                             .layout = {.stride = sizeof(struct counted)}};
    struct fil_edge kept = {.kind = FIL_EDGE_ALL_TO_ONE,
                            .layout = {.stride = sizeof(struct counted)}};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &numbers, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "counts", &fil_window_ops, &counts, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "keys", &fil_filter_ops, &keys, BENCH_INSTANCES);
    fil_dag_add_vertex(&dag, "end", &fil_callback_sink_ops, &sink, 1);
    fil_dag_add_edge(&dag, "numbers", "counts", &number);
    fil_dag_add_edge(&dag, "counts", "keys", &count);
    fil_dag_add_edge(&dag, "keys", "end", &kept);
    double cpu = run_beside_probe(&dag, &latency, &probe);
    return tell(options, &latency, &probe, cpu);
}

static void generate_pings(void *context, const struct fil_generator_span *span)
{
    (void)context;
    int64_t *dues = span->records;
    for (uint32_t i = 0; i < span->count; i++) {
        dues[i] = (int64_t)((span->first + i * span->step) * (1000000U / PING_RATE));
        span->times[i] = dues[i];
    }
}

static void copy_ping(void *context, const void *record, void *out_record)
{
    (void)context;
    memcpy(out_record, record, sizeof(int64_t));
}

static int take_ping(void *context, const void *record, uint32_t size, int64_t time)
{
    struct latency *latency = context;
    int64_t due;
    memcpy(&due, record, sizeof(due));
    (void)size;
    (void)time;
    note(&latency->first, latency, due);
    note(&latency->last, latency, due);
    return FIL_OK;
}

int bench_ping(const struct bench_options *options)
{
    static struct latency latency;
    static struct probe probe;
    begin(&latency);
    const struct fil_generator_config pings = {.generate_many = generate_pings,
                                               .rate_a_second = PING_RATE,
                                               .count = PING_RATE * seconds_of(options),
                                               .began_ns = latency.began_ns};
    const struct fil_map_config map = {.map = copy_ping};
    const struct fil_callback_sink_config sink = {.accept = take_ping, .context = &latency};
    struct fil_edge edge = {.kind = FIL_EDGE_UNICAST, .layout = {.stride = 8}};
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "pings", &fil_generator_ops, &pings, 1);
    fil_dag_add_vertex(&dag, "map", &fil_map_ops, &map, 1);
    fil_dag_add_vertex(&dag, "end", &fil_callback_sink_ops, &sink, 1);
    fil_dag_add_edge(&dag, "pings", "map", &edge);
    fil_dag_add_edge(&dag, "map", "end", &edge);
    double cpu = run_beside_probe(&dag, &latency, &probe);
    return tell(options, &latency, &probe, cpu);
}
