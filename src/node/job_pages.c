// SPDX-License-Identifier: Apache-2.0
/** Stream jobs over HTTP, for programs as JSON and for people as text (?format=text). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/stream/snapshot_store.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "node/node_internal.h"
#include "node/services.h"

#define TEXT_TYPE       "text/plain; charset=utf-8"
#define JSON_TYPE       "application/json"
#define PARALLELISM_MAX 256U
#define GRAPH_BYTES     ((size_t)1 << 20)
#define NS_A_MS         UINT64_C(1000000)

static bool is_text(struct fil_request *request)
{
    return strcmp(fil_query(request, "format", "json"), "text") == 0;
}

static void add_quoted(struct fil_request *request, const char *text)
{
    fil_request_add(request, fil_bytes_of("\""));
    for (; *text != '\0'; text++) {
        unsigned char character = (unsigned char)*text;
        if (character < ' ') {
            fil_request_format(request, "\\u%04x", character);
        } else {
            bool is_escaped = character == '"' || character == '\\';
            fil_request_add(request, fil_bytes_make("\\", is_escaped));
            fil_request_add(request, fil_bytes_make(text, 1));
        }
    }
    fil_request_add(request, fil_bytes_of("\""));
}

/** A refusal: the sentence for people, in JSON for programs. */
static struct fil_reply reply_reason(struct fil_request *request, int error, const char *reason)
{
    int status = fil_reply_error(request, error).status;
    if (is_text(request)) {
        return fil_reply_text(request, status, "%s\n", reason);
    }
    fil_request_format(request, "{\"error\":");
    add_quoted(request, reason);
    fil_request_format(request, "}\n");
    return fil_reply_content(status, JSON_TYPE);
}

static struct fil_reply reply_problem(struct fil_request *request, int error)
{
    if (error == FIL_E_NOT_FOUND) {
        return reply_reason(request, error, "there is no job of that name");
    }
    return reply_reason(request, error, fil_error_text(error));
}

static struct fil_jobs *jobs_of(struct fil_request *request)
{
    struct fil_node *node = fil_request_context(request);
    return &node->jobs;
}

static const char *state_of(const struct fil_jobs_item *item)
{
    return fil_stream_state_name(fil_stream_job_state(item->job));
}

static struct fil_reply page_submit(struct fil_request *request)
{
    struct fil_jobs_submission how = {.start_from = fil_query(request, "from", NULL),
                                      .package = fil_query(request, "package", NULL),
                                      .is_new = fil_query(request, "new", NULL) != NULL,
                                      .is_light = fil_query(request, "light", NULL) != NULL};
    uint64_t parallelism = 0;
    uint64_t weight = 0;
    const char *text = fil_query(request, "parallelism", "0");
    const char *weight_text = fil_query(request, "weight", "0");
    char name[FIL_ENGINE_NAME_MAX];
    char reason[FIL_JOBS_REASON_MAX];
    if (!fil_bytes_to_u64(fil_bytes_of(text), &parallelism) || parallelism > PARALLELISM_MAX) {
        return reply_reason(request, FIL_E_INVALID, "parallelism is a number from 1 to 256");
    }
    if (!fil_bytes_to_u64(fil_bytes_of(weight_text), &weight) || weight > FIL_STREAM_WEIGHT_MAX) {
        return reply_reason(request, FIL_E_INVALID, "weight is a number from 1 to 1000");
    }
    how.parallelism = (uint32_t)parallelism;
    how.weight = (uint32_t)weight;
    int error = fil_jobs_submit(jobs_of(request), request->body, &how, name, reason);
    if (error != FIL_OK) {
        return reply_reason(request, error, reason);
    }
    if (is_text(request)) {
        return fil_reply_text(request, FIL_HTTP_STATUS_CREATED, "%s\n", name);
    }
    fil_request_format(request, "{\"name\":");
    add_quoted(request, name);
    fil_request_format(request, "}\n");
    return fil_reply_content(FIL_HTTP_STATUS_CREATED, JSON_TYPE);
}

