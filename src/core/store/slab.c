// SPDX-License-Identifier: Apache-2.0
#include "core/store/slab.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/pages.h"

#define STEP_BYTES         8U
#define FINE_MAX           128U // classes are STEP_BYTES apart up to here
#define FINE_CLASSES       (FINE_MAX / STEP_BYTES)
#define DOUBLING_SHIFT     4U // above, 16 classes a doubling
#define RUN_BYTES_MIN      1024U
#define RUN_BYTES_MAX      (512U << 10)
#define GROWTH_SHIFT       4U // a new run is a sixteenth of the class
#define PAGES_MORE         4U // to find a number of pages that slots fill well
#define RUNS_MIN           4U
#define CLASSES_STEP       4U
#define FEW_BYTES          256U        // slots from here on fill a page badly
#define SPARSE_BYTES       (16U << 10) // less is not worth moving anything
#define SPARSE_BYTES_SHORT (8U << 10)  // likewise, while memory is short
#define NO_SLOT            0U

struct fil_slab_class {
    uint32_t partial_run; // first run with room; 0: none
    uint32_t used;        // slots
    uint64_t slot_count;
    uint32_t leaving;      // blocks of the runs marked last
    uint32_t leaving_room; // and slots of them without blocks
};

/** Only the classes that were ever used, because a store is often small and its sizes alike. */
struct fil_slab_classes {
    uint8_t place[FIL_SLAB_CLASSES]; // in of[], plus one; 0: never used
    uint8_t count;
    uint8_t capacity;
    struct fil_slab_class of[];
};

_Static_assert(FINE_CLASSES + 6U * (1U << DOUBLING_SHIFT) == FIL_SLAB_CLASSES,
               "classes reach from 8 bytes to FIL_SLAB_SLOT_MAX");
_Static_assert(FINE_MAX << 6 == FIL_SLAB_SLOT_MAX, "six doublings");

void fil_slab_init(struct fil_slab *slab)
{
    *slab = (struct fil_slab){0};
}

static uint32_t class_of(uint32_t bytes)
{
    fil_debug_assert(bytes > 0);
    fil_debug_assert(bytes <= FIL_SLAB_SLOT_MAX);
    if (bytes <= FINE_MAX) {
        return (bytes - 1) / STEP_BYTES;
    }
    // The doubling of bytes - 1, and which sixteenth of it.
    uint32_t high = 31U - (uint32_t)__builtin_clz(bytes - 1);
    uint32_t part = ((bytes - 1) >> (high - DOUBLING_SHIFT)) & ((1U << DOUBLING_SHIFT) - 1);
    return FINE_CLASSES + ((high - 7U) << DOUBLING_SHIFT) + part;
}

static uint32_t class_bytes(uint32_t class_index)
{
    if (class_index < FINE_CLASSES) {
        return (class_index + 1) * STEP_BYTES;
    }
    uint32_t above = class_index - FINE_CLASSES;
    uint32_t high = 7U + (above >> DOUBLING_SHIFT);
    uint32_t part = (above & ((1U << DOUBLING_SHIFT) - 1)) + 1;
    return (1U << high) + (part << (high - DOUBLING_SHIFT));
}

uint64_t fil_slab_slot_bytes(uint64_t bytes)
{
    if (bytes > FIL_SLAB_SLOT_MAX) {
        return fil_pages_bytes(bytes);
    }
    return class_bytes(class_of((uint32_t)bytes));
}

static uint64_t classes_bytes(uint32_t capacity)
{
    return sizeof(struct fil_slab_classes) + capacity * sizeof(struct fil_slab_class);
}

static struct fil_slab_class *class_at(const struct fil_slab *slab, uint32_t class_index)
{
    uint32_t place = slab->classes->place[class_index];
    fil_debug_assert(place > 0);
    return &slab->classes->of[place - 1];
}

static bool grow_classes(struct fil_slab *slab, struct fil_account *account)
{
    struct fil_slab_classes *old = slab->classes;
    uint32_t old_capacity = old == NULL ? 0 : old->capacity;
    uint32_t capacity = old_capacity + CLASSES_STEP;
    uint64_t more = classes_bytes(capacity) - (old == NULL ? 0 : classes_bytes(old_capacity));
    if (!fil_account_take(account, more)) {
        return false;
    }
    struct fil_slab_classes *classes = fil_realloc(old, classes_bytes(capacity));
    if (classes == NULL) {
        fil_account_give(account, more);
        return false;
    }
    if (old_capacity == 0) {
        memset(classes, 0, sizeof(*classes));
    }
    classes->capacity = (uint8_t)capacity;
    slab->classes = classes;
    return true;
}

