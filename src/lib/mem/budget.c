// SPDX-License-Identifier: Apache-2.0
#include "lib/mem/budget.h"

#include <stddef.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

void fil_budget_init(struct fil_budget *budget, uint64_t limit_bytes)
{
    fil_assert(limit_bytes > 0);
    budget->pages = NULL;
    budget->limit_bytes = limit_bytes;
    budget->step_bytes = FIL_ACCOUNT_STEP_BYTES;
    budget->spare_bytes = 0;
    budget->last_bytes = 0;
    budget->loan_bytes = 0;
    budget->parent = NULL;
    budget->is_last = false;
    atomic_init(&budget->drawn_bytes, 0);
    atomic_init(&budget->lent_bytes, 0);
    atomic_init(&budget->refused_count, 0);
}

void fil_budget_init_part(struct fil_budget *budget, struct fil_budget *parent,
                          uint64_t limit_bytes)
{
    fil_assert(parent != NULL && parent != budget);
    fil_budget_init(budget, limit_bytes);
    budget->parent = parent;
    budget->pages = parent->pages;
}

void fil_budget_init_last(struct fil_budget *budget, struct fil_budget *parent,
                          uint64_t limit_bytes)
{
    fil_assert(parent->last_bytes == 0);
    fil_assert(parent->spare_bytes < parent->limit_bytes - limit_bytes);
    fil_budget_init_part(budget, parent, limit_bytes);
    budget->is_last = true;
    parent->last_bytes = limit_bytes;
}

void fil_budget_use_pages(struct fil_budget *budget, struct fil_pages *pages)
{
    fil_assert(fil_budget_drawn(budget) == 0);
    budget->pages = pages;
}

void fil_budget_divide(struct fil_budget *budget, uint64_t step_bytes, uint64_t spare_bytes)
{
    fil_assert(step_bytes > 0);
    fil_assert(spare_bytes < budget->limit_bytes - budget->last_bytes);
    budget->step_bytes = step_bytes;
    budget->spare_bytes = spare_bytes;
}

void fil_budget_lend(struct fil_budget *budget, uint64_t loan_bytes)
{
    fil_assert(budget->parent == NULL); // a part has what the whole gives it
    fil_assert(loan_bytes <= UINT64_MAX - budget->limit_bytes);
    budget->loan_bytes = loan_bytes;
}

/** What must be left: by large draws a part of the spare bytes, whoever makes them. */
static uint64_t kept_from(const struct fil_budget *budget, uint64_t bytes, uint64_t spare_bytes)
{
    uint64_t kept =
        bytes > FIL_BUDGET_SMALL_BYTES ? budget->spare_bytes / FIL_BUDGET_SMALL_PART : 0;
    return (kept > spare_bytes ? kept : spare_bytes) + budget->last_bytes;
}

