// SPDX-License-Identifier: Apache-2.0
/** Commands that take from the first of several keys that has something, and may wait for it. */
#include <math.h>

#include "core/items/items.h"
#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define NS_PER_SECOND 1000000000.0L
#define SECONDS_MAX   9000000000.0L // some 285 years: with the time of now it fits into 64 bits

enum take_option {
    TAKE_FRONT = 1U << 0, // the first items, the lowest scores
    TAKE_MANY = 1U << 1,  // up to a number, in an array of their own
};

/** Reads the timeout, in seconds, at that word. */
static void read_timeout(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                         uint32_t index)
{
    long double seconds = 0;
    plan->blocks = true;
    if (!fil_resp_word_to_float(fil_resp_argument(command, index), &seconds) ||
        seconds > SECONDS_MAX) {
        plan->error = isinf(seconds) || seconds > SECONDS_MAX
                          ? "ERR timeout is out of range"
                          : "ERR timeout is not a float or out of range";
    } else if (seconds < 0) {
        plan->error = "ERR timeout is negative";
    } else {
        // The shortest time is not for ever.
        plan->timeout_ns = seconds == 0 ? 0 : (uint64_t)(seconds * NS_PER_SECOND) + 1;
    }
}

static void take_items(const struct fil_resp_plan *plan, struct fil_items *items,
                       struct fil_output *output)
{
    bool is_front = (plan->options & TAKE_FRONT) != 0;
    uint64_t wanted = plan->options & TAKE_MANY ? (uint64_t)plan->numbers[0] : 1;
    uint64_t count = wanted < items->count ? wanted : items->count;
    if (plan->options & TAKE_MANY) {
        fil_resp_array(output, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct fil_bytes item = {0};
        bool is_there = is_front ? fil_items_front(items, &item) : fil_items_back(items, &item);
        fil_assert(is_there);
        fil_resp_bulk(output, item);
        if (is_front) {
            fil_items_drop_front(items);
        } else {
            fil_items_drop_back(items);
        }
    }
}

/** What is told of a member: in an array of its own when there are many. */
struct telling {
    struct fil_output *output;
    int version;
    bool is_nested;
};

static void tell_member(void *context, struct fil_bytes member, double score)
{
    const struct telling *telling = context;
    if (telling->is_nested) {
        fil_resp_array(telling->output, 2);
    }
    fil_resp_bulk(telling->output, member);
    fil_resp_double(telling->output, telling->version, score);
}

static void take_members(const struct fil_resp_plan *plan, struct fil_bundle *zset,
                         struct fil_output *output)
{
    uint64_t there = fil_bundle_count(zset);
    bool is_front = (plan->options & TAKE_FRONT) != 0;
    uint64_t wanted = plan->options & TAKE_MANY ? (uint64_t)plan->numbers[0] : 1;
    struct fil_zset_range range = {.count = wanted < there ? wanted : there,
                                   .is_reverse = !is_front};
    struct telling telling = {.output = output, .version = plan->version};
    if (plan->options & TAKE_MANY) {
        telling.is_nested = true;
        fil_resp_array(output, range.count);
    }
    fil_zset_visit(zset, &range, tell_member, &telling);
    fil_zset_remove_range(zset, is_front ? 0 : there - range.count, range.count);
}

/** From the first key that has something; writes nothing when none has. */
static void run_take(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct fil_resp_place place;
    bool is_list = plan->awaited == FIL_COLLECTION_LIST;
    for (uint32_t i = 0; i < plan->count; i++) {
        if (!fil_resp_members_open_at(plan, command, i, plan->awaited, output, &place)) {
            return;
        }
        bool is_others = plan->yields && fil_map_is_awaited_here(plan->map, &place.key);
        if (fil_bundle_count(&place.bundle) == 0 || is_others) {
            continue;
        }
        bool is_flat = !is_list && !(plan->options & TAKE_MANY);
        fil_resp_array(output, is_flat ? 3 : 2);
        fil_resp_bulk(output, place.key.bytes);
        if (is_list) {
            take_items(plan, &place.bundle.large->items, output);
        } else {
            take_members(plan, &place.bundle, output);
        }
        fil_resp_key_touch(plan->map, &place.key, &place.bundle);
        return;
    }
}

static void plan_take(struct fil_resp_plan *plan, enum fil_collection_kind kind, uint32_t options)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_take;
    plan->awaited = kind;
    plan->options = options;
}

/** The words are BLPOP key ... timeout. */
static void plan_one_of(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                        enum fil_collection_kind kind, uint32_t options)
{
    plan_take(plan, kind, options);
    plan->count = command->count - 2;
    read_timeout(command, plan, command->count - 1);
}