static void add_row(struct fil_request *request, const struct fil_jobs_item *item, uint64_t now_ns,
                    bool is_first)
{
    struct fil_stream_job_figures figures;
    fil_stream_job_read_figures(item->job, &figures);
    uint64_t age_ms = (now_ns - item->submitted_ns) / NS_A_MS;
    if (is_text(request)) {
        fil_request_format(request, "%-32s %-10s %10" PRIu64 ".%01" PRIu64 " s\n", item->name,
                           state_of(item), age_ms / 1000, age_ms % 1000 / 100);
        return;
    }
    fil_request_format(request, "%s{\"name\":", is_first ? "" : ",");
    add_quoted(request, item->name);
    fil_request_format(request,
                       ",\"state\":\"%s\",\"light\":%s,\"submitted_ms\":%" PRIu64
                       ",\"age_ms\":%" PRIu64 ",\"snapshots\":%" PRIu64 ",\"restarts\":%" PRIu64,
                       state_of(item), item->is_light ? "true" : "false", item->submitted_ms,
                       age_ms, figures.snapshot_count, figures.restart_count);
}

static struct fil_reply page_list(struct fil_request *request)
{
    struct fil_jobs *jobs = jobs_of(request);
    uint64_t now_ns = fil_env_now_ns(jobs->options.engine.env);
    bool is_json = !is_text(request);
    bool is_first = true;
    fil_request_add(request, fil_bytes_of(is_json ? "{\"jobs\":[" : ""));
    fil_mutex_lock(&jobs->mutex);
    fil_list_foreach(link, &jobs->items) {
        add_row(request, FIL_CONTAINER_OF(link, struct fil_jobs_item, link), now_ns, is_first);
        fil_request_add(request, fil_bytes_of(is_json ? "}" : ""));
        is_first = false;
    }
    fil_mutex_unlock(&jobs->mutex);
    fil_request_add(request, fil_bytes_of(is_json ? "]}\n" : ""));
    return fil_reply_content(FIL_HTTP_STATUS_OK, is_json ? JSON_TYPE : TEXT_TYPE);
}

/** One vertex: what it has done, and how fast it is now. */
static void add_vertex(struct fil_request *request, const struct fil_jobs_item *item,
                       uint32_t number, uint64_t now_ns)
{
    struct fil_stream_vertex vertex;
    fil_stream_job_read_vertex(item->job, number, &vertex);
    struct fil_jobs_rate rate = fil_jobs_rate(item, number, &vertex, now_ns);
    if (is_text(request)) {
        fil_request_format(request,
                           "  %-28s x%-3u %12" PRIu64 " in %12" PRIu64 " out %10.0f/s in %10.0f/s "
                           "out %8" PRIu64 " ms busy %6" PRIu64 " slow %6" PRIu64 " late\n",
                           vertex.name, vertex.parallelism, vertex.received_count,
                           vertex.sent_count, rate.received, rate.sent, vertex.busy_ns / NS_A_MS,
                           vertex.overrun_count, vertex.late_count);
        return;
    }
    fil_request_format(request, "%s{\"name\":", number == 0 ? "" : ",");
    add_quoted(request, vertex.name);
    fil_request_format(request,
                       ",\"parallelism\":%u,\"received\":%" PRIu64 ",\"sent\":%" PRIu64
                       ",\"late\":%" PRIu64
                       ",\"received_a_second\":%.1f,\"sent_a_second\":%.1f,\"busy_ms\":%" PRIu64
                       ",\"idle_ms\":%" PRIu64 ",\"blocked_ms\":%" PRIu64 ",\"overruns\":%" PRIu64
                       ",\"longest_us\":%" PRIu64 ",\"moves\":%" PRIu64 "}",
                       vertex.parallelism, vertex.received_count, vertex.sent_count,
                       vertex.late_count, rate.received, rate.sent, vertex.busy_ns / NS_A_MS,
                       vertex.idle_ns / NS_A_MS, vertex.blocked_ns / NS_A_MS, vertex.overrun_count,
                       vertex.longest_ns / 1000, vertex.move_count);
}

