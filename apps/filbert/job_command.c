// SPDX-License-Identifier: Apache-2.0
/** filbert job: checks, draws and runs stream jobs that are written as YAML files. */
#include "job_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/job_package.h"
#include "core/pipeline/job_test.h"
#include "core/pipeline/planner.h"
#include "core/stream/dag_text.h"
#include "job_services.h"
#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "lib/os/file.h"

#define OUTPUT_BYTES_MAX ((size_t)1 << 20)
#define INSTANCES_MAX    256U

const char job_help[] =
    "usage: filbert job run FILE [--workers N] [--parallelism N] [--snapshots FOLDER] [--new]\n"
    "                            [--from NAME]\n"
    "                            [--member]\n"
    "       filbert job lint FILE...\n"
    "       filbert job test FILE...\n"
    "       filbert job graph FILE [--json]\n"
    "       filbert job submit FILE [--parallelism N] [--weight N] [--new] [--from NAME]\n"
    "                          [--light] [--package]\n"
    "       filbert job list [--json]\n"
    "       filbert job status JOB [--json] [--watch]\n"
    "       filbert job output JOB\n"
    "       filbert job cancel|suspend|resume|restart|forget JOB\n"
    "       filbert job export JOB NAME\n"
    "       filbert job snapshots [--json]\n"
    "       filbert job drop NAME\n"
    "\n"
    "Stream jobs as YAML files, or as packages: shared objects, NAME.so, that run and graph load "
    "and\n"
    "execute; docs/streams.md explains them.\n"
    "\n"
    "run   runs the job in this process until it ends or is interrupted. With --snapshots it goes\n"
    "      on from its last snapshot in that folder, unless --new is given; --from starts from an\n"
    "      exported one.\n"
    "lint  checks files, their tests too, and tells what is wrong as FILE:LINE:COLUMN.\n"
    "test  runs the tests of files, each with a parallelism of 1 to 4, and prints what differs.\n"
    "graph prints what would run, for dot or as JSON.\n"
    "\n"
    "The others are about jobs of a running member. run --member submits the job and prints what\n"
    "it prints until it is over; when this program is interrupted, the job goes on.\n"
    "\n"
    "submit starts a job; a light one has no snapshots and is forgotten when it is over. A job\n"
    "       with --weight 3 gets three times the time of one without when both want more. With\n"
    "       --package, FILE is the name of a package in the member's folder, stream.packages.\n"
    "list   shows all jobs, status what each vertex has done and how fast it is; with --watch\n"
    "       every second, until the job does not run any more.\n"
    "output prints the last lines that a job has written to stdout.\n"
    "cancel ends a job; suspend does so with a snapshot from which resume goes on, restart does\n"
    "       both; forget removes a job that is over.\n"
    "export keeps a snapshot under a name, from which submit --from starts, also a changed job;\n"
    "       one that its state does not fit is refused with the reason. snapshots lists all "
    "names,\n"
    "       drop removes one.\n"
    "\n"
    "  --address A:P      a member (127.0.0.1:5701, or the variable FILBERT_ADDRESS)\n"
    "  --timeout T        how long to wait for it (1s)\n";

int job_complain(const char *path, const char *text)
{
    (void)fprintf(stderr, "filbert: %s: %s\n", path, text);
    return EXIT_FAILED;
}

static int print_line(void *context, struct fil_bytes line)
{
    (void)context;
    return fwrite(line.data, 1, line.size, stdout) == line.size ? FIL_OK : FIL_E_IO;
}

/** Tells a file's fault. */
static int blame(const char *path, const struct fil_job_file *file)
{
    (void)fprintf(stderr, "%s:%zu:%zu: %s\n", path, file->line, file->column, file->reason);
    return EXIT_FAILED;
}

/** The text is to be freed; NULL when the file cannot be read, which is told. */
static int read_text(const char *path, char **out_text, size_t *out_size)
{
    struct fil_env *env = fil_env_real();
    int error = env->ops->file_read(env, path, FIL_JOB_FILE_BYTES_MAX, out_text, out_size);
    return error == FIL_OK ? EXIT_OK : job_complain(path, fil_file_why(error));
}

/** Reads and checks a file; what is wrong is told. The file is to be ended in any case. */
static int load(const char *path, struct fil_job_file *file)
{
    char *text = NULL;
    size_t size = 0;
    *file = (struct fil_job_file){0};
    if (fil_job_package_is_one(path)) {
        int error = fil_job_package_init(file, path);
        return error == FIL_OK ? EXIT_OK : job_complain(path, file->reason);
    }
    int code = read_text(path, &text, &size);
    if (code == EXIT_OK &&
        fil_job_file_init(file, fil_bytes_make(text, size), print_line, NULL) != FIL_OK) {
        code = blame(path, file);
    }
    fil_free(text);
    return code;
}