/** Makes the class known; false when there is no room for it. */
static bool has_class(struct fil_slab *slab, struct fil_account *account, uint32_t class_index)
{
    struct fil_slab_classes *classes = slab->classes;
    if (classes != NULL && classes->place[class_index] != 0) {
        return true;
    }
    if (classes == NULL || classes->count == classes->capacity) {
        if (!grow_classes(slab, account)) {
            return false;
        }
        classes = slab->classes;
    }
    classes->of[classes->count] = (struct fil_slab_class){0};
    classes->count++;
    classes->place[class_index] = classes->count;
    return true;
}

/** Room for one more entry in the table of runs. */
static bool has_entry(struct fil_slab *slab, struct fil_account *account)
{
    if (slab->free_run != 0 || slab->run_end < slab->run_capacity) {
        return true;
    }
    uint32_t capacity = slab->run_capacity == 0 ? RUNS_MIN : slab->run_capacity * 2;
    uint64_t more = (uint64_t)(capacity - slab->run_capacity) * sizeof(*slab->runs);
    if (capacity > FIL_SLAB_RUNS_MAX || !fil_account_take(account, more)) {
        return false;
    }
    struct fil_slab_run *runs = fil_realloc(slab->runs, capacity * sizeof(*runs));
    if (runs == NULL) {
        fil_account_give(account, more);
        return false;
    }
    slab->runs = runs;
    slab->run_capacity = capacity;
    if (slab->run_end == 0) {
        runs[0] = (struct fil_slab_run){0};
        slab->run_end = 1;
    }
    return true;
}

static uint32_t take_entry(struct fil_slab *slab)
{
    if (slab->free_run != 0) {
        uint32_t index = slab->free_run;
        slab->free_run = slab->runs[index].next_run;
        return index;
    }
    fil_assert(slab->run_end < slab->run_capacity);
    return slab->run_end++;
}

/** Whether a run lies in pages of its own. */
static bool has_pages(uint64_t slots_bytes)
{
    return slots_bytes >= FIL_PAGES_UNIT;
}

/** What a run takes: whole pages from a page on. */
static uint64_t run_bytes_of(uint32_t slot_bytes, uint32_t slot_count)
{
    uint64_t bytes = (uint64_t)slot_bytes * slot_count;
    return has_pages(bytes) ? fil_pages_bytes(bytes) : bytes;
}

static void *alloc_run(const struct fil_account *account, uint64_t bytes)
{
    return has_pages(bytes) ? fil_pages_take(account->budget->pages, bytes) : fil_alloc(bytes);
}

static void free_run(const struct fil_account *account, const struct fil_slab_run *run)
{
    uint64_t bytes = run_bytes_of(run->slot_bytes, run->slot_count);
    if (has_pages(bytes)) {
        fil_pages_give(account->budget->pages, run->memory, bytes);
    } else {
        fil_free(run->memory);
    }
}

/** A run of slots in a table entry of its own; 0 when there is no room. */
static uint32_t add_run(struct fil_slab *slab, struct fil_account *account, uint32_t slot_bytes,
                        uint32_t slot_count)
{
    uint64_t bytes = run_bytes_of(slot_bytes, slot_count);
    if (!has_entry(slab, account) || !fil_account_take(account, bytes)) {
        return 0;
    }
    uint8_t *memory = alloc_run(account, bytes);
    if (memory == NULL) {
        fil_account_give(account, bytes);
        return 0;
    }
    uint32_t index = take_entry(slab);
    slab->runs[index] = (struct fil_slab_run){
        .memory = memory, .slot_bytes = slot_bytes, .slot_count = (uint16_t)slot_count};
    slab->run_bytes += bytes;
    return index;
}

