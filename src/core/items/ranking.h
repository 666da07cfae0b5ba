// SPDX-License-Identifier: Apache-2.0
/**
 * Members in the order of their scores, and of their bytes where scores are equal, with their
 * places: a skip list whose links know how far they reach.
 *
 * Work:    adding, removing, finding a place: about the logarithm of the count.
 * Memory:  charged to the account; a member costs 40 bytes and its own. FIL_E_NOMEM leaves
 *          everything as it was. What is given out is borrowed until the member goes.
 * Threads: single-threaded; whoever owns the account.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/prng.h"
#include "lib/mem/budget.h"

#define FIL_RANKING_LEVELS 16U // each has a quarter of the one below: enough for 2^32 members

struct fil_ranking_node;

struct fil_ranking_link {
    struct fil_ranking_node *next; // NULL: the end
    uint64_t span;                 // how many places further that is
};

struct fil_ranking_node {
    struct fil_ranking_node *previous; // NULL: it is the first
    double score;
    uint32_t member_size;
    uint32_t level_count;
    struct fil_ranking_link links[]; // the member's bytes are behind them
};

struct fil_ranking {
    struct fil_account *account;
    uint64_t count;
    uint64_t bytes; // of memory, as charged
    struct fil_ranking_node *last;
    struct fil_prng prng;
    struct fil_ranking_link links[FIL_RANKING_LEVELS];
};

void fil_ranking_init(struct fil_ranking *ranking, struct fil_account *account, uint64_t seed);
void fil_ranking_fini(struct fil_ranking *ranking);

/** Less than, equal to or greater than 0: the order of bytes, as of C strings. */
int fil_ranking_compare(struct fil_bytes a, struct fil_bytes b);

static inline struct fil_bytes fil_ranking_member(const struct fil_ranking_node *node)
{
    return fil_bytes_make(&node->links[node->level_count], node->member_size);
}

/** Adds a member that is not there. FIL_E_NOMEM. */
int fil_ranking_add(struct fil_ranking *ranking, double score, struct fil_bytes member)
    FIL_NODISCARD;

/** Takes out a member that is there with this score. */
void fil_ranking_remove(struct fil_ranking *ranking, double score, struct fil_bytes member);

/** Whether a member stands before what is looked for: true for some first ones, then false. */
typedef bool (*fil_ranking_below_fn)(const void *context, double score, struct fil_bytes member);

/** How many members are below. */
uint64_t fil_ranking_below(const struct fil_ranking *ranking, fil_ranking_below_fn is_below,
                           const void *context);

/** The member at a place, NULL behind the last; then links[0].next and previous lead on. */
struct fil_ranking_node *fil_ranking_at(const struct fil_ranking *ranking, uint64_t place);

/** All members go to the other, which is empty, with their memory. */
void fil_ranking_move(struct fil_ranking *target, struct fil_ranking *source);

/** Asserts every invariant; for tests. */
void fil_ranking_check(const struct fil_ranking *ranking);
