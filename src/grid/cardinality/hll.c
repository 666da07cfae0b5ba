// SPDX-License-Identifier: Apache-2.0
#include "grid/cardinality/hll.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define INDEX_BITS  14U
#define SPARSE_BITS 25U
#define EXTRA_BITS  (SPARSE_BITS - INDEX_BITS) // of the sparse index, beyond the register's
#define RANK_BITS   6U                         // of a sparse entry

static_assert(FIL_HLL_RANK_MAX == 64U - INDEX_BITS + 1U, "the bits behind the index, and one");

void fil_hll_init(struct fil_hll *hll, struct fil_account *account)
{
    fil_assert(account != NULL);
    *hll = (struct fil_hll){.account = account};
}

static void drop_sparse(struct fil_hll *hll)
{
    fil_account_give(hll->account, hll->sparse_capacity * sizeof(uint32_t));
    fil_free(hll->sparse);
    hll->sparse = NULL;
    hll->sparse_count = 0;
    hll->sparse_capacity = 0;
}

void fil_hll_fini(struct fil_hll *hll)
{
    drop_sparse(hll);
    if (hll->registers != NULL) {
        fil_account_give(hll->account, FIL_HLL_REGISTERS);
        fil_free(hll->registers);
        hll->registers = NULL;
    }
}

uint64_t fil_hll_bytes(const struct fil_hll *hll)
{
    return hll->sparse_capacity * sizeof(uint32_t) +
           (hll->registers == NULL ? 0 : FIL_HLL_REGISTERS);
}

/** The place of the first 1 bit from the top, counted from 1; `bits` + 1 when there is none. */
static uint32_t rank_of(uint64_t word, uint32_t bits)
{
    uint64_t top = word << (64U - bits);
    return top == 0 ? bits + 1 : (uint32_t)__builtin_clzll(top) + 1;
}

static uint32_t sparse_of(uint64_t hash)
{
    uint32_t index = (uint32_t)(hash >> (64U - SPARSE_BITS));
    return (index << RANK_BITS) | rank_of(hash, 64U - SPARSE_BITS);
}

/** What a sparse entry says about its register. */
static uint32_t register_rank(uint32_t entry)
{
    uint32_t extra = (entry >> RANK_BITS) & ((1U << EXTRA_BITS) - 1);
    return extra != 0 ? rank_of(extra, EXTRA_BITS) : EXTRA_BITS + (entry & ((1U << RANK_BITS) - 1));
}

static bool raise_register(struct fil_hll *hll, uint32_t index, uint32_t rank)
{
    fil_assert(index < FIL_HLL_REGISTERS && rank <= FIL_HLL_RANK_MAX);
    bool is_higher = rank > hll->registers[index];
    if (is_higher) {
        hll->registers[index] = (uint8_t)rank;
    }
    return is_higher;
}

/** From the array to registers. */
static int densify(struct fil_hll *hll)
{
    if (!fil_account_take(hll->account, FIL_HLL_REGISTERS)) {
        return FIL_E_NOMEM;
    }
    hll->registers = fil_alloc_zero(1, FIL_HLL_REGISTERS);
    if (hll->registers == NULL) {
        fil_account_give(hll->account, FIL_HLL_REGISTERS);
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < hll->sparse_count; i++) {
        uint32_t entry = hll->sparse[i];
        (void)raise_register(hll, entry >> (RANK_BITS + EXTRA_BITS), register_rank(entry));
    }
    drop_sparse(hll);
    return FIL_OK;
}

