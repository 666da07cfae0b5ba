// SPDX-License-Identifier: Apache-2.0
/** Sorted sets of one key: members and their scores. Each runs inside its key's partition. */
#include <math.h>
#include <string.h>

#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

static bool open_zset(struct fil_resp_access *access, struct fil_bundle *out_zset)
{
    return fil_resp_members_open(access, FIL_COLLECTION_ZSET, out_zset);
}

// ZADD, ZINCRBY.

enum add_option {
    ADD_NX = 1U << 0,
    ADD_XX = 1U << 1,
    ADD_GT = 1U << 2,
    ADD_LT = 1U << 3,
    ADD_CH = 1U << 4,   // changed members count too
    ADD_INCR = 1U << 5, // the score is added, and the new one is the reply
};

bool fil_resp__zadd_adds(uint32_t options)
{
    return (options & ADD_INCR) != 0;
}

/** What came of one member. */
struct addition {
    double score; // the new one
    bool is_added;
    bool is_changed;
    bool is_refused; // by the options
    bool is_nan;
    int error;
};

/** Whether the options allow the score; of a member that is there. */
static bool may_change(uint32_t options, double old_score, double score)
{
    return !(options & ADD_NX) && !(options & ADD_GT && score <= old_score) &&
           !(options & ADD_LT && score >= old_score);
}

static struct addition add_member(struct fil_bundle *zset, uint32_t options,
                                  struct fil_bytes member, double score)
{
    struct addition done = {.score = score};
    struct fil_zset_member found;
    fil_zset_seek(zset, member, &found);
    bool is_there = found.is_there;
    if (is_there && options & ADD_INCR && !(options & ADD_NX)) {
        done.score += found.score;
        done.is_nan = isnan(done.score);
    }
    done.is_refused = is_there ? !done.is_nan && !may_change(options, found.score, done.score)
                               : (options & ADD_XX) != 0;
    // An equal score is no change, but no refusal either.
    if (is_there && !(options & ADD_NX) && done.score == found.score) {
        done.is_refused = (options & (ADD_GT | ADD_LT)) != 0;
        return done;
    }
    if (!done.is_nan && !done.is_refused) {
        done.error = fil_zset_set(zset, &found, done.score);
        done.is_added = done.error == FIL_OK && !is_there;
        done.is_changed = done.error == FIL_OK && is_there;
    }
    return done;
}

/** The sum of what was done so far. */
struct additions {
    struct addition last;
    int64_t added;
    int64_t changed;
};

static void sum_up(struct additions *all, struct addition done)
{
    all->last = done;
    all->added += done.error == FIL_OK && done.is_added;
    all->changed += done.is_changed;
}

static void end_add(struct fil_resp_access *access, struct fil_bundle *zset,
                    const struct additions *all)
{
    if (all->added + all->changed > 0) {
        fil_resp_members_touch(access, zset);
        fil_map_serve_here(access->map, &access->key, (uint64_t)all->added);
    }
    if (all->last.is_nan) {
        fil_resp_error(access->output, "ERR resulting score is not a number (NaN)");
    } else if (all->last.error != FIL_OK) {
        fil_resp_plan_tell(access->output, all->last.error);
    } else if (!(access->options & ADD_INCR)) {
        fil_resp_integer(access->output,
                         all->added + (access->options & ADD_CH ? all->changed : 0));
    } else if (all->last.is_refused) {
        fil_resp_null(access->output, access->version);
    } else {
        fil_resp_double(access->output, access->version, all->last.score);
    }
}

/** A score among the numbers of an access. */
static double score_of(int64_t number)
{
    double score = 0;
    memcpy(&score, &number, sizeof(score));
    return score;
}

static int64_t access_add(struct fil_resp_access *access)
{
    struct fil_bundle zset;
    struct additions all = {.added = 0};
    if (fil_resp_members_need(access, FIL_COLLECTION_ZSET, &zset)) {
        sum_up(&all,
               add_member(&zset, access->options, access->value, score_of(access->numbers[0])));
        end_add(access, &zset, &all);
    }
    return 0;
}

