// SPDX-License-Identifier: Apache-2.0
/**
 * Requests that lists, queues and sets have in common: one function for each request, which finds
 * in a table how the structure does it.
 */
#include "filbert/error.h"
#include "grid/list/list.h"
#include "grid/queue/queue.h"
#include "grid/set/set.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/list.h"
#include "protocol/client/generated/queue.h"
#include "protocol/client/generated/set.h"
#include "protocol/client/serve/collection.h"
#include "protocol/client/serve/container_task.h"

/** Items of a request, and what came of it. */
struct many {
    const struct fil_bytes *items;
    uint64_t count;
    uint64_t now_ms;
    enum fil_sift which; // of a sieve
    bool answer;
};

typedef int (*many_fn)(struct fil_container *container, struct many *many);

/** How a structure does what all of them do. */
struct collection {
    const struct fil_container_type *type;
    uint64_t (*size)(struct fil_container *container);
    bool (*contains)(struct fil_container *container, struct fil_bytes item, uint64_t now_ms);
    bool (*remove)(struct fil_container *container, struct fil_bytes item, uint64_t now_ms);
    many_fn add_all;
    many_fn contains_all;
    many_fn sift;
    void (*visit)(struct fil_container *container, struct fil_wire_writer *writer);
};

bool fil_wire_write_item(void *context, struct fil_bytes item)
{
    fil_wire_writer_form(context, item);
    return true;
}

// Lists.

static uint64_t list_size(struct fil_container *container)
{
    return fil_list_size_here(fil_list_of(container));
}

static bool list_contains(struct fil_container *container, struct fil_bytes item, uint64_t now_ms)
{
    return fil_list_find_here(fil_list_of(container), item, now_ms) != FIL_LIST_END;
}

static bool list_remove(struct fil_container *container, struct fil_bytes item, uint64_t now_ms)
{
    return fil_list_remove_here(fil_list_of(container), item, now_ms);
}

static int list_add_all(struct fil_container *container, struct many *many)
{
    many->answer = many->count > 0;
    return fil_list_add_here(fil_list_of(container), FIL_LIST_END, many->items, many->count,
                             many->now_ms);
}

static int list_contains_all(struct fil_container *container, struct many *many)
{
    return fil_list_contains_all_here(fil_list_of(container), many->items, many->count,
                                      &many->answer);
}

static int list_sift(struct fil_container *container, struct many *many)
{
    return fil_list_sift_here(fil_list_of(container), many->which, many->items, many->count,
                              many->now_ms, &many->answer);
}

static void list_visit(struct fil_container *container, struct fil_wire_writer *writer)
{
    fil_list_visit_here(fil_list_of(container), 0, UINT64_MAX, fil_wire_write_item, writer);
}

// Queues.

static uint64_t queue_size(struct fil_container *container)
{
    return fil_queue_size_here(fil_queue_of(container));
}

static bool queue_contains(struct fil_container *container, struct fil_bytes item, uint64_t now_ms)
{
    (void)now_ms;
    return fil_queue_contains_here(fil_queue_of(container), item);
}

static bool queue_remove(struct fil_container *container, struct fil_bytes item, uint64_t now_ms)
{
    return fil_queue_remove_here(fil_queue_of(container), item, now_ms);
}

static int queue_add_all(struct fil_container *container, struct many *many)
{
    many->answer = true;
    return fil_queue_add_all_here(fil_queue_of(container), many->items, many->count, many->now_ms);
}

static int queue_contains_all(struct fil_container *container, struct many *many)
{
    return fil_queue_contains_all_here(fil_queue_of(container), many->items, many->count,
                                       &many->answer);
}

static int queue_sift(struct fil_container *container, struct many *many)
{
    return fil_queue_sift_here(fil_queue_of(container), many->which, many->items, many->count,
                               many->now_ms, &many->answer);
}

static void queue_visit(struct fil_container *container, struct fil_wire_writer *writer)
{
    fil_queue_visit_here(fil_queue_of(container), UINT64_MAX, fil_wire_write_item, writer);
}

// Sets.

static uint64_t set_size(struct fil_container *container)
{
    return fil_set_size_here(fil_set_of(container));
}

static bool set_contains(struct fil_container *container, struct fil_bytes item, uint64_t now_ms)
{
    return fil_set_contains_here(fil_set_of(container), item, now_ms);
}

static bool set_remove(struct fil_container *container, struct fil_bytes item, uint64_t now_ms)
{
    return fil_set_remove_here(fil_set_of(container), item, now_ms);
}

static int set_add_all(struct fil_container *container, struct many *many)
{
    return fil_set_add_all_here(fil_set_of(container), many->items, many->count, many->now_ms,
                                &many->answer);
}

static int set_contains_all(struct fil_container *container, struct many *many)
{
    many->answer = true;
    for (uint64_t i = 0; i < many->count && many->answer; i++) {
        many->answer = set_contains(container, many->items[i], many->now_ms);
    }
    return FIL_OK;
}

static int set_sift(struct fil_container *container, struct many *many)
{
    return fil_set_sift_here(fil_set_of(container), many->which, many->items, many->count,
                             many->now_ms, &many->answer);
}

static void write_set_item(void *context, struct fil_bytes item)
{
    fil_wire_writer_form(context, item);
}