static void drop_run(struct fil_slab *slab, struct fil_account *account, uint32_t index)
{
    struct fil_slab_run *run = &slab->runs[index];
    fil_assert(run->used == 0);
    fil_assert(!run->is_partial);
    uint64_t bytes = run_bytes_of(run->slot_bytes, run->slot_count);
    free_run(account, run);
    fil_account_give(account, bytes);
    slab->run_bytes -= bytes;
    *run = (struct fil_slab_run){.next_run = slab->free_run};
    slab->free_run = index;
}

static void link_partial(struct fil_slab *slab, uint32_t index)
{
    struct fil_slab_run *run = &slab->runs[index];
    uint32_t *first = &class_at(slab, run->class_index)->partial_run;
    fil_assert(!run->is_partial);
    run->is_partial = true;
    run->previous_run = 0;
    run->next_run = *first;
    if (*first != 0) {
        slab->runs[*first].previous_run = index;
    }
    *first = index;
}

static void unlink_partial(struct fil_slab *slab, uint32_t index)
{
    struct fil_slab_run *run = &slab->runs[index];
    fil_assert(run->is_partial);
    run->is_partial = false;
    if (run->next_run != 0) {
        slab->runs[run->next_run].previous_run = run->previous_run;
    }
    if (run->previous_run != 0) {
        slab->runs[run->previous_run].next_run = run->next_run;
    } else {
        class_at(slab, run->class_index)->partial_run = run->next_run;
    }
}

/** Bytes of the next run, within limits: as much as the class has until that is a page, so that it
 * is out of the heap soon; then a sixteenth. */
static uint64_t wanted_bytes(const struct fil_slab_class *class, uint32_t slot_bytes)
{
    uint64_t all = class->slot_count * slot_bytes;
    if (all < FIL_PAGES_UNIT) {
        return all < RUN_BYTES_MIN ? RUN_BYTES_MIN : all;
    }
    uint64_t bytes = all >> GROWTH_SHIFT;
    bytes = bytes < FIL_PAGES_UNIT ? FIL_PAGES_UNIT : bytes;
    return bytes > RUN_BYTES_MAX ? RUN_BYTES_MAX : bytes;
}

/** A few pages more where slots fill these badly, up to an eighth being left. */
static uint64_t fill_pages(uint64_t bytes, uint32_t slot_bytes)
{
    uint64_t first = fil_pages_bytes(bytes);
    uint64_t best = first;
    for (uint64_t tried = first; tried < first + PAGES_MORE * FIL_PAGES_UNIT;
         tried += FIL_PAGES_UNIT) {
        if (tried % slot_bytes * best < best % slot_bytes * tried) {
            best = tried;
        }
        if (best % slot_bytes * 8 <= best) {
            break;
        }
    }
    return best;
}

static uint32_t slots_for(const struct fil_slab_class *class, uint32_t slot_bytes, bool is_borrowed)
{
    uint64_t bytes = wanted_bytes(class, slot_bytes);
    uint64_t few = FIL_PAGES_UNIT * (slot_bytes < FEW_BYTES ? 1 : 4);
    bytes = is_borrowed && bytes > few ? few : bytes; // no more than needed
    bytes = bytes < slot_bytes ? slot_bytes : bytes;
    bytes = has_pages(bytes) ? fill_pages(bytes, slot_bytes) : bytes;
    uint64_t count = bytes / slot_bytes;
    return count > FIL_SLAB_SLOTS_MAX ? FIL_SLAB_SLOTS_MAX : (uint32_t)count;
}

static bool is_huge(const struct fil_slab_run *run)
{
    return run->class_index == FIL_SLAB_APART && run->slot_bytes >= FIL_SLAB_HUGE;
}

static uint32_t alloc_apart(struct fil_slab *slab, struct fil_account *account, uint64_t bytes)
{
    if (bytes > FIL_SLAB_BLOCK_MAX) {
        return FIL_SLAB_NONE;
    }
    uint32_t slot_bytes = (uint32_t)fil_slab_slot_bytes(bytes);
    uint32_t index = add_run(slab, account, slot_bytes, 1);
    while (index == 0 && fil_slab_reclaim(slab, account)) {
        index = add_run(slab, account, slot_bytes, 1);
    }
    if (index == 0) {
        return FIL_SLAB_NONE;
    }
    struct fil_slab_run *run = &slab->runs[index];
    run->class_index = FIL_SLAB_APART;
    run->fresh = 1;
    run->used = 1;
    slab->used_bytes += run->slot_bytes;
    slab->huge += is_huge(run);
    return index << FIL_SLAB_SLOT_BITS;
}

