// SPDX-License-Identifier: Apache-2.0
/** Several sorted sets at once, or sets, whose members have a score of 1. */
#include <math.h>
#include <string.h>

#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

enum algebra {
    ALGEBRA_INTERSECTION = 1U << 0,
    ALGEBRA_UNION = 1U << 1,
    ALGEBRA_DIFFERENCE = 1U << 2,
    ALGEBRA_STORE = 1U << 3,  // the last key of the plan is where the result goes
    ALGEBRA_COUNT = 1U << 4,  // only how many there are
    ALGEBRA_SCORES = 1U << 5, // WITHSCORES
    ALGEBRA_MIN = 1U << 6,
    ALGEBRA_MAX = 1U << 7,
};

/** The inputs of a command, and where its members go. */
struct inputs {
    const struct fil_resp_plan *plan;
    const struct fil_resp_command *command;
    uint32_t count;
    uint32_t walked; // the input whose members are looked at
    uint64_t limit;  // members that are wanted
    struct fil_resp_draft draft;
};

static double weight_of(const struct inputs *inputs, uint32_t index)
{
    double weight = 1;
    uint32_t first = (uint32_t)inputs->plan->numbers[1]; // of the weights; 0: none
    if (first != 0) {
        bool is_number =
            fil_resp_word_to_double(fil_resp_argument(inputs->command, first + index), &weight);
        fil_assert(is_number);
    }
    return weight;
}

static double weigh(double score, double weight)
{
    double product = score * weight;
    return isnan(product) ? 0 : product;
}

static double join(uint32_t options, double a, double b)
{
    if (options & ALGEBRA_MIN) {
        return a < b ? a : b;
    }
    if (options & ALGEBRA_MAX) {
        return a > b ? a : b;
    }
    double sum = a + b;
    return isnan(sum) ? 0 : sum; // of both infinities
}

/** The input with this index, whose type was looked at before. */
static void open_known(const struct inputs *inputs, uint32_t index, struct fil_bundle *out_input)
{
    struct fil_map_key key = fil_resp_plan_place(inputs->plan, inputs->command, index);
    fil_map_open_bundle_here(inputs->plan->map, &key, inputs->plan->now_ms, out_input);
}

/** False when a key has another type, as is told; finds the smallest input. */
static bool check_types(struct inputs *inputs, struct fil_output *output, bool *out_is_any_empty)
{
    uint64_t least = UINT64_MAX;
    *out_is_any_empty = false;
    for (uint32_t i = 0; i < inputs->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(inputs->plan, inputs->command, i);
        struct fil_store_view view;
        enum fil_resp_type type =
            fil_resp_key_inspect(inputs->plan->map, &key, inputs->plan->now_ms, &view);
        if (type != FIL_RESP_TYPE_NONE && type != FIL_RESP_TYPE_SET && type != FIL_RESP_TYPE_ZSET) {
            fil_resp_error(output, FIL_RESP_WRONG_TYPE);
            return false;
        }
        uint64_t count = type == FIL_RESP_TYPE_NONE ? 0 : fil_value_count(view.value);
        *out_is_any_empty |= count == 0;
        if (count < least) {
            least = count;
            inputs->walked = i;
        }
    }
    return true;
}

static bool find_score(struct fil_bundle *input, struct fil_bytes member, double *out_score)
{
    *out_score = 1;
    return input->is_there && input->kind == FIL_COLLECTION_SET
               ? fil_bundle_find(input, member, NULL)
               : input->is_there && fil_zset_find(input, member, out_score);
}

static void put(struct inputs *inputs, struct fil_bytes member, double score)
{
    bool is_new = false;
    if (inputs->draft.error == FIL_OK) {
        inputs->draft.error = fil_zset_put(&inputs->draft.bundle, member, score, &is_new);
    }
}

static void visit_union(struct inputs *inputs, struct fil_bytes member, double score)
{
    double old = 0;
    double weighed = weigh(score, weight_of(inputs, inputs->walked));
    if (fil_zset_find(&inputs->draft.bundle, member, &old)) {
        weighed = join(inputs->plan->options, old, weighed);
    }
    put(inputs, member, weighed);
}