static void set_visit(struct fil_container *container, struct fil_wire_writer *writer)
{
    fil_set_visit_here(fil_set_of(container), write_set_item, writer);
}

#define COLLECTION(noun)                                                                 \
    {                                                                                    \
        &fil_##noun##_type, noun##_size, noun##_contains, noun##_remove, noun##_add_all, \
            noun##_contains_all, noun##_sift, noun##_visit                               \
    }

static const struct collection collections[] = {COLLECTION(list), COLLECTION(queue),
                                                COLLECTION(set)};

static const struct collection *collection_of(const struct fil_wire_task *task)
{
    size_t i = 0;
    while (i < FIL_COUNT_OF(collections) - 1 && collections[i].type != task->container->type) {
        i++;
    }
    fil_assert(collections[i].type == task->container->type); // its readers are below
    return &collections[i];
}

// The requests.

static int run_size(struct fil_wire_task *task)
{
    return fil_wire_answer_i32(task, collection_of(task)->size(task->container));
}

static int run_is_empty(struct fil_wire_task *task)
{
    return fil_wire_answer_bool(task, collection_of(task)->size(task->container) == 0);
}

static int run_contains(struct fil_wire_task *task)
{
    bool is_there = collection_of(task)->contains(task->container, task->value, task->now_ms);
    return fil_wire_answer_bool(task, is_there);
}

static int run_remove(struct fil_wire_task *task)
{
    bool was_there = collection_of(task)->remove(task->container, task->value, task->now_ms);
    return fil_wire_answer_bool(task, was_there);
}

int fil_wire_answer_added(struct fil_wire_task *task, int error, bool has_changed)
{
    if (error == FIL_E_FULL) {
        return fil_wire_answer_bool(task, false);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, has_changed) : error;
}

/** Does something with all items of the request. */
static int do_many(struct fil_wire_task *task, many_fn act, struct many *many)
{
    struct fil_wire_items items;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        many->items = items.items;
        many->count = items.count;
        many->now_ms = task->now_ms;
        error = act(task->container, many);
        fil_wire_items_free(&items);
    }
    return error;
}

static int run_add_all(struct fil_wire_task *task)
{
    struct many many = {0};
    int error = do_many(task, collection_of(task)->add_all, &many);
    return fil_wire_answer_added(task, error, many.answer);
}

static int run_contains_all(struct fil_wire_task *task)
{
    struct many many = {0};
    int error = do_many(task, collection_of(task)->contains_all, &many);
    return error == FIL_OK ? fil_wire_answer_bool(task, many.answer) : error;
}

static int sift(struct fil_wire_task *task, enum fil_sift which)
{
    struct many many = {.which = which};
    int error = do_many(task, collection_of(task)->sift, &many);
    return error == FIL_OK ? fil_wire_answer_bool(task, many.answer) : error;
}

static int run_compare_and_remove_all(struct fil_wire_task *task)
{
    return sift(task, FIL_SIFT_REMOVE_NAMED);
}

static int run_compare_and_retain_all(struct fil_wire_task *task)
{
    return sift(task, FIL_SIFT_RETAIN_NAMED);
}

static int run_all(struct fil_wire_task *task)
{
    fil_wire_answer_list_open(task);
    collection_of(task)->visit(task->container, task->writer);
    return fil_wire_answer_list_close(task);
}

/** A request: how it is read, and which of the functions above runs it. */
#define REQUEST(noun, verb, run, statements)                                \
    FIL_WIRE_CONTAINER_READER(noun##_##verb, fil_##noun##_type, statements) \
    int fil_wire__##noun##_##verb##_run(struct fil_wire_task *task)         \
    {                                                                       \
        return run(task);                                                   \
    }
#define TAKE_PART(field)        \
    task->part = request.field; \
    FIL_WIRE_TAKE_WHOLE

/** Those of all three; the name of the field that has the items of a sieve differs. */
#define REQUESTS(noun, items_field, contained_field, added_field)                             \
    REQUEST(noun, size, run_size, (void)0)                                                    \
    REQUEST(noun, is_empty, run_is_empty, (void)0)                                            \
    REQUEST(noun, clear, fil_wire_container_clear, FIL_WIRE_TAKE_WHOLE)                       \
    REQUEST(noun, contains, run_contains, FIL_WIRE_TAKE_VALUE)                                \
    REQUEST(noun, remove, run_remove, FIL_WIRE_TAKE_VALUE)                                    \
    REQUEST(noun, add_all, run_add_all, TAKE_PART(added_field))                               \
    REQUEST(noun, contains_all, run_contains_all, TAKE_PART(contained_field))                 \
    REQUEST(noun, compare_and_remove_all, run_compare_and_remove_all, TAKE_PART(items_field)) \
    REQUEST(noun, compare_and_retain_all, run_compare_and_retain_all, TAKE_PART(items_field))

REQUESTS(list, values, values, value_list)
REQUESTS(queue, data_list, data_list, data_list)
REQUESTS(set, values, items, value_list)

REQUEST(list, get_all, run_all, FIL_WIRE_TAKE_WHOLE)
REQUEST(list, iterator, run_all, FIL_WIRE_TAKE_WHOLE)
REQUEST(queue, iterator, run_all, FIL_WIRE_TAKE_WHOLE)
REQUEST(set, get_all, run_all, FIL_WIRE_TAKE_WHOLE)
