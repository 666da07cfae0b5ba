// SPDX-License-Identifier: Apache-2.0
/** Ranges of sorted sets: told, counted, removed, kept under another key; and their ends. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"
#include "protocol/resp/zset_range.h"

/** The forms of the commands, which plans name by their index. */
enum form {
    FORM_RANGE,
    FORM_REVRANGE,
    FORM_BYSCORE,
    FORM_REVBYSCORE,
    FORM_BYLEX,
    FORM_REVBYLEX,
    FORM_STORE,
    FORM_BARE_RANK,
    FORM_BARE_SCORE,
    FORM_BARE_LEX,
};

static const struct fil_resp_range_form forms[] = {
    [FORM_RANGE] = {.is_free = true, .first = 2},
    [FORM_REVRANGE] = {.is_reverse = true, .first = 2},
    [FORM_BYSCORE] = {.by = FIL_RESP_BY_SCORE, .first = 2},
    [FORM_REVBYSCORE] = {.by = FIL_RESP_BY_SCORE, .is_reverse = true, .first = 2},
    [FORM_BYLEX] = {.by = FIL_RESP_BY_LEX, .first = 2},
    [FORM_REVBYLEX] = {.by = FIL_RESP_BY_LEX, .is_reverse = true, .first = 2},
    [FORM_STORE] = {.is_free = true, .is_store = true, .first = 3},
    [FORM_BARE_RANK] = {.is_bare = true, .first = 2},
    [FORM_BARE_SCORE] = {.by = FIL_RESP_BY_SCORE, .is_bare = true, .first = 2},
    [FORM_BARE_LEX] = {.by = FIL_RESP_BY_LEX, .is_bare = true, .first = 2},
};

/** The range of a command whose words were found to be right. */
static struct fil_resp_range read_again(const struct fil_resp_plan *plan,
                                        const struct fil_resp_command *command)
{
    struct fil_resp_range range;
    const char *error = fil_resp_range_read(command, &forms[plan->options], &range);
    fil_assert(error == NULL);
    return range;
}

/** What a range tells or removes, when that is known before the sorted set is. */
static void limit_to_range(struct fil_resp_plan *plan, const struct fil_resp_range *range)
{
    bool is_by_rank = range->by == FIL_RESP_BY_RANK;
    if (is_by_rank && (range->start < 0) == (range->stop < 0)) {
        bool is_empty = range->stop < range->start;
        uint64_t count = (uint64_t)range->stop - (uint64_t)range->start + 1;
        fil_resp_plan_limit(plan, is_empty ? 0 : count);
    } else if (!is_by_rank && range->limit >= 0) {
        fil_resp_plan_limit(plan, (uint64_t)range->limit);
    }
}

static void plan_form(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                      fil_resp_together_fn run, enum form form)
{
    struct fil_resp_range range;
    fil_resp_members_plan(plan, run);
    plan->options = form;
    plan->error = fil_resp_range_read(command, &forms[form], &range);
    // What is stored takes the place of something that may be huge.
    if (plan->error == NULL && form != FORM_STORE) {
        limit_to_range(plan, &range);
    }
}

static bool open_zset(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output, struct fil_resp_access *out_access,
                      struct fil_bundle *out_zset)
{
    fil_resp_members_access(plan, command, output, out_access);
    return fil_resp_members_open(out_access, FIL_COLLECTION_ZSET, out_zset);
}

// Telling.

struct telling {
    struct fil_output *output;
    int version;
    bool has_scores;
    bool is_nested; // a member and its score are an array
};

static void tell(void *context, struct fil_bytes member, double score)
{
    const struct telling *telling = context;
    if (telling->is_nested) {
        fil_resp_array(telling->output, 2);
    }
    fil_resp_bulk(telling->output, member);
    if (telling->has_scores) {
        fil_resp_double(telling->output, telling->version, score);
    }
}

static void tell_range(struct fil_bundle *zset, const struct fil_zset_range *range,
                       struct telling *telling)
{
    bool is_flat = telling->has_scores && !telling->is_nested;
    fil_resp_array(telling->output, is_flat ? 2 * range->count : range->count);
    fil_zset_visit(zset, range, tell, telling);
}

static void run_range(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle zset;
    struct fil_resp_range range = read_again(plan, command);
    if (!open_zset(plan, command, output, &access, &zset)) {
        return;
    }
    struct telling telling = {.output = output,
                              .version = plan->version,
                              .has_scores = range.has_scores,
                              .is_nested = range.has_scores && plan->version >= 3};
    struct fil_zset_range found = fil_resp_range_find(&zset, &range);
    tell_range(&zset, &found, &telling);
}

FIL_RESP_PLAN(zrange)
{
    plan_form(command, plan, run_range, FORM_RANGE);
}

FIL_RESP_PLAN(zrevrange)
{
    plan_form(command, plan, run_range, FORM_REVRANGE);
}

FIL_RESP_PLAN(zrangebyscore)
{
    plan_form(command, plan, run_range, FORM_BYSCORE);
}

