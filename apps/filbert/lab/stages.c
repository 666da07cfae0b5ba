// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/os/cpu.h"
#include "rig.h"

#define SECONDS_DEFAULT  1.0
#define ROUNDS_DEFAULT   3U
#define KEYS_DEFAULT     100000U
#define REQUESTS_PER_KEY 1.3 // enough to touch most keys before the requests repeat
#define HURRIED_SECONDS  0.02
#define HURRIED_KEYS     2000U
#define NS_PER_S         1e9

void lab_stages_defaults(struct lab_stages_options *out_options, struct fil_env *env)
{
    *out_options = (struct lab_stages_options){
        .env = env,
        .seconds = SECONDS_DEFAULT,
        .round_count = ROUNDS_DEFAULT,
        .key_count = KEYS_DEFAULT,
    };
}

void lab_stages_hurry(struct lab_stages_options *options)
{
    options->seconds = HURRIED_SECONDS;
    options->round_count = 1;
    options->key_count = HURRIED_KEYS;
}

/** Cuts the first name off the list; an empty one when there is none. */
static struct fil_bytes next_name(struct fil_bytes *list)
{
    size_t size = fil_bytes_find(*list, ',');
    struct fil_bytes name = fil_bytes_make(list->data, size);
    size_t cut = size < list->size ? size + 1 : size;
    *list = fil_bytes_make(list->data + cut, list->size - cut);
    return name;
}

static bool is_wanted(const struct lab_setting *setting, const char *only)
{
    if (only == NULL) {
        return true;
    }
    struct fil_bytes list = fil_bytes_of(only);
    while (list.size > 0) {
        if (fil_bytes_equal_text(next_name(&list), setting->name)) {
            return true;
        }
    }
    return false;
}

static bool are_known(const char *only)
{
    struct fil_bytes list = fil_bytes_of(only == NULL ? "" : only);
    while (list.size > 0) {
        if (lab_setting_find(next_name(&list)) == NULL) {
            return false;
        }
    }
    return true;
}

/** The settings of the run; one that is the same as another on this machine only when asked for. */
static void choose_settings(struct lab_report *report, const struct lab_cores *cores,
                            const char *only)
{
    for (uint32_t i = 0; i < lab_setting_count(); i++) {
        const struct lab_setting *setting = lab_setting_at(i);
        bool is_new = setting->place == LAB_PLACE_APART || only != NULL ||
                      lab_cores_differs(cores, setting->place);
        if (is_new && is_wanted(setting, only)) {
            report->results[report->count].setting = setting;
            report->count++;
        }
    }
}

/** One setting under every load, once. */
static int run_setting(struct lab_bench *bench, struct lab_result *result, uint64_t duration_ns)
{
    struct lab_rig rig;
    int error = lab_rig_start(&rig, bench, result->setting);
    for (uint32_t i = 0; error == FIL_OK && i < LAB_CASE_COUNT; i++) {
        struct lab_sample sample;
        error = lab_rig_measure(&rig, &lab_cases[i], duration_ns, &sample);
        if (error == FIL_OK) {
            lab_series_add(&result->series[i], &sample);
        }
    }
    lab_rig_stop(&rig);
    return error;
}

static void run_rounds(const struct lab_stages_options *options, struct lab_bench *bench,
                       struct lab_report *report)
{
    uint64_t duration_ns = (uint64_t)(options->seconds * NS_PER_S / options->round_count);
    uint32_t done = 0;
    for (uint32_t round = 0; round < options->round_count; round++) {
        for (uint32_t i = 0; i < report->count; i++) {
            struct lab_result *result = &report->results[i];
            if (options->progress != NULL) {
                options->progress(options->context, done, report->count * options->round_count);
            }
            done++;
            if (result->error == FIL_OK) {
                result->error = run_setting(bench, result, duration_ns);
            }
        }
    }
}

static void describe(struct lab_report *report, const struct lab_cores *cores)
{
    struct fil_machine machine;
    char place[LAB_CORES_TEXT_MAX];
    fil_machine_read(&machine, "/");
    (void)snprintf(report->machine, sizeof(report->machine), "%s, %s", machine.cpu_text,
                   machine.node_text);
    (void)snprintf(report->place, sizeof(report->place), "%s unless the setting says otherwise",
                   lab_cores_describe(cores, place));
}

int lab_stages_run(const struct lab_stages_options *options, struct lab_report *out_report)
{
    fil_assert(options->round_count > 0 && options->round_count <= LAB_ROUNDS_MAX);
    *out_report =
        (struct lab_report){.round_count = options->round_count, .seconds = options->seconds};
    if (!are_known(options->only)) {
        return FIL_E_NOT_FOUND;
    }
    struct lab_bench bench;
    struct lab_bench_size size = {
        .key_count = options->key_count,
        .request_count = (uint32_t)(options->key_count * REQUESTS_PER_KEY),
    };
    int error = lab_bench_init(&bench, options->env, size);
    if (error != FIL_OK) {
        return error;
    }
    out_report->results = fil_alloc_zero(lab_setting_count(), sizeof(struct lab_result));
    if (out_report->results == NULL) {
        lab_bench_fini(&bench);
        return FIL_E_NOMEM;
    }
    describe(out_report, &bench.cores);
    choose_settings(out_report, &bench.cores, options->only);
    run_rounds(options, &bench, out_report);
    lab_bench_fini(&bench);
    return FIL_OK;
}

void lab_report_fini(struct lab_report *report)
{
    fil_free(report->results);
    report->results = NULL;
    report->count = 0;
}
