// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/call.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "lib/http/status.h"
#include "protocol/http/http2_link.h"
#include "protocol/http/link_internal.h"

int fil_http_client_init(struct fil_http_client *client, struct fil_bytes servers)
{
    *client = (struct fil_http_client){.timeout_ns = FIL_HTTP_CLIENT_TIMEOUT_NS,
                                       .try_ns = FIL_HTTP_CLIENT_TRY_NS};
    client->is_http2 = fil_http2__take_word(&servers);
    int error = fil_upstream_init(&client->upstream, servers);
    if (error != FIL_OK) {
        return error;
    }
    client->protocol = (struct fil_protocol){.ops = client->is_http2 ? &fil_http2__link_protocol
                                                                     : &fil_http__link_protocol,
                                             .context = client};
    client->links = fil_alloc_zero(FIL_HTTP_CLIENT_LOOPS_MAX, sizeof(*client->links));
    if (client->links == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < FIL_HTTP_CLIENT_LOOPS_MAX; i++) {
        for (uint32_t j = 0; j < FIL_UPSTREAM_SERVERS_MAX; j++) {
            fil_list_init(&client->links[i][j].idle);
        }
    }
    return FIL_OK;
}

void fil_http_client_fini(struct fil_http_client *client)
{
    fil_free(client->links);
    client->links = NULL;
}

static uint64_t draw(struct fil_loop *loop)
{
    static _Thread_local struct fil_prng prng;
    static _Thread_local bool is_seeded;
    if (!is_seeded) {
        uint64_t seed = 0;
        loop->env->ops->random(loop->env, &seed, sizeof(seed));
        fil_prng_init(&prng, seed);
        is_seeded = true;
    }
    return fil_prng_next(&prng);
}

static void finish(struct fil_http_call *call, int error)
{
    call->error = error;
    call->done(call); // it may be gone now
}

static bool is_repeatable(enum fil_http_method method)
{
    return method == FIL_HTTP_GET || method == FIL_HTTP_HEAD || method == FIL_HTTP_PUT ||
           method == FIL_HTTP_DELETE || method == FIL_HTTP_OPTIONS;
}

static bool may_try_again(struct fil_http_call *call, bool is_started) FIL_RUNS_ON(io)
{
    return call->try_count < FIL_HTTP_CLIENT_TRIES_MAX &&
           (!is_started || is_repeatable(call->method)) && call->loop->now_ns < call->deadline_ns &&
           fil_upstream_may_retry(&call->client->upstream);
}

static void try_once(struct fil_http_call *call) FIL_RUNS_ON(io);

static void run_again(struct fil_loop *loop, struct fil_message *message)
{
    struct fil_http_call *call = FIL_CONTAINER_OF(message, struct fil_http_call, message);
    fil_role_assert_io();
    fil_assert(call->loop == loop);
    try_once(call);
}

/** Elsewhere, in another turn: a connection may be ending around us. */
static void try_again(struct fil_http_call *call)
{
    fil_chunk_queue_clear(call->content);
    call->status = 0;
    call->header_count = 0;
    call->avoided |= 1U << call->server;
    call->message.run = run_again;
    fil_loop_post(call->loop, &call->message);
}

/** Whether the server says that it has not begun. */
static bool is_refusal(const struct fil_http_call *call)
{
    if (call->status != FIL_HTTP_STATUS_SERVICE_UNAVAILABLE) {
        return false;
    }
    for (uint32_t i = 0; i < call->header_count; i++) {
        if (fil_bytes_equal_nocase(call->headers[i].name, fil_bytes_of("Filbert-Nack"))) {
            return true;
        }
    }
    return false;
}

/** What the upstream learns from it. */
static void account(struct fil_http_call *call, const struct fil_http_outcome *outcome)
    FIL_RUNS_ON(io)
{
    struct fil_upstream *upstream = &call->client->upstream;
    bool is_ours = outcome->error == FIL_E_NOMEM || outcome->error == FIL_E_FULL;
    if (outcome->is_stale || is_ours) {
        fil_upstream_forget(upstream, call->server);
    } else if (outcome->error == FIL_OK && is_refusal(call)) {
        fil_upstream_refused(upstream, call->server, call->loop->now_ns);
    } else if (outcome->error != FIL_OK || call->status >= FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR) {
        fil_upstream_failed(upstream, call->server, outcome->took_ns, call->loop->now_ns);
    } else {
        fil_upstream_answered(upstream, call->server, outcome->took_ns, call->loop->now_ns);
    }
}

void fil_http__end_try(struct fil_http_call *call, const struct fil_http_outcome *outcome)
{
    account(call, outcome);
    bool is_refused = outcome->error == FIL_OK && is_refusal(call);
    bool is_wanting = outcome->error != FIL_OK || is_refused;
    if (is_wanting && may_try_again(call, outcome->is_started && !is_refused)) {
        try_again(call);
        return;
    }
    finish(call, outcome->error);
}

static void try_once(struct fil_http_call *call)
{
    struct fil_http_client *client = call->client;
    uint64_t now_ns = call->loop->now_ns;
    if (now_ns >= call->deadline_ns) {
        finish(call, FIL_E_TIMEOUT);
        return;
    }
    uint32_t server = fil_upstream_pick(&client->upstream, draw(call->loop), call->avoided, now_ns);
    if (server == FIL_UPSTREAM_NONE) {
        // All have failed: what is left is to ask one of them once more.
        server = fil_upstream_pick(&client->upstream, draw(call->loop), 0, now_ns);
    }
    fil_assert(server != FIL_UPSTREAM_NONE);
    call->server = server;
    call->try_count++;
    struct fil_http_link *link = NULL;
    int error = fil_http__take_link(client, call->loop, server, &link);
    if (error != FIL_OK) {
        fil_http__end_try(call, &(struct fil_http_outcome){.error = error});
        return;
    }
    uint64_t try_ns = now_ns + client->try_ns;
    fil_http__send(link, call, try_ns < call->deadline_ns ? try_ns : call->deadline_ns);
}

void fil_http_call_start(struct fil_http_call *call)
{
    fil_assert(call->loop->index < FIL_HTTP_CLIENT_LOOPS_MAX);
    fil_assert(call->head.size > 0 && call->done != NULL);
    uint64_t now_ns = call->loop->now_ns;
    uint64_t own_ns = now_ns + call->client->timeout_ns;
    call->deadline_ns = call->deadline_ns < own_ns ? call->deadline_ns : own_ns;
    fil_upstream_pay(&call->client->upstream, now_ns);
    try_once(call);
}
