// SPDX-License-Identifier: Apache-2.0
/**
 * The index of one store: a linear hash table of 32-bit references in buckets of one cache line.
 *
 * A bucket holds twelve references with a byte of their hashes each, compared all at once. The
 * table grows by splitting one bucket at a time and shrinks by joining the last one to its twin, so
 * no operation ever moves more than a bucket or two. A bucket that is full continues in an overflow
 * bucket from the slab. Buckets lie in segments of 4 KiB; no memory is cleared or copied beyond
 * that but the directory of segments.
 *
 * Position: the low half of a hash with its bits reversed. Walking positions upwards visits every
 * entry once, however the table grows and shrinks meanwhile: see fil_table_group.
 *
 * Memory:  segments, directory and overflow are charged to the account the caller passes.
 * Threads: whoever owns the store.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/slab.h"
#include "core/store/tags.h"
#include "lib/base/attr.h"

#define FIL_BUCKET_SLOTS      12U
#define FIL_TABLE_SEGMENT     64U // buckets
#define FIL_TABLE_BUCKETS_MAX (1U << 30)
#define FIL_TABLE_END         (UINT64_C(1) << 32) // beyond every position

/** Slots are filled from the front: the first empty tag ends the bucket. */
struct fil_bucket {
    uint8_t tags[FIL_BUCKET_SLOTS]; // 0: empty
    uint32_t overflow;              // the next bucket of the chain, in the slab
    uint32_t references[FIL_BUCKET_SLOTS];
};

_Static_assert(sizeof(struct fil_bucket) == FIL_CACHE_LINE, "a bucket is one cache line");

struct fil_table {
    struct fil_bucket *first;     // segment; NULL until the first entry
    struct fil_bucket **segments; // the directory of the others; NULL until there are any
    uint32_t bucket_count;
    uint32_t mask; // a power of two minus one, above bucket_count / 2
    uint32_t count;
    uint8_t first_capacity; // buckets that the first segment has room for
    uint8_t directory_bits; // it has room for 1 << that; 0: there is none
    uint32_t guess_hash;    // low half of the hash that was guessed last
    uint32_t guess;         // what it was; FIL_SLAB_NONE once anything was taken out or replaced
};

/** The hash of what a reference stands for; asked for when buckets are split. */
typedef uint64_t (*fil_table_hash_fn)(const void *context, uint32_t reference);

/** Where a search stands; made by fil_table_find. */
struct fil_table_probe {
    struct fil_bucket *bucket;
    uint32_t matches; // slots of the bucket not looked at yet
    uint8_t tag;
};

void fil_table_init(struct fil_table *table);

/** Frees buckets but no entry; overflow buckets go with the slab. */
void fil_table_fini(struct fil_table *table, struct fil_account *account);

/** Adds a reference. FIL_E_NOMEM, and nothing is changed, when there is no room. */
int fil_table_add(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                  uint64_t hash, uint32_t reference) FIL_NODISCARD;

/** Takes out a reference that is there. */
void fil_table_remove(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                      uint64_t hash, uint32_t reference);

/** Replaces a reference that is there by another one of the same hash. */
void fil_table_replace(struct fil_table *table, const struct fil_slab *slab, uint64_t hash,
                       uint32_t reference, uint32_t replacement);

/**
 * One step towards the size that suits the count: at most one split or one join. Returns whether
 * another step is due. Without memory it does nothing; the table works at any size.
 */
bool fil_table_adapt(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                     fil_table_hash_fn hash_of, const void *context);

/** Moves overflow buckets of the group at a position out of draining runs. */
void fil_table_settle(struct fil_table *table, struct fil_slab *slab, struct fil_account *account,
                      uint64_t position);

/** Which entries of a group are wanted: up to `limit` after the first `skip`. */
struct fil_table_page {
    uint32_t skip;
    uint32_t limit;
};

/**
 * The entries of one group of buckets, the one that the position lies in, and where the next group
 * begins (FIL_TABLE_END after the last). A group holds all entries whose positions lie between its
 * begin and its end, and some more when the table has shrunk since: who wants each entry once
 * leaves out those below the position asked for. Writes the references of the page; returns how
 * many.
 */
