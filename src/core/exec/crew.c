// SPDX-License-Identifier: Apache-2.0
#include "core/exec/crew.h"

#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

static _Thread_local const struct fil_crew *current_crew;

const struct fil_crew *fil_crew_enter(const struct fil_crew *crew)
{
    const struct fil_crew *outer = current_crew;
    current_crew = crew;
    return outer;
}

void fil_crew_leave(const struct fil_crew *outer)
{
    current_crew = outer;
}

bool fil_crew_is_current(const struct fil_crew *crew)
{
    return current_crew == crew;
}

int fil_crew_init(struct fil_crew *crew, const struct fil_crew_options *options)
{
    *crew = (struct fil_crew){.options = *options};
    if (options->member_count == 0 || options->member_count > FIL_CREW_MEMBERS_MAX) {
        return FIL_E_INVALID;
    }
    (void)snprintf(crew->name, sizeof(crew->name), "%s", options->name); // may cut
    crew->options.name = NULL;
    crew->members =
        fil_alloc_aligned(FIL_CACHE_LINE, options->member_count * sizeof(*crew->members));
    if (crew->members == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < options->member_count; i++) {
        struct fil_crew_member *member = &crew->members[i];
        member->crew = crew;
        member->index = i;
        fil_parker_init(&member->parker);
        fil_idle_init(&member->idle, options->idle);
        fil_meter_init(&member->meter);
    }
    return FIL_OK;
}

void fil_crew_fini(struct fil_crew *crew)
{
    for (uint32_t i = 0; crew->members != NULL && i < crew->options.member_count; i++) {
        fil_assert(!crew->members[i].thread.is_started);
    }
    fil_free(crew->members);
    crew->members = NULL;
}

static bool is_stopping(struct fil_crew *crew)
{
    // S1 pairs with S2: stop sets it before it wakes, a member announces its sleep before it looks.
    return atomic_load_explicit(&crew->is_stopping, memory_order_seq_cst);
}

static bool has_work(const struct fil_crew *crew, uint32_t index)
{
    return crew->options.ops->has_work(crew->options.context, index);
}

bool fil_crew_park(struct fil_crew *crew, uint32_t index)
{
    fil_debug_assert(index < crew->options.member_count);
    struct fil_crew_member *member = &crew->members[index];
    _Atomic uint64_t *word = &crew->parked[index / 64];
    uint64_t bit = UINT64_C(1) << (index % 64);

    // The parker first: whoever sees the bit finds a parker that it can wake.
    fil_parker_prepare(&member->parker);
    // B1 pairs with B2: the announcement comes before the look at the queues.
    atomic_fetch_or_explicit(word, bit, memory_order_seq_cst);
    bool sleeps = !has_work(crew, index) && !is_stopping(crew);
    if (sleeps) {
        fil_counter_add(&member->park_count, 1);
        fil_parker_park(&member->parker, FIL_WAIT_FOREVER);
        fil_stage_hooks_rise(crew->options.hooks);
    } else {
        fil_parker_cancel(&member->parker);
    }
    // Who has cleared the bit before has pushed before that: the next cycle sees it.
    atomic_fetch_and_explicit(word, ~bit, memory_order_seq_cst);
    return sleeps;
}

/** The bits of one word that stand for members from first to end - 1. */
static uint64_t bits_between(uint32_t word, uint32_t first, uint32_t end)
{
    uint32_t base = word * 64;
    uint64_t from = first <= base ? UINT64_MAX : UINT64_MAX << (first - base);
    uint64_t to = end >= base + 64 ? UINT64_MAX : ~(UINT64_MAX << (end - base));
    return from & to;
}

/** Wakes a member of this word that was parked, if there is one. */
static bool wake_one_of(struct fil_crew *crew, uint32_t word, uint64_t eligible)
{
    // B2 pairs with B1: comes after the push, which is sequentially consistent too.
    uint64_t parked = atomic_load_explicit(&crew->parked[word], memory_order_seq_cst) & eligible;
    // Lock-free: when this thread goes round again, another has cleared the bit.
    while (parked != 0) {
        uint64_t lowest = parked & (~parked + 1);
        uint64_t before =
            atomic_fetch_and_explicit(&crew->parked[word], ~lowest, memory_order_seq_cst);
        if ((before & lowest) != 0) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(lowest);
            // Not asleep any more: then it is on its way to the queues.
            (void)fil_parker_wake(&crew->members[index].parker);
            return true;
        }
        parked = before & eligible;
    }
    return false;
}

bool fil_crew_wake_any(struct fil_crew *crew, uint32_t first, uint32_t end)
{
    fil_debug_assert(first < end);
    fil_debug_assert(end <= crew->options.member_count);
    for (uint32_t word = first / 64; word * 64 < end; word++) {
        if (wake_one_of(crew, word, bits_between(word, first, end))) {
            return true;
        }
    }
    return false;
}

