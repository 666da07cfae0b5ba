// SPDX-License-Identifier: Apache-2.0
/** The members: found, dialed, watched; and which of them owns which partition. */
#include <stdio.h>
#include <string.h>

#include "client/client_internal.h"
#include "client/listener_internal.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/customs.h"

#define NEVER UINT64_MAX

static const struct fil_client_op view_op = {
    .request = &fil_wire_client_add_cluster_view_listener_request_layout};

void fil_client__hurry(struct fil_client *client)
{
    client->upkeep_at_ns = 0;
    if (client->is_parked) {
        client->env->ops->poller_wake(client->env, client->poller);
    }
}

struct fil_client_link *fil_client__link_of(struct fil_client *client, struct fil_wire_uuid member)
{
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[i];
        if (link->is_used && link->is_known && link->member.high == member.high &&
            link->member.low == member.low) {
            return link;
        }
    }
    return NULL;
}

static struct fil_client_link *link_at(struct fil_client *client, const struct fil_address *address)
{
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[i];
        if (link->is_used && link->address.port == address->port &&
            link->address.is_ipv6 == address->is_ipv6 &&
            memcmp(link->address.ip, address->ip, address->is_ipv6 ? 16 : 4) == 0) {
            return link;
        }
    }
    return NULL;
}

/** A slot for a member at the address; NULL when all are taken. */
static struct fil_client_link *take_link(struct fil_client *client,
                                         const struct fil_address *address)
{
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[i];
        if (!link->is_used) {
            fil_assert(fil_client__link_is(link, FIL_CLIENT_LINK_IDLE));
            link->is_used = true;
            link->is_known = false;
            link->is_member = false;
            link->address = *address;
            link->retry_at_ns = 0;
            link->retry_delay_ns = 0;
            return link;
        }
    }
    fil_client__complain(client, "there are more members than the client connects to: %u",
                         FIL_CLIENT_LINKS_MAX);
    return NULL;
}

static bool is_ready(const struct fil_client_link *link)
{
    return fil_client__link_is(link, FIL_CLIENT_LINK_READY) && !link->is_doomed;
}

struct fil_client_link *fil_client__route(struct fil_client *client, int32_t partition)
{
    if (client->ready_count == 0) {
        return NULL;
    }
    if (partition >= 0 && (uint32_t)partition < client->partition_count) {
        uint8_t owner = client->owners[partition];
        if (owner != FIL_CLIENT_NO_LINK && is_ready(&client->links[owner])) {
            return &client->links[owner];
        }
    }
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[client->next_link % FIL_CLIENT_LINKS_MAX];
        client->next_link++;
        if (is_ready(link)) {
            return link;
        }
    }
    return NULL;
}

void fil_client__link_replace(struct fil_client_link *old, struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    fil_assert(old != link && !is_ready(old));
    old->is_known = false;
    old->is_member = false;
    for (uint32_t i = 0; i < client->partition_count; i++) {
        if (client->owners[i] == old->index) {
            client->owners[i] = link->index;
        }
    }
}

void fil_client__link_up(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    client->ready_count++;
    client->seek_delay_ns = 0;
    link->retry_delay_ns = 0;
    if (client->ready_count == 1) {
        fil_list_foreach(item, &client->maps) {
            fil_client__announce_map(link, FIL_CONTAINER_OF(item, struct fil_map, link));
        }
    }
    fil_client__listeners_register(link);
    fil_client__resume(client);
    fil_client__hurry(client);
}

void fil_client__link_down(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    fil_assert(client->ready_count > 0);
    client->ready_count--;
    client->stats.loss_count++;
    if (client->view_link == link) {
        client->view_link = NULL;
    }
    fil_client__listeners_lost(link);
    fil_client__near_lost(link);
    fil_client__hurry(client);
}

static bool read_address(const struct fil_wire_part *part, struct fil_address *out_address)
{
    struct fil_wire_address address;
    char text[FIL_ADDRESS_TEXT_MAX];
    if (!fil_wire_decode_part(&fil_wire_address_layout, part, &address) || address.host.size > 45 ||
        address.port < 0 || address.port > UINT16_MAX) {
        return false;
    }
    bool is_ipv6 = fil_bytes_find(address.host, ':') < address.host.size;
    (void)snprintf(text, sizeof(text), is_ipv6 ? "[%.*s]:%d" : "%.*s:%d", (int)address.host.size,
                   (const char *)address.host.data, address.port);
    return fil_address_parse(text, out_address) == FIL_OK;
}

