// SPDX-License-Identifier: Apache-2.0
/** Streams, as they are read: XRANGE, XREVRANGE, XREAD, XINFO. */
#include "lib/base/assert.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/stream_word.h"
#include "protocol/resp/word.h"

#define NS_PER_MS 1000000U

/** Entries between two ids, both included. */
struct range {
    struct fil_xstream_id first;
    struct fil_xstream_id last;
    uint64_t limit; // how many at most
    bool is_reverse;
};

/** Goes to the range's first entry, the way it is read. */
static struct fil_item_cursor begin(const struct fil_xstream *stream, const struct range *range)
{
    return range->is_reverse ? fil_xstream_seek_back(stream, range->last)
                             : fil_xstream_seek(stream, range->first);
}

/** Reads the entry there; false when it is not in the range. */
static bool read_next(const struct range *range, const struct fil_item_cursor *cursor,
                      struct fil_xstream_entry *out_entry)
{
    return fil_xstream_read(cursor, out_entry) &&
           fil_xstream_id_compare(out_entry->id, range->first) >= 0 &&
           fil_xstream_id_compare(out_entry->id, range->last) <= 0;
}

static void advance(const struct fil_xstream *stream, const struct range *range,
                    struct fil_item_cursor *cursor)
{
    if (range->is_reverse) {
        fil_items_previous(&stream->entries, cursor);
    } else {
        fil_items_next(&stream->entries, cursor);
    }
}

/** How many entries will be told: the head of the reply comes before them. */
static uint64_t measure(const struct fil_xstream *stream, const struct range *range)
{
    struct fil_xstream_entry entry;
    uint64_t count = 0;
    struct fil_item_cursor cursor = begin(stream, range);
    while (count < range->limit && read_next(range, &cursor, &entry)) {
        count++;
        advance(stream, range, &cursor);
    }
    return count;
}

static void tell_range(const struct fil_xstream *stream, const struct range *range,
                       struct fil_output *output)
{
    struct fil_xstream_entry entry;
    uint64_t count = measure(stream, range);
    struct fil_item_cursor cursor = begin(stream, range);
    fil_resp_array(output, count);
    for (uint64_t i = 0; i < count; i++) {
        bool is_there = read_next(range, &cursor, &entry);
        fil_assert(is_there);
        fil_resp_stream_tell_entry(output, &entry);
        advance(stream, range, &cursor);
    }
}

// Ranges.

/** Reads the end of a range: an id, one that is itself left out, or - and +. */
static const char *read_end(struct fil_bytes word, bool is_first, struct fil_xstream_id *out_id)
{
    bool is_open = word.size > 1 && word.data[0] == '(';
    uint64_t missing = is_first ? 0 : UINT64_MAX;
    if (fil_bytes_equal_text(word, "-")) {
        *out_id = (struct fil_xstream_id){0};
        return NULL;
    }
    if (fil_bytes_equal_text(word, "+")) {
        *out_id = FIL_XSTREAM_ID_MAX;
        return NULL;
    }
    if (is_open) {
        word = fil_bytes_make(word.data + 1, word.size - 1);
    }
    if (!fil_resp_stream_word_to_id(word, missing, out_id)) {
        return FIL_RESP_WRONG_ID;
    }
    if (is_open && is_first && !fil_xstream_id_raise(out_id)) {
        return "ERR invalid start ID for the interval";
    }
    if (is_open && !is_first && !fil_xstream_id_lower(out_id)) {
        return "ERR invalid end ID for the interval";
    }
    return NULL;
}

/** The words of XRANGE and XREVRANGE; a limit of 0 is told as nothing at all. */
static const char *read_range(const struct fil_resp_command *command, bool is_reverse,
                              struct range *range)
{
    int64_t limit = -1;
    *range = (struct range){.is_reverse = is_reverse, .limit = UINT64_MAX};
    const char *error =
        read_end(fil_resp_argument(command, is_reverse ? 3 : 2), true, &range->first);
    if (error == NULL) {
        error = read_end(fil_resp_argument(command, is_reverse ? 2 : 3), false, &range->last);
    }
    for (uint32_t i = 4; i < command->count && error == NULL; i += 2) {
        if (!fil_resp_word_is(command, i, "count") || i + 1 == command->count) {
            error = FIL_RESP_SYNTAX;
        } else if (!fil_resp_word_to_integer(fil_resp_argument(command, i + 1), &limit)) {
            error = FIL_RESP_NOT_INTEGER;
        } else {
            range->limit = limit < 0 ? 0 : (uint64_t)limit;
        }
    }
    return error;
}