FIL_RESP_PLAN(zrevrangebyscore)
{
    plan_form(command, plan, run_range, FORM_REVBYSCORE);
}

FIL_RESP_PLAN(zrangebylex)
{
    plan_form(command, plan, run_range, FORM_BYLEX);
}

FIL_RESP_PLAN(zrevrangebylex)
{
    plan_form(command, plan, run_range, FORM_REVBYLEX);
}

// Keeping.

static void keep(void *context, struct fil_bytes member, double score)
{
    struct fil_resp_draft *draft = context;
    bool is_new = false;
    if (draft->error == FIL_OK) {
        draft->error = fil_zset_put(&draft->bundle, member, score, &is_new);
    }
}

static void run_store(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    struct fil_resp_place source;
    struct fil_resp_draft draft;
    struct fil_resp_range range = read_again(plan, command);
    struct fil_map_key target = fil_resp_plan_place(plan, command, 0);
    if (!fil_resp_members_open_at(plan, command, 1, FIL_COLLECTION_ZSET, output, &source) ||
        !fil_resp_draft_init(&draft, plan, FIL_COLLECTION_ZSET, output)) {
        return;
    }
    struct fil_zset_range found = fil_resp_range_find(&source.bundle, &range);
    fil_zset_visit(&source.bundle, &found, keep, &draft);
    fil_resp_draft_reply_stored(&draft, plan, &target, output);
    fil_resp_draft_fini(&draft);
}

FIL_RESP_PLAN(zrangestore)
{
    plan_form(command, plan, run_store, FORM_STORE);
    plan->count = 2;
}

// Counting and removing.

static void run_count(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle zset;
    struct fil_resp_range range = read_again(plan, command);
    if (open_zset(plan, command, output, &access, &zset)) {
        fil_resp_integer(output, (int64_t)fil_resp_range_find(&zset, &range).count);
    }
}

FIL_RESP_PLAN(zcount)
{
    plan_form(command, plan, run_count, FORM_BARE_SCORE);
}

FIL_RESP_PLAN(zlexcount)
{
    plan_form(command, plan, run_count, FORM_BARE_LEX);
}

static void run_remove(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle zset;
    struct fil_resp_range range = read_again(plan, command);
    if (!open_zset(plan, command, output, &access, &zset)) {
        return;
    }
    struct fil_zset_range found = fil_resp_range_find(&zset, &range);
    if (found.count > 0) {
        fil_zset_remove_range(&zset, found.first, found.count);
        fil_resp_members_touch(&access, &zset);
    }
    fil_resp_integer(output, (int64_t)found.count);
}

FIL_RESP_PLAN(zremrangebyrank)
{
    plan_form(command, plan, run_remove, FORM_BARE_RANK);
}

FIL_RESP_PLAN(zremrangebyscore)
{
    plan_form(command, plan, run_remove, FORM_BARE_SCORE);
}

FIL_RESP_PLAN(zremrangebylex)
{
    plan_form(command, plan, run_remove, FORM_BARE_LEX);
}

// Taking the ends.

enum pop_option {
    POP_MAX = 1U << 0,
    POP_COUNTED = 1U << 1,
};

static int64_t access_pop(struct fil_resp_access *access)
{
    struct fil_bundle zset;
    bool is_max = (access->options & POP_MAX) != 0;
    bool is_counted = (access->options & POP_COUNTED) != 0;
    if (!fil_resp_members_open(access, FIL_COLLECTION_ZSET, &zset)) {
        return 0;
    }
    uint64_t there = fil_bundle_count(&zset);
    uint64_t wanted = is_counted ? (uint64_t)access->numbers[0] : 1;
    struct fil_zset_range range = {.count = wanted < there ? wanted : there, .is_reverse = is_max};
    struct telling telling = {.output = access->output,
                              .version = access->version,
                              .has_scores = true,
                              .is_nested = is_counted && access->version >= 3};
    tell_range(&zset, &range, &telling);
    if (range.count > 0) {
        fil_zset_remove_range(&zset, is_max ? there - range.count : 0, range.count);
        fil_resp_members_touch(access, &zset);
    }
    return 0;
}

static void plan_pop(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                     uint32_t options)
{
    fil_resp_plan_one(plan, access_pop, 1, 0);
    plan->options = options;
    plan->is_weighed = command->count > 2;
    if (command->count == 2) {
        return;
    }
    plan->options |= POP_COUNTED;
    if (command->count > 3) {
        plan->error = FIL_RESP_SYNTAX;
    } else if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0]) ||
               plan->numbers[0] < 0) {
        plan->error = "ERR value is out of range, must be positive";
    }
    fil_resp_plan_limit(plan, (uint64_t)plan->numbers[0]);
}

FIL_RESP_PLAN(zpopmin)
{
    plan_pop(command, plan, 0);
}

FIL_RESP_PLAN(zpopmax)
{
    plan_pop(command, plan, POP_MAX);
}
