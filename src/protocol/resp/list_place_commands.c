// SPDX-License-Identifier: Apache-2.0
/** Lists: where items are, items beside others, and items that go from list to list. */
#include <string.h>

#include "core/items/items.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"
#include "protocol/resp/word.h"

/** One of the keys of a command, with its list. */
struct place {
    struct fil_map *map;
    struct fil_map_key key;
    uint64_t now_ms;
    struct fil_collection *list; // NULL: the key has nothing
};

/** False when the key has another type, which is told. */
static bool find(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                 uint32_t index, struct fil_output *output, struct place *out_place)
{
    *out_place = (struct place){
        .map = plan->map,
        .key = fil_resp_plan_place(plan, command, index),
        .now_ms = plan->now_ms,
    };
    return fil_resp_key_find_list(out_place->map, &out_place->key, plan->now_ms, output,
                                  &out_place->list);
}

static void touch(const struct place *place)
{
    fil_assert(place->list != NULL);
    fil_map_touch_collection_here(place->map, &place->key, place->list->items.count == 0,
                                  place->now_ms);
}

static void plan_together(struct fil_resp_plan *plan, fil_resp_together_fn run, uint32_t key_count)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run;
    plan->count = key_count;
}

// LINSERT.

static void run_insert(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct place place;
    if (!find(plan, command, 0, output, &place)) {
        return;
    }
    if (place.list == NULL) {
        fil_resp_integer(output, 0);
        return;
    }
    struct fil_items *items = &place.list->items;
    struct fil_item_cursor at = fil_items_find(items, fil_resp_argument(command, 3));
    if (at.block == NULL) {
        fil_resp_integer(output, -1);
        return;
    }
    if (fil_resp_word_is(command, 2, "after")) {
        fil_items_next(items, &at);
    }
    int error = fil_items_insert(items, &at, fil_resp_argument(command, 4));
    if (error != FIL_OK) {
        fil_resp_plan_tell(output, error);
        return;
    }
    touch(&place);
    fil_resp_integer(output, (int64_t)items->count);
}

FIL_RESP_PLAN(linsert)
{
    plan_together(plan, run_insert, 1);
    if (!fil_resp_word_is(command, 2, "before") && !fil_resp_word_is(command, 2, "after")) {
        plan->error = FIL_RESP_SYNTAX;
    }
}

// LREM.

/** Removes up to so many items that are equal, from the end when there is a minus. */
static uint64_t remove_equal(struct fil_items *items, int64_t wanted, struct fil_bytes equal)
{
    uint64_t max = wanted == 0 ? UINT64_MAX : (uint64_t)(wanted < 0 ? -wanted : wanted);
    uint64_t removed = 0;
    struct fil_bytes item;
    struct fil_item_cursor at = wanted < 0 ? fil_items_last(items) : fil_items_first(items);
    while (removed < max && fil_items_read(&at, &item)) {
        bool is_equal = fil_bytes_equal(item, equal);
        if (is_equal) {
            fil_items_remove(items, &at);
            removed++;
        }
        if (wanted < 0 && at.block == NULL) {
            at = fil_items_last(items); // the last one is gone
        } else if (wanted < 0) {
            fil_items_previous(items, &at);
        } else if (!is_equal) {
            fil_items_next(items, &at);
        }
    }
    return removed;
}

static void run_remove(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct place place;
    uint64_t removed = 0;
    if (!find(plan, command, 0, output, &place)) {
        return;
    }
    if (place.list != NULL) {
        removed = remove_equal(&place.list->items, plan->numbers[0], fil_resp_argument(command, 3));
    }
    if (removed > 0) {
        touch(&place);
    }
    fil_resp_integer(output, (int64_t)removed);
}

FIL_RESP_PLAN(lrem)
{
    plan_together(plan, run_remove, 1);
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0])) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else if (plan->numbers[0] == INT64_MIN) {
        plan->error = "ERR value is out of range";
    }
}

// LPOS.

