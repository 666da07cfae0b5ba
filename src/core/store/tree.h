// SPDX-License-Identifier: Apache-2.0
/**
 * A B+ tree of fixed-size entries in an order that the owner defines; what secondary indexes
 * are made of.
 *
 * Every separator equals the smallest entry of the subtree to its right, always: so a separator
 * never outlives the record that its order is read from.
 *
 * Memory:  nodes are charged to the account the caller passes. An add that finds no memory leaves
 *          the entries as they were; a removal needs none.
 * Threads: whoever owns the store.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/mem/budget.h"

struct fil_tree_entry {
    uint64_t prefix; // decides most comparisons
    uint64_t hash;   // of the record's key
    uint32_t reference;
    uint32_t size; // of the attribute
};

/** Below, above or zero. Total among the entries of the tree. */
typedef int (*fil_tree_compare_fn)(const void *context, const struct fil_tree_entry *left,
                                   const struct fil_tree_entry *right);

struct fil_tree_order {
    fil_tree_compare_fn compare;
    const void *context;
};

struct fil_tree_node;

struct fil_tree {
    struct fil_tree_node *root; // NULL: empty
    uint32_t count;
    uint32_t depth; // inner levels above the leaves
};

void fil_tree_init(struct fil_tree *tree);
void fil_tree_fini(struct fil_tree *tree, struct fil_account *account);

/** Adds an entry that is not there. FIL_E_NOMEM. */
int fil_tree_add(struct fil_tree *tree, struct fil_account *account,
                 const struct fil_tree_order *order, const struct fil_tree_entry *entry)
    FIL_NODISCARD;

/** Whether the very entry is there. */
bool fil_tree_has(const struct fil_tree *tree, const struct fil_tree_order *order,
                  const struct fil_tree_entry *entry);

/** Takes an entry out; false when it is not there. */
bool fil_tree_remove(struct fil_tree *tree, struct fil_account *account,
                     const struct fil_tree_order *order, const struct fil_tree_entry *entry);

/** Gives an entry another reference, which must not change its place; false when it is not there.
 */
bool fil_tree_redirect(struct fil_tree *tree, const struct fil_tree_order *order,
                       const struct fil_tree_entry *entry, uint32_t reference);

/** A place in the tree; ends to be one with the next change. */
struct fil_tree_place {
    const struct fil_tree_node *leaf; // NULL: behind the last
    uint32_t slot;
};

/** Whether an entry lies below what is looked for. True for some first entries, then false. */
typedef bool (*fil_tree_below_fn)(const void *context, const struct fil_tree_entry *entry);

/** The first entry that is not below. */
struct fil_tree_place fil_tree_seek(const struct fil_tree *tree, fil_tree_below_fn is_below,
                                    const void *context);

/** The entry, or NULL at the end. */
const struct fil_tree_entry *fil_tree_at(const struct fil_tree_place *place);
void fil_tree_advance(struct fil_tree_place *place);

/** Asserts every invariant; for tests. */
void fil_tree_check(const struct fil_tree *tree, const struct fil_tree_order *order);
