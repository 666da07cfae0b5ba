// SPDX-License-Identifier: Apache-2.0
/** Strings of one key: GET, SET and their kin. Each runs inside its key's partition. */
#include <string.h>

#include "filbert/error.h"
#include "grid/map/form_text.h"
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/weight.h"
#include "protocol/resp/word.h"

#define FAR_OFFSET (INT64_C(64) << 10) // a SETRANGE so far is left to a partition thread

/** Options of SET and GETEX, as bits. */
enum set_option {
    SET_NX = 1U << 0,
    SET_XX = 1U << 1,
    SET_GET = 1U << 2,
    SET_KEEPTTL = 1U << 3,
    SET_PERSIST = 1U << 4,
    SET_EX = 1U << 5,
    SET_PX = 1U << 6,
    SET_EXAT = 1U << 7,
    SET_PXAT = 1U << 8,
};

#define SET_TIMES  (SET_EX | SET_PX | SET_EXAT | SET_PXAT)
#define SET_EXPIRY (SET_TIMES | SET_KEEPTTL | SET_PERSIST)

/** A value of the map, as those who know only text read it. */
static void reply_value(struct fil_resp_access *access, struct fil_bytes value)
{
    char room[FIL_MAP_FORM_TEXT_MAX];
    fil_resp_value(access->output, fil_map_form_text(value, room));
}

/** Whether the value can be told, for those who then change it; when not, that is told. */
static bool can_reply_value(struct fil_resp_access *access, struct fil_bytes value)
{
    char room[FIL_MAP_FORM_TEXT_MAX];
    return fil_resp_value_fits(access->output, fil_map_form_text(value, room).size);
}

static int64_t access_get(struct fil_resp_access *access)
{
    struct fil_bytes value;
    if (fil_map_get_here(access->map, &access->key, access->now_ms, &value)) {
        if (!fil_resp_access_puts_off(access, value.size)) {
            reply_value(access, value);
        }
    } else if (!fil_resp_access_is_refused(access)) {
        fil_resp_null(access->output, access->version);
    }
    return 0;
}

/** As GET, but what is no string is as if it was not there. */
static int64_t access_get_any(struct fil_resp_access *access)
{
    struct fil_bytes value;
    if (fil_map_get_here(access->map, &access->key, access->now_ms, &value)) {
        if (!fil_resp_access_puts_off(access, value.size)) {
            reply_value(access, value);
        }
    } else {
        fil_resp_null(access->output, access->version);
    }
    return 0;
}

FIL_RESP_PLAN(get)
{
    (void)command;
    fil_resp_plan_one(plan, access_get, 1, 0);
    plan->is_weighed_inside = true;
}

FIL_RESP_PLAN(mget)
{
    plan->kind = FIL_RESP_PLAN_EACH;
    plan->run = access_get_any;
    plan->count = command->count - 1;
    plan->is_weighed_inside = true;
}

/** SET without options. */
static int64_t access_put(struct fil_resp_access *access)
{
    struct fil_store_write how = {.now_ms = access->now_ms};
    if (fil_resp_access_puts_off_removal(access)) {
        return 0;
    }
    int error = fil_map_put_here(access->map, &access->key, access->value, &how, NULL);
    if (FIL_LIKELY(error == FIL_OK)) {
        fil_resp_simple(access->output, "OK");
    } else {
        fil_resp_plan_tell(access->output, error);
    }
    return 0;
}

static struct fil_store_write how_to_set(const struct fil_resp_access *access)
{
    struct fil_store_write how = {.now_ms = access->now_ms};
    how.keeps_expiry = (access->options & SET_KEEPTTL) != 0;
    how.wants_old = (access->options & SET_GET) != 0;
    if (access->options & SET_TIMES) {
        how.expires_ms = (uint64_t)access->numbers[0];
    }
    if (access->options & SET_NX) {
        how.condition = FIL_STORE_IF_ABSENT;
    } else if (access->options & SET_XX) {
        how.condition = FIL_STORE_IF_PRESENT;
    }
    return how;
}

/** The key has a collection: whether SET may replace it, and until when the value then stays. */
static bool may_replace(const struct fil_resp_access *access, const struct fil_store_view *view,
                        struct fil_store_write *how)
{
    if (access->options & SET_KEEPTTL) {
        how->keeps_expiry = false;
        how->expires_ms = view->expires_ms;
    }
    how->condition = FIL_STORE_ALWAYS;
    return (access->options & SET_NX) == 0;
}

/** Whether there is room to tell what SET with GET asks for, which must not be lost; when not, that
 * is told. */
static bool can_reply_old(struct fil_resp_access *access)
{
    struct fil_bytes old;
    return (access->options & SET_GET) == 0 ||
           !fil_map_peek_here(access->map, &access->key, access->now_ms, &old) ||
           can_reply_value(access, old);
}