/** Several members: without memory the first of them stay. */
static void run_add(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle zset;
    struct additions all = {.added = 0};
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_members_need(&access, FIL_COLLECTION_ZSET, &zset)) {
        return;
    }
    for (uint32_t i = (uint32_t)plan->numbers[1]; i < command->count && all.last.error == FIL_OK;
         i += 2) {
        double score = 0;
        bool is_score = fil_resp_word_to_double(fil_resp_argument(command, i), &score);
        fil_assert(is_score);
        sum_up(&all, add_member(&zset, plan->options, fil_resp_argument(command, i + 1), score));
    }
    end_add(&access, &zset, &all);
}

struct add_word {
    const char *word;
    uint32_t option;
};

/** The option that the word is; 0: none. */
static uint32_t add_option_of(const struct fil_resp_command *command, uint32_t index)
{
    struct fil_bytes word =
        index < command->count ? fil_resp_argument(command, index) : fil_bytes_make("", 0);
    if (word.size == 0 || word.data[0] <= '9') {
        return 0; // a number, as nearly always
    }
    static const struct add_word words[] = {{"nx", ADD_NX}, {"xx", ADD_XX}, {"gt", ADD_GT},
                                            {"lt", ADD_LT}, {"ch", ADD_CH}, {"incr", ADD_INCR}};
    for (size_t i = 0; i < FIL_COUNT_OF(words); i++) {
        if (fil_resp_word_is(command, index, words[i].word)) {
            return words[i].option;
        }
    }
    return 0;
}

/** NULL, or what is wrong with the options and the number of words behind them. */
static const char *check_add(uint32_t options, uint32_t word_count)
{
    bool has_both = options & ADD_GT && options & ADD_LT;
    if (word_count == 0 || word_count % 2 != 0) {
        return FIL_RESP_SYNTAX;
    }
    if (options & ADD_NX && options & ADD_XX) {
        return "ERR XX and NX options at the same time are not compatible";
    }
    if (has_both || (options & ADD_NX && options & (ADD_GT | ADD_LT))) {
        return "ERR GT, LT, and/or NX options at the same time are not compatible";
    }
    if (options & ADD_INCR && word_count > 2) {
        return "ERR INCR option supports a single increment-element pair";
    }
    return NULL;
}

static void read_scores(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                        uint32_t first)
{
    double score = 0;
    for (uint32_t i = first; i < command->count && plan->error == NULL; i += 2) {
        if (!fil_resp_word_to_double(fil_resp_argument(command, i), &score)) {
            plan->error = FIL_RESP_NOT_FLOAT;
        }
    }
    // Of a plan with one member, which takes it from here.
    memcpy(&plan->numbers[0], &score, sizeof(score));
    plan->numbers[1] = first;
}

FIL_RESP_PLAN(zadd)
{
    uint32_t first = 2;
    uint32_t option = add_option_of(command, first);
    fil_resp_plan_member(plan, access_add, 1, 0);
    while (option != 0) {
        plan->options |= option;
        first++;
        option = add_option_of(command, first);
    }
    uint32_t word_count = first < command->count ? command->count - first : 0;
    plan->error = check_add(plan->options, word_count);
    if (plan->error != NULL) {
        return;
    }
    read_scores(command, plan, first);
    plan->value = first + 1;
    if (word_count > 2) {
        fil_resp_members_plan(plan, run_add);
    }
}

FIL_RESP_PLAN(zincrby)
{
    fil_resp_plan_member(plan, access_add, 1, 3);
    plan->options = ADD_INCR;
    read_scores(command, plan, 2);
}

// Members.

static void run_remove(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle zset;
    int64_t removed = 0;
    fil_resp_members_access(plan, command, output, &access);
    if (!open_zset(&access, &zset)) {
        return;
    }
    for (uint32_t i = 2; i < command->count; i++) {
        removed += fil_zset_remove(&zset, fil_resp_argument(command, i));
    }
    if (removed > 0) {
        fil_resp_members_touch(&access, &zset);
    }
    fil_resp_integer(output, removed);
}

FIL_RESP_PLAN(zrem)
{
    (void)command;
    fil_resp_members_plan(plan, run_remove);
}

static void reply_score(struct fil_resp_access *access, struct fil_bundle *zset,
                        struct fil_bytes member)
{
    double score = 0;
    if (fil_zset_find(zset, member, &score)) {
        fil_resp_double(access->output, access->version, score);
    } else {
        fil_resp_null(access->output, access->version);
    }
}

static int64_t access_score(struct fil_resp_access *access)
{
    struct fil_bundle zset;
    if (open_zset(access, &zset)) {
        reply_score(access, &zset, access->value);
    }
    return 0;
}