static void run_range(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    struct fil_resp_access access;
    struct range range;
    struct fil_xstream *stream = NULL;
    const char *error = read_range(command, plan->options != 0, &range);
    fil_assert(error == NULL); // the plan has read it
    fil_resp_members_access(plan, command, output, &access);
    if (!fil_resp_stream_of(&access, &stream)) {
        return;
    }
    if (stream == NULL) {
        fil_resp_array(output, 0);
    } else if (range.limit == 0) {
        fil_resp_null_array(output, plan->version);
    } else {
        tell_range(stream, &range, output);
    }
}

static void plan_range(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                       bool is_reverse)
{
    struct range range;
    fil_resp_members_plan(plan, run_range);
    plan->options = is_reverse;
    plan->error = read_range(command, is_reverse, &range);
    plan->extent.is_sought = true;
    fil_resp_plan_limit(plan, range.limit);
}

FIL_RESP_PLAN(xrange)
{
    plan_range(command, plan, false);
}

FIL_RESP_PLAN(xrevrange)
{
    plan_range(command, plan, true);
}

// Reading on.

/** What is beyond the id that the command names for the key; false when nothing can be. */
static bool range_beyond(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                         uint32_t index, struct range *out_range)
{
    // The ids follow the keys, as many as these were before the plan was for one of them.
    uint32_t word = plan->first + index + (uint32_t)plan->numbers[1];
    struct fil_xstream_id id = {0};
    if (fil_resp_word_is(command, word, "$")) {
        if (plan->mark == NULL || !plan->mark->is_set) {
            return false;
        }
        id =
            (struct fil_xstream_id){.ms = plan->mark->numbers[0], .number = plan->mark->numbers[1]};
    } else {
        bool is_id = fil_resp_stream_word_to_id(fil_resp_argument(command, word), 0, &id);
        fil_assert(is_id); // the plan has read it
    }
    *out_range = (struct range){
        .last = FIL_XSTREAM_ID_MAX,
        .limit = plan->numbers[0] > 0 ? (uint64_t)plan->numbers[0] : UINT64_MAX,
    };
    out_range->first = id;
    return fil_xstream_id_raise(&out_range->first);
}

/** Whether a stream has something in the range: its last entry is the first to be. */
static bool has_any(const struct fil_xstream *stream, const struct range *range)
{
    struct fil_xstream_entry top;
    struct fil_item_cursor cursor = fil_items_last(&stream->entries);
    return fil_xstream_read(&cursor, &top) && fil_xstream_id_compare(top.id, range->first) >= 0;
}

/** What is last when a command begins to wait is what "$" means to it. */
static void set_mark(struct fil_resp_mark *mark, const struct fil_xstream *stream)
{
    struct fil_xstream_id last = stream == NULL ? (struct fil_xstream_id){0} : stream->last;
    if (!mark->is_set) {
        *mark = (struct fil_resp_mark){.numbers = {last.ms, last.number}, .is_set = true};
    }
}

static bool has_news(const struct fil_resp_plan *plan, const struct fil_resp_command *command)
{
    struct fil_map_key key = fil_resp_plan_place(plan, command, 0);
    struct fil_bundle bundle;
    struct range range;
    fil_assert(plan->mark != NULL && plan->count == 1);
    fil_map_open_bundle_here(plan->map, &key, plan->now_ms, &bundle);
    bool is_there = bundle.is_there && bundle.kind == FIL_COLLECTION_STREAM;
    const struct fil_xstream *stream = is_there ? bundle.large->stream : NULL;
    set_mark(plan->mark, stream);
    return stream != NULL && range_beyond(plan, command, 0, &range) && has_any(stream, &range);
}

