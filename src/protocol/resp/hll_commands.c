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

/** A sketch on its way back under its key. */
struct draft {
    size_t size;
    uint8_t bytes[FIL_SKETCH_DENSE_BYTES];
};

static void write_draft(void *context, uint8_t *value, size_t size)
{
    const struct draft *draft = context;
    fil_assert(size == draft->size); // sketches only grow
    memcpy(value, draft->bytes, size);
}

static void add_thing(struct draft *draft, struct fil_bytes thing)
{
    struct fil_sketch_mark mark = fil_sketch_mark_of(thing);
    size_t size = fil_sketch_room(fil_bytes_make(draft->bytes, draft->size), mark);
    if (size > 0) {
        fil_sketch_add(draft->bytes, draft->size, size, mark);
        draft->size = size;
    }
}

/** The first thing of the command that changes the sketch; the number of words when none does. */
static uint32_t find_change(const struct fil_resp_command *command, struct fil_bytes sketch)
{
    uint32_t i = 2;
    while (i < command->count &&
           fil_sketch_room(sketch, fil_sketch_mark_of(fil_resp_argument(command, i))) == 0) {
        i++;
    }
    return i;
}

/** All things at once: who listens is told of one change, and without memory there is none. */
static int add_things(const struct fil_resp_access *access, const struct fil_resp_command *command,
                      struct fil_bytes sketch, bool *out_has_changed)
{
    struct draft draft;
    uint32_t i = find_change(command, sketch);
    *out_has_changed = i < command->count;
    if (!*out_has_changed) {
        return FIL_OK;
    }
    fil_assert(sketch.size <= sizeof(draft.bytes));
    draft.size = sketch.size;
    memcpy(draft.bytes, sketch.data, sketch.size);
    for (; i < command->count; i++) {
        add_thing(&draft, fil_resp_argument(command, i));
    }
    return fil_resp_key_write_string(access->map, &access->key, draft.size, access->now_ms,
                                     write_draft, &draft);
}

/** Without things there is a sketch all the same. */
static int add_all(const struct fil_resp_access *access, const struct fil_resp_command *command,
                   struct fil_bytes sketch, bool *out_has_changed)
{
    struct fil_store_write how = {.now_ms = access->now_ms, .condition = FIL_STORE_IF_ABSENT};
    struct fil_store_outcome outcome = {0};
    if (command->count > 2) {
        return add_things(access, command, sketch, out_has_changed);
    }
    struct fil_bytes empty = fil_bytes_make(fil_sketch_empty, sizeof(fil_sketch_empty));
    int error = fil_map_put_here(access->map, &access->key, empty, &how, &outcome);
    *out_has_changed = outcome.is_written;
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
    int error = add_all(&access, command, sketch, &has_changed);
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
