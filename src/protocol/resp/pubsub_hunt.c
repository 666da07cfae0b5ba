// SPDX-License-Identifier: Apache-2.0
/** Books of topics, and the search for those of a book that match, in slices and without a lock. */
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
