// SPDX-License-Identifier: Apache-2.0
/** Lists of one key: their ends, and what is between two places. Each runs inside the partition. */
#include "core/items/items.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define BLOCK_ITEMS 16U // in a block of a list, about and at least while they are short

enum list_option {
    LIST_FRONT = 1U << 0,     // the first item, not the last
    LIST_IF_THERE = 1U << 1,  // only when there is a list
    LIST_COUNTED = 1U << 2,   // as many as were asked for, in an array
    LIST_NO_NUMBER = 1U << 3, // the place is none, which is told after what is wrong with the key
};

/** The list of an access; false when the reply is given because there is none of that type. */
static bool find(struct fil_resp_access *access, struct fil_collection **out_list)
{
    return fil_resp_key_find_list(access->map, &access->key, access->now_ms, access->output,
                                  out_list);
}

static void touch(const struct fil_resp_access *access, const struct fil_collection *list)
{
    fil_map_touch_collection_here(access->map, &access->key, list->items.count == 0,
                                  access->now_ms);
}

// Adding.

/** The list to add to, made if there may be a new one; NULL when the reply is given. */
static struct fil_collection *open_list(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    int error = FIL_OK;
    if (!find(access, &list)) {
        return NULL;
    }
    if (list == NULL && access->options & LIST_IF_THERE) {
        fil_resp_integer(access->output, 0);
    } else if (list == NULL) {
        error = fil_map_add_list_here(access->map, &access->key, access->now_ms, &list);
    } else {
        error = fil_map_admit_here(access->map, &access->key, false, access->now_ms);
    }
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
        return NULL;
    }
    return list;
}

static int push(struct fil_items *items, uint32_t options, struct fil_bytes item)
{
    return options & LIST_FRONT ? fil_items_push_front(items, item)
                                : fil_items_push_back(items, item);
}

static void drop(struct fil_items *items, uint32_t options)
{
    if (options & LIST_FRONT) {
        fil_items_drop_front(items);
    } else {
        fil_items_drop_back(items);
    }
}

static void end_push(struct fil_resp_access *access, struct fil_collection *list, int error,
                     uint64_t added)
{
    if (error == FIL_OK) {
        fil_resp_integer(access->output, (int64_t)list->items.count);
        fil_map_serve_here(access->map, &access->key, added);
    } else {
        fil_resp_plan_tell(access->output, error);
    }
    touch(access, list);
}

static int64_t access_push(struct fil_resp_access *access)
{
    struct fil_collection *list = open_list(access);
    if (list != NULL) {
        end_push(access, list, push(&list->items, access->options, access->value), 1);
    }
    return 0;
}

/** Several items: all of them, or none when memory is out. */
static void run_push(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct fil_resp_access access;
    fil_resp_plan_access(plan, command, 0, &access);
    access.output = output;
    struct fil_collection *list = open_list(&access);
    if (list == NULL) {
        return;
    }
    int error = FIL_OK;
    uint32_t at = 2;
    while (at < command->count && error == FIL_OK) {
        error = push(&list->items, plan->options, fil_resp_argument(command, at));
        at += error == FIL_OK;
    }
    while (error != FIL_OK && at > 2) {
        drop(&list->items, plan->options);
        at--;
    }
    end_push(&access, list, error, command->count - 2);
}

static void plan_push(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                      uint32_t options)
{
    fil_resp_plan_list(plan, access_push, 1, 2);
    plan->options = options;
    if (command->count > 3) {
        plan->kind = FIL_RESP_PLAN_TOGETHER;
        plan->run_together = run_push;
    }
}

FIL_RESP_PLAN(lpush)
{
    plan_push(command, plan, LIST_FRONT);
}

FIL_RESP_PLAN(rpush)
{
    plan_push(command, plan, 0);
}

FIL_RESP_PLAN(lpushx)
{
    plan_push(command, plan, LIST_FRONT | LIST_IF_THERE);
}

FIL_RESP_PLAN(rpushx)
{
    plan_push(command, plan, LIST_IF_THERE);
}

// Taking.

