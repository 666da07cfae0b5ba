// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/caller.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/encoder.h"
#include "protocol/http/call.h"

#define HEAD_BYTES        512U // of a request without its target and its host
#define ARENA_CHUNK_BYTES 4096U
#define ARENA_BYTES_MAX   ((size_t)128 << 10)
#define NS_PER_MS         UINT64_C(1000000)

/** Servers, and who asks them. */
struct fil_http_caller_client {
    struct fil_http_client http;
    uint32_t line_count; // guarded by the caller's mutex
    struct fil_bytes host;
    char servers[]; // as they were given
};

struct fil_caller_line {
    struct fil_http_caller *caller;
    struct fil_http_caller_client *client;
    struct fil_loop *loop;
};

/** How far a call is; both set: whoever sets the second one ends it. */
enum {
    ENDED = 1,      // there is an answer, or none will come
    CANCELLING = 2, // the message is on its way
};

struct state {
    struct fil_outcall *out;
    struct fil_caller_line *line;
    struct fil_message start;
    struct fil_message cancel;
    _Atomic uint32_t progress;

    // The loop's own, from start to done.
    struct fil_http_call call;
    struct fil_arena arena;
    struct fil_chunk_queue content;
};

// Calls.

/** There is an answer, or an error: done, unless a cancel is on its way, which is done then. */
static void end(struct state *state, int error)
{
    struct fil_outcall *out = state->out;
    out->error = error;
    // AR1: either we see that somebody cancels, or they see that we have ended.
    uint32_t before = atomic_fetch_or_explicit(&state->progress, ENDED, memory_order_acq_rel);
    if ((before & CANCELLING) == 0) {
        out->done(out);
    }
}

static int copy_content(struct fil_outcall *out, struct fil_chunk_queue *content)
{
    struct fil_bytes slice;
    if (out->room == NULL) {
        return FIL_OK;
    }
    if (content->size_bytes > out->room_size) {
        return FIL_E_LIMIT;
    }
    while (fil_chunk_queue_slices(content, &slice, 1) == 1) {
        memcpy(out->room + out->content_size, slice.data, slice.size);
        out->content_size += slice.size;
        fil_chunk_queue_consume(content, slice.size);
    }
    return FIL_OK;
}

static void done(struct fil_http_call *call)
{
    struct state *state = FIL_CONTAINER_OF(call, struct state, call);
    struct fil_outcall *out = state->out;
    int error = call->error;
    out->status = call->status;
    out->is_started = call->is_started;
    out->is_refusal = call->is_refusal;
    out->content_size = 0;
    if (error == FIL_OK) {
        error = copy_content(out, &state->content);
    }
    fil_chunk_queue_clear(&state->content);
    end(state, error);
}

static struct fil_http_framing framing_of(const struct fil_outcall *out)
{
    bool has_body = out->body.size > 0 || out->method == FIL_HTTP_POST ||
                    out->method == FIL_HTTP_PUT || out->method == FIL_HTTP_PATCH;
    return (struct fil_http_framing){.kind = has_body ? FIL_HTTP_BODY_LENGTH : FIL_HTTP_BODY_NONE,
                                     .length = out->body.size};
}

static int encode_head(struct state *state, struct fil_bytes *out_head)
{
    const struct fil_outcall *out = state->out;
    struct fil_bytes host = state->line->client->host;
    size_t size = HEAD_BYTES + out->target.size + host.size;
    uint8_t *room = fil_arena_alloc(&state->arena, size, 1);
    struct fil_writer writer;
    struct fil_http_encoder encoder;
    if (room == NULL) {
        return FIL_E_NOMEM;
    }
    fil_writer_init(&writer, room, size);
    fil_http_encoder_begin_request(&encoder, &writer,
                                   &(struct fil_http_request_options){
                                       .method = fil_bytes_of(fil_http_method_name(out->method)),
                                       .target = out->target,
                                       .host = host,
                                       .framing = framing_of(out),
                                       .is_keep_alive = true});
    if (out->body.size > 0) {
        fil_http_encoder_add_text(&encoder, "Content-Type", out->type);
    }
    fil_http_encoder_add_number(&encoder, "Filbert-Timeout-Ms",
                                (out->timeout_ns + NS_PER_MS - 1) / NS_PER_MS);
    int error = fil_http_encoder_finish(&encoder);
    *out_head = fil_writer_written(&writer);
    return error;
}