/** SET with options: what was asked for of the old value, or OK, or null when a
 * condition failed. */
static int64_t access_set(struct fil_resp_access *access)
{
    struct fil_store_write how = how_to_set(access);
    struct fil_store_outcome outcome = {0};
    struct fil_store_view view;
    if (fil_resp_access_puts_off_removal(access)) {
        return 0;
    }
    if (fil_map_inspect_collection_here(access->map, &access->key, access->now_ms, &view) &&
        !may_replace(access, &view, &how)) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    if (!can_reply_old(access)) {
        return 0;
    }
    int error = fil_map_put_here(access->map, &access->key, access->value, &how, &outcome);
    bool wants_old = (access->options & SET_GET) != 0;
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else if (wants_old && outcome.was_there) {
        reply_value(access, outcome.old_value);
    } else if (wants_old || !outcome.is_written) {
        fil_resp_null(access->output, access->version);
    } else {
        fil_resp_simple(access->output, "OK");
    }
    return 0;
}

/** Reads the word behind EX and its kin; zero and less is no time for a new value. */
static bool read_time(const struct fil_resp_command *command, uint32_t index,
                      enum fil_resp_time_unit unit, struct fil_resp_plan *plan)
{
    int64_t value = 0;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, index), &value)) {
        plan->error = FIL_RESP_NOT_INTEGER;
        return false;
    }
    plan->has_bad_time =
        value <= 0 || !fil_resp_word_to_time(value, unit, plan->now_ms, &plan->numbers[0]);
    return !plan->has_bad_time;
}

struct option_word {
    const char *word;
    uint32_t option;
    uint32_t rivals; // it must not come with these
    bool is_for_set;
    bool is_for_get;
};

static const struct option_word option_words[] = {
    {"nx", SET_NX, SET_XX, true, false},
    {"xx", SET_XX, SET_NX, true, false},
    {"get", SET_GET, 0, true, false},
    {"keepttl", SET_KEEPTTL, SET_EXPIRY & ~SET_KEEPTTL, true, false},
    {"persist", SET_PERSIST, SET_EXPIRY & ~SET_PERSIST, false, true},
    {"ex", SET_EX, SET_EXPIRY & ~SET_EX, true, true},
    {"px", SET_PX, SET_EXPIRY & ~SET_PX, true, true},
    {"exat", SET_EXAT, SET_EXPIRY & ~SET_EXAT, true, true},
    {"pxat", SET_PXAT, SET_EXPIRY & ~SET_PXAT, true, true},
};

/** The option that the word is, if it may come with those so far; NULL otherwise. */
static const struct option_word *find_option(const struct fil_resp_command *command, uint32_t index,
                                             uint32_t options, bool is_set)
{
    for (size_t i = 0; i < FIL_COUNT_OF(option_words); i++) {
        const struct option_word *candidate = &option_words[i];
        if (fil_resp_word_is(command, index, candidate->word) &&
            (is_set ? candidate->is_for_set : candidate->is_for_get) &&
            (options & candidate->rivals) == 0) {
            return candidate;
        }
    }
    return NULL;
}

static enum fil_resp_time_unit unit_of(uint32_t options)
{
    if (options & SET_EX) {
        return FIL_RESP_SECONDS;
    }
    if (options & SET_PX) {
        return FIL_RESP_MILLISECONDS;
    }
    return options & SET_EXAT ? FIL_RESP_SECONDS_AT : FIL_RESP_MILLISECONDS_AT;
}

/** Reads the options from a word on; false when something is wrong, which the plan then says. */
static bool read_options(const struct fil_resp_command *command, uint32_t from,
                         struct fil_resp_plan *plan, bool is_set)
{
    uint32_t time_index = 0;
    for (uint32_t i = from; i < command->count; i++) {
        const struct option_word *found = find_option(command, i, plan->options, is_set);
        bool has_time = found != NULL && (found->option & SET_TIMES) != 0;
        if (found == NULL || (has_time && i + 1 == command->count)) {
            plan->error = FIL_RESP_SYNTAX;
            return false;
        }
        plan->options |= found->option;
        if (has_time) {
            i++;
            time_index = i;
        }
    }
    return time_index == 0 || read_time(command, time_index, unit_of(plan->options), plan);
}

bool fil_resp__set_has_time(uint32_t options)
{
    return (options & SET_TIMES) != 0;
}

bool fil_resp__set_gets(uint32_t options)
{
    return (options & SET_GET) != 0;
}

FIL_RESP_PLAN(set)
{
    plan->is_weighed_inside = true;
    fil_resp_plan_one(plan, access_put, 1, 2);
    if (FIL_UNLIKELY(command->count > 3) && read_options(command, 3, plan, true)) {
        plan->run = access_set;
        plan->wants_string = (plan->options & SET_GET) != 0;
    }
}

