// SPDX-License-Identifier: Apache-2.0
/** Several sets at once: what they share, what they have together, and members that move. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

// SMOVE.

static void run_move(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct fil_resp_place source;
    struct fil_resp_place target;
    struct fil_bytes member = fil_resp_argument(command, 3);
    if (!fil_resp_members_open_at(plan, command, 0, FIL_COLLECTION_SET, output, &source)) {
        return;
    }
    if (!source.bundle.is_there) {
        fil_resp_integer(output, 0);
        return;
    }
    target = source;
    target.key = fil_resp_plan_place(plan, command, 1);
    if (!fil_resp_key_need(plan->map, &target.key, FIL_COLLECTION_SET, plan->now_ms, output,
                           &target.bundle)) {
        return;
    }
    bool is_there = fil_bundle_find(&source.bundle, member, NULL);
    bool is_same = fil_bytes_equal(source.key.bytes, target.key.bytes);
    if (!is_there || is_same) {
        fil_resp_integer(output, is_there);
        return;
    }
    bool is_new = false;
    int error = fil_bundle_put(&target.bundle, member, fil_bytes_make(NULL, 0), &is_new);
    if (error != FIL_OK) {
        fil_resp_plan_tell(output, error);
        return;
    }
    fil_resp_key_touch(plan->map, &target.key, &target.bundle);
    source.bundle.is_stale = true; // both may be in one partition
    is_there = fil_bundle_remove(&source.bundle, member);
    fil_assert(is_there);
    fil_resp_key_touch(plan->map, &source.key, &source.bundle);
    fil_resp_integer(output, 1);
}

FIL_RESP_PLAN(smove)
{
    (void)command;
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_move;
    plan->count = 2;
}

// SINTER, SUNION, SDIFF.

enum algebra {
    ALGEBRA_INTERSECTION = 1U << 0,
    ALGEBRA_UNION = 1U << 1,
    ALGEBRA_DIFFERENCE = 1U << 2,
    ALGEBRA_STORE = 1U << 3, // the first key is where the result goes
    ALGEBRA_COUNT = 1U << 4, // only how many there are
};

/** The sets of a command. */
struct sets {
    const struct fil_resp_plan *plan;
    const struct fil_resp_command *command;
    uint32_t first;  // index of the first key that is read
    uint32_t walked; // of the set whose members are looked at
    struct fil_resp_draft draft;
    uint64_t limit; // members that are wanted
};

/** The set of a key whose type was looked at before. */
static void open_known(const struct sets *sets, uint32_t index, struct fil_bundle *out_set)
{
    struct fil_map_key key = fil_resp_plan_place(sets->plan, sets->command, index);
    fil_map_open_bundle_here(sets->plan->map, &key, sets->plan->now_ms, out_set);
    // The key's bytes are the command's, the rest is copied.
    fil_assert(!out_set->is_there || out_set->kind == FIL_COLLECTION_SET);
    out_set->kind = FIL_COLLECTION_SET;
}

/** False when a key has another type, as is told; finds the smallest set. */
static bool check_types(struct sets *sets, struct fil_output *output, bool *out_is_any_empty)
{
    struct fil_resp_place place;
    uint64_t least = UINT64_MAX;
    *out_is_any_empty = false;
    for (uint32_t i = sets->first; i < sets->plan->count; i++) {
        if (!fil_resp_members_open_at(sets->plan, sets->command, i, FIL_COLLECTION_SET, output,
                                      &place)) {
            return false;
        }
        uint64_t count = fil_bundle_count(&place.bundle);
        *out_is_any_empty |= count == 0;
        if (count < least) {
            least = count;
            sets->walked = i;
        }
    }
    return true;
}

static void add(struct sets *sets, struct fil_bytes member)
{
    bool is_new = false;
    if (sets->draft.error == FIL_OK) {
        sets->draft.error =
            fil_bundle_put(&sets->draft.bundle, member, fil_bytes_make(NULL, 0), &is_new);
    }
}

/** In how many of the other sets the member is; `stop` says which answer ends the search. */
static bool is_in_others(const struct sets *sets, struct fil_bytes member, bool stop)
{
    struct fil_bundle other;
    for (uint32_t i = sets->first; i < sets->plan->count; i++) {
        if (i == sets->walked) {
            continue;
        }
        open_known(sets, i, &other);
        if (fil_bundle_find(&other, member, NULL) == stop) {
            return stop;
        }
    }
    return !stop;
}

