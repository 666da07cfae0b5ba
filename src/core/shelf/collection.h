// SPDX-License-Identifier: Apache-2.0
/**
 * One value that has items: a list, or a hash, a set, a sorted set that has become too large to
 * stand in its record (bundle.h).
 *
 * Memory:  charged to the account that it was made with. FIL_E_NOMEM leaves everything as it was.
 * Threads: single-threaded; whoever owns the shelf.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/items/items.h"
#include "core/items/ranking.h"
#include "core/shelf/stream.h"
#include "core/store/store.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/mem/budget.h"

enum fil_collection_kind {
    FIL_COLLECTION_LIST,
    FIL_COLLECTION_HASH,
    FIL_COLLECTION_SET,
    FIL_COLLECTION_ZSET,
    FIL_COLLECTION_STREAM,
};

/** Members with or without values; with their order when values are scores. */
struct fil_collection_box {
    struct fil_store store;     // the value of a sorted set is the score, as it is in memory
    struct fil_ranking ranking; // of a sorted set
    struct fil_account *account;
    struct fil_store_options options; // of the store
};

struct fil_collection {
    enum fil_collection_kind kind;
    bool is_odd; // has had items that Redis would not keep in its compact form
    union {
        struct fil_items items;         // of a list
        struct fil_xstream *stream;     // of a stream
        struct fil_collection_box *box; // of all others
    };
};

/** An empty one. NULL: no memory. The seed is of the members' hash. */
struct fil_collection *fil_collection_new(enum fil_collection_kind kind,
                                          struct fil_account *account, uint64_t seed);
void fil_collection_free(struct fil_collection *collection);

/** The hash of a member of a hash, a set or a sorted set. */
static inline uint64_t fil_collection_hash(const struct fil_collection *collection,
                                           struct fil_bytes member)
{
    return fil_hash(member, collection->box->options.hash_seed);
}

/** Adds a member that is not there, with its value or score. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_collection_add(struct fil_collection *collection, uint64_t hash, struct fil_bytes member,
                       struct fil_bytes value) FIL_NODISCARD;

/** The score that is the value of a member. */
static inline double fil_collection_score(struct fil_bytes value)
{
    double score = 0;
    fil_assert(value.size == sizeof(score));
    memcpy(&score, value.data, sizeof(score));
    return score;
}

/** Gives the target, empty and of the same kind, what is in the source. FIL_E_NOMEM: it has a part
 * of it. */
int fil_collection_copy(const struct fil_collection *source, struct fil_collection *target)
    FIL_NODISCARD;

/** The same without copying: the source is empty then. Both have the same seed. */
void fil_collection_move(struct fil_collection *source, struct fil_collection *target);

/** The seed it was made with; of a list and a stream 0. */
uint64_t fil_collection_seed(const struct fil_collection *collection);

/** How many items there are, and the bytes of memory that they cost. */
uint64_t fil_collection_count(const struct fil_collection *collection);
uint64_t fil_collection_bytes(const struct fil_collection *collection);
