// SPDX-License-Identifier: Apache-2.0
/**
 * Which entry goes when there is no room for another.
 *
 * LRU, LFU and RANDOM look at a sample of entries from random buckets, as Hazelcast does; one that
 * has expired is taken at once. SIEVE keeps all entries in a queue, newest first; its hand goes
 * from the oldest to the newest, spares what was used since it came by last and takes the first
 * that was not.
 */
#include "core/store/store_internal.h"
#include "lib/base/assert.h"

#define SAMPLE_MIN     15U
#define SAMPLE_DRAWS   4U
#define VICTIMS_MAX    128U // a write evicts no more to get below a limit
#define GROUPS_MAX     64U  // of buckets that a write looks through for records to move
#define GROUP_BYTES    512U // of the write for each
#define MARK_PART      10U  // of what data may take: entries go before the last one of these
#define HAND_STEPS_MAX 64U  // spared at a time, then the next one goes all the same

uint64_t fil_store__random(struct fil_store *store)
{
    // splitmix64: one word of state, good enough to sample with.
    store->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t value = store->random;
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

// The queue.

static void set_older(struct fil_store *store, uint32_t of, uint32_t older)
{
    if (of == FIL_SLAB_NONE) {
        store->newest = older;
        return;
    }
    uint8_t *record = fil_store__record(store, of);
    struct fil_record_links links = fil_record_links(record);
    links.older = older;
    fil_record_set_links(record, &links);
}

static void set_newer(struct fil_store *store, uint32_t of, uint32_t newer)
{
    if (of == FIL_SLAB_NONE) {
        store->oldest = newer;
        return;
    }
    uint8_t *record = fil_store__record(store, of);
    struct fil_record_links links = fil_record_links(record);
    links.newer = newer;
    fil_record_set_links(record, &links);
}

void fil_sieve__push(struct fil_store *store, uint32_t reference)
{
    struct fil_record_links links = {.newer = FIL_SLAB_NONE, .older = store->newest};
    fil_record_set_links(fil_store__record(store, reference), &links);
    set_newer(store, store->newest, reference);
    store->newest = reference;
}

void fil_sieve__remove(struct fil_store *store, uint32_t reference)
{
    struct fil_record_links links = fil_record_links(fil_store__record(store, reference));
    set_older(store, links.newer, links.older);
    set_newer(store, links.older, links.newer);
    if (store->hand == reference) {
        store->hand = links.newer;
    }
}

void fil_sieve__moved(struct fil_store *store, uint32_t from, uint32_t to)
{
    struct fil_record_links links = fil_record_links(fil_store__record(store, to));
    set_older(store, links.newer, to);
    set_newer(store, links.older, to);
    if (store->hand == from) {
        store->hand = to;
    }
}

void fil_sieve__check(const struct fil_store *store)
{
    if (store->options->eviction != FIL_EVICTION_SIEVE) {
        return;
    }
    uint32_t count = 0;
    uint32_t newer = FIL_SLAB_NONE;
    bool is_hand_met = store->hand == FIL_SLAB_NONE;
    for (uint32_t at = store->newest; at != FIL_SLAB_NONE; count++) {
        struct fil_record_links links = fil_record_links(fil_store__record(store, at));
        fil_assert(links.newer == newer);
        is_hand_met = is_hand_met || at == store->hand;
        newer = at;
        at = links.older;
    }
    fil_assert(newer == store->oldest);
    fil_assert(count == store->table.count);
    fil_assert(is_hand_met);
}

// Victims.

static bool may_go(struct fil_store *store, uint32_t reference, uint32_t kept)
{
    const struct fil_store_options *options = store->options;
    if (reference == kept) {
        return false;
    }
    return options->can_evict == NULL ||
           options->can_evict(options->context, store,
                              fil_record_key(fil_store__record(store, reference)));
}

static uint32_t advance_hand(struct fil_store *store, uint64_t now_ms, uint32_t kept)
{
    uint32_t choice = FIL_SLAB_NONE;
    for (uint32_t step = 0; step < HAND_STEPS_MAX; step++) {
        uint32_t at = store->hand == FIL_SLAB_NONE ? store->oldest : store->hand;
        if (at == FIL_SLAB_NONE) {
            break;
        }
        uint8_t *record = fil_store__record(store, at);
        store->hand = fil_record_links(record).newer;
        if (may_go(store, at, kept)) {
            choice = at;
            if (!fil_record_has(record, FIL_RECORD_VISITED) ||
                fil_store__is_expired(record, now_ms)) {
                break;
            }
        }
        record[0] &= (uint8_t)~FIL_RECORD_VISITED;
    }
    return choice;
}

/** How willingly a record is lost; the largest goes first. Expired ones before all others. */
static uint64_t rank(const struct fil_store *store, uint32_t reference, uint64_t now_ms)
{
    const uint8_t *record = fil_store__record(store, reference);
    if (fil_store__is_expired(record, now_ms)) {
        return UINT64_MAX;
    }
    struct fil_record_access access = fil_record_access(record);
    uint64_t age = fil_store__tick(now_ms) - access.tick;
    if (store->options->eviction == FIL_EVICTION_LRU) {
        return age + 1;
    }
    // Fewer hits first; among equals the longer unused.
    return ((uint64_t)(UINT32_MAX - access.hits) << 31 | age >> 1) + 1;
}

static uint32_t pick_ranked(struct fil_store *store, uint64_t now_ms, uint32_t kept)
{
    uint32_t choice = FIL_SLAB_NONE;
    uint64_t best = 0;
    uint32_t seen = 0;
    for (uint32_t draw = 0; draw < SAMPLE_DRAWS && seen < SAMPLE_MIN; draw++) {
        uint32_t sample[FIL_BUCKET_SLOTS];
        uint32_t count =
            fil_table_sample(&store->table, &store->slab, fil_store__random(store), sample);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t value = may_go(store, sample[i], kept) ? rank(store, sample[i], now_ms) : 0;
            if (value > best) {
                best = value;
                choice = sample[i];
            }
        }
        seen += count;
    }
    return choice;
}

