// SPDX-License-Identifier: Apache-2.0
/**
 * An I/O loop: a stage that owns connections.
 *
 * One cycle takes messages, fires timers, waits for readiness (not when there is work), receives
 * from every ready connection once, lets the protocols handle all complete requests, and sends each
 * connection's replies in one write. It never blocks but in its poller.
 *
 * Threads: fil_loop_cycle runs on one thread (role io); post may be called by anyone.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"
#include "lib/conc/parker.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/budget.h"
#include "lib/mem/pool.h"
#include "lib/net/gather.h"
#include "lib/net/limits.h"
#include "lib/net/message.h"
#include "lib/net/protocol.h"
#include "lib/net/stats.h"
#include "lib/os/env.h"

struct fil_connection;
struct fil_loop;

/**
 * Requests that a protocol has decoded and not run, to run them together with those of other
 * connections. The loop runs them before anything could notice: before another protocol gets to
 * run, before the bytes they were decoded from are overwritten, and before replies are sent.
 */
struct fil_deferred {
    void (*run)(struct fil_deferred *deferred, struct fil_loop *loop);
    const struct fil_protocol *protocol;
};

/** What happens to a connection that somebody may want to be told of. */
enum fil_connection_news {
    FIL_CONNECTION_OPENED,
    FIL_CONNECTION_SPEAKS, // its protocol is known
    FIL_CONNECTION_MOVED,  // it has come from another loop
    FIL_CONNECTION_ENDED,  // its reason is known; the session is still there
};

typedef void (*fil_connection_news_fn)(struct fil_loop *loop, struct fil_connection *connection,
                                       enum fil_connection_news news);

/** Called on the loop's thread around the work of a turn, by whoever puts the
 * member together. */
struct fil_loop_hooks {
    void (*begin_turn)(struct fil_loop *loop); // the clock has been read
    void (*end_turn)(struct fil_loop *loop);   // before the connections are flushed
    fil_connection_news_fn tell;               // must not touch the connection; NULL: nobody

    /**
     * Around what the loop does beside requests, under a name that is static text; begin returns
     * what goes on after it, for end. Both or none.
     */
    const char *(*begin_work)(struct fil_loop *loop, const char *name);
    void (*end_work)(struct fil_loop *loop, const char *outer);
};

struct fil_loop_options {
    struct fil_env *env;
    struct fil_budget *budget;
    struct fil_net_limits limits;
    const struct fil_protocol *protocols; // tried in this order; must outlive the loop
    uint32_t protocol_count;
    uint32_t index;
    const struct fil_loop_hooks *hooks; // NULL: none
    void *context;                      // for hooks and protocols
};

struct fil_loop {
    // Set by init, then read-only.
    struct fil_env *env;
    struct fil_poller *poller;
    struct fil_net_limits limits;
    const struct fil_protocol *protocols;
    uint32_t protocol_count;
    uint32_t index;
    const struct fil_loop_hooks *hooks;
    void *context;

    // Shared.
    struct fil_stack inbox;
    struct fil_parker parker;
    _Atomic uint32_t connection_count; // its own, and those on their way from other loops
    _Atomic uint32_t closed_count;     // of them, closed, but held by requests that run
    _Atomic uint32_t round;            // the balancer's, which writes it
    struct fil_loop_stats stats;       // written by the loop
    _Atomic uint64_t turn_ns;          // when the present turn began; 0: it waits for events
    _Atomic uint32_t pending_count;    // events of the last wait that it has not handled
    _Atomic uint64_t backlog_turn_ns;  // the turn in which others have found events waiting,
    _Atomic uint64_t backlog_ns;       // and when

