// SPDX-License-Identifier: Apache-2.0
/** What the files about maps share. */
#pragma once

#include "client/client_internal.h"
#include "lib/base/bytes.h"

#define FIL_MAP_VALUE_ROOM 256U // values of up to so many serialized bytes need no memory

/** A key or value in its serialized form. */
struct fil_map_data {
    struct fil_bytes bytes;
    void *heap;
    uint8_t room[FIL_MAP_VALUE_ROOM];
};

/** Free. Release is needed in any case. */
int fil_client__map_encode(const struct fil_value *value, struct fil_map_data *out_data)
    FIL_NODISCARD;
void fil_client__map_release(struct fil_map_data *data);

/** A request about a map: of a key's partition, or of any member when there is no key. */
struct fil_map_request {
    const struct fil_client_op *op;
    const void *fields;
    struct fil_bytes key;
    bool is_write; // near caches forget the key, or all when there is none
};

/** Free: begins it; the callback tells. */
int fil_client__map_start(struct fil_map *map, const struct fil_map_request *request,
                          fil_value_fn told, void *context) FIL_NODISCARD;

/** Free: begins it and waits. out_value may be NULL. */
int fil_client__map_run(struct fil_map *map, const struct fil_map_request *request,
                        struct fil_value *out_value) FIL_NODISCARD;

/** A request of one key, or of a key and a value, while it is being made. */
struct fil_map_draft {
    struct fil_map_data key;
    struct fil_map_data value;
    int error;
};

/** Where the result goes: to a callback, or to the caller, who waits for it. */
struct fil_map_outlet {
    fil_value_fn tell;
    void *context;
    struct fil_value *out_value;
};

/** Free: encodes key and value (NULL: none). */
void fil_client__map_draft(struct fil_map_draft *draft, const struct fil_map *map,
                           const struct fil_value *key, const struct fil_value *value);

/** Free: starts or runs the request, unless the draft has failed, and ends the draft. */
int fil_client__map_submit(struct fil_map *map, struct fil_map_draft *draft,
                           const struct fil_map_request *request,
                           const struct fil_map_outlet *outlet) FIL_NODISCARD;

/** One of several requests that somebody waits for together. */
struct fil_map_waiter {
    struct fil_client *client;
    uint32_t left_count; // results to come
    int error;           // the first one
};

/** Begins a request for a waiter; waits for room when too many are in flight. Under the mutex. */
int fil_client__map_join(struct fil_map_waiter *waiter, const struct fil_client_request *request)
    FIL_NODISCARD;

/** Free: a result of a waiter's request has come. */
void fil_client__map_arrive(struct fil_map_waiter *waiter, int error);

/** Free: the number of the calling thread, as locks know it. */
int64_t fil_client__map_thread(void);

/** Free: a number of its own for each lock and unlock: what is repeated is recognized by it. */
int64_t fil_client__map_reference(struct fil_client *client);

static inline struct fil_bytes fil_client__map_name(const struct fil_map *map)
{
    return fil_bytes_make(map->name, map->name_size);
}

/** Under the mutex: the partition of a key; -1 as long as their number is not known. */
int32_t fil_client__map_partition(const struct fil_map *map, struct fil_bytes key);
