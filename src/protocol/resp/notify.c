// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/notify.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "protocol/resp/notify_internal.h"

// Letters.

struct letter {
    char letter;
    uint32_t class;
};

// In the order in which Redis tells them.
static const struct letter letters[] = {
    {'g', FIL_RESP_NOTIFY_GENERIC},  {'$', FIL_RESP_NOTIFY_STRING},
    {'l', FIL_RESP_NOTIFY_LIST},     {'s', FIL_RESP_NOTIFY_SET},
    {'h', FIL_RESP_NOTIFY_HASH},     {'z', FIL_RESP_NOTIFY_ZSET},
    {'x', FIL_RESP_NOTIFY_EXPIRED},  {'e', FIL_RESP_NOTIFY_EVICTED},
    {'t', FIL_RESP_NOTIFY_STREAM},   {'d', FIL_RESP_NOTIFY_MODULE},
    {'n', FIL_RESP_NOTIFY_NEW},      {'K', FIL_RESP_NOTIFY_KEYSPACE},
    {'E', FIL_RESP_NOTIFY_KEYEVENT}, {'m', FIL_RESP_NOTIFY_MISS},
};

#define NOTIFY_ALL                                                                                 \
    (FIL_RESP_NOTIFY_GENERIC | FIL_RESP_NOTIFY_STRING | FIL_RESP_NOTIFY_LIST |                     \
     FIL_RESP_NOTIFY_SET | FIL_RESP_NOTIFY_HASH | FIL_RESP_NOTIFY_ZSET | FIL_RESP_NOTIFY_EXPIRED | \
     FIL_RESP_NOTIFY_EVICTED | FIL_RESP_NOTIFY_STREAM | FIL_RESP_NOTIFY_MODULE)

static uint32_t class_of(char letter)
{
    if (letter == 'A') {
        return NOTIFY_ALL;
    }
    for (size_t i = 0; i < FIL_COUNT_OF(letters); i++) {
        if (letters[i].letter == letter) {
            return letters[i].class;
        }
    }
    return 0;
}

bool fil_resp_notify_parse(struct fil_bytes text, uint32_t *out_classes)
{
    *out_classes = 0;
    for (size_t i = 0; i < text.size; i++) {
        uint32_t class = class_of((char)text.data[i]);
        if (class == 0) {
            return false;
        }
        *out_classes |= class;
    }
    return true;
}

void fil_resp_notify_text(uint32_t classes, char text[FIL_RESP_NOTIFY_TEXT_MAX])
{
    size_t size = 0;
    uint32_t left = classes;
    if ((classes & NOTIFY_ALL) == NOTIFY_ALL) {
        text[size] = 'A';
        size++;
        // As Redis, which does not tell of the class of new keys then.
        left &= ~(uint32_t)(NOTIFY_ALL | FIL_RESP_NOTIFY_NEW);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(letters); i++) {
        if (left & letters[i].class) {
            text[size] = letters[i].letter;
            size++;
        }
    }
    fil_assert(size < FIL_RESP_NOTIFY_TEXT_MAX);
    text[size] = '\0';
}

// Telling.

/** The number of a database; -1 when it is none. */
static int number_of(struct fil_resp_server *server, const struct fil_map *map)
{
    for (int i = 0; i < FIL_RESP_DATABASES; i++) {
        // A8 pairs with R8, as for who selects it.
        if (atomic_load_explicit(&server->databases[i], memory_order_acquire) == map) {
            return i;
        }
    }
    return -1;
}

/** One message to a channel whose name is put together from two parts. */
static void send_to(struct fil_resp_server *server, const char *prefix, struct fil_bytes name,
                    struct fil_bytes text) FIL_TSA(no_thread_safety_analysis)
{
    struct fil_budget *budget = server->options.budget;
    size_t prefix_size = strlen(prefix);
    size_t size = prefix_size + name.size;
    uint8_t *channel = fil_budget_alloc(budget, size);
    if (channel == NULL) {
        fil_counter_add_shared(&server->pubsub.lost, 1);
        return;
    }
    memcpy(channel, prefix, prefix_size);
    if (name.size > 0) {
        memcpy(channel + prefix_size, name.data, name.size);
    }
    // Only what is for the publisher itself needs a loop, and here that goes the usual way.
    (void)fil_resp_pubsub_publish(&server->pubsub, fil_bytes_make(channel, size), text, NULL);
    fil_budget_free(budget, channel, size);
}

void fil_resp_notify__tell(struct fil_resp_server *server, const struct fil_map *map,
                           struct fil_bytes key, uint32_t class, const char *event)
{
    uint32_t classes = atomic_load_explicit(&server->notified, memory_order_relaxed);
    char prefix[32];
    int number = (classes & class) != 0 ? number_of(server, map) : -1;
    if (number < 0 || server->options.events == NULL) {
        return;
    }
    if (classes & FIL_RESP_NOTIFY_KEYSPACE) {
        (void)snprintf(prefix, sizeof(prefix), "__keyspace@%d__:", number);
        send_to(server, prefix, key, fil_bytes_of(event));
    }
    if (classes & FIL_RESP_NOTIFY_KEYEVENT) {
        (void)snprintf(prefix, sizeof(prefix), "__keyevent@%d__:", number);
        send_to(server, prefix, fil_bytes_of(event), key);
    }
}

void fil_resp_notify_gone(void *context, struct fil_map *map, struct fil_bytes key, bool is_expired)
{
    struct fil_resp_server *server = context;
    if (fil_resp_notify_is_on(server)) {
        fil_resp_notify__tell(server, map, key,
                              is_expired ? FIL_RESP_NOTIFY_EXPIRED : FIL_RESP_NOTIFY_EVICTED,
                              is_expired ? "expired" : "evicted");
    }
}
