// SPDX-License-Identifier: Apache-2.0
/** Requests about a set of a Redis key. A small one stands in the record of its key, so there is
 * nothing to lend: each request is run on the key's bundle. */
#include "core/container/listen.h"
#include "core/items/choice.h"
#include "filbert/error.h"
#include "grid/map/shelf.h"
#include "lib/base/assert.h"
#include "protocol/client/generated/set.h"
#include "protocol/client/serve/collection.h"
#include "protocol/client/serve/container_task.h"
#include "protocol/client/serve/view.h"

#define SCAN_MEMBERS 256U

static void open_set(const struct fil_wire_task *task, struct fil_bundle *bundle)
{
    fil_map_open_bundle_here(task->map, &task->key, task->now_ms, bundle);
}

static void tell(struct fil_wire_task *task, enum fil_container_event_kind kind,
                 struct fil_bytes item)
{
    struct fil_container_counters *counters = &task->container->counters;
    fil_counter_add(kind == FIL_CONTAINER_ADDED ? &counters->adds : &counters->removes, 1);
    fil_container_note_update_here(task->container, task->now_ms);
    fil_container_tell_here(
        task->container,
        &(struct fil_container_event){.kind = kind, .item = item, .time_ms = task->now_ms});
}

/** After a change of the members; the shelf may hold its first key, which nobody has counted yet.
 */
static void touch(struct fil_wire_task *task)
{
    struct fil_bundle bundle;
    int error = fil_map_need_bundle_here(task->map, &task->key, task->now_ms, &bundle);
    fil_assert(error == FIL_OK); // there is a shelf: it was changed
    bool is_empty = !bundle.is_there || fil_bundle_count(&bundle) == 0;
    fil_map_touch_collection_here(task->map, &task->key, is_empty, task->now_ms);
}

static bool has(const struct fil_wire_task *task, struct fil_bytes item)
{
    struct fil_bundle bundle;
    open_set(task, &bundle);
    return bundle.is_there && fil_bundle_find(&bundle, item, NULL);
}

static uint64_t count(const struct fil_wire_task *task)
{
    struct fil_bundle bundle;
    open_set(task, &bundle);
    return bundle.is_there ? fil_bundle_count(&bundle) : 0;
}

// Adding.

static int put(struct fil_wire_task *task, struct fil_bytes item, bool *out_is_new)
{
    struct fil_bundle bundle;
    int error = fil_map_need_bundle_here(task->map, &task->key, task->now_ms, &bundle);
    if (error != FIL_OK) {
        return error;
    }
    bundle.kind = FIL_COLLECTION_SET;
    return fil_bundle_put(&bundle, item, fil_bytes_make("", 0), out_is_new);
}

static void take_back(struct fil_wire_task *task, const struct fil_bytes *items, uint64_t before)
{
    struct fil_bundle bundle;
    for (uint64_t i = 0; i < before; i++) {
        int error = fil_map_need_bundle_here(task->map, &task->key, task->now_ms, &bundle);
        if (items[i].data != NULL && error == FIL_OK) {
            (void)fil_bundle_remove(&bundle, items[i]); // it was new
        }
    }
}

/** All or none; an item that was there already loses its data, so that it is not told of. */
static int add(struct fil_wire_task *task, struct fil_bytes *items, uint64_t item_count,
               bool *out_has_changed)
{
    *out_has_changed = false;
    for (uint64_t i = 0; i < item_count; i++) {
        bool is_new = false;
        int error = put(task, items[i], &is_new);
        if (error != FIL_OK) {
            take_back(task, items, i);
            if (*out_has_changed) {
                touch(task);
            }
            return error;
        }
        items[i].data = is_new ? items[i].data : NULL;
        *out_has_changed |= is_new;
    }
    if (*out_has_changed) {
        touch(task);
    }
    for (uint64_t i = 0; i < item_count; i++) {
        if (items[i].data != NULL) {
            tell(task, FIL_CONTAINER_ADDED, items[i]);
        }
    }
    return FIL_OK;
}

static int run_add(struct fil_wire_task *task)
{
    struct fil_bytes item = task->value;
    bool has_changed = false;
    int error = add(task, &item, 1, &has_changed);
    return fil_wire_answer_added(task, error, has_changed);
}

static int run_add_all(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    bool has_changed = false;
    int error = fil_wire_items_take(&items, task);
    if (error == FIL_OK) {
        error = add(task, items.items, items.count, &has_changed);
        fil_wire_items_free(&items);
    }
    return fil_wire_answer_added(task, error, has_changed);
}

// Removing.

static bool drop(struct fil_wire_task *task, struct fil_bytes item)
{
    struct fil_bundle bundle;
    open_set(task, &bundle);
    if (!bundle.is_there || !fil_bundle_remove(&bundle, item)) {
        return false;
    }
    tell(task, FIL_CONTAINER_REMOVED, item);
    return true;
}

