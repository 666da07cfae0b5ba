// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/call.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "lib/http/status.h"
#include "lib/net/dial.h"
#include "protocol/http/http2_link.h"
#include "protocol/http/link_internal.h"
#include "protocol/http/lookup.h"

int fil_http_client_init(struct fil_http_client *client, struct fil_bytes servers)
{
    *client = (struct fil_http_client){.timeout_ns = FIL_HTTP_CLIENT_TIMEOUT_NS,
                                       .try_ns = FIL_HTTP_CLIENT_TRY_NS};
    client->is_http2 = fil_http2__take_word(&servers);
    client->is_hedging = !client->is_http2;
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
    if (client->upstream.name_count > 0 && fil_http_lookup_new(client, &client->lookup) != FIL_OK) {
        fil_http_client_fini(client);
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
    fil_http_lookup_free(client->lookup);
    client->lookup = NULL;
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

static bool is_safe(enum fil_http_method method)
{
    return method == FIL_HTTP_GET || method == FIL_HTTP_HEAD || method == FIL_HTTP_OPTIONS;
}

static bool is_repeatable(enum fil_http_method method)
{
    return is_safe(method) || method == FIL_HTTP_PUT || method == FIL_HTTP_DELETE;
}

static uint32_t tries_max(const struct fil_http_call *call)
{
    return call->tries_max == 0 ? FIL_HTTP_CLIENT_TRIES_MAX : call->tries_max;
}

static bool may_try_again(struct fil_http_call *call, bool is_started) FIL_RUNS_ON(io)
{
    bool is_fine = !is_started || call->may_repeat || is_repeatable(call->method);
    return call->try_count < tries_max(call) && is_fine && call->loop->now_ns < call->deadline_ns &&
           fil_upstream_may_retry(&call->client->upstream);
}

static void try_once(struct fil_http_call *call) FIL_RUNS_ON(io);

static void run_again(struct fil_loop *loop, struct fil_message *message)
{
    struct fil_http_call *call = FIL_CONTAINER_OF(message, struct fil_http_call, message);
    fil_role_assert_io();
    fil_assert(call->loop == loop);
    call->is_between = false;
    if (call->is_cancelled) {
        finish(call, FIL_E_CANCELLED);
        return;
    }
    try_once(call);
}

/** Elsewhere, in another turn: a connection may be ending around us. */
static void try_again(struct fil_http_call *call)
{
    fil_chunk_queue_clear(call->content);
    call->status = 0;
    call->header_count = 0;
    call->is_between = true;
    call->message.run = run_again;
    fil_loop_post(call->loop, &call->message);
}

/** What the upstream learns from a try. */
static void account(struct fil_upstream *upstream, uint32_t server, uint64_t now_ns,
                    const struct fil_http_outcome *outcome)
{
    bool is_ours = outcome->error == FIL_E_NOMEM || outcome->error == FIL_E_FULL ||
                   outcome->error == FIL_E_CANCELLED;
    if (outcome->is_stale || is_ours) {
        fil_upstream_forget(upstream, server);
    } else if (outcome->error == FIL_OK && outcome->is_refusal) {
        fil_upstream_refused(upstream, server, now_ns);
    } else if (outcome->is_unreached) {
        fil_upstream_unreached(upstream, server, outcome->took_ns, now_ns);
    } else if (outcome->error != FIL_OK ||
               outcome->status >= FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR) {
        fil_upstream_failed(upstream, server, outcome->took_ns, now_ns);
    } else {
        fil_upstream_answered(upstream, server, outcome->took_ns, now_ns);
    }
}

/** One of the call's tries has ended: goes on with the other, with another one, or not. */
static void conclude(struct fil_http_call *call, uint32_t server,
                     const struct fil_http_outcome *outcome) FIL_RUNS_ON(io)
{
    bool is_failure =
        call->retries_failures && outcome->status >= FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR;
    bool is_wanting = outcome->error != FIL_OK || outcome->is_refusal || is_failure;
    call->avoided |= is_wanting ? 1U << server : 0;
    call->is_started |= is_wanting && outcome->is_started && !outcome->is_refusal;
    if (is_wanting && (call->link != NULL || call->hedge != NULL)) {
        return; // the other one may do better
    }
    if (is_wanting && may_try_again(call, outcome->is_started && !outcome->is_refusal)) {
        try_again(call);
        return;
    }
    call->is_refusal = outcome->is_refusal;
    finish(call, outcome->error);
}

/** The call does not wait for the link any more. */
static void forget_link(struct fil_http_call *call, const struct fil_http_link *link)
{
    fil_assert(call->link == link || call->hedge == link);
    call->link = call->link == link ? NULL : call->link;
    call->hedge = call->hedge == link ? NULL : call->hedge;
}

void fil_http__end_try(struct fil_http_link *link, const struct fil_http_outcome *outcome)
{
    struct fil_http_call *call = link->call;
    link->call = NULL;
    account(&link->client->upstream, link->server, link->connection->loop->now_ns, outcome);
    if (outcome->is_unreached && link->client->lookup != NULL) {
        fil_http_lookup_expire(link->client->lookup);
    }
    if (call != NULL) {
        forget_link(call, link);
        conclude(call, link->server, outcome);
    }
}

bool fil_http__claim(struct fil_http_link *link)
{
    struct fil_http_call *call = link->call;
    bool is_hedge = call->hedge == link;
    struct fil_http_link *other = is_hedge ? call->link : call->hedge;
    bool is_won = other == NULL || link->status < FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR;
    struct fil_http_link *loser = is_won ? other : link;
    fil_counter_add_shared(&link->client->upstream.hedges_won, is_won && is_hedge ? 1 : 0);
    if (loser != NULL) {
        call->avoided |= 1U << loser->server;
        forget_link(call, loser);
        fil_http__let_go(loser);
    }
    return is_won;
}

/** Sends the request to a server that counts as busy with it; no link when that cannot be. */
static int send_to(struct fil_http_call *call, uint32_t server, uint64_t hedge_ns,
                   struct fil_http_link **out_link) FIL_RUNS_ON(io)
{
    struct fil_http_client *client = call->client;
    int error = fil_http__take_link(client, call->loop, server, out_link);
    if (error != FIL_OK) {
        *out_link = NULL;
        account(&client->upstream, server, call->loop->now_ns,
                &(struct fil_http_outcome){.error = error, .is_unreached = error == FIL_E_CLOSED});
        return error;
    }
    uint64_t try_ns = call->loop->now_ns + (call->try_ns == 0 ? client->try_ns : call->try_ns);
    uint64_t deadline_ns = try_ns < call->deadline_ns ? try_ns : call->deadline_ns;
    fil_http__send(*out_link, call, deadline_ns, hedge_ns);
    return FIL_OK;
}

/** When to ask another server too; 0: not at all. */
static uint64_t hedge_time(const struct fil_http_call *call) FIL_RUNS_ON(io)
{
    const struct fil_upstream *upstream = &call->client->upstream;
    bool may_hedge =
        call->client->is_hedging && is_safe(call->method) && upstream->server_count > 1;
    uint64_t after_ns = may_hedge ? fil_upstream_hedge_ns(upstream) : UINT64_MAX;
    return after_ns == UINT64_MAX ? 0 : call->loop->now_ns + after_ns;
}

void fil_http__hedge(struct fil_http_call *call)
{
    struct fil_upstream *upstream = &call->client->upstream;
    fil_assert(call->link != NULL);
    if (call->hedge != NULL || call->try_count >= tries_max(call) ||
        !fil_upstream_may_hedge(upstream)) {
        return;
    }
    uint32_t avoided = call->avoided | 1U << call->link->server;
    uint32_t server =
        fil_upstream_pick_other(upstream, draw(call->loop), avoided, call->loop->now_ns);
    if (server != FIL_UPSTREAM_NONE) {
        call->try_count++;
        (void)send_to(call, server, 0, &call->hedge); // the first one goes on in any case
    }
}

/** A copy of the request looks after a server that was ejected, and nobody waits for it. */
static void probe(struct fil_http_call *call) FIL_RUNS_ON(io)
{
    struct fil_upstream *upstream = &call->client->upstream;
    struct fil_http_link *link = NULL;
    uint32_t server = fil_upstream_pick_probe(upstream, call->loop->now_ns);
    if (server != FIL_UPSTREAM_NONE && send_to(call, server, 0, &link) == FIL_OK) {
        fil_http__let_go(link);
    }
}

/** Whether there are servers to ask. If not, the call waits for them, or has ended. */
static bool find_servers(struct fil_http_call *call) FIL_RUNS_ON(io)
{
    struct fil_http_client *client = call->client;
    if (FIL_LIKELY(client->lookup == NULL)) {
        return true;
    }
    fil_http_lookup_refresh(client->lookup, call->loop);
    if (fil_upstream_has_any(&client->upstream)) {
        return true;
    }
    bool has_waited = call->has_waited;
    call->has_waited = true;
    call->is_between = true;
    call->message.run = run_again;
    if (has_waited || !fil_http_lookup_wait(client->lookup, call)) {
        call->is_between = false;
        finish(call, FIL_E_UNREACHABLE); // /upstreams tells what is wrong with the names
    }
    return false;
}

static void try_once(struct fil_http_call *call)
{
    struct fil_http_client *client = call->client;
    uint64_t now_ns = call->loop->now_ns;
    if (now_ns >= call->deadline_ns) {
        finish(call, FIL_E_TIMEOUT);
        return;
    }
    if (!find_servers(call)) {
        return;
    }
    uint32_t server = fil_upstream_pick(&client->upstream, draw(call->loop), call->avoided, now_ns);
    if (server == FIL_UPSTREAM_NONE) {
        // All have failed: what is left is to ask one of them once more.
        server = fil_upstream_pick(&client->upstream, draw(call->loop), 0, now_ns);
    }
    if (FIL_UNLIKELY(server == FIL_UPSTREAM_NONE)) {
        finish(call, FIL_E_UNREACHABLE); // names have lost their addresses this moment
        return;
    }
    call->try_count++;
    int error = send_to(call, server, hedge_time(call), &call->link);
    if (error != FIL_OK) {
        conclude(call, server, &(struct fil_http_outcome){.error = error});
    }
}

void fil_http_call_start(struct fil_http_call *call)
{
    fil_assert(call->loop->index < FIL_HTTP_CLIENT_LOOPS_MAX);
    fil_assert(call->head.size > 0 && call->done != NULL);
    uint64_t now_ns = call->loop->now_ns;
    uint64_t own_ns = now_ns + call->client->timeout_ns;
    call->deadline_ns = call->deadline_ns < own_ns ? call->deadline_ns : own_ns;
    fil_upstream_pay(&call->client->upstream, now_ns);
    if (call->client->is_hedging && is_safe(call->method)) {
        probe(call);
    }
    try_once(call);
}

/** Nobody waits for the link any more, and it need not go on: it ends in another turn. */
static void forsake(struct fil_http_call *call, struct fil_http_link *link) FIL_RUNS_ON(io)
{
    if (link == NULL) {
        return;
    }
    forget_link(call, link);
    fil_http__let_go(link);
    link->is_forsaken = true;
    link->deadline_ns = call->loop->now_ns;
    fil_connection_retime(link->connection);
}

void fil_http_call_cancel(struct fil_http_call *call)
{
    call->is_cancelled = true;
    forsake(call, call->hedge);
    forsake(call, call->link);
    if (!call->is_between) {
        finish(call, FIL_E_CANCELLED);
    }
}
