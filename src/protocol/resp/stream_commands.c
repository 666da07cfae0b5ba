// SPDX-License-Identifier: Apache-2.0
/** Streams, as they change: XADD, XDEL, XTRIM, XSETID; and XLEN. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"
#include "protocol/resp/stream_word.h"
#include "protocol/resp/word.h"

/** After a change: a stream stays when it is empty. */
static void touch(const struct fil_resp_access *access)
{
    fil_map_touch_collection_here(access->map, &access->key, false, access->now_ms);
}

static int64_t access_xlen(struct fil_resp_access *access)
{
    struct fil_xstream *stream = NULL;
    if (fil_resp_stream_of(access, &stream)) {
        fil_resp_integer(access->output, stream == NULL ? 0 : (int64_t)stream->entries.count);
    }
    return 0;
}

FIL_RESP_PLAN(xlen)
{
    (void)command;
    fil_resp_plan_one(plan, access_xlen, 1, 0);
}

// Trimming.

static uint64_t trim(struct fil_xstream *stream, const struct fil_resp_stream_trim *how)
{
    uint64_t limit = how->limit > 0 ? (uint64_t)how->limit : UINT64_MAX;
    uint64_t count = 0;
    if (how->has_count) {
        count += fil_xstream_trim_count(stream, (uint64_t)how->count, limit);
    } else if (how->has_id) {
        count += fil_xstream_trim_id(stream, how->id, limit);
    }
    return count;
}

/** What trimming removes, as far as that is known before the stream is. */
static void limit_to_trim(struct fil_resp_plan *plan, const struct fil_resp_stream_trim *how)
{
    plan->is_weighed = how->has_count || how->has_id;
    if (how->limit > 0) {
        fil_resp_plan_limit(plan, (uint64_t)how->limit);
    }
    if (how->has_count) {
        fil_resp_plan_spare(plan, (uint64_t)how->count);
    }
}

static void run_xtrim(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    struct fil_resp_stream_options options = {.next = 2};
    struct fil_resp_access access;
    struct fil_xstream *stream = NULL;
    const char *error = fil_resp_stream_word_options(command, &options);
    fil_assert(error == NULL); // the plan has read them
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_stream_of(&access, &stream)) {
        return;
    }
    uint64_t count = stream == NULL ? 0 : trim(stream, &options.trim);
    if (count > 0) {
        touch(&access);
    }
    fil_resp_integer(output, (int64_t)count);
}

FIL_RESP_PLAN(xtrim)
{
    struct fil_resp_stream_options options = {.next = 2};
    fil_resp_members_plan(plan, run_xtrim);
    plan->error = fil_resp_stream_word_options(command, &options);
    if (plan->error == NULL) {
        plan->error = fil_resp_stream_word_check(&options);
    }
    limit_to_trim(plan, &options.trim);
}

// Adding.

/** XADD as its words say it. */
struct addition {
    struct fil_resp_stream_options options;
    struct fil_xstream_id id;
    bool has_id; // at least its milliseconds
    bool has_number;
    uint32_t first; // of the words that it has
};

/** Reads all but the number of words; what is wrong, or NULL. */
static const char *read_addition(const struct fil_resp_command *command, struct addition *addition)
{
    *addition = (struct addition){.options = {.is_add = true, .next = 2}};
    const char *error = fil_resp_stream_word_options(command, &addition->options);
    uint32_t index = addition->options.next;
    if (error != NULL) {
        return error;
    }
    addition->first = index + 1;
    if (index < command->count && !fil_resp_word_is(command, index, "*")) {
        addition->has_id = true;
        if (!fil_resp_stream_word_to_new_id(fil_resp_argument(command, index), &addition->id,
                                            &addition->has_number)) {
            return FIL_RESP_WRONG_ID;
        }
    }
    return fil_resp_stream_word_check(&addition->options);
}

/** The id of the new entry; false when there is none beyond the last, or the given one is not. */
static bool choose_id(const struct fil_xstream *stream, const struct addition *addition,
                      uint64_t now_ms, struct fil_xstream_id *out_id)
{
    struct fil_xstream_id last = stream->last;
    if (addition->has_id && addition->has_number) {
        *out_id = addition->id;
    } else {
        *out_id = (struct fil_xstream_id){.ms = addition->has_id ? addition->id.ms : now_ms};
        bool is_behind = addition->has_id ? out_id->ms == last.ms : out_id->ms <= last.ms;
        if (is_behind) {
            *out_id = last;
            bool is_full = addition->has_id && last.number == UINT64_MAX;
            return !is_full && fil_xstream_id_raise(out_id);
        }
    }
    return fil_xstream_id_compare(*out_id, last) > 0;
}