/** Checks a file and each of its tests. */
static int lint_file(const char *path, struct fil_bytes text, struct fil_job_file *file)
{
    int error = fil_job_file_init(file, text, print_line, NULL);
    uint32_t count = file->test_count;
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        struct fil_job_case each;
        fil_job_file_fini(file);
        error = fil_job_case_init(&each, file, text, i);
        fil_job_case_fini(&each);
    }
    return error == FIL_OK ? EXIT_OK : blame(path, file);
}

static int test_file(const char *path, struct fil_bytes text, struct fil_job_file *file)
{
    struct fil_job_test test;
    int error = fil_job_test_run(&test, file, text, print_line, NULL);
    if (error != FIL_OK) {
        return file->line != 0 ? blame(path, file) : job_complain(path, fil_error_text(error));
    }
    if (test.passed_count + test.failed_count == 0) {
        return job_complain(path, "it has no tests");
    }
    (void)printf("%u passed, %u failed\n", test.passed_count, test.failed_count);
    return test.failed_count == 0 ? EXIT_OK : EXIT_FAILED;
}

typedef int (*file_fn)(const char *path, struct fil_bytes text, struct fil_job_file *file);

static int for_each_file(int count, char **words, file_fn check)
{
    int result = EXIT_OK;
    for (int i = 0; i < count; i++) {
        struct fil_job_file file = {0};
        char *text = NULL;
        size_t size = 0;
        int code = read_text(words[i], &text, &size);
        if (code == EXIT_OK) {
            code = check(words[i], fil_bytes_make(text, size), &file);
            fil_job_file_fini(&file);
        }
        fil_free(text);
        result = code == EXIT_OK ? result : code;
    }
    (void)fflush(stdout);
    return result;
}

static int print_graph(const struct job_words *words, struct fil_job_file *file)
{
    struct fil_dag dag;
    struct fil_writer writer;
    fil_dag_init(&dag);
    char *memory = fil_alloc(OUTPUT_BYTES_MAX);
    int error = memory == NULL ? FIL_E_NOMEM : fil_planner_plan(file->pipeline, 2, NULL, &dag);
    if (error == FIL_OK) {
        fil_writer_init(&writer, memory, OUTPUT_BYTES_MAX);
        if (words->is_json) {
            fil_dag_write_json(&dag, &writer);
        } else {
            fil_dag_write_dot(&dag, words->path, &writer);
        }
        struct fil_bytes text = fil_writer_written(&writer);
        (void)fwrite(text.data, 1, text.size, stdout);
    }
    fil_dag_fini(&dag);
    fil_free(memory);
    return error == FIL_OK ? EXIT_OK : job_complain(words->path, fil_error_text(error));
}

static int run_in(struct fil_stream *stream, const struct job_words *words,
                  struct fil_job_file *file)
{
    struct fil_stream_job *job = NULL;
    struct fil_stream_job_options options = file->options;
    options.parallelism = words->parallelism == 0 ? options.parallelism : words->parallelism;
    options.weight = words->weight == 0 ? options.weight : words->weight;
    options.is_new = words->is_new;
    options.start_from = words->start_from;
    int error = fil_stream_submit(stream, file->pipeline, &options, &job);
    if (error != FIL_OK) {
        return job_complain(words->path, fil_pipeline_text(file->pipeline));
    }
    error = fil_stream_job_wait(job, -1);
    bool is_good = error == FIL_OK && fil_stream_job_state(job) == FIL_STREAM_COMPLETED;
    int code = is_good ? EXIT_OK : job_complain(words->path, fil_stream_job_text(job));
    fil_stream_job_release(job);
    return code;
}

static void log_line(void *context, const char *job, const char *line)
{
    (void)context;
    (void)fprintf(stderr, "%s: %s\n", job, line);
}

static int run_with(const struct fil_connector *connector, const struct job_words *words,
                    struct fil_job_file *file)
{
    struct fil_stream *stream = NULL;
    const struct fil_engine_options options = {.env = fil_env_real(),
                                               .worker_count = words->worker_count,
                                               .folder = words->snapshots,
                                               .connector = connector,
                                               .log = log_line};
    int error = fil_engine_start(&stream, &options);
    if (error != FIL_OK) {
        return job_complain(words->snapshots == NULL ? words->path : words->snapshots,
                            fil_error_text(error));
    }
    int code = run_in(stream, words, file);
    fil_stream_stop(stream);
    (void)fflush(stdout);
    return code;
}

