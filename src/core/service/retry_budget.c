// SPDX-License-Identifier: Apache-2.0
#include "core/service/retry_budget.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define PAY_EVERY_NS  (NS_PER_SECOND / 100)
#define COST          100U // of a retry

void fil_retry_budget_init(struct fil_retry_budget *budget)
{
    *budget = (struct fil_retry_budget){.percent = FIL_RETRY_BUDGET_PERCENT,
                                        .per_second = FIL_RETRY_BUDGET_PER_SECOND,
                                        .saved_max = FIL_RETRY_BUDGET_SAVED_MAX,
                                        .left = FIL_RETRY_BUDGET_SAVED_MAX * COST / 10};
}

// All relaxed: figures for decisions that may be a moment old.

static void deposit(struct fil_retry_budget *budget, uint64_t amount)
{
    uint64_t before = atomic_fetch_add_explicit(&budget->left, amount, memory_order_relaxed);
    if (before + amount > (uint64_t)budget->saved_max * COST) {
        atomic_fetch_sub_explicit(&budget->left, amount, memory_order_relaxed);
    }
}

void fil_retry_budget_pay(struct fil_retry_budget *budget, uint64_t now_ns)
{
    uint64_t paid_ns = atomic_load_explicit(&budget->paid_ns, memory_order_relaxed);
    uint64_t elapsed_ns = now_ns > paid_ns ? now_ns - paid_ns : 0;
    // Only who moves the time on pays for it.
    if (elapsed_ns >= PAY_EVERY_NS &&
        atomic_compare_exchange_strong_explicit(&budget->paid_ns, &paid_ns, now_ns,
                                                memory_order_relaxed, memory_order_relaxed)) {
        elapsed_ns = elapsed_ns < NS_PER_SECOND ? elapsed_ns : NS_PER_SECOND;
        deposit(budget, elapsed_ns * budget->per_second * COST / NS_PER_SECOND);
    }
    deposit(budget, budget->percent);
}

bool fil_retry_budget_take(struct fil_retry_budget *budget)
{
    uint64_t left = atomic_load_explicit(&budget->left, memory_order_relaxed);
    // Lock-free: each failure means that another thread has paid or taken.
    do {
        if (left < COST) {
            fil_counter_add_shared(&budget->refused, 1);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget->left, &left, left - COST,
                                                    memory_order_relaxed, memory_order_relaxed));
    fil_counter_add_shared(&budget->granted, 1);
    return true;
}