FIL_RESP_PLAN(zscore)
{
    (void)command;
    fil_resp_plan_member(plan, access_score, 1, 2);
}

static void run_scores(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle zset;
    fil_resp_members_access(plan, command, output, &access);
    if (!open_zset(&access, &zset)) {
        return;
    }
    fil_resp_array(output, command->count - 2);
    for (uint32_t i = 2; i < command->count; i++) {
        reply_score(&access, &zset, fil_resp_argument(command, i));
    }
}

FIL_RESP_PLAN(zmscore)
{
    (void)command;
    fil_resp_members_plan(plan, run_scores);
}

static int64_t access_count(struct fil_resp_access *access)
{
    struct fil_bundle zset;
    if (open_zset(access, &zset)) {
        fil_resp_integer(access->output, (int64_t)fil_bundle_count(&zset));
    }
    return 0;
}

FIL_RESP_PLAN(zcard)
{
    (void)command;
    fil_resp_plan_one(plan, access_count, 1, 0);
}

static int64_t access_rank(struct fil_resp_access *access)
{
    struct fil_bundle zset;
    double score = 0;
    if (!open_zset(access, &zset)) {
        return 0;
    }
    if (!fil_zset_find(&zset, access->value, &score)) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    uint64_t rank = fil_zset_rank(&zset, access->value, score);
    bool is_reverse = access->options != 0;
    fil_resp_integer(access->output,
                     (int64_t)(is_reverse ? fil_bundle_count(&zset) - 1 - rank : rank));
    return 0;
}

FIL_RESP_PLAN(zrank)
{
    (void)command;
    fil_resp_plan_member(plan, access_rank, 1, 2);
}

FIL_RESP_PLAN(zrevrank)
{
    (void)command;
    fil_resp_plan_member(plan, access_rank, 1, 2);
    plan->options = 1;
}

FIL_RESP_PLAN(zscan)
{
    fil_resp_members_plan_scan(command, plan, FIL_COLLECTION_ZSET);
}

// Some members.

static void begin_lots(void *context, uint64_t count)
{
    const struct fil_resp_access *access = context;
    bool is_flat = access->options & FIL_RESP_LOT_WITH_VALUES && access->version < 3;
    if (access->options & FIL_RESP_LOT_COUNTED) {
        fil_resp_array(access->output, is_flat ? 2 * count : count);
    }
}

static void reply_lot(void *context, struct fil_bytes member, double score)
{
    const struct fil_resp_access *access = context;
    bool has_score = (access->options & FIL_RESP_LOT_WITH_VALUES) != 0;
    if (has_score && access->version >= 3) {
        fil_resp_array(access->output, 2);
    }
    fil_resp_bulk(access->output, member);
    if (has_score) {
        fil_resp_double(access->output, access->version, score);
    }
}

static void reply_place(struct fil_resp_access *access, struct fil_bundle *zset, uint64_t place)
{
    struct fil_zset_range range = {.first = place, .count = 1};
    fil_zset_visit(zset, &range, reply_lot, access);
}

static int64_t access_random(struct fil_resp_access *access)
{
    struct fil_bundle zset;
    struct fil_prng prng;
    if (!open_zset(access, &zset)) {
        return 0;
    }
    bool is_counted = (access->options & FIL_RESP_LOT_COUNTED) != 0;
    if (!zset.is_there && !is_counted) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    uint64_t left = fil_bundle_count(&zset);
    int64_t wanted = is_counted ? access->numbers[0] : 1;
    bool has_repeats = wanted < 0;
    uint64_t count = has_repeats ? 0 - (uint64_t)wanted : (uint64_t)wanted;
    count = left == 0 || (!has_repeats && count > left) ? left : count;
    fil_prng_init(&prng, (uint64_t)access->numbers[1]);
    begin_lots(access, count);
    // Places go up, each as likely as the others: different members, without remembering any.
    for (uint64_t place = 0; count > 0 && (has_repeats || place < left); place++) {
        if (has_repeats) {
            reply_place(access, &zset, fil_prng_below(&prng, left));
            count--;
        } else if (fil_prng_below(&prng, left - place) < count) {
            reply_place(access, &zset, place);
            count--;
        }
    }
    return 0;
}

FIL_RESP_PLAN(zrandmember)
{
    fil_resp_members_plan_lots(command, plan, access_random, "withscores");
}
