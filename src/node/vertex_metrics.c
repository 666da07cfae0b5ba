// SPDX-License-Identifier: Apache-2.0
/**
 * What /metrics shows of the vertices of stream jobs.
 *
 * Jobs come and go, so their series are not registered but written behind the others. The figures
 * are copied under the jobs' mutex and written without it.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/metric/metrics.h"
#include "node/node_internal.h"

// Of all jobs together; those of the newest jobs come first.
#define VERTICES_MAX 4096U

struct row {
    char job[FIL_ENGINE_NAME_MAX];
    struct fil_stream_vertex vertex;
};

struct rows {
    struct row *items;
    uint32_t count;
    uint32_t room;
};

static const struct {
    const char *name;
    const char *help;
    size_t offset;
    bool is_time;
} families[] = {
    {"received_records_total", "Records that came to a vertex.",
     offsetof(struct fil_stream_vertex, received_count), false},
    {"sent_records_total", "Records that a vertex has sent on.",
     offsetof(struct fil_stream_vertex, sent_count), false},
    {"late_records_total", "Records that came too late for the windows of a vertex.",
     offsetof(struct fil_stream_vertex, late_count), false},
    {"busy_seconds_total", "Time that the instances of a vertex have worked.",
     offsetof(struct fil_stream_vertex, busy_ns), true},
    {"idle_seconds_total", "Time that the instances of a vertex have waited for input.",
     offsetof(struct fil_stream_vertex, idle_ns), true},
    {"blocked_seconds_total", "Time that the instances of a vertex have waited for room behind it.",
     offsetof(struct fil_stream_vertex, blocked_ns), true},
    {"overruns_total", "Steps of a vertex that took longer than their budget.",
     offsetof(struct fil_stream_vertex, overrun_count), false},
    {"moves_total", "Instances of a vertex that changed their worker.",
     offsetof(struct fil_stream_vertex, move_count), false},
};

/** Whether the job's figures still change, and are worth a series. */
static bool is_shown(const struct fil_jobs_item *item)
{
    enum fil_stream_state state = fil_stream_job_state(item->job);
    return !item->is_light && (state == FIL_STREAM_STARTING || state == FIL_STREAM_RUNNING ||
                               state == FIL_STREAM_SUSPENDED);
}

static void copy_job(struct rows *rows, const struct fil_jobs_item *item)
{
    uint32_t count = fil_stream_job_vertex_count(item->job);
    for (uint32_t i = 0; i < count && rows->count < rows->room; i++, rows->count++) {
        struct row *row = &rows->items[rows->count];
        (void)snprintf(row->job, sizeof(row->job), "%s", item->name); // no name is longer
        fil_stream_job_read_vertex(item->job, i, &row->vertex);
    }
}

/** Rows of all jobs that are not over. FIL_E_NOMEM. */
static int copy_all(struct fil_jobs *jobs, struct rows *rows)
{
    uint32_t wanted = 0;
    fil_mutex_lock(&jobs->mutex);
    fil_list_foreach(link, &jobs->items) {
        const struct fil_jobs_item *item = FIL_CONTAINER_OF(link, struct fil_jobs_item, link);
        wanted += is_shown(item) ? fil_stream_job_vertex_count(item->job) : 0;
    }
    rows->room = wanted < VERTICES_MAX ? wanted : VERTICES_MAX;
    rows->items = rows->room == 0 ? NULL : fil_alloc_zero(rows->room, sizeof(*rows->items));
    int error = rows->room != 0 && rows->items == NULL ? FIL_E_NOMEM : FIL_OK;
    rows->room = error == FIL_OK ? rows->room : 0;
    fil_list_foreach(link, &jobs->items) {
        const struct fil_jobs_item *item = FIL_CONTAINER_OF(link, struct fil_jobs_item, link);
        if (is_shown(item)) {
            copy_job(rows, item);
        }
    }
    fil_mutex_unlock(&jobs->mutex);
    return error;
}

static void add_row(struct fil_request *request, const struct row *row, size_t family)
{
    char labels[FIL_METRIC_LABELS_TEXT_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, labels, sizeof(labels));
    fil_metric_labels_format(&writer,
                             FIL_METRIC_LABELS({"job", row->job}, {"vertex", row->vertex.name}));
    uint64_t value = 0;
    memcpy(&value, (const char *)&row->vertex + families[family].offset, sizeof(value));
    fil_request_format(request, "filbert_vertex_%s{%s} ", families[family].name,
                       fil_writer_terminate(&writer));
    if (families[family].is_time) {
        fil_request_format(request, "%" PRIu64 ".%09" PRIu64 "\n", value / 1000000000U,
                           value % 1000000000U);
    } else {
        fil_request_format(request, "%" PRIu64 "\n", value);
    }
}

int fil_node__add_vertex_metrics(struct fil_node *node, struct fil_request *request)
{
    struct rows rows = {0};
    int error = copy_all(&node->jobs, &rows);
    for (size_t i = 0; rows.count > 0 && i < FIL_COUNT_OF(families); i++) {
        fil_request_format(request, "# HELP filbert_vertex_%s %s\n# TYPE filbert_vertex_%s %s\n",
                           families[i].name, families[i].help, families[i].name, "counter");
        for (uint32_t j = 0; j < rows.count; j++) {
            add_row(request, &rows.items[j], i);
        }
    }
    fil_free(rows.items);
    return error;
}
