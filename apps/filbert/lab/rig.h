// SPDX-License-Identifier: Apache-2.0
/**
 * One server under test with the generator connected to it, all in this process, each on its cores.
 *
 * Threads: main alone; it is moved to the cores of the load.
 */
#pragma once

#include <stdint.h>

#include "cores.h"
#include "figures.h"
#include "lib/base/attr.h"
#include "lib/os/env.h"
#include "load.h"
#include "setting.h"
#include "workload.h"

struct lab_member;
struct lab_model;

/** What all servers of a run have in common. */
struct lab_bench {
    struct fil_env *env;
    struct lab_cores cores;
    struct lab_workload fill;
    struct lab_workload uniform;
    struct lab_workload mixed;
};

/** How large the workloads are. */
struct lab_bench_size {
    uint32_t key_count;
    uint32_t request_count;
};

struct lab_rig {
    struct lab_bench *bench;
    enum lab_place place;
    struct lab_member *member; // one of the two
    struct lab_model *model;
    struct lab_load *load; // may be NULL: then nobody is connected
};

/** Reads the machine and encodes the workloads. */
int lab_bench_init(struct lab_bench *bench, struct fil_env *env, struct lab_bench_size size)
    FIL_NODISCARD;
void lab_bench_fini(struct lab_bench *bench);

/** Starts the setting's server, connects the generator and sets every key. */
int lab_rig_start(struct lab_rig *rig, struct lab_bench *bench, const struct lab_setting *setting)
    FIL_NODISCARD;

/** Also after a failed start. */
void lab_rig_stop(struct lab_rig *rig);

/** Runs one kind of load for so long, after a warm-up. */
int lab_rig_measure(struct lab_rig *rig, const struct lab_case *load_case, uint64_t duration_ns,
                    struct lab_sample *out_sample) FIL_NODISCARD;

/** Sleeps, for a thread of the lab that only waits. */
void lab_rig_sleep(struct fil_env *env, uint64_t duration_ns);
