// SPDX-License-Identifier: Apache-2.0
/** Listeners: registered over every link, now and when one comes back. */
#include <string.h>

#include "client/listener_internal.h"
#include "client/map_internal.h"
#include "client/thing_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/list.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/generated/topic.h"

#define ALL_TYPES                                                                            \
    (FIL_MAP_ADDED | FIL_MAP_REMOVED | FIL_MAP_UPDATED | FIL_MAP_EVICTED | FIL_MAP_EXPIRED | \
     FIL_MAP_EVICTED_ALL | FIL_MAP_CLEARED | FIL_MAP_MERGED | FIL_MAP_LOADED)
#define INVALIDATION 256
#define ITEM_ADDED   1

static const struct fil_client_op listen_op = {.request =
                                                   &fil_wire_map_add_entry_listener_request_layout};
static const struct fil_client_op listen_key_op = {
    .request = &fil_wire_map_add_entry_listener_to_key_request_layout};
static const struct fil_client_op near_op = {
    .request = &fil_wire_map_add_near_cache_invalidation_listener_request_layout};
static const struct fil_client_op remove_op = {
    .request = &fil_wire_map_remove_entry_listener_request_layout};

static int64_t correlation_of(const struct fil_subscription *listener)
{
    return fil_client__own(FIL_CLIENT_OWN_LISTENER, listener->number);
}

static struct fil_bytes name_of(const struct fil_subscription *listener)
{
    if (listener->map != NULL) {
        return fil_client__map_name(listener->map);
    }
    fil_assert(listener->thing != NULL);
    return fil_client__thing_name(listener->thing);
}

/** Requests to listen to a thing have one of two forms. */
static void ask_for_thing(const struct fil_subscription *listener, struct fil_client_link *link,
                          bool is_local)
{
    struct fil_wire_list_add_listener_request with_values = {
        .include_value = listener->items.has_values || listener->options.has_values,
        .local_only = is_local,
        .name = name_of(listener)};
    struct fil_wire_topic_add_message_listener_request plain = {.local_only = is_local,
                                                                .name = name_of(listener)};
    fil_client__link_tell(link, listener->ear->listen, correlation_of(listener),
                          listener->ear->has_values_field ? (const void *)&with_values : &plain);
}

static void ask_for_map(const struct fil_subscription *listener, struct fil_client_link *link,
                        bool is_local)
{
    struct fil_bytes name = name_of(listener);
    struct fil_wire_map_add_entry_listener_request all = {
        .include_value = listener->options.has_values,
        .listener_flags = (int32_t)listener->options.types,
        .local_only = is_local,
        .name = name};
    struct fil_wire_map_add_entry_listener_to_key_request one = {
        .include_value = all.include_value,
        .listener_flags = all.listener_flags,
        .local_only = is_local,
        .name = name,
        .key = fil_bytes_make(listener->key, listener->key_size)};
    struct fil_wire_map_add_near_cache_invalidation_listener_request near = {
        .listener_flags = INVALIDATION, .local_only = is_local, .name = name};
    if (listener->is_near) {
        fil_client__link_tell(link, &near_op, correlation_of(listener), &near);
    } else if (listener->key != NULL) {
        fil_client__link_tell(link, &listen_key_op, correlation_of(listener), &one);
    } else {
        fil_client__link_tell(link, &listen_op, correlation_of(listener), &all);
    }
}

/** Each member tells of its own partitions, unless there is only one to talk to. */
static void register_over(struct fil_subscription *listener, struct fil_client_link *link)
{
    bool is_local = !link->client->settings.is_single;
    if (listener->thing != NULL) {
        ask_for_thing(listener, link, is_local);
    } else {
        ask_for_map(listener, link, is_local);
    }
    listener->registrations[link->index].is_made = false;
    listener->pending |= UINT64_C(1) << link->index;
}

void fil_client__listeners_register(struct fil_client_link *link)
{
    fil_list_foreach(item, &link->client->listeners) {
        register_over(FIL_CONTAINER_OF(item, struct fil_subscription, link), link);
    }
}

void fil_client__listeners_lost(struct fil_client_link *link)
{
    fil_list_foreach(item, &link->client->listeners) {
        struct fil_subscription *listener = FIL_CONTAINER_OF(item, struct fil_subscription, link);
        listener->pending &= ~(UINT64_C(1) << link->index);
        listener->registrations[link->index].is_made = false;
    }
}

static struct fil_subscription *find_listener(struct fil_client *client, int64_t correlation)
{
    fil_list_foreach(item, &client->listeners) {
        struct fil_subscription *listener = FIL_CONTAINER_OF(item, struct fil_subscription, link);
        if (correlation_of(listener) == correlation) {
            return listener;
        }
    }
    return NULL;
}

