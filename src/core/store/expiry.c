// SPDX-License-Identifier: Apache-2.0
/**
 * The wheel of expiry: four levels of 64 slots, each a list of records linked by references.
 *
 * A tick is 64 ms. A record is filed at or before its end: one whose end was put off by reads is
 * found too early and filed again. Nothing depends on the wheel being on time, because an expired
 * entry is invisible whether or not it has been removed.
 */
#include "core/store/store_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define LEVELS     4U
#define SLOTS      64U
#define SLOT_BITS  6U
#define TICK_SHIFT 6U
#define SLOT_SHIFT 48U // of the slot's number beside the deadline

struct fil_expiry {
    uint64_t tick;  // all before this one are done, this one perhaps not
    uint32_t count; // records filed
    uint64_t occupied[LEVELS];
    uint32_t heads[LEVELS * SLOTS];
};

int fil_expiry__prepare(struct fil_store *store, uint64_t now_ms)
{
    if (store->expiry != NULL) {
        return FIL_OK;
    }
    if (!fil_account_take(&store->account, sizeof(*store->expiry))) {
        return FIL_E_NOMEM;
    }
    store->expiry = fil_alloc_zero(1, sizeof(*store->expiry));
    if (store->expiry == NULL) {
        fil_account_give(&store->account, sizeof(*store->expiry));
        return FIL_E_NOMEM;
    }
    store->expiry->tick = now_ms >> TICK_SHIFT;
    return FIL_OK;
}

void fil_expiry__fini(struct fil_store *store)
{
    if (store->expiry != NULL) {
        fil_free(store->expiry);
        fil_account_give(&store->account, sizeof(*store->expiry));
        store->expiry = NULL;
    }
}

/** The slot, over all levels, for a tick from now on. */
static uint32_t slot_for(const struct fil_expiry *expiry, uint64_t tick)
{
    uint64_t wait = tick - expiry->tick;
    uint64_t wait_max = (UINT64_C(1) << (LEVELS * SLOT_BITS)) - 1;
    if (wait > wait_max) {
        // Beyond the last level: it waits there and is filed again.
        wait = wait_max;
        tick = expiry->tick + wait_max;
    }
    uint32_t level = 0;
    while (wait >> (SLOT_BITS * (level + 1)) != 0) {
        level++;
    }
    return level * SLOTS + (uint32_t)(tick >> (SLOT_BITS * level)) % SLOTS;
}

void fil_expiry__arm(struct fil_store *store, uint32_t reference, uint64_t deadline_ms)
{
    struct fil_expiry *expiry = store->expiry;
    fil_assert(expiry != NULL);
    uint64_t deadline =
        deadline_ms > FIL_STORE_DEADLINE_MASK ? FIL_STORE_DEADLINE_MASK : deadline_ms;
    uint64_t tick = (deadline + (1U << TICK_SHIFT) - 1) >> TICK_SHIFT;
    uint32_t slot = slot_for(expiry, tick < expiry->tick ? expiry->tick : tick);
    struct fil_record_timer timer = {.armed = deadline | (uint64_t)slot << SLOT_SHIFT,
                                     .next = expiry->heads[slot]};
    fil_record_set_timer(fil_store__record(store, reference), &timer);
    if (timer.next != FIL_SLAB_NONE) {
        uint8_t *next = fil_store__record(store, timer.next);
        struct fil_record_timer neighbour = fil_record_timer(next);
        neighbour.previous = reference;
        fil_record_set_timer(next, &neighbour);
    }
    expiry->heads[slot] = reference;
    expiry->occupied[slot / SLOTS] |= UINT64_C(1) << (slot % SLOTS);
    expiry->count++;
}

static uint32_t slot_of(const struct fil_record_timer *timer)
{
    return (uint32_t)(timer->armed >> SLOT_SHIFT);
}

/** Makes the neighbours of a timer point to others; the same ones when it has only moved. */
static void relink(struct fil_store *store, const struct fil_record_timer *timer, uint32_t new_next,
                   uint32_t new_previous)
{
    if (timer->previous != FIL_SLAB_NONE) {
        uint8_t *record = fil_store__record(store, timer->previous);
        struct fil_record_timer previous = fil_record_timer(record);
        previous.next = new_next;
        fil_record_set_timer(record, &previous);
    } else {
        store->expiry->heads[slot_of(timer)] = new_next;
    }
    if (timer->next != FIL_SLAB_NONE) {
        uint8_t *record = fil_store__record(store, timer->next);
        struct fil_record_timer next = fil_record_timer(record);
        next.previous = new_previous;
        fil_record_set_timer(record, &next);
    }
}

void fil_expiry__disarm(struct fil_store *store, uint32_t reference)
{
    struct fil_expiry *expiry = store->expiry;
    struct fil_record_timer timer = fil_record_timer(fil_store__record(store, reference));
    uint32_t slot = slot_of(&timer);
    fil_assert(expiry->count > 0);
    relink(store, &timer, timer.next, timer.previous);
    if (expiry->heads[slot] == FIL_SLAB_NONE) {
        expiry->occupied[slot / SLOTS] &= ~(UINT64_C(1) << (slot % SLOTS));
    }
    expiry->count--;
}

void fil_expiry__moved(struct fil_store *store, uint32_t to)
{
    struct fil_record_timer timer = fil_record_timer(fil_store__record(store, to));
    relink(store, &timer, to, to);
}

