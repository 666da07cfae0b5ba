// SPDX-License-Identifier: Apache-2.0
/** The table of topics, and the crowds that listen to them. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "protocol/resp/pubsub_internal.h"

#define BUCKETS_FIRST 16U

static size_t topic_bytes(struct fil_bytes name)
{
    return sizeof(struct fil_resp_topic) + name.size;
}

void fil_resp_topic__ref(struct fil_resp_topic *topic)
{
    // Relaxed: the caller has a reference, or the shard's mutex.
    atomic_fetch_add_explicit(&topic->ref_count, 1, memory_order_relaxed);
}

void fil_resp_topic__unref(struct fil_resp_topic *topic)
{
    // Acquire and release: the last one frees after all others are done with it.
    if (atomic_fetch_sub_explicit(&topic->ref_count, 1, memory_order_acq_rel) == 1) {
        fil_assert(topic->crowd == NULL);
        fil_budget_return(topic->budget, topic_bytes(topic->name));
        fil_free(topic);
    }
}

void fil_resp_heard__drop(struct fil_resp_heard *heard)
{
    fil_resp_crowd__unref(heard->crowd);
    fil_resp_topic__unref(heard->topic);
}

static struct fil_resp_shard *shard_of(struct fil_resp_pubsub *pubsub, bool is_pattern,
                                       uint64_t hash)
{
    // The table inside a shard goes by the low bits.
    return is_pattern ? &pubsub->patterns
                      : &pubsub->shards[(hash >> 32) & (FIL_RESP_PUBSUB_SHARDS - 1)];
}

static struct fil_list *bucket_of(const struct fil_resp_shard *shard, uint64_t hash)
{
    return &shard->buckets[hash & (shard->bucket_count - 1)];
}

static struct fil_list *new_buckets(struct fil_budget *budget, uint32_t count)
{
    size_t size = count * sizeof(struct fil_list);
    if (!fil_budget_draw_data(budget, size)) {
        return NULL;
    }
    struct fil_list *buckets = fil_alloc(size);
    if (buckets == NULL) {
        fil_budget_return(budget, size);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        fil_list_init(&buckets[i]);
    }
    return buckets;
}

static void free_buckets(struct fil_budget *budget, struct fil_list *buckets, uint32_t count)
{
    if (buckets != NULL) {
        fil_budget_return(budget, count * sizeof(struct fil_list));
        fil_free(buckets);
    }
}

/** Under the mutex: twice as many buckets; without memory the table stays as crowded as it is. */
static void grow(struct fil_resp_shard *shard, struct fil_budget *budget)
{
    struct fil_list *buckets = new_buckets(budget, shard->bucket_count * 2);
    if (buckets == NULL) {
        return;
    }
    struct fil_resp_shard before = {.buckets = shard->buckets, .bucket_count = shard->bucket_count};
    shard->buckets = buckets;
    shard->bucket_count *= 2;
    for (uint32_t i = 0; i < before.bucket_count; i++) {
        for (struct fil_list *link = fil_list_take_front(&before.buckets[i]); link != NULL;
             link = fil_list_take_front(&before.buckets[i])) {
            struct fil_resp_topic *topic = FIL_CONTAINER_OF(link, struct fil_resp_topic, link);
            fil_list_push_back(bucket_of(shard, topic->hash), link);
        }
    }
    free_buckets(budget, before.buckets, before.bucket_count);
}

/** Under the mutex; NULL when nobody listens to it. */
static struct fil_resp_topic *find(const struct fil_resp_shard *shard, struct fil_bytes name,
                                   uint64_t hash)
{
    if (shard->topic_count == 0) {
        return NULL;
    }
    fil_list_foreach(link, bucket_of(shard, hash)) {
        struct fil_resp_topic *topic = FIL_CONTAINER_OF(link, struct fil_resp_topic, link);
        if (topic->hash == hash && fil_bytes_equal(topic->name, name)) {
            return topic;
        }
    }
    return NULL;
}

/** Under the mutex: memory for a topic, with a table that it can enter. */
static struct fil_resp_topic *alloc_topic(struct fil_resp_shard *shard, struct fil_budget *budget,
                                          struct fil_bytes name)
{
    size_t size = topic_bytes(name);
    if (shard->buckets == NULL) {
        shard->buckets = new_buckets(budget, BUCKETS_FIRST);
        shard->bucket_count = BUCKETS_FIRST;
    }
    if (shard->buckets == NULL || !fil_budget_draw_data(budget, size)) {
        return NULL;
    }
    struct fil_resp_topic *topic = fil_alloc(size);
    if (topic == NULL) {
        fil_budget_return(budget, size);
    }
    return topic;
}

/** Under the mutex: a topic without a crowd, not yet in the table. */
static struct fil_resp_topic *new_topic(struct fil_resp_shard *shard, struct fil_budget *budget,
                                        struct fil_bytes name, bool is_pattern, uint64_t hash)
{
    struct fil_resp_topic *topic = alloc_topic(shard, budget, name);
    if (topic == NULL) {
        return NULL;
    }
    uint8_t *room = (uint8_t *)(topic + 1);
    if (name.size > 0) {
        memcpy(room, name.data, name.size);
    }
    *topic = (struct fil_resp_topic){.budget = budget,
                                     .is_pattern = is_pattern,
                                     .hash = hash,
                                     .name = fil_bytes_make(room, name.size)};
    atomic_init(&topic->ref_count, 1);
    fil_list_init(&topic->link);
    return topic;
}

