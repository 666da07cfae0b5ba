// SPDX-License-Identifier: Apache-2.0
/** What others can tell of the I/O loops: the page /loops, their metrics, the watchdog's tick. */
#include <inttypes.h>
#include <stdio.h>

#include "core/exec/activity.h"
#include "filbert/error.h"
#include "lib/base/units.h"
#include "lib/http/status.h"
#include "lib/metric/table.h"
#include "node/node_internal.h"

#define NS_PER_SECOND 1e9
#define NS_PER_MS     UINT64_C(1000000)
#define NS_PER_US     UINT64_C(1000)

void fil_node__tick(void *context)
{
    struct fil_node *node = context;
    uint64_t now_ns = fil_env_now_ns(node->env);
    // The loops are there for as long as the watchdog's thread is.
    for (uint32_t i = 0; i < node->loop_count; i++) {
        fil_io_stage_probe(&node->stages[i], now_ns);
    }
    fil_node__trim_heap(node, now_ns);
    fil_node__tell_of_data(node, now_ns);
    fil_node__tell_of_connections(node, now_ns);
}

static void render_loop(struct fil_request *request, struct fil_io_stage *stage, uint64_t now_ns)
{
    struct fil_loop_backlog backlog = fil_loop_read_backlog(stage->loop, now_ns);
    const struct fil_runner *runner = &stage->turn.runner;
    const char *op = fil_activity_name(runner);
    char held[FIL_UNITS_TEXT_MAX];
    char oldest[FIL_UNITS_TEXT_MAX];
    char lag[FIL_UNITS_TEXT_MAX];
    char turn[FIL_UNITS_TEXT_MAX];
    fil_request_format(
        request, "%-8s %11u %13u %10s %10s %10s %10s %12" PRIu64 " %12" PRIu64 "  %s\n",
        stage->name, fil_loop_open_count(stage->loop), backlog.events,
        fil_units_human_duration(backlog.oldest_ns, oldest),
        fil_units_human_duration(backlog.turn_ns, held),
        fil_units_human_duration(fil_histogram_quantile(&stage->lag_ns, 0.99), lag),
        fil_units_human_duration(fil_histogram_quantile(&stage->turn_ns, 0.99), turn),
        fil_counter_read(&runner->stats.stalled_sleep_ns) / NS_PER_MS,
        fil_counter_read(&runner->stats.stalled_cpu_ns) / NS_PER_MS, op == NULL ? "-" : op);
}

struct fil_reply fil_node__page_loops(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    uint64_t now_ns = fil_env_now_ns(node->env);
    fil_request_format(request, "%-8s %11s %13s %10s %10s %10s %10s %12s %12s  %s\n", "loop",
                       "connections", "pending", "oldest", "turn", "lag p99", "turn p99",
                       "asleep ms", "on cpu ms", "doing");
    for (uint32_t i = 0; i < node->loop_count; i++) {
        render_loop(request, &node->stages[i], now_ns);
    }
    fil_request_format(
        request, "\npending: connections that are ready and not served; oldest: for how long; "
                 "turn: how long the\npresent turn has taken; asleep, on cpu: blocking_ms, the "
                 "time in handlers that held the loop for\nlonger than slow.threshold.\n");
    return fil_reply_content(FIL_HTTP_STATUS_OK, "text/plain; charset=utf-8");
}

static const struct fil_metric_family pending_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_io_pending_events",
    "Connections of an I/O loop that are ready and not served, asked of the system.");
static const struct fil_metric_family oldest_family =
    FIL_METRIC_GAUGE_FAMILY("filbert_io_pending_oldest_seconds",
                            "How long the first event that an I/O loop has not served has waited.");
static const struct fil_metric_family held_family = FIL_METRIC_GAUGE_FAMILY(
    "filbert_io_turn_age_seconds", "How long the present turn of an I/O loop has taken.");
static const struct fil_metric_family lag_family =
    FIL_METRIC_TIMES_FAMILY("filbert_io_loop_lag_seconds",
                            "How late a busy I/O loop served a message that the watchdog sent it.");

static struct fil_loop_backlog read_backlog(void *context)
{
    struct fil_loop *loop = context;
    return fil_loop_read_backlog(loop, fil_env_now_ns(loop->env));
}

static double read_pending(void *context)
{
    return read_backlog(context).events;
}

static double read_oldest(void *context)
{
    return (double)read_backlog(context).oldest_ns / NS_PER_SECOND;
}

static double read_held(void *context)
{
    return (double)read_backlog(context).turn_ns / NS_PER_SECOND;
}

int fil_node__register_backlog(struct fil_metrics *metrics, struct fil_io_stage *stage)
{
    const struct fil_metric_row rows[] = {
        {.family = &pending_family, .read = read_pending, .context = stage->loop},
        {.family = &oldest_family, .read = read_oldest, .context = stage->loop},
        {.family = &held_family, .read = read_held, .context = stage->loop},
        {.family = &lag_family, .histogram = &stage->lag_ns},
    };
    return fil_metrics_add_rows(metrics, FIL_METRIC_LABELS({"thread", stage->name}), rows,
                                FIL_COUNT_OF(rows));
}
