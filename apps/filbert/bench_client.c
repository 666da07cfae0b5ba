// SPDX-License-Identifier: Apache-2.0
#include "bench_client.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "filbert/client.h"
#include "lib/base/histogram.h"
#include "lib/base/prng.h"
#include "lib/base/units.h"
#include "lib/os/env.h"
#include "lib/os/thread.h"
#include "lib/os/thread_usage.h"
#include "remote.h"

#define IN_FLIGHT_MAX 16384U
#define VALUE_MAX     4096U
#define NS_PER_S      1e9
#define NS_PER_US     1000.0

const char bench_client_help[] =
    "usage: filbert bench client [--address A:P] [--cluster NAME] [IN-FLIGHT [SECONDS [KEYS\n"
    "                            [VALUE-SIZE]]]] [-o json]\n"
    "\n"
    "Fills a map \"bench\" and gets keys of it with the C client, over one connection a member "
    "and\n"
    "one thread, so many in flight (256) for so long (5), of so many keys (100000) with values of\n"
    "so many bytes (100).\n";

/** One measurement; a call that ends begins the next one. */
struct bench {
    struct remote_flags flags;
    struct fil_client *client;
    struct fil_map *map;
    struct fil_prng prng;
    uint64_t in_flight;
    uint64_t seconds;
    uint64_t key_count;
    uint64_t value_size;
    uint64_t end_ns;
    uint64_t done_count;
    uint64_t miss_count;
    int error;
    struct fil_histogram latency_ns;
    uint64_t begun_ns[IN_FLIGHT_MAX];
};

struct lane {
    struct bench *bench;
    uint32_t index;
};

static struct bench bench;
static struct lane lanes[IN_FLIGHT_MAX];

static void on_value(void *context, int error, const struct fil_value *value);

static void begin(struct lane *lane, uint64_t now_ns)
{
    uint64_t number = fil_prng_below(&bench.prng, bench.key_count);
    bench.begun_ns[lane->index] = now_ns;
    int error = fil_map_get_async(bench.map, fil_i64((int64_t)number), on_value, lane);
    if (error != FIL_OK) {
        bench.error = error;
    }
}

static void on_value(void *context, int error, const struct fil_value *value)
{
    struct lane *lane = context;
    uint64_t now_ns = fil_env_now_ns(fil_env_real());
    fil_histogram_record(&bench.latency_ns, now_ns - bench.begun_ns[lane->index]);
    bench.done_count++;
    bench.miss_count += fil_value_is_null(value);
    bench.error = error == FIL_OK ? bench.error : error;
    if (now_ns < bench.end_ns && bench.error == FIL_OK) {
        begin(lane, now_ns);
    }
}

static void on_set(void *context, int error, const struct fil_value *value)
{
    (void)context;
    (void)value;
    bench.error = error == FIL_OK ? bench.error : error;
}

static void fill(void)
{
    static char value[VALUE_MAX];
    memset(value, 'x', sizeof(value));
    for (uint64_t i = 0; i < bench.key_count && bench.error == FIL_OK; i++) {
        struct fil_value key = fil_i64((int64_t)i);
        struct fil_value text = fil_text(value, bench.value_size);
        int error = fil_map_set_async(bench.map, key, text, on_set, NULL);
        while (error == FIL_E_FULL) {
            (void)fil_client_step(bench.client, 1000);
            error = fil_map_set_async(bench.map, key, text, on_set, NULL);
        }
        bench.error = error == FIL_OK ? bench.error : error;
    }
    (void)fil_client_drain(bench.client); // not inside of a callback
}

static uint64_t cpu_ns(void)
{
    struct fil_thread_usage usage = {0};
    (void)!fil_thread_usage_read(fil_thread_id(), &usage); // 0 where it is not told
    return usage.cpu_ns;
}

