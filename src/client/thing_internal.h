// SPDX-License-Identifier: Apache-2.0
/**
 * A structure as a client knows it: its kind and its name. Queues, lists, topics and their kin are
 * hardly more; what each can do is its requests.
 */
#pragma once

#include "client/client_internal.h"
#include "client/gather.h"
#include "client/map_internal.h"
#include "lib/base/bytes.h"

enum fil_client_thing_kind {
    FIL_CLIENT_QUEUE,
    FIL_CLIENT_SET,
    FIL_CLIENT_RINGBUFFER,
    FIL_CLIENT_LIST,
    FIL_CLIENT_MULTIMAP,
    FIL_CLIENT_TOPIC,
    FIL_CLIENT_RELIABLE_TOPIC,
    FIL_CLIENT_REPLICATED_MAP,
    FIL_CLIENT_PN_COUNTER,
    FIL_CLIENT_FLAKE_IDS,
    FIL_CLIENT_CARDINALITY,
};

/** What clients put before the name of a reliable topic for the name of its ring buffer. */
#define FIL_CLIENT_RING_PREFIX "_hz_rb_"
#define FIL_CLIENT_RING_MAX    (FIL_CLIENT_NAME_MAX + sizeof(FIL_CLIENT_RING_PREFIX))

struct fil_client_thing {
    struct fil_list link;
    struct fil_client *client;
    enum fil_client_thing_kind kind;
    size_t name_size;
    char name[FIL_CLIENT_RING_MAX];

    // What some kinds keep between their calls; under the mutex.
    struct fil_wire_uuid replica; // of a PN counter: the member that counts for this client
    uint8_t *clocks;              // and what it has seen
    size_t clocks_size;
    int64_t next_id; // of ids: the rest of a batch
    int64_t id_step;
    uint32_t id_count;
    uint64_t ids_until_ns;
};

/** Free: the thing of that kind and name, made if need be; NULL: a wrong name, or no memory. */
struct fil_client_thing *fil_client__thing(struct fil_grid *grid, enum fil_client_thing_kind kind,
                                           const char *name);

/** Frees all things of a client that ends. */
void fil_client__things_free(struct fil_client *client);

/** Reads an answer of its own kind; runs on the thread that steps. */
typedef int (*fil_client_read_fn)(void *context, struct fil_bytes message);

/** A request of one answer. */
struct fil_client_errand {
    const struct fil_client_op *op;
    const void *fields;
    struct fil_bytes key; // in whose partition it is; without data: in that of the name
    bool is_for_any;      // any member may answer
    struct fil_value *out_value;
    fil_client_read_fn read; // of an answer that is no value
    void *context;
};

/** Free: makes the request and waits for its answer. */
int fil_client__thing_ask(struct fil_client_thing *thing, const struct fil_client_errand *errand)
    FIL_NODISCARD;

/** Free: the same for an answer that is a list of values, or of keys and values in turn. */
int fil_client__thing_list(struct fil_client_thing *thing, const struct fil_client_errand *errand,
                           struct fil_values *out_values) FIL_NODISCARD;

/** Under the mutex: the partition of its name; -1 as long as their number is not known. */
int32_t fil_client__thing_partition(const struct fil_client_thing *thing);

/** The values as keys and values in turn. */
struct fil_entries fil_client__thing_pair(const struct fil_values *values);

/** Adds the values of a part of an answer to those that are gathered. */
int fil_client__gather_part(struct fil_gather *gather, const struct fil_wire_part *part)
    FIL_NODISCARD;

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

/** As many milliseconds as the protocol can say. */
static inline int64_t fil_client__thing_wait(uint64_t wait_ms)
{
    return wait_ms > INT64_MAX ? INT64_MAX : (int64_t)wait_ms;
}

static inline struct fil_bytes fil_client__thing_name(const struct fil_client_thing *thing)
{
    return fil_bytes_make(thing->name, thing->name_size);
}
