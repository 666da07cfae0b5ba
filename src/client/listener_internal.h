// SPDX-License-Identifier: Apache-2.0
/** Listeners and near caches, as the rest of the client sees them; all under the mutex. */
#pragma once

#include "client/client_internal.h"

/** How a registration over a link stands. */
struct fil_client_registration {
    bool is_made;
    struct fil_wire_uuid id;
};

struct fil_client_thing;
struct fil_subscription;

/** How a kind of structure is listened to. */
struct fil_client_ear {
    const struct fil_client_op *listen;
    const struct fil_client_op *remove; // all have the fields of map_remove_entry_listener
    bool has_values_field;              // the request says whether values are wanted
    void (*tell)(const struct fil_subscription *listener, struct fil_bytes message);
};

struct fil_subscription {
    struct fil_list link;
    struct fil_client *client;
    struct fil_map *map;            // NULL: of a thing
    struct fil_client_thing *thing; // NULL: of a map
    const struct fil_client_ear *ear;
    struct fil_item_subscribe_options items; // of a thing with items
    fil_message_fn heard;                    // of a topic
    void *heard_context;
    struct fil_client_reader *reader; // of a reliable topic, which asks instead of listening
    uint32_t number;
    bool is_near; // of a near cache: nobody is called back
    bool is_closed;
    uint64_t pending; // links that have not answered yet, one bit each
    int error;        // of the first registration that failed
    struct fil_map_subscribe_options options;
    uint8_t *key; // serialized; NULL: all keys
    size_t key_size;
    struct fil_client_registration registrations[FIL_CLIENT_LINKS_MAX];
};

/** A text or JSON in received bytes, with a 0 byte behind it for as long as a callback runs. */
struct fil_client_seal {
    uint8_t *behind; // NULL: the value is no text
    uint8_t kept;
};

/** Free: only the stepper, to whom the received bytes belong, after all of them were read. */
static inline struct fil_client_seal fil_client__seal(const struct fil_value *value)
{
    struct fil_client_seal seal = {0};
    bool is_text = value->type == FIL_VALUE_STR || value->type == FIL_VALUE_JSON;
    if (is_text && value->as.bytes.data != NULL) {
        seal.behind = (uint8_t *)(uintptr_t)value->as.bytes.data + value->as.bytes.size;
        seal.kept = *seal.behind;
        *seal.behind = 0;
    }
    return seal;
}

static inline void fil_client__unseal(struct fil_client_seal seal)
{
    if (seal.behind != NULL) {
        *seal.behind = seal.kept;
    }
}

/** Registers over all links; the caller waits until none is pending. FIL_E_NOMEM. */
int fil_client__listener_open(struct fil_map *map, const struct fil_subscription *model,
                              struct fil_subscription **out_listener) FIL_NODISCARD;

/** Free: opens a listener of a thing and waits until the members have answered. */
int fil_client__thing_listen(struct fil_client_thing *thing, const struct fil_subscription *model,
                             struct fil_subscription **out_listener) FIL_NODISCARD;

/** Free: the same for one that is told of items. */
int fil_client__item_listen(struct fil_client_thing *thing, const struct fil_client_ear *ear,
                            const struct fil_item_subscribe_options *options,
                            struct fil_subscription **out_listener) FIL_NODISCARD;

/** Free: the same for one that is told of entries. */
int fil_client__entry_listen(struct fil_client_thing *thing, const struct fil_client_ear *ear,
                             const struct fil_map_subscribe_options *options,
                             struct fil_subscription **out_listener) FIL_NODISCARD;

/** Free: how events of items and of entries are told; all structures have the same. */
void fil_client__tell_item(const struct fil_subscription *listener, struct fil_bytes message);
void fil_client__tell_entry(const struct fil_subscription *listener, struct fil_bytes message);

/** Free: a reader of a reliable topic reads no more, and frees itself and its subscription. */
void fil_client__reader_close(struct fil_client_reader *reader);

/** Free: waits until the members have answered. */
int fil_client__listener_await(struct fil_subscription *listener) FIL_NODISCARD;

/** The link is gone. */
void fil_client__listeners_lost(struct fil_client_link *link);

/** A link is ready: all listeners are registered over it. */
void fil_client__listeners_register(struct fil_client_link *link);

/** The answer to a registration, or an event. */
void fil_client__listener_message(struct fil_client_link *link,
                                  const struct fil_wire_header *header, struct fil_bytes message);

/** Free: the stepper tells an event. */
void fil_client__listener_deliver(struct fil_subscription *listener, struct fil_bytes message);

/** Frees what was closed; no delivery refers to it any more. */
void fil_client__listeners_sweep(struct fil_client *client);
void fil_client__listeners_free(struct fil_client *client);

// Near caches.

/** Another cluster, or a link that was lost: nothing is known any more. */
void fil_client__near_forget_all(struct fil_client *client);
void fil_client__near_lost(struct fil_client_link *link);
void fil_client__near_free(struct fil_map *map);

/** Compares sequences when their time has come; returns when that is. */
uint64_t fil_client__near_upkeep(struct fil_client *client, uint64_t now_ns);
void fil_client__near_repair(struct fil_client_link *link, const struct fil_wire_header *header,
                             struct fil_bytes message);

bool fil_client__near_is_open(const struct fil_map *map);

/** What a member says that its last invalidation was: all of the partition is dropped if not. */
void fil_client__near_compare(struct fil_map *map, uint32_t partition, struct fil_wire_uuid source,
                              uint64_t sequence);

/** An event of the invalidation listener. */
void fil_client__near_event(struct fil_subscription *listener, const struct fil_wire_header *header,
                            struct fil_bytes message);

/** What is cached of a key: a copy that the caller owns. False: nothing. */
bool fil_client__near_get(struct fil_map *map, struct fil_bytes key, struct fil_value *out_value);

/** Before a value is asked for: a place for it, unless it changes meanwhile. 0: none. */
uint32_t fil_client__near_reserve(struct fil_map *map, struct fil_bytes key);

/** The value has come; data without bytes: there is none. */
void fil_client__near_fill(struct fil_map *map, uint32_t ticket, struct fil_bytes data);

/** The key is changed by this client; a key without data: all keys are. */
void fil_client__near_drop(struct fil_map *map, struct fil_bytes key);