static uint32_t take_slot(struct fil_slab_run *run)
{
    fil_assert(run->used < run->slot_count);
    run->used++;
    if (run->free_slot != NO_SLOT) {
        uint32_t slot = run->free_slot - 1U;
        memcpy(&run->free_slot, run->memory + (uint64_t)slot * run->slot_bytes,
               sizeof(run->free_slot));
        return slot;
    }
    return run->fresh++;
}

bool fil_slab_reclaim(struct fil_slab *slab, struct fil_account *account)
{
    uint32_t index = slab->retired;
    if (FIL_LIKELY(index == 0)) {
        return false;
    }
    slab->retired = slab->runs[index].next_run;
    drop_run(slab, account, index);
    return true;
}

/** The run retired last, when it is of the class; 0 when it is not. */
static uint32_t revive_run(struct fil_slab *slab, uint32_t class_index)
{
    uint32_t index = slab->retired;
    struct fil_slab_run *run = &slab->runs[index];
    if (index == 0 || run->class_index != class_index) {
        return 0;
    }
    slab->retired = run->next_run;
    run->is_retired = false;
    run->fresh = 0;
    run->free_slot = NO_SLOT;
    return index;
}

/** A run with room for the class; 0 when there is no memory. */
static uint32_t add_class_run(struct fil_slab *slab, struct fil_account *account,
                              uint32_t class_index)
{
    struct fil_slab_class *class = class_at(slab, class_index);
    uint32_t slot_bytes = class_bytes(class_index);
    uint32_t slot_count = slots_for(class, slot_bytes, account->may_borrow);
    uint32_t index = slab->retired == 0 ? 0 : revive_run(slab, class_index);
    if (index == 0) {
        index = add_run(slab, account, slot_bytes, slot_count);
    }
    while (index == 0 && fil_slab_reclaim(slab, account)) {
        index = add_run(slab, account, slot_bytes, slot_count);
    }
    if (index != 0) {
        slab->runs[index].class_index = (uint8_t)class_index;
        class->slot_count += slab->runs[index].slot_count;
        link_partial(slab, index);
    }
    return index;
}

uint32_t fil_slab_alloc(struct fil_slab *slab, struct fil_account *account, uint64_t bytes)
{
    fil_assert(bytes > 0);
    if (bytes > FIL_SLAB_SLOT_MAX) {
        return alloc_apart(slab, account, bytes);
    }
    uint32_t class_index = class_of((uint32_t)bytes);
    if (!has_class(slab, account, class_index)) {
        return FIL_SLAB_NONE;
    }
    struct fil_slab_class *class = class_at(slab, class_index);
    uint32_t index = class->partial_run;
    if (index == 0) {
        index = add_class_run(slab, account, class_index);
        if (index == 0) {
            return FIL_SLAB_NONE;
        }
    }
    struct fil_slab_run *run = &slab->runs[index];
    uint32_t slot = take_slot(run);
    if (run->used == run->slot_count) {
        unlink_partial(slab, index);
    }
    class->used++;
    slab->used_bytes += run->slot_bytes;
    return (index << FIL_SLAB_SLOT_BITS) | slot;
}

/** The last run with room stays, so that a store at the edge does not ask the heap every time. */
static bool is_spare(const struct fil_slab *slab, uint32_t index)
{
    const struct fil_slab_run *run = &slab->runs[index];
    const struct fil_slab_class *class = class_at(slab, run->class_index);
    bool is_only = class->partial_run == index && run->next_run == 0;
    return !run->is_partial || !is_only;
}

static void retire_run(struct fil_slab *slab, uint32_t index)
{
    struct fil_slab_run *run = &slab->runs[index];
    if (run->is_partial) {
        unlink_partial(slab, index);
    }
    if (run->is_draining) {
        fil_assert(slab->draining > 0);
        slab->draining--;
    }
    class_at(slab, run->class_index)->slot_count -= run->slot_count;
    run->is_draining = false;
    run->is_retired = true;
    run->next_run = slab->retired;
    slab->retired = index;
}