/** How many of the keys have something; false when one has another type, as is told. */
static bool count_ready(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output, uint64_t *out_count)
{
    *out_count = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct fil_map_key key = fil_resp_plan_place(plan, command, i);
        struct fil_xstream *stream = NULL;
        struct range range;
        if (!fil_resp_stream_find(plan->map, &key, plan->now_ms, output, &stream)) {
            return false;
        }
        *out_count +=
            stream != NULL && range_beyond(plan, command, i, &range) && has_any(stream, &range);
    }
    return true;
}

static void tell_news(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      uint32_t index, struct fil_output *output)
{
    struct fil_map_key key = fil_resp_plan_place(plan, command, index);
    struct fil_xstream *stream = NULL;
    struct range range;
    bool is_stream = fil_resp_stream_find(plan->map, &key, plan->now_ms, output, &stream);
    fil_assert(is_stream); // they were counted
    if (stream == NULL || !range_beyond(plan, command, index, &range) || !has_any(stream, &range)) {
        return;
    }
    if (plan->version < 3) {
        fil_resp_array(output, 2);
    }
    fil_resp_bulk(output, key.bytes);
    tell_range(stream, &range, output);
}

/** Writes nothing when there is nothing. */
static void run_xread(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    uint64_t count = 0;
    if (!count_ready(plan, command, output, &count)) {
        return;
    }
    if (count == 0) {
        if (!plan->blocks) {
            fil_resp_null_array(output, plan->version);
        }
        return;
    }
    if (plan->version < 3) {
        fil_resp_array(output, count);
    } else {
        fil_resp_map(output, plan->version, count);
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        tell_news(plan, command, i, output);
    }
}

static const char *read_block(struct fil_bytes word, struct fil_resp_plan *plan)
{
    int64_t ms = 0;
    if (!fil_resp_word_to_integer(word, &ms)) {
        return "ERR timeout is not an integer or out of range";
    }
    if (ms < 0) {
        return "ERR timeout is negative";
    }
    if ((uint64_t)ms > UINT64_MAX / 2 / NS_PER_MS) {
        return "ERR timeout is out of range";
    }
    plan->blocks = true;
    plan->timeout_ns = (uint64_t)ms * NS_PER_MS;
    return NULL;
}

/** Reads one option and its value. */
static const char *read_option(const struct fil_resp_command *command, uint32_t index,
                               struct fil_resp_plan *plan)
{
    struct fil_bytes value = fil_resp_argument(command, index + 1);
    if (fil_resp_word_is(command, index, "block")) {
        return read_block(value, plan);
    }
    if (fil_resp_word_is(command, index, "count")) {
        return fil_resp_word_to_integer(value, &plan->numbers[0]) ? NULL : FIL_RESP_NOT_INTEGER;
    }
    if (fil_resp_word_is(command, index, "group")) {
        return "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.";
    }
    return fil_resp_word_is(command, index, "noack")
               ? "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead."
               : FIL_RESP_SYNTAX;
}

/** Reads what stands before STREAMS; the keys begin behind it. */
static const char *read_before(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    const char *error = NULL;
    uint32_t index = 1;
    while (error == NULL && index + 1 < command->count &&
           !fil_resp_word_is(command, index, "streams")) {
        error = read_option(command, index, plan);
        index += 2;
    }
    plan->first = index + 1;
    return error == NULL && plan->first >= command->count ? FIL_RESP_SYNTAX : error;
}

static const char *read_ids(const struct fil_resp_command *command, uint32_t first)
{
    struct fil_xstream_id id;
    for (uint32_t i = first; i < command->count; i++) {
        struct fil_bytes word = fil_resp_argument(command, i);
        if (fil_bytes_equal_text(word, ">")) {
            return "ERR The > ID can be specified only when calling XREADGROUP using the GROUP "
                   "<group> <consumer> option.";
        }
        if (!fil_bytes_equal_text(word, "$") && !fil_resp_stream_word_to_id(word, 0, &id)) {
            return FIL_RESP_WRONG_ID;
        }
    }
    return NULL;
}

