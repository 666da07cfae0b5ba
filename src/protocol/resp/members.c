// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/members.h"

#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "protocol/resp/glob.h"
#include "protocol/resp/key.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"
#include "protocol/resp/weight.h"
#include "protocol/resp/word.h"

#define SCAN_COUNT_USUAL 10
#define CURSOR_MASK      UINT32_MAX

bool fil_resp_members_open(struct fil_resp_access *access, enum fil_collection_kind kind,
                           struct fil_bundle *out_bundle)
{
    return fil_resp_key_open(access->map, &access->key, kind, access->now_ms, access->output,
                             out_bundle);
}

bool fil_resp_members_need(struct fil_resp_access *access, enum fil_collection_kind kind,
                           struct fil_bundle *out_bundle)
{
    return fil_resp_key_need(access->map, &access->key, kind, access->now_ms, access->output,
                             out_bundle);
}

void fil_resp_members_touch(const struct fil_resp_access *access, struct fil_bundle *bundle)
{
    fil_resp_key_touch(access->map, &access->key, bundle);
}

void fil_resp_members_plan(struct fil_resp_plan *plan, fil_resp_together_fn run)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run;
    plan->count = 1;
}

void fil_resp_members_access(const struct fil_resp_plan *plan,
                             const struct fil_resp_command *command, struct fil_output *output,
                             struct fil_resp_access *out_access)
{
    fil_resp_plan_access(plan, command, 0, out_access);
    out_access->output = output;
}

bool fil_resp_members_open_at(const struct fil_resp_plan *plan,
                              const struct fil_resp_command *command, uint32_t index,
                              enum fil_collection_kind kind, struct fil_output *output,
                              struct fil_resp_place *out_place)
{
    out_place->map = plan->map;
    out_place->key = fil_resp_plan_place(plan, command, index);
    return fil_resp_key_open(out_place->map, &out_place->key, kind, plan->now_ms, output,
                             &out_place->bundle);
}

void fil_resp_members_read_limit(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    for (uint32_t i = plan->first + plan->count; i < command->count && plan->error == NULL;
         i += 2) {
        if (!fil_resp_word_is(command, i, "limit") || i + 1 == command->count) {
            plan->error = FIL_RESP_SYNTAX;
        } else if (!fil_resp_word_to_integer(fil_resp_argument(command, i + 1),
                                             &plan->numbers[0]) ||
                   plan->numbers[0] < 0) {
            plan->error = "ERR LIMIT can't be negative";
        }
    }
}

// What is being made.

bool fil_resp_draft_init(struct fil_resp_draft *draft, const struct fil_resp_plan *plan,
                         enum fil_collection_kind kind, struct fil_output *output)
{
    struct fil_budget *budget = plan->session->server->options.budget;
    draft->error = fil_shelf_new(&draft->shelf, budget, plan->map->seed);
    if (draft->error != FIL_OK) {
        fil_resp_out_of_memory(output);
        return false;
    }
    struct fil_bytes key = fil_bytes_of("draft");
    fil_bundle_open(&draft->bundle, draft->shelf, fil_hash(key, plan->map->seed), key,
                    plan->now_ms);
    draft->bundle.kind = kind;
    return true;
}

void fil_resp_draft_fini(struct fil_resp_draft *draft)
{
    fil_shelf_free(draft->shelf);
}

int fil_resp_draft_store(struct fil_resp_draft *draft, const struct fil_resp_plan *plan,
                         const struct fil_map_key *key)
{
    struct fil_store_write how = {.now_ms = plan->now_ms};
    struct fil_store_view view;
    if (draft->error != FIL_OK) {
        return draft->error;
    }
    if (fil_bundle_count(&draft->bundle) == 0) {
        (void)fil_resp_key_remove(plan->map, key, plan->now_ms);
        return FIL_OK;
    }
    bool is_there =
        fil_shelf_inspect(draft->shelf, draft->bundle.hash, draft->bundle.key, plan->now_ms, &view);
    fil_assert(is_there);
    return fil_map_receive_collection_here(plan->map, key, &how, view.value, true);
}

void fil_resp_draft_reply_stored(struct fil_resp_draft *draft, const struct fil_resp_plan *plan,
                                 const struct fil_map_key *key, struct fil_output *output)
{
    int64_t count = (int64_t)fil_bundle_count(&draft->bundle);
    int error = fil_resp_draft_store(draft, plan, key);
    if (error == FIL_OK) {
        fil_resp_integer(output, count);
    } else {
        fil_resp_plan_tell(output, error);
    }
}

// Scanning.

