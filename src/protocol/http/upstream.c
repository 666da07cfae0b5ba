// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/upstream.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/http/upstream_internal.h"

#define NS_PER_SECOND    UINT64_C(1000000000)
#define HALF_LIFE_NS     (5 * NS_PER_SECOND)
#define EJECT_AFTER      5U
#define EJECT_NS         NS_PER_SECOND
#define EJECT_NS_MAX     (60 * NS_PER_SECOND)
#define LATENCY_NS_LEAST UINT64_C(1000)     // what is unknown is cheap, and so is asked soon
#define REFUSED_NS       UINT64_C(20000000) // about what it would have had to wait
#define HEDGE_PERCENT    10U
#define HEDGES_SAVED_MAX 10U
#define HEDGE_NS_LEAST   UINT64_C(1000000) // timers are no finer
#define USUAL_ANSWERS    20U               // enough to say what is usual
#define USUAL_STEP       16U // a part of what is thought is what one answer may change
#define USUAL_BEYOND     20U // one in so many takes longer

// All relaxed: figures for decisions that may be a moment old.
static uint64_t peek(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void poke(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static int add_server(struct fil_upstream *upstream, struct fil_bytes text)
{
    char room[FIL_UPSTREAM_HOST_MAX + 8];
    struct fil_address address;
    if (upstream->server_count + upstream->name_count == FIL_UPSTREAM_SERVERS_MAX) {
        return FIL_E_LIMIT;
    }
    if (text.size == 0 || text.size >= sizeof(room)) {
        return FIL_E_ADDRESS;
    }
    memcpy(room, text.data, text.size);
    room[text.size] = '\0';
    if (fil_address_parse(room, &address) != FIL_OK) {
        return fil_upstream__add_name(upstream, text);
    }
    fil_upstream__put(upstream, upstream->server_count, FIL_UPSTREAM_NONE, &address);
    upstream->server_count++;
    return FIL_OK;
}

int fil_upstream_init(struct fil_upstream *upstream, struct fil_bytes servers)
{
    *upstream = (struct fil_upstream){0};
    fil_retry_budget_init(&upstream->retries);
    // A request costs no more than a tenth of another one for this, at no rate.
    fil_retry_budget_init(&upstream->hedges);
    upstream->hedges.percent = HEDGE_PERCENT;
    upstream->hedges.per_second = 0;
    upstream->hedges.saved_max = HEDGES_SAVED_MAX;
    int error = servers.size == 0 ? FIL_E_INVALID : FIL_OK;
    for (size_t start = 0; error == FIL_OK && start <= servers.size;) {
        struct fil_bytes rest = fil_bytes_make(servers.data + start, servers.size - start);
        size_t size = fil_bytes_find(rest, ',');
        error = add_server(upstream, fil_bytes_trim(fil_bytes_make(rest.data, size)));
        start += size + 1;
    }
    if (upstream->name_count > 0) {
        fil_upstream__add_places(upstream);
    }
    return error;
}

/** What is left of a latency after a while. */
static uint64_t fade(uint64_t latency_ns, uint64_t elapsed_ns)
{
    uint64_t halvings = elapsed_ns / HALF_LIFE_NS;
    if (halvings >= 32) {
        return 0;
    }
    uint64_t left = latency_ns >> halvings;
    // Within a half-life along a straight line.
    uint64_t part = (elapsed_ns % HALF_LIFE_NS) / (HALF_LIFE_NS / 1024);
    return left - left / 2 * part / 1024;
}

static uint64_t latency_at(const struct fil_upstream_server *server, uint64_t now_ns)
{
    uint64_t measured_ns = peek(&server->measured_ns);
    uint64_t elapsed_ns = now_ns > measured_ns ? now_ns - measured_ns : 0;
    return fade(peek(&server->latency_ns), elapsed_ns);
}

uint64_t fil_upstream_cost(const struct fil_upstream *upstream, uint32_t index, uint64_t now_ns)
{
    fil_assert(index < upstream->server_count);
    const struct fil_upstream_server *server = &upstream->servers[index];
    uint64_t latency_ns = latency_at(server, now_ns);
    uint64_t busy = atomic_load_explicit(&server->busy, memory_order_relaxed);
    uint64_t silent_ns = peek(&server->silent_ns);
    if (busy > 0 && now_ns > silent_ns && now_ns - silent_ns > latency_ns) {
        latency_ns = now_ns - silent_ns;
    }
    return (latency_ns < LATENCY_NS_LEAST ? LATENCY_NS_LEAST : latency_ns) * (busy + 1);
}

/** Whether it may be asked; of those that are back from ejection one at a time. */
static bool is_open(struct fil_upstream_server *server, uint64_t now_ns)
{
    uint64_t until_ns = peek(&server->ejected_ns);
    if (until_ns == 0) {
        return true;
    }
    return now_ns >= until_ns && atomic_load_explicit(&server->busy, memory_order_relaxed) == 0;
}

/** Those that have an address as bits. */
static uint32_t present_servers(const struct fil_upstream *upstream)
{
    uint32_t present = (1U << upstream->server_count) - 1;
    for (uint32_t i = 0; upstream->name_count > 0 && i < upstream->server_count; i++) {
        present &= fil_upstream_is_present(upstream, i) ? UINT32_MAX : ~(1U << i);
    }
    return present;
}

bool fil_upstream_has_any(const struct fil_upstream *upstream)
{
    return present_servers(upstream) != 0;
}

/** Those that may be asked as bits. */
static uint32_t open_servers(struct fil_upstream *upstream, uint64_t now_ns)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < upstream->server_count; i++) {
        open |= is_open(&upstream->servers[i], now_ns) ? 1U << i : 0;
    }
    return open & present_servers(upstream);
}

