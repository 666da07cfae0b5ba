// SPDX-License-Identifier: Apache-2.0
#include "core/store/table.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/pages.h"

// Entries a bucket at which the table grows and shrinks. In linear hashing the buckets that are yet
// to be split hold up to twice what the split ones hold, so eight of twelve is the mean to aim at.
#define GROW_LOAD          8U
#define SHRINK_LOAD        4U
#define DIRECTORY_BITS_MIN 2U

void fil_table_init(struct fil_table *table)
{
    *table = (struct fil_table){0};
}

static uint64_t buckets_bytes(uint32_t count)
{
    return (uint64_t)count * sizeof(struct fil_bucket);
}

/** Segments after the first, which the directory lists. */
static uint32_t segments_of(uint32_t bucket_count)
{
    return bucket_count == 0 ? 0 : (bucket_count - 1) / FIL_TABLE_SEGMENT;
}

static struct fil_bucket *bucket_at(const struct fil_table *table, uint32_t index)
{
    fil_debug_assert(index < table->bucket_count);
    return fil_table_at(table, index);
}

/** Buckets that indexes are taken modulo of before the last level of splits. */
static uint32_t base_of(const struct fil_table *table)
{
    return (table->mask >> 1) + 1;
}

static void set_bucket_count(struct fil_table *table, uint32_t count)
{
    table->bucket_count = count;
    // The smallest power of two that is at least the count; one bucket needs none.
    table->mask = count <= 1 ? 0 : (UINT32_MAX >> __builtin_clz(count - 1));
}

/** A whole segment is a page. */
static bool is_page(const struct fil_pages *pages, uint64_t bytes)
{
    return pages != NULL && bytes == FIL_PAGES_UNIT;
}

static void *alloc_segment(struct fil_pages *pages, uint64_t bytes)
{
    if (!is_page(pages, bytes)) {
        return fil_alloc_aligned(FIL_CACHE_LINE, bytes);
    }
    void *segment = fil_pages_take(pages, bytes);
    return segment == NULL ? NULL : memset(segment, 0, bytes);
}

static struct fil_bucket *new_segment(struct fil_account *account, uint32_t bucket_count)
{
    uint64_t bytes = buckets_bytes(bucket_count);
    if (!fil_account_take(account, bytes)) {
        return NULL;
    }
    struct fil_bucket *segment = alloc_segment(account->budget->pages, bytes);
    if (segment == NULL) {
        fil_account_give(account, bytes);
    }
    return segment;
}

static void free_segment(struct fil_account *account, struct fil_bucket *segment,
                         uint32_t bucket_count)
{
    struct fil_pages *pages = account->budget->pages;
    uint64_t bytes = buckets_bytes(bucket_count);
    if (is_page(pages, bytes)) {
        fil_pages_give(pages, segment, bytes);
    } else {
        fil_free(segment);
    }
    fil_account_give(account, bytes);
}

static uint64_t directory_bytes(uint32_t bits)
{
    return bits == 0 ? 0 : sizeof(struct fil_bucket *) << bits;
}

/** Room for one more segment in the directory. */
static bool has_directory(struct fil_table *table, struct fil_account *account, uint32_t wanted)
{
    uint32_t bits = table->directory_bits;
    if (wanted == 0 || (bits != 0 && wanted <= UINT32_C(1) << bits)) {
        return true;
    }
    uint64_t before = directory_bytes(bits);
    bits = bits == 0 ? DIRECTORY_BITS_MIN : bits + 1;
    uint64_t more = directory_bytes(bits) - before;
    if (!fil_account_take(account, more)) {
        return false;
    }
    struct fil_bucket **segments = fil_realloc(table->segments, directory_bytes(bits));
    if (segments == NULL) {
        fil_account_give(account, more);
        return false;
    }
    table->segments = segments;
    table->directory_bits = (uint8_t)bits;
    return true;
}

/** The first segment starts with one bucket and doubles until it has the size of the others. */
static bool resize_first(struct fil_table *table, struct fil_account *account, uint32_t capacity)
{
    struct fil_bucket *segment = new_segment(account, capacity);
    if (segment == NULL) {
        return false;
    }
    if (table->first_capacity > 0) {
        uint32_t kept = capacity < table->first_capacity ? capacity : table->first_capacity;
        memcpy(segment, table->first, buckets_bytes(kept));
        free_segment(account, table->first, table->first_capacity);
    }
    table->first = segment;
    table->first_capacity = (uint8_t)capacity;
    return true;
}

