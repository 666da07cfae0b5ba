// SPDX-License-Identifier: Apache-2.0
#include "core/service/admission.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define CAP_MAX        (1U << 20)
#define BURST_FACTOR   2U // a healthy queue may grow to so many targets
#define STALL_FACTOR   4U
#define SERVICE_WEIGHT 64U

// Atomics are relaxed where nothing else is said: they are figures for a decision that may be a
// moment old. What is handed over goes through the queue behind the admission.
static uint64_t peek(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void poke(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static const char *const verdict_names[FIL_ADMISSION_VERDICTS] = {
    [FIL_ADMISSION_ADMITTED] = "admitted", [FIL_ADMISSION_WAIT] = "wait",
    [FIL_ADMISSION_STALL] = "stall",       [FIL_ADMISSION_CAP] = "cap",
    [FIL_ADMISSION_TENANT] = "tenant",     [FIL_ADMISSION_DEADLINE] = "deadline",
    [FIL_ADMISSION_EXPIRED] = "expired",
};

const char *fil_admission_verdict_name(enum fil_admission_verdict verdict)
{
    fil_assert(verdict < FIL_ADMISSION_VERDICTS);
    return verdict_names[verdict];
}

int fil_admission_init(struct fil_admission *admission, const struct fil_admission_options *options)
{
    if (options->worker_max == 0 || options->cap == 0 || options->cap > CAP_MAX) {
        return FIL_E_INVALID;
    }
    *admission = (struct fil_admission){.options = *options};
    if (options->target_ns == 0) {
        admission->options.target_ns = FIL_ADMISSION_TARGET_NS;
    }
    uint64_t places = fil_round_up_power_of_two(fil_max_u64(options->cap, 2));
    admission->options.cap = (uint32_t)places;
    admission->mask = places - 1;
    admission->stamps = fil_alloc_zero(places, sizeof(*admission->stamps));
    return admission->stamps == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_admission_fini(struct fil_admission *admission)
{
    fil_assert(fil_admission_length(admission) == 0);
    fil_free(admission->stamps);
    admission->stamps = NULL;
}

uint64_t fil_admission_length(const struct fil_admission *admission)
{
    // The later one first: what was taken has arrived, so the difference is never negative.
    uint64_t taken = peek(&admission->taken);
    uint64_t arrived = peek(&admission->arrived);
    return arrived > taken ? arrived - taken : 0;
}

uint64_t fil_admission_estimate_ns(const struct fil_admission *admission)
{
    return fil_admission_length(admission) * peek(&admission->service_ns) /
           admission->options.worker_max;
}

uint64_t fil_admission_age_ns(const struct fil_admission *admission, uint64_t now_ns)
{
    if (fil_admission_length(admission) == 0) {
        return 0;
    }
    uint64_t stamp = peek(&admission->stamps[peek(&admission->taken) & admission->mask]);
    return now_ns > stamp ? now_ns - stamp : 0;
}

/** Whether nobody of this tenant waits; one without a name is none. */
static bool is_newcomer(const struct fil_admission *admission, uint32_t tenant)
{
    return tenant != 0 && atomic_load_explicit(&admission->waiting[tenant % FIL_ADMISSION_TENANTS],
                                               memory_order_relaxed) == 0;
}

/** What the estimate may be at most, for this one. */
static uint64_t limit_ns(const struct fil_admission *admission, const struct fil_admission_bid *bid)
{
    uint64_t target = admission->options.target_ns;
    bool is_hot = atomic_load_explicit(&admission->is_hot, memory_order_relaxed);
    uint64_t limit = is_hot ? target : BURST_FACTOR * target;
    if (is_hot && is_newcomer(admission, bid->tenant)) {
        // A tenant that was alone has filled the queue: it must not keep others out.
        limit += limit / 2;
    }
    switch (bid->priority) {
    case FIL_PRIORITY_CRITICAL:
        return limit + limit / 2;
    case FIL_PRIORITY_BATCH:
        return limit / 2;
    case FIL_PRIORITY_NORMAL:
    default:
        return limit;
    }
}

/** Whether the tenant already has its share of the places that a hot queue gives out. */
static bool has_its_share(const struct fil_admission *admission, uint32_t tenant)
{
    uint64_t service = peek(&admission->service_ns);
    bool is_hot = atomic_load_explicit(&admission->is_hot, memory_order_relaxed);
    if (tenant == 0 || !is_hot || service == 0) {
        return false;
    }
    uint64_t slots = admission->options.worker_max * admission->options.target_ns / service;
    uint32_t active = atomic_load_explicit(&admission->active_tenants, memory_order_relaxed);
    uint32_t mine = atomic_load_explicit(&admission->waiting[tenant % FIL_ADMISSION_TENANTS],
                                         memory_order_relaxed);
    // One who is not in the queue yet counts as active, too.
    return mine > slots / fil_max_u64(active + (mine == 0), 1);
}

/** How long a queue may stand before it counts as one: longer where one service takes long. */
static uint64_t patience_ns(const struct fil_admission *admission)
{
    uint64_t target = admission->options.target_ns;
    return fil_max_u64(target + target / 2, 2 * peek(&admission->service_ns));
}

/** Somebody has found this much before him. */
static void note_wait(struct fil_admission *admission, uint64_t wait_ns, uint64_t now_ns)
{
    if (wait_ns <= admission->options.target_ns / 2) {
        poke(&admission->lucky_ns, now_ns);
        return;
    }
    uint64_t lucky = peek(&admission->lucky_ns);
    bool is_hot = atomic_load_explicit(&admission->is_hot, memory_order_relaxed);
    if (!is_hot && now_ns > lucky + patience_ns(admission)) {
        atomic_store_explicit(&admission->is_hot, true, memory_order_relaxed);
    }
}

static bool is_too_late(uint64_t deadline_ns, uint64_t done_ns)
{
    return deadline_ns != FIL_ADMISSION_NO_DEADLINE && deadline_ns < done_ns;
}

static enum fil_admission_verdict judge(struct fil_admission *admission,
                                        const struct fil_admission_bid *bid, uint64_t now_ns)
{
    uint64_t estimate = fil_admission_estimate_ns(admission);
    note_wait(admission, estimate, now_ns);
    if (estimate > limit_ns(admission, bid)) {
        poke(&admission->refused_ns, now_ns);
        return FIL_ADMISSION_WAIT;
    }
    if (fil_admission_age_ns(admission, now_ns) > STALL_FACTOR * admission->options.target_ns) {
        return FIL_ADMISSION_STALL;
    }
    if (has_its_share(admission, bid->tenant)) {
        return FIL_ADMISSION_TENANT;
    }
    bool is_late = is_too_late(bid->deadline_ns, now_ns + estimate + peek(&admission->service_ns));
    return is_late ? FIL_ADMISSION_DEADLINE : FIL_ADMISSION_ADMITTED;
}

/** Takes a place in the queue; false when there is none. */
static bool take_place(struct fil_admission *admission, uint64_t now_ns)
{
    uint64_t number = peek(&admission->arrived);
    // Lock-free: when this thread goes round again, another has been admitted.
    do {
        if (number - peek(&admission->taken) >= admission->options.cap) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&admission->arrived, &number, number + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    poke(&admission->stamps[number & admission->mask], now_ns);
    return true;
}

static void count_tenant_in(struct fil_admission *admission, uint32_t tenant)
{
    _Atomic uint32_t *waiting = &admission->waiting[tenant % FIL_ADMISSION_TENANTS];
    if (tenant != 0 && atomic_fetch_add_explicit(waiting, 1, memory_order_relaxed) == 0) {
        atomic_fetch_add_explicit(&admission->active_tenants, 1, memory_order_relaxed);
    }
}

static void count_tenant_out(struct fil_admission *admission, uint32_t tenant)
{
    _Atomic uint32_t *waiting = &admission->waiting[tenant % FIL_ADMISSION_TENANTS];
    if (tenant != 0 && atomic_fetch_sub_explicit(waiting, 1, memory_order_relaxed) == 1) {
        atomic_fetch_sub_explicit(&admission->active_tenants, 1, memory_order_relaxed);
    }
}

static enum fil_admission_verdict note(struct fil_admission *admission,
                                       enum fil_admission_verdict verdict)
{
    fil_counter_add_shared(&admission->verdicts[verdict], 1);
    return verdict;
}

enum fil_admission_verdict fil_admission_arrive(struct fil_admission *admission,
                                                const struct fil_admission_bid *bid,
                                                uint64_t now_ns)
{
    enum fil_admission_verdict verdict = FIL_ADMISSION_ADMITTED;
    if (admission->options.mode == FIL_ADMISSION_ESTIMATE) {
        verdict = judge(admission, bid, now_ns);
    }
    if (verdict == FIL_ADMISSION_ADMITTED && !take_place(admission, now_ns)) {
        verdict = FIL_ADMISSION_CAP;
    }
    if (verdict == FIL_ADMISSION_ADMITTED) {
        count_tenant_in(admission, bid->tenant);
    }
    return note(admission, verdict);
}

/** What is decided only when its turn has come. */
static enum fil_admission_verdict judge_taken(const struct fil_admission *admission,
                                              const struct fil_admission_bid *bid, uint64_t now_ns)
{
    switch (admission->options.mode) {
    case FIL_ADMISSION_ESTIMATE:
        return is_too_late(bid->deadline_ns, now_ns + peek(&admission->service_ns))
                   ? FIL_ADMISSION_EXPIRED
                   : FIL_ADMISSION_ADMITTED;
    case FIL_ADMISSION_FINAGLE:
        return fil_admission_age_ns(admission, now_ns) > admission->options.target_ns
                   ? FIL_ADMISSION_WAIT
                   : FIL_ADMISSION_ADMITTED;
    case FIL_ADMISSION_NONE:
    default:
        return FIL_ADMISSION_ADMITTED;
    }
}

void fil_admission_forget(struct fil_admission *admission, const struct fil_admission_bid *bid)
{
    // Acquire and release: each that is taken has seen the arrival of all that were before it.
    uint64_t number = atomic_fetch_add_explicit(&admission->taken, 1, memory_order_acq_rel);
    fil_assert(number < peek(&admission->arrived));
    count_tenant_out(admission, bid->tenant);
}

enum fil_admission_verdict fil_admission_take(struct fil_admission *admission,
                                              const struct fil_admission_bid *bid,
                                              uint64_t arrived_ns, uint64_t now_ns)
{
    fil_admission_forget(admission, bid);
    note_wait(admission, now_ns > arrived_ns ? now_ns - arrived_ns : 0, now_ns);
    if (fil_admission_length(admission) == 0 &&
        now_ns > peek(&admission->refused_ns) + patience_ns(admission)) {
        atomic_store_explicit(&admission->is_hot, false, memory_order_relaxed);
    }
    enum fil_admission_verdict verdict = judge_taken(admission, bid, now_ns);
    return verdict == FIL_ADMISSION_ADMITTED ? verdict : note(admission, verdict);
}

void fil_admission_finish(struct fil_admission *admission, uint64_t took_ns)
{
    // A sample that another thread overwrites is lost, and nothing worse.
    uint64_t mean = peek(&admission->service_ns);
    uint64_t next = mean == 0 ? took_ns : mean - mean / SERVICE_WEIGHT + took_ns / SERVICE_WEIGHT;
    poke(&admission->service_ns, next);
}