static void add_snapshots(struct fil_request *request, const struct fil_jobs_item *item)
{
    struct fil_stream_job_figures figures;
    fil_stream_job_read_figures(item->job, &figures);
    if (is_text(request)) {
        fil_request_format(request,
                           "  snapshots: %" PRIu64 ", failed %" PRIu64 ", last %" PRIu64
                           " bytes in %" PRIu64 " us\n",
                           figures.snapshot_count, figures.failed_snapshot_count,
                           figures.last_snapshot_bytes, figures.last_snapshot_ns / 1000);
    } else {
        fil_request_format(request,
                           ",\"failed_snapshots\":%" PRIu64 ",\"last_snapshot_bytes\":%" PRIu64
                           ",\"last_snapshot_us\":%" PRIu64,
                           figures.failed_snapshot_count, figures.last_snapshot_bytes,
                           figures.last_snapshot_ns / 1000);
    }
}

/** Why it has failed, or what it waits for. */
static void add_cause(struct fil_request *request, struct fil_jobs_item *item)
{
    const char *cause = fil_stream_job_text(item->job);
    struct fil_stream_job_stuck stuck;
    bool is_stuck = fil_stream_job_find_stuck(item->job, &stuck);
    if (is_text(request)) {
        if (cause[0] != '\0') {
            fil_request_format(request, "  %s\n", cause);
        }
        if (is_stuck) {
            fil_request_format(request,
                               "  vertex '%s' has not returned for %" PRIu64
                               " ms; the job cannot end before it does\n",
                               stuck.vertex, stuck.since_ns / NS_A_MS);
        }
        return;
    }
    if (cause[0] != '\0') {
        fil_request_format(request, ",\"cause\":");
        add_quoted(request, cause);
    }
    if (is_stuck) {
        fil_request_format(request, ",\"stuck_vertex\":");
        add_quoted(request, stuck.vertex);
        fil_request_format(request, ",\"stuck_ms\":%" PRIu64, stuck.since_ns / NS_A_MS);
    }
}

static void add_lines(struct fil_request *request, struct fil_jobs_item *item)
{
    uint64_t lines = 0;
    uint64_t missed = 0;
    fil_job_output_count(&item->output, &lines, &missed);
    if (!is_text(request)) {
        fil_request_format(request, ",\"lines\":%" PRIu64 ",\"lines_dropped\":%" PRIu64, lines,
                           missed);
    } else if (lines > 0) {
        fil_request_format(request, "  lines printed: %" PRIu64 ", dropped %" PRIu64 "\n", lines,
                           missed);
    }
}

static void add_status(struct fil_request *request, struct fil_jobs_item *item, uint64_t now_ns)
{
    bool is_json = !is_text(request);
    fil_jobs_sample(item, now_ns);
    add_row(request, item, now_ns, true);
    add_snapshots(request, item);
    add_lines(request, item);
    add_cause(request, item);
    fil_request_add(request, fil_bytes_of(is_json ? ",\"vertices\":[" : ""));
    for (uint32_t i = 0; i < fil_stream_job_vertex_count(item->job); i++) {
        add_vertex(request, item, i, now_ns);
    }
    fil_request_add(request, fil_bytes_of(is_json ? "]}\n" : ""));
}

static struct fil_reply page_status(struct fil_request *request)
{
    struct fil_jobs *jobs = jobs_of(request);
    fil_mutex_lock(&jobs->mutex);
    struct fil_jobs_item *item = fil_jobs_find(jobs, fil_param(request, "name"));
    if (item != NULL) {
        add_status(request, item, fil_env_now_ns(jobs->options.engine.env));
    }
    fil_mutex_unlock(&jobs->mutex);
    if (item == NULL) {
        return reply_problem(request, FIL_E_NOT_FOUND);
    }
    return fil_reply_content(FIL_HTTP_STATUS_OK, is_text(request) ? TEXT_TYPE : JSON_TYPE);
}

