// SPDX-License-Identifier: Apache-2.0
/**
 * Memory for one store's blocks: slots of size classes, in runs, named by 32-bit references.
 *
 * A run is one allocation cut into equal slots. A class's runs start at about a kilobyte and grow
 * with the class, a sixteenth of what it has at a time, so that a near-empty store is small and a
 * large one asks for memory rarely. From a page on they are whole pages of the budget's (see
 * lib/mem/pages.h), which go back to the system; only the first few come from the heap. Classes are
 * spaced by 8 bytes up to 128 and by a sixteenth above. A block beyond the largest class is a run
 * of its own. Fresh slots are not touched before their first use; freed ones are used again first.
 *
 * Draining: sparse runs are marked, nothing new goes into them, and whoever knows the references
 * moves the blocks out (fil_slab_is_draining). An empty run is retired, and is given back
 * when fil_slab_reclaim is called: one a call, because giving pages back takes its time.
 *
 * Memory:  runs and tables are charged to the account the caller passes, exactly as allocated.
 * Threads: whoever owns the store.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/mem/budget.h"

#define FIL_SLAB_NONE      0U    // no block
#define FIL_SLAB_SLOT_MAX  8192U // larger blocks are apart
#define FIL_SLAB_CLASSES   112U
#define FIL_SLAB_SLOT_BITS 12U
#define FIL_SLAB_SLOTS_MAX (1U << FIL_SLAB_SLOT_BITS)
#define FIL_SLAB_RUNS_MAX  (1U << (32U - FIL_SLAB_SLOT_BITS))
#define FIL_SLAB_BLOCK_MAX UINT64_C(0xFFFFFFF0)
#define FIL_SLAB_APART     UINT8_MAX  // in place of a class
#define FIL_SLAB_HUGE      (1U << 20) // bytes of a block from which on it is counted as huge

struct fil_slab_run {
    uint8_t *memory; // NULL: this entry is free, next_run chains it
    uint32_t slot_bytes;
    uint16_t slot_count;
    uint16_t fresh; // slots from here on were never used
    uint16_t used;
    uint16_t free_slot; // first of the freed slots plus one; 0: none
    uint8_t class_index;
    bool is_draining;
    bool is_partial; // in its class's list of runs with room
    bool is_retired;
    uint32_t next_run;
    uint32_t previous_run;
};

struct fil_slab_classes;

struct fil_slab {
    struct fil_slab_run *runs;        // entry 0 is never used, so that 0 is no reference
    struct fil_slab_classes *classes; // NULL until the first block
    uint32_t run_capacity;
    uint32_t run_end;    // entries from here on were never used
    uint32_t free_run;   // chain of free entries; 0: none
    uint32_t draining;   // runs that are being emptied
    uint32_t retired;    // chain of empty runs; 0: none
    uint32_t huge;       // blocks of FIL_SLAB_HUGE bytes and more
    uint64_t run_bytes;  // of all runs
    uint64_t used_bytes; // of the slots in use
};

void fil_slab_init(struct fil_slab *slab);

/** Frees all runs, whatever is in them. */
void fil_slab_fini(struct fil_slab *slab, struct fil_account *account);

/** A block of at least this many bytes, at a multiple of 8, not cleared; FIL_SLAB_NONE when the
 * account or the heap has no room. */
uint32_t fil_slab_alloc(struct fil_slab *slab, struct fil_account *account, uint64_t bytes)
    FIL_NODISCARD;

void fil_slab_release(struct fil_slab *slab, struct fil_account *account, uint32_t reference);

/**
 * Makes the block larger or smaller without changing its reference; false when it would have to
 * move to another class, or when there is no room.
 */
bool fil_slab_resize(struct fil_slab *slab, struct fil_account *account, uint32_t reference,
                     uint64_t bytes) FIL_NODISCARD;

/** Gives one empty run back to the heap; false when there is none. */
bool fil_slab_reclaim(struct fil_slab *slab, struct fil_account *account);

/** Bytes that a block of this size takes. */
uint64_t fil_slab_slot_bytes(uint64_t bytes);

/** Whether blocks stand so sparsely that moving them would give memory back: a quarter is idle, or
 * a sixteenth while memory is short. */
bool fil_slab_is_sparse(const struct fil_slab *slab, bool is_short);

/** Marks sparse runs of every class, so many that their blocks fit into the others; returns how
 * many blocks are in them. */
uint32_t fil_slab_start_draining(struct fil_slab *slab, bool is_short);

/** Takes the marks from runs that still hold blocks. */
void fil_slab_stop_draining(struct fil_slab *slab);

/** Asserts every invariant; for tests. */
void fil_slab_check(const struct fil_slab *slab);

static inline const struct fil_slab_run *fil_slab_run_of(const struct fil_slab *slab,
                                                         uint32_t reference)
{
    return &slab->runs[reference >> FIL_SLAB_SLOT_BITS];
}

static inline void *fil_slab_at(const struct fil_slab *slab, uint32_t reference)
{
    const struct fil_slab_run *run = fil_slab_run_of(slab, reference);
    uint64_t slot = reference & (FIL_SLAB_SLOTS_MAX - 1);
    return run->memory + slot * run->slot_bytes;
}

/** Bytes of the block's slot, at least what was asked for. */
static inline uint32_t fil_slab_capacity(const struct fil_slab *slab, uint32_t reference)
{
    return fil_slab_run_of(slab, reference)->slot_bytes;
}

static inline bool fil_slab_is_draining(const struct fil_slab *slab, uint32_t reference)
{
    return fil_slab_run_of(slab, reference)->is_draining;
}