static void take_member(struct fil_client *client, const struct fil_wire_member_info *member)
{
    struct fil_address address;
    struct fil_client_link *link = fil_client__link_of(client, member->uuid);
    bool has_address = read_address(&member->address, &address);
    if (link == NULL && has_address) {
        link = link_at(client, &address);
        if (link == NULL || is_ready(link)) {
            link = take_link(client, &address);
        }
    }
    if (link == NULL) {
        return; // its partitions are reached through the others
    }
    if (has_address && !is_ready(link)) {
        link->address = address;
    }
    link->member = member->uuid;
    link->is_known = true;
    link->is_member = true;
}

void fil_client__members(struct fil_client *client, int32_t version,
                         const struct fil_wire_part *members)
{
    struct fil_wire_member_info member;
    if (version <= client->members_version || members->count == 0) {
        return;
    }
    client->members_version = version;
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        client->links[i].is_member = false;
    }
    struct fil_wire_cursor cursor = fil_wire_part_open(members);
    while (FIL_WIRE_DECODE_ITEM(member_info, &cursor, &member)) {
        take_member(client, &member);
    }
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        if (is_ready(&client->links[i]) && !client->links[i].is_member) {
            fil_client__link_doom(&client->links[i], "the member has left the cluster");
        }
    }
    fil_client__hurry(client);
}

static void take_partitions(struct fil_client *client, uint8_t owner, struct fil_bytes packed)
{
    for (size_t i = 0; i < packed.size / sizeof(int32_t); i++) {
        int32_t partition = fil_wire_packed_i32(packed, i);
        if (partition >= 0 && (uint32_t)partition < client->partition_count) {
            client->owners[partition] = owner;
        }
    }
}

void fil_client__partitions(struct fil_client *client, int32_t version,
                            const struct fil_wire_part *partitions)
{
    size_t member_count = partitions->keys.size / FIL_WIRE_UUID_SIZE;
    if (version <= client->partitions_version || member_count == 0 || client->owners == NULL) {
        return;
    }
    client->partitions_version = version;
    struct fil_wire_cursor cursor = fil_wire_part_open(partitions);
    struct fil_bytes packed;
    for (size_t i = 0; i < member_count && fil_wire_cursor_bytes(&cursor, &packed); i++) {
        struct fil_client_link *link =
            fil_client__link_of(client, fil_wire_packed_uuid(partitions->keys, i));
        take_partitions(client, link == NULL ? FIL_CLIENT_NO_LINK : link->index, packed);
    }
}

/** Asks one member for the views; another one when that is gone. */
static void watch_views(struct fil_client *client)
{
    if (client->view_link != NULL || client->ready_count == 0) {
        return;
    }
    struct fil_client_link *link = fil_client__route(client, -1);
    if (link == NULL) {
        return;
    }
    client->view_link = link;
    client->members_version = 0;
    client->partitions_version = 0;
    fil_client__link_tell(link, &view_op, fil_client__own(FIL_CLIENT_OWN_VIEW, 0), NULL);
}

/** A silent link is asked, and given up when it stays silent. Returns when to look again. */
static uint64_t watch_link(struct fil_client_link *link, uint64_t now_ns)
{
    const struct fil_client_settings *settings = &link->client->settings;
    uint64_t give_up_ns = link->received_ns + settings->heartbeat_timeout_ns;
    if (now_ns >= give_up_ns) {
        fil_client__link_doom(link, "nothing was heard of the member for too long");
        return now_ns;
    }
    if (now_ns >= link->sent_ns + settings->heartbeat_interval_ns) {
        fil_client__ping(link);
        link->sent_ns = now_ns;
    }
    uint64_t ask_ns = link->sent_ns + settings->heartbeat_interval_ns;
    return ask_ns < give_up_ns ? ask_ns : give_up_ns;
}

/** A link without connection: dialed again, or its slot given back. */
static uint64_t tend_idle(struct fil_client_link *link, uint64_t now_ns)
{
    struct fil_client *client = link->client;
    if (!fil_list_is_empty(&link->calls)) {
        fil_client__abandon(client, link); // there was no room for all of their results
        return now_ns;
    }
    if (!link->is_member) {
        link->is_used = false;
        return NEVER;
    }
    if (client->ready_count == 0 || client->settings.is_single) {
        return NEVER; // the search dials
    }
    if (now_ns >= link->retry_at_ns) {
        fil_client__link_dial(link);
        return fil_client__link_is(link, FIL_CLIENT_LINK_IDLE) ? link->retry_at_ns
                                                               : link->deadline_ns;
    }
    return link->retry_at_ns;
}

