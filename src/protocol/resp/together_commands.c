// SPDX-License-Identifier: Apache-2.0
/** Commands whose keys change together or not at all: MSETNX, RENAME, COPY, MOVE; and MSET. */
#include <string.h>

#include "filbert/error.h"
#include "grid/map/shelf.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/database.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/room.h"
#include "protocol/resp/session.h"
#include "protocol/resp/weight.h"
#include "protocol/resp/word.h"

static int64_t access_mset(struct fil_resp_access *access)
{
    struct fil_store_write how = {.now_ms = access->now_ms};
    if (fil_resp_access_puts_off_removal(access)) {
        return FIL_OK;
    }
    return fil_map_put_here(access->map, &access->key, access->value, &how, NULL);
}

/** Keys and values by turns. */
static void plan_pairs(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    plan->step = 2;
    plan->value = 2;
    plan->count = (command->count - 1) / 2;
    plan->is_wrong_argument_count = command->count % 2 == 0;
}

/** Bytes of the words from the first key on. */
static uint64_t pair_bytes(const struct fil_resp_command *command)
{
    const struct fil_resp_argument *last = &command->arguments[command->count - 1];
    return last->offset + last->size - command->arguments[1].offset;
}

/** It goes from key to key: memory for all of them is looked for before the first. */
FIL_RESP_PLAN(mset)
{
    plan->kind = FIL_RESP_PLAN_ALL;
    plan->run = access_mset;
    plan->is_weighed_inside = true;
    plan_pairs(command, plan);
    if (plan->count > 1 &&
        FIL_UNLIKELY(!fil_resp_room_is_left(plan->map, plan->count, pair_bytes(command)))) {
        plan->error = FIL_RESP_FULL;
    }
}

static bool is_any_there(const struct fil_resp_plan *plan, const struct fil_resp_command *command)
{
    struct fil_store_view view;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        if (fil_resp_key_inspect(plan->map, &key, plan->now_ms, &view) != FIL_RESP_TYPE_NONE) {
            return true;
        }
    }
    return false;
}

/** Takes back the first count keys, which were not there before. */
static void take_back(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        (void)fil_map_remove_here(plan->map, &key, plan->now_ms, NULL);
    }
}

static void run_msetnx(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    if (is_any_there(plan, command)) {
        fil_resp_integer(output, 0);
        return;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_resp_access access;
        fil_resp_plan_access(plan, command, i, &access);
        int64_t error = access_mset(&access);
        if (error != FIL_OK) {
            take_back(plan, command, i);
            fil_resp_plan_tell(output, (int)error);
            return;
        }
    }
    fil_resp_integer(output, 1);
}

FIL_RESP_PLAN(msetnx)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_msetnx;
    plan_pairs(command, plan);
}

enum copy_option {
    COPY_REPLACE = 1U << 0, // what is there under the new key
    COPY_MOVE = 1U << 1,    // the old key goes
};

/** A copy of the value for the same partition, which must not be given its own bytes. */
static uint8_t *borrow_room(struct fil_budget *budget, struct fil_bytes value)
{
    if (!fil_budget_draw(budget, value.size)) {
        return NULL;
    }
    uint8_t *room = fil_alloc(value.size + 1);
    if (room == NULL) {
        fil_budget_return(budget, value.size);
    } else if (value.size > 0) {
        memcpy(room, value.data, value.size);
    }
    return room;
}

/** Whether the key changes and the map does not: then there are as many keys as before. */
static bool is_rename(const struct fil_resp_plan *plan)
{
    bool is_within = plan->other_map == NULL || plan->other_map == plan->map;
    return (plan->options & COPY_MOVE) != 0 && is_within;
}

/** Puts the value, with its expiry, under the new key, unless that is taken. */
static int put_copy(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    const struct fil_store_view *view, bool *out_is_written)
{
    struct fil_budget *budget = plan->session->server->options.budget;
    struct fil_map_key target = fil_resp_plan_place(plan, command, 1);
    struct fil_map *map = plan->other_map == NULL ? plan->map : plan->other_map;
    struct fil_store_outcome outcome = {0};
    struct fil_store_write how = {
        .now_ms = plan->now_ms,
        .expires_ms = view->expires_ms,
        .max_idle_ms = view->max_idle_ms,
        .condition = plan->options & COPY_REPLACE ? FIL_STORE_ALWAYS : FIL_STORE_IF_ABSENT,
        .is_move = (plan->options & COPY_MOVE) != 0,
        .is_rename = is_rename(plan),
    };
    if (how.condition == FIL_STORE_IF_ABSENT &&
        fil_resp_key_has_collection(map, &target, plan->now_ms)) {
        return FIL_OK;
    }
    uint8_t *room = borrow_room(budget, view->value);
    if (room == NULL) {
        return FIL_E_NOMEM;
    }
    size_t size = view->value.size;
    int error = fil_map_put_here(map, &target, fil_bytes_make(room, size), &how, &outcome);
    fil_free(room);
    fil_budget_return(budget, size);
    *out_is_written = outcome.is_written;
    return error;
}

