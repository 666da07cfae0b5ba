// SPDX-License-Identifier: Apache-2.0
// What the vertices of a job have done, over all of its executions.
#include "core/stream/steward_internal.h"
#include "lib/base/assert.h"

static void add_figures(struct fil_job_vertex_stats *to, const struct fil_job_vertex_stats *from)
{
    to->record_count += from->record_count;
    to->sent_count += from->sent_count;
    to->late_count += from->late_count;
    to->busy_ns += from->busy_ns;
    to->idle_ns += from->idle_ns;
    to->blocked_ns += from->blocked_ns;
    to->ready_ns += from->ready_ns;
    to->step_count += from->step_count;
    to->overrun_count += from->overrun_count;
    to->move_count += from->move_count;
    to->longest_ns = from->longest_ns > to->longest_ns ? from->longest_ns : to->longest_ns;
}

void fil_steward_vertex_stats(const struct fil_steward *steward, uint32_t vertex,
                              struct fil_job_vertex_stats *out_stats)
{
    fil_assert(vertex < steward->dag.vertex_count);
    *out_stats = steward->figures[vertex];
    if (steward->job != NULL) {
        struct fil_job_vertex_stats now;
        fil_job_vertex_stats(steward->job, vertex, &now);
        add_figures(out_stats, &now);
    }
}

void fil_steward__keep_figures(struct fil_steward *steward)
{
    for (uint32_t i = 0; i < steward->dag.vertex_count; i++) {
        struct fil_job_vertex_stats figures;
        fil_job_vertex_stats(steward->job, i, &figures);
        add_figures(&steward->figures[i], &figures);
    }
}
