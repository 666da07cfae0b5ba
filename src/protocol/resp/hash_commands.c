// SPDX-License-Identifier: Apache-2.0
/** Hashes. Each command runs inside its key's partition. */
#include <math.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

static bool open_hash(struct fil_resp_access *access, struct fil_bundle *out_hash)
{
    return fil_resp_members_open(access, FIL_COLLECTION_HASH, out_hash);
}

static bool need_hash(struct fil_resp_access *access, struct fil_bundle *out_hash)
{
    return fil_resp_members_need(access, FIL_COLLECTION_HASH, out_hash);
}

// Writing.

enum hash_option {
    HASH_IF_ABSENT = 1U << 0, // only a field that is not there
    HASH_PLAIN = 1U << 1,     // HMSET: the answer is OK
};

static void end_set(struct fil_resp_access *access, struct fil_bundle *hash, int error,
                    int64_t added)
{
    fil_resp_members_touch(access, hash);
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else if (access->options & HASH_PLAIN) {
        fil_resp_simple(access->output, "OK");
    } else {
        fil_resp_integer(access->output, added);
    }
}

/** One field. */
static int64_t access_set(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    bool is_new = false;
    if (!need_hash(access, &hash)) {
        return 0;
    }
    if (access->options & HASH_IF_ABSENT && fil_bundle_find(&hash, access->value, NULL)) {
        fil_resp_integer(access->output, 0);
        return 0;
    }
    int error = fil_bundle_put(&hash, access->value, access->second, &is_new);
    end_set(access, &hash, error, is_new);
    return 0;
}

/** Several fields, one after the other: without memory the first of them stay. */
static void run_set(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle hash;
    int64_t added = 0;
    int error = FIL_OK;
    fil_resp_members_access(plan, command, output, &access);
    if (!need_hash(&access, &hash)) {
        return;
    }
    for (uint32_t i = 2; i < command->count && error == FIL_OK; i += 2) {
        bool is_new = false;
        error = fil_bundle_put(&hash, fil_resp_argument(command, i),
                               fil_resp_argument(command, i + 1), &is_new);
        added += error == FIL_OK && is_new;
    }
    end_set(&access, &hash, error, added);
}

static void plan_set(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                     uint32_t options)
{
    fil_resp_plan_member(plan, access_set, 1, 2);
    plan->second = 3;
    plan->options = options;
    plan->is_wrong_argument_count = command->count % 2 != 0;
    if (command->count > 4) {
        fil_resp_members_plan(plan, run_set);
    }
}

FIL_RESP_PLAN(hset)
{
    plan_set(command, plan, 0);
}

FIL_RESP_PLAN(hmset)
{
    plan_set(command, plan, HASH_PLAIN);
}

FIL_RESP_PLAN(hsetnx)
{
    plan_set(command, plan, HASH_IF_ABSENT);
}

static void end_delete(struct fil_resp_access *access, struct fil_bundle *hash, int64_t removed)
{
    if (removed > 0) {
        fil_resp_members_touch(access, hash);
    }
    fil_resp_integer(access->output, removed);
}

static int64_t access_delete(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    if (open_hash(access, &hash)) {
        end_delete(access, &hash, fil_bundle_remove(&hash, access->value));
    }
    return 0;
}

static void run_delete(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle hash;
    int64_t removed = 0;
    fil_resp_members_access(plan, command, output, &access);
    if (!open_hash(&access, &hash)) {
        return;
    }
    for (uint32_t i = 2; i < command->count; i++) {
        removed += fil_bundle_remove(&hash, fil_resp_argument(command, i));
    }
    end_delete(&access, &hash, removed);
}

FIL_RESP_PLAN(hdel)
{
    fil_resp_plan_member(plan, access_delete, 1, 2);
    if (command->count > 3) {
        fil_resp_members_plan(plan, run_delete);
    }
}

// Numbers.