static bool has_bucket(struct fil_table *table, struct fil_account *account)
{
    uint32_t index = table->bucket_count;
    if (index >= FIL_TABLE_BUCKETS_MAX || !has_directory(table, account, segments_of(index + 1))) {
        return false;
    }
    if (index < FIL_TABLE_SEGMENT) {
        return index < table->first_capacity ||
               resize_first(table, account, index == 0 ? 1 : table->first_capacity * 2U);
    }
    if (index % FIL_TABLE_SEGMENT == 0) {
        struct fil_bucket *segment = new_segment(account, FIL_TABLE_SEGMENT);
        if (segment == NULL) {
            return false;
        }
        table->segments[index / FIL_TABLE_SEGMENT - 1] = segment;
    }
    return true;
}

/** Gives back what the last bucket was alone in; the bucket is gone already. */
static void drop_last_segment(struct fil_table *table, struct fil_account *account)
{
    uint32_t count = table->bucket_count;
    if (count >= FIL_TABLE_SEGMENT) {
        if (count % FIL_TABLE_SEGMENT == 0) {
            free_segment(account, table->segments[count / FIL_TABLE_SEGMENT - 1],
                         FIL_TABLE_SEGMENT);
        }
        return;
    }
    if (count > 0 && count * 4 <= table->first_capacity) {
        // Without memory for the smaller one the larger one stays.
        (void)resize_first(table, account, table->first_capacity / 2U);
    }
}

void fil_table_fini(struct fil_table *table, struct fil_account *account)
{
    for (uint32_t i = 0; i < segments_of(table->bucket_count); i++) {
        free_segment(account, table->segments[i], FIL_TABLE_SEGMENT);
    }
    if (table->first_capacity > 0) {
        free_segment(account, table->first, table->first_capacity);
    }
    if (table->segments != NULL) {
        fil_free(table->segments);
        fil_account_give(account, directory_bytes(table->directory_bits));
    }
    fil_table_init(table);
}

static struct fil_bucket *overflow_of(const struct fil_slab *slab, const struct fil_bucket *bucket)
{
    fil_debug_assert(bucket->overflow != FIL_SLAB_NONE);
    return (struct fil_bucket *)fil_slab_at(slab, bucket->overflow);
}

static uint32_t used_slots(const struct fil_bucket *bucket)
{
    uint32_t empty = fil_bucket_matches(bucket, 0);
    return empty == 0 ? FIL_BUCKET_SLOTS : (uint32_t)__builtin_ctz(empty);
}

static struct fil_bucket *last_of_chain(const struct fil_slab *slab, struct fil_bucket *bucket)
{
    while (bucket->overflow != FIL_SLAB_NONE) {
        bucket = overflow_of(slab, bucket);
    }
    return bucket;
}

/** Continues a chain in the given block of the slab. */
static struct fil_bucket *extend_chain(const struct fil_slab *slab, struct fil_bucket *last,
                                       uint32_t block)
{
    last->overflow = block;
    struct fil_bucket *bucket = overflow_of(slab, last);
    *bucket = (struct fil_bucket){0};
    return bucket;
}

static void fill_slot(struct fil_bucket *bucket, uint32_t slot, uint8_t tag, uint32_t reference)
{
    bucket->tags[slot] = tag;
    bucket->references[slot] = reference;
}

int fil_table_add(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                  uint64_t hash, uint32_t reference)
{
    fil_assert(reference != FIL_SLAB_NONE);
    if (table->bucket_count == 0) {
        if (!has_bucket(table, account)) {
            return FIL_E_NOMEM;
        }
        set_bucket_count(table, 1);
    }
    struct fil_bucket *last = last_of_chain(slab, fil_table_bucket(table, hash));
    uint32_t slot = used_slots(last);
    if (slot == FIL_BUCKET_SLOTS) {
        uint32_t block = fil_slab_alloc(slab, account, sizeof(struct fil_bucket));
        if (block == FIL_SLAB_NONE) {
            return FIL_E_NOMEM;
        }
        last = extend_chain(slab, last, block);
        slot = 0;
    }
    fill_slot(last, slot, fil_table_tag(hash), reference);
    table->count++;
    return FIL_OK;
}

struct place {
    struct fil_bucket *bucket;
    uint32_t slot;
};

