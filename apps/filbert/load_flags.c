// SPDX-License-Identifier: Apache-2.0
/** The flags of filbert bench resp and its kin. */
#include <stdio.h>
#include <string.h>

#include "bench_load.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/units.h"
#include "load/protocol.h"
#include "load_flags.h"

#define CONNECTIONS_MAX 50000U
#define KEYS_MAX        UINT64_C(1000000000)
#define KEY_SIZE_MAX    65536U
#define VALUE_SIZE_MAX  (UINT64_C(64) << 20)
#define BATCH_MAX       100000U
#define RATE_MAX        UINT64_C(100000000)
#define DURATION_NS     UINT64_C(5000000000)
#define ROUNDS_MAX      1000U

const char bench_load_help[] =
    "usage: filbert bench PROTOCOL [--address A:P] [--command NAME] [--connections N] ...\n"
    "\n"
    "Puts load on a server, Filbert or another, and tells throughput, latency and what the\n"
    "generator itself has used. Each reply is checked for its kind.\n"
    "\n"
    "PROTOCOL is resp (Redis), memcached (its text protocol), hazelcast (the open client "
    "protocol,\n"
    "map \"bench\") or http.\n"
    "\n"
    "  --address A:P        the server (127.0.0.1:5701)\n"
    "  --command NAME       get, set, or mixed: some of both; resp also: incr, mget, mset, lpush,\n"
    "                       rpop, queue: some of both, sadd, hset, zadd (get)\n"
    "  --reads N            mixed: so many of a hundred are gets (50)\n"
    "  --connections N      over all threads (50)\n"
    "  --pipeline N         requests in flight a connection (1)\n"
    "  --keys N             keys to draw from (100k)\n"
    "  --key-size N         bytes of a key (16)\n"
    "  --value-size N       bytes of a value (100)\n"
    "  --batch N            keys of one mget or mset (100)\n"
    "  --threads N          of the generator (1)\n"
    "  --duration T         how long (5s)\n"
    "  --warmup T           the same load first, without being counted\n"
    "  --requests N         how many, however long it takes; with --duration what ends first\n"
    "  --rate R             so many requests a second are due, whatever the server does; latency\n"
    "                       counts from when a request was due (as many as the server takes)\n"
    "  --arrivals NAME      of --rate: even, or poisson: as if many people made them (even)\n"
    "  --deadline T         answers are good until then; a server that has too much to do may\n"
    "                       refuse (503, 429), be late or never answer: counted, no errors\n"
    "  --distribution NAME  uniform, zipf: few keys are hot, or sequential (uniform)\n"
    "  --fill               set every key before the clock runs\n"
    "  --path P             http: the path, in which {key} stands for a key (/)\n"
    "  --cluster NAME       hazelcast: the name of the cluster (dev)\n"
    "  --plot FILE.svg      draw the distribution of latencies\n"
    "  --compare [A:P] B:P  alternate between two servers (--address and B:P) and tell the ratios\n"
    "  --rounds N           of --compare: so often each (3)\n"
    "  --null               against a server that does nothing: what the generator itself costs\n"
    "  -o json, --json      print JSON\n"
    "\n"
    "A line that moves tells the rate while it runs, on a terminal.\n"
    "\n"
    "Exit code 1 when the server could not be reached, closed a connection or answered with "
    "errors.\n";

/** A flag that takes a whole number. */
struct number_flag {
    const char *name;
    uint64_t low;
    uint64_t high;
    uint64_t *out;
};

static bool refuse(const char *flag, const char *what, const char *value)
{
    (void)fprintf(stderr, "filbert: %s takes %s, not '%s'\n", flag, what, value);
    return false;
}

static bool take_number(const struct number_flag *flag, const char *text)
{
    uint64_t value = 0;
    int error = fil_units_parse_count(fil_bytes_of(text), &value, NULL);
    if (error != FIL_OK || value < flag->low || value > flag->high) {
        char what[80];
        (void)snprintf(what, sizeof(what), "a number from %llu to %llu",
                       (unsigned long long)flag->low, (unsigned long long)flag->high);
        return refuse(flag->name, what, text);
    }
    *flag->out = value;
    return true;
}

