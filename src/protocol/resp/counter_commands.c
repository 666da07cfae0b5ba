// SPDX-License-Identifier: Apache-2.0
/** Strings as numbers: INCR and its kin. Each runs inside its key's partition. */
#include <math.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/decimal.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

/** The text is a new value, or one of another size than what was found. */
FIL_APART static int replace_text(struct fil_resp_access *access,
                                  const struct fil_store_spot *found, struct fil_bytes text)
{
    struct fil_store_edit edit;
    if (found == NULL) {
        struct fil_store_write how = {.now_ms = access->now_ms};
        return fil_map_put_here(access->map, &access->key, text, &how, NULL);
    }
    int error = fil_map_edit_found_here(access->map, &access->key, found, text.size, &edit);
    if (error != FIL_OK) {
        return error;
    }
    memcpy(edit.value, text.data, text.size);
    return fil_map_commit_here(access->map, &access->key, &edit);
}

/** Makes the text the key's value; the expiry of what was found, if anything was, stays. */
static inline int write_text(struct fil_resp_access *access, const struct fil_store_spot *found,
                             struct fil_bytes text)
{
    // As counters nearly always do: one in ten grows a digit at most.
    bool is_rewritten =
        found != NULL && fil_map_rewrite_here(access->map, &access->key, found, text);
    return FIL_LIKELY(is_rewritten) ? FIL_OK : replace_text(access, found, text);
}

static int64_t access_add(struct fil_resp_access *access)
{
    struct fil_store_spot spot;
    int64_t value = 0;
    bool is_there = fil_map_find_here(access->map, &access->key, access->now_ms, &spot);
    if (!is_there && fil_resp_access_is_refused(access)) {
        return 0;
    }
    if (is_there && !fil_resp_word_to_integer(spot.value, &value)) {
        fil_resp_error(access->output, FIL_RESP_NOT_INTEGER);
        return 0;
    }
    if (__builtin_add_overflow(value, access->numbers[0], &value)) {
        fil_resp_error(access->output, FIL_RESP_OVERFLOW);
        return 0;
    }
    // Written once, where the reply is sent from.
    uint8_t *room = fil_resp_integer_begin(access->output);
    if (FIL_UNLIKELY(room == NULL)) {
        return 0;
    }
    struct fil_bytes digits = fil_bytes_make(room, fil_decimal_put_signed(room, value));
    int error = write_text(access, is_there ? &spot : NULL, digits);
    if (FIL_LIKELY(error == FIL_OK)) {
        fil_resp_integer_end(access->output, room, digits.size);
    } else {
        fil_resp_plan_tell(access->output, error);
    }
    return 0;
}

FIL_RESP_PLAN(incr)
{
    (void)command;
    fil_resp_plan_one(plan, access_add, 1, 0);
    plan->numbers[0] = 1;
}

FIL_RESP_PLAN(decr)
{
    (void)command;
    fil_resp_plan_one(plan, access_add, 1, 0);
    plan->numbers[0] = -1;
}

FIL_RESP_PLAN(incrby)
{
    fil_resp_plan_one(plan, access_add, 1, 0);
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0])) {
        plan->error = FIL_RESP_NOT_INTEGER;
    }
}

FIL_RESP_PLAN(decrby)
{
    fil_resp__plan_incrby(command, plan);
    if (plan->error == NULL && plan->numbers[0] == INT64_MIN) {
        plan->error = "ERR decrement would overflow";
    } else {
        plan->numbers[0] = -plan->numbers[0];
    }
}

static int64_t access_add_float(struct fil_resp_access *access)
{
    struct fil_store_spot spot;
    long double value = 0;
    long double more = 0;
    bool is_there = fil_map_find_here(access->map, &access->key, access->now_ms, &spot);
    // Looked at only now: Redis tells of a key of another type first.
    if ((is_there && !fil_resp_word_to_float(spot.value, &value)) ||
        !fil_resp_word_to_float(access->value, &more)) {
        fil_resp_error(access->output, FIL_RESP_NOT_FLOAT);
        return 0;
    }
    value += more;
    if (!isfinite(value)) {
        fil_resp_error(access->output, "ERR increment would produce NaN or Infinity");
        return 0;
    }
    char text[FIL_RESP_FLOAT_BYTES_MAX];
    struct fil_bytes bytes = fil_bytes_make(text, fil_resp_word_of_float(value, text));
    int error = write_text(access, is_there ? &spot : NULL, bytes);
    if (error == FIL_OK) {
        fil_resp_bulk(access->output, bytes);
    } else {
        fil_resp_plan_tell(access->output, error);
    }
    return 0;
}

FIL_RESP_PLAN(incrbyfloat)
{
    (void)command;
    fil_resp_plan_one(plan, access_add_float, 1, 2);
    plan->wants_string = true;
}