/** The same for a collection, which is not copied when it moves. */
static int put_collection(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                          const struct fil_store_view *view, bool *out_is_written)
{
    struct fil_map_key target = fil_resp_plan_place(plan, command, 1);
    struct fil_map *map = plan->other_map == NULL ? plan->map : plan->other_map;
    bool is_move = (plan->options & COPY_MOVE) != 0;
    struct fil_store_write how = {
        .now_ms = plan->now_ms, .expires_ms = view->expires_ms, .is_move = is_move};
    struct fil_store_view taken;
    if ((plan->options & COPY_REPLACE) == 0 &&
        fil_resp_key_inspect(map, &target, plan->now_ms, &taken) != FIL_RESP_TYPE_NONE) {
        return FIL_OK;
    }
    // A copy is admitted when it is received.
    int error =
        is_move && !is_rename(plan) ? fil_map_admit_here(map, &target, true, plan->now_ms) : FIL_OK;
    if (error == FIL_OK) {
        error = fil_map_receive_collection_here(map, &target, &how, view->value, is_move);
    }
    *out_is_written = error == FIL_OK;
    return error;
}

/** Copies or moves the first key to the second; false when the reply is an error, which is told. */
static bool transfer(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output, bool *out_is_there, bool *out_is_written)
{
    struct fil_map_key source = fil_resp_plan_place(plan, command, 0);
    struct fil_store_view view;
    *out_is_written = false;
    enum fil_resp_type type = fil_resp_key_inspect(plan->map, &source, plan->now_ms, &view);
    *out_is_there = type != FIL_RESP_TYPE_NONE;
    if (!*out_is_there) {
        return true;
    }
    int error = type == FIL_RESP_TYPE_STRING ? put_copy(plan, command, &view, out_is_written)
                                             : put_collection(plan, command, &view, out_is_written);
    if (error != FIL_OK) {
        fil_resp_plan_tell(output, error);
        return false;
    }
    if (*out_is_written && (plan->options & COPY_MOVE)) {
        (void)fil_resp_key_remove(plan->map, &source, plan->now_ms);
    }
    return true;
}

/** Whether the two keys are one. */
static bool is_same(const struct fil_resp_plan *plan, const struct fil_resp_command *command)
{
    return (plan->other_map == NULL || plan->other_map == plan->map) &&
           fil_bytes_equal(fil_resp_argument(command, 1), fil_resp_argument(command, 2));
}

static void run_rename(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    bool is_plain = (plan->options & COPY_REPLACE) != 0;
    bool is_there = false;
    bool is_written = false;
    if (is_same(plan, command)) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, 0);
        struct fil_store_view view;
        is_there = fil_resp_key_inspect(plan->map, &key, plan->now_ms, &view) != FIL_RESP_TYPE_NONE;
    } else if (!transfer(plan, command, output, &is_there, &is_written)) {
        return;
    }
    if (!is_there) {
        fil_resp_error(output, "ERR no such key");
    } else if (is_plain) {
        fil_resp_simple(output, "OK");
    } else {
        fil_resp_integer(output, is_written);
    }
}

static void plan_two(struct fil_resp_plan *plan, fil_resp_together_fn run, uint32_t options)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run;
    plan->count = 2;
    plan->options = options;
}

FIL_RESP_PLAN(rename)
{
    (void)command;
    plan_two(plan, run_rename, COPY_MOVE | COPY_REPLACE);
}

FIL_RESP_PLAN(renamenx)
{
    (void)command;
    plan_two(plan, run_rename, COPY_MOVE);
}

static void run_copy(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    bool is_there = false;
    bool is_written = false;
    if (transfer(plan, command, output, &is_there, &is_written)) {
        fil_resp_integer(output, is_written);
    }
}

/** Reads which database the second key is in; false when there is none, which the plan says. */
static bool read_database(const struct fil_resp_command *command, uint32_t index,
                          struct fil_resp_plan *plan)
{
    int64_t number = 0;
    struct fil_resp_server *server = plan->session->server;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, index), &number)) {
        plan->error = FIL_RESP_NOT_INTEGER;
        return false;
    }
    int error = fil_resp_database_get(server, number, &plan->other_map);
    if (error == FIL_E_NOMEM) {
        plan->error = "OOM no memory for another database";
    } else if (error != FIL_OK) {
        plan->error = "ERR DB index is out of range";
    }
    return error == FIL_OK;
}

FIL_RESP_PLAN(copy)
{
    plan_two(plan, run_copy, 0);
    for (uint32_t i = 3; i < command->count; i++) {
        if (fil_resp_word_is(command, i, "replace")) {
            plan->options |= COPY_REPLACE;
        } else if (fil_resp_word_is(command, i, "db") && i + 1 < command->count) {
            i++;
            if (!read_database(command, i, plan)) {
                return;
            }
        } else {
            plan->error = FIL_RESP_SYNTAX;
            return;
        }
    }
    if (is_same(plan, command)) {
        plan->error = "ERR source and destination objects are the same";
    }
}

/** The words are MOVE key db: both keys are the first. */
FIL_RESP_PLAN(move)
{
    plan_two(plan, run_copy, COPY_MOVE);
    plan->step = 0;
    if (read_database(command, 2, plan) && plan->other_map == plan->map) {
        plan->error = "ERR source and destination objects are the same";
    }
}