static size_t entry_bytes(const struct fil_resp_command *command, uint32_t first)
{
    size_t size = FIL_XSTREAM_ID_BYTES;
    for (uint32_t i = first; i < command->count; i++) {
        size += fil_xstream_word_bytes(fil_resp_argument(command, i).size);
    }
    return size;
}

static int add_entry(struct fil_xstream *stream, const struct fil_resp_plan *plan,
                     const struct fil_resp_command *command, uint32_t first,
                     struct fil_xstream_id id)
{
    struct fil_budget *budget = plan->session->server->options.budget;
    size_t size = entry_bytes(command, first);
    uint8_t *entry = fil_budget_alloc(budget, size);
    if (entry == NULL) {
        return FIL_E_NOMEM;
    }
    uint8_t *end = entry + FIL_XSTREAM_ID_BYTES;
    for (uint32_t i = first; i < command->count; i++) {
        end = fil_xstream_write_word(end, fil_resp_argument(command, i));
    }
    fil_assert(end == entry + size);
    int error = fil_xstream_add(stream, id, entry, size);
    fil_budget_free(budget, entry, size);
    return error;
}

/** The key's stream, made if it may be; false when there is none, as is told. */
static bool need_stream(const struct fil_resp_access *access, bool makes_none, bool *out_is_new,
                        struct fil_xstream **out_stream)
{
    struct fil_collection *made = NULL;
    *out_is_new = false;
    if (!fil_resp_stream_of(access, out_stream)) {
        return false;
    }
    if (*out_stream != NULL) {
        int full = fil_map_admit_here(access->map, &access->key, false, access->now_ms);
        if (full != FIL_OK) {
            fil_resp_plan_tell(access->output, full);
        }
        return full == FIL_OK;
    }
    if (makes_none) {
        fil_resp_null(access->output, access->version);
        return false;
    }
    int error = fil_map_add_stream_here(access->map, &access->key, access->now_ms, &made);
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
        return false;
    }
    *out_is_new = true;
    *out_stream = made->stream;
    return true;
}

static void refuse_id(const struct fil_xstream *stream, struct fil_output *output)
{
    bool is_full = fil_xstream_id_compare(stream->last, FIL_XSTREAM_ID_MAX) == 0;
    fil_resp_error(output, is_full ? "ERR The stream has exhausted the last possible ID, unable to "
                                     "add more items"
                                   : "ERR The ID specified in XADD is equal or smaller than the "
                                     "target stream top item");
}

static void run_xadd(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct fil_resp_access access;
    struct addition addition;
    struct fil_xstream *stream = NULL;
    struct fil_xstream_id id;
    bool is_new = false;
    const char *wrong = read_addition(command, &addition);
    fil_assert(wrong == NULL); // the plan has read it
    fil_resp_members_access(plan, command, output, &access);
    if (!need_stream(&access, addition.options.makes_none, &is_new, &stream)) {
        return;
    }
    if (!choose_id(stream, &addition, access.now_ms, &id)) {
        fil_assert(!is_new);
        refuse_id(stream, output);
        return;
    }
    int error = add_entry(stream, plan, command, addition.first, id);
    if (error != FIL_OK) {
        fil_map_touch_collection_here(access.map, &access.key, is_new, access.now_ms);
        fil_resp_plan_tell(output, error);
        return;
    }
    (void)trim(stream, &addition.options.trim);
    touch(&access);
    fil_resp_stream_tell_id(output, id);
    // Everybody who waits gets it: reading takes nothing away.
    fil_map_serve_here(access.map, &access.key, UINT64_MAX);
}

FIL_RESP_PLAN(xadd)
{
    struct addition addition;
    fil_resp_members_plan(plan, run_xadd);
    plan->error = read_addition(command, &addition);
    if (plan->error != NULL) {
        return;
    }
    limit_to_trim(plan, &addition.options.trim);
    bool is_zero = addition.id.ms == 0 && addition.id.number == 0;
    uint32_t words = addition.first < command->count ? command->count - addition.first : 0;
    if (words == 0 || words % 2 != 0) {
        plan->is_wrong_argument_count = true;
    } else if (addition.has_id && addition.has_number && is_zero) {
        plan->error = "ERR The ID specified in XADD must be greater than 0-0";
    }
}

// Removing.