/** Exact: a draw that is refused never shows, so it cannot make others look too large. */
static bool try_draw_below(struct fil_budget *budget, uint64_t bytes, uint64_t limit)
{
    // Relaxed throughout: the word only counts, memory itself is handed over elsewhere.
    uint64_t drawn = fil_budget_drawn(budget);
    // Lock-free: each failure means that another thread has drawn or returned.
    do {
        if (drawn > limit || bytes > limit - drawn) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget->drawn_bytes, &drawn, drawn + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

/** Who leaves nothing to others also has what was lent beyond the limit: so that is not at their
 * expense. */
static bool try_draw_beside(struct fil_budget *budget, uint64_t bytes, uint64_t spare_bytes,
                            uint64_t kept)
{
    // Relaxed: as above.
    uint64_t lent =
        spare_bytes == 0 ? atomic_load_explicit(&budget->lent_bytes, memory_order_relaxed) : 0;
    uint64_t limit = budget->limit_bytes + lent;
    return kept <= limit && try_draw_below(budget, bytes, limit - kept);
}

/** Draws what data may not have, and notes what the others are short of by that. The loan first,
 * then a half of what is spared. */
static bool try_borrow(struct fil_budget *budget, uint64_t bytes)
{
    uint64_t limit = budget->limit_bytes + budget->loan_bytes - budget->last_bytes;
    if (budget->loan_bytes == 0 ||
        !try_draw_below(budget, bytes, limit - budget->spare_bytes / 2)) {
        return false;
    }
    uint64_t drawn = fil_budget_drawn(budget) + budget->spare_bytes + budget->last_bytes;
    uint64_t lent = drawn > budget->limit_bytes ? drawn - budget->limit_bytes : 0;
    lent = lent < budget->loan_bytes ? lent : budget->loan_bytes;
    // Relaxed: a bound, which the next one who borrows sets anew.
    atomic_store_explicit(&budget->lent_bytes, lent, memory_order_relaxed);
    return true;
}

/** Of this budget alone. */
static void put_back(struct fil_budget *budget, uint64_t bytes)
{
    uint64_t before = atomic_fetch_sub_explicit(&budget->drawn_bytes, bytes, memory_order_relaxed);
    fil_assert(before >= bytes);
}

/** Of the whole, for a part. */
static bool draw_of_whole(struct fil_budget *part, uint64_t bytes)
{
    return part->is_last ? try_draw_beside(part->parent, bytes, 0, 0)
                         : fil_budget_draw(part->parent, bytes);
}

static bool try_draw(struct fil_budget *budget, uint64_t bytes, uint64_t spare_bytes)
{
    uint64_t kept = kept_from(budget, bytes, spare_bytes);
    if (!try_draw_beside(budget, bytes, spare_bytes, kept)) {
        return false;
    }
    if (FIL_UNLIKELY(budget->parent != NULL) && !draw_of_whole(budget, bytes)) {
        put_back(budget, bytes);
        return false;
    }
    return true;
}

static bool draw(struct fil_budget *budget, uint64_t bytes, uint64_t spare_bytes)
{
    bool is_drawn = try_draw(budget, bytes, spare_bytes);
    if (FIL_UNLIKELY(!is_drawn)) {
        atomic_fetch_add_explicit(&budget->refused_count, 1, memory_order_relaxed);
    }
    return is_drawn;
}

bool fil_budget_draw(struct fil_budget *budget, uint64_t bytes)
{
    return draw(budget, bytes, 0);
}

bool fil_budget_draw_data(struct fil_budget *budget, uint64_t bytes)
{
    return draw(budget, bytes, budget->spare_bytes);
}

void fil_budget_return(struct fil_budget *budget, uint64_t bytes)
{
    put_back(budget, bytes);
    if (FIL_UNLIKELY(budget->parent != NULL)) {
        fil_budget_return(budget->parent, bytes);
    }
}

uint64_t fil_budget_drawn(struct fil_budget *budget)
{
    return atomic_load_explicit(&budget->drawn_bytes, memory_order_relaxed);
}

void fil_account_init(struct fil_account *account, struct fil_budget *budget)
{
    fil_assert(budget != NULL);
    account->budget = budget;
    account->is_data = false;
    account->may_borrow = false;
    account->drawn_bytes = 0;
    atomic_init(&account->used_bytes, 0);
    account->sum = NULL;
}

void fil_account_init_data(struct fil_account *account, struct fil_budget *budget)
{
    fil_account_init(account, budget);
    account->is_data = true;
}

/** What the owner uses has changed. */
static void set_used(struct fil_account *account, uint64_t before, uint64_t used)
{
    // Relaxed: readers want a figure, not the memory behind it.
    atomic_store_explicit(&account->used_bytes, used, memory_order_relaxed);
    if (account->sum != NULL) {
        *account->sum += used - before; // less wraps round, and back again
    }
}

void fil_account_join(struct fil_account *account, uint64_t *sum)
{
    uint64_t used = fil_account_used(account);
    if (account->sum != NULL) {
        fil_assert(*account->sum >= used);
        *account->sum -= used;
    }
    account->sum = sum;
    if (sum != NULL) {
        *sum += used;
    }
}

void fil_account_fini(struct fil_account *account)
{
    fil_assert(fil_account_used(account) == 0);
    fil_budget_return(account->budget, account->drawn_bytes);
    account->drawn_bytes = 0;
}

bool fil_account_take(struct fil_account *account, uint64_t bytes)
{
    uint64_t used = fil_account_used(account);
    fil_debug_assert(used <= account->drawn_bytes);
    if (bytes > account->drawn_bytes - used) {
        uint64_t missing = bytes - (account->drawn_bytes - used);
        uint64_t step = account->budget->step_bytes;
        uint64_t spare_bytes = account->is_data ? account->budget->spare_bytes : 0;
        step = missing > step ? missing : step;
        // Near the limit a whole step may not be left where the missing bytes are.
        if (!try_draw(account->budget, step, spare_bytes)) {
            step = missing;
            bool is_borrowed = account->may_borrow && try_borrow(account->budget, step);
            if (!is_borrowed && !draw(account->budget, step, spare_bytes)) {
                return false;
            }
        }
        account->drawn_bytes += step;
    }
    set_used(account, used, used + bytes);
    return true;
}

bool fil_budget_is_lending(struct fil_budget *budget)
{
    // Not any more when all is below the limit again. Relaxed: a bound, which the next one who
    // borrows sets anew.
    if (FIL_LIKELY(atomic_load_explicit(&budget->lent_bytes, memory_order_relaxed) == 0)) {
        return false;
    }
    uint64_t kept = budget->spare_bytes + budget->last_bytes;
    bool is_below = fil_budget_drawn(budget) + kept <= budget->limit_bytes;
    if (is_below) {
        atomic_store_explicit(&budget->lent_bytes, 0, memory_order_relaxed);
    }
    return !is_below;
}

void fil_account_give(struct fil_account *account, uint64_t bytes)
{
    uint64_t used = fil_account_used(account);
    fil_assert(bytes <= used);
    set_used(account, used, used - bytes);
    used -= bytes;
    // While something is lent nobody keeps what he does not use.
    uint64_t step = fil_budget_is_lending(account->budget) ? 0 : account->budget->step_bytes;
    if (account->drawn_bytes - used > 2 * step) {
        uint64_t surplus = account->drawn_bytes - used - step;
        fil_budget_return(account->budget, surplus);
        account->drawn_bytes -= surplus;
    }
}

void fil_account_settle(struct fil_account *account)
{
    uint64_t surplus = account->drawn_bytes - fil_account_used(account);
    fil_budget_return(account->budget, surplus);
    account->drawn_bytes -= surplus;
}

void fil_account_detach(struct fil_account *account, uint64_t bytes)
{
    uint64_t used = fil_account_used(account);
    fil_assert(bytes <= used);
    fil_assert(used <= account->drawn_bytes);
    set_used(account, used, used - bytes);
    account->drawn_bytes -= bytes;
}

void fil_account_attach(struct fil_account *account, uint64_t bytes)
{
    uint64_t used = fil_account_used(account);
    account->drawn_bytes += bytes;
    fil_assert(used + bytes <= account->drawn_bytes);
    set_used(account, used, used + bytes);
}

uint64_t fil_account_used(const struct fil_account *account)
{
    return atomic_load_explicit(&account->used_bytes, memory_order_relaxed);
}

void *fil_budget_alloc(struct fil_budget *budget, size_t size)
{
    if (!fil_budget_draw(budget, size)) {
        return NULL;
    }
    void *block = fil_alloc_zero(1, size);
    if (block == NULL) {
        fil_budget_return(budget, size);
    }
    return block;
}

void fil_budget_free(struct fil_budget *budget, void *block, size_t size)
{
    if (block != NULL) {
        fil_free(block);
        fil_budget_return(budget, size);
    }
}
