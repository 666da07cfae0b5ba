// SPDX-License-Identifier: Apache-2.0
#include "bench_resp.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/base/units.h"
#include "lib/os/env.h"
#include "lib/os/process.h"
#include "load/resp.h"
#include "load/resp_report.h"

#define CONNECTIONS_MAX  50000U
#define KEYS_MAX         UINT64_C(1000000000)
#define KEY_SIZE_MAX     65536U
#define VALUE_SIZE_MAX   (UINT64_C(64) << 20)
#define BATCH_MAX        100000U
#define RATE_MAX         UINT64_C(100000000)
#define DURATION_NS      UINT64_C(5000000000)
#define REPORT_BYTES_MAX 8192U

const char bench_resp_help[] =
    "usage: filbert bench resp [--address A:P] [--command NAME] [--connections N] [--pipeline N]\n"
    "                          [--keys N] [--key-size N] [--value-size N] [--batch N]\n"
    "                          [--threads N] [--duration T] [--requests N] [--rate R]\n"
    "                          [--distribution NAME] [--fill] [--json]\n"
    "\n"
    "Puts load on a server that speaks RESP, Filbert or another, and tells throughput, latency "
    "and\n"
    "what the generator itself has used. Each reply is checked for its kind.\n"
    "\n"
    "  --address A:P        the server (127.0.0.1:5701)\n"
    "  --command NAME       get, set, incr, mget, mset, or mixed: get and set, half and half "
    "(get)\n"
    "  --connections N      over all threads (50)\n"
    "  --pipeline N         requests in flight a connection (1)\n"
    "  --keys N             keys to draw from (100k)\n"
    "  --key-size N         bytes of a key (16)\n"
    "  --value-size N       bytes of a value (100)\n"
    "  --batch N            keys of one mget or mset (100)\n"
    "  --threads N          of the generator (1)\n"
    "  --duration T         how long (5s)\n"
    "  --requests N         how many, however long it takes; with --duration what ends first\n"
    "  --rate R             so many requests a second are due, whatever the server does; latency\n"
    "                       counts from when a request was due (as many as the server takes)\n"
    "  --distribution NAME  uniform, or zipf: few keys are hot (uniform)\n"
    "  --fill               set every key before the clock runs\n"
    "  --json               print JSON\n"
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

struct resp_flags {
    struct load_resp_options options;
    uint64_t connections;
    uint64_t pipeline;
    uint64_t key_size;
    uint64_t value_size;
    uint64_t batch;
    uint64_t threads;
    uint64_t requests; // 0: not given
    uint64_t rate;     // 0: not given
    bool has_duration;
    bool is_json;
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
static int take_number_flag(struct resp_flags *flags, const char *name, const char *text)
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
    };
    for (size_t i = 0; i < FIL_COUNT_OF(all); i++) {
        if (strcmp(all[i].name, name) == 0) {
            return take_number(&all[i], text) ? 1 : -1;
        }
    }
    return 0;
}

static bool take_address(struct resp_flags *flags, const char *text)
{
    return fil_address_parse(text, &flags->options.address) == FIL_OK ||
           refuse("--address", "an IP address and a port, as in 127.0.0.1:5701", text);
}

static bool take_duration(struct resp_flags *flags, const char *text)
{
    uint64_t ns = 0;
    if (fil_units_parse_duration(fil_bytes_of(text), &ns, NULL) != FIL_OK || ns == 0) {
        return refuse("--duration", "a time, as in 500ms, 10s or 5m", text);
    }
    flags->has_duration = true;
    flags->options.duration_ns = ns;
    return true;
}

static bool take_distribution(struct resp_flags *flags, const char *text)
{
    bool is_zipf = strcmp(text, "zipf") == 0;
    if (!is_zipf && strcmp(text, "uniform") != 0) {
        return refuse("--distribution", "uniform or zipf", text);
    }
    flags->options.requests.distribution = is_zipf ? LOAD_ZIPF : LOAD_UNIFORM;
    return true;
}

/** Takes a flag with a value; false after a message. */
static bool take_value(struct resp_flags *flags, const char *name, const char *value)
{
    if (strcmp(name, "--address") == 0) {
        return take_address(flags, value);
    }
    if (strcmp(name, "--command") == 0) {
        return load_command_parse(value, &flags->options.requests.command) ||
               refuse(name, "get, set, incr, mget, mset or mixed", value);
    }
    if (strcmp(name, "--duration") == 0) {
        return take_duration(flags, value);
    }
    if (strcmp(name, "--distribution") == 0) {
        return take_distribution(flags, value);
    }
    int taken = take_number_flag(flags, name, value);
    if (taken == 0) {
        (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help bench resp\n",
                      name);
    }
    return taken > 0;
}

static bool take_flags(struct resp_flags *flags, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--json") == 0) {
            flags->is_json = true;
        } else if (strcmp(words[i], "--fill") == 0) {
            flags->options.has_fill = true;
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

static void set_defaults(struct resp_flags *flags)
{
    *flags = (struct resp_flags){
        .connections = 50,
        .pipeline = 1,
        .key_size = 16,
        .value_size = 100,
        .batch = 100,
        .threads = 1,
        .options = {.requests = {.command = LOAD_GET, .key_count = 100000, .seed = 1}},
    };
    int error = fil_address_parse("127.0.0.1:5701", &flags->options.address);
    fil_assert(error == FIL_OK);
}

/** Checks what the flags mean together; false after a message. */
static bool settle_flags(struct resp_flags *flags)
{
    struct load_resp_options *options = &flags->options;
    uint32_t digits = load_requests_digits(options->requests.key_count);
    if (flags->connections < flags->threads) {
        (void)fprintf(stderr, "filbert: %llu threads need as many connections at least\n",
                      (unsigned long long)flags->threads);
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
    if (!flags->has_duration && flags->requests == 0) {
        options->duration_ns = DURATION_NS;
    }
    return true;
}

static void print_report(const struct resp_flags *flags, const struct load_resp_summary *summary)
{
    char text[REPORT_BYTES_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    if (flags->is_json) {
        load_resp_report_json(&flags->options, summary, &writer);
    } else {
        load_resp_report_table(&flags->options, summary, &writer);
    }
    fil_assert(!writer.is_full);
    (void)fwrite(writer.data, 1, writer.size, stdout);
}

static int measure(const struct resp_flags *flags, struct load_resp_summary *summary)
{
    (void)fil_process_raise_descriptor_limit();
    int error = load_resp_run(&flags->options, fil_env_real(), summary);
    if (error == FIL_OK) {
        print_report(flags, summary);
    } else {
        (void)fprintf(stderr, "filbert: bench resp: %s\n", summary->failure.text);
    }
    if (summary->error_count > 0) {
        (void)fprintf(stderr, "filbert: bench resp: %llu of %llu replies were errors, first: %s\n",
                      (unsigned long long)summary->error_count,
                      (unsigned long long)summary->reply_count, summary->error_text);
    }
    return error == FIL_OK && summary->error_count == 0 ? EXIT_OK : EXIT_FAILED;
}

int bench_resp(int count, char **words)
{
    struct resp_flags flags;
    set_defaults(&flags);
    if (!take_flags(&flags, count, words) || !settle_flags(&flags)) {
        return EXIT_USAGE;
    }
    struct load_resp_summary *summary = fil_alloc_zero(1, sizeof(*summary));
    if (summary == NULL) {
        (void)fprintf(stderr, "filbert: bench resp: %s\n", fil_error_text(FIL_E_NOMEM));
        return EXIT_FAILED;
    }
    int code = measure(&flags, summary);
    fil_free(summary);
    return code;
}