/** Takes a flag with a number: 1, 0 when it is none, -1 after a message. */
static int take_number_flag(struct load_flags *flags, const char *name, const char *text)
{
    const struct number_flag all[] = {
        {"--connections", 1, CONNECTIONS_MAX, &flags->connections},
        {"--pipeline", 1, LOAD_PIPELINE_MAX, &flags->pipeline},
        {"--keys", 1, KEYS_MAX, &flags->options.requests.key_count},
        {"--key-size", 1, KEY_SIZE_MAX, &flags->key_size},
        {"--value-size", 0, VALUE_SIZE_MAX, &flags->value_size},
        {"--batch", 1, BATCH_MAX, &flags->batch},
        {"--threads", 1, LOAD_THREADS_MAX, &flags->threads},
        {"--requests", 1, UINT64_MAX - 1, &flags->requests},
        {"--rate", 1, RATE_MAX, &flags->rate},
        {"--reads", 1, 99, &flags->reads},
        {"--rounds", 1, ROUNDS_MAX, &flags->rounds},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(all); i++) {
        if (strcmp(all[i].name, name) == 0) {
            return take_number(&all[i], text) ? 1 : -1;
        }
    }
    return 0;
}

static bool take_address(const char *flag, const char *text, struct fil_address *out_address)
{
    return fil_address_parse(text, out_address) == FIL_OK ||
           refuse(flag, "an IP address and a port, as in 127.0.0.1:5701", text);
}

static bool take_time(const char *flag, const char *text, uint64_t *out_ns)
{
    return (fil_units_parse_duration(fil_bytes_of(text), out_ns, NULL) == FIL_OK && *out_ns > 0) ||
           refuse(flag, "a time, as in 500ms, 10s or 5m", text);
}

static bool take_distribution(struct load_flags *flags, const char *text)
{
    static const char *const names[] = {
        [LOAD_UNIFORM] = "uniform", [LOAD_ZIPF] = "zipf", [LOAD_SEQUENTIAL] = "sequential"};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        if (strcmp(names[i], text) == 0) {
            flags->options.requests.distribution = (enum load_distribution)i;
            return true;
        }
    }
    return refuse("--distribution", "uniform, zipf or sequential", text);
}

static bool take_arrivals(struct load_flags *flags, const char *text)
{
    flags->options.is_random = strcmp(text, "poisson") == 0;
    return flags->options.is_random || strcmp(text, "even") == 0 ||
           refuse("--arrivals", "even or poisson", text);
}

static bool take_command(struct load_flags *flags, const char *text)
{
    struct load_requests_options *requests = &flags->options.requests;
    const struct load_protocol *protocol = load_requests_protocol(requests);
    return (load_command_parse(text, &requests->command) && protocol->has(requests->command)) ||
           refuse("--command",
                  protocol == &load_protocol_resp
                      ? "get, set, incr, mget, mset, mixed, lpush, rpop, queue, sadd, "
                        "hset or zadd"
                      : "get, set or mixed",
                  text);
}

static bool take_output(struct load_flags *flags, const char *text)
{
    flags->is_json = strcmp(text, "json") == 0;
    return flags->is_json || strcmp(text, "text") == 0 || refuse("-o", "text or json", text);
}

/** Takes a flag whose value is a time: 1, 0 when it is none, -1 after a message. */
static int take_time_flag(struct load_flags *flags, const char *name, const char *value)
{
    struct load_measure_options *options = &flags->options;
    const struct {
        const char *name;
        uint64_t *out_ns;
    } times[] = {{"--duration", &options->duration_ns},
                 {"--warmup", &options->warmup_ns},
                 {"--deadline", &options->deadline_ns}};
    for (size_t i = 0; i < FIL_COUNT_OF(times); i++) {
        if (strcmp(times[i].name, name) == 0) {
            flags->has_duration |= times[i].out_ns == &options->duration_ns;
            return take_time(name, value, times[i].out_ns) ? 1 : -1;
        }
    }
    return 0;
}

/** Takes a flag whose value is a text: 1, 0 when it is none, -1 after a message. */
static int take_text_flag(struct load_flags *flags, const char *name, const char *value)
{
    if (strcmp(name, "--address") == 0) {
        return take_address(name, value, &flags->options.address) ? 1 : -1;
    }
    if (strcmp(name, "--compare") == 0) {
        flags->has_other = true;
        return take_address(name, value, &flags->other) ? 1 : -1;
    }
    if (strcmp(name, "--arrivals") == 0) {
        return take_arrivals(flags, value) ? 1 : -1;
    }
    if (strcmp(name, "--command") == 0) {
        return take_command(flags, value) ? 1 : -1;
    }
    if (strcmp(name, "--distribution") == 0) {
        return take_distribution(flags, value) ? 1 : -1;
    }
    if (strcmp(name, "-o") == 0) {
        return take_output(flags, value) ? 1 : -1;
    }
    return 0;
}

