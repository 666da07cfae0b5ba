// SPDX-License-Identifier: Apache-2.0
/**
 * The metrics every process has: version, uptime, cpu, memory, descriptors, and the registry's own.
 *
 * Names that Prometheus' client libraries agreed on (process_...) are used where there are any, so
 * that existing dashboards find them.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/metric/metrics.h"
#include "lib/os/env.h"
#include "lib/os/process.h"

#define FIL_METRIC_PROCESS_SERIES 8U

struct fil_metric_process {
    // Written by init.
    struct fil_metrics *metrics;
    struct fil_env *env;
    uint64_t start_ns;
    uint64_t start_wall_ns;
    uint32_t series_count;
    struct fil_metric_series *series[FIL_METRIC_PROCESS_SERIES];

    // Under the registry's mutex: measured once for all that is shown at the same time.
    struct fil_process_usage usage;
    uint64_t measured_ns; // 0: never
};

/**
 * Registers all of them; the struct stays where it is until fini. Uptime counts from here. The
 * version becomes a label of filbert_build_info. On failure nothing stays registered.
 */
int fil_metric_process_init(struct fil_metric_process *process, struct fil_metrics *metrics,
                            struct fil_env *env, const char *version) FIL_NODISCARD;

void fil_metric_process_fini(struct fil_metric_process *process);