/** The first from a random place on that may go, or one that has expired. */
static uint32_t choose_random(struct fil_store *store, uint64_t now_ms, uint32_t kept)
{
    uint32_t choice = FIL_SLAB_NONE;
    uint32_t sample[FIL_BUCKET_SLOTS];
    uint32_t count =
        fil_table_sample(&store->table, &store->slab, fil_store__random(store), sample);
    uint32_t first = (uint32_t)(fil_store__random(store) % count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t reference = sample[(first + i) % count];
        bool is_expired = fil_store__is_expired(fil_store__record(store, reference), now_ms);
        if ((choice == FIL_SLAB_NONE || is_expired) && may_go(store, reference, kept)) {
            choice = reference;
            if (is_expired) {
                break;
            }
        }
    }
    return choice;
}

static uint32_t pick_random(struct fil_store *store, uint64_t now_ms, uint32_t kept)
{
    uint32_t choice = FIL_SLAB_NONE;
    for (uint32_t draw = 0; choice == FIL_SLAB_NONE && draw < SAMPLE_DRAWS; draw++) {
        choice = choose_random(store, now_ms, kept);
    }
    return choice;
}

static uint32_t pick_victim(struct fil_store *store, uint64_t now_ms, uint32_t kept)
{
    if (store->table.count == 0) {
        return FIL_SLAB_NONE;
    }
    switch (store->options->eviction) {
    case FIL_EVICTION_LRU:
    case FIL_EVICTION_LFU:
        return pick_ranked(store, now_ms, kept);
    case FIL_EVICTION_RANDOM:
        return pick_random(store, now_ms, kept);
    case FIL_EVICTION_SIEVE:
        return advance_hand(store, now_ms, kept);
    case FIL_EVICTION_NONE:
        break;
    }
    return FIL_SLAB_NONE;
}

static void drop_victim(struct fil_store *store, uint32_t victim, uint64_t now_ms)
{
    bool is_expired = fil_store__is_expired(fil_store__record(store, victim), now_ms);
    fil_store__drop(store, victim, is_expired ? FIL_STORE_EXPIRED : FIL_STORE_EVICTED);
}