static int64_t access_setnx(struct fil_resp_access *access)
{
    struct fil_store_write how = {.now_ms = access->now_ms, .condition = FIL_STORE_IF_ABSENT};
    struct fil_store_outcome outcome = {0};
    int error = FIL_OK;
    if (!fil_resp_key_has_collection(access->map, &access->key, access->now_ms)) {
        error = fil_map_put_here(access->map, &access->key, access->value, &how, &outcome);
    }
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else {
        fil_resp_integer(access->output, outcome.is_written);
    }
    return 0;
}

FIL_RESP_PLAN(setnx)
{
    (void)command;
    fil_resp_plan_one(plan, access_setnx, 1, 2);
}

FIL_RESP_PLAN(setex)
{
    plan->is_weighed_inside = true;
    plan->options = SET_EX;
    fil_resp_plan_one(plan, access_set, 1, 3);
    (void)read_time(command, 2, FIL_RESP_SECONDS, plan);
}

FIL_RESP_PLAN(psetex)
{
    plan->is_weighed_inside = true;
    plan->options = SET_PX;
    fil_resp_plan_one(plan, access_set, 1, 3);
    (void)read_time(command, 2, FIL_RESP_MILLISECONDS, plan);
}

FIL_RESP_PLAN(getset)
{
    (void)command;
    plan->options = SET_GET;
    fil_resp_plan_one(plan, access_set, 1, 2);
    plan->wants_string = true;
}

static int64_t access_getdel(struct fil_resp_access *access)
{
    struct fil_bytes value;
    if (!fil_map_get_here(access->map, &access->key, access->now_ms, &value)) {
        fil_resp_null(access->output, access->version);
    } else if (can_reply_value(access, value)) {
        reply_value(access, value);
        (void)fil_map_remove_here(access->map, &access->key, access->now_ms, NULL);
    }
    return 0;
}

FIL_RESP_PLAN(getdel)
{
    (void)command;
    fil_resp_plan_one(plan, access_getdel, 1, 0);
    plan->wants_string = true;
}

/** Changes when the key, which is there, expires, if the options say so. */
static int change_expiry(const struct fil_resp_access *access)
{
    struct fil_store_view view;
    bool has_time = (access->options & SET_TIMES) != 0;
    if (!fil_map_inspect_here(access->map, &access->key, access->now_ms, &view) ||
        !(has_time || (access->options & SET_PERSIST && view.expires_ms != FIL_STORE_NEVER))) {
        return FIL_OK;
    }
    struct fil_store_write how = {
        .now_ms = access->now_ms,
        .expires_ms = has_time ? (uint64_t)access->numbers[0] : FIL_STORE_NEVER,
        .max_idle_ms = view.max_idle_ms,
    };
    return fil_map_set_expiry_here(access->map, &access->key, &how);
}

/** The value is looked up again when its expiry has changed: that may have moved it. */
static int64_t access_getex(struct fil_resp_access *access)
{
    struct fil_bytes value;
    if (!fil_map_get_here(access->map, &access->key, access->now_ms, &value)) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    if (!can_reply_value(access, value)) {
        return 0;
    }
    if (access->options & SET_TIMES && access->numbers[0] <= (int64_t)access->now_ms) {
        reply_value(access, value);
        (void)fil_map_remove_here(access->map, &access->key, access->now_ms, NULL);
        return 0;
    }
    int error = change_expiry(access);
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else if (fil_map_peek_here(access->map, &access->key, access->now_ms, &value)) {
        reply_value(access, value);
    }
    return 0;
}

FIL_RESP_PLAN(getex)
{
    fil_resp_plan_one(plan, access_getex, 1, 0);
    plan->wants_string = true;
    (void)read_options(command, 2, plan, false);
}

static int64_t access_strlen(struct fil_resp_access *access)
{
    struct fil_bytes value = {0};
    (void)fil_map_get_here(access->map, &access->key, access->now_ms, &value);
    fil_resp_integer(access->output, (int64_t)value.size);
    return 0;
}

FIL_RESP_PLAN(strlen)
{
    (void)command;
    fil_resp_plan_one(plan, access_strlen, 1, 0);
    plan->wants_string = true;
}

/** Bytes from start to end of the text, both counted from the end when they are negative. */
static struct fil_bytes cut(struct fil_bytes text, int64_t start, int64_t end)
{
    int64_t size = (int64_t)text.size;
    start = start < 0 ? start + size : start;
    end = end < 0 ? end + size : end;
    start = start < 0 ? 0 : start;
    end = end < 0 ? 0 : end;
    end = end >= size ? size - 1 : end;
    if (start > end || size == 0) {
        return fil_bytes_make(NULL, 0);
    }
    return fil_bytes_make(text.data + start, (size_t)(end - start + 1));
}