/** Under the mutex: the new crowd takes the place of the old. */
static void replace_crowd(struct fil_resp_topic *topic, struct fil_resp_crowd *crowd)
{
    struct fil_resp_crowd *before = topic->crowd;
    topic->crowd = crowd;
    if (before != NULL) {
        fil_resp_crowd__unref(before);
    }
}

/** Under the mutex: takes one out who is not alone; without memory it stays for now. */
static bool take_out(struct fil_resp_topic *topic, uint32_t index)
{
    struct fil_resp_crowd *crowd = fil_resp_crowd__without(topic->crowd, index);
    if (crowd != NULL) {
        replace_crowd(topic, crowd);
    }
    return crowd != NULL;
}

static bool is_closed(const struct fil_resp_subscriber *subscriber)
{
    // Relaxed: one that closes right now leaves by itself.
    return atomic_load_explicit(&subscriber->is_closed, memory_order_relaxed);
}

/** Under the mutex: those go who could not when they wanted to, as far as there is memory. */
static void sweep_remains(struct fil_resp_topic *topic)
{
    bool has_memory = true;
    uint32_t i = 0;
    while (has_memory && i < topic->crowd->count && topic->crowd->count > 1) {
        if (is_closed(fil_resp_crowd__at(topic->crowd, i))) {
            has_memory = take_out(topic, i);
        } else {
            i++;
        }
    }
    topic->has_remains = !has_memory;
}

/** Under the mutex. */
static int add_to_crowd(struct fil_resp_topic *topic, struct fil_resp_subscriber *subscriber)
{
    if (FIL_UNLIKELY(topic->has_remains)) {
        if (fil_resp_crowd__find(topic->crowd, subscriber) < topic->crowd->count) {
            return FIL_OK; // it wanted to leave and had no memory for that
        }
        sweep_remains(topic);
    }
    struct fil_resp_crowd *crowd = fil_resp_crowd__with(topic->crowd, subscriber);
    if (crowd == NULL) {
        return FIL_E_NOMEM;
    }
    replace_crowd(topic, crowd);
    return FIL_OK;
}

/** Under the mutex. */
static void enter_table(struct fil_resp_pubsub *pubsub, struct fil_resp_shard *shard,
                        struct fil_resp_topic *topic)
{
    if (shard->topic_count >= shard->bucket_count) {
        grow(shard, pubsub->budget);
    }
    fil_list_push_back(bucket_of(shard, topic->hash), &topic->link);
    shard->topic_count++;
    if (topic->is_pattern) {
        // Relaxed: a publisher that does not see it yet came before it.
        atomic_store_explicit(&pubsub->pattern_count, shard->topic_count, memory_order_relaxed);
    }
}

/** Under the mutex: gives the table's reference up. */
static void leave_table(struct fil_resp_pubsub *pubsub, struct fil_resp_shard *shard,
                        struct fil_resp_topic *topic)
{
    fil_list_remove(&topic->link);
    shard->topic_count--;
    if (topic->is_pattern) {
        // Relaxed: a publisher that does not see it yet looks in vain.
        atomic_store_explicit(&pubsub->pattern_count, shard->topic_count, memory_order_relaxed);
    }
    fil_resp_topic__unref(topic);
}

/** Under the mutex. */
static int join(struct fil_resp_pubsub *pubsub, struct fil_resp_shard *shard,
                struct fil_resp_topic *topic, struct fil_resp_subscriber *subscriber)
{
    bool is_new = topic->crowd == NULL;
    int error = add_to_crowd(topic, subscriber);
    if (error == FIL_OK && is_new) {
        enter_table(pubsub, shard, topic);
    } else if (is_new) {
        fil_resp_topic__unref(topic);
    }
    return error;
}

/** Under the mutex: the patterns change. The book that was, to be let go without the mutex. */
static struct fil_resp_book *forget_book(struct fil_resp_pubsub *pubsub, bool is_pattern)
{
    struct fil_resp_book *book = is_pattern ? pubsub->book : NULL;
    if (is_pattern) {
        pubsub->book = NULL;
    }
    return book;
}

int fil_resp_topic__join(struct fil_resp_pubsub *pubsub, struct fil_bytes name, bool is_pattern,
                         struct fil_resp_subscriber *subscriber, struct fil_resp_topic **out_topic)
{
    uint64_t hash = fil_hash(name, pubsub->seed);
    struct fil_resp_shard *shard = shard_of(pubsub, is_pattern, hash);
    struct fil_resp_book *before = NULL;
    fil_mutex_lock(&shard->mutex);
    struct fil_resp_topic *topic = find(shard, name, hash);
    if (topic == NULL) {
        topic = new_topic(shard, pubsub->budget, name, is_pattern, hash);
        before = forget_book(pubsub, is_pattern);
    }
    int error = topic == NULL ? FIL_E_NOMEM : join(pubsub, shard, topic, subscriber);
    if (error == FIL_OK) {
        fil_resp_topic__ref(topic);
        *out_topic = topic;
    }
    fil_mutex_unlock(&shard->mutex);
    fil_resp_book__unref(before);
    return error;
}

