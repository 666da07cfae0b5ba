// SPDX-License-Identifier: Apache-2.0
/**
 * One partition's records of one structure: a hash table of byte strings.
 *
 * Threads: single-threaded; whoever owns the partition. No I/O, no clock.
 * Memory:  owns copies of keys and values, accounted to the partition; an insert that finds no
 *          memory changes nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

struct fil_slot;

struct fil_table {
    struct fil_account account;
    struct fil_slot *slots; // NULL until the first insert
    uint32_t mask;
    uint32_t count;
};

void fil_table_init(struct fil_table *table, struct fil_budget *budget);

/** Frees all records. */
void fil_table_fini(struct fil_table *table);

/** The value, borrowed until the next change; false when the key is not there. */
bool fil_table_get(const struct fil_table *table, uint64_t hash, struct fil_bytes key,
                   struct fil_bytes *out_value);

/** Inserts or overwrites. FIL_E_NOMEM at the memory limit. */
int fil_table_put(struct fil_table *table, uint64_t hash, struct fil_bytes key,
                  struct fil_bytes value) FIL_NODISCARD;

/** Whether the key was there. */
bool fil_table_remove(struct fil_table *table, uint64_t hash, struct fil_bytes key);
