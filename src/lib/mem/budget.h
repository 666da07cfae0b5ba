// SPDX-License-Identifier: Apache-2.0
/**
 * Accounting of memory against a limit.
 *
 * A budget is the member's limit, shared by all threads. An account belongs to one owner (a loop,
 * a partition): it draws from the budget in steps, so that the shared word is touched rarely,
 * and knows exactly what its owner uses.
 *
 * Progress: draw is lock-free, the other budget functions are wait-free.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"

#define FIL_ACCOUNT_STEP_BYTES UINT64_C(65536)

// What a small request and its reply need at a time. Larger draws leave a part of the spare bytes,
// so that the large requests of one client never take what the small ones of another need.
#define FIL_BUDGET_SMALL_BYTES UINT64_C(16384)
#define FIL_BUDGET_SMALL_PART  8U

struct fil_pages;

struct fil_budget {
    // Set before the budget is shared, then read-only.
    struct fil_pages *pages; // where data lies; NULL: in the heap
    uint64_t limit_bytes;
    uint64_t step_bytes;       // in which accounts draw
    uint64_t spare_bytes;      // which accounts of data leave to the others
    uint64_t last_bytes;       // which everybody leaves to the part of the last resort
    uint64_t loan_bytes;       // which accounts that may borrow draw beyond the limit at most
    struct fil_budget *parent; // of which this is a part, with a limit of its own; NULL: none
    bool is_last;              // a part that may draw what all others leave

    // Shared.
    _Atomic uint64_t drawn_bytes;
    _Atomic uint64_t lent_bytes; // beyond the limit, so that what is spared stays for the others
    _Atomic uint64_t refused_count;
};

/** Accounts draw in steps of FIL_ACCOUNT_STEP_BYTES; nothing is spared. */
void fil_budget_init(struct fil_budget *budget, uint64_t limit_bytes);

/** A part of another budget: what is drawn counts in both, and either may refuse. */
void fil_budget_init_part(struct fil_budget *budget, struct fil_budget *parent,
                          uint64_t limit_bytes);

/**
 * The part of the last resort: as many bytes of the whole, which nobody else gets. So whoever must
 * answer when all else is full can. Before the whole is shared; one a budget.
 */
void fil_budget_init_last(struct fil_budget *budget, struct fil_budget *parent,
                          uint64_t limit_bytes);

/** Changes the steps, and what data and large draws must leave; before accounts are made. */
void fil_budget_divide(struct fil_budget *budget, uint64_t step_bytes, uint64_t spare_bytes);

/**
 * Lets accounts that may borrow draw so much beyond the limit, for what must not fail because data
 * has filled it: the others still have all that is spared for them. When the loan is used up they
 * may have a half of that, too. Before accounts are made; not of a part.
 */
void fil_budget_lend(struct fil_budget *budget, uint64_t loan_bytes);

/** Lets data lie in pages, which must outlive it; before accounts are made. */
void fil_budget_use_pages(struct fil_budget *budget, struct fil_pages *pages);

/** False, and counted, when the limit would be exceeded. */
FIL_ANY_THREAD bool fil_budget_draw(struct fil_budget *budget, uint64_t bytes) FIL_NODISCARD;

/** The same for data that has no account: it leaves what is spared. */
FIL_ANY_THREAD bool fil_budget_draw_data(struct fil_budget *budget, uint64_t bytes) FIL_NODISCARD;
FIL_ANY_THREAD void fil_budget_return(struct fil_budget *budget, uint64_t bytes);

/** Whether something is lent beyond the limit: a time to give back what is not needed. */
FIL_ANY_THREAD bool fil_budget_is_lending(struct fil_budget *budget);

/** A block whose bytes are drawn, zeroed; NULL when either is out. Give it back with its size. */
FIL_ANY_THREAD void *fil_budget_alloc(struct fil_budget *budget, size_t size) FIL_NODISCARD;
FIL_ANY_THREAD void fil_budget_free(struct fil_budget *budget, void *block, size_t size);

/** Bytes drawn by all accounts; up to two steps an account more than what is in use. */
FIL_ANY_THREAD uint64_t fil_budget_drawn(struct fil_budget *budget);

struct fil_account {
    struct fil_budget *budget;
    bool is_data;         // it leaves to others what the budget spares
    bool may_borrow;      // for now: what is taken is little, or takes the place of something
    uint64_t drawn_bytes; // the owner's share of the budget
    _Atomic uint64_t used_bytes; // written by the owner, read by anyone
    uint64_t *sum;               // of what several accounts of the owner use; NULL: nobody's
};

void fil_account_init(struct fil_account *account, struct fil_budget *budget);

/** For data, which stays: leaves what the budget spares, so that requests can still be answered. */
void fil_account_init_data(struct fil_account *account, struct fil_budget *budget);

/** Everything must have been given back. */
void fil_account_fini(struct fil_account *account);

/** Owner. False when the budget has no room; nothing is taken then. */
bool fil_account_take(struct fil_account *account, uint64_t bytes) FIL_NODISCARD;
void fil_account_give(struct fil_account *account, uint64_t bytes);

/** Owner: returns what is drawn and not used, because nothing more is expected soon. */
void fil_account_settle(struct fil_account *account);

/**
 * Memory in use changes hands: the one owner detaches it, with its share of the budget, and the
 * other attaches it later. Never refused: the bytes stay drawn meanwhile.
 */
void fil_account_detach(struct fil_account *account, uint64_t bytes);
void fil_account_attach(struct fil_account *account, uint64_t bytes);

/**
 * Counts what the account uses in a sum of its owner's from now on, NULL for none, and no more in
 * the one before. The sum is written with every change, and must live as long.
 */
void fil_account_join(struct fil_account *account, uint64_t *sum);

/** Exact bytes in use by the owner, as of its last call. */
FIL_ANY_THREAD uint64_t fil_account_used(const struct fil_account *account);
