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
    budget->parent = NULL;
    budget->is_last = false;
    atomic_init(&budget->drawn_bytes, 0);
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

/** What must be left: by large draws a part of the spare bytes, whoever makes them. */
static uint64_t kept_from(const struct fil_budget *budget, uint64_t bytes, uint64_t spare_bytes)
{
    uint64_t kept =
        bytes > FIL_BUDGET_SMALL_BYTES ? budget->spare_bytes / FIL_BUDGET_SMALL_PART : 0;
    return (kept > spare_bytes ? kept : spare_bytes) + budget->last_bytes;
}

/** Exact: a draw that is refused never shows, so it cannot make others look too large. */
static bool try_draw_beside(struct fil_budget *budget, uint64_t bytes, uint64_t kept)
{
    // Relaxed throughout: the word only counts, memory itself is handed over elsewhere.
    uint64_t drawn = fil_budget_drawn(budget);
    // Lock-free: each failure means that another thread has drawn or returned.
    do {
        uint64_t left = budget->limit_bytes - drawn;
        if (kept > left || bytes > left - kept) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget->drawn_bytes, &drawn, drawn + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
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
    return part->is_last ? try_draw_beside(part->parent, bytes, 0)
                         : fil_budget_draw(part->parent, bytes);
}

static bool try_draw(struct fil_budget *budget, uint64_t bytes, uint64_t spare_bytes)
{
    if (!try_draw_beside(budget, bytes, kept_from(budget, bytes, spare_bytes))) {
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
    account->spare_bytes = 0;
    account->drawn_bytes = 0;
    atomic_init(&account->used_bytes, 0);
    account->sum = NULL;
}

void fil_account_init_data(struct fil_account *account, struct fil_budget *budget)
{
    fil_account_init(account, budget);
    account->spare_bytes = budget->spare_bytes;
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
        step = missing > step ? missing : step;
        // Near the limit a whole step may not be left where the missing bytes are.
        if (!try_draw(account->budget, step, account->spare_bytes)) {
            step = missing;
            if (!draw(account->budget, step, account->spare_bytes)) {
                return false;
            }
        }
        account->drawn_bytes += step;
    }
    set_used(account, used, used + bytes);
    return true;
}

void fil_account_give(struct fil_account *account, uint64_t bytes)
{
    uint64_t used = fil_account_used(account);
    fil_assert(bytes <= used);
    set_used(account, used, used - bytes);
    used -= bytes;
    uint64_t step = account->budget->step_bytes;
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
