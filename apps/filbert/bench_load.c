// SPDX-License-Identifier: Apache-2.0
#include "bench_load.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/base/units.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "lib/os/process.h"
#include "load/measure.h"
#include "load/measure_plot.h"
#include "load/measure_report.h"
#include "load/null_server.h"
#include "load/protocol.h"

#define CONNECTIONS_MAX  50000U
#define KEYS_MAX         UINT64_C(1000000000)
#define KEY_SIZE_MAX     65536U
#define VALUE_SIZE_MAX   (UINT64_C(64) << 20)
#define BATCH_MAX        100000U
#define RATE_MAX         UINT64_C(100000000)
#define DURATION_NS      UINT64_C(5000000000)
#define REPORT_BYTES_MAX 8192U
#define PLOT_BYTES_MAX   ((size_t)1 << 16)
#define ROUNDS_MAX       1000U
#define NS_PER_S         1e9

/** What the last line of progress told. */
struct progress {
    uint64_t elapsed_ns;
    uint64_t reply_count;
};

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
    "  --command NAME       get, set, or mixed: some of both; resp also: incr, mget, mset (get)\n"
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
    "  --distribution NAME  uniform, zipf: few keys are hot, or sequential (uniform)\n"
    "  --fill               set every key before the clock runs\n"
    "  --path P             http: the path, in which {key} stands for a key (/)\n"
    "  --cluster NAME       hazelcast: the name of the cluster (dev)\n"
    "  --plot FILE.svg      draw the distribution of latencies\n"
    "  --compare B:P        alternate between --address and this server, and tell the ratios\n"
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