FIL_RESP_PLAN(blpop)
{
    plan_one_of(command, plan, FIL_COLLECTION_LIST, TAKE_FRONT);
}

FIL_RESP_PLAN(brpop)
{
    plan_one_of(command, plan, FIL_COLLECTION_LIST, 0);
}

FIL_RESP_PLAN(bzpopmin)
{
    plan_one_of(command, plan, FIL_COLLECTION_ZSET, TAKE_FRONT);
}

FIL_RESP_PLAN(bzpopmax)
{
    plan_one_of(command, plan, FIL_COLLECTION_ZSET, 0);
}

// Many at once.

/** Reads which end is meant; false when the word names none. */
static bool read_end(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                     uint32_t index)
{
    bool is_list = plan->awaited == FIL_COLLECTION_LIST;
    if (fil_resp_word_is(command, index, is_list ? "left" : "min")) {
        plan->options |= TAKE_FRONT;
        return true;
    }
    return fil_resp_word_is(command, index, is_list ? "right" : "max");
}

/** Reads COUNT count, if it is there. */
static const char *read_count(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                              uint32_t index)
{
    plan->numbers[0] = 1;
    if (index == command->count) {
        return NULL;
    }
    if (index + 2 != command->count || !fil_resp_word_is(command, index, "count")) {
        return FIL_RESP_SYNTAX;
    }
    bool is_sound =
        fil_resp_word_to_integer(fil_resp_argument(command, index + 1), &plan->numbers[0]) &&
        plan->numbers[0] > 0;
    return is_sound ? NULL : "ERR count should be greater than 0";
}

static const char *event_of(const struct fil_resp_plan *plan)
{
    bool is_front = (plan->options & TAKE_FRONT) != 0;
    if (plan->awaited == FIL_COLLECTION_LIST) {
        return is_front ? "lpop" : "rpop";
    }
    return is_front ? "zpopmin" : "zpopmax";
}

/** The words are numkeys key ... end [COUNT count], from that one on. */
static void plan_many(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                      enum fil_collection_kind kind, uint32_t index)
{
    int64_t count = 0;
    plan_take(plan, kind, TAKE_MANY);
    plan->first = index + 1;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, index), &count) || count < 1) {
        plan->error = "ERR numkeys should be greater than 0";
        return;
    }
    if (count >= (int64_t)(command->count - index - 1)) {
        plan->error = FIL_RESP_SYNTAX;
        return;
    }
    plan->count = (uint32_t)count;
    uint32_t end = index + 1 + plan->count;
    plan->error =
        read_end(command, plan, end) ? read_count(command, plan, end + 1) : FIL_RESP_SYNTAX;
    plan->event = event_of(plan);
    fil_resp_plan_limit(plan, (uint64_t)plan->numbers[0]);
}

/** One that does not wait says so. */
static void run_now(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    uint64_t size_before = output->queue.size_bytes;
    run_take(plan, command, output);
    if (output->queue.size_bytes == size_before) {
        fil_resp_null_array(output, plan->version);
    }
}

static void plan_many_now(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                          enum fil_collection_kind kind)
{
    plan_many(command, plan, kind, 1);
    plan->run_together = run_now;
}

static void plan_many_later(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                            enum fil_collection_kind kind)
{
    plan_many(command, plan, kind, 2);
    const char *error = plan->error;
    plan->error = NULL;
    read_timeout(command, plan, 1);
    plan->error = plan->error == NULL ? error : plan->error;
}

FIL_RESP_PLAN(lmpop)
{
    plan_many_now(command, plan, FIL_COLLECTION_LIST);
}

FIL_RESP_PLAN(zmpop)
{
    plan_many_now(command, plan, FIL_COLLECTION_ZSET);
}

FIL_RESP_PLAN(blmpop)
{
    plan_many_later(command, plan, FIL_COLLECTION_LIST);
}

FIL_RESP_PLAN(bzmpop)
{
    plan_many_later(command, plan, FIL_COLLECTION_ZSET);
}

// From list to list.

static void plan_joint(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                       uint32_t index)
{
    const char *error = plan->error;
    plan->error = NULL;
    plan->is_joint = true;
    plan->has_null = true;
    plan->awaited = FIL_COLLECTION_LIST;
    read_timeout(command, plan, index);
    plan->error = error == NULL ? plan->error : error;
}

FIL_RESP_PLAN(blmove)
{
    fil_resp__plan_lmove(command, plan);
    plan_joint(command, plan, 5);
}

FIL_RESP_PLAN(brpoplpush)
{
    fil_resp__plan_rpoplpush(command, plan);
    plan_joint(command, plan, 3);
}
