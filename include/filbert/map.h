// SPDX-License-Identifier: Apache-2.0
/**
 * Maps: entries of a key and a value, spread over the members by the key.
 *
 * A call returns FIL_OK or a negative FIL_E_*. The plain calls wait for the answer and are for
 * application threads; inside of a callback they fail with FIL_E_WOULD_BLOCK. Their _async twins
 * return at once and tell the result later: the callback runs exactly once if the twin returned
 * FIL_OK, and never if not. FIL_E_FULL means that too many calls are in flight: take some results
 * first (fil_client_step, fil_client_drain), or wait until the client's thread has.
 *
 * Threads: any, at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "filbert/listen.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The data: all that a client reaches. */
struct fil_grid;

struct fil_map;

/** The value is that of the key, or what the call answers; null when there is none. */
typedef void (*fil_value_fn)(void *context, int error, const struct fil_value *value);

/**
 * The map of that name, which need not exist yet. It belongs to the grid: there is nothing to free.
 * NULL: the name is empty or longer than 255 bytes, or memory is out; calls with it answer
 * FIL_E_INVALID.
 */
struct fil_map *fil_map(struct fil_grid *grid, const char *name);

// One key. What is given out is released with fil_value_release.

/** The value; null: there is no such key. */
int fil_map_get(struct fil_map *map, struct fil_value key, struct fil_value *out_value);
int fil_map_get_async(struct fil_map *map, struct fil_value key, fil_value_fn done, void *context);

/** Sets the value and tells the one before, which costs more than set; out_old may be NULL. */
int fil_map_put(struct fil_map *map, struct fil_value key, struct fil_value value,
                struct fil_value *out_old);
int fil_map_put_async(struct fil_map *map, struct fil_value key, struct fil_value value,
                      fil_value_fn done, void *context);

int fil_map_set(struct fil_map *map, struct fil_value key, struct fil_value value);
int fil_map_set_async(struct fil_map *map, struct fil_value key, struct fil_value value,
                      fil_value_fn done, void *context);

/** As set; the entry goes away after so many milliseconds. 0: never. */
int fil_map_set_ttl(struct fil_map *map, struct fil_value key, struct fil_value value,
                    uint64_t ttl_ms);

/** Sets the value if the key has none; out_old (may be NULL) is null then. */
int fil_map_put_if_absent(struct fil_map *map, struct fil_value key, struct fil_value value,
                          struct fil_value *out_old);

/** Removes the key and tells the value it had; out_old may be NULL. */
int fil_map_remove(struct fil_map *map, struct fil_value key, struct fil_value *out_old);
int fil_map_remove_async(struct fil_map *map, struct fil_value key, fil_value_fn done,
                         void *context);

int fil_map_contains(struct fil_map *map, struct fil_value key, bool *out_contains);

// Locks of one key: the calling thread's, and as often to be unlocked as locked.

int fil_map_lock(struct fil_map *map, struct fil_value key);

/** Waits so long at most; out_is_locked tells whether it has the lock. */
int fil_map_try_lock(struct fil_map *map, struct fil_value key, uint64_t wait_ms,
                     bool *out_is_locked);

/** FIL_E_DENIED: the lock is somebody else's. */
int fil_map_unlock(struct fil_map *map, struct fil_value key);

// Many keys: grouped by partition, all groups in flight at once.

/** The values in the order of the keys, null where there is none; fil_values_release. */
int fil_map_get_all(struct fil_map *map, const struct fil_value *keys, size_t count,
                    struct fil_values *out_values);

/** Each entry is set by itself; after an error some of them may be. */
int fil_map_put_all(struct fil_map *map, const struct fil_entry *entries, size_t count);

// The whole map.

int fil_map_count(struct fil_map *map, uint64_t *out_count);
int fil_map_count_async(struct fil_map *map, fil_value_fn done, void *context);
int fil_map_clear(struct fil_map *map);

/** Clears it and forgets its name and listeners on all members. */
int fil_map_destroy(struct fil_map *map);

/** All at once, in no order: for maps that fit into the answer. */
int fil_map_keys(struct fil_map *map, struct fil_values *out_keys);
int fil_map_entries(struct fil_map *map, struct fil_entries *out_entries);

// Changes, as they happen.

/** What has happened; added together they are the wanted types of a subscription. */
enum fil_map_change_type {
    FIL_MAP_ADDED = 1,
    FIL_MAP_REMOVED = 2,
    FIL_MAP_UPDATED = 4,
    FIL_MAP_EVICTED = 8,
    FIL_MAP_EXPIRED = 16,
    FIL_MAP_EVICTED_ALL = 32,
    FIL_MAP_CLEARED = 64,
    FIL_MAP_MERGED = 128,
    FIL_MAP_LOADED = 512,
};

/** Valid in the callback only. */
struct fil_map_change {
    enum fil_map_change_type type;
    struct fil_value key; // null: all keys
    struct fil_value value;
    struct fil_value old_value;
    uint32_t count; // of keys, when all were changed
};

typedef void (*fil_map_change_fn)(void *context, const struct fil_map_change *change);

struct fil_map_subscribe_options {
    uint32_t types;       // of enum fil_map_change_type; 0: all
    bool has_values;      // values are told too
    struct fil_value key; // of this key alone; null: of all
    fil_map_change_fn changed;
    void *context;
};

/**
 * Calls back for each change from now on, until the subscription is closed. It survives lost
 * connections; changes that happen while there is none are not told. FIL_E_INVALID, FIL_E_NOMEM,
 * FIL_E_TIMEOUT, or what the members answer.
 */
int fil_map_subscribe(struct fil_map *map, const struct fil_map_subscribe_options *options,
                      struct fil_subscription **out_subscription);

// Near cache: values that were read are kept here, and dropped when a member tells of a change.

struct fil_near_cache_options {
    uint32_t count_max; // entries; 0: 10000
    uint64_t bytes_max; // of keys and values; 0: 64 MiB
    uint64_t ttl_ms;    // an entry is used so long at most; 0: until it changes
};

/**
 * From now on fil_map_get of this client answers from memory what it has read before. A change is
 * seen as soon as the owner has told of it: usually within a millisecond, not at once; this
 * client's own writes are seen at once. FIL_E_EXISTS, FIL_E_NOMEM, or what the members answer.
 */
int fil_map_cache_near(struct fil_map *map, const struct fil_near_cache_options *options);

#ifdef __cplusplus
}
#endif
