// SPDX-License-Identifier: Apache-2.0
/** The member's parts, for the files of this folder. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/exec.h"
#include "core/service/service.h"
#include "flow/connector.h"
#include "flow/snapshot_map.h"
#include "grid/map/maps.h"
#include "lib/mem/budget.h"
#include "lib/metric/metrics.h"
#include "lib/metric/process.h"
#include "lib/net/acceptor.h"
#include "lib/net/balancer.h"
#include "lib/net/loop.h"
#include "lib/os/thread.h"
#include "node/admin.h"
#include "node/functions.h"
#include "node/io_stage.h"
#include "node/jobs.h"
#include "node/node.h"
#include "node/stages.h"
#include "node/structures.h"
#include "node/threads.h"
#include "protocol/client/serve/server.h"
#include "protocol/http/caller.h"
#include "protocol/http/http2.h"
#include "protocol/http/proxy.h"
#include "protocol/http/rest_topics.h"
#include "protocol/http/server.h"
#include "protocol/resp/server.h"

/** When the heap was looked at, and what was there then that nobody had drawn. */
struct fil_heap_trim {
    uint64_t next_ns;
    uint64_t idle_bytes;
};

/** What is shown and told of one map, as long as the member lives. */
#define FIL_MAP_SERIES_MAX 20U
struct fil_map_figures {
    struct fil_map *map;
    struct fil_map_figures *next; // of a map that was made before

    // Of whoever makes and destroys maps.
    struct fil_metric_series *series[FIL_MAP_SERIES_MAX]; // NULL: not shown

    // The watchdog's own: what the log has told.
    uint64_t expired;
    uint64_t evicted;
};

/** What the log has told of the member's data. */
struct fil_data_events {
    uint64_t next_ns;
    uint64_t refused;
    bool is_telling; // of single maps: the log has been at debug since the last look
};

/** What the log has told of connections that met a limit. */
struct fil_connection_events {
    uint64_t next_ns;
    uint64_t accepts_failed;
    uint64_t refused;
    uint64_t closed[FIL_CLOSE_REASON_COUNT];
};

struct fil_node {
    // Set by new, then read-only.
    struct fil_env *env;
    const struct fil_options *options;
    struct fil_log *log;
    uint64_t started_ns;
    uint32_t connections_max; // at most net.connections_max
    struct fil_pages *pages;  // where the data lies
    struct fil_budget budget;
    struct fil_budget page_budget; // a part of it that only the member's own pages get
    struct fil_metrics *metrics;
    struct fil_metric_process process;
    bool has_process;
    struct fil_cpu_set io_cpus; // unless net.cpus is all
    struct fil_cpu_set partition_cpus;
    struct fil_threads threads;
    struct fil_exec *exec;
    struct fil_stages work; // generic pool, events
    struct fil_maps *maps;
    struct fil_map *map; // the one called default
    struct fil_structures structures;
    struct fil_node_functions functions; // that clients run on executors
    struct fil_resp_server resp;
    bool has_resp;               // it was initialised
    struct fil_service service;  // what HTTP serves: the pages, and the routes of users
    struct fil_http_guard guard; // of both ports
    struct fil_http_server http;
    struct fil_http2_server http2;
    struct fil_rest_grid rest;
    struct fil_rest_binding rest_binding;
    struct fil_proxies proxies;
    struct fil_wire_server wire; // the open client protocol's
    struct fil_protocol protocols[4];
    struct fil_http_caller caller;     // by which jobs ask services
    struct fil_flow_grid grid;         // what jobs read and write
    struct fil_snapshot_map snapshots; // of jobs, when there is no folder for them
    struct fil_connector connector;
    struct fil_jobs jobs;
    bool has_jobs; // they were initialised
    struct fil_loop *loops;
    struct fil_io_stage *stages; // one a loop
    uint32_t loop_count;
    struct fil_acceptor acceptor;
    struct fil_balancer balancer; // runs on the acceptor's thread
    bool has_acceptor;
    struct fil_admin *admin; // NULL: the pages have no port of their own

    // Shared.
    _Atomic(struct fil_map_figures *) figures; // added under the maps' mutex
    _Atomic uint32_t shown_drops;              // listeners' losses that are registered as metrics
    _Atomic bool is_ready;
    _Atomic bool is_stopping;

    // The watchdog's own.
    struct fil_heap_trim trim;
    struct fil_data_events told;
    struct fil_connection_events told_connections;