/** What HSCAN and its kin were asked for, and what was met. */
struct scan {
    struct fil_bytes pattern;
    bool has_match;
    int64_t count;
    enum fil_collection_kind kind;
    bool is_large;
    struct fil_output *output; // NULL: matches are only counted
    uint64_t matches;
};

/** False when an option is wrong, as is told. */
static bool read_options(const struct fil_resp_command *command, struct scan *scan,
                         struct fil_output *output)
{
    const char *error = NULL;
    for (uint32_t i = 3; i < command->count && error == NULL; i += 2) {
        bool has_value = i + 1 < command->count;
        if (has_value && fil_resp_word_is(command, i, "count")) {
            bool is_number =
                fil_resp_word_to_integer(fil_resp_argument(command, i + 1), &scan->count);
            error = !is_number ? FIL_RESP_NOT_INTEGER : scan->count < 1 ? FIL_RESP_SYNTAX : NULL;
        } else if (has_value && fil_resp_word_is(command, i, "match")) {
            scan->pattern = fil_resp_argument(command, i + 1);
            scan->has_match = !fil_bytes_equal_text(scan->pattern, "*");
            error =
                scan->pattern.size > FIL_RESP_PATTERN_BYTES_MAX ? FIL_RESP_PATTERN_TOO_LONG : NULL;
        } else {
            error = FIL_RESP_SYNTAX;
        }
    }
    if (error != NULL) {
        fil_resp_error(output, "%s", error);
    }
    return error == NULL;
}

/** Whether the member is one of those that are told. */
static bool meet(struct scan *scan, struct fil_bytes member)
{
    if (scan->has_match && !fil_resp_glob_matches(scan->pattern, member)) {
        return false;
    }
    scan->matches++;
    return scan->output != NULL;
}

static void meet_scored(void *context, struct fil_bytes member, double score)
{
    struct scan *scan = context;
    if (meet(scan, member)) {
        fil_resp_bulk(scan->output, member);
        fil_resp_double(scan->output, 2, score);
    }
}

static void meet_member(void *context, struct fil_bytes member, struct fil_bytes value)
{
    struct scan *scan = context;
    if (scan->kind == FIL_COLLECTION_ZSET) {
        double score = 0;
        fil_assert(value.size == sizeof(score));
        memcpy(&score, value.data, sizeof(score));
        meet_scored(context, member, score);
    } else if (meet(scan, member)) {
        fil_resp_bulk(scan->output, member);
        if (scan->kind == FIL_COLLECTION_HASH) {
            fil_resp_bulk(scan->output, value);
        }
    }
}

/** Goes on from the cursor; returns the next one. */
static uint64_t scan_from(struct fil_bundle *bundle, uint64_t cursor, struct scan *scan)
{
    uint32_t budget = scan->count > UINT16_MAX ? UINT16_MAX : (uint32_t)scan->count;
    uint64_t next = FIL_STORE_SCAN_END;
    if (scan->kind == FIL_COLLECTION_ZSET && bundle->large == NULL) {
        struct fil_zset_range all = {.count = fil_bundle_count(bundle)};
        fil_zset_visit(bundle, &all, meet_scored, scan);
    } else {
        next = fil_bundle_scan(bundle, cursor, budget, meet_member, scan);
    }
    return next == FIL_STORE_SCAN_END ? 0 : next;
}

static void reply_cursor(struct fil_output *output, uint64_t cursor)
{
    char text[FIL_RESP_NUMBER_TEXT_MAX];
    fil_resp_array(output, 2);
    fil_resp_bulk(output, fil_bytes_make(text, fil_resp_word_of_integer((int64_t)cursor, text)));
}

static void run_scan(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle bundle;
    uint64_t cursor = (uint64_t)plan->numbers[1] & CURSOR_MASK;
    struct scan scan = {.kind = (enum fil_collection_kind)plan->numbers[0],
                        .count = SCAN_COUNT_USUAL};
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_members_open(&access, scan.kind, &bundle)) {
        return;
    }
    if (!bundle.is_there) {
        reply_cursor(output, 0);
        fil_resp_array(output, 0);
        return;
    }
    if (!read_options(command, &scan, output)) {
        return;
    }
    // The head of the array comes first, so the members are counted before they are told.
    uint64_t next = scan_from(&bundle, cursor, &scan);
    reply_cursor(output, next);
    fil_resp_array(output, scan.kind == FIL_COLLECTION_SET ? scan.matches : 2 * scan.matches);
    scan.output = output;
    (void)scan_from(&bundle, cursor, &scan);
}