/** Where the entry of that index is or would be. */
static uint32_t find_sparse(const struct fil_hll *hll, uint32_t index)
{
    uint32_t low = 0;
    uint32_t high = hll->sparse_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (hll->sparse[middle] >> RANK_BITS < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int grow_sparse(struct fil_hll *hll)
{
    uint32_t more = hll->sparse_capacity == 0 ? 8 : hll->sparse_capacity / 2;
    if (!fil_account_take(hll->account, more * sizeof(uint32_t))) {
        return FIL_E_NOMEM;
    }
    uint32_t *larger = fil_realloc(hll->sparse, (hll->sparse_capacity + more) * sizeof(uint32_t));
    if (larger == NULL) {
        fil_account_give(hll->account, more * sizeof(uint32_t));
        return FIL_E_NOMEM;
    }
    hll->sparse = larger;
    hll->sparse_capacity += more;
    return FIL_OK;
}

static int insert_sparse(struct fil_hll *hll, uint32_t place, uint32_t entry)
{
    if (hll->sparse_count == hll->sparse_capacity) {
        int error = grow_sparse(hll);
        if (error != FIL_OK) {
            return error;
        }
    }
    memmove(hll->sparse + place + 1, hll->sparse + place,
            (hll->sparse_count - place) * sizeof(uint32_t));
    hll->sparse[place] = entry;
    hll->sparse_count++;
    return FIL_OK;
}

static int add_sparse(struct fil_hll *hll, uint32_t entry, bool *out_has_changed)
{
    uint32_t place = find_sparse(hll, entry >> RANK_BITS);
    bool is_there =
        place < hll->sparse_count && hll->sparse[place] >> RANK_BITS == entry >> RANK_BITS;
    *out_has_changed = !is_there || hll->sparse[place] < entry;
    if (!is_there) {
        return insert_sparse(hll, place, entry);
    }
    if (*out_has_changed) {
        hll->sparse[place] = entry;
    }
    return FIL_OK;
}

int fil_hll_add(struct fil_hll *hll, uint64_t hash, bool *out_has_changed)
{
    if (hll->registers == NULL && hll->sparse_count < FIL_HLL_SPARSE_MAX) {
        return add_sparse(hll, sparse_of(hash), out_has_changed);
    }
    int error = hll->registers == NULL ? densify(hll) : FIL_OK;
    if (error == FIL_OK) {
        uint32_t index = (uint32_t)(hash >> (64U - INDEX_BITS));
        *out_has_changed = raise_register(hll, index, rank_of(hash, 64U - INDEX_BITS));
    }
    return error;
}

/** The sum over registers that are still 0; Ertl's sigma. */
static double low_part(double share)
{
    double weight = 1.0;
    double sum = share;
    double before = 0.0;
    if (share >= 1.0) {
        return HUGE_VAL;
    }
    do {
        share *= share;
        before = sum;
        sum += share * weight;
        weight += weight;
    } while (sum > before);
    return sum;
}

/** The sum over registers that are full; Ertl's tau. */
static double high_part(double share)
{
    double weight = 1.0;
    double sum = 1.0 - share;
    double before = 0.0;
    if (share <= 0.0 || share >= 1.0) {
        return 0.0;
    }
    do {
        share = sqrt(share);
        before = sum;
        weight *= 0.5;
        sum -= (1.0 - share) * (1.0 - share) * weight;
    } while (sum < before);
    return sum / 3.0;
}

uint64_t fil_hll_estimate_ranks(const uint32_t counts[FIL_HLL_RANK_MAX + 1])
{
    const double size = (double)FIL_HLL_REGISTERS;
    double sum = size * high_part(1.0 - (double)counts[FIL_HLL_RANK_MAX] / size);
    for (uint32_t rank = FIL_HLL_RANK_MAX - 1; rank > 0; rank--) {
        sum = 0.5 * (sum + (double)counts[rank]);
    }
    sum += size * low_part((double)counts[0] / size);
    return (uint64_t)(size * size / (2.0 * log(2.0) * sum) + 0.5);
}

static uint64_t estimate_registers(const struct fil_hll *hll)
{
    uint32_t counts[FIL_HLL_RANK_MAX + 1] = {0};
    for (uint32_t i = 0; i < FIL_HLL_REGISTERS; i++) {
        counts[hll->registers[i]]++;
    }
    return fil_hll_estimate_ranks(counts);
}

uint64_t fil_hll_estimate(const struct fil_hll *hll)
{
    if (hll->registers != NULL) {
        return estimate_registers(hll);
    }
    // So few of so many places are taken that counting the free ones is exact but for collisions.
    const double places = (double)(UINT32_C(1) << SPARSE_BITS);
    return (uint64_t)(places * log(places / (places - (double)hll->sparse_count)) + 0.5);
}

static int merge_entry(struct fil_hll *hll, uint32_t entry)
{
    bool has_changed = false;
    if (hll->registers == NULL && hll->sparse_count < FIL_HLL_SPARSE_MAX) {
        return add_sparse(hll, entry, &has_changed);
    }
    int error = hll->registers == NULL ? densify(hll) : FIL_OK;
    if (error == FIL_OK) {
        (void)raise_register(hll, entry >> (RANK_BITS + EXTRA_BITS), register_rank(entry));
    }
    return error;
}

int fil_hll_merge(struct fil_hll *hll, const struct fil_hll *other)
{
    int error = FIL_OK;
    for (uint32_t i = 0; i < other->sparse_count && error == FIL_OK; i++) {
        error = merge_entry(hll, other->sparse[i]);
    }
    if (other->registers == NULL || error != FIL_OK) {
        return error;
    }
    error = hll->registers == NULL ? densify(hll) : FIL_OK;
    for (uint32_t i = 0; i < FIL_HLL_REGISTERS && error == FIL_OK; i++) {
        (void)raise_register(hll, i, other->registers[i]);
    }
    return error;
}