static int run(const struct job_words *words, struct fil_job_file *file)
{
    static struct job_services services;
    int error = job_services_start(&services);
    if (error != FIL_OK) {
        return job_complain(words->path, fil_error_text(error));
    }
    int code = run_with(&services.connector, words, file);
    job_services_stop(&services);
    return code;
}

static bool take_number(const char *text, uint32_t limit, uint32_t *out_number)
{
    uint64_t number = 0;
    bool is_good = text != NULL && fil_bytes_to_u64(fil_bytes_of(text), &number) && number >= 1 &&
                   number <= limit;
    *out_number = (uint32_t)number;
    return is_good;
}

/** Words with a text behind them; false when it is none of these. */
static bool take_text(struct job_words *out_words, const char *word, const char *next)
{
    const struct {
        const char *name;
        const char **out;
    } texts[] = {{"--snapshots", &out_words->snapshots},
                 {"--from", &out_words->start_from},
                 {"--address", &out_words->address},
                 {"--timeout", &out_words->timeout}};
    for (size_t i = 0; next != NULL && i < FIL_COUNT_OF(texts); i++) {
        if (strcmp(texts[i].name, word) == 0) {
            *texts[i].out = next;
            return true;
        }
    }
    const struct {
        const char *name;
        uint32_t limit;
        uint32_t *out;
    } numbers[] = {{"--workers", INSTANCES_MAX, &out_words->worker_count},
                   {"--parallelism", INSTANCES_MAX, &out_words->parallelism},
                   {"--weight", FIL_STREAM_WEIGHT_MAX, &out_words->weight}};
    for (size_t i = 0; i < FIL_COUNT_OF(numbers); i++) {
        if (strcmp(numbers[i].name, word) == 0) {
            return take_number(next, numbers[i].limit, numbers[i].out);
        }
    }
    return false;
}

/** One word, perhaps with the one behind it; how many were taken, 0: not expected. */
static int take_word(struct job_words *out_words, const char *word, const char *next)
{
    const struct {
        const char *name;
        bool *out;
    } flags[] = {{"--new", &out_words->is_new},         {"--json", &out_words->is_json},
                 {"--light", &out_words->is_light},     {"--watch", &out_words->is_watched},
                 {"--package", &out_words->is_package}, {"--member", &out_words->is_member}};
    for (size_t i = 0; i < FIL_COUNT_OF(flags); i++) {
        if (strcmp(flags[i].name, word) == 0) {
            *flags[i].out = true;
            return 1;
        }
    }
    if (word[0] != '-' && out_words->second == NULL) {
        *(out_words->path == NULL ? &out_words->path : &out_words->second) = word;
        return 1;
    }
    return take_text(out_words, word, next) ? 2 : 0;
}

static bool is_local(const char *action)
{
    return strcmp(action, "run") == 0 || strcmp(action, "graph") == 0;
}

static int run_local(const char *action, const struct job_words *words)
{
    struct fil_job_file file;
    int code = load(words->path, &file);
    if (code == EXIT_OK) {
        code = strcmp(action, "run") == 0 ? run(words, &file) : print_graph(words, &file);
    }
    fil_job_file_fini(&file);
    return code;
}

int command_job(int count, char **words)
{
    // The first word is the command's own.
    count--;
    words++;
    if (count >= 2 && strcmp(words[0], "lint") == 0) {
        return for_each_file(count - 1, words + 1, lint_file);
    }
    if (count >= 2 && strcmp(words[0], "test") == 0) {
        return for_each_file(count - 1, words + 1, test_file);
    }
    struct job_words parsed = {0};
    int taken = 1;
    for (int i = 1; i < count && taken != 0; i += taken) {
        taken = take_word(&parsed, words[i], i + 1 < count ? words[i + 1] : NULL);
    }
    const char *action = count > 0 ? words[0] : "";
    bool is_here = is_local(action) && !parsed.is_member;
    bool is_known =
        is_here ? parsed.path != NULL && parsed.second == NULL : job_remote_knows(action, &parsed);
    if (taken == 0 || !is_known) {
        (void)fprintf(stderr, "filbert: not understood: see filbert help job\n");
        return EXIT_USAGE;
    }
    return is_here ? run_local(action, &parsed) : job_remote(action, &parsed);
}