void fil_slab_release(struct fil_slab *slab, struct fil_account *account, uint32_t reference)
{
    uint32_t index = reference >> FIL_SLAB_SLOT_BITS;
    uint32_t slot = reference & (FIL_SLAB_SLOTS_MAX - 1);
    fil_assert(index > 0);
    fil_assert(index < slab->run_end);
    struct fil_slab_run *run = &slab->runs[index];
    fil_assert(run->used > 0);
    fil_assert(slot < run->fresh);
    slab->used_bytes -= run->slot_bytes;
    run->used--;
    if (run->class_index == FIL_SLAB_APART) {
        slab->huge -= is_huge(run);
        drop_run(slab, account, index);
        return;
    }
    memcpy(run->memory + (uint64_t)slot * run->slot_bytes, &run->free_slot, sizeof(run->free_slot));
    run->free_slot = (uint16_t)(slot + 1);
    class_at(slab, run->class_index)->used--;
    if (!run->is_partial && !run->is_draining) {
        link_partial(slab, index);
    }
    const struct fil_slab_class *class = class_at(slab, run->class_index);
    if (run->used == 0 && is_spare(slab, index)) {
        retire_run(slab, index);
    }
    // A class that is empty keeps nothing; there are a run or two left at most.
    while (class->used == 0 && class->partial_run != 0) {
        retire_run(slab, class->partial_run);
    }
}

static bool resize_apart(struct fil_slab *slab, struct fil_account *account,
                         struct fil_slab_run *run, uint64_t bytes)
{
    uint32_t new_bytes = (uint32_t)fil_slab_slot_bytes(bytes);
    uint32_t old_bytes = run->slot_bytes;
    if (new_bytes == old_bytes) {
        return true;
    }
    if (new_bytes > old_bytes && !fil_account_take(account, new_bytes - old_bytes)) {
        return false;
    }
    struct fil_pages *pages = account->budget->pages;
    uint8_t *memory = fil_pages_resize(pages, run->memory, old_bytes, new_bytes);
    if (memory == NULL) {
        if (new_bytes > old_bytes) {
            fil_account_give(account, new_bytes - old_bytes);
        }
        return new_bytes < old_bytes;
    }
    slab->huge -= is_huge(run);
    run->memory = memory;
    run->slot_bytes = new_bytes;
    slab->huge += is_huge(run);
    if (new_bytes < old_bytes) {
        fil_account_give(account, old_bytes - new_bytes);
    }
    slab->run_bytes = slab->run_bytes - old_bytes + new_bytes;
    slab->used_bytes = slab->used_bytes - old_bytes + new_bytes;
    return true;
}

bool fil_slab_resize(struct fil_slab *slab, struct fil_account *account, uint32_t reference,
                     uint64_t bytes)
{
    struct fil_slab_run *run = &slab->runs[reference >> FIL_SLAB_SLOT_BITS];
    if (bytes == 0 || bytes > FIL_SLAB_BLOCK_MAX) {
        return false;
    }
    if (run->class_index != FIL_SLAB_APART) {
        return bytes <= FIL_SLAB_SLOT_MAX && class_of((uint32_t)bytes) == run->class_index;
    }
    return bytes > FIL_SLAB_SLOT_MAX && resize_apart(slab, account, run, bytes);
}

bool fil_slab_is_sparse(const struct fil_slab *slab, bool is_short)
{
    uint64_t idle_bytes = slab->run_bytes - slab->used_bytes;
    uint64_t least = is_short ? SPARSE_BYTES_SHORT : SPARSE_BYTES;
    return idle_bytes > least && idle_bytes > slab->run_bytes / (is_short ? 16 : 4);
}

/** Below three quarters, or fifteen sixteenths; a class keeps its last run with room as it is. */
static bool is_sparse_run(const struct fil_slab *slab, const struct fil_slab_run *run,
                          bool is_short)
{
    bool has_class = run->memory != NULL && run->class_index != FIL_SLAB_APART;
    if (!has_class || run->is_draining || run->is_retired) {
        return false;
    }
    const struct fil_slab_class *class = class_at(slab, run->class_index);
    uint32_t part = is_short ? 16 : 8;
    bool is_roomy = (class->slot_count - class->used) * part > class->slot_count;
    uint32_t full = is_short ? run->slot_count * 15U : run->slot_count * 12U;
    return is_roomy && run->is_partial && run->next_run != 0 && run->used * 16U < full;
}

