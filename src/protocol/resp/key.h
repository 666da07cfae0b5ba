// SPDX-License-Identifier: Apache-2.0
/** Keys of a database, whatever they have: a string is an entry of the map, the rest is beside it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/map.h"
#include "grid/map/shelf.h"
#include "lib/net/output.h"

#define FIL_RESP_WRONG_TYPE "WRONGTYPE Operation against a key holding the wrong kind of value"

enum fil_resp_type {
    FIL_RESP_TYPE_NONE,
    FIL_RESP_TYPE_STRING,
    FIL_RESP_TYPE_LIST,
    FIL_RESP_TYPE_HASH,
    FIL_RESP_TYPE_SET,
    FIL_RESP_TYPE_ZSET,
    FIL_RESP_TYPE_STREAM,
};

/** What Redis calls the form in which it keeps one, compact or not; not of a string. */
const char *fil_resp_type_encoding(enum fil_resp_type type, bool is_odd);

/** The type of a word, in any case; NONE: there is none of that name. */
enum fil_resp_type fil_resp_type_of_name(struct fil_bytes name);

/** The type of what a record of the shelf has. */
enum fil_resp_type fil_resp_type_of_value(struct fil_bytes value);

/** As TYPE says it. */
const char *fil_resp_type_name(enum fil_resp_type type);

/** What the key has, and all that is known of it; nobody notices. */
FIL_INSIDE_PARTITION enum fil_resp_type fil_resp_key_inspect(struct fil_map *map,
                                                             const struct fil_map_key *key,
                                                             uint64_t now_ms,
                                                             struct fil_store_view *out_view);

FIL_INSIDE_PARTITION bool
fil_resp_key_has_collection(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms);

/** Bytes of memory that a key of that type costs. */
uint64_t fil_resp_key_cost(enum fil_resp_type type, const struct fil_store_view *view);

/** Whether there was something. */
FIL_INSIDE_PARTITION bool fil_resp_key_remove(struct fil_map *map, const struct fil_map_key *key,
                                              uint64_t now_ms);

/** Changes when the key, which has that type, expires. FIL_E_NOT_FOUND, FIL_E_NOMEM. */
FIL_INSIDE_PARTITION int fil_resp_key_expire(struct fil_map *map, const struct fil_map_key *key,
                                             enum fil_resp_type type,
                                             const struct fil_store_write *how) FIL_NODISCARD;

/**
 * Has somebody write into the key's string, which is made at least so large, with zeros behind the
 * old bytes; the key has one or nothing. FIL_E_NOMEM, FIL_E_LIMIT: it has what it had.
 */
FIL_INSIDE_PARTITION int fil_resp_key_write_string(struct fil_map *map,
                                                   const struct fil_map_key *key, size_t size_min,
                                                   uint64_t now_ms, fil_store_fill_fn write,
                                                   void *context) FIL_NODISCARD;

/** A random key of the partition; false when none was met. */
FIL_INSIDE_PARTITION bool fil_resp_key_pick(struct fil_map *map, fil_partition_id partition_id,
                                            uint64_t now_ms, uint32_t random,
                                            struct fil_store_view *out_view);

/** Keys of the database; a figure that may be a moment old. */
FIL_ANY_THREAD uint64_t fil_resp_key_count(const struct fil_map *map);

/** The list under the key, NULL when it has nothing; false when it has another type, as is told. */
FIL_INSIDE_PARTITION bool fil_resp_key_find_list(struct fil_map *map, const struct fil_map_key *key,
                                                 uint64_t now_ms, struct fil_output *output,
                                                 struct fil_collection **out_list);

/**
 * What the key has of a kind, for who reads: false when it has another type, as is told. When it
 * has nothing the bundle says so.
 */
FIL_INSIDE_PARTITION bool fil_resp_key_open(struct fil_map *map, const struct fil_map_key *key,
                                            enum fil_collection_kind kind, uint64_t now_ms,
                                            struct fil_output *output,
                                            struct fil_bundle *out_bundle);

/** The same for who wants to put something. */
FIL_INSIDE_PARTITION bool fil_resp_key_need(struct fil_map *map, const struct fil_map_key *key,
                                            enum fil_collection_kind kind, uint64_t now_ms,
                                            struct fil_output *output,
                                            struct fil_bundle *out_bundle);

/** After a change through the bundle. */
FIL_INSIDE_PARTITION void fil_resp_key_touch(struct fil_map *map, const struct fil_map_key *key,
                                             struct fil_bundle *bundle);
