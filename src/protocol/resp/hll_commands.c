// SPDX-License-Identifier: Apache-2.0
/** How many different things there were: PFADD, PFCOUNT, PFMERGE. */
#include <string.h>

#include "filbert/error.h"
#include "grid/cardinality/sketch.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"

/** The key's sketch, an empty one when it has nothing; false when it has something else, as is
 * told. */
static bool read_sketch(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                        struct fil_output *output, struct fil_bytes *out_sketch)
{
    *out_sketch = fil_bytes_make(fil_sketch_empty, sizeof(fil_sketch_empty));
    if (!fil_map_get_here(map, key, now_ms, out_sketch)) {
        bool is_wrong = fil_resp_key_has_collection(map, key, now_ms);
        if (is_wrong) {
            fil_resp_error(output, FIL_RESP_WRONG_TYPE);
        }
        return !is_wrong;
    }
    bool is_sound = fil_sketch_is_sound(*out_sketch);
    if (!is_sound) {
        fil_resp_error(output, "WRONGTYPE Key is not a valid HyperLogLog string value.");
    }
    return is_sound;
}

/** A mark on its way into a sketch. */
struct adding {
    struct fil_sketch_mark mark;
    size_t old_size; // 0: there is no sketch yet
};

static void write_mark(void *context, uint8_t *value, size_t size)
{
    const struct adding *adding = context;
    size_t old_size = adding->old_size;
    if (old_size == 0) {
        memcpy(value, fil_sketch_empty, sizeof(fil_sketch_empty));
        old_size = sizeof(fil_sketch_empty);
    }
    fil_sketch_add(value, old_size, size, adding->mark);
}

/** Adds one thing; whether that changed anything. */
static int add_thing(const struct fil_resp_access *access, struct fil_bytes thing,
                     bool *out_has_changed)
{
    struct fil_bytes sketch;
    struct adding adding = {.mark = fil_sketch_mark_of(thing)};
    if (fil_map_peek_here(access->map, &access->key, access->now_ms, &sketch)) {
        adding.old_size = sketch.size;
    } else {
        sketch = fil_bytes_make(fil_sketch_empty, sizeof(fil_sketch_empty));
    }
    size_t size = fil_sketch_room(sketch, adding.mark);
    *out_has_changed = size > 0;
    return size == 0 ? FIL_OK
                     : fil_resp_key_write_string(access->map, &access->key, size, access->now_ms,
                                                 write_mark, &adding);
}

/** Without things there is a sketch all the same. */
static int add_all(const struct fil_resp_access *access, const struct fil_resp_command *command,
                   bool *out_has_changed)
{
    struct fil_store_write how = {.now_ms = access->now_ms, .condition = FIL_STORE_IF_ABSENT};
    struct fil_store_outcome outcome = {0};
    if (command->count == 2) {
        struct fil_bytes empty = fil_bytes_make(fil_sketch_empty, sizeof(fil_sketch_empty));
        int error = fil_map_put_here(access->map, &access->key, empty, &how, &outcome);
        *out_has_changed = outcome.is_written;
        return error;
    }
    int error = FIL_OK;
    *out_has_changed = false;
    for (uint32_t i = 2; i < command->count && error == FIL_OK; i++) {
        bool has_changed = false;
        error = add_thing(access, fil_resp_argument(command, i), &has_changed);
        *out_has_changed |= has_changed;
    }
    return error;
}

static void run_pfadd(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bytes sketch;
    bool has_changed = false;
    fil_resp_members_access(plan, command, output, &access);
    if (!read_sketch(access.map, &access.key, access.now_ms, output, &sketch)) {
        return;
    }
    int error = add_all(&access, command, &has_changed);
    if (error == FIL_OK) {
        fil_resp_integer(output, has_changed);
    } else {
        fil_resp_plan_tell(output, error);
    }
}

FIL_RESP_PLAN(pfadd)
{
    (void)command;
    fil_resp_members_plan(plan, run_pfadd);
}

/** Merges the sketches of all keys; false when one has something else, as is told. */
static bool merge_all(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output, uint8_t ranks[FIL_HLL_REGISTERS])
{
    memset(ranks, 0, FIL_HLL_REGISTERS);
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        struct fil_bytes sketch;
        if (!read_sketch(plan->map, &key, plan->now_ms, output, &sketch)) {
            return false;
        }
        fil_sketch_merge(sketch, ranks);
    }
    return true;
}

static void run_pfcount(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output)
{
    uint8_t ranks[FIL_HLL_REGISTERS];
    if (merge_all(plan, command, output, ranks)) {
        fil_resp_integer(output, (int64_t)fil_sketch_estimate_merged(ranks));
    }
}

FIL_RESP_PLAN(pfcount)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_pfcount;
    plan->count = command->count - 1;
}

/** The first key gets what all have seen, itself included, and keeps its time to live. */
static void run_pfmerge(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output)
{
    uint8_t ranks[FIL_HLL_REGISTERS];
    uint8_t room[FIL_SKETCH_DENSE_BYTES];
    struct fil_map_key target = fil_resp_plan_place(plan, command, 0);
    struct fil_store_write how = {.now_ms = plan->now_ms, .keeps_expiry = true};
    if (!merge_all(plan, command, output, ranks)) {
        return;
    }
    struct fil_bytes merged = fil_bytes_make(room, fil_sketch_encode(ranks, room));
    int error = fil_map_put_here(plan->map, &target, merged, &how, NULL);
    if (error == FIL_OK) {
        fil_resp_simple(output, "OK");
    } else {
        fil_resp_plan_tell(output, error);
    }
}

FIL_RESP_PLAN(pfmerge)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_pfmerge;
    plan->count = command->count - 1;
}