/** Whether the blocks of the marked runs and of this one fit into the others of the class. */
static bool fits_elsewhere(const struct fil_slab_class *class, const struct fil_slab_run *run)
{
    uint64_t room = class->slot_count - class->used - class->leaving_room;
    uint32_t own_room = (uint32_t)run->slot_count - run->used;
    return room >= own_room && (uint64_t) class->leaving + run->used <= room - own_room;
}

static void forget_leaving(struct fil_slab *slab)
{
    for (uint32_t i = 0; slab->classes != NULL && i < slab->classes->count; i++) {
        slab->classes->of[i].leaving = 0;
        slab->classes->of[i].leaving_room = 0;
    }
}

uint32_t fil_slab_start_draining(struct fil_slab *slab, bool is_short)
{
    uint32_t block_count = 0;
    forget_leaving(slab);
    for (uint32_t index = 1; index < slab->run_end; index++) {
        struct fil_slab_run *run = &slab->runs[index];
        if (!is_sparse_run(slab, run, is_short)) {
            continue;
        }
        struct fil_slab_class *class = class_at(slab, run->class_index);
        if (fits_elsewhere(class, run)) {
            unlink_partial(slab, index);
            class->leaving += run->used;
            class->leaving_room += (uint32_t)run->slot_count - run->used;
            run->is_draining = true;
            slab->draining++;
            block_count += run->used;
        }
    }
    return block_count;
}

void fil_slab_stop_draining(struct fil_slab *slab)
{
    for (uint32_t index = 1; slab->draining > 0 && index < slab->run_end; index++) {
        struct fil_slab_run *run = &slab->runs[index];
        if (run->is_draining) {
            run->is_draining = false;
            slab->draining--;
            if (run->used < run->slot_count) {
                link_partial(slab, index);
            }
        }
    }
    fil_assert(slab->draining == 0);
}

void fil_slab_fini(struct fil_slab *slab, struct fil_account *account)
{
    for (uint32_t index = 1; index < slab->run_end; index++) {
        if (slab->runs[index].memory != NULL) {
            free_run(account, &slab->runs[index]);
        }
    }
    fil_account_give(account, slab->run_bytes);
    if (slab->runs != NULL) {
        fil_free(slab->runs);
        fil_account_give(account, slab->run_capacity * sizeof(*slab->runs));
    }
    if (slab->classes != NULL) {
        uint64_t bytes = classes_bytes(slab->classes->capacity);
        fil_free(slab->classes);
        fil_account_give(account, bytes);
    }
    fil_slab_init(slab);
}

static void check_run(const struct fil_slab *slab, uint32_t index)
{
    const struct fil_slab_run *run = &slab->runs[index];
    uint32_t free_count = 0;
    for (uint16_t slot = run->free_slot; slot != NO_SLOT; free_count++) {
        fil_assert(slot <= run->fresh);
        fil_assert(free_count < run->fresh);
        memcpy(&slot, run->memory + (slot - 1U) * (uint64_t)run->slot_bytes, sizeof(slot));
    }
    fil_assert(run->used + free_count == run->fresh);
    fil_assert(run->fresh <= run->slot_count);
    if (run->class_index != FIL_SLAB_APART) {
        bool has_room = run->used < run->slot_count && !run->is_draining && !run->is_retired;
        fil_assert(run->is_partial == has_room);
        fil_assert(!run->is_retired || run->used == 0);
        fil_assert(run->slot_bytes == class_bytes(run->class_index));
    }
}

void fil_slab_check(const struct fil_slab *slab)
{
    uint64_t run_bytes = 0;
    uint64_t used_bytes = 0;
    uint32_t draining = 0;
    uint32_t huge = 0;
    for (uint32_t index = 1; index < slab->run_end; index++) {
        const struct fil_slab_run *run = &slab->runs[index];
        if (run->memory != NULL) {
            check_run(slab, index);
            run_bytes += run_bytes_of(run->slot_bytes, run->slot_count);
            used_bytes += (uint64_t)run->slot_bytes * run->used;
            draining += run->is_draining;
            huge += is_huge(run);
        }
    }
    fil_assert(run_bytes == slab->run_bytes);
    fil_assert(used_bytes == slab->used_bytes);
    fil_assert(draining == slab->draining);
    fil_assert(huge == slab->huge);
}
