// SPDX-License-Identifier: Apache-2.0
/**
 * Admission to a queue in front of a pool: whoever would wait for longer than is useful hears "no"
 * before it waits.
 *
 * The wait is estimated from what the pool owns: how many wait, how long one takes, how many work.
 *
 *     arrival   estimate = length * service / workers
 *               limit    = (hot ? target : burst) * grade of the priority, and while hot half as
 *                          much again for a tenant that has nobody waiting
 *               refused when estimate > limit, or the oldest has waited for four targets (nobody
 *               comes back, so the service time is stale), or the queue is at its cap, or, while
 *               hot, the tenant has more than its share, or the deadline would pass meanwhile
 *     dequeue   refused when what is left of the deadline is less than one service time
 *     state     hot when nobody has been lucky, that is had half a target before him or less, for
 *               one and a half targets, which means that the queue stands; cold when it is empty
 *               and nobody was refused for as long: a queue that runs empty because the loops were
 *               late for a moment is no sign of health, and would let another burst in
 *
 * Two states because a healthy pool should swallow a burst, and an overloaded one should not keep a
 * standing queue. In mode FINAGLE the rule is that of Finagle's offload filter, for comparison:
 * nobody is refused on arrival; after the dequeue, everybody is while the queue is more than a
 * target old. Its probes, one a millisecond, measure just that age, so it is taken as it is.
 *
 * Progress: all calls are wait-free but arrive, which is lock-free.
 * Memory:   the ring of arrival times is allocated by init; its size is the cap.
 * Threads:  arrive by any, take and finish by the pool's; no clock: times are given.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "filbert/service.h"
#include "lib/base/attr.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"

#define FIL_ADMISSION_TARGET_NS   UINT64_C(20000000)
#define FIL_ADMISSION_NO_DEADLINE UINT64_MAX
#define FIL_ADMISSION_TENANTS     256U // counters; tenants that share one share its part

enum fil_admission_mode {
    FIL_ADMISSION_ESTIMATE,
    FIL_ADMISSION_FINAGLE,
    FIL_ADMISSION_NONE, // only the cap
};

enum fil_admission_verdict {
    FIL_ADMISSION_ADMITTED,
    FIL_ADMISSION_WAIT,     // it would wait for too long
    FIL_ADMISSION_STALL,    // nobody comes back from work
    FIL_ADMISSION_CAP,      // the queue has no place
    FIL_ADMISSION_TENANT,   // others of this tenant wait already
    FIL_ADMISSION_DEADLINE, // it would be answered too late
    FIL_ADMISSION_EXPIRED,  // it waited for too long, and cannot be answered in time
    FIL_ADMISSION_VERDICTS,
};

struct fil_admission_options {
    enum fil_admission_mode mode;
    uint64_t target_ns;  // 0: FIL_ADMISSION_TARGET_NS
    uint32_t worker_max; // threads that may work at a time
    uint32_t cap;        // that may wait; rounded up to a power of two
};

/** Who asks. */
struct fil_admission_bid {
    enum fil_priority priority;
    uint32_t tenant;      // any number; 0: nobody in particular, never held to a share
    uint64_t deadline_ns; // FIL_ADMISSION_NO_DEADLINE: none
};

struct fil_admission {
    // Set by init, then read-only.
    struct fil_admission_options options;
    _Atomic uint64_t *stamps; // when the one with that number came
    uint64_t mask;

    // Shared by all.
    alignas(FIL_CACHE_LINE) _Atomic uint64_t arrived; // admitted so far
    alignas(FIL_CACHE_LINE) _Atomic uint64_t taken;   // of those: taken from the queue
    alignas(FIL_CACHE_LINE) _Atomic uint64_t service_ns;
    _Atomic uint64_t lucky_ns;   // when somebody last found a short queue
    _Atomic uint64_t refused_ns; // when somebody last found one that was too long
    _Atomic bool is_hot;
    _Atomic uint32_t active_tenants; // that have somebody waiting
    _Atomic uint32_t waiting[FIL_ADMISSION_TENANTS];
    struct fil_counter verdicts[FIL_ADMISSION_VERDICTS];
};

/** FIL_E_INVALID without workers or room, FIL_E_NOMEM. */
int fil_admission_init(struct fil_admission *admission, const struct fil_admission_options *options)
    FIL_NODISCARD;
void fil_admission_fini(struct fil_admission *admission);

/** Admitted: it counts as waiting from now on, and take must follow. */
FIL_ANY_THREAD enum fil_admission_verdict fil_admission_arrive(struct fil_admission *admission,
                                                               const struct fil_admission_bid *bid,
                                                               uint64_t now_ns) FIL_NODISCARD;

/** It has left the queue: ADMITTED when it may run, else why it is refused after all. */
enum fil_admission_verdict fil_admission_take(struct fil_admission *admission,
                                              const struct fil_admission_bid *bid,
                                              uint64_t arrived_ns, uint64_t now_ns) FIL_NODISCARD;

/** An admitted one does not come after all. */
FIL_ANY_THREAD void fil_admission_forget(struct fil_admission *admission,
                                         const struct fil_admission_bid *bid);

/** One has been served; what it took counts one part in 64. */
void fil_admission_finish(struct fil_admission *admission, uint64_t took_ns);

/** How long one that comes now would wait. */
FIL_ANY_THREAD uint64_t fil_admission_estimate_ns(const struct fil_admission *admission);

FIL_ANY_THREAD uint64_t fil_admission_length(const struct fil_admission *admission);

/** How long the oldest has waited. */
FIL_ANY_THREAD uint64_t fil_admission_age_ns(const struct fil_admission *admission,
                                             uint64_t now_ns);

/** "wait", "stall" ...: for figures and answers. */
const char *fil_admission_verdict_name(enum fil_admission_verdict verdict);
