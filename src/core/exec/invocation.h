// SPDX-License-Identifier: Apache-2.0
/**
 * An invocation: an operation on a partition whose result comes as a future, by a deadline, and
 * which is tried again when the partition was at another place or not ready.
 *
 *     submit --> [kernel: mailbox, run] --> end: the future has its result
 *                   ^              |
 *                   +-- at once ---+ "wrong target", "not ready"
 *                   |              |
 *                   +-- pause <----+ from the sixth attempt on, doubling
 *
 * Three parts: the service, one for the kernel, keeps deadlines and pauses on a wheel and bounds
 * how many invocations are in flight. An invoker, one for each thread that submits, has the memory.
 * The invocation is what travels.
 *
 * Rules:
 *   - Exactly one completion. When the deadline comes first the future fails with FIL_E_TIMEOUT at
 *     once, and the operation is cancelled; it keeps its place in the budget until it has really
 *     ended, so that what waits behind a stuck partition is bounded too.
 *   - Who finds the budget used up waits for a set time if its thread may block, and is then
 *     refused with FIL_E_FULL; io, partition, event and acceptor threads are refused at once.
 *   - Who bounds its invocations itself (is_admitted) takes no place in the budget and never waits
 *     for one, so that it holds up nobody and is held up by nobody.
 *   - A cancelled future cancels the operation.
 *   - A request may have its deadline put off when it comes (prolong): the first one may be for the
 *     beginning of something that then takes its time.
 *
 * Order:    operations of one invoker on one partition run in the order of submit, but for those
 *           that are tried again.
 * Memory:   blocks come from the invoker's pool and travel home; none is allocated in steady state.
 *           Beside those in flight, a pool has out what waits for the service: the invoker sends
 *           home itself what ended on its way there, so that these are about as many again.
 * Threads:  submit by the invoker's thread; complete by whoever runs the operation; the service's
 *           cycle by one thread, its own (start, stop) or a simulation's.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/exec.h"
#include "core/exec/op.h"
#include "core/exec/promise.h"
#include "core/exec/room.h"
#include "core/exec/runner.h"
#include "core/exec/task.h"
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/base/wheel.h"
#include "lib/conc/counter.h"
#include "lib/conc/parker.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/budget.h"
#include "lib/mem/pool.h"
#include "lib/os/thread.h"

struct fil_invoker;
struct fil_invocation_service;

/** The operation has ended, whatever became of its future; nobody needs the argument any more. */
typedef void (*fil_invocation_release_fn)(void *argument);

/**
 * The deadline has come: until when the operation may go on; not later than now: it fails with
 * FIL_E_TIMEOUT. Called by the service and by whoever finds the operation late, perhaps by both at
 * the same time, and more than once.
 */
typedef uint64_t (*fil_invocation_prolong_fn)(void *argument);

/** What an operation's run finds around its op; see fil_invocation_of. */
struct fil_invocation {
    struct fil_op op; // first: complete finds the invocation by it

    // Set by submit, then read-only.
    struct fil_invocation_service *service;
    struct fil_invoker *invoker;
    struct fil_promise promise;
    void *argument; // the caller's
    fil_invocation_release_fn release;
    fil_invocation_prolong_fn prolong; // NULL: the deadline stays
    bool is_admitted;

    // Whoever has the operation.
    struct fil_result result;
    uint32_t attempt_count;
    uint64_t resume_ns; // while it pauses

    // Shared: who still needs the block, and how far it is.
    _Atomic uint32_t state;

    // The service's own, once it has it.
    struct fil_link arrival_link;
    struct fil_list watched_link;
    struct fil_timer timer;
    uint64_t deadline_ns; // that of the operation, which may be put off at another time
    bool is_pausing;
};

struct fil_invocation_options {
    struct fil_exec *exec;
    struct fil_budget *memory; // of the invokers' blocks
    uint32_t in_flight_max;    // 0: as many as FIL_INVOCATIONS_PER_PARTITION for each partition
    uint64_t wait_ns;          // for room, on threads that may block; 0: refused at once
    uint64_t timeout_ns;       // for requests without a deadline; 0: FIL_INVOCATION_TIMEOUT_NS
    uint32_t attempts_max;     // 0: FIL_INVOCATION_ATTEMPTS_MAX
    const struct fil_stage_hooks *hooks; // for the service's thread; NULL: none
};

#define FIL_INVOCATIONS_PER_PARTITION   100U
#define FIL_INVOCATION_TIMEOUT_NS       UINT64_C(60000000000)
#define FIL_INVOCATION_ATTEMPTS_MAX     250U
#define FIL_INVOCATION_ATTEMPTS_AT_ONCE 5U
#define FIL_INVOCATION_PAUSE_MIN_NS     UINT64_C(1000000)
#define FIL_INVOCATION_PAUSE_MAX_NS     UINT64_C(500000000)

/** How long an ended invocation may wait for its block to be taken home. */
#define FIL_INVOCATION_SWEEP_NS UINT64_C(10000000)

struct fil_invocation_stats {
    struct fil_counter retries;
    struct fil_counter pauses;   // retries that waited first
    struct fil_counter timeouts; // futures that failed because of their deadline
    struct fil_counter cancels;  // operations asked to end because nobody wants the result
    struct fil_counter waits;    // callers that waited for room
    struct fil_counter refused;  // callers that found none
};