static void reply_nothing(const struct fil_resp_access *access)
{
    if (access->options & LIST_COUNTED) {
        fil_resp_null_array(access->output, access->version);
    } else {
        fil_resp_null(access->output, access->version);
    }
}

static int64_t access_pop(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    if (!find(access, &list)) {
        return 0;
    }
    if (list == NULL) {
        reply_nothing(access);
        return 0;
    }
    bool is_front = (access->options & LIST_FRONT) != 0;
    uint64_t wanted = access->options & LIST_COUNTED ? (uint64_t)access->numbers[0] : 1;
    uint64_t count = wanted < list->items.count ? wanted : list->items.count;
    if (access->options & LIST_COUNTED) {
        fil_resp_array(access->output, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct fil_bytes item = {0};
        bool is_there =
            is_front ? fil_items_front(&list->items, &item) : fil_items_back(&list->items, &item);
        fil_assert(is_there);
        fil_resp_bulk(access->output, item);
        drop(&list->items, access->options);
    }
    if (count > 0) {
        touch(access, list);
    }
    return 0;
}

static void plan_pop(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                     uint32_t options)
{
    fil_resp_plan_list(plan, access_pop, 1, 0);
    plan->options = options;
    plan->is_wrong_argument_count = command->count > 3;
    plan->is_weighed = command->count == 3;
    if (command->count != 3) {
        return;
    }
    plan->options |= LIST_COUNTED;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0]) ||
        plan->numbers[0] < 0) {
        plan->error = "ERR value is out of range, must be positive";
    }
    fil_resp_plan_limit(plan, (uint64_t)plan->numbers[0]);
}

FIL_RESP_PLAN(lpop)
{
    plan_pop(command, plan, LIST_FRONT);
}

FIL_RESP_PLAN(rpop)
{
    plan_pop(command, plan, 0);
}

// Places.

static int64_t access_length(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    if (find(access, &list)) {
        fil_resp_integer(access->output, list == NULL ? 0 : (int64_t)list->items.count);
    }
    return 0;
}

FIL_RESP_PLAN(llen)
{
    (void)command;
    fil_resp_plan_one(plan, access_length, 1, 0);
}

/** The item at a place that counts from the end when it is negative; false: there is none. */
static bool find_place(const struct fil_items *items, int64_t place, struct fil_item_cursor *out_at)
{
    int64_t count = (int64_t)items->count;
    place = place < 0 ? place + count : place;
    if (place < 0 || place >= count) {
        return false;
    }
    *out_at = fil_items_at(items, (uint64_t)place);
    return true;
}

static int64_t access_index(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    struct fil_item_cursor at;
    struct fil_bytes item;
    if (!find(access, &list)) {
        return 0;
    }
    if (list != NULL && access->options & LIST_NO_NUMBER) {
        fil_resp_error(access->output, FIL_RESP_NOT_INTEGER);
    } else if (list != NULL && find_place(&list->items, access->numbers[0], &at) &&
               fil_items_read(&at, &item)) {
        fil_resp_bulk(access->output, item);
    } else {
        fil_resp_null(access->output, access->version);
    }
    return 0;
}

static void read_numbers(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                         uint32_t count)
{
    fil_assert(count <= FIL_COUNT_OF(plan->numbers));
    for (uint32_t i = 0; i < count; i++) {
        if (!fil_resp_word_to_integer(fil_resp_argument(command, 2 + i), &plan->numbers[i])) {
            plan->error = FIL_RESP_NOT_INTEGER;
        }
    }
}

/** What it weighs to get to a place: many items stand in one block, and blocks are passed. */
static uint64_t weigh_way(int64_t place)
{
    uint64_t distance = place < 0 ? 0 - (uint64_t)place : (uint64_t)place;
    return distance / BLOCK_ITEMS;
}

/** What it weighs to read from a place to another, when that is known before the list is. */
static void limit_to_range(struct fil_resp_plan *plan)
{
    int64_t first = plan->numbers[0];
    int64_t last = plan->numbers[1];
    if ((first < 0) == (last < 0)) {
        uint64_t count = last < first ? 0 : (uint64_t)last - (uint64_t)first + 1;
        fil_resp_plan_limit(plan, count + weigh_way(first));
    }
}

