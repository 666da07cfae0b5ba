// SPDX-License-Identifier: Apache-2.0
/**
 * Workers for tests of jobs: with threads, or driven by the test in one thread.
 */
#pragma once

#include "core/stream/job.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"

#define FIXTURE_STEPS_MAX 10000000U

struct job_fixture {
    struct fil_budget budget;
    struct fil_workers workers;
};

static inline void job_fixture_init(struct job_fixture *fixture, uint32_t worker_count,
                                    uint64_t shake_seed)
{
    fil_budget_init(&fixture->budget, UINT64_C(1) << 30);
    const struct fil_workers_options options = {.env = fil_env_real(),
                                                .budget = &fixture->budget,
                                                .worker_count = worker_count,
                                                .jobs_max = 8,
                                                .shake_seed = shake_seed};
    int error = fil_workers_init(&fixture->workers, &options);
    fil_assert(error == FIL_OK);
}

static inline void job_fixture_fini(struct job_fixture *fixture)
{
    fil_workers_stop(&fixture->workers);
    fil_workers_fini(&fixture->workers);
    fil_assert(fil_budget_drawn(&fixture->budget) == 0);
}

/** Without threads: runs cycles until the job is over; false when that takes too many. */
static inline bool job_fixture_run(struct job_fixture *fixture, struct fil_job *job)
{
    for (uint32_t i = 0; i < FIXTURE_STEPS_MAX; i++) {
        if (fil_job_state(job) != FIL_JOB_RUNNING) {
            return true;
        }
        (void)fil_workers_cycle(&fixture->workers);
        (void)fil_job_cycle(job);
    }
    return false;
}
