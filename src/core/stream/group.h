// SPDX-License-Identifier: Apache-2.0
/**
 * Grouping by key, in three passes over some records at a time: hash all keys and fetch their
 * places, find their slots, then let the owner update the states.
 *
 * Threads: whoever owns it.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "core/stream/aggregate.h"
#include "core/stream/batch.h"
#include "core/stream/key.h"
#include "core/stream/key_table.h"
#include "core/stream/processor.h"
#include "lib/base/assert.h"

/** What to group by, and what to keep of each group. */
struct fil_group_config {
    struct fil_key key; // none: all records are one group; one that is extracted has .size at most
    struct fil_aggregate aggregate;
    uint32_t expected_count; // of keys of all instances, so that the table need not grow
};

/** Some records on their way through the passes. */
struct fil_group_work {
    uint32_t count;
    uint32_t run_stride; // records without a key, one behind the other; 0: each by itself
    const void *records[FIL_KEY_TABLE_GROUP];
    uint64_t words[2 * FIL_KEY_TABLE_GROUP];    // fixed keys of 8 or 16 bytes
    struct fil_bytes keys[FIL_KEY_TABLE_GROUP]; // all others
    uint64_t hashes[FIL_KEY_TABLE_GROUP];
    uint32_t slots[FIL_KEY_TABLE_GROUP];
    void *states[FIL_KEY_TABLE_GROUP];
};

struct fil_group {
    const struct fil_group_config *config;
    bool has_key;
    uint32_t word_count; // of fixed keys of 8 or 16 bytes; 0: all others
    struct fil_key_table table;
    struct fil_group_work work;
};

/** FIL_E_INVALID, FIL_E_NOMEM; fini is due in any case. */
int fil_group_init(struct fil_group *group, const struct fil_processor_context *context,
                   const struct fil_group_config *config) FIL_NODISCARD;
void fil_group_fini(struct fil_group *group);

/** Adds a record to the work, which has room. */
void fil_group_add(struct fil_group *group, struct fil_batch *batch, uint32_t index);

/** Makes some records in a row, at most FIL_KEY_TABLE_GROUP, the work. */
void fil_group_load(struct fil_group *group, struct fil_batch *batch, uint32_t first,
                    uint32_t count);

/** Adds the work's records, whose slots are found, to their states in a column. FIL_E_NOMEM. */
int fil_group_accumulate(struct fil_group *group, struct fil_column *states) FIL_NODISCARD;

/** Finds the slots of all records of the work. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_group_find(struct fil_group *group) FIL_NODISCARD;

/** The slot of one key, e.g. of restored state. */
int fil_group_find_key(struct fil_group *group, struct fil_bytes key, uint32_t *out_slot)
    FIL_NODISCARD;

/** What state by this key and aggregate looks like, behind what the text has already. */
void fil_group_describe(const struct fil_group_config *config, const char *kind,
                        char out_text[FIL_PROCESSOR_FORMAT_MAX]);

/** Adds saved state to that of its slot. FIL_E_MALFORMED when its size is another. */
int fil_group_restore(struct fil_group *group, struct fil_column *states, uint32_t slot,
                      struct fil_bytes saved) FIL_NODISCARD;

/** Bytes of a key in a result: rounded up, 0 without a key. */
uint32_t fil_group_key_bytes(const struct fil_group_config *config);

/** Slow path of write_key. */
void fil_group__write_any_key(const struct fil_group *group, uint32_t slot, uint8_t *out);

/** Writes a slot's key to a result, with zeros behind it. */
static inline void fil_group_write_key(const struct fil_group *group, uint32_t slot, uint8_t *out)
{
    if (group->word_count == 1) {
        memcpy(out, fil_column_at(&group->table.rows, slot), sizeof(uint64_t));
    } else if (group->has_key) {
        fil_group__write_any_key(group, slot, out);
    }
}
