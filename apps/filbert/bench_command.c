// SPDX-License-Identifier: Apache-2.0
/** filbert bench: measures Filbert on this machine, inside this process or from outside. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_client.h"
#include "bench_load.h"
#include "bench_store.h"
#include "command.h"
#include "filbert/error.h"
#include "lab/isolation.h"
#include "lab/kernel.h"
#include "lab/stages.h"
#include "lib/base/alloc.h"
#include "lib/base/cursor.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "lib/os/process.h"
#include "load/protocol.h"

#define OUTPUT_BYTES_MAX ((size_t)4 << 20)
#define SECONDS_MIN      0.01
#define SECONDS_MAX      3600.0

struct bench_flags {
    const char *plot; // NULL: no picture
    const char *only; // NULL: all
    double seconds;   // 0: the default
    double rounds;    // 0: the default
    bool is_json;
    bool is_quick;
};

static int complain(const char *what, int error)
{
    (void)fprintf(stderr, "filbert: %s: %s\n", what, fil_error_text(error));
    return EXIT_FAILED;
}

static bool read_number(const char *flag, const char *text, double low, double high, double *out)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < low || value > high) {
        (void)fprintf(stderr, "filbert: %s takes a number from %g to %g, not '%s'\n", flag, low,
                      high, text);
        return false;
    }
    *out = value;
    return true;
}

/** Takes a flag with a value; false after a message. */
static bool take_value(struct bench_flags *flags, const char *flag, const char *value)
{
    if (strcmp(flag, "--plot") == 0) {
        flags->plot = value;
        return true;
    }
    if (strcmp(flag, "--only") == 0) {
        flags->only = value;
        return true;
    }
    if (strcmp(flag, "--seconds") == 0) {
        return read_number(flag, value, SECONDS_MIN, SECONDS_MAX, &flags->seconds);
    }
    if (strcmp(flag, "--rounds") == 0) {
        return read_number(flag, value, 1, LAB_ROUNDS_MAX, &flags->rounds);
    }
    (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help bench\n", flag);
    return false;
}

static bool take_flags(struct bench_flags *flags, int count, char **words)
{
    for (int i = 2; i < count; i++) {
        if (strcmp(words[i], "--json") == 0) {
            flags->is_json = true;
        } else if (strcmp(words[i], "--quick") == 0) {
            flags->is_quick = true;
        } else if (i + 1 < count) {
            if (!take_value(flags, words[i], words[i + 1])) {
                return false;
            }
            i++;
        } else {
            (void)fprintf(stderr,
                          "filbert: '%s' is unknown or needs a value: see filbert help bench\n",
                          words[i]);
            return false;
        }
    }
    return true;
}

static void show_progress(void *context, uint32_t done, uint32_t total)
{
    (void)context;
    (void)fprintf(stderr, "\r%3u %%", done * 100 / total);
    (void)fflush(stderr);
}

static int save_plot(const struct lab_report *report, struct fil_writer *writer, const char *path)
{
    writer->size = 0;
    lab_report_plot(report, writer);
    int error = writer->is_full ? FIL_E_FULL : fil_file_save(path, fil_writer_written(writer));
    return error == FIL_OK ? EXIT_OK : complain(path, error);
}

static void print(const struct fil_writer *writer)
{
    (void)fwrite(writer->data, 1, writer->size, stdout);
}

static int show_stages(const struct lab_report *report, const struct bench_flags *flags)
{
    struct fil_writer writer;
    char *memory = fil_alloc(OUTPUT_BYTES_MAX);
    if (memory == NULL) {
        return complain("bench stages", FIL_E_NOMEM);
    }
    fil_writer_init(&writer, memory, OUTPUT_BYTES_MAX);
    if (flags->is_json) {
        lab_report_json(report, &writer);
    } else {
        lab_report_table(report, &writer);
        (void)fil_writer_text(&writer, "\n");
        lab_report_advise(report, &writer);
        (void)fil_writer_text(&writer, "\n");
    }
    print(&writer);
    int code = flags->plot == NULL ? EXIT_OK : save_plot(report, &writer, flags->plot);
    fil_free(memory);
    return code;
}

static int run_stages(const struct bench_flags *flags)
{
    struct lab_stages_options options;
    lab_stages_defaults(&options, fil_env_real());
    if (flags->is_quick) {
        lab_stages_hurry(&options);
    }
    options.only = flags->only;
    options.seconds = flags->seconds > 0 ? flags->seconds : options.seconds;
    options.round_count = flags->rounds > 0 ? (uint32_t)flags->rounds : options.round_count;
    bool is_shown = fil_process_is_terminal(STDERR_FILENO);
    options.progress = is_shown ? show_progress : NULL;
    struct lab_report report;
    int error = lab_stages_run(&options, &report);
    if (is_shown) {
        (void)fprintf(stderr, "\r     \r");
    }
    int code = error == FIL_OK ? show_stages(&report, flags) : complain("bench stages", error);
    lab_report_fini(&report);
    return code;
}

typedef int (*measure_fn)(struct fil_env *env, bool is_quick, struct fil_writer *writer);

/** A measurement that has one form only, JSON. */
static int run_plain(const char *name, measure_fn measure, const struct bench_flags *flags)
{
    struct fil_writer writer;
    char *memory = fil_alloc(OUTPUT_BYTES_MAX);
    int error = FIL_E_NOMEM;
    if (memory != NULL) {
        fil_writer_init(&writer, memory, OUTPUT_BYTES_MAX);
        error = measure(fil_env_real(), flags->is_quick, &writer);
    }
    if (error == FIL_OK) {
        print(&writer);
    }
    fil_free(memory);
    return error == FIL_OK ? EXIT_OK : complain(name, error);
}

int command_bench(int count, char **words)
{
    struct bench_flags flags = {0};
    const char *what = count > 1 ? words[1] : "";
    if (load_protocol_find(what) != NULL) {
        return bench_load(count - 1, words + 1);
    }
    if (strcmp(what, "client") == 0) {
        return bench_client(count - 1, words + 1);
    }
    if (!take_flags(&flags, count, words)) {
        return EXIT_USAGE;
    }
    if (strcmp(what, "stages") == 0) {
        return run_stages(&flags);
    }
    if (strcmp(what, "isolation") == 0) {
        return run_plain("bench isolation", lab_isolation_run, &flags);
    }
    if (strcmp(what, "kernel") == 0) {
        return run_plain("bench kernel", lab_kernel_run, &flags);
    }
    if (strcmp(what, "store") == 0) {
        return run_plain("bench store", bench_store_run, &flags);
    }
    (void)fprintf(
        stderr,
        "filbert: bench measures stages, resp, memcached, hazelcast, http, client, isolation, "
        "kernel or store, not '%s'\n",
        what);
    return EXIT_USAGE;
}
