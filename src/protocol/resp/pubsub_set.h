// SPDX-License-Identifier: Apache-2.0
/**
 * The topics that one connection listens to: found by name, taken oldest first, both in constant
 * time however many there are.
 *
 * A linear hash table: it grows by a bucket with each topic, so that no one of them pays for all.
 *
 * Memory:  a block a topic; it has a reference to each.
 * Threads: whoever owns it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"

struct fil_resp_topic;

/** One topic of the set. */
struct fil_resp_subscription {
    struct fil_resp_subscription *next; // in its bucket
    struct fil_list link;               // those of its kind
    struct fil_resp_topic *topic;
};

struct fil_resp_set {
    struct fil_resp_subscription **buckets; // NULL until the first topic
    uint32_t bucket_count;                  // in use
    uint32_t bucket_capacity;
    uint32_t count;         // channels and patterns
    uint32_t pattern_count; // of those
    struct fil_list channels;
    struct fil_list patterns;
};

void fil_resp_set_init(struct fil_resp_set *set);

/** It is empty. */
void fil_resp_set_fini(struct fil_resp_set *set);

/** NULL when it is not there. The hash is the topic's. */
struct fil_resp_subscription *fil_resp_set_find(const struct fil_resp_set *set,
                                                struct fil_bytes name, bool is_pattern,
                                                uint64_t hash);

/** Whether this very topic is there. */
bool fil_resp_set_has(const struct fil_resp_set *set, const struct fil_resp_topic *topic);

/** The oldest of its kind; NULL when there is none. */
struct fil_resp_subscription *fil_resp_set_first(const struct fil_resp_set *set, bool is_pattern);

/** Makes room for a topic, which add then takes without fail. FIL_E_NOMEM. */
int fil_resp_set_prepare(struct fil_resp_set *set, struct fil_resp_subscription **out_room)
    FIL_NODISCARD;

/** Takes the room and the reference to a topic that is not there. */
void fil_resp_set_add(struct fil_resp_set *set, struct fil_resp_subscription *room,
                      struct fil_resp_topic *topic);

/** Gives the reference to the caller. */
struct fil_resp_topic *fil_resp_set_take(struct fil_resp_set *set,
                                         struct fil_resp_subscription *subscription);

/** Walks everything and asserts what must hold. */
void fil_resp_set_check(const struct fil_resp_set *set);
