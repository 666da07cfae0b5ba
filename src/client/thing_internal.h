// SPDX-License-Identifier: Apache-2.0
/**
 * A structure that lives in one partition, as a client knows it: its kind and its name. Queues,
 * sets and ring buffers are nothing else; what each can do is its requests.
 */
#pragma once

#include "client/client_internal.h"
#include "client/map_internal.h"
#include "lib/base/bytes.h"

enum fil_client_thing_kind {
    FIL_CLIENT_QUEUE,
    FIL_CLIENT_SET,
    FIL_CLIENT_RINGBUFFER,
};

struct fil_client_thing {
    struct fil_list link;
    struct fil_client *client;
    enum fil_client_thing_kind kind;
    struct fil_map_data place; // the name as a value, which chooses the partition
    size_t name_size;
    char name[FIL_CLIENT_NAME_MAX];
};

/** Free: the thing of that kind and name, made if need be; NULL: a wrong name, or no memory. */
struct fil_client_thing *fil_client__thing(struct fil_grid *grid, enum fil_client_thing_kind kind,
                                           const char *name);

/** Frees all things of a client that ends. */
void fil_client__things_free(struct fil_client *client);

/** Free: makes the request and waits for its answer. out_value may be NULL. */
int fil_client__thing_run(struct fil_client_thing *thing, const struct fil_client_op *op,
                          const void *fields, struct fil_value *out_value) FIL_NODISCARD;

/** The same for a request with an item: it is asked for its fields when that is encoded. */
struct fil_client_item_request {
    const struct fil_client_op *op;
    void *fields;
    struct fil_bytes *item; // the one of the fields that is the item
};
int fil_client__thing_run_item(struct fil_client_thing *thing,
                               const struct fil_client_item_request *request,
                               const struct fil_value *item, struct fil_value *out_value)
    FIL_NODISCARD;

/** The answer of a run as what it is; the outs may be NULL. */
int fil_client__thing_tell_bool(int error, const struct fil_value *value, bool *out_answer);
int fil_client__thing_tell_count(int error, const struct fil_value *value, uint64_t *out_count);

static inline struct fil_bytes fil_client__thing_name(const struct fil_client_thing *thing)
{
    return fil_bytes_make(thing->name, thing->name_size);
}
