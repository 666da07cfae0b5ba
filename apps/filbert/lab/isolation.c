// SPDX-License-Identifier: Apache-2.0
#include "isolation.h"

#include "filbert/error.h"
#include "hiccup.h"
#include "lib/base/alloc.h"
#include "member.h"
#include "open_load.h"
#include "rig.h"

#define INTERVAL_NS   UINT64_C(1000000)
#define BURN_US       100000U
#define BURN_PAUSE_NS UINT64_C(100000000)
#define DURATION_NS   UINT64_C(2000000000)
#define ROUNDS        5U
#define QUICK_NS      UINT64_C(150000000)
#define KEYS          10000U

#define NO_CALLER   "partition.caller_runs=false"
#define NO_STEALING "partition.stealing=false"

static const struct lab_setting settings[] = {
    {.name = "caller_runs_stealing", .options = "", .place = LAB_PLACE_ALL}, // the defaults
    {.name = "caller_runs", .options = NO_STEALING, .place = LAB_PLACE_ALL},
    {.name = "stealing", .options = NO_CALLER, .place = LAB_PLACE_ALL},
    {.name = "stealing_usual_slice",
     .options = NO_CALLER " thread.slice=0",
     .place = LAB_PLACE_ALL},
    {.name = "neither", .options = NO_CALLER " " NO_STEALING, .place = LAB_PLACE_ALL},
};

/** What both phases of one round share. */
struct phase {
    struct lab_bench *bench;
    struct lab_rig *rig;
    struct lab_open_load *load;
    struct lab_hiccup *hiccup;
    uint64_t duration_ns;
};

static void write_quantiles(struct fil_writer *writer, const struct fil_histogram *histogram)
{
    (void)fil_writer_format(writer,
                            "{\"p50_us\": %.1f, \"p99_us\": %.1f, \"p999_us\": %.1f, "
                            "\"max_us\": %.1f}",
                            (double)fil_histogram_quantile(histogram, 0.5) / 1000,
                            (double)fil_histogram_quantile(histogram, 0.99) / 1000,
                            (double)fil_histogram_quantile(histogram, 0.999) / 1000,
                            (double)fil_histogram_max(histogram) / 1000);
}

static int run_phase(struct phase *phase, const char *name, uint32_t burn_us,
                     struct fil_writer *writer)
{
    struct fil_env *env = phase->bench->env;
    int error = lab_hiccup_start(phase->hiccup, env);
    if (error != FIL_OK) {
        return error;
    }
    error = lab_open_load_run(phase->load, &(struct lab_open_options){
                                               .env = env,
                                               .address = lab_member_address(phase->rig->member),
                                               .workload = &phase->bench->uniform,
                                               .interval_ns = INTERVAL_NS,
                                               .duration_ns = phase->duration_ns,
                                               .burn_us = burn_us,
                                               .burn_pause_ns = BURN_PAUSE_NS,
                                           });
    lab_hiccup_stop(phase->hiccup);
    (void)fil_writer_format(writer, "\"%s\": {\"latency\": ", name);
    write_quantiles(writer, lab_open_load_latency_ns(phase->load));
    (void)fil_writer_text(writer, ", \"hiccup\": ");
    write_quantiles(writer, &phase->hiccup->late_ns);
    (void)fil_writer_format(writer, ", \"burns\": %llu}",
                            (unsigned long long)phase->load->burner.count);
    return error;
}

static int run_setting(struct phase *phase, const struct lab_setting *setting,
                       struct fil_writer *writer)
{
    (void)fil_writer_format(writer, "    {\"setting\": \"%s\", ", setting->name);
    int error = lab_rig_start(phase->rig, phase->bench, setting);
    if (error == FIL_OK) {
        error = run_phase(phase, "quiet", 0, writer);
    }
    (void)fil_writer_text(writer, ", ");
    if (error == FIL_OK) {
        error = run_phase(phase, "burning", BURN_US, writer);
    }
    lab_rig_stop(phase->rig);
    (void)fil_writer_text(writer, "}");
    return error;
}

static int run_rounds(struct phase *phase, uint32_t round_count, struct fil_writer *writer)
{
    (void)fil_writer_format(writer, "{\n  \"burn_us\": %u,\n  \"rounds\": [\n", BURN_US);
    int error = FIL_OK;
    uint32_t total = round_count * (uint32_t)FIL_COUNT_OF(settings);
    for (uint32_t i = 0; error == FIL_OK && i < total; i++) {
        error = run_setting(phase, &settings[i % FIL_COUNT_OF(settings)], writer);
        (void)fil_writer_text(writer, i + 1 < total ? ",\n" : "\n");
    }
    (void)fil_writer_text(writer, "  ]\n}\n");
    return error;
}

int lab_isolation_run(struct fil_env *env, bool is_quick, struct fil_writer *writer)
{
    struct lab_bench bench;
    int error = lab_bench_init(&bench, env,
                               (struct lab_bench_size){.key_count = KEYS, .request_count = KEYS});
    if (error != FIL_OK) {
        return error;
    }
    struct lab_rig rig;
    struct phase phase = {
        .bench = &bench,
        .rig = &rig,
        .load = fil_alloc_zero(1, sizeof(struct lab_open_load)),
        .hiccup = fil_alloc_zero(1, sizeof(struct lab_hiccup)),
        .duration_ns = is_quick ? QUICK_NS : DURATION_NS,
    };
    error = phase.load == NULL || phase.hiccup == NULL
                ? FIL_E_NOMEM
                : run_rounds(&phase, is_quick ? 1 : ROUNDS, writer);
    fil_free(phase.load);
    fil_free(phase.hiccup);
    lab_bench_fini(&bench);
    return error;
}