struct fil_invocation_service {
    struct fil_target target; // first: the service runs the tasks of cancelled futures

    // Set by init, then read-only.
    struct fil_invocation_options options;
    struct fil_env *env;

    // Shared.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t in_flight; // in the budget
    _Atomic uint32_t admitted;                          // and beside it
    struct fil_room room;                               // where callers wait
    alignas(FIL_CACHE_LINE) struct fil_stack arrivals;  // to be watched
    struct fil_stack attention;                         // those that ended or pause
    struct fil_stack tasks;
    struct fil_parker parker;
    _Atomic uint64_t wake_ns; // until then the service need not look; 0: it always does
    _Atomic uint64_t next_call_id;
    _Atomic bool is_closed;
    _Atomic bool is_stopping;
    struct fil_invocation_stats stats;

    // The service's own.
    alignas(FIL_CACHE_LINE) struct fil_runner runner;
    struct fil_wheel wheel;
    struct fil_list watched;
    uint32_t watched_count;
    struct fil_thread thread;
};

/** FIL_E_INVALID when the options do not fit together. */
int fil_invocation_service_init(struct fil_invocation_service *service,
                                const struct fil_invocation_options *options) FIL_NODISCARD;

/** Nothing may be in flight, and all invokers are gone. */
void fil_invocation_service_fini(struct fil_invocation_service *service);

int fil_invocation_service_start(struct fil_invocation_service *service) FIL_NODISCARD;

/** From here on submit answers FIL_E_STOPPING, also to those who wait; the rest goes on. */
FIL_ANY_THREAD void fil_invocation_service_close(struct fil_invocation_service *service);

/**
 * Closes, fails what is in flight with FIL_E_STOPPING, cancels its operations, waits until all of
 * them have ended and joins the thread. The partitions still run; no thread is inside submit.
 */
void fil_invocation_service_stop(struct fil_invocation_service *service);

/** One bounded turn; returns how much it moved. */
uint32_t fil_invocation_service_cycle(struct fil_invocation_service *service);

/** When the service has to do something although nobody sends it work; UINT64_MAX: never. */
uint64_t fil_invocation_service_next_ns(const struct fil_invocation_service *service);

/** Operations that were submitted and have not ended. */
FIL_ANY_THREAD uint32_t
fil_invocation_service_in_flight(const struct fil_invocation_service *service);

/** A thread's own means to submit. */
struct fil_invoker {
    struct fil_invocation_service *service;
    struct fil_runner *runner; // the thread's
    struct fil_pool pool;
    uint64_t call_id; // the next one
    uint64_t call_id_end;
    uint64_t taken_count;        // blocks so far
    uint32_t given_count;        // invocations given to the service since the last look at them
    uint32_t given_limit;        // how many, until the next
    struct fil_counter submits;  // invocations that were taken
    _Atomic uint64_t home_count; // blocks that came back, written by whoever brought them
};

/** The calling thread is the one that submits. */
void fil_invoker_init(struct fil_invoker *invoker, struct fil_invocation_service *service,
                      struct fil_runner *runner);

/** The calling thread is the one that submits from now on: everything is home, see is_idle. */
void fil_invoker_adopt(struct fil_invoker *invoker);

/** The same thread. Everything must be home, see is_idle. */
void fil_invoker_fini(struct fil_invoker *invoker);

/** The same thread. Whether all of its invocations have ended and left no trace. */
bool fil_invoker_is_idle(const struct fil_invoker *invoker);

/** What to do, where, until when. Borrowed for the call. */
struct fil_invocation_request {
    const struct fil_op_type *type; // its complete is fil_invocation_complete
    fil_partition_id partition_id;
    bool is_priority;
    bool is_admitted;     // the caller bounds how many there are
    uint64_t deadline_ns; // 0: the service's timeout from now on; FIL_OP_NO_DEADLINE: none
    void *argument;       // for run and prolong; must live until release
    fil_invocation_release_fn release; // told of that, once, on any thread; NULL: nobody is
    fil_invocation_prolong_fn prolong; // asked when the deadline has come; NULL: it is what it is
    struct fil_target *home;
};

/**
 * Starts the operation; it may have ended on return. Continuations of the future run at home unless
 * told otherwise. FIL_E_FULL, FIL_E_STOPPING, FIL_E_NOMEM: nothing has happened.
 */
int fil_invocation_submit(struct fil_invoker *invoker, const struct fil_invocation_request *request,
                          struct fil_future *out_future) FIL_NODISCARD;

/** From an operation's run: the invocation it is part of. */
static inline struct fil_invocation *fil_invocation_of(struct fil_op *op)
{
    return FIL_CONTAINER_OF(op, struct fil_invocation, op);
}

/** From run: the result, if op->error stays FIL_OK. Takes ownership; replaces an earlier one. */
FIL_INSIDE_PARTITION void fil_invocation_reply(struct fil_op *op, struct fil_result result);

/** The complete of every type that is invoked. */
FIL_ANY_THREAD void fil_invocation_complete(struct fil_op *op, struct fil_runner *runner);
