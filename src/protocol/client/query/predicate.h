// SPDX-License-Identifier: Apache-2.0
/**
 * Predicates of clients: which entries they mean.
 *
 * Known are those of the clients' own factory: true, false, equal, not equal, greater and less,
 * between, in, like, ilike, regex, and, or, not, and expressions in text (where.h); about the
 * attributes of path.h, which are compared as compare.h says. One that is about the partitions of
 * some keys only says so in key_hashes: testing does not look at them, who looks for entries does.
 *
 * Progress: testing is linear in the predicate and the entry; predicates are nested 16 deep at
 *           most.
 * Memory:   made in an arena of its own, 1 MiB at most; borrows the bytes that it was made of.
 * Threads:  any may test at once; nothing changes.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/codec.h"
#include "protocol/client/query/path.h"

struct fil_query_node;

struct fil_query_predicate {
    struct fil_arena arena;
    const struct fil_query_node *root; // NULL: there is none, everything is meant
    const int32_t *key_hashes;         // in whose partitions entries are meant; none: in all
    uint32_t key_hash_count;
};

/**
 * Makes it of a serialized one. FIL_E_UNSUPPORTED for what is not known, FIL_E_MALFORMED,
 * FIL_E_LIMIT, FIL_E_NOMEM; the fault says what it is, and nothing is left behind.
 */
int fil_query_predicate_init(struct fil_query_predicate *predicate, struct fil_bytes data,
                             struct fil_wire_fault *out_fault) FIL_NODISCARD;

/**
 * The same of a filter for items: a serialized predicate, or a serialized text that is an
 * expression of where.h about the item, whose name is "this".
 */
int fil_query_filter_init(struct fil_query_predicate *filter, struct fil_bytes data,
                          struct fil_wire_fault *out_fault) FIL_NODISCARD;

/** Also one that is all zero. */
void fil_query_predicate_fini(struct fil_query_predicate *predicate);

/** Whether it can be made. */
int fil_query_predicate_check(struct fil_bytes data, struct fil_wire_fault *out_fault)
    FIL_NODISCARD;

/** Whether the entry is meant; entry->is_opaque says that it cannot be told. */
bool fil_query_predicate_test(const struct fil_query_predicate *predicate,
                              struct fil_query_entry *entry);
