// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/view.h"

#include <string.h>

#include "core/container/container.h"
#include "filbert/error.h"
#include "grid/list/list.h"
#include "grid/map/maps.h"
#include "grid/map/shelf.h"
#include "grid/set/set.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/list.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/session.h"

#define PREFIX      "redis"
#define PREFIX_SIZE (sizeof(PREFIX) - 1)
#define DIGITS_MAX  4U // of the number of a database

/** The map of the database that the name says, by its name; false: it says none. */
static bool database_of(struct fil_bytes words, struct fil_bytes *out_map)
{
    *out_map = fil_bytes_of("default");
    if (words.size == PREFIX_SIZE) {
        return true;
    }
    struct fil_bytes digits =
        fil_bytes_make(words.data + PREFIX_SIZE + 1, words.size - PREFIX_SIZE - 1);
    bool is_number = words.data[PREFIX_SIZE] == '.' && digits.size > 0 &&
                     digits.size <= DIGITS_MAX && (digits.data[0] != '0' || digits.size == 1);
    for (size_t i = 0; i < digits.size && is_number; i++) {
        is_number = digits.data[i] >= '0' && digits.data[i] <= '9';
    }
    if (is_number && digits.data[0] != '0') {
        *out_map = digits;
    }
    return is_number;
}

/** Splits redis.N@KEY; false for any other name. */
static bool split(struct fil_bytes name, struct fil_bytes *out_map, struct fil_bytes *out_key)
{
    size_t at = fil_bytes_find(name, '@');
    if (at < PREFIX_SIZE || at + 1 >= name.size || memcmp(name.data, PREFIX, PREFIX_SIZE) != 0) {
        return false;
    }
    *out_key = fil_bytes_make(name.data + at + 1, name.size - at - 1);
    return database_of(fil_bytes_make(name.data, at), out_map);
}

int fil_wire_view_find(struct fil_wire_task *task)
{
    const struct fil_container *container = task->container;
    struct fil_bytes map;
    struct fil_bytes key;
    bool is_kind = container->type == &fil_list_type || container->type == &fil_set_type;
    task->map = NULL; // of another object of the same request
    if (!is_kind || !split(fil_container_name(container), &map, &key)) {
        return FIL_OK;
    }
    int error = fil_maps_get(task->session->server->options.maps, map, &task->map);
    if (error != FIL_OK) {
        return error;
    }
    task->key = fil_map_place(task->map, key);
    if (task->key.partition_id != container->partition_id) {
        // Only bytes that look serialized are placed otherwise, and no text can be those.
        task->fault = (struct fil_wire_fault){.field = "name", .reason = "is no key of Redis"};
        return FIL_E_INVALID;
    }
    return FIL_OK;
}

int fil_wire_view__refuse_kind(struct fil_wire_task *task)
{
    return fil_wire_answer_refusal(task, FIL_WIRE_ERROR_CLASS_CAST,
                                   "the key of Redis has a value of another type");
}

// Lists. Their items are lent to the container while a request runs.

static bool is_addition(uint32_t type)
{
    return type == FIL_WIRE_LIST_ADD || type == FIL_WIRE_LIST_ADD_ALL ||
           type == FIL_WIRE_LIST_ADD_WITH_INDEX || type == FIL_WIRE_LIST_ADD_ALL_WITH_INDEX;
}

/** The key's list; NULL when it has none, and none is needed. */
static int open_list(struct fil_wire_task *task, struct fil_collection **out_list)
{
    *out_list = fil_map_find_list_here(task->map, &task->key, task->now_ms);
    if (*out_list != NULL || !is_addition(task->header.type)) {
        return FIL_OK;
    }
    return fil_map_add_list_here(task->map, &task->key, task->now_ms, out_list);
}

/** What a request has changed, as the container counts it. */
struct tally {
    uint64_t adds;
    uint64_t removes;
};

static struct tally tally_of(const struct fil_container *container)
{
    return (struct tally){.adds = fil_counter_read(&container->counters.adds),
                          .removes = fil_counter_read(&container->counters.removes)};
}

/** Takes the items back and lets Redis's clients know. */
static void close_list(struct fil_wire_task *task, struct fil_collection *list, struct tally before)
{
    struct fil_list_container *container = fil_list_of(task->container);
    struct tally after = tally_of(task->container);
    fil_items_move(&list->items, &container->items);
    if (after.adds > before.adds) {
        fil_map_serve_here(task->map, &task->key, after.adds - before.adds);
    }
    if (after.adds != before.adds || after.removes != before.removes || list->items.count == 0) {
        fil_map_touch_collection_here(task->map, &task->key, list->items.count == 0, task->now_ms);
    }
}

static int run_list(struct fil_wire_task *task)
{
    struct fil_list_container *container = fil_list_of(task->container);
    struct fil_collection *list = NULL;
    struct tally before = tally_of(task->container);
    int error = open_list(task, &list);
    if (error != FIL_OK) {
        return error;
    }
    fil_assert(container->items.count == 0);
    if (list != NULL) {
        fil_items_move(&container->items, &list->items);
    }
    error = task->handler->run(task);
    if (list != NULL) {
        close_list(task, list, before);
    }
    fil_assert(container->items.count == 0);
    return error;
}

/** Whether the key has something that is no list, or no set. */
static bool is_of_other_kind(struct fil_wire_task *task, enum fil_collection_kind kind)
{
    struct fil_bundle bundle;
    struct fil_bytes value;
    fil_map_open_bundle_here(task->map, &task->key, task->now_ms, &bundle);
    return bundle.is_there ? bundle.kind != kind
                           : fil_map_peek_here(task->map, &task->key, task->now_ms, &value);
}

int fil_wire_view_run(struct fil_wire_task *task)
{
    bool is_list = task->container->type == &fil_list_type;
    if (is_of_other_kind(task, is_list ? FIL_COLLECTION_LIST : FIL_COLLECTION_SET)) {
        return fil_wire_view__refuse_kind(task);
    }
    return is_list ? run_list(task) : fil_wire_view__run_set(task);
}

void fil_wire_view_clear(struct fil_wire_task *task)
{
    bool is_list = task->container->type == &fil_list_type;
    if (!is_of_other_kind(task, is_list ? FIL_COLLECTION_LIST : FIL_COLLECTION_SET)) {
        (void)fil_map_remove_collection_here(task->map, &task->key, task->now_ms); // may be none
    }
}