/** The graph for dot, or as JSON. */
static struct fil_reply page_graph(struct fil_request *request)
{
    struct fil_jobs *jobs = jobs_of(request);
    bool is_dot = strcmp(fil_query(request, "format", "dot"), "json") != 0;
    char *memory = fil_alloc(GRAPH_BYTES);
    if (memory == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    struct fil_writer writer;
    fil_writer_init(&writer, memory, GRAPH_BYTES);
    fil_mutex_lock(&jobs->mutex);
    struct fil_jobs_item *item = fil_jobs_find(jobs, fil_param(request, "name"));
    if (item != NULL) {
        fil_stream_job_write_graph(item->job, !is_dot, &writer);
    }
    fil_mutex_unlock(&jobs->mutex);
    fil_request_add(request, fil_writer_written(&writer));
    fil_free(memory);
    return item == NULL ? reply_problem(request, FIL_E_NOT_FOUND)
                        : fil_reply_content(FIL_HTTP_STATUS_OK, is_dot ? TEXT_TYPE : JSON_TYPE);
}

/** What the job has printed since a place; the header says where to go on. */
static struct fil_reply page_output(struct fil_request *request)
{
    struct fil_jobs *jobs = jobs_of(request);
    uint64_t place = 0;
    if (!fil_bytes_to_u64(fil_bytes_of(fil_query(request, "from", "0")), &place)) {
        return reply_reason(request, FIL_E_INVALID, "from is a number of bytes");
    }
    char *bytes = fil_alloc(FIL_JOB_OUTPUT_BYTES);
    if (bytes == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    size_t size = 0;
    fil_mutex_lock(&jobs->mutex);
    struct fil_jobs_item *item = fil_jobs_find(jobs, fil_param(request, "name"));
    if (item != NULL) {
        size = fil_job_output_read(&item->output, &place, bytes, FIL_JOB_OUTPUT_BYTES);
    }
    fil_mutex_unlock(&jobs->mutex);
    fil_request_add(request, fil_bytes_make(bytes, size));
    fil_free(bytes);
    char next[32];
    (void)snprintf(next, sizeof(next), "%" PRIu64, place + size);
    (void)fil_reply_header(request, "Filbert-Next", next); // without memory there is no answer
    return item == NULL ? reply_problem(request, FIL_E_NOT_FOUND)
                        : fil_reply_content(FIL_HTTP_STATUS_OK, TEXT_TYPE);
}

/** What was asked for does not go with the state that the job has. */
static struct fil_reply reply_state(struct fil_request *request)
{
    struct fil_jobs *jobs = jobs_of(request);
    char reason[128] = "";
    fil_mutex_lock(&jobs->mutex);
    const struct fil_jobs_item *item = fil_jobs_find(jobs, fil_param(request, "name"));
    (void)snprintf(reason, sizeof(reason), "the job is %s, which does not allow that",
                   item == NULL ? "gone" : state_of(item));
    fil_mutex_unlock(&jobs->mutex);
    return reply_reason(request, FIL_E_EXISTS, reason);
}

static struct fil_reply reply_done(struct fil_request *request, int error)
{
    if (error == FIL_E_INVALID) {
        return reply_state(request);
    }
    if (error != FIL_OK) {
        return reply_problem(request, error);
    }
    return (struct fil_reply){.status = FIL_HTTP_STATUS_ACCEPTED, .type = TEXT_TYPE};
}

static struct fil_reply export(struct fil_request *request, const char *name, const char *snapshot)
{
    if (!fil_snapshot_name_is_valid(snapshot)) {
        return reply_reason(request, FIL_E_INVALID,
                            "a snapshot's name is letters, digits, '.', '-' and '_', and does not "
                            "begin with '.'");
    }
    int error = fil_jobs_export(jobs_of(request), name, snapshot);
    if (error == FIL_E_INVALID) {
        return reply_reason(request, FIL_E_EXISTS,
                            "only a job with a guarantee has snapshots, and only until it is over");
    }
    return reply_done(request, error);
}

static struct fil_reply page_ask(struct fil_request *request)
{
    static const struct {
        const char *name;
        enum fil_jobs_request request;
    } actions[] = {{"cancel", FIL_JOBS_CANCEL},
                   {"suspend", FIL_JOBS_SUSPEND},
                   {"resume", FIL_JOBS_RESUME},
                   {"restart", FIL_JOBS_RESTART}};
    const char *action = fil_param(request, "action");
    const char *name = fil_param(request, "name");
    for (size_t i = 0; i < FIL_COUNT_OF(actions); i++) {
        if (strcmp(actions[i].name, action) == 0) {
            return reply_done(request, fil_jobs_ask(jobs_of(request), name, actions[i].request));
        }
    }
    if (strcmp(action, "export") == 0) {
        return export(request, name, fil_query(request, "snapshot", ""));
    }
    return reply_reason(request, FIL_E_NOT_FOUND,
                        "a job can be asked to cancel, suspend, resume, restart or export");
}

static struct fil_reply page_forget(struct fil_request *request)
{
    int error = fil_jobs_forget(jobs_of(request), fil_param(request, "name"));
    if (error == FIL_E_EXISTS) {
        return reply_reason(request, error, "the job is not over; cancel it first");
    }
    return error == FIL_OK ? (struct fil_reply){.status = FIL_HTTP_STATUS_NO_CONTENT}
                           : reply_problem(request, error);
}

/** Names, each with its 0 byte; the keeper's thread collects them while the page's waits. */
struct listing {
    char *names;
    size_t size;
    bool is_out_of_memory;
};

static bool add_name(void *context, const char *name)
{
    struct listing *listing = context;
    size_t size = strlen(name) + 1;
    char *names = fil_realloc(listing->names, listing->size + size);
    if (names == NULL) {
        listing->is_out_of_memory = true;
        return false;
    }
    memcpy(names + listing->size, name, size);
    listing->names = names;
    listing->size += size;
    return true;
}

static void show_names(struct fil_request *request, const struct listing *listing)
{
    bool shows_text = is_text(request);
    fil_request_add(request, fil_bytes_of(shows_text ? "" : "{\"snapshots\":["));
    for (size_t at = 0; at < listing->size; at += strlen(listing->names + at) + 1) {
        const char *name = listing->names + at;
        if (shows_text) {
            fil_request_format(request, "%s\n", name);
        } else {
            fil_request_add(request, fil_bytes_of(at == 0 ? "" : ","));
            add_quoted(request, name);
        }
    }
    fil_request_add(request, fil_bytes_of(shows_text ? "" : "]}\n"));
}

static struct fil_reply page_snapshots(struct fil_request *request)
{
    struct listing listing = {0};
    int error = fil_jobs_list_snapshots(jobs_of(request), add_name, &listing);
    error = listing.is_out_of_memory ? FIL_E_NOMEM : error;
    struct fil_reply reply =
        fil_reply_content(FIL_HTTP_STATUS_OK, is_text(request) ? TEXT_TYPE : JSON_TYPE);
    if (error == FIL_OK) {
        show_names(request, &listing);
    } else {
        reply = fil_reply_error(request, error);
    }
    fil_free(listing.names);
    return reply;
}

static struct fil_reply page_drop(struct fil_request *request)
{
    int error = fil_jobs_remove_snapshot(jobs_of(request), fil_param(request, "name"));
    if (error == FIL_E_EXISTS) {
        return reply_reason(request, error, "it is the last snapshot of a job that is not over");
    }
    if (error == FIL_E_NOT_FOUND || error == FIL_E_INVALID) {
        return reply_reason(request, FIL_E_NOT_FOUND, "there is no snapshot of that name");
    }
    return error == FIL_OK ? (struct fil_reply){.status = FIL_HTTP_STATUS_NO_CONTENT}
                           : reply_problem(request, error);
}

int fil_node__add_job_pages(struct fil_node *node)
{
    static const struct {
        const char *pattern;
        fil_handler_fn handler;
    } pages[] = {
        {"POST /v1/jobs", page_submit},
        {"GET /v1/jobs", page_list},
        {"GET /v1/jobs/{name}", page_status},
        {"DELETE /v1/jobs/{name}", page_forget},
        {"GET /v1/jobs/{name}/graph", page_graph},
        {"GET /v1/jobs/{name}/output", page_output},
        {"POST /v1/jobs/{name}/{action}", page_ask},
        {"GET /v1/snapshots", page_snapshots},
        {"DELETE /v1/snapshots/{name}", page_drop},
    };
    int error = FIL_OK;
    for (size_t i = 0; i < FIL_COUNT_OF(pages) && (error == FIL_OK || error == FIL_E_EXISTS); i++) {
        struct fil_route *route = NULL;
        struct fil_route_options options = {.run_on = FIL_SERVICES_ADMIN,
                                            .body_bytes_max = FIL_JOB_FILE_BYTES_MAX,
                                            .context = node};
        error =
            fil_service_route(&node->service, pages[i].pattern, pages[i].handler, &options, &route);
        if (error == FIL_OK) {
            route->is_uncached = true;
        }
    }
    return error == FIL_E_EXISTS ? FIL_OK : error; // an embedding program has its own
}