bool fil_crew_wake(struct fil_crew *crew, uint32_t index)
{
    fil_debug_assert(index < crew->options.member_count);
    // The bit stays: it is the member's own to clear, and means no more than "may be parked".
    return fil_parker_wake(&crew->members[index].parker);
}

/** A cycle moved nothing. */
static void rest(struct fil_crew_member *member)
{
    switch (fil_idle_next(&member->idle)) {
    case FIL_IDLE_PARK:
        if (!fil_crew_park(member->crew, member->index)) {
            // There is work that cannot be taken yet: somebody is in the middle of a push.
            fil_thread_yield();
        }
        break;
    case FIL_IDLE_YIELD:
        fil_thread_yield();
        break;
    case FIL_IDLE_SPIN:
    default:
        fil_thread_pause();
        break;
    }
}

static void work(void *context)
{
    struct fil_crew_member *member = context;
    struct fil_crew *crew = member->crew;
    struct fil_runner *runner = fil_crew_runner(crew, member->index);
    fil_role_enter(crew->options.role);
    fil_stage_hooks_enter(crew->options.hooks, runner);
    for (;;) {
        if (crew->options.ops->cycle(crew->options.context, member->index) > 0) {
            fil_idle_reset(&member->idle);
        } else if (is_stopping(crew) && !has_work(crew, member->index)) {
            break;
        } else {
            rest(member);
        }
    }
    fil_stage_hooks_leave(crew->options.hooks, runner);
}

int fil_crew_start_member(struct fil_crew *crew, uint32_t index)
{
    fil_assert(index < crew->options.member_count);
    struct fil_crew_member *member = &crew->members[index];
    if (member->thread.is_started) {
        return FIL_OK;
    }
    char name[FIL_THREAD_NAME_MAX + 12];
    (void)snprintf(name, sizeof(name), "%s-%u", crew->name, index);
    return fil_thread_start_with(
        &member->thread,
        &(struct fil_thread_options){
            .name = name, .entry = work, .context = member, .cpus = crew->options.cpus});
}

static void join_all(struct fil_crew *crew)
{
    atomic_store_explicit(&crew->is_stopping, true, memory_order_seq_cst); // S2
    for (uint32_t i = 0; i < crew->options.member_count; i++) {
        (void)fil_crew_wake(crew, i);
    }
    for (uint32_t i = 0; i < crew->options.member_count; i++) {
        if (crew->members[i].thread.is_started) {
            fil_thread_join(&crew->members[i].thread);
        }
    }
}

int fil_crew_start(struct fil_crew *crew, uint32_t count)
{
    fil_assert(count <= crew->options.member_count);
    // Relaxed: no thread of the crew runs yet.
    atomic_store_explicit(&crew->is_stopping, false, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        int error = fil_crew_start_member(crew, i);
        if (error != FIL_OK) {
            join_all(crew);
            return error;
        }
    }
    return FIL_OK;
}

/** Calls the cycles of members that have work until none has. */
static void finish_work(struct fil_crew *crew)
{
    bool has_left = true;
    while (has_left) {
        has_left = false;
        for (uint32_t i = 0; i < crew->options.member_count; i++) {
            if (has_work(crew, i)) {
                (void)crew->options.ops->cycle(crew->options.context, i);
                has_left = true;
            }
        }
    }
}

void fil_crew_stop(struct fil_crew *crew)
{
    fil_assert(!fil_crew_is_current(crew));
    join_all(crew);
    // For what is left the calling thread takes the crew's role, and only for that time.
#define REMEMBER(role) bool had_##role = fil_role_is(&fil_role_##role);
    FIL_ROLES(REMEMBER)
#undef REMEMBER
    fil_role_enter(crew->options.role);
    finish_work(crew);
    fil_role_leave_all();
#define RESTORE(role)                     \
    if (had_##role) {                     \
        fil_role_enter(&fil_role_##role); \
    }
    FIL_ROLES(RESTORE)
#undef RESTORE
}

void fil_crew_read(const struct fil_crew *crew, struct fil_crew_stats *out_stats)
{
    out_stats->member_count = crew->options.member_count;
    out_stats->wake_count = 0;
    out_stats->park_count = 0;
    fil_meter_init(&out_stats->meter);
    for (uint32_t i = 0; i < crew->options.member_count; i++) {
        const struct fil_crew_member *member = &crew->members[i];
        // Relaxed: statistics.
        out_stats->wake_count +=
            atomic_load_explicit(&member->parker.wake_count, memory_order_relaxed);
        out_stats->park_count += fil_counter_read(&member->park_count);
        fil_meter_add(&out_stats->meter, &member->meter);
    }
}