/** What a scan looks at, twice: words that are wrong are told when it runs. */
static void limit_scan(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    int64_t count = SCAN_COUNT_USUAL;
    for (uint32_t i = 3; i + 1 < command->count; i += 2) {
        if (fil_resp_word_is(command, i, "count")) {
            (void)fil_resp_word_to_integer(fil_resp_argument(command, i + 1), &count);
        }
    }
    fil_resp_plan_limit(plan, count < 0 ? 0 : 2 * (uint64_t)count);
}

void fil_resp_members_plan_scan(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                                enum fil_collection_kind kind)
{
    struct fil_bytes word = fil_resp_argument(command, 2);
    uint64_t cursor = 0;
    fil_resp_members_plan(plan, run_scan);
    if (word.size > 0 && !fil_bytes_to_u64(word, &cursor)) {
        plan->error = "ERR invalid cursor";
    }
    plan->numbers[0] = kind;
    plan->numbers[1] = (int64_t)cursor;
    limit_scan(command, plan);
}

// Drawing lots.

// With repetitions a small set gives a reply of any length, which nothing interrupts.
#define REPEATS_MAX 1000000

uint64_t fil_resp_members_seed(const struct fil_resp_plan *plan)
{
    struct fil_env *env = plan->session->server->options.env;
    uint64_t seed = 0;
    env->ops->random(env, &seed, sizeof(seed));
    return seed;
}

void fil_resp_members_plan_lots(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                                fil_resp_access_fn run, const char *values_word)
{
    fil_resp_plan_one(plan, run, 1, 0);
    plan->numbers[1] = (int64_t)fil_resp_members_seed(plan);
    plan->is_weighed = command->count > 2;
    if (command->count == 2) {
        return;
    }
    plan->options = FIL_RESP_LOT_COUNTED;
    bool has_word =
        command->count == 4 && values_word != NULL && fil_resp_word_is(command, 3, values_word);
    int64_t limit = has_word ? INT64_MAX / 2 : INT64_MAX;
    plan->options |= has_word ? FIL_RESP_LOT_WITH_VALUES : 0;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0])) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else if (plan->numbers[0] == INT64_MIN) {
        plan->error = "ERR value is out of range, value must between -9223372036854775807 and "
                      "9223372036854775807";
    } else if (command->count > 3 && !has_word) {
        plan->error = FIL_RESP_SYNTAX;
    } else if (plan->numbers[0] < -limit || plan->numbers[0] > limit) {
        plan->error = "ERR value is out of range";
    } else if (plan->numbers[0] < -REPEATS_MAX) {
        plan->error = "ERR value is out of range, with repetitions at most 1000000 are drawn";
    }
    // One, and any with repetitions, are picked; for others all members are looked at.
    plan->is_slow = plan->numbers[0] <= -(int64_t)FIL_RESP_HUGE_MEMBERS;
    plan->is_weighed = plan->numbers[0] > 1;
}

/** Takes each with the chance that makes all selections of that size as likely. */
struct drawing {
    const struct fil_resp_lots *lots;
    struct fil_prng prng;
    uint64_t wanted;
    uint64_t left; // members that were not met yet
};

static void consider(void *context, struct fil_bytes member, struct fil_bytes value)
{
    struct drawing *drawing = context;
    fil_assert(drawing->left > 0);
    if (fil_prng_below(&drawing->prng, drawing->left) < drawing->wanted) {
        drawing->wanted--;
        drawing->lots->visit(drawing->lots->context, member, value);
    }
    drawing->left--;
}

static void draw_one(struct fil_bundle *bundle, struct drawing *drawing)
{
    struct fil_bytes member;
    struct fil_bytes value;
    fil_bundle_pick(bundle, fil_prng_next(&drawing->prng), &member, &value);
    drawing->lots->visit(drawing->lots->context, member, value);
}

void fil_resp_members_draw(struct fil_bundle *bundle, int64_t wanted, uint64_t seed,
                           const struct fil_resp_lots *lots)
{
    struct drawing drawing = {.lots = lots, .left = fil_bundle_count(bundle)};
    fil_prng_init(&drawing.prng, seed);
    bool has_repeats = wanted < 0;
    uint64_t count = has_repeats ? 0 - (uint64_t)wanted : (uint64_t)wanted;
    count = !has_repeats && count > drawing.left ? drawing.left : count;
    lots->begin(lots->context, drawing.left == 0 ? 0 : count);
    if (drawing.left == 0 || count == 0) {
        return;
    }
    if (has_repeats || count == 1) {
        for (uint64_t i = 0; i < count; i++) {
            draw_one(bundle, &drawing);
        }
        return;
    }
    drawing.wanted = count;
    uint64_t end = fil_bundle_scan(bundle, 0, UINT32_MAX, consider, &drawing);
    fil_assert(end == FIL_STORE_SCAN_END && drawing.wanted == 0);
}
