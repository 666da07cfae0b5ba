// SPDX-License-Identifier: Apache-2.0
/** What operations cost that wait: the processor time of the partition threads meanwhile. */
#include "filbert/error.h"
#include "kernel.h"
#include "kernel_rig.h"
#include "lib/base/alloc.h"
#include "rig.h"

#define PARKED_COUNT UINT32_C(1000)
#define DURATION_NS  UINT64_C(2000000000)
#define QUICK_NS     UINT64_C(20000000)
#define SETTLE_NS    UINT64_C(1000000)
#define DEADLINE_NS  UINT64_C(3600000000000)

struct waiting {
    struct fil_op op;
    struct parked *parked;
};

struct parked {
    _Atomic uint32_t parked_count;
    _Atomic uint32_t ended_count;
    struct waiting waiting[PARKED_COUNT];
};

static enum fil_op_outcome run_waiting(struct fil_op *op, struct fil_partition *partition)
{
    struct waiting *waiting = FIL_CONTAINER_OF(op, struct waiting, op);
    op->error = fil_partition_park(partition, op, op->call_id);
    if (op->error != FIL_OK) {
        return FIL_OP_DONE;
    }
    // Relaxed: main only counts.
    atomic_fetch_add_explicit(&waiting->parked->parked_count, 1, memory_order_relaxed);
    return FIL_OP_PARKED;
}

static void complete_waiting(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    struct waiting *waiting = FIL_CONTAINER_OF(op, struct waiting, op);
    atomic_fetch_add_explicit(&waiting->parked->ended_count, 1, memory_order_relaxed);
}

static const struct fil_op_type waiting_type = {
    .name = "lab waiting", .run = run_waiting, .complete = complete_waiting};

static void park_all(struct parked *parked, struct lab_kernel *kernel, struct fil_env *env)
{
    for (uint32_t i = 0; i < PARKED_COUNT; i++) {
        struct waiting *waiting = &parked->waiting[i];
        fil_op_init(&waiting->op, &waiting_type, i % LAB_KERNEL_PARTITIONS);
        waiting->parked = parked;
        waiting->op.call_id = i;
        waiting->op.deadline_ns = fil_env_now_ns(env) + DEADLINE_NS;
        fil_exec_submit(kernel->exec, &waiting->op, &kernel->runner);
    }
    while (atomic_load_explicit(&parked->parked_count, memory_order_relaxed) +
               atomic_load_explicit(&parked->ended_count, memory_order_relaxed) <
           PARKED_COUNT) {
        lab_rig_sleep(env, SETTLE_NS);
    }
    lab_rig_sleep(env, SETTLE_NS); // until the threads sleep
}

int lab_kernel_parked(struct fil_env *env, bool is_quick, struct fil_writer *writer)
{
    struct lab_kernel *kernel = NULL;
    struct parked *parked = fil_alloc_zero(1, sizeof(*parked));
    if (parked == NULL) {
        return FIL_E_NOMEM;
    }
    int error = lab_kernel_start(&kernel, env);
    if (error == FIL_OK) {
        park_all(parked, kernel, env);
        uint64_t begin_ns = fil_env_now_ns(env);
        uint64_t cpu_ns = lab_kernel_cpu_ns();
        lab_rig_sleep(env, is_quick ? QUICK_NS : DURATION_NS);
        cpu_ns = lab_kernel_cpu_ns() - cpu_ns;
        double elapsed_ns = (double)(fil_env_now_ns(env) - begin_ns);
        (void)fil_writer_format(writer, "{\"parked\": %u, \"cpu_percent\": %.4f, ",
                                atomic_load_explicit(&parked->parked_count, memory_order_relaxed),
                                (double)cpu_ns / elapsed_ns * 100);
    }
    lab_kernel_stop(kernel); // which ends what is parked
    (void)fil_writer_format(writer, "\"ended\": %u}",
                            atomic_load_explicit(&parked->ended_count, memory_order_relaxed));
    fil_free(parked);
    return error;
}