/** What LPOS was asked for. */
struct search {
    int64_t rank;
    int64_t count; // -1: one, not as an array; 0: all
    int64_t max;   // items to look at; 0: all
};

#define BAD_RANK                                                                          \
    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... " \
    "or use negative to start from the end of the list"

/** NULL, or what is wrong with the option at that word. */
static const char *read_option(const struct fil_resp_command *command, uint32_t index,
                               struct search *search)
{
    int64_t value = 0;
    bool has_value = index + 1 < command->count;
    bool is_rank = fil_resp_word_is(command, index, "rank");
    bool is_count = fil_resp_word_is(command, index, "count");
    if (!has_value || !(is_rank || is_count || fil_resp_word_is(command, index, "maxlen"))) {
        return FIL_RESP_SYNTAX;
    }
    bool is_number = fil_resp_word_to_integer(fil_resp_argument(command, index + 1), &value);
    if (is_rank) {
        search->rank = value;
        if (is_number && value == INT64_MIN) {
            return "ERR value is out of range";
        }
        return !is_number ? FIL_RESP_NOT_INTEGER : value == 0 ? BAD_RANK : NULL;
    }
    if (is_count) {
        search->count = value;
        return is_number && value >= 0 ? NULL : "ERR COUNT can't be negative";
    }
    search->max = value;
    return is_number && value >= 0 ? NULL : "ERR MAXLEN can't be negative";
}

static const char *read_search(const struct fil_resp_command *command, struct search *out_search)
{
    const char *error = NULL;
    *out_search = (struct search){.rank = 1, .count = -1};
    for (uint32_t i = 3; i < command->count && error == NULL; i += 2) {
        error = read_option(command, i, out_search);
    }
    return error;
}

static void tell_place(struct fil_output *output, uint64_t index)
{
    if (output != NULL) {
        fil_resp_integer(output, (int64_t)index);
    }
}

/** How often the item was found; the places go to the output, if there is one. */
static uint64_t search_items(const struct fil_items *items, const struct search *search,
                             struct fil_bytes wanted, struct fil_output *output)
{
    bool is_back = search->rank < 0;
    int64_t skipped = (is_back ? -search->rank : search->rank) - 1;
    uint64_t limit = search->count == 0  ? UINT64_MAX
                     : search->count < 0 ? 1
                                         : (uint64_t)search->count;
    uint64_t looks = search->max == 0 ? items->count : (uint64_t)search->max;
    uint64_t found = 0;
    struct fil_bytes item;
    struct fil_item_cursor at = is_back ? fil_items_last(items) : fil_items_first(items);
    for (; looks > 0 && found < limit && fil_items_read(&at, &item); looks--) {
        bool is_match = fil_bytes_equal(item, wanted);
        if (is_match && skipped == 0) {
            found++;
            tell_place(output, at.index);
        }
        skipped -= is_match && skipped > 0;
        if (is_back) {
            fil_items_previous(items, &at);
        } else {
            fil_items_next(items, &at);
        }
    }
    return found;
}

static void run_position(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                         struct fil_output *output)
{
    struct place place;
    struct search search;
    const char *error = read_search(command, &search);
    fil_assert(error == NULL);
    if (!find(plan, command, 0, output, &place)) {
        return;
    }
    struct fil_bytes wanted = fil_resp_argument(command, 2);
    const struct fil_items *items = place.list == NULL ? NULL : &place.list->items;
    if (search.count >= 0) {
        // The head of the array comes first, so the places are counted before they are told.
        fil_resp_array(output, items == NULL ? 0 : search_items(items, &search, wanted, NULL));
    }
    uint64_t found = items == NULL ? 0 : search_items(items, &search, wanted, output);
    if (search.count < 0 && found == 0) {
        fil_resp_null(output, plan->version);
    }
}

FIL_RESP_PLAN(lpos)
{
    struct search search;
    plan_together(plan, run_position, 1);
    plan->error = read_search(command, &search);
}

// LMOVE.

enum move_option {
    MOVE_FROM_FRONT = 1U << 0,
    MOVE_TO_FRONT = 1U << 1,
};