static uint64_t tend_link(struct fil_client_link *link, uint64_t now_ns)
{
    if (link->is_doomed) {
        fil_client__link_close(link);
    }
    switch ((enum fil_client_link_state)link->fsm.state) {
    case FIL_CLIENT_LINK_DIALING:
    case FIL_CLIENT_LINK_GREETING:
        if (now_ns >= link->deadline_ns) {
            fil_client__link_doom(link, "no answer to the connection or to its authentication");
            return now_ns;
        }
        return link->deadline_ns;
    case FIL_CLIENT_LINK_READY:
        return watch_link(link, now_ns);
    case FIL_CLIENT_LINK_IDLE:
    default:
        return tend_idle(link, now_ns);
    }
}

/** Addresses to begin with, by one number over all of them; NULL: this one is not known. */
static const struct fil_address *seed_address(const struct fil_client *client, uint32_t number)
{
    const struct fil_client_seed *seed = &client->settings.seeds[number / FIL_RESOLVED_MAX];
    const struct fil_resolved *found = &client->found[number / FIL_RESOLVED_MAX];
    uint32_t index = number % FIL_RESOLVED_MAX;
    if (seed->host[0] == '\0') {
        return index == 0 ? &seed->address : NULL;
    }
    return index < found->count ? &found->addresses[index] : NULL;
}

/** The address to try next, in a slot of its own; NULL: this one is of no use. */
static struct fil_client_link *seek_candidate(struct fil_client *client, uint32_t index)
{
    if (index < FIL_CLIENT_LINKS_MAX) {
        struct fil_client_link *link = &client->links[index];
        return link->is_used && link->is_member ? link : NULL;
    }
    const struct fil_address *seed = seed_address(client, index - FIL_CLIENT_LINKS_MAX);
    struct fil_client_link *link = seed == NULL ? NULL : link_at(client, seed);
    if (link != NULL) {
        return link->is_member ? NULL : link; // it was tried as a member
    }
    return seed == NULL ? NULL : take_link(client, seed);
}

static bool is_connecting(const struct fil_client *client)
{
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        if (!fil_client__link_is(&client->links[i], FIL_CLIENT_LINK_IDLE)) {
            return true;
        }
    }
    return false;
}

/** A whole round was without success: the next one after a pause. */
static void end_round(struct fil_client *client, uint64_t now_ns)
{
    const struct fil_client_settings *settings = &client->settings;
    fil_client__lookup_start(client); // hosts may have moved
    uint64_t delay = client->seek_delay_ns == 0 ? settings->retry_first_ns : client->seek_delay_ns;
    client->seek_index = 0;
    client->seek_at_ns = now_ns + delay + fil_prng_below(&client->prng, delay / 4 + 1);
    client->seek_delay_ns = delay * 2 < settings->retry_max_ns ? delay * 2 : settings->retry_max_ns;
}

/** Without any link: tries all addresses that are known, one after the other. */
static uint64_t seek(struct fil_client *client, uint64_t now_ns)
{
    uint32_t candidates = FIL_CLIENT_LINKS_MAX + client->settings.seed_count * FIL_RESOLVED_MAX;
    if (client->fatal != FIL_OK || is_connecting(client)) {
        return NEVER;
    }
    if (now_ns < client->seek_at_ns) {
        return client->seek_at_ns;
    }
    while (client->seek_index < candidates) {
        struct fil_client_link *link = seek_candidate(client, client->seek_index);
        client->seek_index++;
        if (link != NULL && fil_list_is_empty(&link->calls)) {
            fil_client__link_dial(link);
        }
        if (link != NULL && !fil_client__link_is(link, FIL_CLIENT_LINK_IDLE)) {
            return link->deadline_ns;
        }
    }
    end_round(client, now_ns);
    return client->seek_at_ns;
}

void fil_client__upkeep(struct fil_client *client, uint64_t now_ns)
{
    bool is_found = fil_client__lookup_take(client);
    if (now_ns < client->upkeep_at_ns && !is_found) {
        return;
    }
    uint64_t next_ns = NEVER;
    client->upkeep_at_ns = NEVER;
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        if (client->links[i].is_used) {
            uint64_t at_ns = tend_link(&client->links[i], now_ns);
            next_ns = at_ns < next_ns ? at_ns : next_ns;
        }
    }
    if (client->ready_count == 0) {
        uint64_t at_ns = seek(client, now_ns);
        next_ns = at_ns < next_ns ? at_ns : next_ns;
    }
    watch_views(client);
    uint64_t at_ns = fil_client__near_upkeep(client, now_ns);
    next_ns = at_ns < next_ns ? at_ns : next_ns;
    // Something that upkeep itself has done may want another look at once: then it stays 0.
    if (client->upkeep_at_ns != 0) {
        client->upkeep_at_ns = next_ns;
    }
}