static void run_start(struct fil_loop *loop, struct fil_message *message)
{
    struct state *state = FIL_CONTAINER_OF(message, struct state, start);
    const struct fil_outcall *out = state->out;
    struct fil_bytes head = {0};
    fil_role_assert_io();
    fil_arena_reset(&state->arena);
    int error = encode_head(state, &head);
    if (error != FIL_OK) {
        end(state, error);
        return;
    }
    state->call = (struct fil_http_call){.client = &state->line->client->http,
                                         .loop = loop,
                                         .method = out->method,
                                         .head = head,
                                         .body = out->body,
                                         .deadline_ns = loop->now_ns + out->timeout_ns,
                                         .try_ns = out->timeout_ns,
                                         .may_repeat = out->may_repeat,
                                         .arena = &state->arena,
                                         .content = &state->content,
                                         .done = done};
    fil_http_call_start(&state->call); // it may be done now
}

static void run_cancel(struct fil_loop *loop, struct fil_message *message)
{
    struct state *state = FIL_CONTAINER_OF(message, struct state, cancel);
    (void)loop;
    fil_role_assert_io();
    // Acquire: with AR1 of end; start has run, it was sent before.
    uint32_t progress = atomic_load_explicit(&state->progress, memory_order_acquire);
    if ((progress & ENDED) == 0) {
        fil_http_call_cancel(&state->call);
        if ((atomic_load_explicit(&state->progress, memory_order_acquire) & ENDED) == 0) {
            // Between two tries: the next one finds that it was cancelled, and calls done.
            // AR2: end sees that no cancel is on its way any more.
            atomic_fetch_and_explicit(&state->progress, ~(uint32_t)CANCELLING,
                                      memory_order_acq_rel);
            return;
        }
    }
    state->out->done(state->out);
}

static void start(struct fil_outcall *out)
{
    struct state *state = out->state;
    struct fil_http_caller *caller = state->line->caller;
    out->status = 0;
    out->content_size = 0;
    out->is_started = false;
    out->is_refusal = false;
    // Relaxed: whoever has taken the last answer back is ordered behind it.
    atomic_store_explicit(&state->progress, 0, memory_order_relaxed);
    // Relaxed: those who come too early are stopped with the loops.
    if (atomic_load_explicit(&caller->is_closed, memory_order_relaxed)) {
        end(state, FIL_E_STOPPING);
        return;
    }
    fil_loop_post(state->line->loop, &state->start);
}

static void cancel(struct fil_outcall *out)
{
    struct state *state = out->state;
    // AR1: see end.
    uint32_t before = atomic_fetch_or_explicit(&state->progress, CANCELLING, memory_order_acq_rel);
    if (before == 0) {
        fil_loop_post(state->line->loop, &state->cancel);
    }
}

static int prepare(struct fil_caller_line *line, struct fil_outcall *out)
{
    struct state *state = fil_alloc_zero(1, sizeof(*state));
    if (state == NULL) {
        return FIL_E_NOMEM;
    }
    state->out = out;
    state->line = line;
    state->start.run = run_start;
    state->cancel.run = run_cancel;
    atomic_init(&state->progress, ENDED);
    fil_arena_init(&state->arena, ARENA_CHUNK_BYTES, ARENA_BYTES_MAX);
    fil_chunk_queue_init(&state->content);
    out->state = state;
    return FIL_OK;
}

static void release(struct fil_outcall *out)
{
    struct state *state = out->state;
    if (state != NULL) {
        fil_arena_fini(&state->arena);
        fil_free(state);
        out->state = NULL;
    }
}

// Clients.

/** The first of the servers, as a host; behind the word http2. */
static struct fil_bytes host_of(const char *servers)
{
    struct fil_bytes text = fil_bytes_trim(fil_bytes_of(servers));
    size_t blank = fil_bytes_find(text, ' ');
    if (blank < text.size && memcmp(text.data, "http2", blank < 5 ? blank : 5) == 0) {
        text = fil_bytes_trim(fil_bytes_make(text.data + blank, text.size - blank));
    }
    return fil_bytes_trim(fil_bytes_make(text.data, fil_bytes_find(text, ',')));
}