static struct place place_of(const struct fil_table *table, const struct fil_slab *slab,
                             uint64_t hash, uint32_t reference)
{
    struct fil_table_probe probe = fil_table_find(table, hash);
    for (;;) {
        uint32_t matches = probe.matches;
        uint32_t found = fil_table_next(&probe, slab);
        fil_assert(found != FIL_SLAB_NONE);
        if (found == reference) {
            // The search may have gone on to the next bucket, whose matches were all new then.
            uint32_t slot =
                matches == 0 ? (uint32_t)__builtin_ctz(fil_bucket_matches(probe.bucket, probe.tag))
                             : (uint32_t)__builtin_ctz(matches);
            return (struct place){.bucket = probe.bucket, .slot = slot};
        }
    }
}

/** The chain's last bucket and the one before it, NULL when there is none. */
static void find_tail(const struct fil_slab *slab, struct fil_bucket *first,
                      struct fil_bucket **out_before, struct fil_bucket **out_last)
{
    *out_before = NULL;
    *out_last = first;
    while ((*out_last)->overflow != FIL_SLAB_NONE) {
        *out_before = *out_last;
        *out_last = overflow_of(slab, *out_last);
    }
}

void fil_table_remove(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                      uint64_t hash, uint32_t reference)
{
    fil_assert(table->count > 0);
    table->guess = FIL_SLAB_NONE;
    struct place hole = place_of(table, slab, hash, reference);
    struct fil_bucket *before = NULL;
    struct fil_bucket *last = NULL;
    find_tail(slab, fil_table_bucket(table, hash), &before, &last);
    // The chain's last entry fills the hole, so that chains have none.
    uint32_t end = used_slots(last) - 1;
    fill_slot(hole.bucket, hole.slot, last->tags[end], last->references[end]);
    last->tags[end] = 0;
    table->count--;
    if (end == 0 && before != NULL) {
        fil_slab_release(slab, account, before->overflow);
        before->overflow = FIL_SLAB_NONE;
    }
}

void fil_table_replace(struct fil_table *table, const struct fil_slab *slab, uint64_t hash,
                       uint32_t reference, uint32_t replacement)
{
    struct place place = place_of(table, slab, hash, reference);
    table->guess = FIL_SLAB_NONE;
    place.bucket->references[place.slot] = replacement;
}

/** Appends to a chain with blocks that the caller has at hand. */
struct chain {
    struct fil_bucket *last;
    uint32_t used; // of the last bucket
};

struct spares {
    uint32_t first; // blocks that no chain uses, linked by their overflow fields
};

static void keep_spare(const struct fil_slab *slab, struct spares *spares, uint32_t block)
{
    struct fil_bucket *bucket = (struct fil_bucket *)fil_slab_at(slab, block);
    bucket->overflow = spares->first;
    spares->first = block;
}

static uint32_t take_spare(const struct fil_slab *slab, struct spares *spares)
{
    uint32_t block = spares->first;
    fil_assert(block != FIL_SLAB_NONE);
    spares->first = ((const struct fil_bucket *)fil_slab_at(slab, block))->overflow;
    return block;
}

static void append(const struct fil_slab *slab, struct chain *chain, struct spares *spares,
                   uint8_t tag, uint32_t reference)
{
    if (chain->used == FIL_BUCKET_SLOTS) {
        chain->last = extend_chain(slab, chain->last, take_spare(slab, spares));
        chain->used = 0;
    }
    fill_slot(chain->last, chain->used, tag, reference);
    chain->used++;
}

static void prefetch_bucket(const struct fil_slab *slab, const struct fil_bucket *bucket)
{
    for (uint32_t slot = 0; slot < FIL_BUCKET_SLOTS && bucket->tags[slot] != 0; slot++) {
        FIL_PREFETCH(fil_slab_at(slab, bucket->references[slot]));
    }
}

static void release_spares(struct fil_slab *slab, struct fil_account *account,
                           struct spares *spares)
{
    while (spares->first != FIL_SLAB_NONE) {
        fil_slab_release(slab, account, take_spare(slab, spares));
    }
}

/**
 * Deals the entries of one chain to two. After reading n full buckets there are n - 1 spare blocks,
 * and what has been dealt needs no more than that, so nothing has to be allocated.
 */