/** The answer to a registration: the number by which it is taken back. */
static void take_answer(struct fil_subscription *listener, struct fil_client_link *link,
                        const struct fil_wire_header *header, struct fil_bytes message)
{
    struct fil_wire_map_add_entry_listener_response response;
    int32_t code = 0;
    listener->pending &= ~(UINT64_C(1) << link->index);
    if (header->type == 0) {
        int error = fil_client__read_error(link->client, link, message, &code);
        listener->error = listener->error == FIL_OK ? error : listener->error;
        return;
    }
    // All registrations are answered alike.
    if (FIL_WIRE_DECODE(map_add_entry_listener_response, message, &response, NULL) == FIL_OK) {
        listener->registrations[link->index] =
            (struct fil_client_registration){.is_made = true, .id = response.response};
    }
}

void fil_client__listener_message(struct fil_client_link *link,
                                  const struct fil_wire_header *header, struct fil_bytes message)
{
    struct fil_client *client = link->client;
    struct fil_subscription *listener = find_listener(client, header->correlation);
    if (listener == NULL) {
        client->stats.late_count++;
        return;
    }
    if ((header->flags & FIL_WIRE_EVENT) == 0) {
        take_answer(listener, link, header, message);
        return;
    }
    client->stats.event_count++;
    if (listener->is_near) {
        fil_client__near_event(listener, header, message);
        return;
    }
    fil_assert(client->delivery_count < FIL_CLIENT_DELIVERIES_MAX);
    client->deliveries[client->delivery_count] =
        (struct fil_client_delivery){.listener = listener, .message = message};
    client->delivery_count++;
}

void fil_client__tell_item(const struct fil_subscription *listener, struct fil_bytes message)
{
    struct fil_wire_list_add_listener_item_event event;
    if (FIL_WIRE_DECODE(list_add_listener_item_event, message, &event, NULL) != FIL_OK) {
        return;
    }
    struct fil_item_change change = {.is_added = event.event_type == ITEM_ADDED,
                                     .item = fil_client__value_view(event.item)};
    struct fil_client_seal seal = fil_client__seal(&change.item);
    listener->items.changed(listener->items.context, &change);
    fil_client__unseal(seal);
}

/** Events of all structures with entries, and those for one key, have the same fields. */
void fil_client__tell_entry(const struct fil_subscription *listener, struct fil_bytes message)
{
    struct fil_wire_map_add_entry_listener_entry_event event;
    if (FIL_WIRE_DECODE(map_add_entry_listener_entry_event, message, &event, NULL) != FIL_OK) {
        return;
    }
    struct fil_map_change change = {
        .type = (enum fil_map_change_type)event.event_type,
        .key = fil_client__value_view(event.key),
        .value = fil_client__value_view(event.value),
        .old_value = fil_client__value_view(event.old_value),
        .count = (uint32_t)event.number_of_affected_entries,
    };
    struct fil_client_seal seals[] = {fil_client__seal(&change.key),
                                      fil_client__seal(&change.value),
                                      fil_client__seal(&change.old_value)};
    listener->options.changed(listener->options.context, &change);
    for (size_t i = 0; i < FIL_COUNT_OF(seals); i++) {
        fil_client__unseal(seals[i]);
    }
}

void fil_client__listener_deliver(struct fil_subscription *listener, struct fil_bytes message)
{
    fil_client__lock(listener->client);
    bool is_closed = listener->is_closed;
    fil_client__unlock(listener->client);
    if (!is_closed && listener->ear != NULL) {
        listener->ear->tell(listener, message);
    } else if (!is_closed) {
        fil_client__tell_entry(listener, message);
    }
}

static void free_listener(struct fil_subscription *listener)
{
    fil_free(listener->key);
    fil_free(listener);
}

static void free_list(struct fil_list *listeners)
{
    struct fil_list *item = NULL;
    while ((item = fil_list_take_front(listeners)) != NULL) {
        free_listener(FIL_CONTAINER_OF(item, struct fil_subscription, link));
    }
}

void fil_client__listeners_sweep(struct fil_client *client)
{
    free_list(&client->closed_listeners);
}

void fil_client__listeners_free(struct fil_client *client)
{
    free_list(&client->closed_listeners);
    free_list(&client->listeners);
}

/** A copy of the model begins to listen; it has its client, and its map or thing. */
static int open_listener(struct fil_client *client, const struct fil_subscription *model,
                         struct fil_subscription **out_listener)
{
    struct fil_subscription *listener = fil_alloc(sizeof(*listener));
    if (listener == NULL) {
        return FIL_E_NOMEM;
    }
    *listener = *model;
    listener->client = client;
    client->listener_serial++;
    listener->number = client->listener_serial;
    fil_list_init(&listener->link);
    fil_list_push_back(&client->listeners, &listener->link);
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        if (fil_client__link_is(&client->links[i], FIL_CLIENT_LINK_READY)) {
            register_over(listener, &client->links[i]);
        }
    }
    fil_client__kick(client);
    *out_listener = listener;
    return FIL_OK;
}

int fil_client__listener_open(struct fil_map *map, const struct fil_subscription *model,
                              struct fil_subscription **out_listener)
{
    struct fil_subscription full = *model;
    full.map = map;
    return open_listener(map->client, &full, out_listener);
}