/** Takes a flag with a value; false after a message. */
static bool take_value(struct load_flags *flags, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **out;
    } kept[] = {{"--path", &flags->options.requests.path},
                {"--cluster", &flags->options.requests.cluster},
                {"--plot", &flags->plot}};
    for (size_t i = 0; i < FIL_COUNT_OF(kept); i++) {
        if (strcmp(kept[i].name, name) == 0) {
            *kept[i].out = value;
            return true;
        }
    }
    int taken = take_text_flag(flags, name, value);
    taken = taken == 0 ? take_time_flag(flags, name, value) : taken;
    taken = taken == 0 ? take_number_flag(flags, name, value) : taken;
    if (taken == 0) {
        (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help bench resp\n",
                      name);
    }
    return taken > 0;
}

/** --compare with both servers behind it; the first is where --address would be. */
static bool take_both(struct load_flags *flags, char **words)
{
    flags->has_other = true;
    return take_address("--compare", words[0], &flags->options.address) &&
           take_address("--compare", words[1], &flags->other);
}

static bool take_all(struct load_flags *flags, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--json") == 0) {
            flags->is_json = true;
        } else if (strcmp(words[i], "--fill") == 0) {
            flags->options.has_fill = true;
        } else if (strcmp(words[i], "--null") == 0) {
            flags->is_null = true;
        } else if (strcmp(words[i], "--compare") == 0 && i + 2 < count && words[i + 2][0] != '-') {
            if (!take_both(flags, words + i + 1)) {
                return false;
            }
            i += 2;
        } else if (i + 1 == count) {
            (void)fprintf(
                stderr, "filbert: '%s' is unknown or needs a value: see filbert help bench resp\n",
                words[i]);
            return false;
        } else if (!take_value(flags, words[i], words[i + 1])) {
            return false;
        } else {
            i++;
        }
    }
    return true;
}

static void set_defaults(struct load_flags *flags, const char *protocol)
{
    *flags = (struct load_flags){
        .connections = 50,
        .pipeline = 1,
        .key_size = 16,
        .value_size = 100,
        .batch = 100,
        .threads = 1,
        .rounds = 3,
        .options = {.requests = {.protocol = load_protocol_find(protocol),
                                 .command = LOAD_GET,
                                 .key_count = 100000,
                                 .seed = 1}},
    };
    int error = fil_address_parse("127.0.0.1:5701", &flags->options.address);
    fil_assert(error == FIL_OK);
}

/** Checks what the flags mean together; false after a message. */
static bool settle_flags(struct load_flags *flags)
{
    struct load_measure_options *options = &flags->options;
    uint32_t digits = load_requests_digits(options->requests.key_count);
    if (flags->connections < flags->threads) {
        (void)fprintf(stderr, "filbert: %llu threads need as many connections at least\n",
                      (unsigned long long)flags->threads);
        return false;
    }
    if (options->is_random && flags->rate == 0) {
        (void)fprintf(stderr, "filbert: --arrivals says how --rate comes: give a rate\n");
        return false;
    }
    if (flags->is_null && (flags->has_other || load_command_is_mixed(options->requests.command))) {
        (void)fprintf(stderr, "filbert: --null takes requests of one kind, and no --compare\n");
        return false;
    }
    if (flags->key_size < digits) {
        (void)fprintf(stderr, "filbert: so many keys need a --key-size of %u at least\n", digits);
        return false;
    }
    options->connection_count = (uint32_t)flags->connections;
    options->thread_count = (uint32_t)flags->threads;
    options->request_count = flags->requests == 0 ? LOAD_ALL : flags->requests;
    options->rate = (double)flags->rate;
    options->requests.pipeline = (uint32_t)flags->pipeline;
    options->requests.key_size = (uint32_t)flags->key_size;
    options->requests.value_size = (uint32_t)flags->value_size;
    options->requests.key_batch = (uint32_t)flags->batch;
    options->requests.read_share = (uint32_t)flags->reads;
    if (!flags->has_duration && flags->requests == 0) {
        options->duration_ns = DURATION_NS;
    }
    return true;
}

bool load_flags_take(struct load_flags *flags, int count, char **words)
{
    set_defaults(flags, words[0]);
    return take_all(flags, count, words) && settle_flags(flags);
}