static void split(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                  fil_table_hash_fn hash_of, const void *context)
{
    uint32_t high_index = table->bucket_count;
    uint32_t bit = high_index == 0 ? 0 : 1U << (31U - (uint32_t)__builtin_clz(high_index));
    struct fil_bucket *first = bucket_at(table, high_index - bit);
    set_bucket_count(table, high_index + 1);
    struct chain low = {.last = first};
    struct chain high = {.last = bucket_at(table, high_index)};
    *high.last = (struct fil_bucket){0};
    struct spares spares = {0};
    struct fil_bucket copy = *first;
    prefetch_bucket(slab, &copy);
    *first = (struct fil_bucket){0};
    for (;;) {
        for (uint32_t slot = 0; slot < FIL_BUCKET_SLOTS && copy.tags[slot] != 0; slot++) {
            bool is_high = ((uint32_t)hash_of(context, copy.references[slot]) & bit) != 0;
            append(slab, is_high ? &high : &low, &spares, copy.tags[slot], copy.references[slot]);
        }
        if (copy.overflow == FIL_SLAB_NONE) {
            break;
        }
        uint32_t block = copy.overflow;
        copy = *(const struct fil_bucket *)fil_slab_at(slab, block);
        prefetch_bucket(slab, &copy);
        keep_spare(slab, &spares, block);
    }
    release_spares(slab, account, &spares);
}

/** Appends the last bucket's chain to its twin's; needs at most one block that it has not got. */
static bool join(struct fil_table *table, struct fil_slab *slab, struct fil_account *account)
{
    struct fil_bucket *high = bucket_at(table, table->bucket_count - 1);
    struct fil_bucket *first = bucket_at(table, table->bucket_count - 1 - base_of(table));
    struct chain low = {.last = last_of_chain(slab, first)};
    low.used = used_slots(low.last);
    struct spares spares = {0};
    struct fil_bucket copy = *high;
    if (low.used + used_slots(high) > FIL_BUCKET_SLOTS) {
        uint32_t block = fil_slab_alloc(slab, account, sizeof(struct fil_bucket));
        if (block == FIL_SLAB_NONE) {
            return false;
        }
        keep_spare(slab, &spares, block);
    }
    for (;;) {
        for (uint32_t slot = 0; slot < FIL_BUCKET_SLOTS && copy.tags[slot] != 0; slot++) {
            append(slab, &low, &spares, copy.tags[slot], copy.references[slot]);
        }
        if (copy.overflow == FIL_SLAB_NONE) {
            break;
        }
        uint32_t block = copy.overflow;
        copy = *(const struct fil_bucket *)fil_slab_at(slab, block);
        keep_spare(slab, &spares, block);
    }
    release_spares(slab, account, &spares);
    set_bucket_count(table, table->bucket_count - 1);
    drop_last_segment(table, account);
    return true;
}

bool fil_table_adapt(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                     fil_table_hash_fn hash_of, const void *context)
{
    uint64_t buckets = table->bucket_count;
    if (table->count > buckets * GROW_LOAD) {
        if (!has_bucket(table, account)) {
            return false;
        }
        split(table, slab, account, hash_of, context);
        return table->count > (buckets + 1) * GROW_LOAD;
    }
    if (buckets > 1 && table->count < (buckets - 1) * SHRINK_LOAD) {
        return join(table, slab, account);
    }
    return false;
}

static void settle_chain(struct fil_slab *slab, struct fil_account *account,
                         struct fil_bucket *bucket)
{
    while (bucket->overflow != FIL_SLAB_NONE) {
        uint32_t old = bucket->overflow;
        if (fil_slab_is_draining(slab, old)) {
            uint32_t block = fil_slab_alloc(slab, account, sizeof(struct fil_bucket));
            if (block == FIL_SLAB_NONE) {
                return;
            }
            memcpy(fil_slab_at(slab, block), fil_slab_at(slab, old), sizeof(struct fil_bucket));
            bucket->overflow = block;
            fil_slab_release(slab, account, old);
        }
        bucket = overflow_of(slab, bucket);
    }
}

/** The buckets of the group that a position lies in: one, or two when it is split already. */
struct group {
    struct fil_bucket *buckets[2];
    uint32_t count;
    uint64_t next;
};

struct listing {
    uint32_t *references;
    uint32_t limit;
    uint32_t skip;
    uint32_t count;
};

