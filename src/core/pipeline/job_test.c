// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/job_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define WORKERS        2U
#define LINE_BYTES_MAX 8448U

/** Where the report goes. */
struct report {
    fil_print_fn print;
    void *context;
    int error; // of printing
};

static void FIL_PRINTF(2, 3) tell(struct report *report, const char *format, ...)
{
    char line[LINE_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (report->error == FIL_OK && size > 0) {
        size_t used = (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1;
        report->error = report->print(report->context, fil_bytes_make(line, used));
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** Pointers to the lines, sorted; NULL: no memory. */
static const char **sort_lines(const struct fil_job_lines *lines)
{
    const char **sorted = fil_alloc_zero((size_t)lines->count + 1, sizeof(*sorted));
    const char *line = lines->text;
    for (uint32_t i = 0; sorted != NULL && i < lines->count; i++) {
        sorted[i] = line;
        line += strlen(line) + 1;
    }
    if (sorted != NULL) {
        qsort(sorted, lines->count, sizeof(*sorted), compare_texts);
    }
    return sorted;
}

/** Tells, or only counts without a report, what one has and the other has not. */
static uint32_t walk(struct report *report, const char *of, const char **wanted, const char **got)
{
    uint32_t count = 0;
    while (*wanted != NULL || *got != NULL) {
        int order = *wanted == NULL ? 1 : *got == NULL ? -1 : strcmp(*wanted, *got);
        if (order != 0 && report != NULL) {
            tell(report, "  %c %s%s\n", order < 0 ? '-' : '+', of, order < 0 ? *wanted : *got);
        }
        count += order != 0;
        wanted += order <= 0;
        got += order >= 0;
    }
    return count;
}

/** How many lines differ; FIL_E_NOMEM. */
static int compare(struct report *report, const char *of, const struct fil_job_catch *caught,
                   uint32_t *out_count)
{
    const char **wanted = sort_lines(&caught->wanted);
    const char **got = sort_lines(&caught->got);
    bool has_memory = wanted != NULL && got != NULL;
    if (has_memory) {
        *out_count += walk(report, of, wanted, got);
    }
    fil_free(wanted);
    fil_free(got);
    return has_memory ? FIL_OK : FIL_E_NOMEM;
}

/** One run of a test. */
struct trial {
    struct fil_job_case each;
    char name[128];
    uint32_t parallelism;
    bool has_passed;
};

static int judge(struct trial *trial, struct report *report)
{
    uint32_t count = 0;
    int error = compare(NULL, "", &trial->each.output, &count);
    if (error == FIL_OK) {
        error = compare(NULL, "", &trial->each.late, &count);
    }
    trial->has_passed = error == FIL_OK && count == 0;
    if (error != FIL_OK || trial->has_passed) {
        return error;
    }
    tell(report, "FAILED %s, parallelism %u\n", trial->name, trial->parallelism);
    error = compare(report, "", &trial->each.output, &count);
    return error == FIL_OK ? compare(report, "late ", &trial->each.late, &count) : error;
}

static int run_job(struct fil_stream *stream, struct trial *trial, struct fil_job_file *file,
                   struct report *report)
{
    struct fil_stream_job *job = NULL;
    const struct fil_stream_job_options options = {.parallelism = trial->parallelism};
    int error = fil_stream_submit(stream, file->pipeline, &options, &job);
    if (error != FIL_OK) {
        tell(report, "FAILED %s, parallelism %u: %s\n", trial->name, trial->parallelism,
             fil_pipeline_text(file->pipeline));
        return FIL_OK;
    }
    error = fil_stream_job_wait(job, -1);
    if (error == FIL_OK && fil_stream_job_state(job) == FIL_STREAM_COMPLETED) {
        error = judge(trial, report);
    } else {
        tell(report, "FAILED %s, parallelism %u: %s\n", trial->name, trial->parallelism,
             fil_stream_job_text(job));
    }
    fil_stream_job_release(job);
    return error;
}

static int run_trial(struct fil_stream *stream, struct trial *trial, struct fil_bytes text,
                     uint32_t number, struct report *report, struct fil_job_file *file)
{
    int error = fil_job_case_init(&trial->each, file, text, number);
    if (error == FIL_OK) {
        const char *name = trial->each.name;
        int size = name == NULL ? snprintf(trial->name, sizeof(trial->name), "test %u", number + 1)
                                : snprintf(trial->name, sizeof(trial->name), "%s", name);
        fil_assert(size > 0);
        error = run_job(stream, trial, file, report);
    }
    fil_job_case_fini(&trial->each);
    return error;
}

/** A test with each parallelism, until it fails. */
static int run_case(struct fil_stream *stream, struct fil_job_test *test, struct fil_bytes text,
                    uint32_t number, struct report *report, struct fil_job_file *file)
{
    struct trial trial = {.has_passed = true};
    int error = FIL_OK;
    for (uint32_t i = 1; error == FIL_OK && trial.has_passed && i <= FIL_JOB_TEST_PARALLELISM_MAX;
         i++) {
        fil_job_file_fini(file);
        trial.parallelism = i;
        trial.has_passed = false;
        error = run_trial(stream, &trial, text, number, report, file);
    }
    if (error == FIL_OK) {
        test->passed_count += trial.has_passed;
        test->failed_count += !trial.has_passed;
        if (trial.has_passed) {
            tell(report, "ok     %s\n", trial.name);
        }
    }
    return error;
}

int fil_job_test_run(struct fil_job_test *test, struct fil_job_file *file, struct fil_bytes text,
                     fil_print_fn print, void *context)
{
    struct report report = {.print = print, .context = context};
    *test = (struct fil_job_test){0};
    int error = fil_job_file_init(file, text, print, context);
    uint32_t count = error == FIL_OK ? file->test_count : 0;
    struct fil_stream *stream = NULL;
    if (error == FIL_OK) {
        const struct fil_stream_options options = {.worker_count = WORKERS};
        error = fil_stream_start(&stream, &options);
    }
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        error = run_case(stream, test, text, i, &report, file);
    }
    fil_stream_stop(stream);
    return error == FIL_OK ? report.error : error;
}