    // The loop's own.
    alignas(FIL_CACHE_LINE) uint64_t now_ns FIL_OWNED_BY(io);
    struct fil_wheel timers FIL_OWNED_BY(io);
    struct fil_pool chunks FIL_OWNED_BY(io);
    struct fil_account account FIL_OWNED_BY(io);
    struct fil_list connections FIL_OWNED_BY(io);    // those with load in this round first
    struct fil_list turn FIL_OWNED_BY(io);           // connections to flush at the end of the turn
    struct fil_list resumes FIL_OWNED_BY(io);        // connections with requests left to handle
    uint8_t *scratch FIL_OWNED_BY(io);               // where connections without input receive
    size_t scratch_used FIL_OWNED_BY(io);            // which deferred work needs
    struct fil_deferred *deferred FIL_OWNED_BY(io);  // NULL: none
    void **workspaces FIL_OWNED_BY(io);              // of the protocols, in their order
    struct fil_connection *leaving FIL_OWNED_BY(io); // moves at the end of a cycle; NULL: none does
    struct fil_loop *leaving_to FIL_OWNED_BY(io);
    struct fil_spare_input *spare_inputs FIL_OWNED_BY(io); // of connections; few, and of one size
    uint32_t spare_input_count FIL_OWNED_BY(io);
    bool has_events FIL_OWNED_BY(io); // the last wait brought some
    struct fil_gather gather FIL_OWNED_BY(io);
    uint64_t received_before FIL_OWNED_BY(io); // bytes, up to the end of the last turn

    // The loop's own: the turns whose parts are timed, see load.h.
    bool is_measured FIL_OWNED_BY(io);             // this one is
    uint32_t turns_until_measure FIL_OWNED_BY(io); // to the next
    uint32_t measure_chance FIL_OWNED_BY(io);      // where that is drawn from
    uint64_t part_began_ns FIL_OWNED_BY(io);
};

int fil_loop_init(struct fil_loop *loop, const struct fil_loop_options *options) FIL_BEFORE_SHARING
    FIL_NODISCARD;

/** Closes what is still open. */
void fil_loop_fini(struct fil_loop *loop) FIL_BEFORE_SHARING;

/** First thing on the loop's thread. */
void fil_loop_enter(struct fil_loop *loop) FIL_ENTERS(io);

/** One bounded turn; waits at most timeout_ns (FIL_WAIT_FOREVER: until something happens). */
uint32_t fil_loop_cycle(struct fil_loop *loop, int64_t timeout_ns) FIL_RUNS_ON(io);

/** What the loop keeps for the protocol (fil_protocol_ops.workspace_bytes). */
static inline void *fil_loop_workspace(const struct fil_loop *loop,
                                       const struct fil_protocol *protocol) FIL_RUNS_ON(io)
{
    fil_debug_assert(protocol >= loop->protocols);
    fil_debug_assert(protocol < loop->protocols + loop->protocol_count);
    return loop->workspaces[protocol - loop->protocols];
}

/** In a protocol's receive, for a connection that can defer: the work is run later in this turn. */
void fil_loop_defer(struct fil_loop *loop, struct fil_deferred *deferred) FIL_RUNS_ON(io);

/** Runs it now. */
void fil_loop_run_deferred(struct fil_loop *loop) FIL_RUNS_ON(io);

/** Sends a message; it runs on the loop's thread, messages of one sender in order. */
FIL_ANY_THREAD void fil_loop_post(struct fil_loop *loop, struct fil_message *message);

/** Begins to end all connections after their output; done when none is left. None may move here
 * from now on. */
void fil_loop_drain(struct fil_loop *loop) FIL_RUNS_ON(io);

/** Ends all connections at once. None may move here from now on. */
void fil_loop_abort(struct fil_loop *loop) FIL_RUNS_ON(io);

/** What waits for a loop that is busy with something else. */
struct fil_loop_backlog {
    uint64_t turn_ns;   // how long the present turn has taken; 0: the loop waits for events
    uint32_t events;    // connections that are ready, and 1 for messages
    uint64_t oldest_ns; // how long the first of them has waited, as far as anybody has looked
};

/**
 * Right also while the loop is stuck, or all are: it asks the system, not the loop. The age of what
 * came during a turn counts from the first call that has seen it.
 */
FIL_ANY_THREAD struct fil_loop_backlog fil_loop_read_backlog(struct fil_loop *loop,
                                                             uint64_t now_ns);

/** Whether the present turn has taken longer than a turn should. */
FIL_ANY_THREAD bool fil_loop_is_held(const struct fil_loop *loop, uint64_t now_ns);

/** Connections on the loop and on their way from other loops, also closed ones that are held. */
FIL_ANY_THREAD uint32_t fil_loop_connection_count(struct fil_loop *loop);

/** Those without the closed ones: how many clients are there. */
FIL_ANY_THREAD uint32_t fil_loop_open_count(struct fil_loop *loop);
