// SPDX-License-Identifier: Apache-2.0
/** filbert job: checks, draws and runs stream jobs that are written as YAML files. */
#include "job_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/pipeline/job_file.h"
#include "core/pipeline/planner.h"
#include "core/stream/dag_text.h"
#include "lib/base/alloc.h"
#include "lib/os/env.h"

#define OUTPUT_BYTES_MAX ((size_t)1 << 20)

const char job_help[] =
    "usage: filbert job run FILE [--workers N] [--parallelism N] [--snapshots FOLDER] [--new]\n"
    "                            [--from NAME]\n"
    "       filbert job lint FILE...\n"
    "       filbert job graph FILE [--json]\n"
    "\n"
    "Stream jobs as YAML files; docs/streams.md explains them.\n"
    "\n"
    "run   runs the job in this process until it ends or is interrupted. With --snapshots it goes\n"
    "      on from its last snapshot in that folder, unless --new is given; --from starts from an\n"
    "      exported one.\n"
    "lint  checks files and tells what is wrong as FILE:LINE:COLUMN.\n"
    "graph prints what would run, for dot or as JSON.\n";

struct job_words {
    const char *path;
    const char *snapshots;
    const char *start_from;
    uint32_t worker_count;
    uint32_t parallelism;
    bool is_new;
    bool is_json;
};

static int complain(const char *path, const char *text)
{
    (void)fprintf(stderr, "filbert: %s: %s\n", path, text);
    return EXIT_FAILED;
}

static int print_line(void *context, struct fil_bytes line)
{
    (void)context;
    return fwrite(line.data, 1, line.size, stdout) == line.size ? FIL_OK : FIL_E_IO;
}

/** Reads and checks a file; what is wrong is told. The file is to be ended in any case. */
static int load(const char *path, struct fil_job_file *file)
{
    struct fil_env *env = fil_env_real();
    char *text = NULL;
    size_t size = 0;
    *file = (struct fil_job_file){0};
    int error = env->ops->file_read(env, path, FIL_JOB_FILE_BYTES_MAX, &text, &size);
    if (error != FIL_OK) {
        return complain(path, fil_error_text(error));
    }
    error = fil_job_file_init(file, fil_bytes_make(text, size), print_line, NULL);
    fil_free(text);
    if (error == FIL_OK) {
        return EXIT_OK;
    }
    (void)fprintf(stderr, "%s:%zu:%zu: %s\n", path, file->line, file->column, file->reason);
    return EXIT_FAILED;
}

static int lint(int count, char **words)
{
    int result = EXIT_OK;
    for (int i = 0; i < count; i++) {
        struct fil_job_file file;
        int code = load(words[i], &file);
        result = code == EXIT_OK ? result : code;
        fil_job_file_fini(&file);
    }
    return result;
}

static int print_graph(const struct job_words *words, struct fil_job_file *file)
{
    struct fil_dag dag;
    struct fil_writer writer;
    fil_dag_init(&dag);
    char *memory = fil_alloc(OUTPUT_BYTES_MAX);
    int error = memory == NULL ? FIL_E_NOMEM : fil_planner_plan(file->pipeline, 2, &dag);
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
    return error == FIL_OK ? EXIT_OK : complain(words->path, fil_error_text(error));
}

static int run_in(struct fil_stream *stream, const struct job_words *words,
                  struct fil_job_file *file)
{
    struct fil_stream_job *job = NULL;
    struct fil_stream_job_options options = file->options;
    options.parallelism = words->parallelism == 0 ? options.parallelism : words->parallelism;
    options.is_new = words->is_new;
    options.start_from = words->start_from;
    int error = fil_stream_submit(stream, file->pipeline, &options, &job);
    if (error != FIL_OK) {
        return complain(words->path, fil_pipeline_text(file->pipeline));
    }
    error = fil_stream_job_wait(job, -1);
    bool is_good = error == FIL_OK && fil_stream_job_state(job) == FIL_STREAM_COMPLETED;
    int code = is_good ? EXIT_OK : complain(words->path, fil_stream_job_text(job));
    fil_stream_job_release(job);
    return code;
}

static int run(const struct job_words *words, struct fil_job_file *file)
{
    struct fil_stream *stream = NULL;
    const struct fil_stream_options options = {.worker_count = words->worker_count,
                                               .folder = words->snapshots};
    int error = fil_stream_start(&stream, &options);
    if (error != FIL_OK) {
        return complain(words->snapshots == NULL ? words->path : words->snapshots,
                        fil_error_text(error));
    }
    int code = run_in(stream, words, file);
    fil_stream_stop(stream);
    (void)fflush(stdout);
    return code;
}

static bool take_number(const char *text, uint32_t *out_number)
{
    uint64_t number = 0;
    bool is_good = text != NULL && fil_bytes_to_u64(fil_bytes_of(text), &number) && number >= 1 &&
                   number <= 256;
    *out_number = (uint32_t)number;
    return is_good;
}

/** One word, perhaps with the one behind it; how many were taken, 0: not expected. */
static int take_word(struct job_words *out_words, const char *word, const char *next)
{
    if (strcmp(word, "--new") == 0) {
        out_words->is_new = true;
    } else if (strcmp(word, "--json") == 0) {
        out_words->is_json = true;
    } else if (word[0] != '-' && out_words->path == NULL) {
        out_words->path = word;
    } else if (strcmp(word, "--snapshots") == 0 && next != NULL) {
        out_words->snapshots = next;
        return 2;
    } else if (strcmp(word, "--from") == 0 && next != NULL) {
        out_words->start_from = next;
        return 2;
    } else {
        bool is_number =
            (strcmp(word, "--workers") == 0 && take_number(next, &out_words->worker_count)) ||
            (strcmp(word, "--parallelism") == 0 && take_number(next, &out_words->parallelism));
        return is_number ? 2 : 0;
    }
    return 1;
}

int command_job(int count, char **words)
{
    // The first word is the command's own.
    count--;
    words++;
    if (count >= 2 && strcmp(words[0], "lint") == 0) {
        return lint(count - 1, words + 1);
    }
    struct job_words parsed = {0};
    int taken = 1;
    for (int i = 1; i < count && taken != 0; i += taken) {
        taken = take_word(&parsed, words[i], i + 1 < count ? words[i + 1] : NULL);
    }
    bool is_run = count > 0 && strcmp(words[0], "run") == 0;
    bool is_graph = count > 0 && strcmp(words[0], "graph") == 0;
    if (taken == 0 || parsed.path == NULL || (!is_run && !is_graph)) {
        (void)fprintf(stderr, "filbert: not understood: see filbert help job\n");
        return EXIT_USAGE;
    }
    struct fil_job_file file;
    int code = load(parsed.path, &file);
    if (code == EXIT_OK) {
        code = is_run ? run(&parsed, &file) : print_graph(&parsed, &file);
    }
    fil_job_file_fini(&file);
    return code;
}