static int run_remove(struct fil_wire_task *task)
{
    bool was_there = drop(task, task->value);
    if (was_there) {
        touch(task);
    }
    return fil_wire_answer_bool(task, was_there);
}

/** Copies of members that go: what the set shows is gone with its first change. */
struct leaving {
    const struct fil_choice *choice; // NULL: all go
    enum fil_sift which;
    struct fil_items members;
    int error;
};

static void note_leaving(void *context, struct fil_bytes member, struct fil_bytes value)
{
    struct leaving *leaving = context;
    (void)value;
    bool goes =
        leaving->choice == NULL || fil_choice_drops(leaving->choice, leaving->which, member);
    if (goes && leaving->error == FIL_OK) {
        leaving->error = fil_items_push_back(&leaving->members, member);
    }
}

static void visit(const struct fil_wire_task *task, fil_dict_visit_fn each, void *context)
{
    struct fil_bundle bundle;
    uint64_t cursor = 0;
    open_set(task, &bundle);
    if (!bundle.is_there) {
        return;
    }
    do {
        cursor = fil_bundle_scan(&bundle, cursor, SCAN_MEMBERS, each, context);
    } while (cursor != FIL_STORE_SCAN_END);
}

/** Removes all that go; FIL_E_NOMEM: none is removed. */
static int sift(struct fil_wire_task *task, struct leaving *leaving, bool *out_has_changed)
{
    struct fil_bytes member;
    fil_items_init(&leaving->members, task->container->account);
    visit(task, note_leaving, leaving);
    bool has_some = leaving->error == FIL_OK && leaving->members.count > 0;
    while (leaving->error == FIL_OK && fil_items_front(&leaving->members, &member)) {
        (void)drop(task, member); // it is there, unless it was visited twice
        fil_items_drop_front(&leaving->members);
    }
    fil_items_fini(&leaving->members);
    if (has_some) {
        touch(task);
    }
    *out_has_changed = has_some;
    return leaving->error;
}

static int run_sift(struct fil_wire_task *task, enum fil_sift which)
{
    struct fil_wire_items items;
    struct fil_choice choice;
    bool has_changed = false;
    int error = fil_wire_items_take(&items, task);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_choice_init(&choice, items.items, items.count, fil_container_seed(task->container));
    if (error == FIL_OK) {
        struct leaving leaving = {.choice = &choice, .which = which};
        error = sift(task, &leaving, &has_changed);
        fil_choice_fini(&choice);
    }
    fil_wire_items_free(&items);
    return error == FIL_OK ? fil_wire_answer_bool(task, has_changed) : error;
}

static int run_clear(struct fil_wire_task *task)
{
    struct leaving leaving = {0};
    bool has_changed = false;
    int error = sift(task, &leaving, &has_changed);
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

// Looking.

static int run_contains_all(struct fil_wire_task *task)
{
    struct fil_wire_items items;
    bool has_all = true;
    int error = fil_wire_items_take(&items, task);
    if (error != FIL_OK) {
        return error;
    }
    for (uint64_t i = 0; i < items.count && has_all; i++) {
        has_all = has(task, items.items[i]);
    }
    fil_wire_items_free(&items);
    return fil_wire_answer_bool(task, has_all);
}

static void write_member(void *context, struct fil_bytes member, struct fil_bytes value)
{
    (void)value;
    fil_wire_writer_form(context, member);
}

static int run_get_all(struct fil_wire_task *task)
{
    fil_wire_answer_list_open(task);
    visit(task, write_member, task->writer);
    return fil_wire_answer_list_close(task);
}

int fil_wire_view__run_set(struct fil_wire_task *task)
{
    switch (task->header.type) {
    case FIL_WIRE_SET_SIZE:
        return fil_wire_answer_i32(task, count(task));
    case FIL_WIRE_SET_IS_EMPTY:
        return fil_wire_answer_bool(task, count(task) == 0);
    case FIL_WIRE_SET_CONTAINS:
        return fil_wire_answer_bool(task, has(task, task->value));
    case FIL_WIRE_SET_CONTAINS_ALL:
        return run_contains_all(task);
    case FIL_WIRE_SET_ADD:
        return run_add(task);
    case FIL_WIRE_SET_ADD_ALL:
        return run_add_all(task);
    case FIL_WIRE_SET_REMOVE:
        return run_remove(task);
    case FIL_WIRE_SET_COMPARE_AND_REMOVE_ALL:
        return run_sift(task, FIL_SIFT_REMOVE_NAMED);
    case FIL_WIRE_SET_COMPARE_AND_RETAIN_ALL:
        return run_sift(task, FIL_SIFT_RETAIN_NAMED);
    case FIL_WIRE_SET_CLEAR:
        return run_clear(task);
    case FIL_WIRE_SET_GET_ALL:
        return run_get_all(task);
    default:
        return FIL_E_UNSUPPORTED; // there is none
    }
}