static int64_t access_getrange(struct fil_resp_access *access)
{
    struct fil_bytes value = {0};
    int64_t start = access->numbers[0];
    int64_t end = access->numbers[1];
    (void)fil_map_get_here(access->map, &access->key, access->now_ms, &value);
    bool is_empty = start < 0 && end < 0 && start > end;
    fil_resp_value(access->output, is_empty ? fil_bytes_make(NULL, 0) : cut(value, start, end));
    return 0;
}

/** Whether a range is far from huge however long the value is. */
static bool is_short(int64_t start, int64_t end)
{
    return (start < 0) == (end < 0) && end - start < FAR_OFFSET;
}

FIL_RESP_PLAN(getrange)
{
    fil_resp_plan_one(plan, access_getrange, 1, 0);
    plan->wants_string = true;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0]) ||
        !fil_resp_word_to_integer(fil_resp_argument(command, 3), &plan->numbers[1])) {
        plan->error = FIL_RESP_NOT_INTEGER;
    }
    plan->is_weighed = !is_short(plan->numbers[0], plan->numbers[1]);
}

/** Writes the access's value at the end of a new one. */
static void write_end(void *context, uint8_t *value, size_t size)
{
    const struct fil_resp_access *access = context;
    memcpy(value + size - access->value.size, access->value.data, access->value.size);
}

/** Writes the access's value at an offset as a new value, zeros before it. */
static int write_new(struct fil_resp_access *access, size_t offset)
{
    struct fil_store_write how = {.now_ms = access->now_ms};
    struct fil_store_new_value value = {
        .size = offset + access->value.size, .fill = write_end, .context = access};
    return offset == 0 ? fil_map_put_here(access->map, &access->key, access->value, &how, NULL)
                       : fil_map_insert_here(access->map, &access->key, &value, access->now_ms);
}

/** Writes the access's value into what was found, at an offset; zeros in between if it is beyond.
 */
static int write_into(struct fil_resp_access *access, const struct fil_store_spot *found,
                      size_t offset, size_t size)
{
    struct fil_store_edit edit;
    fil_assert(offset + access->value.size <= size);
    int error = fil_map_edit_found_here(access->map, &access->key, found, size, &edit);
    if (error != FIL_OK) {
        return error;
    }
    memcpy(edit.value + offset, access->value.data, access->value.size);
    return fil_map_commit_here(access->map, &access->key, &edit);
}

/** Writes at an offset into what was found, or a new value when it is NULL; replies the size. */
static int64_t write_and_reply(struct fil_resp_access *access, const struct fil_store_spot *found,
                               size_t offset)
{
    size_t old_size = found == NULL ? 0 : found->value.size;
    size_t end = offset + access->value.size;
    size_t size = end > old_size ? end : old_size;
    int error = FIL_E_LIMIT;
    if (size <= FIL_RESP_STRING_BYTES_MAX) {
        error = found == NULL ? write_new(access, offset) : write_into(access, found, offset, size);
    }
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else {
        fil_resp_integer(access->output, (int64_t)size);
    }
    return 0;
}

static int64_t access_append(struct fil_resp_access *access)
{
    struct fil_store_spot spot;
    bool is_there = fil_map_find_here(access->map, &access->key, access->now_ms, &spot);
    // Nothing appended is a change too: whoever watches the key is told, as in Redis.
    return is_there ? write_and_reply(access, &spot, spot.value.size)
                    : write_and_reply(access, NULL, 0);
}

FIL_RESP_PLAN(append)
{
    (void)command;
    fil_resp_plan_one(plan, access_append, 1, 2);
    plan->wants_string = true;
}

static int64_t access_setrange(struct fil_resp_access *access)
{
    struct fil_store_spot spot;
    bool is_there = fil_map_find_here(access->map, &access->key, access->now_ms, &spot);
    if (access->value.size == 0) {
        fil_resp_integer(access->output, is_there ? (int64_t)spot.value.size : 0);
        return 0;
    }
    if (access->numbers[0] > (int64_t)FIL_RESP_STRING_BYTES_MAX) {
        fil_resp_plan_tell(access->output, FIL_E_LIMIT);
        return 0;
    }
    return write_and_reply(access, is_there ? &spot : NULL, (size_t)access->numbers[0]);
}

FIL_RESP_PLAN(setrange)
{
    fil_resp_plan_one(plan, access_setrange, 1, 3);
    plan->wants_string = true;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &plan->numbers[0])) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else if (plan->numbers[0] < 0) {
        plan->error = "ERR offset is out of range";
    }
    // Memory as far as there may have to be made, and filled with zeros.
    plan->is_slow = plan->numbers[0] >= FAR_OFFSET;
}
