// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/pubsub_set.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/pubsub.h"

#define BUCKETS_FIRST 8U // a power of two

void fil_resp_set_init(struct fil_resp_set *set)
{
    *set = (struct fil_resp_set){0};
    fil_list_init(&set->channels);
    fil_list_init(&set->patterns);
}

void fil_resp_set_fini(struct fil_resp_set *set)
{
    fil_assert(set->count == 0);
    fil_free(set->buckets);
    set->buckets = NULL;
}

/** The largest power of two that is not beyond the number. */
static uint32_t power_below(uint32_t number)
{
    fil_assert(number > 0);
    return UINT32_C(1) << (31 - __builtin_clz(number));
}

/** Of the buckets of the next round only the first are there yet; the others are still one. */
static uint32_t index_of(const struct fil_resp_set *set, uint64_t hash)
{
    uint32_t round = power_below(set->bucket_count);
    uint32_t index = (uint32_t)hash & (2 * round - 1);
    return index < set->bucket_count ? index : index & (round - 1);
}

static struct fil_resp_subscription *bucket_of(const struct fil_resp_set *set, uint64_t hash)
{
    return set->count == 0 ? NULL : set->buckets[index_of(set, hash)];
}

struct fil_resp_subscription *fil_resp_set_find(const struct fil_resp_set *set,
                                                struct fil_bytes name, bool is_pattern,
                                                uint64_t hash)
{
    struct fil_resp_subscription *found = bucket_of(set, hash);
    while (found != NULL && (found->topic->hash != hash || found->topic->is_pattern != is_pattern ||
                             !fil_bytes_equal(found->topic->name, name))) {
        found = found->next;
    }
    return found;
}

bool fil_resp_set_has(const struct fil_resp_set *set, const struct fil_resp_topic *topic)
{
    const struct fil_resp_subscription *found = bucket_of(set, topic->hash);
    while (found != NULL && found->topic != topic) {
        found = found->next;
    }
    return found != NULL;
}

struct fil_resp_subscription *fil_resp_set_first(const struct fil_resp_set *set, bool is_pattern)
{
    const struct fil_list *list = is_pattern ? &set->patterns : &set->channels;
    return fil_list_is_empty(list)
               ? NULL
               : FIL_CONTAINER_OF(list->next, struct fil_resp_subscription, link);
}

/** Room for twice as many buckets; only their heads are moved. */
static bool grow(struct fil_resp_set *set)
{
    uint32_t capacity = set->buckets == NULL ? BUCKETS_FIRST : set->bucket_capacity * 2;
    struct fil_resp_subscription **buckets =
        fil_realloc(set->buckets, capacity * sizeof(struct fil_resp_subscription *));
    if (buckets == NULL) {
        return false;
    }
    set->buckets = buckets;
    set->bucket_capacity = capacity;
    return true;
}

int fil_resp_set_prepare(struct fil_resp_set *set, struct fil_resp_subscription **out_room)
{
    if (set->buckets == NULL) {
        if (!grow(set)) {
            return FIL_E_NOMEM;
        }
        for (; set->bucket_count < BUCKETS_FIRST; set->bucket_count++) {
            set->buckets[set->bucket_count] = NULL;
        }
    }
    *out_room = fil_alloc(sizeof(**out_room));
    return *out_room == NULL ? FIL_E_NOMEM : FIL_OK;
}

static void push(struct fil_resp_set *set, struct fil_resp_subscription *subscription)
{
    uint32_t index = index_of(set, subscription->topic->hash);
    subscription->next = set->buckets[index];
    set->buckets[index] = subscription;
}

/** One bucket more: what belongs there comes from the one that had it. Without memory it waits. */
static void split(struct fil_resp_set *set)
{
    if (set->bucket_count == set->bucket_capacity && !grow(set)) {
        return;
    }
    uint32_t parent = set->bucket_count - power_below(set->bucket_count);
    struct fil_resp_subscription *moving = set->buckets[parent];
    set->buckets[parent] = NULL;
    set->buckets[set->bucket_count] = NULL;
    set->bucket_count++;
    while (moving != NULL) {
        struct fil_resp_subscription *next = moving->next;
        push(set, moving);
        moving = next;
    }
}

void fil_resp_set_add(struct fil_resp_set *set, struct fil_resp_subscription *room,
                      struct fil_resp_topic *topic)
{
    room->topic = topic;
    fil_list_init(&room->link);
    fil_list_push_back(topic->is_pattern ? &set->patterns : &set->channels, &room->link);
    set->count++;
    set->pattern_count += topic->is_pattern;
    push(set, room);
    if (set->count > set->bucket_count) {
        split(set);
    }
}

struct fil_resp_topic *fil_resp_set_take(struct fil_resp_set *set,
                                         struct fil_resp_subscription *subscription)
{
    struct fil_resp_topic *topic = subscription->topic;
    struct fil_resp_subscription **at = &set->buckets[index_of(set, topic->hash)];
    while (*at != subscription) {
        fil_assert(*at != NULL);
        at = &(*at)->next;
    }
    *at = subscription->next;
    fil_list_remove(&subscription->link);
    set->count--;
    set->pattern_count -= topic->is_pattern;
    fil_free(subscription);
    return topic;
}

static uint32_t count_list(const struct fil_resp_set *set, const struct fil_list *list,
                           bool is_pattern)
{
    uint32_t count = 0;
    fil_list_foreach(link, list) {
        const struct fil_resp_subscription *subscription =
            FIL_CONTAINER_OF(link, struct fil_resp_subscription, link);
        fil_assert(subscription->topic->is_pattern == is_pattern);
        fil_assert(fil_resp_set_has(set, subscription->topic));
        count++;
    }
    return count;
}

void fil_resp_set_check(const struct fil_resp_set *set)
{
    uint32_t pattern_count = count_list(set, &set->patterns, true);
    uint32_t in_buckets = 0;
    fil_assert(pattern_count == set->pattern_count);
    fil_assert(count_list(set, &set->channels, false) + pattern_count == set->count);
    for (uint32_t i = 0; i < set->bucket_count; i++) {
        for (const struct fil_resp_subscription *at = set->buckets[i]; at != NULL; at = at->next) {
            fil_assert(index_of(set, at->topic->hash) == i);
            in_buckets++;
        }
    }
    fil_assert(in_buckets == set->count);
}