/** The index of the n-th bit that is set. */
static uint32_t nth_bit(uint32_t bits, uint32_t n)
{
    for (; n > 0; n--) {
        bits &= bits - 1;
    }
    fil_assert(bits != 0);
    return (uint32_t)__builtin_ctz(bits);
}

/** It is busy with one more; returns with how many it was before. */
static uint32_t occupy(struct fil_upstream_server *server, uint64_t now_ns)
{
    uint32_t before = atomic_fetch_add_explicit(&server->busy, 1, memory_order_relaxed);
    if (before == 0) {
        poke(&server->silent_ns, now_ns);
    }
    fil_counter_add_shared(&server->tries, 1);
    return before;
}

/** The cheaper of two of the candidates, which are bits. */
static uint32_t pick_of(struct fil_upstream *upstream, uint64_t random, uint32_t bits,
                        uint64_t now_ns)
{
    uint32_t count = (uint32_t)__builtin_popcount(bits);
    if (count == 0) {
        return FIL_UPSTREAM_NONE;
    }
    uint32_t first = (uint32_t)(random % count);
    uint32_t best = nth_bit(bits, first);
    if (count > 1) {
        uint32_t step = 1 + (uint32_t)((random >> 32) % (count - 1));
        uint32_t other = nth_bit(bits, (first + step) % count);
        bool is_other_cheaper =
            fil_upstream_cost(upstream, other, now_ns) < fil_upstream_cost(upstream, best, now_ns);
        best = is_other_cheaper ? other : best;
    }
    (void)occupy(&upstream->servers[best], now_ns);
    return best;
}

uint32_t fil_upstream_pick(struct fil_upstream *upstream, uint64_t random, uint32_t avoided,
                           uint64_t now_ns)
{
    uint32_t wanted = present_servers(upstream) & ~avoided;
    uint32_t open = open_servers(upstream, now_ns) & wanted;
    return pick_of(upstream, random, open != 0 ? open : wanted, now_ns);
}

uint32_t fil_upstream_pick_other(struct fil_upstream *upstream, uint64_t random, uint32_t avoided,
                                 uint64_t now_ns)
{
    return pick_of(upstream, random, open_servers(upstream, now_ns) & ~avoided, now_ns);
}

uint32_t fil_upstream_pick_probe(struct fil_upstream *upstream, uint64_t now_ns)
{
    for (uint32_t i = 0; i < upstream->server_count; i++) {
        struct fil_upstream_server *server = &upstream->servers[i];
        if (FIL_LIKELY(peek(&server->ejected_ns) == 0) || !is_open(server, now_ns) ||
            !fil_upstream_is_present(upstream, i)) {
            continue;
        }
        if (occupy(server, now_ns) == 0) {
            fil_counter_add_shared(&server->probes, 1);
            return i;
        }
        fil_upstream_forget(upstream, i); // another loop was faster
    }
    return FIL_UPSTREAM_NONE;
}

void fil_upstream_forget(struct fil_upstream *upstream, uint32_t index)
{
    fil_assert(index < upstream->server_count);
    uint32_t before =
        atomic_fetch_sub_explicit(&upstream->servers[index].busy, 1, memory_order_relaxed);
    fil_assert(before > 0);
}

/** A longer time counts at once, a shorter one by an eighth. */
static void measure(struct fil_upstream_server *server, uint64_t took_ns, uint64_t now_ns)
{
    uint64_t latency_ns = latency_at(server, now_ns);
    uint64_t next_ns = took_ns > latency_ns ? took_ns : latency_ns - latency_ns / 8 + took_ns / 8;
    // What another thread writes at the same time is as good.
    poke(&server->latency_ns, next_ns);
    poke(&server->measured_ns, now_ns);
    poke(&server->silent_ns, now_ns);
}