/** One input after the other, so that sums are those of Redis. */
static void visit_intersection(struct inputs *inputs, struct fil_bytes member, double score)
{
    struct fil_bundle other;
    double joined = weigh(score, weight_of(inputs, inputs->walked));
    for (uint32_t i = 0; i < inputs->count; i++) {
        double there = 0;
        if (i == inputs->walked) {
            continue;
        }
        open_known(inputs, i, &other);
        if (!find_score(&other, member, &there)) {
            return;
        }
        joined = join(inputs->plan->options, joined, weigh(there, weight_of(inputs, i)));
    }
    if (inputs->limit > 0) {
        put(inputs, member, joined);
        inputs->limit--;
    }
}

static void visit_difference(struct inputs *inputs, struct fil_bytes member, double score)
{
    struct fil_bundle other;
    double there = 0;
    for (uint32_t i = 1; i < inputs->count; i++) {
        open_known(inputs, i, &other);
        if (find_score(&other, member, &there)) {
            return;
        }
    }
    put(inputs, member, score);
}

static void visit_scored(void *context, struct fil_bytes member, double score)
{
    struct inputs *inputs = context;
    if (inputs->plan->options & ALGEBRA_UNION) {
        visit_union(inputs, member, score);
    } else if (inputs->plan->options & ALGEBRA_INTERSECTION) {
        visit_intersection(inputs, member, score);
    } else {
        visit_difference(inputs, member, score);
    }
}

static void visit_member(void *context, struct fil_bytes member, struct fil_bytes value)
{
    (void)value;
    visit_scored(context, member, 1);
}

static void walk(struct inputs *inputs)
{
    struct fil_bundle input;
    open_known(inputs, inputs->walked, &input);
    if (input.is_there && input.kind == FIL_COLLECTION_SET) {
        (void)fil_bundle_scan(&input, 0, UINT32_MAX, visit_member, inputs);
    } else if (input.is_there) {
        struct fil_zset_range all = {.count = fil_bundle_count(&input)};
        fil_zset_visit(&input, &all, visit_scored, inputs);
    }
}

/** Fills the draft. */
static void combine(struct inputs *inputs)
{
    if (inputs->plan->options & ALGEBRA_UNION) {
        for (inputs->walked = 0; inputs->walked < inputs->count; inputs->walked++) {
            walk(inputs);
        }
        return;
    }
    if (inputs->plan->options & ALGEBRA_DIFFERENCE) {
        inputs->walked = 0;
    }
    walk(inputs);
}

static void tell(void *context, struct fil_bytes member, double score)
{
    const struct fil_resp_access *reply = context;
    bool has_score = (reply->options & ALGEBRA_SCORES) != 0;
    if (has_score && reply->version >= 3) {
        fil_resp_array(reply->output, 2);
    }
    fil_resp_bulk(reply->output, member);
    if (has_score) {
        fil_resp_double(reply->output, reply->version, score);
    }
}

static void reply_draft(struct inputs *inputs, struct fil_output *output)
{
    const struct fil_resp_plan *plan = inputs->plan;
    uint64_t count = fil_bundle_count(&inputs->draft.bundle);
    if (plan->options & ALGEBRA_STORE) {
        struct fil_map_key key = fil_resp_plan_place(plan, inputs->command, plan->count - 1);
        fil_resp_draft_reply_stored(&inputs->draft, plan, &key, output);
    } else if (inputs->draft.error != FIL_OK) {
        fil_resp_plan_tell(output, inputs->draft.error);
    } else if (plan->options & ALGEBRA_COUNT) {
        fil_resp_integer(output, (int64_t)count);
    } else {
        struct fil_resp_access reply = {
            .output = output, .version = (uint8_t)plan->version, .options = plan->options};
        struct fil_zset_range all = {.count = count};
        bool is_flat = plan->options & ALGEBRA_SCORES && plan->version < 3;
        fil_resp_array(output, is_flat ? 2 * count : count);
        fil_zset_visit(&inputs->draft.bundle, &all, tell, &reply);
    }
}

static void run_algebra(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output)
{
    struct inputs inputs = {.plan = plan, .command = command, .limit = UINT64_MAX};
    bool is_any_empty = false;
    inputs.count = plan->count - (plan->options & ALGEBRA_STORE ? 1 : 0);
    if (plan->numbers[0] > 0) {
        inputs.limit = (uint64_t)plan->numbers[0];
    }
    if (!check_types(&inputs, output, &is_any_empty) ||
        !fil_resp_draft_init(&inputs.draft, plan, FIL_COLLECTION_ZSET, output)) {
        return;
    }
    if (!(plan->options & ALGEBRA_INTERSECTION && is_any_empty)) {
        combine(&inputs);
    }
    reply_draft(&inputs, output);
    fil_resp_draft_fini(&inputs.draft);
}