/** Waits for the members; a listener that one of them refuses is closed. */
static int settle(struct fil_subscription **listener)
{
    int error = fil_client__listener_await(*listener);
    if (error != FIL_OK) {
        fil_subscription_close(*listener);
        *listener = NULL;
    }
    return error;
}

int fil_client__thing_listen(struct fil_client_thing *thing, const struct fil_subscription *model,
                             struct fil_subscription **out_listener)
{
    struct fil_subscription full = *model;
    if (fil_client__is_inside(thing->client)) {
        return FIL_E_WOULD_BLOCK;
    }
    full.thing = thing;
    fil_client__lock(thing->client);
    int error = open_listener(thing->client, &full, out_listener);
    fil_client__unlock(thing->client);
    return error == FIL_OK ? settle(out_listener) : error;
}

int fil_client__item_listen(struct fil_client_thing *thing, const struct fil_client_ear *ear,
                            const struct fil_item_subscribe_options *options,
                            struct fil_subscription **out_listener)
{
    if (options == NULL || options->changed == NULL || out_listener == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_subscription model = {.ear = ear, .items = *options};
    return fil_client__thing_listen(thing, &model, out_listener);
}

int fil_client__entry_listen(struct fil_client_thing *thing, const struct fil_client_ear *ear,
                             const struct fil_map_subscribe_options *options,
                             struct fil_subscription **out_listener)
{
    if (options == NULL || options->changed == NULL || out_listener == NULL) {
        return FIL_E_INVALID;
    }
    struct fil_subscription model = {.ear = ear, .options = *options};
    return fil_client__thing_listen(thing, &model, out_listener);
}

int fil_client__listener_await(struct fil_subscription *listener)
{
    struct fil_client *client = listener->client;
    fil_client__lock(client);
    uint64_t deadline_ns = fil_client__deadline_ns(client);
    while (listener->pending != 0 && listener->error == FIL_OK) {
        if (fil_env_now_ns(client->env) >= deadline_ns) {
            fil_client__complain(client, "a member did not answer in time to a listener");
            listener->error = FIL_E_TIMEOUT;
            break;
        }
        fil_client__turn_until(client, deadline_ns);
    }
    int error = listener->error;
    fil_client__unlock(client);
    return error;
}

static int keep_key(struct fil_subscription *model, const struct fil_value *key)
{
    struct fil_map_data data;
    if (fil_value_is_null(key)) {
        return FIL_OK;
    }
    int error = fil_client__map_encode(key, &data);
    if (error == FIL_OK) {
        model->key = fil_alloc(data.bytes.size);
        model->key_size = data.bytes.size;
        error = model->key == NULL ? FIL_E_NOMEM : FIL_OK;
    }
    if (error == FIL_OK) {
        memcpy(model->key, data.bytes.data, data.bytes.size);
    }
    fil_client__map_release(&data);
    return error;
}

int fil_map_subscribe(struct fil_map *map, const struct fil_map_subscribe_options *options,
                      struct fil_subscription **out_subscription)
{
    struct fil_subscription model = {0};
    if (map == NULL || options == NULL || options->changed == NULL || out_subscription == NULL ||
        (options->types & ~(uint32_t)ALL_TYPES) != 0) {
        return FIL_E_INVALID;
    }
    if (fil_client__is_inside(map->client)) {
        return FIL_E_WOULD_BLOCK;
    }
    model.options = *options;
    model.options.types = options->types == 0 ? ALL_TYPES : options->types;
    int error = keep_key(&model, &options->key);
    if (error != FIL_OK) {
        return error;
    }
    fil_client__lock(map->client);
    error = fil_client__listener_open(map, &model, out_subscription);
    fil_client__unlock(map->client);
    if (error != FIL_OK) {
        fil_free(model.key);
        return error;
    }
    return settle(out_subscription);
}

void fil_subscription_close(struct fil_subscription *subscription)
{
    if (subscription == NULL) {
        return;
    }
    if (subscription->reader != NULL) {
        fil_client__reader_close(subscription->reader);
        return;
    }
    struct fil_client *client = subscription->client;
    const struct fil_client_op *remove =
        subscription->ear == NULL ? &remove_op : subscription->ear->remove;
    fil_client__lock(client);
    fil_assert(!subscription->is_closed);
    subscription->is_closed = true;
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[i];
        if (subscription->registrations[i].is_made &&
            fil_client__link_is(link, FIL_CLIENT_LINK_READY)) {
            struct fil_wire_map_remove_entry_listener_request request = {
                .registration_id = subscription->registrations[i].id,
                .name = name_of(subscription)};
            fil_client__link_tell(link, remove, fil_client__own(FIL_CLIENT_OWN_PROXY, 0), &request);
        }
    }
    fil_list_remove(&subscription->link);
    fil_list_push_back(&client->closed_listeners, &subscription->link);
    fil_client__kick(client);
    fil_client__unlock(client);
}