FIL_RESP_PLAN(xread)
{
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_xread;
    plan->awaited = FIL_COLLECTION_STREAM;
    plan->has_news = has_news;
    plan->error = read_before(command, plan);
    if (plan->error != NULL) {
        return;
    }
    uint32_t words = command->count - plan->first;
    if (words % 2 != 0) {
        plan->error = "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' "
                      "must be specified.";
        return;
    }
    plan->count = words / 2;
    plan->numbers[1] = plan->count;
    plan->extent.is_sought = true;
    fil_resp_plan_limit(plan, plan->numbers[0] > 0 ? (uint64_t)plan->numbers[0] : UINT64_MAX);
    plan->error = read_ids(command, plan->first + plan->count);
}

// About a stream.

enum info_question {
    INFO_STREAM,
    INFO_GROUPS,
};

static void tell_end(struct fil_output *output, int version, const struct fil_item_cursor *cursor)
{
    struct fil_xstream_entry entry;
    if (fil_xstream_read(cursor, &entry)) {
        fil_resp_stream_tell_entry(output, &entry);
    } else {
        fil_resp_null(output, version);
    }
}

static void tell_number(struct fil_output *output, const char *name, uint64_t number)
{
    fil_resp_bulk_text(output, name);
    fil_resp_integer(output, (int64_t)number);
}

static void tell_named_id(struct fil_output *output, const char *name, struct fil_xstream_id id)
{
    fil_resp_bulk_text(output, name);
    fil_resp_stream_tell_id(output, id);
}

#define NODE_ENTRIES 100U // what Redis puts into one node of its tree

static void tell_stream(struct fil_output *output, int version, const struct fil_xstream *stream)
{
    struct fil_item_cursor front = fil_items_first(&stream->entries);
    struct fil_item_cursor back = fil_items_last(&stream->entries);
    struct fil_xstream_entry first = {0};
    uint64_t nodes = (stream->entries.count + NODE_ENTRIES - 1) / NODE_ENTRIES;
    (void)fil_xstream_read(&front, &first);
    fil_resp_map(output, version, 10);
    tell_number(output, "length", stream->entries.count);
    tell_number(output, "radix-tree-keys", nodes);
    tell_number(output, "radix-tree-nodes", nodes + 1);
    tell_named_id(output, "last-generated-id", stream->last);
    tell_named_id(output, "max-deleted-entry-id", stream->max_removed);
    tell_number(output, "entries-added", stream->added_count);
    tell_named_id(output, "recorded-first-entry-id", first.id);
    tell_number(output, "groups", 0);
    fil_resp_bulk_text(output, "first-entry");
    tell_end(output, version, &front);
    fil_resp_bulk_text(output, "last-entry");
    tell_end(output, version, &back);
}

static int64_t access_xinfo(struct fil_resp_access *access)
{
    struct fil_xstream *stream = NULL;
    if (!fil_resp_stream_of(access, &stream)) {
        return 0;
    }
    if (stream == NULL) {
        fil_resp_error(access->output, "ERR no such key");
    } else if (access->options == INFO_STREAM) {
        tell_stream(access->output, access->version, stream);
    } else {
        fil_resp_array(access->output, 0);
    }
    return 0;
}

FIL_RESP_PLAN(xinfo)
{
    bool is_stream = fil_resp_word_is(command, 1, "stream");
    if (!is_stream && !fil_resp_word_is(command, 1, "groups")) {
        plan->kind = FIL_RESP_PLAN_NO_KEYS;
        return;
    }
    fil_resp_plan_one(plan, access_xinfo, 2, 0);
    plan->options = is_stream ? INFO_STREAM : INFO_GROUPS;
    plan->subcommand = is_stream ? "stream" : "groups";
    plan->is_wrong_argument_count = command->count < 3 || (!is_stream && command->count > 3);
    if (is_stream && command->count > 3) {
        plan->error = fil_resp_word_is(command, 3, "full")
                          ? "ERR XINFO STREAM with FULL is not supported"
                          : "ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try "
                            "XINFO HELP.";
    }
}

FIL_RESP_HANDLER(xinfo)
{
    static const char *const lines[] = {
        "XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GROUPS <key>",
        "    Show the stream consumer groups: there are none.",
        "STREAM <key>",
        "    Show information about the stream.",
        "HELP",
        "    Print this help.",
    };
    fil_resp__help(session, command, "xinfo", lines, FIL_COUNT_OF(lines));
}