/** Makes the text the field's value; false when the reply is an error, as is told. */
static bool put_text(struct fil_resp_access *access, struct fil_bundle *hash, struct fil_bytes text)
{
    bool is_new = false;
    int error = fil_bundle_put(hash, access->value, text, &is_new);
    fil_resp_members_touch(access, hash);
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    }
    return error == FIL_OK;
}

static int64_t access_add(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    struct fil_bytes old;
    int64_t value = 0;
    if (!need_hash(access, &hash)) {
        return 0;
    }
    if (fil_bundle_find(&hash, access->value, &old) && !fil_resp_word_to_integer(old, &value)) {
        fil_resp_error(access->output, "ERR hash value is not an integer");
        return 0;
    }
    if (__builtin_add_overflow(value, access->numbers[0], &value)) {
        fil_resp_error(access->output, FIL_RESP_OVERFLOW);
        return 0;
    }
    char text[FIL_RESP_NUMBER_TEXT_MAX];
    size_t size = fil_resp_word_of_integer(value, text);
    if (put_text(access, &hash, fil_bytes_make(text, size))) {
        fil_resp_integer(access->output, value);
    }
    return 0;
}

FIL_RESP_PLAN(hincrby)
{
    fil_resp_plan_member(plan, access_add, 1, 2);
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 3), &plan->numbers[0])) {
        plan->error = FIL_RESP_NOT_INTEGER;
    }
}

static int64_t access_add_float(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    struct fil_bytes old;
    long double value = 0;
    long double more = 0;
    if (!fil_resp_word_to_float(access->second, &more) || isinf(more)) {
        fil_resp_error(access->output, "%s",
                       isinf(more) ? "ERR value is NaN or Infinity" : FIL_RESP_NOT_FLOAT);
        return 0;
    }
    if (!need_hash(access, &hash)) {
        return 0;
    }
    if (fil_bundle_find(&hash, access->value, &old) && !fil_resp_word_to_float(old, &value)) {
        fil_resp_error(access->output, "ERR hash value is not a float");
        return 0;
    }
    value += more;
    if (!isfinite(value)) {
        fil_resp_error(access->output, "ERR increment would produce NaN or Infinity");
        return 0;
    }
    char text[FIL_RESP_FLOAT_BYTES_MAX];
    struct fil_bytes bytes = fil_bytes_make(text, fil_resp_word_of_float(value, text));
    if (put_text(access, &hash, bytes)) {
        fil_resp_bulk(access->output, bytes);
    }
    return 0;
}

FIL_RESP_PLAN(hincrbyfloat)
{
    (void)command;
    fil_resp_plan_member(plan, access_add_float, 1, 2);
    plan->second = 3;
}

// Reading.

static void reply_field(struct fil_resp_access *access, struct fil_bundle *hash,
                        struct fil_bytes field)
{
    struct fil_bytes value;
    if (fil_bundle_find(hash, field, &value)) {
        fil_resp_bulk(access->output, value);
    } else {
        fil_resp_null(access->output, access->version);
    }
}

static int64_t access_get(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    if (open_hash(access, &hash)) {
        reply_field(access, &hash, access->value);
    }
    return 0;
}

FIL_RESP_PLAN(hget)
{
    (void)command;
    fil_resp_plan_member(plan, access_get, 1, 2);
}

static void run_get(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_bundle hash;
    fil_resp_members_access(plan, command, output, &access);
    if (!open_hash(&access, &hash)) {
        return;
    }
    fil_resp_array(output, command->count - 2);
    for (uint32_t i = 2; i < command->count; i++) {
        reply_field(&access, &hash, fil_resp_argument(command, i));
    }
}

FIL_RESP_PLAN(hmget)
{
    (void)command;
    fil_resp_members_plan(plan, run_get);
}

static int64_t access_exists(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    if (open_hash(access, &hash)) {
        fil_resp_integer(access->output, fil_bundle_find(&hash, access->value, NULL));
    }
    return 0;
}

