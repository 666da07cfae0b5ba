// SPDX-License-Identifier: Apache-2.0
// Servers of an upstream that are names: their addresses come and go.
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/http/upstream_internal.h"

#define IPV6_BIT 16U

int fil_upstream__add_name(struct fil_upstream *upstream, struct fil_bytes text)
{
    struct fil_upstream_name *name = &upstream->names[upstream->name_count];
    size_t colon = fil_bytes_find(text, ':');
    uint64_t port = 0;
    if (colon == 0 || colon >= text.size || colon >= sizeof(name->host) ||
        !fil_bytes_to_u64(fil_bytes_make(text.data + colon + 1, text.size - colon - 1), &port) ||
        port == 0 || port > UINT16_MAX) {
        return FIL_E_ADDRESS;
    }
    for (size_t i = 0; i < colon; i++) {
        uint8_t byte = text.data[i];
        bool is_digit = byte >= '0' && byte <= '9';
        bool is_letter = (byte | 0x20U) >= 'a' && (byte | 0x20U) <= 'z';
        if (!is_digit && !is_letter && byte != '-' && byte != '.' && byte != '_') {
            return FIL_E_ADDRESS;
        }
    }
    memcpy(name->host, text.data, colon);
    name->port = (uint16_t)port;
    atomic_init(&name->error, FIL_E_AGAIN);
    upstream->name_count++;
    return FIL_OK;
}

void fil_upstream__add_places(struct fil_upstream *upstream)
{
    for (; upstream->server_count < FIL_UPSTREAM_SERVERS_MAX; upstream->server_count++) {
        struct fil_upstream_server *server = &upstream->servers[upstream->server_count];
        atomic_init(&server->is_absent, true);
        server->name = FIL_UPSTREAM_NONE;
    }
}

// All sequentially consistent: who reads the same even version before and after the words has those
// of one address.
static void write_words(struct fil_upstream_server *server, const struct fil_address *address)
{
    uint64_t words[3] = {0};
    memcpy(words, address->ip, sizeof(address->ip));
    words[2] = address->port | (uint64_t)address->is_ipv6 << IPV6_BIT;
    atomic_fetch_add(&server->version, 1);
    for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
        atomic_store(&server->words[i], words[i]);
    }
    atomic_fetch_add(&server->version, 1);
}

uint32_t fil_upstream_address(const struct fil_upstream *upstream, uint32_t index,
                              struct fil_address *out_address)
{
    fil_assert(index < upstream->server_count);
    const struct fil_upstream_server *server = &upstream->servers[index];
    uint64_t words[3];
    uint32_t before = 0;
    // Goes round only while somebody writes, which takes a few stores.
    do {
        before = atomic_load(&server->version);
        for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
            words[i] = atomic_load(&server->words[i]);
        }
    } while (before % 2 != 0 || atomic_load(&server->version) != before);
    memcpy(out_address->ip, words, sizeof(out_address->ip));
    out_address->port = (uint16_t)words[2];
    out_address->is_ipv6 = (words[2] >> IPV6_BIT) != 0;
    return before;
}

bool fil_upstream_is_present(const struct fil_upstream *upstream, uint32_t index)
{
    // Relaxed: one that has just gone may be asked once more.
    return !atomic_load_explicit(&upstream->servers[index].is_absent, memory_order_relaxed);
}

void fil_upstream__put(struct fil_upstream *upstream, uint32_t index, uint32_t name,
                       const struct fil_address *address)
{
    struct fil_upstream_server *server = &upstream->servers[index];
    write_words(server, address);
    server->name = name;
    // Relaxed: figures.
    atomic_store_explicit(&server->latency_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&server->failures, 0, memory_order_relaxed);
    atomic_store_explicit(&server->ejections, 0, memory_order_relaxed);
    atomic_store_explicit(&server->ejected_ns, 0, memory_order_relaxed);
    atomic_store(&server->is_absent, false);
}

static bool equals(const struct fil_address *a, const struct fil_address *b)
{
    return a->port == b->port && a->is_ipv6 == b->is_ipv6 &&
           memcmp(a->ip, b->ip, a->is_ipv6 ? 16 : 4) == 0;
}

/** The place of a name's address, present or not; FIL_UPSTREAM_NONE. */
static uint32_t find_place(const struct fil_upstream *upstream, uint32_t name,
                           const struct fil_address *address)
{
    for (uint32_t i = 0; i < upstream->server_count; i++) {
        struct fil_address there;
        if (upstream->servers[i].name == name) {
            (void)fil_upstream_address(upstream, i, &there);
            if (equals(&there, address)) {
                return i;
            }
        }
    }
    return FIL_UPSTREAM_NONE;
}

/** A place that nobody asks; one that had no address before others. */
static uint32_t find_free(const struct fil_upstream *upstream)
{
    uint32_t found = FIL_UPSTREAM_NONE;
    for (uint32_t i = 0; i < upstream->server_count; i++) {
        const struct fil_upstream_server *server = &upstream->servers[i];
        bool is_free = !fil_upstream_is_present(upstream, i) &&
                       atomic_load_explicit(&server->busy, memory_order_relaxed) == 0;
        if (is_free && (found == FIL_UPSTREAM_NONE || server->name == FIL_UPSTREAM_NONE)) {
            found = i;
        }
        if (is_free && server->name == FIL_UPSTREAM_NONE) {
            break;
        }
    }
    return found;
}

static bool is_among(const struct fil_resolved *found, const struct fil_address *address)
{
    for (uint32_t i = 0; i < found->count; i++) {
        if (equals(&found->addresses[i], address)) {
            return true;
        }
    }
    return false;
}

/** Addresses that the name does not have any more are not asked. */
static void drop_gone(struct fil_upstream *upstream, uint32_t name,
                      const struct fil_resolved *found)
{
    for (uint32_t i = 0; i < upstream->server_count; i++) {
        struct fil_address there;
        if (upstream->servers[i].name == name) {
            (void)fil_upstream_address(upstream, i, &there);
            if (!is_among(found, &there)) {
                atomic_store(&upstream->servers[i].is_absent, true);
            }
        }
    }
}

void fil_upstream_learn(struct fil_upstream *upstream, uint32_t name, int error,
                        const struct fil_resolved *found)
{
    fil_assert(name < upstream->name_count);
    atomic_store(&upstream->names[name].error, error);
    if (error != FIL_OK) {
        return; // an old address is better than none
    }
    drop_gone(upstream, name, found);
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t place = find_place(upstream, name, &found->addresses[i]);
        bool is_there = place != FIL_UPSTREAM_NONE && fil_upstream_is_present(upstream, place);
        if (place == FIL_UPSTREAM_NONE) {
            place = find_free(upstream); // none: there are enough to ask
        }
        if (!is_there && place != FIL_UPSTREAM_NONE) {
            fil_upstream__put(upstream, place, name, &found->addresses[i]);
        }
    }
}