static void run_xdel(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output)
{
    struct fil_resp_access access;
    struct fil_xstream *stream = NULL;
    int64_t count = 0;
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_stream_of(&access, &stream)) {
        return;
    }
    for (uint32_t i = 2; i < command->count && stream != NULL; i++) {
        struct fil_xstream_id id;
        bool is_id = fil_resp_stream_word_to_id(fil_resp_argument(command, i), 0, &id);
        fil_assert(is_id); // the plan has read it
        count += fil_xstream_remove(stream, id);
    }
    if (count > 0) {
        touch(&access);
    }
    fil_resp_integer(output, count);
}

FIL_RESP_PLAN(xdel)
{
    struct fil_xstream_id id;
    fil_resp_members_plan(plan, run_xdel);
    fil_resp_plan_limit(plan, command->count);
    plan->extent.is_sought = true;
    for (uint32_t i = 2; i < command->count; i++) {
        if (!fil_resp_stream_word_to_id(fil_resp_argument(command, i), 0, &id)) {
            plan->error = FIL_RESP_WRONG_ID;
        }
    }
}

// The last id.

/** XSETID as its words say it. */
struct last_setting {
    struct fil_xstream_id id;
    struct fil_xstream_id max_removed; // 0-0: none given
    int64_t added_count;               // -1: none given
};

static const char *read_max_removed(struct fil_bytes word, struct last_setting *setting)
{
    if (!fil_resp_stream_word_to_id(word, 0, &setting->max_removed)) {
        return FIL_RESP_WRONG_ID;
    }
    return fil_xstream_id_compare(setting->id, setting->max_removed) < 0
               ? "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id"
               : NULL;
}

static const char *read_added_count(struct fil_bytes word, struct last_setting *setting)
{
    if (!fil_resp_word_to_integer(word, &setting->added_count)) {
        return FIL_RESP_NOT_INTEGER;
    }
    return setting->added_count < 0 ? "ERR entries_added must be positive" : NULL;
}

static const char *read_setting(const struct fil_resp_command *command,
                                struct last_setting *setting)
{
    const char *error = NULL;
    *setting = (struct last_setting){.added_count = -1};
    if (!fil_resp_stream_word_to_id(fil_resp_argument(command, 2), 0, &setting->id)) {
        return FIL_RESP_WRONG_ID;
    }
    for (uint32_t i = 3; i < command->count && error == NULL; i += 2) {
        bool has_value = i + 1 < command->count;
        if (has_value && fil_resp_word_is(command, i, "entriesadded")) {
            error = read_added_count(fil_resp_argument(command, i + 1), setting);
        } else if (has_value && fil_resp_word_is(command, i, "maxdeletedid")) {
            error = read_max_removed(fil_resp_argument(command, i + 1), setting);
        } else {
            error = FIL_RESP_SYNTAX;
        }
    }
    return error;
}

/** What is wrong with the setting for this stream, or NULL. */
static const char *check_setting(const struct fil_xstream *stream,
                                 const struct last_setting *setting)
{
    struct fil_item_cursor cursor = fil_items_last(&stream->entries);
    struct fil_xstream_entry top;
    if (!fil_xstream_read(&cursor, &top)) {
        return NULL;
    }
    if (fil_xstream_id_compare(setting->id, top.id) < 0) {
        return "ERR The ID specified in XSETID is smaller than the target stream top item";
    }
    if (setting->added_count >= 0 && (uint64_t)setting->added_count < stream->entries.count) {
        return "ERR The entries_added specified in XSETID is smaller than the target stream length";
    }
    return NULL;
}

static void apply_setting(struct fil_xstream *stream, const struct last_setting *setting)
{
    stream->last = setting->id;
    if (setting->added_count >= 0) {
        stream->added_count = (uint64_t)setting->added_count;
    }
    if (setting->max_removed.ms != 0 || setting->max_removed.number != 0) {
        stream->max_removed = setting->max_removed;
    }
}

static void run_xsetid(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    struct fil_resp_access access;
    struct last_setting setting;
    struct fil_xstream *stream = NULL;
    const char *error = read_setting(command, &setting);
    fil_assert(error == NULL); // the plan has read it
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_stream_of(&access, &stream)) {
        return;
    }
    error = stream == NULL ? "ERR no such key" : check_setting(stream, &setting);
    if (error != NULL) {
        fil_resp_error(output, "%s", error);
        return;
    }
    apply_setting(stream, &setting);
    touch(&access);
    fil_resp_simple(output, "OK");
}

FIL_RESP_PLAN(xsetid)
{
    struct last_setting setting;
    fil_resp_members_plan(plan, run_xsetid);
    plan->error = read_setting(command, &setting);
}
