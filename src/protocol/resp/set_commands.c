// SPDX-License-Identifier: Apache-2.0
/** Sets of one key. Each command runs inside its key's partition. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

static bool open_set(struct fil_resp_access *access, struct fil_bundle *out_set)
{
    return fil_resp_members_open(access, FIL_COLLECTION_SET, out_set);
}

static int put(struct fil_bundle *set, struct fil_bytes member, int64_t *added)
{
    bool is_new = false;
    int error = fil_bundle_put(set, member, fil_bytes_make(NULL, 0), &is_new);
    *added += error == FIL_OK && is_new;
    return error;
}

static void end_add(struct fil_resp_access *access, struct fil_bundle *set, int error,
                    int64_t added)
{
    if (added > 0) {
        fil_resp_members_touch(access, set);
    }
    if (error == FIL_OK) {
        fil_resp_integer(access->output, added);
    } else {
        fil_resp_plan_tell(access->output, error);
    }
}

static int64_t access_add(struct fil_resp_access *access)
{
    struct fil_bundle set;
    int64_t added = 0;
    if (fil_resp_members_need(access, FIL_COLLECTION_SET, &set)) {
        int error = put(&set, access->value, &added);
        end_add(access, &set, error, added);
    }
    return 0;
}

/** Several members: without memory the first of them stay. */
static void run_add(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle set;
    int64_t added = 0;
    int error = FIL_OK;
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_members_need(&access, FIL_COLLECTION_SET, &set)) {
        return;
    }
    for (uint32_t i = 2; i < command->count && error == FIL_OK; i++) {
        error = put(&set, fil_resp_argument(command, i), &added);
    }
    end_add(&access, &set, error, added);
}

FIL_RESP_PLAN(sadd)
{
    fil_resp_plan_member(plan, access_add, 1, 2);
    if (command->count > 3) {
        fil_resp_members_plan(plan, run_add);
    }
}

static void run_remove(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle set;
    int64_t removed = 0;
    fil_resp_members_access(plan, command, output, &access);
    if (!open_set(&access, &set)) {
        return;
    }
    for (uint32_t i = 2; i < command->count; i++) {
        removed += fil_bundle_remove(&set, fil_resp_argument(command, i));
    }
    if (removed > 0) {
        fil_resp_members_touch(&access, &set);
    }
    fil_resp_integer(output, removed);
}

FIL_RESP_PLAN(srem)
{
    (void)command;
    fil_resp_members_plan(plan, run_remove);
}

static int64_t access_has(struct fil_resp_access *access)
{
    struct fil_bundle set;
    if (open_set(access, &set)) {
        fil_resp_integer(access->output, fil_bundle_find(&set, access->value, NULL));
    }
    return 0;
}

FIL_RESP_PLAN(sismember)
{
    (void)command;
    fil_resp_plan_member(plan, access_has, 1, 2);
}

static void run_has(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle set;
    fil_resp_members_access(plan, command, output, &access);
    if (!open_set(&access, &set)) {
        return;
    }
    fil_resp_array(output, command->count - 2);
    for (uint32_t i = 2; i < command->count; i++) {
        fil_resp_integer(output, fil_bundle_find(&set, fil_resp_argument(command, i), NULL));
    }
}

FIL_RESP_PLAN(smismember)
{
    (void)command;
    fil_resp_members_plan(plan, run_has);
}

static int64_t access_count(struct fil_resp_access *access)
{
    struct fil_bundle set;
    if (open_set(access, &set)) {
        fil_resp_integer(access->output, (int64_t)fil_bundle_count(&set));
    }
    return 0;
}

FIL_RESP_PLAN(scard)
{
    (void)command;
    fil_resp_plan_one(plan, access_count, 1, 0);
}

static void reply_member(void *context, struct fil_bytes member, struct fil_bytes value)
{
    const struct fil_resp_access *access = context;
    (void)value;
    fil_resp_bulk(access->output, member);
}

static int64_t access_all(struct fil_resp_access *access)
{
    struct fil_bundle set;
    if (open_set(access, &set)) {
        fil_resp_set(access->output, access->version, fil_bundle_count(&set));
        (void)fil_bundle_scan(&set, 0, UINT32_MAX, reply_member, access);
    }
    return 0;
}

FIL_RESP_PLAN(smembers)
{
    (void)command;
    fil_resp_plan_one(plan, access_all, 1, 0);
}

FIL_RESP_PLAN(sscan)
{
    fil_resp_members_plan_scan(command, plan, FIL_COLLECTION_SET);
}

// Some members.

static void begin_lots(void *context, uint64_t count)
{
    const struct fil_resp_access *access = context;
    if (access->options & FIL_RESP_LOT_COUNTED) {
        fil_resp_array(access->output, count);
    }
}

static int64_t access_random(struct fil_resp_access *access)
{
    struct fil_bundle set;
    struct fil_resp_lots lots = {.begin = begin_lots, .visit = reply_member, .context = access};
    if (!open_set(access, &set)) {
        return 0;
    }
    bool is_counted = (access->options & FIL_RESP_LOT_COUNTED) != 0;
    if (!set.is_there && !is_counted) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    fil_resp_members_draw(&set, is_counted ? access->numbers[0] : 1, (uint64_t)access->numbers[1],
                          &lots);
    return 0;
}

FIL_RESP_PLAN(srandmember)
{
    fil_resp_members_plan_lots(command, plan, access_random, NULL);
}

/** Takes one and tells it. */
static void pop(struct fil_resp_access *access, struct fil_bundle *set, uint64_t random)
{
    struct fil_bytes member;
    struct fil_bytes value;
    fil_bundle_pick(set, random, &member, &value);
    fil_resp_bulk(access->output, member);
    // It is borrowed from what it is removed from, which is only looked at before that is changed.
    bool was_there = fil_bundle_remove(set, member);
    fil_assert(was_there);
}

static int64_t access_pop(struct fil_resp_access *access)
{
    struct fil_bundle set;
    struct fil_prng prng;
    bool is_counted = (access->options & FIL_RESP_LOT_COUNTED) != 0;
    if (!open_set(access, &set)) {
        return 0;
    }
    uint64_t there = fil_bundle_count(&set);
    uint64_t wanted = is_counted ? (uint64_t)access->numbers[0] : 1;
    uint64_t count = wanted < there ? wanted : there;
    if (is_counted) {
        fil_resp_set(access->output, access->version, count);
    } else if (count == 0) {
        fil_resp_null(access->output, access->version);
    }
    fil_prng_init(&prng, (uint64_t)access->numbers[1]);
    for (uint64_t i = 0; i < count; i++) {
        pop(access, &set, fil_prng_next(&prng));
    }
    if (count > 0) {
        fil_resp_members_touch(access, &set);
    }
    return 0;
}

FIL_RESP_PLAN(spop)
{
    fil_resp_members_plan_lots(command, plan, access_pop, NULL);
    bool is_negative = command->count == 3 && plan->numbers[0] < 0;
    if (command->count == 3 && (plan->error != NULL || is_negative)) {
        plan->error = "ERR value is out of range, must be positive";
    }
    plan->is_slow = false;
    fil_resp_plan_limit(plan, (uint64_t)plan->numbers[0]);
}