/** Whether everybody else in the crowd has closed: they may have been left out of it already. */
static bool is_alone(const struct fil_resp_crowd *crowd,
                     const struct fil_resp_subscriber *subscriber)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct fil_resp_subscriber *member = fil_resp_crowd__at(crowd, i);
        if (member != subscriber && !is_closed(member)) {
            return false;
        }
    }
    return true;
}

void fil_resp_topic__quit(struct fil_resp_pubsub *pubsub, struct fil_resp_topic *topic,
                          struct fil_resp_subscriber *subscriber)
{
    struct fil_resp_shard *shard = shard_of(pubsub, topic->is_pattern, topic->hash);
    struct fil_resp_book *before = NULL;
    fil_mutex_lock(&shard->mutex);
    if (topic->crowd != NULL && !is_alone(topic->crowd, subscriber)) {
        // Without memory for a new crowd it stays in the old one for now: what comes for it is not
        // delivered, because it does not listen any more.
        uint32_t index = fil_resp_crowd__find(topic->crowd, subscriber);
        if (index < topic->crowd->count && !take_out(topic, index)) {
            topic->has_remains = true;
        }
    } else if (topic->crowd != NULL) {
        struct fil_resp_crowd *crowd = topic->crowd;
        topic->crowd = NULL;
        leave_table(pubsub, shard, topic);
        fil_resp_crowd__unref(crowd);
        before = forget_book(pubsub, topic->is_pattern);
    }
    fil_mutex_unlock(&shard->mutex);
    fil_resp_book__unref(before);
}

bool fil_resp_topic__hear(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                          struct fil_resp_heard *out_heard)
{
    uint64_t hash = fil_hash(channel, pubsub->seed);
    struct fil_resp_shard *shard = shard_of(pubsub, false, hash);
    fil_mutex_lock(&shard->mutex);
    struct fil_resp_topic *topic = find(shard, channel, hash);
    if (topic != NULL) {
        fil_resp_topic__ref(topic);
        *out_heard =
            (struct fil_resp_heard){.topic = topic, .crowd = fil_resp_crowd__ref(topic->crowd)};
    }
    fil_mutex_unlock(&shard->mutex);
    return topic != NULL;
}

uint32_t fil_resp_pubsub_count(struct fil_resp_pubsub *pubsub, struct fil_bytes channel)
{
    struct fil_resp_heard heard;
    if (!fil_resp_topic__hear(pubsub, channel, &heard)) {
        return 0;
    }
    uint32_t count = heard.crowd->count;
    fil_resp_heard__drop(&heard);
    return count;
}

uint32_t fil_resp_pubsub_pattern_count(const struct fil_resp_pubsub *pubsub)
{
    // Relaxed: a figure.
    return atomic_load_explicit(&pubsub->pattern_count, memory_order_relaxed);
}

static void init_shard(struct fil_resp_shard *shard)
{
    *shard = (struct fil_resp_shard){0};
    fil_mutex_init(&shard->mutex);
}

/** What is still there has only members that left when there was no memory to tell. */
static void fini_shard(struct fil_resp_shard *shard, struct fil_budget *budget)
{
    for (uint32_t i = 0; shard->topic_count > 0 && i < shard->bucket_count; i++) {
        for (struct fil_list *link = fil_list_take_front(&shard->buckets[i]); link != NULL;
             link = fil_list_take_front(&shard->buckets[i])) {
            struct fil_resp_topic *topic = FIL_CONTAINER_OF(link, struct fil_resp_topic, link);
            fil_resp_crowd__unref(topic->crowd);
            topic->crowd = NULL;
            fil_resp_topic__unref(topic);
        }
    }
    fil_mutex_fini(&shard->mutex);
    free_buckets(budget, shard->buckets, shard->bucket_count);
    shard->buckets = NULL;
}

void fil_resp_pubsub_init(struct fil_resp_pubsub *pubsub, struct fil_events *events,
                          struct fil_budget *budget, uint64_t seed)
{
    *pubsub = (struct fil_resp_pubsub){.events = events, .budget = budget, .seed = seed};
    for (uint32_t i = 0; i < FIL_RESP_PUBSUB_SHARDS; i++) {
        init_shard(&pubsub->shards[i]);
    }
    init_shard(&pubsub->patterns);
}

void fil_resp_pubsub_fini(struct fil_resp_pubsub *pubsub)
{
    for (uint32_t i = 0; i < FIL_RESP_PUBSUB_SHARDS; i++) {
        fini_shard(&pubsub->shards[i], pubsub->budget);
    }
    fil_resp_book__unref(pubsub->book);
    pubsub->book = NULL;
    fini_shard(&pubsub->patterns, pubsub->budget);
}