/**
 * Moves what is thought usual towards the time that one in twenty exceeds: up by nineteen parts
 * when it was longer, down by one when it was not. Approximate, as threads may meet here.
 */
static void learn_usual(struct fil_upstream *upstream, uint64_t took_ns)
{
    uint64_t usual_ns = peek(&upstream->usual_ns);
    uint64_t part_ns = usual_ns / (USUAL_STEP * USUAL_BEYOND) + 1;
    if (usual_ns == 0) {
        usual_ns = took_ns;
    } else if (took_ns > usual_ns) {
        usual_ns += part_ns * (USUAL_BEYOND - 1);
    } else {
        usual_ns -= part_ns;
    }
    poke(&upstream->usual_ns, usual_ns == 0 ? 1 : usual_ns);
    uint32_t answers = atomic_load_explicit(&upstream->answers, memory_order_relaxed);
    if (answers < USUAL_ANSWERS) {
        atomic_store_explicit(&upstream->answers, answers + 1, memory_order_relaxed);
    }
}

uint64_t fil_upstream_hedge_ns(const struct fil_upstream *upstream)
{
    uint64_t usual_ns = peek(&upstream->usual_ns);
    if (atomic_load_explicit(&upstream->answers, memory_order_relaxed) < USUAL_ANSWERS) {
        return UINT64_MAX;
    }
    return usual_ns < HEDGE_NS_LEAST ? HEDGE_NS_LEAST : usual_ns;
}

void fil_upstream_answered(struct fil_upstream *upstream, uint32_t index, uint64_t took_ns,
                           uint64_t now_ns)
{
    fil_upstream_forget(upstream, index);
    struct fil_upstream_server *server = &upstream->servers[index];
    measure(server, took_ns, now_ns);
    learn_usual(upstream, took_ns);
    atomic_store_explicit(&server->failures, 0, memory_order_relaxed);
    if (peek(&server->ejected_ns) != 0) {
        atomic_store_explicit(&server->ejections, 0, memory_order_relaxed);
        poke(&server->ejected_ns, 0);
    }
}

void fil_upstream_refused(struct fil_upstream *upstream, uint32_t index, uint64_t now_ns)
{
    fil_upstream_forget(upstream, index);
    measure(&upstream->servers[index], REFUSED_NS, now_ns);
}

static void eject(struct fil_upstream_server *server, uint64_t now_ns)
{
    uint32_t count = atomic_fetch_add_explicit(&server->ejections, 1, memory_order_relaxed);
    uint64_t pause_ns = count < 6 ? EJECT_NS << count : EJECT_NS_MAX;
    poke(&server->ejected_ns, now_ns + (pause_ns < EJECT_NS_MAX ? pause_ns : EJECT_NS_MAX));
    fil_counter_add_shared(&server->ejected, 1);
}

/** Ejects a server after so many failures in a row, or when it has failed at its return. */
static void fail(struct fil_upstream_server *server, uint64_t took_ns, uint64_t now_ns,
                 uint32_t failures_max)
{
    fil_counter_add_shared(&server->failed, 1);
    measure(server, took_ns, now_ns);
    uint32_t failures = atomic_fetch_add_explicit(&server->failures, 1, memory_order_relaxed) + 1;
    uint64_t until_ns = peek(&server->ejected_ns);
    bool is_back = until_ns != 0 && now_ns >= until_ns;
    if (is_back || (until_ns == 0 && failures >= failures_max)) {
        eject(server, now_ns);
    }
}

void fil_upstream_failed(struct fil_upstream *upstream, uint32_t index, uint64_t took_ns,
                         uint64_t now_ns)
{
    fil_upstream_forget(upstream, index);
    fail(&upstream->servers[index], took_ns, now_ns, EJECT_AFTER);
}

void fil_upstream_unreached(struct fil_upstream *upstream, uint32_t index, uint64_t took_ns,
                            uint64_t now_ns)
{
    fil_upstream_forget(upstream, index);
    fail(&upstream->servers[index], took_ns, now_ns, 1);
}

void fil_upstream_pay(struct fil_upstream *upstream, uint64_t now_ns)
{
    fil_retry_budget_pay(&upstream->retries, now_ns);
    fil_retry_budget_pay(&upstream->hedges, now_ns);
}

bool fil_upstream_may_retry(struct fil_upstream *upstream)
{
    return fil_retry_budget_take(&upstream->retries);
}

bool fil_upstream_may_hedge(struct fil_upstream *upstream)
{
    return fil_retry_budget_take(&upstream->hedges);
}