// Words.

/** Reads how many keys there are; false when that is wrong, as the plan says. */
static bool read_keys(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                      uint32_t index)
{
    int64_t count = 0;
    plan->first = index + 1;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, index), &count)) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else if (count < 1) {
        plan->error = "ERR at least 1 input key is needed for '";
        plan->shows_name = true;
    } else if (count > (int64_t)(command->count - index - 1)) {
        plan->error = FIL_RESP_SYNTAX;
    } else {
        plan->count = (uint32_t)count;
    }
    return plan->error == NULL;
}

static uint32_t read_weights(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                             uint32_t index)
{
    double weight = 0;
    plan->numbers[1] = index + 1;
    for (uint32_t i = 0; i < plan->count; i++) {
        if (!fil_resp_word_to_double(fil_resp_argument(command, index + 1 + i), &weight)) {
            plan->error = "ERR weight value is not a float";
        }
    }
    return plan->count + 1;
}

/** The way the word names; false when it names none. */
static bool read_aggregate(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                           uint32_t index)
{
    plan->options &= ~(uint32_t)(ALGEBRA_MIN | ALGEBRA_MAX);
    if (fil_resp_word_is(command, index, "min")) {
        plan->options |= ALGEBRA_MIN;
    } else if (fil_resp_word_is(command, index, "max")) {
        plan->options |= ALGEBRA_MAX;
    } else {
        return fil_resp_word_is(command, index, "sum");
    }
    return true;
}

/** Reads the option at the word; returns how many words it has, 0: it is none. */
static uint32_t read_option(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                            uint32_t index)
{
    uint32_t behind = command->count - index - 1;
    bool is_plain = (plan->options & ALGEBRA_DIFFERENCE) != 0;
    if (!is_plain && behind >= plan->count && fil_resp_word_is(command, index, "weights")) {
        return read_weights(command, plan, index);
    }
    if (!is_plain && behind >= 1 && fil_resp_word_is(command, index, "aggregate")) {
        return read_aggregate(command, plan, index + 1) ? 2 : 0;
    }
    if (!(plan->options & ALGEBRA_STORE) && fil_resp_word_is(command, index, "withscores")) {
        plan->options |= ALGEBRA_SCORES;
        return 1;
    }
    return 0;
}

static void plan_algebra(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                         uint32_t options)
{
    uint32_t index = options & ALGEBRA_STORE ? 2 : 1;
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_algebra;
    plan->options = options;
    if (!read_keys(command, plan, index)) {
        return;
    }
    for (uint32_t i = index + 1 + plan->count; i < command->count && plan->error == NULL;) {
        uint32_t words = read_option(command, plan, i);
        if (words == 0) {
            plan->error = FIL_RESP_SYNTAX;
        }
        i += words;
    }
    if (options & ALGEBRA_STORE) {
        plan->also = 1;
        plan->count++;
    }
}

FIL_RESP_PLAN(zunion)
{
    plan_algebra(command, plan, ALGEBRA_UNION);
}

FIL_RESP_PLAN(zunionstore)
{
    plan_algebra(command, plan, ALGEBRA_UNION | ALGEBRA_STORE);
}

FIL_RESP_PLAN(zinter)
{
    plan_algebra(command, plan, ALGEBRA_INTERSECTION);
}

FIL_RESP_PLAN(zinterstore)
{
    plan_algebra(command, plan, ALGEBRA_INTERSECTION | ALGEBRA_STORE);
}

FIL_RESP_PLAN(zdiff)
{
    plan_algebra(command, plan, ALGEBRA_DIFFERENCE);
}

FIL_RESP_PLAN(zdiffstore)
{
    plan_algebra(command, plan, ALGEBRA_DIFFERENCE | ALGEBRA_STORE);
}

/** The words are ZINTERCARD count key ... [LIMIT limit]. */
FIL_RESP_PLAN(zintercard)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_algebra;
    plan->options = ALGEBRA_INTERSECTION | ALGEBRA_COUNT;
    if (read_keys(command, plan, 1)) {
        fil_resp_members_read_limit(command, plan);
    }
}