struct load_flags {
    struct load_measure_options options;
    uint64_t connections;
    uint64_t pipeline;
    uint64_t key_size;
    uint64_t value_size;
    uint64_t batch;
    uint64_t threads;
    uint64_t requests; // 0: not given
    uint64_t rate;     // 0: not given
    uint64_t reads;
    uint64_t rounds;
    struct fil_address other; // of --compare
    const char *plot;         // NULL: no picture
    bool has_duration;
    bool has_other;
    bool is_null;
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

static bool take_command(struct load_flags *flags, const char *text)
{
    struct load_requests_options *requests = &flags->options.requests;
    const struct load_protocol *protocol = load_requests_protocol(requests);
    return (load_command_parse(text, &requests->command) && protocol->has(requests->command)) ||
           refuse("--command",
                  protocol == &load_protocol_resp ? "get, set, incr, mget, mset or mixed"
                                                  : "get, set or mixed",
                  text);
}

static bool take_output(struct load_flags *flags, const char *text)
{
    flags->is_json = strcmp(text, "json") == 0;
    return flags->is_json || strcmp(text, "text") == 0 || refuse("-o", "text or json", text);
}

/** Takes a flag whose value is a text: 1, 0 when it is none, -1 after a message. */
static int take_text_flag(struct load_flags *flags, const char *name, const char *value)
{
    struct load_measure_options *options = &flags->options;
    if (strcmp(name, "--address") == 0) {
        return take_address(name, value, &options->address) ? 1 : -1;
    }
    if (strcmp(name, "--compare") == 0) {
        flags->has_other = true;
        return take_address(name, value, &flags->other) ? 1 : -1;
    }
    if (strcmp(name, "--duration") == 0) {
        flags->has_duration = true;
        return take_time(name, value, &options->duration_ns) ? 1 : -1;
    }
    if (strcmp(name, "--warmup") == 0) {
        return take_time(name, value, &options->warmup_ns) ? 1 : -1;
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
    taken = taken == 0 ? take_number_flag(flags, name, value) : taken;
    if (taken == 0) {
        (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help bench resp\n",
                      name);
    }
    return taken > 0;
}

static bool take_flags(struct load_flags *flags, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--json") == 0) {
            flags->is_json = true;
        } else if (strcmp(words[i], "--fill") == 0) {
            flags->options.has_fill = true;
        } else if (strcmp(words[i], "--null") == 0) {
            flags->is_null = true;
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
    if (flags->is_null && (flags->has_other || options->requests.command == LOAD_MIXED)) {
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

static void show_progress(void *context, uint64_t elapsed_ns, uint64_t reply_count)
{
    struct progress *progress = context;
    // The counts begin anew after the warm-up.
    uint64_t begun = reply_count < progress->reply_count ? 0 : progress->reply_count;
    double seconds = (double)(elapsed_ns - progress->elapsed_ns) / NS_PER_S;
    (void)fprintf(stderr, "\r%4.0f s  %10.0f ops/s", (double)elapsed_ns / NS_PER_S,
                  (double)(reply_count - begun) / seconds);
    (void)fflush(stderr);
    *progress = (struct progress){.elapsed_ns = elapsed_ns, .reply_count = reply_count};
}

static int save_plot(const struct load_flags *flags, const struct load_plot_line *lines,
                     uint32_t count)
{
    char *memory = fil_alloc(PLOT_BYTES_MAX);
    int error = FIL_E_NOMEM;
    if (memory != NULL) {
        struct fil_writer writer;
        fil_writer_init(&writer, memory, PLOT_BYTES_MAX);
        load_measure_plot(lines, count, "Latency by quantile", &writer);
        error =
            writer.is_full ? FIL_E_FULL : fil_file_save(flags->plot, fil_writer_written(&writer));
    }
    fil_free(memory);
    if (error != FIL_OK) {
        (void)fprintf(stderr, "filbert: %s: %s\n", flags->plot, fil_error_text(error));
    }
    return error == FIL_OK ? EXIT_OK : EXIT_FAILED;
}

static void print_written(const struct fil_writer *writer)
{
    fil_assert(!writer->is_full);
    (void)fwrite(writer->data, 1, writer->size, stdout);
}

static void print_report(const struct load_flags *flags, const struct load_measure_summary *summary)
{
    char text[REPORT_BYTES_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    if (flags->is_json) {
        load_measure_report_json(&flags->options, summary, &writer);
    } else {
        load_measure_report_table(&flags->options, summary, &writer);
    }
    print_written(&writer);
}

/** One measurement; false after a message. */
static bool run_once(struct load_flags *flags, const struct fil_address *address,
                     struct load_measure_summary *summary)
{
    struct progress progress = {0};
    const char *protocol = load_requests_protocol(&flags->options.requests)->name;
    flags->options.address = *address;
    if (fil_process_is_terminal(STDERR_FILENO)) {
        flags->options.progress = show_progress;
        flags->options.context = &progress;
    }
    int error = load_measure_run(&flags->options, fil_env_real(), summary);
    if (flags->options.progress != NULL) {
        (void)fprintf(stderr, "\r                          \r");
    }
    if (error != FIL_OK) {
        (void)fprintf(stderr, "filbert: bench %s: %s\n", protocol, summary->failure.text);
    }
    if (summary->error_count > 0) {
        (void)fprintf(stderr, "filbert: bench %s: %llu of %llu replies were errors, first: %s\n",
                      protocol, (unsigned long long)summary->error_count,
                      (unsigned long long)summary->reply_count, summary->error_text);
    }
    return error == FIL_OK && summary->error_count == 0;
}

static int measure(struct load_flags *flags, struct load_measure_summary *summary)
{
    struct fil_address address = flags->options.address;
    bool is_well = run_once(flags, &address, summary);
    if (summary->failure.code == FIL_OK) {
        print_report(flags, summary);
    }
    if (is_well && flags->plot != NULL) {
        char name[FIL_ADDRESS_TEXT_MAX];
        struct load_plot_line line = {.name = fil_address_format(&address, name),
                                      .latency_ns = &summary->latency_ns};
        return save_plot(flags, &line, 1);
    }
    return is_well ? EXIT_OK : EXIT_FAILED;
}

/** Against a server in this process that does nothing. */
static int measure_null(struct load_flags *flags, struct load_measure_summary *summary)
{
    struct load_null_server *server = NULL;
    int error = load_null_server_start(&server, fil_env_real(), &flags->options.requests);
    if (error != FIL_OK) {
        (void)fprintf(stderr, "filbert: bench: the null server: %s\n", fil_error_text(error));
        return EXIT_FAILED;
    }
    flags->options.address = load_null_server_address(server);
    flags->options.has_fill = false;
    int code = measure(flags, summary);
    uint64_t cpu_ns = load_null_server_stop(server);
    if (!flags->is_json && summary->reply_count > 0) {
        (void)printf("null server %.0f ns/op, warm-up included\n",
                     (double)cpu_ns / (double)summary->reply_count);
    }
    return code;
}

/** Two servers in turn: each is measured as often, for a part of the time. */
static int compare(struct load_flags *flags, struct load_measure_summary *summaries)
{
    const struct fil_address addresses[2] = {flags->options.address, flags->other};
    struct load_measure_summary *round = &summaries[2];
    bool is_well = true;
    flags->options.duration_ns /= flags->rounds;
    fil_histogram_init(&summaries[0].latency_ns);
    fil_histogram_init(&summaries[1].latency_ns);
    for (uint64_t i = 0; i < 2 * flags->rounds && is_well; i++) {
        is_well = run_once(flags, &addresses[i % 2], round);
        load_measure_add(&summaries[i % 2], round);
        flags->options.has_fill = flags->options.has_fill && i == 0;
    }
    if (!is_well) {
        return EXIT_FAILED;
    }
    char text[REPORT_BYTES_MAX];
    char names[2][FIL_ADDRESS_TEXT_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    struct load_plot_line lines[2];
    for (uint32_t i = 0; i < 2; i++) {
        lines[i].name = fil_address_format(&addresses[i], names[i]);
        lines[i].latency_ns = &summaries[i].latency_ns;
    }
    load_measure_report_ratios(lines[0].name, lines[1].name, summaries, flags->is_json, &writer);
    print_written(&writer);
    return flags->plot == NULL ? EXIT_OK : save_plot(flags, lines, 2);
}

int bench_load(int count, char **words)
{
    struct load_flags flags;
    set_defaults(&flags, words[0]);
    if (!take_flags(&flags, count, words) || !settle_flags(&flags)) {
        return EXIT_USAGE;
    }
    struct load_measure_summary *summaries = fil_alloc_zero(3, sizeof(*summaries));
    if (summaries == NULL) {
        (void)fprintf(stderr, "filbert: bench: %s\n", fil_error_text(FIL_E_NOMEM));
        return EXIT_FAILED;
    }
    (void)fil_process_raise_descriptor_limit();
    int code = flags.has_other ? compare(&flags, summaries)
               : flags.is_null ? measure_null(&flags, summaries)
                               : measure(&flags, summaries);
    fil_free(summaries);
    return code;
}