static struct group group_at(const struct fil_table *table, uint64_t position)
{
    fil_debug_assert(position < FIL_TABLE_END);
    uint32_t base = table->bucket_count <= 1 ? 1 : base_of(table);
    uint64_t width = FIL_TABLE_END / base;
    uint32_t index = (uint32_t)fil_table_position(position) & (base - 1);
    struct group group = {.buckets = {bucket_at(table, index)}, .count = 1};
    group.next = (position / width + 1) * width;
    if (index + base < table->bucket_count) {
        group.buckets[1] = bucket_at(table, index + base);
        group.count = 2;
    }
    return group;
}

void fil_table_settle(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                      uint64_t position)
{
    if (table->bucket_count == 0) {
        return;
    }
    struct group group = group_at(table, position);
    for (uint32_t i = 0; i < group.count; i++) {
        settle_chain(slab, account, group.buckets[i]);
    }
}

/** Adds the references of one chain, as far as they lie between skip and skip + limit. */
static void list_chain(const struct fil_slab *slab, const struct fil_bucket *bucket,
                       struct listing *listing)
{
    for (;;) {
        for (uint32_t slot = 0; slot < FIL_BUCKET_SLOTS && bucket->tags[slot] != 0; slot++) {
            if (listing->skip > 0) {
                listing->skip--;
            } else if (listing->count < listing->limit) {
                listing->references[listing->count] = bucket->references[slot];
                listing->count++;
            }
        }
        if (bucket->overflow == FIL_SLAB_NONE) {
            return;
        }
        bucket = overflow_of(slab, bucket);
    }
}

uint32_t fil_table_group(const struct fil_table *table, const struct fil_slab *slab,
                         uint64_t position, struct fil_table_page page, uint32_t *out_references,
                         uint64_t *out_next)
{
    fil_assert(page.limit > 0);
    *out_next = FIL_TABLE_END;
    if (table->bucket_count == 0 || position >= FIL_TABLE_END) {
        return 0;
    }
    struct group group = group_at(table, position);
    struct listing listing = {.limit = page.limit, .skip = page.skip};
    listing.references = out_references;
    for (uint32_t i = 0; i < group.count; i++) {
        list_chain(slab, group.buckets[i], &listing);
    }
    *out_next = group.next;
    return listing.count;
}

uint32_t fil_table_sample(const struct fil_table *table, const struct fil_slab *slab,
                          uint64_t random, uint32_t out_references[FIL_BUCKET_SLOTS])
{
    fil_assert(table->count > 0);
    uint32_t index = (uint32_t)(((random & UINT32_MAX) * table->bucket_count) >> 32);
    uint32_t high = (uint32_t)(random >> 32);
    for (;;) {
        const struct fil_bucket *bucket = bucket_at(table, index);
        // Chains are rare and short; now and then one of their later buckets is taken.
        while (bucket->overflow != FIL_SLAB_NONE && (high & 1) != 0) {
            bucket = overflow_of(slab, bucket);
            high >>= 1;
        }
        uint32_t count = used_slots(bucket);
        if (count > 0) {
            memcpy(out_references, bucket->references, count * sizeof(*out_references));
            return count;
        }
        index = index + 1 == table->bucket_count ? 0 : index + 1;
    }
}

static uint32_t check_chain(const struct fil_table *table, const struct fil_slab *slab,
                            uint32_t index, fil_table_hash_fn hash_of, const void *context)
{
    const struct fil_bucket *bucket = bucket_at(table, index);
    uint32_t count = 0;
    for (;;) {
        uint32_t used = used_slots(bucket);
        for (uint32_t slot = 0; slot < FIL_BUCKET_SLOTS; slot++) {
            fil_assert((bucket->tags[slot] != 0) == (slot < used));
            if (slot < used) {
                uint64_t hash = hash_of(context, bucket->references[slot]);
                fil_assert(bucket->tags[slot] == fil_table_tag(hash));
                fil_assert(fil_table_bucket(table, hash) == bucket_at(table, index));
            }
        }
        count += used;
        if (bucket->overflow == FIL_SLAB_NONE) {
            return count;
        }
        fil_assert(used == FIL_BUCKET_SLOTS);
        bucket = overflow_of(slab, bucket);
        fil_assert(used_slots(bucket) > 0);
    }
}

void fil_table_check(const struct fil_table *table, const struct fil_slab *slab,
                     fil_table_hash_fn hash_of, const void *context)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        count += check_chain(table, slab, i, hash_of, context);
    }
    fil_assert(count == table->count);
    if (table->guess != FIL_SLAB_NONE) {
        (void)place_of(table, slab, hash_of(context, table->guess), table->guess); // it is there
    }
}