static int make_client(const char *servers, struct fil_http_caller_client **out_client)
{
    size_t size = strlen(servers) + 1;
    struct fil_http_caller_client *client = fil_alloc(sizeof(*client) + size);
    int error =
        client == NULL ? FIL_E_NOMEM : fil_http_client_init(&client->http, fil_bytes_of(servers));
    if (error != FIL_OK) {
        fil_free(client);
        return error;
    }
    client->line_count = 0;
    memcpy(client->servers, servers, size);
    client->host = host_of(client->servers);
    *out_client = client;
    return FIL_OK;
}

static void free_client(struct fil_http_caller_client *client)
{
    fil_http_client_fini(&client->http);
    fil_free(client);
}

/** Nobody has it, and no connection of it is left. */
static bool is_unused(struct fil_http_caller_client *client)
{
    // A1 pairs with R1: the loops have let go of it.
    return client->line_count == 0 &&
           atomic_load_explicit(&client->http.connection_count, memory_order_acquire) == 0;
}

/** A place for one more; NULL: there is none. */
static struct fil_http_caller_client **find_place(struct fil_http_caller *caller)
    FIL_TSA(requires_capability(caller->mutex))
{
    for (uint32_t i = 0; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        if (caller->clients[i] == NULL) {
            return &caller->clients[i];
        }
    }
    for (uint32_t i = 0; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        if (is_unused(caller->clients[i])) {
            free_client(caller->clients[i]);
            caller->clients[i] = NULL;
            return &caller->clients[i];
        }
    }
    return NULL;
}

static int get_client(struct fil_http_caller *caller, const char *servers,
                      struct fil_http_caller_client **out_client)
    FIL_TSA(requires_capability(caller->mutex))
{
    for (uint32_t i = 0; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        struct fil_http_caller_client *client = caller->clients[i];
        if (client != NULL && strcmp(client->servers, servers) == 0) {
            *out_client = client;
            return FIL_OK;
        }
    }
    struct fil_http_caller_client **place = find_place(caller);
    int error = place == NULL ? FIL_E_LIMIT : make_client(servers, out_client);
    if (error == FIL_OK) {
        *place = *out_client;
    }
    return error;
}

static int open_line(struct fil_caller *base, const char *servers,
                     struct fil_caller_line **out_line)
{
    struct fil_http_caller *caller = FIL_CONTAINER_OF(base, struct fil_http_caller, base);
    struct fil_caller_line *line = fil_alloc_zero(1, sizeof(*line));
    if (line == NULL) {
        return FIL_E_NOMEM;
    }
    // Relaxed: any loop will do.
    uint32_t next = atomic_fetch_add_explicit(&caller->next_loop, 1, memory_order_relaxed);
    *line = (struct fil_caller_line){.caller = caller,
                                     .loop = &caller->loops[next % caller->loop_count]};
    fil_mutex_lock(&caller->mutex);
    int error = get_client(caller, servers, &line->client);
    if (error == FIL_OK) {
        line->client->line_count++;
    }
    fil_mutex_unlock(&caller->mutex);
    if (error != FIL_OK) {
        fil_free(line);
        return error;
    }
    *out_line = line;
    return FIL_OK;
}

static void close_line(struct fil_caller_line *line)
{
    struct fil_http_caller *caller = line->caller;
    fil_mutex_lock(&caller->mutex);
    fil_assert(line->client->line_count > 0);
    line->client->line_count--;
    fil_mutex_unlock(&caller->mutex);
    fil_free(line);
}

static const struct fil_caller_ops ops = {.open = open_line,
                                          .close = close_line,
                                          .prepare = prepare,
                                          .release = release,
                                          .start = start,
                                          .cancel = cancel};

void fil_http_caller_init(struct fil_http_caller *caller, struct fil_loop *loops,
                          uint32_t loop_count)
{
    fil_assert(loop_count > 0 && loop_count <= FIL_HTTP_CLIENT_LOOPS_MAX);
    *caller =
        (struct fil_http_caller){.base = {.ops = &ops}, .loops = loops, .loop_count = loop_count};
    fil_mutex_init(&caller->mutex);
}

void fil_http_caller_close(struct fil_http_caller *caller)
{
    // Relaxed: see start.
    atomic_store_explicit(&caller->is_closed, true, memory_order_relaxed);
}

void fil_http_caller_fini(struct fil_http_caller *caller)
{
    for (uint32_t i = 0; i < FIL_HTTP_CALLER_CLIENTS_MAX; i++) {
        if (caller->clients[i] != NULL) {
            fil_assert(caller->clients[i]->line_count == 0);
            free_client(caller->clients[i]);
        }
    }
    fil_mutex_fini(&caller->mutex);
}