bool fil_eviction__evict(struct fil_store *store, uint64_t now_ms, uint32_t kept)
{
    uint32_t victim = pick_victim(store, now_ms, kept);
    if (victim != FIL_SLAB_NONE) {
        drop_victim(store, victim, now_ms);
    }
    return victim != FIL_SLAB_NONE;
}

bool fil_eviction__evict_near(struct fil_store *store, uint64_t hash, uint64_t now_ms)
{
    if (store->options->eviction == FIL_EVICTION_NONE || store->table.bucket_count == 0) {
        return false;
    }
    const struct fil_bucket *bucket = fil_table_bucket(&store->table, hash);
    for (uint32_t slot = 0; slot < FIL_BUCKET_SLOTS && bucket->tags[slot] != 0; slot++) {
        uint32_t reference = bucket->references[slot];
        if (may_go(store, reference, FIL_SLAB_NONE)) {
            drop_victim(store, reference, now_ms);
            return true;
        }
    }
    return false;
}

/** Bytes of what is there, without slots that wait to be used again: they shrink with every victim.
 */
static uint64_t live_bytes(const struct fil_store *store)
{
    return fil_store_bytes(store) - (store->slab.run_bytes - store->slab.used_bytes);
}

static bool is_over(const struct fil_store *store, const struct fil_store__need *need)
{
    const struct fil_store_options *options = store->options;
    if (need->is_entry && options->entry_count_max != 0 &&
        store->table.count >= options->entry_count_max) {
        return true;
    }
    return options->byte_count_max != 0 &&
           live_bytes(store) + need->bytes > options->byte_count_max;
}

/** What may be drawn before entries go: the structure's share, and always less than data can get,
 * so that no write is refused while there is something to evict. */
static uint64_t high_mark(const struct fil_store *store)
{
    const struct fil_budget *budget = store->account.budget;
    uint64_t limit = budget->limit_bytes - budget->spare_bytes - budget->last_bytes;
    uint64_t percent = store->options->memory_percent_max;
    uint64_t mark = limit - limit / MARK_PART;
    uint64_t share = budget->limit_bytes / 100 * percent;
    return percent != 0 && share < mark ? share : mark;
}

/**
 * Bytes that have to go because the member's memory fills up. What is drawn falls only when whole
 * runs come back, so taking more until it does would empty the store: what comes is made up for,
 * and as much again until there is enough between the entries to give runs back by moving some.
 */
static uint64_t owed_bytes(struct fil_store *store, const struct fil_store__need *need)
{
    // What the store itself has drawn ahead is there for it.
    uint64_t ahead = store->account.drawn_bytes - fil_account_used(&store->account);
    store->is_pressed = fil_budget_drawn(store->account.budget) >= high_mark(store) + ahead;
    if (!store->is_pressed) {
        return 0;
    }
    uint64_t groups = need->bytes / GROUP_BYTES;
    store->drain_groups = groups < GROUPS_MAX ? (uint8_t)groups : GROUPS_MAX;
    return fil_slab_is_sparse(&store->slab, true) ? need->bytes : 2 * need->bytes;
}

void fil_eviction__make_room(struct fil_store *store, uint64_t now_ms,
                             const struct fil_store__need *need)
{
    if (store->options->eviction == FIL_EVICTION_NONE) {
        return;
    }
    uint64_t owed = owed_bytes(store, need);
    uint64_t kept_bytes = store->slab.used_bytes > owed ? store->slab.used_bytes - owed : 0;
    for (uint32_t i = 0; i < VICTIMS_MAX; i++) {
        bool is_owing = owed > 0 && store->slab.used_bytes > kept_bytes;
        if (!is_owing && !is_over(store, need)) {
            return;
        }
        if (!fil_eviction__evict(store, now_ms, need->kept)) {
            return;
        }
    }
}

bool fil_store_is_short(const struct fil_store *store)
{
    return fil_budget_drawn(store->account.budget) >= high_mark(store);
}

uint32_t fil_store_evict(struct fil_store *store, uint64_t now_ms, uint32_t budget)
{
    uint32_t evicted = 0;
    while (evicted < budget && fil_eviction__evict(store, now_ms, FIL_SLAB_NONE)) {
        evicted++;
        (void)fil_store__upkeep(store);
    }
    return evicted;
}
