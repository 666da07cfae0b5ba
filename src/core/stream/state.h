// SPDX-License-Identifier: Apache-2.0
/**
 * State that a processor gives to a snapshot, entry by entry, and where each entry belongs when the
 * job starts again, perhaps with another number of instances.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/key.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"

enum fil_state_scope {
    FIL_STATE_KEYED, // place: hash of a key; goes where a partitioned edge sends that key
    FIL_STATE_SHARD, // place: number of a shard; goes to instance place mod count
    FIL_STATE_ALL,   // goes to every instance
};

struct fil_state_entry {
    enum fil_state_scope scope;
    uint64_t place;
    struct fil_bytes key;
    struct fil_bytes value;
};

/** Where state is saved. */
struct fil_state_writer {
    /** False: no room now. The save returns FIL_E_FULL and goes on with this entry later. */
    bool (*put)(struct fil_state_writer *writer, const struct fil_state_entry *entry);
};

/** Whether instance `index` of `count` gets the entry back. */
static inline bool fil_state_belongs(const struct fil_state_entry *entry, uint32_t index,
                                     uint32_t count)
{
    fil_assert(index < count);
    switch (entry->scope) {
    case FIL_STATE_KEYED:
        return fil_key_part(entry->place, count) == index;
    case FIL_STATE_SHARD:
        return entry->place % count == index;
    case FIL_STATE_ALL:
        break;
    }
    return true;
}

/** The usual cases, in one line each. */
static inline bool fil_state_put_keyed(struct fil_state_writer *writer, uint64_t hash,
                                       struct fil_bytes key, struct fil_bytes value)
{
    const struct fil_state_entry entry = {
        .scope = FIL_STATE_KEYED, .place = hash, .key = key, .value = value};
    return writer->put(writer, &entry);
}

static inline bool fil_state_put_shard(struct fil_state_writer *writer, uint64_t shard,
                                       struct fil_bytes key, struct fil_bytes value)
{
    const struct fil_state_entry entry = {
        .scope = FIL_STATE_SHARD, .place = shard, .key = key, .value = value};
    return writer->put(writer, &entry);
}

static inline bool fil_state_put_all(struct fil_state_writer *writer, struct fil_bytes key,
                                     struct fil_bytes value)
{
    const struct fil_state_entry entry = {.scope = FIL_STATE_ALL, .key = key, .value = value};
    return writer->put(writer, &entry);
}