FIL_RESP_PLAN(hexists)
{
    (void)command;
    fil_resp_plan_member(plan, access_exists, 1, 2);
}

static int64_t access_size(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    struct fil_bytes value = {0};
    if (open_hash(access, &hash)) {
        bool is_there = fil_bundle_find(&hash, access->value, &value);
        fil_resp_integer(access->output, is_there ? (int64_t)value.size : 0);
    }
    return 0;
}

FIL_RESP_PLAN(hstrlen)
{
    (void)command;
    fil_resp_plan_member(plan, access_size, 1, 2);
}

static int64_t access_length(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    if (open_hash(access, &hash)) {
        fil_resp_integer(access->output, (int64_t)fil_bundle_count(&hash));
    }
    return 0;
}

FIL_RESP_PLAN(hlen)
{
    (void)command;
    fil_resp_plan_one(plan, access_length, 1, 0);
}

enum part {
    PART_FIELDS = 1U << 0,
    PART_VALUES = 1U << 1,
};

static void reply_parts(void *context, struct fil_bytes field, struct fil_bytes value)
{
    const struct fil_resp_access *access = context;
    if (access->options & PART_FIELDS) {
        fil_resp_bulk(access->output, field);
    }
    if (access->options & PART_VALUES) {
        fil_resp_bulk(access->output, value);
    }
}

static int64_t access_all(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    if (!open_hash(access, &hash)) {
        return 0;
    }
    uint64_t count = fil_bundle_count(&hash);
    if (access->options == (PART_FIELDS | PART_VALUES)) {
        fil_resp_map(access->output, access->version, count);
    } else {
        fil_resp_array(access->output, count);
    }
    (void)fil_bundle_scan(&hash, 0, UINT32_MAX, reply_parts, access);
    return 0;
}

static void plan_all(struct fil_resp_plan *plan, uint32_t parts)
{
    fil_resp_plan_one(plan, access_all, 1, 0);
    plan->options = parts;
}

FIL_RESP_PLAN(hgetall)
{
    (void)command;
    plan_all(plan, PART_FIELDS | PART_VALUES);
}

FIL_RESP_PLAN(hkeys)
{
    (void)command;
    plan_all(plan, PART_FIELDS);
}

FIL_RESP_PLAN(hvals)
{
    (void)command;
    plan_all(plan, PART_VALUES);
}

// Some fields.

static void begin_lots(void *context, uint64_t count)
{
    const struct fil_resp_access *access = context;
    bool is_flat = access->options & FIL_RESP_LOT_WITH_VALUES && access->version < 3;
    if (access->options & FIL_RESP_LOT_COUNTED) {
        fil_resp_array(access->output, is_flat ? 2 * count : count);
    }
}

static void reply_lot(void *context, struct fil_bytes field, struct fil_bytes value)
{
    const struct fil_resp_access *access = context;
    bool has_value = (access->options & FIL_RESP_LOT_WITH_VALUES) != 0;
    if (has_value && access->version >= 3) {
        fil_resp_array(access->output, 2);
    }
    fil_resp_bulk(access->output, field);
    if (has_value) {
        fil_resp_bulk(access->output, value);
    }
}

static int64_t access_random(struct fil_resp_access *access)
{
    struct fil_bundle hash;
    struct fil_resp_lots lots = {.begin = begin_lots, .visit = reply_lot, .context = access};
    if (!open_hash(access, &hash)) {
        return 0;
    }
    bool is_counted = (access->options & FIL_RESP_LOT_COUNTED) != 0;
    if (!hash.is_there && !is_counted) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    fil_resp_members_draw(&hash, is_counted ? access->numbers[0] : 1, (uint64_t)access->numbers[1],
                          &lots);
    return 0;
}

FIL_RESP_PLAN(hrandfield)
{
    fil_resp_members_plan_lots(command, plan, access_random, "withvalues");
}

FIL_RESP_PLAN(hscan)
{
    fil_resp_members_plan_scan(command, plan, FIL_COLLECTION_HASH);
}
