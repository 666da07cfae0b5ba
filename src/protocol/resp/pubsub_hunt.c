// SPDX-License-Identifier: Apache-2.0
/** Books of topics, and the search for those that match, in slices and without a lock. */
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/pubsub_internal.h"

#define FOUND_FIRST 16U

struct fil_resp_book *fil_resp_book__new(uint32_t capacity)
{
    struct fil_resp_book *book =
        fil_alloc(sizeof(*book) + capacity * sizeof(struct fil_resp_topic *));
    if (book != NULL) {
        atomic_init(&book->ref_count, 1);
        book->count = 0;
    }
    return book;
}

struct fil_resp_book *fil_resp_book__ref(struct fil_resp_book *book)
{
    // Relaxed: the caller has a reference, or the mutex.
    atomic_fetch_add_explicit(&book->ref_count, 1, memory_order_relaxed);
    return book;
}

void fil_resp_book__unref(struct fil_resp_book *book)
{
    // Acquire and release: the last one frees after all others are done with it.
    if (book == NULL || atomic_fetch_sub_explicit(&book->ref_count, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (uint32_t i = 0; i < book->count; i++) {
        fil_resp_topic__unref(book->topics[i]);
    }
    fil_free(book);
}

void fil_resp_hunt__init(struct fil_resp_hunt *hunt, struct fil_resp_book *book)
{
    *hunt = (struct fil_resp_hunt){.book = book};
}

void fil_resp_hunt__fini(struct fil_resp_hunt *hunt)
{
    fil_resp_book__unref(hunt->book);
    fil_free(hunt->found);
    *hunt = (struct fil_resp_hunt){0};
}

struct fil_resp_hunt *fil_resp_hunt__new(struct fil_resp_book *book)
{
    struct fil_resp_hunt *hunt = fil_alloc(sizeof(*hunt));
    if (hunt == NULL) {
        fil_resp_book__unref(book);
        return NULL;
    }
    fil_resp_hunt__init(hunt, book);
    return hunt;
}

void fil_resp_hunt__free(struct fil_resp_hunt *hunt)
{
    if (hunt != NULL) {
        fil_resp_hunt__fini(hunt);
        fil_free(hunt);
    }
}

static bool make_room(struct fil_resp_hunt *hunt)
{
    uint32_t capacity = hunt->capacity == 0 ? FOUND_FIRST : hunt->capacity * 2;
    if (hunt->found_count < hunt->capacity) {
        return true;
    }
    struct fil_resp_topic **found =
        fil_realloc(hunt->found, capacity * sizeof(struct fil_resp_topic *));
    if (found != NULL) {
        hunt->found = found;
        hunt->capacity = capacity;
    }
    return found != NULL;
}

static void note(struct fil_resp_hunt *hunt, struct fil_resp_topic *topic)
{
    if (make_room(hunt)) {
        hunt->found[hunt->found_count] = topic;
        hunt->found_count++;
    } else {
        hunt->is_out_of_memory = true;
    }
}

bool fil_resp_hunt__go_on(struct fil_resp_hunt *hunt, struct fil_bytes word, size_t steps)
{
    while (hunt->index < hunt->book->count && steps > 0 && !hunt->is_out_of_memory) {
        struct fil_resp_topic *topic = hunt->book->topics[hunt->index];
        enum fil_resp_verdict verdict =
            topic->is_pattern ? fil_resp_glob_go_on(&hunt->glob, topic->name, word, &steps)
                              : fil_resp_glob_go_on(&hunt->glob, word, topic->name, &steps);
        if (verdict == FIL_RESP_GLOB_YES) {
            note(hunt, topic);
        }
        if (verdict != FIL_RESP_GLOB_MORE) {
            hunt->glob = (struct fil_resp_glob){0};
            hunt->index++;
            steps -= steps > 0; // also one that is told at once is a step
        }
    }
    return hunt->index >= hunt->book->count || hunt->is_out_of_memory;
}

// Books of what is in the table.

/** Under the mutex; the book has room for them. */
static void list_shard(const struct fil_resp_shard *shard, struct fil_resp_book *book)
{
    for (uint32_t i = 0; shard->topic_count > 0 && i < shard->bucket_count; i++) {
        fil_list_foreach(link, &shard->buckets[i]) {
            struct fil_resp_topic *topic = FIL_CONTAINER_OF(link, struct fil_resp_topic, link);
            fil_resp_topic__ref(topic);
            book->topics[book->count] = topic;
            book->count++;
        }
    }
}

struct fil_resp_book *fil_resp_topic__patterns(struct fil_resp_pubsub *pubsub)
{
    struct fil_resp_shard *shard = &pubsub->patterns;
    fil_mutex_lock(&shard->mutex);
    if (pubsub->book == NULL && shard->topic_count > 0) {
        pubsub->book = fil_resp_book__new(shard->topic_count);
        if (pubsub->book != NULL) {
            list_shard(shard, pubsub->book);
        }
    }
    struct fil_resp_book *book = pubsub->book == NULL ? NULL : fil_resp_book__ref(pubsub->book);
    fil_mutex_unlock(&shard->mutex);
    return book;
}

/** The book with the shard's topics behind its own; NULL: out of memory, and it is gone. */
static struct fil_resp_book *add_shard(struct fil_resp_book *book, struct fil_resp_shard *shard)
{
    fil_mutex_lock(&shard->mutex);
    size_t count = (size_t)book->count + shard->topic_count;
    struct fil_resp_book *larger =
        shard->topic_count == 0
            ? book
            : fil_realloc(book, sizeof(*book) + count * sizeof(struct fil_resp_topic *));
    if (larger != NULL) {
        list_shard(shard, larger);
    }
    fil_mutex_unlock(&shard->mutex);
    if (larger == NULL) {
        fil_resp_book__unref(book);
    }
    return larger;
}

struct fil_resp_book *fil_resp_topic__channels(struct fil_resp_pubsub *pubsub)
{
    struct fil_resp_book *book = fil_resp_book__new(0);
    for (uint32_t i = 0; book != NULL && i < FIL_RESP_PUBSUB_SHARDS; i++) {
        book = add_shard(book, &pubsub->shards[i]);
    }
    return book;
}

// Hearing.

/** Under the mutex: there is no memory to send to who listens; counts what that loses. */
static void lose_topic(const struct fil_resp_topic *topic)
{
    for (uint32_t i = 0; topic->crowd != NULL && i < topic->crowd->count; i++) {
        fil_resp_subscriber__lose(fil_resp_crowd__at(topic->crowd, i), 1);
    }
}

/** There is no memory to note who listens: counts what all that match lose. */
static void lose_matching(struct fil_resp_pubsub *pubsub, struct fil_bytes channel)
{
    struct fil_resp_shard *shard = &pubsub->patterns;
    fil_mutex_lock(&shard->mutex);
    for (uint32_t i = 0; shard->topic_count > 0 && i < shard->bucket_count; i++) {
        fil_list_foreach(link, &shard->buckets[i]) {
            const struct fil_resp_topic *topic =
                FIL_CONTAINER_OF(link, struct fil_resp_topic, link);
            if (fil_resp_glob_matches(topic->name, channel)) {
                lose_topic(topic);
            }
        }
    }
    fil_mutex_unlock(&shard->mutex);
}

/** The crowds that the topics have now; returns of how many. */
static uint32_t hear_all(struct fil_resp_pubsub *pubsub, struct fil_resp_topic *const *topics,
                         uint32_t topic_count, struct fil_resp_heard *heard)
{
    uint32_t count = 0;
    fil_mutex_lock(&pubsub->patterns.mutex);
    for (uint32_t i = 0; i < topic_count; i++) {
        struct fil_resp_topic *topic = topics[i];
        if (topic->crowd != NULL) { // else nobody listens to it any more
            fil_resp_topic__ref(topic);
            heard[count] =
                (struct fil_resp_heard){.topic = topic, .crowd = fil_resp_crowd__ref(topic->crowd)};
            count++;
        }
    }
    fil_mutex_unlock(&pubsub->patterns.mutex);
    return count;
}

static uint32_t hear_found(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                           const struct fil_resp_hunt *hunt, struct fil_resp_heard **out_heard)
{
    if (hunt->found_count == 0 && !hunt->is_out_of_memory) {
        return 0;
    }
    *out_heard = hunt->is_out_of_memory
                     ? NULL
                     : fil_alloc(hunt->found_count * sizeof(struct fil_resp_heard));
    if (*out_heard == NULL) {
        lose_matching(pubsub, channel);
        return 0;
    }
    return hear_all(pubsub, hunt->found, hunt->found_count, *out_heard);
}

uint32_t fil_resp_topic__hear_patterns(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                                       const struct fil_resp_hunt *hunt,
                                       struct fil_resp_heard **out_heard)
{
    *out_heard = NULL;
    if (hunt != NULL) {
        return hear_found(pubsub, channel, hunt, out_heard);
    }
    // Relaxed: who subscribes at the same time may or may not get the message.
    if (FIL_LIKELY(atomic_load_explicit(&pubsub->pattern_count, memory_order_relaxed) == 0)) {
        return 0;
    }
    struct fil_resp_hunt whole;
    struct fil_resp_book *book = fil_resp_topic__patterns(pubsub);
    if (book == NULL) {
        lose_matching(pubsub, channel);
        return 0;
    }
    fil_resp_hunt__init(&whole, book);
    bool is_over = fil_resp_hunt__go_on(&whole, channel, SIZE_MAX);
    fil_assert(is_over);
    uint32_t count = hear_found(pubsub, channel, &whole, out_heard);
    fil_resp_hunt__fini(&whole);
    return count;
}
