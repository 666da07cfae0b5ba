// SPDX-License-Identifier: Apache-2.0
/**
 * Collections under keys: those of one partition of a database, with their times to live.
 *
 * Work:    finding, adding and removing a key is a store's; removing frees the collection's blocks.
 * Time:    callers pass the time of day in milliseconds, never going back.
 * Memory:  keys are charged to the store's account, the rest to the shelf's. FIL_E_NOMEM leaves
 *          everything as it was. Nothing is evicted.
 * Threads: single-threaded; whoever owns the partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/shelf/value.h"
#include "core/store/store.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

/** A key has expired; must not touch the shelf. */
typedef void (*fil_shelf_gone_fn)(void *context, struct fil_bytes key);

struct fil_shelf {
    struct fil_store_options options;
    fil_shelf_gone_fn gone;     // NULL: nobody is told
    void *context;              // of that
    struct fil_account account; // of what is in the collections
    struct fil_store store;     // keys, and what value.h says
    uint64_t bytes;             // that both use, and the stores of large collections
    bool is_clearing;
};

/** FIL_E_NOMEM. The hashes given with keys are fil_hash with this seed. */
int fil_shelf_new(struct fil_shelf **out_shelf, struct fil_budget *budget, uint64_t hash_seed)
    FIL_NODISCARD;

/** Who is told of keys that expire. */
static inline void fil_shelf_tell(struct fil_shelf *shelf, fil_shelf_gone_fn gone, void *context)
{
    shelf->gone = gone;
    shelf->context = context;
}

void fil_shelf_free(struct fil_shelf *shelf);

/** Keys, those included that have expired and wait to be removed. */
static inline uint32_t fil_shelf_count(const struct fil_shelf *shelf)
{
    return fil_store_count(&shelf->store);
}

/** Bytes in use by keys and collections; exact. */
static inline uint64_t fil_shelf_bytes(const struct fil_shelf *shelf)
{
    return shelf->bytes;
}

/** An empty list or stream under a key that has nothing; the caller fills it or removes it.
 * FIL_E_NOMEM. */
int fil_shelf_add(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                  enum fil_collection_kind kind, uint64_t now_ms, struct fil_collection **out_new)
    FIL_NODISCARD;

/**
 * Gives the key a copy of the value of a record, of this shelf or another, and frees what it has.
 * A large one may be moved: then it is empty where it was. FIL_E_NOMEM: all is as it was.
 */
int fil_shelf_receive(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                      const struct fil_store_write *how, struct fil_bytes value, bool is_move)
    FIL_NODISCARD;

/** Whether the key was there. */
bool fil_shelf_remove(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                      uint64_t now_ms);

/** What is known of the key; the value is for value.h. Nobody notices. */
bool fil_shelf_inspect(const struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                       uint64_t now_ms, struct fil_store_view *out_view);

/** FIL_E_NOT_FOUND, FIL_E_NOMEM. */
int fil_shelf_set_expiry(struct fil_shelf *shelf, uint64_t hash, struct fil_bytes key,
                         const struct fil_store_write *how) FIL_NODISCARD;

/** Removes up to about `budget` keys; true while there are more. */
bool fil_shelf_clear(struct fil_shelf *shelf, uint32_t budget);
