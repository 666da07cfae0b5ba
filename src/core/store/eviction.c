// SPDX-License-Identifier: Apache-2.0
/**
 * Which entry goes when there is no room for another.
 *
 * LRU, LFU and RANDOM look at a sample of entries from random buckets, as Hazelcast does; one that
 * has expired is taken at once. SIEVE keeps all entries in a queue, newest first; its hand goes
 * from the oldest to the newest, spares what was read since it came by last and takes the first
 * that was not.
 */
#include "core/store/store_internal.h"
#include "lib/base/assert.h"

#define SAMPLE_MIN     15U
#define SAMPLE_DRAWS   4U
#define VICTIMS_MAX    4U  // a write evicts no more to get below a limit
#define HAND_STEPS_MAX 64U // spared at a time, then the next one goes all the same

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

static uint32_t pick_random(struct fil_store *store, uint32_t kept)
{
    for (uint32_t draw = 0; draw < SAMPLE_DRAWS; draw++) {
        uint32_t sample[FIL_BUCKET_SLOTS];
        uint32_t count =
            fil_table_sample(&store->table, &store->slab, fil_store__random(store), sample);
        uint32_t first = (uint32_t)(fil_store__random(store) % count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t reference = sample[(first + i) % count];
            if (may_go(store, reference, kept)) {
                return reference;
            }
        }
    }
    return FIL_SLAB_NONE;
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
        return pick_random(store, kept);
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

static bool is_over(const struct fil_store *store)
{
    const struct fil_store_options *options = store->options;
    if (options->entry_count_max != 0 && store->table.count >= options->entry_count_max) {
        return true;
    }
    return options->byte_count_max != 0 && live_bytes(store) >= options->byte_count_max;
}

/**
 * How many have to go because the member's memory fills up. What is drawn falls only when whole
 * runs come back, so taking more until it does would empty the store: one makes room for the new
 * entry, and a second one, half-way to the limit, lets the store shrink.
 */
static uint32_t victims_for_memory(const struct fil_store *store)
{
    uint64_t percent = store->options->memory_percent_max;
    if (percent == 0) {
        return 0;
    }
    struct fil_budget *budget = store->account.budget;
    uint64_t drawn = fil_budget_drawn(budget);
    uint64_t high = budget->limit_bytes / 100 * percent;
    if (drawn < high) {
        return 0;
    }
    return drawn < high + (budget->limit_bytes - high) / 2 ? 1 : 2;
}

void fil_eviction__make_room(struct fil_store *store, uint64_t now_ms)
{
    if (store->options->eviction == FIL_EVICTION_NONE) {
        return;
    }
    uint32_t wanted = victims_for_memory(store);
    for (uint32_t i = 0; i < wanted || (i < VICTIMS_MAX && is_over(store)); i++) {
        if (!fil_eviction__evict(store, now_ms, FIL_SLAB_NONE)) {
            return;
        }
    }
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
