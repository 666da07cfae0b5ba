// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/cpu.h"
#include "lib/os/futex.h"
#include "lib/os/thread.h"
#include "lib/os/thread_usage.h"
#include "member.h"
#include "model.h"

#define FILL_PIPELINE 64U
#define LONG_INTERVAL 1000U
#define LONG_US       2000U
#define THREADS_MAX   512U
#define WARM_UP_SHARE 4U // the warm-up takes this part of the measured time
#define NS_PER_US     1000.0
#define NS_PER_S      1e9

/** What the threads have used and done up to a moment. */
struct snapshot {
    uint64_t now_ns;
    uint64_t replies;
    uint64_t server_cpu_ns;
    uint64_t server_switches;
    uint64_t load_cpu_ns;
};

int lab_bench_init(struct lab_bench *bench, struct fil_env *env, struct lab_bench_size size)
{
    *bench = (struct lab_bench){.env = env};
    struct fil_machine machine;
    fil_machine_read(&machine, "/");
    lab_cores_init(&bench->cores, &machine.cpus);
    struct lab_workload_options options = {.mix = LAB_MIX_FILL, .key_count = size.key_count};
    int error = lab_workload_init(&bench->fill, &options);
    options.mix = LAB_MIX_UNIFORM;
    options.request_count = size.request_count;
    if (error == FIL_OK) {
        error = lab_workload_init(&bench->uniform, &options);
    }
    options.long_interval = LONG_INTERVAL;
    options.long_us = LONG_US;
    if (error == FIL_OK) {
        error = lab_workload_init(&bench->mixed, &options);
    }
    if (error != FIL_OK) {
        lab_bench_fini(bench);
    }
    return error;
}

void lab_bench_fini(struct lab_bench *bench)
{
    lab_workload_fini(&bench->fill);
    lab_workload_fini(&bench->uniform);
    lab_workload_fini(&bench->mixed);
}

static const struct lab_model_ops *model_of(enum lab_kind kind)
{
    switch (kind) {
    case LAB_KIND_BLOCKING:
        return &lab_model_blocking;
    case LAB_KIND_LOOP:
        return &lab_model_loop;
    case LAB_KIND_SHARDED:
        return &lab_model_sharded;
    case LAB_KIND_SEDA:
        return &lab_model_seda;
    case LAB_KIND_KERNEL:
    default:
        return NULL;
    }
}

static int start_server(struct lab_rig *rig, const struct lab_setting *setting)
{
    struct lab_bench *bench = rig->bench;
    const struct fil_cpu_set *cpus = lab_cores_server(&bench->cores, rig->place);
    const struct lab_model_ops *model = model_of(setting->kind);
    if (model != NULL) {
        return lab_model_new(&rig->model, bench->env, model, fil_cpu_set_count(cpus));
    }
    return lab_member_new(&rig->member, bench->env, setting->options,
                          lab_cores_ends(&bench->cores));
}

static int connect_load(struct lab_rig *rig)
{
    rig->load = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*rig->load));
    if (rig->load == NULL) {
        return FIL_E_NOMEM;
    }
    const struct fil_address *address =
        rig->model == NULL ? lab_member_address(rig->member) : &rig->model->address;
    int error = lab_load_open(rig->load, rig->bench->env, address);
    return error == FIL_OK && rig->model != NULL ? lab_model_adopt(rig->model, LAB_CONNECTIONS)
                                                 : error;
}

static int fill(struct lab_rig *rig)
{
    struct lab_bench *bench = rig->bench;
    int error = lab_load_start(rig->load, &(struct lab_load_options){
                                              .workload = &bench->fill,
                                              .pipeline = FILL_PIPELINE,
                                              .request_count = bench->fill.count,
                                              .cpus = lab_cores_load(&bench->cores, rig->place),
                                          });
    return error == FIL_OK ? lab_load_finish(rig->load) : error;
}

int lab_rig_start(struct lab_rig *rig, struct lab_bench *bench, const struct lab_setting *setting)
{
    *rig = (struct lab_rig){.bench = bench, .place = setting->place};
    // The server's threads inherit the cores; main goes away from them afterwards.
    int error = fil_thread_pin(lab_cores_server(&bench->cores, rig->place));
    if (error == FIL_OK) {
        error = start_server(rig, setting);
    }
    if (error == FIL_OK) {
        error = connect_load(rig);
    }
    if (error == FIL_OK) {
        error = fil_thread_pin(lab_cores_load(&bench->cores, rig->place));
    }
    return error == FIL_OK ? fill(rig) : error;
}

