// SPDX-License-Identifier: Apache-2.0
/**
 * Sorted sets: bundles whose members have scores, in the order of these, and of the members' bytes
 * where scores are equal.
 *
 * Work:    of a large one about the logarithm of its members, and what is visited or removed.
 * Memory:  as of bundles. No score is a NaN.
 */
#pragma once

#include "core/items/ranking.h"
#include "core/shelf/bundle.h"

/** A member that was looked for; good until the next change. The rest is the set's. */
struct fil_zset_member {
    struct fil_bytes bytes;
    double score; // when it is there
    bool is_there;
    uint64_t hash;              // of a large set
    struct fil_store_spot spot; // likewise
};

/** Looks for a member, whose bytes are borrowed. */
void fil_zset_seek(struct fil_bundle *bundle, struct fil_bytes member,
                   struct fil_zset_member *out_member);

/** Gives it another score, or adds it when it is not there. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_zset_set(struct fil_bundle *bundle, const struct fil_zset_member *member, double score)
    FIL_NODISCARD;

/** Whether the member is there, and its score. */
bool fil_zset_find(struct fil_bundle *bundle, struct fil_bytes member, double *out_score);

/** Adds the member or changes its score. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_zset_put(struct fil_bundle *bundle, struct fil_bytes member, double score, bool *out_is_new)
    FIL_NODISCARD;

/** Whether it was there. */
bool fil_zset_remove(struct fil_bundle *bundle, struct fil_bytes member);

/** How many members are below, as fil_ranking_below. */
uint64_t fil_zset_below(struct fil_bundle *bundle, fil_ranking_below_fn is_below,
                        const void *context);

/** How many members stand before this one with its score. */
uint64_t fil_zset_rank(struct fil_bundle *bundle, struct fil_bytes member, double score);

/** Some members that follow each other. */
struct fil_zset_range {
    uint64_t first; // its place, from the end when it is reverse
    uint64_t count;
    bool is_reverse;
};

/** Must not change the set. */
typedef void (*fil_zset_visit_fn)(void *context, struct fil_bytes member, double score);

/** Visits the members of a range that is there. */
void fil_zset_visit(struct fil_bundle *bundle, const struct fil_zset_range *range,
                    fil_zset_visit_fn visit, void *context);

/** Removes `count` members from a place on, which are there. */
void fil_zset_remove_range(struct fil_bundle *bundle, uint64_t first, uint64_t count);
