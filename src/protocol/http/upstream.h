// SPDX-License-Identifier: Apache-2.0
/**
 * An upstream: servers that are all the same to whoever asks, and which of them to ask next.
 *
 * Choice:   two at random, then the one with the lower cost: what it has to do times how long it
 *           takes (peak EWMA: a slow answer counts at once, and is forgotten by half in five
 *           seconds), or has been silent although it has something to do: one that hangs becomes
 *           dear before the first try is over. All loops share a server's figures.
 * Ejection: after five failures in a row, or when it cannot be reached at all, nobody asks a server
 *           for a second, then a copy of a request looks, for which nobody waits, or one request
 *           does; each time it fails again the pause doubles, up to a minute. When all are ejected,
 *           all are asked: an answer is better than a rule.
 * Retries:  from a budget: a fifth of the requests, and ten a second.
 * Hedges:   what has not been answered in the time in which 19 of 20 are is asked of another one
 *           too, from a budget of its own: a tenth of the requests.
 *
 * Names:    a server may be a host's name; each of its addresses is a server then. Whoever asks the
 *           resolver tells what it has found: addresses that are new get a place, those that are
 *           gone are not asked any more, and their places are used again.
 *
 * It has no clock, no connections and no randomness of its own.
 *
 * Memory:  fixed; FIL_UPSTREAM_SERVERS_MAX servers.
 * Threads: init alone; learn by one thread at a time; everything else by any, the figures being
 * atomic and approximate.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/retry_budget.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/os/address.h"

#define FIL_UPSTREAM_SERVERS_MAX 16U
#define FIL_UPSTREAM_NONE        UINT32_MAX
#define FIL_UPSTREAM_HOST_MAX    256U // with the end

/** A server that is a name. */
struct fil_upstream_name {
    char host[FIL_UPSTREAM_HOST_MAX];
    uint16_t port;
    _Atomic int error; // of the last lookup; FIL_E_AGAIN: none has ended yet
};

struct fil_upstream_server {
    // Shared: an address in three words, written between two changes of the version.
    _Atomic uint32_t version; // odd: it is being written
    _Atomic uint64_t words[3];
    _Atomic bool is_absent; // it has no address, or one that its name does not have any more
    uint32_t name;          // the learner's own: whose address it is; FIL_UPSTREAM_NONE: no name's

    // Shared.
    _Atomic uint32_t busy;       // requests that it has not answered
    _Atomic uint64_t latency_ns; // as of the time below; 0: unknown
    _Atomic uint64_t measured_ns;
    _Atomic uint64_t silent_ns;  // since then, if it is busy
    _Atomic uint32_t failures;   // in a row
    _Atomic uint32_t ejections;  // in a row
    _Atomic uint64_t ejected_ns; // until then; 0: it is not
    struct fil_counter tries;
    struct fil_counter failed;
    struct fil_counter ejected;
    struct fil_counter probes; // copies of requests that have looked
};

struct fil_upstream {
    // Set by init, then read-only.
    struct fil_upstream_server servers[FIL_UPSTREAM_SERVERS_MAX];
    uint32_t server_count; // with places for addresses of names
    struct fil_upstream_name names[FIL_UPSTREAM_SERVERS_MAX];
    uint32_t name_count;

    // Shared.
    struct fil_retry_budget retries;
    struct fil_retry_budget hedges;
    _Atomic uint64_t usual_ns;     // 19 of 20 answers take less, about
    _Atomic uint32_t answers;      // that this is known by, up to what is enough
    struct fil_counter hedges_won; // whose answer was the first
};

/** "10.0.0.1:80, prices:80". FIL_E_ADDRESS, FIL_E_LIMIT, FIL_E_INVALID without any. */
int fil_upstream_init(struct fil_upstream *upstream, struct fil_bytes servers) FIL_NODISCARD;

/** The lookup of a name has ended; without an error with all of its addresses. */
void fil_upstream_learn(struct fil_upstream *upstream, uint32_t name, int error,
                        const struct fil_resolved *found);

/** The server's address; returns its version, which another address changes. */
FIL_ANY_THREAD uint32_t fil_upstream_address(const struct fil_upstream *upstream, uint32_t index,
                                             struct fil_address *out_address);

/** Whether the server has an address, which may be asked. */
FIL_ANY_THREAD bool fil_upstream_is_present(const struct fil_upstream *upstream, uint32_t index);

/** Whether any server may be asked. */
FIL_ANY_THREAD bool fil_upstream_has_any(const struct fil_upstream *upstream);

/** What a server would cost now. */
FIL_ANY_THREAD uint64_t fil_upstream_cost(const struct fil_upstream *upstream, uint32_t index,
                                          uint64_t now_ns);

/**
 * The server to ask, which is busy with it from now on; FIL_UPSTREAM_NONE when all are among those
 * to avoid, a bit each.
 */
FIL_ANY_THREAD uint32_t fil_upstream_pick(struct fil_upstream *upstream, uint64_t random,
                                          uint32_t avoided, uint64_t now_ns);

/** As pick, of those that are not ejected: FIL_UPSTREAM_NONE when there is none. */
FIL_ANY_THREAD uint32_t fil_upstream_pick_other(struct fil_upstream *upstream, uint64_t random,
                                                uint32_t avoided, uint64_t now_ns);

/**
 * A server whose ejection is over and that nobody has looked at, which is busy with it from now on;
 * FIL_UPSTREAM_NONE when there is none.
 */
FIL_ANY_THREAD uint32_t fil_upstream_pick_probe(struct fil_upstream *upstream, uint64_t now_ns);

/** The server has answered, or has failed to. */
FIL_ANY_THREAD void fil_upstream_answered(struct fil_upstream *upstream, uint32_t index,
                                          uint64_t took_ns, uint64_t now_ns);
FIL_ANY_THREAD void fil_upstream_failed(struct fil_upstream *upstream, uint32_t index,
                                        uint64_t took_ns, uint64_t now_ns);

/** It cannot be reached: it is ejected at once. */
FIL_ANY_THREAD void fil_upstream_unreached(struct fil_upstream *upstream, uint32_t index,
                                           uint64_t took_ns, uint64_t now_ns);

/** The server has no time: it has started nothing, and is not failing, but dear for a while. */
FIL_ANY_THREAD void fil_upstream_refused(struct fil_upstream *upstream, uint32_t index,
                                         uint64_t now_ns);

/** It was asked, but nothing can be said of it. */
FIL_ANY_THREAD void fil_upstream_forget(struct fil_upstream *upstream, uint32_t index);

/** A request begins: pays into the budget of retries. */
FIL_ANY_THREAD void fil_upstream_pay(struct fil_upstream *upstream, uint64_t now_ns);

/** Whether there is budget for a retry, which it takes. */
FIL_ANY_THREAD bool fil_upstream_may_retry(struct fil_upstream *upstream);

/** After which time to ask another one too; UINT64_MAX while that is not known. */
FIL_ANY_THREAD uint64_t fil_upstream_hedge_ns(const struct fil_upstream *upstream);

/** Whether there is budget for a hedge, which it takes. */
FIL_ANY_THREAD bool fil_upstream_may_hedge(struct fil_upstream *upstream);