void lab_rig_stop(struct lab_rig *rig)
{
    // The connections first: the threads of a model end with them.
    if (rig->load != NULL) {
        lab_load_close(rig->load);
        fil_free(rig->load);
    }
    lab_model_free(rig->model);
    lab_member_free(rig->member);
    (void)!fil_thread_pin(&rig->bench->cores.all); // it could before the start
    *rig = (struct lab_rig){.bench = rig->bench};
}

void lab_rig_sleep(struct fil_env *env, uint64_t duration_ns)
{
    _Atomic uint32_t nobody = 0;
    uint64_t end_ns = fil_env_now_ns(env) + duration_ns;
    for (uint64_t now_ns = fil_env_now_ns(env); now_ns < end_ns; now_ns = fil_env_now_ns(env)) {
        (void)!fil_futex_wait(&nobody, 0, (int64_t)(end_ns - now_ns));
    }
}

static void take_snapshot(struct lab_rig *rig, struct snapshot *out_snapshot)
{
    uint32_t ids[THREADS_MAX];
    uint32_t count = fil_thread_usage_list(ids, THREADS_MAX);
    uint32_t own_id = fil_thread_id();
    uint32_t load_id = atomic_load_explicit(&rig->load->thread_id, memory_order_relaxed);
    *out_snapshot = (struct snapshot){.now_ns = fil_env_now_ns(rig->bench->env),
                                      .replies = lab_load_reply_count(rig->load)};
    for (uint32_t i = 0; i < count; i++) {
        struct fil_thread_usage usage;
        if (ids[i] == own_id || fil_thread_usage_read(ids[i], &usage) != FIL_OK) {
            continue;
        }
        if (ids[i] == load_id) {
            out_snapshot->load_cpu_ns += usage.cpu_ns;
            continue;
        }
        out_snapshot->server_cpu_ns += usage.cpu_ns;
        out_snapshot->server_switches += usage.sleep_count + usage.preempted_count;
    }
}

static int make_sample(const struct lab_load *load, const struct snapshot *before,
                       const struct snapshot *after, struct lab_sample *out_sample)
{
    double operations = (double)(after->replies - before->replies);
    double elapsed_ns = (double)(after->now_ns - before->now_ns);
    if (operations <= 0) {
        return FIL_E_TIMEOUT;
    }
    double *values = out_sample->values;
    values[LAB_FIGURE_THROUGHPUT] = operations / elapsed_ns * NS_PER_S;
    values[LAB_FIGURE_CPU] = (double)(after->server_cpu_ns - before->server_cpu_ns) / operations;
    values[LAB_FIGURE_SWITCHES] =
        (double)(after->server_switches - before->server_switches) / operations * 1000;
    values[LAB_FIGURE_P99] =
        (double)fil_histogram_quantile(lab_load_latency_ns(load), 0.99) / NS_PER_US;
    values[LAB_FIGURE_P50] =
        (double)fil_histogram_quantile(lab_load_latency_ns(load), 0.5) / NS_PER_US;
    values[LAB_FIGURE_LOAD] = (double)(after->load_cpu_ns - before->load_cpu_ns) / elapsed_ns;
    return FIL_OK;
}

int lab_rig_measure(struct lab_rig *rig, const struct lab_case *load_case, uint64_t duration_ns,
                    struct lab_sample *out_sample)
{
    struct lab_bench *bench = rig->bench;
    int error = lab_load_start(
        rig->load, &(struct lab_load_options){
                       .workload = load_case->is_mixed ? &bench->mixed : &bench->uniform,
                       .pipeline = load_case->pipeline,
                       .request_count = LOAD_ALL,
                       .cpus = lab_cores_load(&bench->cores, rig->place),
                   });
    if (error != FIL_OK) {
        return error;
    }
    struct snapshot before;
    struct snapshot after;
    lab_rig_sleep(bench->env, duration_ns / WARM_UP_SHARE);
    lab_load_begin_figures(rig->load);
    take_snapshot(rig, &before);
    do {
        lab_rig_sleep(bench->env, duration_ns);
        take_snapshot(rig, &after);
        // A server that gets no processor for a while is measured for longer.
    } while (after.replies == before.replies && !lab_load_has_failed(rig->load));
    error = lab_load_stop(rig->load);
    return error == FIL_OK ? make_sample(rig->load, &before, &after, out_sample) : error;
}