static void report(double seconds, double cpu_per_op_ns)
{
    static const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 1};
    double us[FIL_COUNT_OF(quantiles)];
    for (size_t i = 0; i < FIL_COUNT_OF(quantiles); i++) {
        us[i] = (double)fil_histogram_quantile(&bench.latency_ns, quantiles[i]) / NS_PER_US;
    }
    if (bench.flags.is_json) {
        (void)printf("{\"ops_per_s\": %.1f, \"in_flight\": %" PRIu64 ", \"misses\": %" PRIu64
                     ", \"latency_us\": {\"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, "
                     "\"p999\": %.1f, \"max\": %.1f}, \"cpu_ns_per_op\": %.1f}\n",
                     (double)bench.done_count / seconds, bench.in_flight, bench.miss_count, us[0],
                     us[1], us[2], us[3], us[4], cpu_per_op_ns);
        return;
    }
    (void)printf("gets in flight  %" PRIu64 "\nthroughput      %.0f ops/s\n", bench.in_flight,
                 (double)bench.done_count / seconds);
    (void)printf("latency         p50 %.1f us, p90 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f "
                 "us\nmisses          %" PRIu64 "\nown cpu         %.0f ns/op\n",
                 us[0], us[1], us[2], us[3], us[4], bench.miss_count, cpu_per_op_ns);
}

static int run(void)
{
    bench.map = fil_map(fil_client_grid(bench.client), "bench");
    fil_prng_init(&bench.prng, 1);
    fil_histogram_init(&bench.latency_ns);
    fill();
    uint64_t begin_cpu_ns = cpu_ns();
    uint64_t begin_ns = fil_env_now_ns(fil_env_real());
    bench.end_ns = begin_ns + bench.seconds * (uint64_t)NS_PER_S;
    for (uint32_t i = 0; i < bench.in_flight && bench.error == FIL_OK; i++) {
        lanes[i] = (struct lane){.bench = &bench, .index = i};
        begin(&lanes[i], begin_ns);
    }
    (void)fil_client_drain(bench.client); // not inside of a callback
    double seconds = (double)(fil_env_now_ns(fil_env_real()) - begin_ns) / NS_PER_S;
    uint64_t used_ns = cpu_ns() - begin_cpu_ns;
    if (bench.error != FIL_OK) {
        return remote_complain(bench.client, "bench client", bench.error);
    }
    report(seconds, (double)used_ns / (double)bench.done_count);
    return EXIT_OK;
}

/** The words behind "client": numbers with defaults. */
static bool take_numbers(void)
{
    const struct {
        const char *name;
        uint64_t *out;
        uint64_t fallback;
        uint64_t high;
    } numbers[] = {{"IN-FLIGHT", &bench.in_flight, 256, IN_FLIGHT_MAX},
                   {"SECONDS", &bench.seconds, 5, 3600},
                   {"KEYS", &bench.key_count, 100000, 100000000},
                   {"VALUE-SIZE", &bench.value_size, 100, VALUE_MAX}};
    for (int i = 0; i < (int)FIL_COUNT_OF(numbers); i++) {
        *numbers[i].out = numbers[i].fallback;
        const char *word = i < bench.flags.word_count ? bench.flags.words[i] : NULL;
        if (word != NULL &&
            (fil_units_parse_count(fil_bytes_of(word), numbers[i].out, NULL) != FIL_OK ||
             *numbers[i].out == 0 || *numbers[i].out > numbers[i].high)) {
            (void)fprintf(stderr, "filbert: %s is a number from 1 to %" PRIu64 ", not '%s'\n",
                          numbers[i].name, numbers[i].high, word);
            return false;
        }
    }
    return true;
}

int bench_client(int count, char **words)
{
    if (!remote_take_flags(&bench.flags, "bench client", count, words) || !take_numbers()) {
        return EXIT_USAGE;
    }
    if (!remote_connect(&bench.flags, &bench.client)) {
        return EXIT_FAILED;
    }
    int code = run();
    fil_client_close(bench.client);
    return code;
}