    // The owner's own.
    void *owner;
    struct fil_thread acceptor_thread;
    bool is_running;
    bool has_stuck_jobs; // one did not end in time: nothing is freed
};

/** Everything that holds data or counts it, and the threads beside the loops: node_data.c. */
int fil_node__init_data(struct fil_node *node, const struct fil_node_setup *setup) FIL_NODISCARD;

/** The protocols, and the service that HTTP serves: node_protocols.c. */
int fil_node__init_protocols(struct fil_node *node, struct fil_conf *conf) FIL_NODISCARD;
int fil_node__init_service(struct fil_node *node, const struct fil_node_setup *setup) FIL_NODISCARD;

/** Adds the member's pages to its service, but for those that a user has replaced: pages.c. */
int fil_node__add_pages(struct fil_node *node) FIL_NODISCARD;

/** The page /loops, and what /metrics shows of what waits for a loop: loop_page.c. */
struct fil_reply fil_node__page_loops(struct fil_request *request);
int fil_node__register_backlog(struct fil_metrics *metrics, struct fil_io_stage *stage)
    FIL_NODISCARD;

/** Each look of the watchdog: probes the loops, trims the heap. The context is the node. */
void fil_node__tick(void *context);

/** Gives memory back that the heap keeps for itself, now and then: heap_trim.c. */
void fil_node__trim_heap(struct fil_node *node, uint64_t now_ns);

/** Those of /v1/jobs: job_pages.c. */
int fil_node__add_job_pages(struct fil_node *node) FIL_NODISCARD;

/** What stream jobs and their workers show: job_metrics.c. */
int fil_node__register_job_metrics(struct fil_node *node) FIL_NODISCARD;

/** Writes the figures of all vertices of jobs behind the registered ones: vertex_metrics.c. */
int fil_node__add_vertex_metrics(struct fil_node *node, struct fil_request *request) FIL_NODISCARD;

/** A map has been made, or destroyed: its figures, map_metrics.c. The context is the node. */
void fil_node__map_made(void *context, struct fil_map *map);
void fil_node__map_destroyed(void *context, struct fil_map *map);

/** The maps are gone. */
void fil_node__free_figures(struct fil_node *node);

/** Logs what left the maps by itself and which memory was refused, once a second: data_events.c. */
void fil_node__tell_of_data(struct fil_node *node, uint64_t now_ns);

/** Logs which limits connections have met, once a second: connection_events.c. */
void fil_node__tell_of_connections(struct fil_node *node, uint64_t now_ns);

/** What /metrics shows: node_metrics.c. */
int fil_node__register_metrics(struct fil_node *node) FIL_NODISCARD;

/** What the watchdog and the stages beside the partitions show: stage_metrics.c. */
int fil_node__register_stage_metrics(struct fil_node *node) FIL_NODISCARD;

/** Before /metrics is shown: listeners that have lost events since get their series. */
void fil_node__show_drops(struct fil_node *node);

/** What routes and their pools show: service_metrics.c. */
int fil_node__register_service_metrics(struct fil_node *node) FIL_NODISCARD;

/** What filters with figures of their own show: filter_metrics.c. */
int fil_node__register_filter_metrics(struct fil_node *node) FIL_NODISCARD;

/** What HTTP/2 shows: http2_metrics.c. */
int fil_node__register_http2_metrics(struct fil_node *node) FIL_NODISCARD;

/** The threads of one stage, and one queue of it, for stages that come and go. */
int fil_node__register_crew(struct fil_metrics *metrics, const char *stage, struct fil_crew *crew,
                            uint32_t count) FIL_NODISCARD;
int fil_node__register_queue(struct fil_metrics *metrics, const char *stage, const char *lane,
                             struct fil_task_queue *queue, fil_metric_read_fn read, void *context)
    FIL_NODISCARD;

/** How long operations have held a thread: exec_metrics.c. */
int fil_node__register_stalls(struct fil_metrics *metrics, const struct fil_runner *runner)
    FIL_NODISCARD;

/** The kernel's part of it: exec_metrics.c. */
int fil_node__register_exec_metrics(struct fil_node *node) FIL_NODISCARD;

static inline void fil_node__set_ready(struct fil_node *node, bool is_ready)
{
    // Relaxed: probes may learn of it a moment later.
    atomic_store_explicit(&node->is_ready, is_ready, memory_order_relaxed);
}