/** What surely stays between two places, when that is known before the list is. */
static void spare_range(struct fil_resp_plan *plan)
{
    int64_t first = plan->numbers[0];
    int64_t last = plan->numbers[1];
    if (first == 0 && last >= 0) {
        fil_resp_plan_spare(plan, (uint64_t)last + 1);
    } else if (first < 0 && last == -1) {
        fil_resp_plan_spare(plan, 0 - (uint64_t)first);
    }
}

/** A place whose word is looked at after the key. */
static void read_place(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0])) {
        plan->options |= LIST_NO_NUMBER;
    }
    fil_resp_plan_limit(plan, weigh_way(plan->numbers[0]));
}

FIL_RESP_PLAN(lindex)
{
    fil_resp_plan_one(plan, access_index, 1, 0);
    read_place(command, plan);
}

static int64_t access_set_item(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    struct fil_item_cursor at;
    if (!find(access, &list)) {
        return 0;
    }
    if (list == NULL) {
        fil_resp_error(access->output, "ERR no such key");
        return 0;
    }
    if (access->options & LIST_NO_NUMBER || !find_place(&list->items, access->numbers[0], &at)) {
        bool is_number = (access->options & LIST_NO_NUMBER) == 0;
        fil_resp_error(access->output, "%s",
                       is_number ? "ERR index out of range" : FIL_RESP_NOT_INTEGER);
        return 0;
    }
    int error = fil_items_replace(&list->items, &at, access->value);
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
        return 0;
    }
    touch(access, list);
    fil_resp_simple(access->output, "OK");
    return 0;
}

FIL_RESP_PLAN(lset)
{
    fil_resp_plan_one(plan, access_set_item, 1, 3);
    read_place(command, plan);
}

/** Places as a range of indexes of so many items; false when it is empty. */
static bool clip(const int64_t numbers[2], uint64_t item_count, uint64_t *out_first,
                 uint64_t *out_count)
{
    int64_t size = (int64_t)item_count;
    int64_t first = numbers[0] < 0 ? numbers[0] + size : numbers[0];
    int64_t last = numbers[1] < 0 ? numbers[1] + size : numbers[1];
    first = first < 0 ? 0 : first;
    last = last >= size ? size - 1 : last;
    if (first > last) {
        return false;
    }
    *out_first = (uint64_t)first;
    *out_count = (uint64_t)(last - first) + 1;
    fil_assert(*out_first + *out_count <= item_count);
    return true;
}

static int64_t access_range(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    uint64_t first = 0;
    uint64_t count = 0;
    if (!find(access, &list)) {
        return 0;
    }
    if (list == NULL || !clip(access->numbers, list->items.count, &first, &count)) {
        fil_resp_array(access->output, 0);
        return 0;
    }
    struct fil_item_cursor at = fil_items_at(&list->items, first);
    fil_resp_array(access->output, count);
    for (uint64_t i = 0; i < count; i++) {
        struct fil_bytes item = {0};
        bool is_there = fil_items_read(&at, &item);
        fil_assert(is_there);
        fil_resp_bulk(access->output, item);
        fil_items_next(&list->items, &at);
    }
    return 0;
}

FIL_RESP_PLAN(lrange)
{
    fil_resp_plan_one(plan, access_range, 1, 0);
    read_numbers(command, plan, 2);
    limit_to_range(plan);
}

static int64_t access_trim(struct fil_resp_access *access)
{
    struct fil_collection *list = NULL;
    uint64_t first = 0;
    uint64_t count = 0;
    if (!find(access, &list)) {
        return 0;
    }
    if (list != NULL) {
        (void)clip(access->numbers, list->items.count, &first, &count);
        while (list->items.count > first + count) {
            fil_items_drop_back(&list->items);
        }
        while (list->items.count > count) {
            fil_items_drop_front(&list->items);
        }
        touch(access, list);
    }
    fil_resp_simple(access->output, "OK");
    return 0;
}

FIL_RESP_PLAN(ltrim)
{
    fil_resp_plan_one(plan, access_trim, 1, 0);
    read_numbers(command, plan, 2);
    spare_range(plan);
}
