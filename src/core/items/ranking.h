// SPDX-License-Identifier: Apache-2.0
/**
 * Members in the order of their scores, and of their bytes where scores are equal, with their
 * places: a B+ tree whose nodes know how many members are below them.
 *
 * A member is an entry of a store, named by its reference; its bytes are looked at only where
 * scores are equal. Who moves a record says so (fil_ranking_redirect).
 *
 * Work:    adding, removing, finding a place: about the logarithm of the count, in few nodes.
 * Memory:  charged to the account; a member costs 16 bytes, and nodes are half full at worst but
 *          where members went. FIL_E_NOMEM leaves everything as it was.
 * Threads: single-threaded; whoever owns the account.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/store/store.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

struct fil_ranking_leaf;

struct fil_ranking {
    struct fil_account *account;
    const struct fil_store *members;
    uint64_t count;
    uint64_t bytes; // of memory, as charged
    void *root;     // NULL: empty; a leaf when the depth is 0
    uint32_t depth; // inner levels above the leaves
};

/** Owns nothing until the first member comes; the store outlives it. */
void fil_ranking_init(struct fil_ranking *ranking, struct fil_account *account,
                      const struct fil_store *members);
void fil_ranking_fini(struct fil_ranking *ranking);

/** Less than, equal to or greater than 0: the order of bytes, as of C strings. */
int fil_ranking_compare(struct fil_bytes a, struct fil_bytes b);

/** A member of the store with a score that it has or is to have. */
struct fil_ranking_mark {
    double score;
    struct fil_bytes member;
};

/** Adds a member, which is in the store under the reference, and not here with this score.
 * FIL_E_NOMEM. */
int fil_ranking_add(struct fil_ranking *ranking, const struct fil_ranking_mark *mark,
                    uint32_t reference) FIL_NODISCARD;

/** Takes out a member that is there with this score, and still in the store. */
void fil_ranking_remove(struct fil_ranking *ranking, const struct fil_ranking_mark *mark);

/** The record of a member that is there is at another reference now; both can still be read. */
void fil_ranking_redirect(struct fil_ranking *ranking, const struct fil_ranking_mark *mark,
                          uint32_t reference);

/** Whether a member stands before what is looked for: true for some first ones, then false. */
typedef bool (*fil_ranking_below_fn)(const void *context, double score, struct fil_bytes member);

/** How many members are below. */
uint64_t fil_ranking_below(const struct fil_ranking *ranking, fil_ranking_below_fn is_below,
                           const void *context);

/** Hints for a group of changes, whose waits for memory then overlap: ask for all roots, then for
 * all leaves where members of these scores are about. */
FIL_PREFETCHES void fil_ranking_prefetch(const struct fil_ranking *ranking);
FIL_PREFETCHES void fil_ranking_prefetch_leaf(const struct fil_ranking *ranking, double score);

/** Where a member stands; the leaf is NULL before the first and behind the last. Good until the
 * next change. */
struct fil_ranking_cursor {
    const struct fil_ranking_leaf *leaf;
    uint32_t slot;
};

struct fil_ranking_cursor fil_ranking_at(const struct fil_ranking *ranking, uint64_t place);
void fil_ranking_next(struct fil_ranking_cursor *cursor);
void fil_ranking_previous(struct fil_ranking_cursor *cursor);

/** The member of a cursor that stands on one, borrowed from the store, and its score. */
struct fil_ranking_mark fil_ranking_read(const struct fil_ranking *ranking,
                                         const struct fil_ranking_cursor *cursor);

/** All memory is another account's from now on. */
void fil_ranking_hand_over(struct fil_ranking *ranking, struct fil_account *account);

/** Asserts every invariant; for tests. */
void fil_ranking_check(const struct fil_ranking *ranking);
