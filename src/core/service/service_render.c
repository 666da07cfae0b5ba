// SPDX-License-Identifier: Apache-2.0
/** The pages about services: what there is, where it runs and why, and how it fares. */
#include <inttypes.h>

#include "core/service/service.h"
#include "lib/base/units.h"

#define NS_PER_US 1000U

/** The upper bound in us below which this share of the answers came; 0 without any. */
static uint64_t latency_us(const struct fil_route *route, uint32_t percent)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < FIL_ROUTE_LATENCIES; i++) {
        total += fil_counter_read(&route->stats.latencies[i]);
    }
    uint64_t wanted = (total * percent + 99) / 100;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < FIL_ROUTE_LATENCIES && total > 0; i++) {
        seen += fil_counter_read(&route->stats.latencies[i]);
        if (seen >= wanted) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

static void render_route(struct fil_request *request, const struct fil_route *route)
{
    const struct fil_route_stats *stats = &route->stats;
    const char *place = route->place == FIL_PLACE_LOOP ? "loop" : route->pool->name;
    fil_request_format(request,
                       "%-40s %-10s %-34s %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRIu64
                       " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
                       route->pattern, place, route->place_reason, fil_route_answers(route),
                       fil_counter_read(&stats->classes[2]), fil_counter_read(&stats->classes[4]),
                       fil_counter_read(&stats->classes[5]), fil_counter_read(&stats->refused),
                       latency_us(route, 50), latency_us(route, 99));
}

static void render_filters(struct fil_request *request, const struct fil_route *route)
{
    if (route->filters.count == 0) {
        return;
    }
    fil_request_format(request, "    filters");
    for (uint32_t i = 0; i < route->filters.count; i++) {
        const struct fil_filter_link *link = route->filters.links[i];
        fil_request_format(request, "%s %s (answered %" PRIu64 ")", i == 0 ? "" : " >", link->text,
                           fil_counter_read(&link->answered));
    }
    fil_request_add(request, fil_bytes_of("\n"));
}

void fil_service_render(struct fil_service *service, struct fil_request *request)
{
    fil_request_format(request, "%-40s %-10s %-34s %10s %10s %8s %8s %8s %8s %8s\n", "route",
                       "runs on", "because", "requests", "2xx", "4xx", "5xx", "refused", "p50<us",
                       "p99<us");
    for (uint32_t i = 0; i < service->route_count; i++) {
        render_route(request, service->routes[i]);
        render_filters(request, service->routes[i]);
    }
    const struct fil_service_stats *stats = &service->stats;
    fil_request_format(request,
                       "\nunknown paths %" PRIu64 ", methods not allowed %" PRIu64
                       ", answers in pieces %" PRIu64 ", WebSockets %" PRIu64
                       ", events missed by slow readers %" PRIu64 "\n",
                       fil_counter_read(&stats->unknown), fil_counter_read(&stats->not_allowed),
                       fil_counter_read(&stats->streams), fil_counter_read(&stats->sockets),
                       fil_counter_read(&stats->missed));
}

static void render_pool(struct fil_request *request, struct fil_service_pool *pool)
{
    const struct fil_admission *admission = &pool->admission;
    uint64_t now_ns = fil_env_now_ns(pool->env);
    fil_request_format(
        request,
        "%-12s threads %u of %u, busy %u, waiting %" PRIu64 " of %u, oldest %" PRIu64
        " us, estimate %" PRIu64 " us, service %" PRIu64 " us, %s\n  run %" PRIu64
        ", skipped %" PRIu64,
        pool->name, fil_service_pool_thread_count(pool), pool->options.thread_max,
        atomic_load_explicit(&pool->busy_count, memory_order_relaxed),
        fil_admission_length(admission), admission->options.cap,
        fil_admission_age_ns(admission, now_ns) / NS_PER_US,
        fil_admission_estimate_ns(admission) / NS_PER_US,
        atomic_load_explicit(&admission->service_ns, memory_order_relaxed) / NS_PER_US,
        atomic_load_explicit(&admission->is_hot, memory_order_relaxed) ? "hot" : "healthy",
        fil_counter_read(&pool->run_count), fil_counter_read(&pool->skipped_count));
    for (uint32_t i = FIL_ADMISSION_WAIT; i < FIL_ADMISSION_VERDICTS; i++) {
        fil_request_format(request, ", refused %s %" PRIu64,
                           fil_admission_verdict_name((enum fil_admission_verdict)i),
                           fil_counter_read(&admission->verdicts[i]));
    }
    fil_request_add(request, fil_bytes_of("\n"));
}

void fil_service_render_pools(struct fil_service *service, struct fil_request *request)
{
    for (uint32_t i = 0; i < service->pool_count; i++) {
        render_pool(request, service->pools[i]);
    }
}

static void render_slow(struct fil_request *request, const struct fil_slow_request *slow,
                        uint64_t now_wall_ns)
{
    uint64_t ago_ns = now_wall_ns > slow->wall_ns ? now_wall_ns - slow->wall_ns : 0;
    char ago[FIL_UNITS_TEXT_MAX];
    char total[FIL_UNITS_TEXT_MAX];
    fil_request_format(request, "%10s ago  %9s ", fil_units_human_duration(ago_ns, ago),
                       fil_units_human_duration(slow->total_ns, total));
    for (uint32_t i = 0; i < FIL_SLOW_STAGES; i++) {
        char text[FIL_UNITS_TEXT_MAX];
        fil_request_format(request, " %9s", fil_units_human_duration(slow->stage_ns[i], text));
    }
    fil_request_format(request, "  %d  %-10s  %s  %s\n", slow->status, slow->place, slow->route,
                       slow->path);
}

void fil_service_render_slow(struct fil_service *service, struct fil_request *request)
{
    size_t size = FIL_SLOW_RING_MAX * sizeof(struct fil_slow_request);
    struct fil_slow_request *entries = fil_request_alloc(request, size);
    if (entries == NULL) {
        request->content.is_out_of_memory = true;
        return;
    }
    uint32_t count = fil_slow_ring_read(&service->slow, entries);
    char threshold[FIL_UNITS_TEXT_MAX];
    fil_request_format(request, "Requests that took %s or longer: the slowest of the last %u.\n",
                       fil_units_format_duration(service->options.slow_ns, threshold), count);
    fil_request_format(request, "%14s  %9s  %9s %9s %9s %9s  status  place  route  path\n", "when",
                       "total", "read", "queue", "run", "write");
    uint64_t now_wall_ns = fil_env_wall_ns(service->options.env);
    for (uint32_t i = 0; i < count; i++) {
        render_slow(request, &entries[i], now_wall_ns);
    }
}