static void visit(void *context, struct fil_bytes member, struct fil_bytes value)
{
    struct sets *sets = context;
    uint32_t options = sets->plan->options;
    (void)value;
    if (sets->limit == 0) {
        return;
    }
    bool is_wanted = options & ALGEBRA_UNION          ? true
                     : options & ALGEBRA_INTERSECTION ? is_in_others(sets, member, false)
                                                      : !is_in_others(sets, member, true);
    if (is_wanted) {
        add(sets, member);
        sets->limit--;
    }
}

/** Fills the draft. */
static void combine(struct sets *sets)
{
    struct fil_bundle set;
    uint32_t last = sets->walked + 1;
    if (sets->plan->options & ALGEBRA_UNION) {
        sets->walked = sets->first;
        last = sets->plan->count;
    } else if (sets->plan->options & ALGEBRA_DIFFERENCE) {
        sets->walked = sets->first;
        last = sets->first + 1;
    }
    for (; sets->walked < last; sets->walked++) {
        open_known(sets, sets->walked, &set);
        (void)fil_bundle_scan(&set, 0, UINT32_MAX, visit, sets);
    }
}

static void reply_member(void *context, struct fil_bytes member, struct fil_bytes value)
{
    (void)value;
    fil_resp_bulk(context, member);
}

static void reply_draft(struct sets *sets, struct fil_output *output)
{
    uint32_t options = sets->plan->options;
    uint64_t count = fil_bundle_count(&sets->draft.bundle);
    if (options & ALGEBRA_STORE) {
        struct fil_map_key key = fil_resp_plan_place(sets->plan, sets->command, 0);
        fil_resp_draft_reply_stored(&sets->draft, sets->plan, &key, output);
    } else if (sets->draft.error != FIL_OK) {
        fil_resp_plan_tell(output, sets->draft.error);
    } else if (options & ALGEBRA_COUNT) {
        fil_resp_integer(output, (int64_t)count);
    } else {
        fil_resp_set(output, sets->plan->version, count);
        (void)fil_bundle_scan(&sets->draft.bundle, 0, UINT32_MAX, reply_member, output);
    }
}

static void run_algebra(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output)
{
    struct sets sets = {.plan = plan, .command = command, .limit = UINT64_MAX};
    bool is_any_empty = false;
    sets.first = plan->options & ALGEBRA_STORE ? 1 : 0;
    sets.walked = sets.first;
    if (plan->numbers[0] > 0) {
        sets.limit = (uint64_t)plan->numbers[0];
    }
    if (!check_types(&sets, output, &is_any_empty) ||
        !fil_resp_draft_init(&sets.draft, plan, FIL_COLLECTION_SET, output)) {
        return;
    }
    if (!(plan->options & ALGEBRA_INTERSECTION && is_any_empty)) {
        combine(&sets);
    }
    reply_draft(&sets, output);
    fil_resp_draft_fini(&sets.draft);
}

static void plan_algebra(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                         uint32_t options)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_algebra;
    plan->count = command->count - 1;
    plan->options = options;
}

FIL_RESP_PLAN(sinter)
{
    plan_algebra(command, plan, ALGEBRA_INTERSECTION);
}

FIL_RESP_PLAN(sinterstore)
{
    plan_algebra(command, plan, ALGEBRA_INTERSECTION | ALGEBRA_STORE);
}

FIL_RESP_PLAN(sunion)
{
    plan_algebra(command, plan, ALGEBRA_UNION);
}

FIL_RESP_PLAN(sunionstore)
{
    plan_algebra(command, plan, ALGEBRA_UNION | ALGEBRA_STORE);
}

FIL_RESP_PLAN(sdiff)
{
    plan_algebra(command, plan, ALGEBRA_DIFFERENCE);
}

FIL_RESP_PLAN(sdiffstore)
{
    plan_algebra(command, plan, ALGEBRA_DIFFERENCE | ALGEBRA_STORE);
}

/** The words are SINTERCARD count key ... [LIMIT limit]. */
FIL_RESP_PLAN(sintercard)
{
    plan_algebra(command, plan, ALGEBRA_INTERSECTION | ALGEBRA_COUNT);
    int64_t count = 0;
    plan->first = 2;
    plan->count = 1;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 1), &count) || count < 1) {
        plan->error = "ERR numkeys should be greater than 0";
    } else if (count > (int64_t)(command->count - 2)) {
        plan->error = "ERR Number of keys can't be greater than number of args";
    } else {
        plan->count = (uint32_t)count;
        fil_resp_members_read_limit(command, plan);
    }
}