static int push_end(struct fil_items *items, bool is_front, struct fil_bytes item)
{
    return is_front ? fil_items_push_front(items, item) : fil_items_push_back(items, item);
}

/** From one end to the other: items must not be given what is borrowed from them. */
static int turn_round(const struct fil_resp_plan *plan, struct fil_items *items,
                      struct fil_bytes item)
{
    struct fil_budget *budget = plan->session->server->options.budget;
    uint8_t *room = fil_budget_alloc(budget, item.size + 1);
    if (room == NULL) {
        return FIL_E_NOMEM;
    }
    if (item.size > 0) {
        memcpy(room, item.data, item.size);
    }
    size_t size = item.size;
    int error = push_end(items, (plan->options & MOVE_TO_FRONT) != 0, fil_bytes_make(room, size));
    fil_budget_free(budget, room, size + 1);
    return error;
}

/** Puts the item to the target, which is made if there is none. */
static int put_item(const struct fil_resp_plan *plan, const struct place *source,
                    struct place *target, struct fil_bytes item)
{
    if (source->list == target->list) {
        return turn_round(plan, &source->list->items, item);
    }
    int error = FIL_OK;
    if (target->list == NULL) {
        error = fil_map_add_list_here(target->map, &target->key, plan->now_ms, &target->list);
    } else {
        error = fil_map_admit_here(target->map, &target->key, false, plan->now_ms);
    }
    if (error != FIL_OK) {
        return error;
    }
    error = push_end(&target->list->items, (plan->options & MOVE_TO_FRONT) != 0, item);
    touch(target); // removes one that has stayed empty
    fil_map_serve_here(target->map, &target->key, error == FIL_OK ? 1 : 0);
    return error;
}

static bool read_end(const struct fil_items *items, bool is_front, struct fil_bytes *out_item)
{
    return is_front ? fil_items_front(items, out_item) : fil_items_back(items, out_item);
}

static void drop_end(struct fil_items *items, bool is_front)
{
    if (is_front) {
        fil_items_drop_front(items);
    } else {
        fil_items_drop_back(items);
    }
}

static void run_move(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct place source;
    struct place target;
    struct fil_bytes item = {0};
    bool is_front = (plan->options & MOVE_FROM_FRONT) != 0;
    if (!find(plan, command, 0, output, &source)) {
        return;
    }
    bool is_others = plan->yields && fil_map_is_awaited_here(plan->map, &source.key);
    if (source.list == NULL || is_others) {
        if (!plan->blocks) {
            fil_resp_null(output, plan->version);
        }
        return;
    }
    if (!find(plan, command, 1, output, &target)) {
        return;
    }
    bool is_there = read_end(&source.list->items, is_front, &item);
    fil_assert(is_there);
    int error = put_item(plan, &source, &target, item);
    if (error != FIL_OK) {
        fil_resp_plan_tell(output, error);
        return;
    }
    // When both are one the other end has grown, and the item is where it was.
    is_there = read_end(&source.list->items, is_front, &item);
    fil_assert(is_there);
    fil_resp_bulk(output, item);
    drop_end(&source.list->items, is_front);
    touch(&source);
}

/** The end that the word names; false when it is none. */
static bool read_side(const struct fil_resp_command *command, uint32_t index, uint32_t option,
                      struct fil_resp_plan *plan)
{
    if (fil_resp_word_is(command, index, "left")) {
        plan->options |= option;
        return true;
    }
    return fil_resp_word_is(command, index, "right");
}

FIL_RESP_PLAN(lmove)
{
    plan_together(plan, run_move, 2);
    if (!read_side(command, 3, MOVE_FROM_FRONT, plan) ||
        !read_side(command, 4, MOVE_TO_FRONT, plan)) {
        plan->error = FIL_RESP_SYNTAX;
    }
}

FIL_RESP_PLAN(rpoplpush)
{
    (void)command;
    plan_together(plan, run_move, 2);
    plan->options = MOVE_TO_FRONT;
}