/** The next tick after the current one at which a slot of the level comes up. */
static uint64_t next_of_level(const struct fil_expiry *expiry, uint32_t level)
{
    uint64_t occupied = expiry->occupied[level];
    if (occupied == 0) {
        return UINT64_MAX;
    }
    uint64_t following = (expiry->tick >> (SLOT_BITS * level)) + 1;
    uint32_t turn = (uint32_t)(following % SLOTS);
    uint64_t turned = turn == 0 ? occupied : occupied >> turn | occupied << (SLOTS - turn);
    return (following + (uint32_t)__builtin_ctzll(turned)) << (SLOT_BITS * level);
}

static uint64_t next_tick(const struct fil_expiry *expiry)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint64_t tick = next_of_level(expiry, level);
        next = tick < next ? tick : next;
    }
    return next;
}

/** A record that is due for a look at the current tick; FIL_SLAB_NONE when all are done. */
static uint32_t first_due(const struct fil_expiry *expiry)
{
    for (uint32_t level = LEVELS - 1; level > 0; level--) {
        uint32_t shift = SLOT_BITS * level;
        bool is_turn = (expiry->tick & ((UINT64_C(1) << shift) - 1)) == 0;
        uint32_t head = expiry->heads[level * SLOTS + (uint32_t)(expiry->tick >> shift) % SLOTS];
        if (is_turn && head != FIL_SLAB_NONE) {
            return head;
        }
    }
    return expiry->heads[expiry->tick % SLOTS];
}

uint64_t fil_store_next_expiry_ms(const struct fil_store *store)
{
    const struct fil_expiry *expiry = store->expiry;
    if (expiry == NULL || expiry->count == 0) {
        return FIL_STORE_NEVER;
    }
    uint64_t tick = first_due(expiry) != FIL_SLAB_NONE ? expiry->tick : next_tick(expiry);
    return tick << TICK_SHIFT;
}

/** Removes the record, or files it again when reads have put its end off. */
static bool settle(struct fil_store *store, uint32_t reference, uint64_t now_ms)
{
    uint64_t end_ms = fil_store__deadline(fil_store__record(store, reference));
    if (end_ms <= now_ms) {
        fil_store__drop(store, reference, FIL_STORE_EXPIRED);
        return true;
    }
    fil_expiry__disarm(store, reference);
    fil_expiry__arm(store, reference, end_ms);
    return false;
}

uint32_t fil_store_expire(struct fil_store *store, uint64_t now_ms, uint32_t budget)
{
    struct fil_expiry *expiry = store->expiry;
    uint32_t removed = 0;
    if (expiry == NULL) {
        return 0;
    }
    uint64_t now_tick = now_ms >> TICK_SHIFT;
    for (uint32_t done = 0; done < budget && expiry->count > 0; done++) {
        uint32_t reference = expiry->tick <= now_tick ? first_due(expiry) : FIL_SLAB_NONE;
        if (reference != FIL_SLAB_NONE) {
            removed += settle(store, reference, now_ms);
            continue;
        }
        uint64_t next = next_tick(expiry);
        if (next > now_tick) {
            break;
        }
        expiry->tick = next;
    }
    for (uint32_t i = 0; i < removed; i++) {
        (void)fil_store__upkeep(store);
    }
    return removed;
}

/** Removes what has ended of the first so many records of a slot; returns how many. */
static uint32_t expire_slot(struct fil_store *store, uint32_t slot, uint64_t now_ms,
                            uint32_t budget)
{
    uint32_t removed = 0;
    uint32_t next = store->expiry->heads[slot];
    for (uint32_t done = 0; next != FIL_SLAB_NONE && done < budget; done++) {
        uint32_t reference = next;
        const uint8_t *record = fil_store__record(store, reference);
        next = fil_record_timer(record).next;
        if (fil_store__deadline(record) <= now_ms) {
            fil_store__drop(store, reference, FIL_STORE_EXPIRED);
            removed++;
        }
    }
    return removed;
}

uint32_t fil_store_expire_now(struct fil_store *store, uint64_t now_ms, uint32_t budget)
{
    uint32_t removed = fil_store_expire(store, now_ms, budget);
    // What has ended since the present tick began is filed for the next one, on some level.
    uint64_t tick = (now_ms >> TICK_SHIFT) + 1;
    uint32_t late = 0;
    for (uint32_t level = 0; store->expiry != NULL && level < LEVELS; level++) {
        uint32_t slot = level * SLOTS + (uint32_t)(tick >> (SLOT_BITS * level)) % SLOTS;
        late += expire_slot(store, slot, now_ms, budget);
    }
    for (uint32_t i = 0; i < late; i++) {
        (void)fil_store__upkeep(store);
    }
    return removed + late;
}

static uint32_t check_slot(const struct fil_store *store, uint32_t slot)
{
    uint32_t count = 0;
    uint32_t previous = FIL_SLAB_NONE;
    for (uint32_t at = store->expiry->heads[slot]; at != FIL_SLAB_NONE; count++) {
        struct fil_record_timer timer = fil_record_timer(fil_store__record(store, at));
        fil_assert(slot_of(&timer) == slot);
        fil_assert(timer.previous == previous);
        previous = at;
        at = timer.next;
    }
    return count;
}

void fil_expiry__check(const struct fil_store *store)
{
    const struct fil_expiry *expiry = store->expiry;
    uint32_t count = 0;
    for (uint32_t slot = 0; expiry != NULL && slot < LEVELS * SLOTS; slot++) {
        uint32_t filed = check_slot(store, slot);
        bool is_marked = (expiry->occupied[slot / SLOTS] >> (slot % SLOTS) & 1) != 0;
        fil_assert(is_marked == (filed > 0));
        count += filed;
    }
    fil_assert(expiry == NULL || count == expiry->count);
}
