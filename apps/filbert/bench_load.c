// SPDX-License-Identifier: Apache-2.0
#include "bench_load.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "lib/os/process.h"
#include "load/measure.h"
#include "load/measure_plot.h"
#include "load/measure_report.h"
#include "load/null_server.h"
#include "load/protocol.h"
#include "load_flags.h"

#define REPORT_BYTES_MAX 8192U
#define PLOT_BYTES_MAX   ((size_t)1 << 16)
#define NS_PER_S         1e9

/** What the last line of progress told. */
struct progress {
    uint64_t elapsed_ns;
    uint64_t reply_count;
};

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
    load_measure_clear(&summaries[0]);
    load_measure_clear(&summaries[1]);
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
    if (!load_flags_take(&flags, count, words)) {
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
