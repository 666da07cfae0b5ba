// SPDX-License-Identifier: Apache-2.0
/**
 * How soon a priority operation starts while every partition has more normal work than its thread
 * can do: normal operations that never end, a slice at a time, and now and then a priority one.
 */
#include "filbert/error.h"
#include "kernel.h"
#include "kernel_rig.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/histogram.h"
#include "lib/os/futex.h"
#include "rig.h"

#define NORMAL_PER_PARTITION 8U
#define NORMAL_COUNT         (NORMAL_PER_PARTITION * LAB_KERNEL_PARTITIONS)
#define NORMAL_BYTES         4096U // a slice hashes so much: about a microsecond
#define PROBES               2000U
#define QUICK_PROBES         20U
#define PAUSE_NS             UINT64_C(1000000)

struct probe {
    struct fil_op op;
    struct fil_env *env;
    uint64_t started_ns;
    _Atomic uint32_t is_done;
};

struct kick {
    _Atomic bool is_over;
    _Atomic uint64_t checksum; // so that the work is really done
    struct fil_op normal[NORMAL_COUNT];
    struct probe probe;
    struct fil_histogram start_ns;
};

// Operations find the measurement here: there is one at a time.
static struct kick *running;

static enum fil_op_outcome run_normal(struct fil_op *op, struct fil_partition *partition)
{
    static const uint8_t block[NORMAL_BYTES];
    (void)op;
    uint64_t hash = fil_hash(fil_bytes_make(block, sizeof(block)), partition->id);
    // Relaxed: nobody reads it.
    atomic_store_explicit(&running->checksum, hash, memory_order_relaxed);
    return atomic_load_explicit(&running->is_over, memory_order_relaxed) ? FIL_OP_DONE
                                                                         : FIL_OP_AGAIN;
}

static void complete_normal(struct fil_op *op, struct fil_runner *runner)
{
    (void)op;
    (void)runner;
}

static enum fil_op_outcome run_probe(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    struct probe *probe = FIL_CONTAINER_OF(op, struct probe, op);
    probe->started_ns = fil_env_now_ns(probe->env);
    return FIL_OP_DONE;
}

static void complete_probe(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    struct probe *probe = FIL_CONTAINER_OF(op, struct probe, op);
    // R1 pairs with A1: main reads when it started, and uses the operation again.
    atomic_store_explicit(&probe->is_done, 1, memory_order_release);
    fil_futex_wake(&probe->is_done, 1);
}

static const struct fil_op_type normal_type = {
    .name = "lab normal", .run = run_normal, .complete = complete_normal};
static const struct fil_op_type probe_type = {
    .name = "lab probe", .run = run_probe, .complete = complete_probe};

static void submit_normal(struct kick *kick, struct lab_kernel *kernel)
{
    for (uint32_t i = 0; i < NORMAL_COUNT; i++) {
        fil_op_init(&kick->normal[i], &normal_type, i % LAB_KERNEL_PARTITIONS);
        fil_exec_submit(kernel->exec, &kick->normal[i], &kernel->runner);
    }
}

static void send_probe(struct kick *kick, struct lab_kernel *kernel, uint32_t number)
{
    struct probe *probe = &kick->probe;
    fil_op_init(&probe->op, &probe_type, number * 7 % LAB_KERNEL_PARTITIONS);
    probe->op.is_priority = true;
    atomic_store_explicit(&probe->is_done, 0, memory_order_relaxed);
    uint64_t submitted_ns = fil_env_now_ns(probe->env);
    fil_exec_submit(kernel->exec, &probe->op, &kernel->runner);
    // A1 pairs with R1.
    while (atomic_load_explicit(&probe->is_done, memory_order_acquire) == 0) {
        (void)!fil_futex_wait(&probe->is_done, 0, FIL_WAIT_FOREVER);
    }
    fil_assert(probe->started_ns >= submitted_ns);
    fil_histogram_record(&kick->start_ns, probe->started_ns - submitted_ns);
}

static void measure(struct kick *kick, struct lab_kernel *kernel, uint32_t probe_count)
{
    submit_normal(kick, kernel);
    for (uint32_t i = 0; i < probe_count; i++) {
        lab_rig_sleep(kick->probe.env, PAUSE_NS);
        send_probe(kick, kernel, i);
    }
    atomic_store_explicit(&kick->is_over, true, memory_order_relaxed);
}

int lab_kernel_kick(struct fil_env *env, bool is_quick, struct fil_writer *writer)
{
    struct lab_kernel *kernel = NULL;
    struct kick *kick = fil_alloc_zero(1, sizeof(*kick));
    if (kick == NULL) {
        return FIL_E_NOMEM;
    }
    running = kick;
    kick->probe.env = env;
    fil_histogram_init(&kick->start_ns);
    int error = lab_kernel_start(&kernel, env);
    if (error == FIL_OK) {
        measure(kick, kernel, is_quick ? QUICK_PROBES : PROBES);
    }
    lab_kernel_stop(kernel); // all operations have completed after it
    (void)fil_writer_format(writer,
                            "{\"probes\": %llu, \"p50_us\": %.1f, \"p99_us\": %.1f, "
                            "\"max_us\": %.1f}",
                            (unsigned long long)fil_histogram_count(&kick->start_ns),
                            (double)fil_histogram_quantile(&kick->start_ns, 0.5) / 1000,
                            (double)fil_histogram_quantile(&kick->start_ns, 0.99) / 1000,
                            (double)fil_histogram_max(&kick->start_ns) / 1000);
    fil_free(kick);
    return error;
}