uint32_t fil_table_group(const struct fil_table *table, const struct fil_slab *slab,
                         uint64_t position, struct fil_table_page page, uint32_t *out_references,
                         uint64_t *out_next);

/** Some references from a random place; at most one bucket's. The table is not empty. */
uint32_t fil_table_sample(const struct fil_table *table, const struct fil_slab *slab,
                          uint64_t random, uint32_t out_references[FIL_BUCKET_SLOTS]);

/** Asserts every invariant; for tests. */
void fil_table_check(const struct fil_table *table, const struct fil_slab *slab,
                     fil_table_hash_fn hash_of, const void *context);

static inline uint64_t fil_table_position(uint64_t hash)
{
    uint32_t low = (uint32_t)hash;
    low = __builtin_bswap32(low);
    low = (low & 0x0F0F0F0FU) << 4 | (low >> 4 & 0x0F0F0F0FU);
    low = (low & 0x33333333U) << 2 | (low >> 2 & 0x33333333U);
    return (low & 0x55555555U) << 1 | (low >> 1 & 0x55555555U);
}

static inline uint8_t fil_table_tag(uint64_t hash)
{
    // The low half chooses the bucket, the highest bits the partition.
    uint8_t tag = (uint8_t)(hash >> 32);
    return tag == 0 ? 1 : tag;
}

/** A small table has no directory to look into: that would be one more wait for memory. */
static inline struct fil_bucket *fil_table_at(const struct fil_table *table, uint32_t index)
{
    return index < FIL_TABLE_SEGMENT
               ? &table->first[index]
               : &table->segments[index / FIL_TABLE_SEGMENT - 1][index % FIL_TABLE_SEGMENT];
}

static inline struct fil_bucket *fil_table_bucket(const struct fil_table *table, uint64_t hash)
{
    uint32_t index = (uint32_t)hash & table->mask;
    if (index >= table->bucket_count) {
        index &= table->mask >> 1;
    }
    return fil_table_at(table, index);
}

static inline uint32_t fil_bucket_matches(const struct fil_bucket *bucket, uint8_t tag)
{
    // The overflow reference behind the tags is compared too, and left out of the result.
    return fil_tags_match(bucket->tags, tag) & ((1U << FIL_BUCKET_SLOTS) - 1);
}

/** The table must have buckets. */
static inline struct fil_table_probe fil_table_find(const struct fil_table *table, uint64_t hash)
{
    struct fil_table_probe probe = {.bucket = fil_table_bucket(table, hash),
                                    .tag = fil_table_tag(hash)};
    probe.matches = fil_bucket_matches(probe.bucket, probe.tag);
    return probe;
}

/** Remembers what a hash probably stands for, so that who looks for it next finds it at once. */
static inline void fil_table_note_guess(struct fil_table *table, uint64_t hash, uint32_t reference)
{
    table->guess_hash = (uint32_t)hash;
    table->guess = reference;
}

/** What was guessed for the hash and is still in the table; FIL_SLAB_NONE: nothing is known. */
static inline uint32_t fil_table_guessed(const struct fil_table *table, uint64_t hash)
{
    return table->guess_hash == (uint32_t)hash ? table->guess : FIL_SLAB_NONE;
}

/** The next reference with the tag looked for, or FIL_SLAB_NONE. */
static inline uint32_t fil_table_next(struct fil_table_probe *probe, const struct fil_slab *slab)
{
    while (probe->matches == 0) {
        if (probe->bucket->overflow == FIL_SLAB_NONE) {
            return FIL_SLAB_NONE;
        }
        probe->bucket = (struct fil_bucket *)fil_slab_at(slab, probe->bucket->overflow);
        probe->matches = fil_bucket_matches(probe->bucket, probe->tag);
    }
    uint32_t slot = (uint32_t)__builtin_ctz(probe->matches);
    probe->matches &= probe->matches - 1;
    return probe->bucket->references[slot];
}
