// SPDX-License-Identifier: Apache-2.0
/** Commands on all keys of a database: KEYS, SCAN, RANDOMKEY, DBSIZE, FLUSHDB, FLUSHALL. */
#include <stdio.h>

#include "core/exec/turn.h"
#include "filbert/error.h"
#include "grid/map/shelf.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/database.h"
#include "protocol/resp/glob.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/sweep.h"
#include "protocol/resp/word.h"

#define SCAN_COUNT_USUAL  10
#define CURSOR_BITS       32U // of a cursor: where in the partition; the partition is above
#define CURSOR_TEXT_BYTES 24U
#define CURSOR_ON_SHELF   (UINT64_C(1) << 62)

FIL_RESP_HANDLER(dbsize)
{
    (void)command;
    fil_resp_integer(fil_resp_output(session), (int64_t)fil_resp_key_count(session->map));
}

struct looking {
    struct fil_resp_sweep *sweep;
    uint32_t looks;
};

static void add_key(void *context, const struct fil_store_view *view)
{
    struct looking *looking = context;
    struct fil_resp_sweep *sweep = looking->sweep;
    looking->looks++;
    if (sweep->is_on_shelf && sweep->has_type &&
        fil_resp_type_of_value(view->value) != sweep->type) {
        return;
    }
    if (!sweep->has_match || fil_resp_glob_matches(sweep->pattern, view->key)) {
        fil_resp_bulk(&sweep->body, view->key);
        sweep->count++;
    }
}

static uint32_t visit_keys(struct fil_resp_sweep *sweep, uint64_t now_ms, uint32_t budget)
{
    struct looking looking = {.sweep = sweep};
    struct fil_map_slice slice = {.cursor = sweep->cursor, .now_ms = now_ms, .budget = budget};
    fil_partition_id id = sweep->partition_id;
    if (sweep->is_on_shelf) {
        sweep->cursor = fil_map_scan_collections_here(sweep->map, id, slice, add_key, &looking);
        sweep->is_on_shelf = sweep->cursor != FIL_STORE_SCAN_END;
        return looking.looks;
    }
    bool skips_strings = sweep->has_type && sweep->type != FIL_RESP_TYPE_STRING;
    bool skips_shelf = sweep->has_type && sweep->type <= FIL_RESP_TYPE_STRING;
    sweep->cursor = skips_strings ? FIL_STORE_SCAN_END
                                  : fil_map_scan_here(sweep->map, id, slice, add_key, &looking);
    if (sweep->cursor == FIL_STORE_SCAN_END && !skips_shelf &&
        fil_map_has_collections_here(sweep->map, id)) {
        sweep->is_on_shelf = true;
        sweep->cursor = 0;
    }
    return looking.looks;
}

static void move_body(struct fil_resp_sweep *sweep, struct fil_output *output)
{
    fil_chunk_queue_move(&output->queue, &sweep->body.queue);
}

static void sum_up_keys(struct fil_resp_sweep *sweep, struct fil_output *output)
{
    fil_resp_array(output, sweep->count);
    move_body(sweep, output);
}

/** Memory is out for the sweep. */
static void refuse(struct fil_resp_session *session)
{
    fil_resp_out_of_memory(fil_resp_output(session));
}

FIL_RESP_HANDLER(keys)
{
    fil_role_assert_io();
    struct fil_resp_sweep *sweep = fil_resp_sweep_new(session, fil_resp_argument(command, 1));
    if (sweep == NULL) {
        refuse(session);
        return;
    }
    sweep->visit = visit_keys;
    sweep->sum_up = sum_up_keys;
    sweep->has_match = !fil_bytes_equal_text(sweep->pattern, "*");
    fil_resp_sweep_start(sweep);
}

/** Where SCAN goes on; 0 when it has seen everything. */
static uint64_t cursor_of(const struct fil_resp_sweep *sweep)
{
    if (sweep->map_index >= sweep->map_end) {
        return 0;
    }
    return ((uint64_t)sweep->partition_id << CURSOR_BITS) | sweep->cursor |
           (sweep->is_on_shelf ? CURSOR_ON_SHELF : 0);
}

static void sum_up_scan(struct fil_resp_sweep *sweep, struct fil_output *output)
{
    char cursor[CURSOR_TEXT_BYTES];
    size_t size = fil_resp_word_of_integer((int64_t)cursor_of(sweep), cursor);
    fil_resp_array(output, 2);
    fil_resp_bulk(output, fil_bytes_make(cursor, size));
    sum_up_keys(sweep, output);
}

/** What SCAN was asked for. */
struct scan {
    uint64_t cursor;
    int64_t count;
    struct fil_bytes pattern;
    bool has_match;
    bool has_type;
    enum fil_resp_type type;
};

/** Redis takes what strtoul takes; we take its digits. */
static bool read_scan(const struct fil_resp_command *command, struct scan *scan,
                      struct fil_output *output)
{
    struct fil_bytes cursor = fil_resp_argument(command, 1);
    // As Redis has it, no digits at all are 0.
    if (cursor.size > 0 && !fil_bytes_to_u64(cursor, &scan->cursor)) {
        fil_resp_error(output, "ERR invalid cursor");
        return false;
    }
    for (uint32_t i = 2; i < command->count; i += 2) {
        bool has_value = i + 1 < command->count;
        if (fil_resp_word_is(command, i, "count") && has_value) {
            if (!fil_resp_word_to_integer(fil_resp_argument(command, i + 1), &scan->count)) {
                fil_resp_error(output, FIL_RESP_NOT_INTEGER);
                return false;
            }
        } else if (fil_resp_word_is(command, i, "match") && has_value) {
            scan->pattern = fil_resp_argument(command, i + 1);
            scan->has_match = !fil_bytes_equal_text(scan->pattern, "*");
        } else if (fil_resp_word_is(command, i, "type") && has_value) {
            scan->has_type = true;
            scan->type = fil_resp_type_of_name(fil_resp_argument(command, i + 1));
        } else {
            scan->count = 0;
        }
        if (scan->count < 1) {
            fil_resp_error(output, FIL_RESP_SYNTAX);
            return false;
        }
    }
    return true;
}

/** Where the cursor says that it goes on. */
static void resume_scan(struct fil_resp_sweep *sweep, uint64_t cursor)
{
    uint64_t partition = (cursor & ~CURSOR_ON_SHELF) >> CURSOR_BITS;
    if (partition >= sweep->partition_count) {
        // Of another member, or made up: there is nothing behind it.
        sweep->is_done = true;
        sweep->map_index = sweep->map_end;
        return;
    }
    sweep->partition_id = (fil_partition_id)partition;
    sweep->partitions_left = sweep->partition_count - (uint32_t)partition;
    sweep->cursor = cursor & ((UINT64_C(1) << CURSOR_BITS) - 1);
    sweep->is_on_shelf = (cursor & CURSOR_ON_SHELF) != 0;
}

FIL_RESP_HANDLER(scan)
{
    fil_role_assert_io();
    struct scan scan = {.count = SCAN_COUNT_USUAL};
    if (!read_scan(command, &scan, fil_resp_output(session))) {
        return;
    }
    struct fil_resp_sweep *sweep = fil_resp_sweep_new(session, scan.pattern);
    if (sweep == NULL) {
        refuse(session);
        return;
    }
    sweep->visit = visit_keys;
    sweep->has_type = scan.has_type;
    sweep->type = scan.type;
    sweep->sum_up = sum_up_scan;
    sweep->has_match = scan.has_match;
    sweep->looks_max = (uint64_t)scan.count;
    resume_scan(sweep, scan.cursor);
    fil_resp_sweep_start(sweep);
}

static uint32_t visit_random(struct fil_resp_sweep *sweep, uint64_t now_ms, uint32_t budget)
{
    (void)budget;
    struct fil_store_view view;
    sweep->cursor = FIL_STORE_SCAN_END;
    if (fil_resp_key_pick(sweep->map, sweep->partition_id, now_ms, sweep->random, &view)) {
        fil_resp_bulk(&sweep->body, view.key);
        sweep->count = 1;
        return 1;
    }
    return 0;
}

static void sum_up_random(struct fil_resp_sweep *sweep, struct fil_output *output)
{
    if (sweep->count == 0) {
        fil_resp_null(output, sweep->version);
    } else {
        move_body(sweep, output);
    }
}

FIL_RESP_HANDLER(randomkey)
{
    fil_role_assert_io();
    (void)command;
    uint32_t random = 0;
    struct fil_env *env = session->server->options.env;
    struct fil_resp_sweep *sweep = fil_resp_sweep_new(session, fil_bytes_make(NULL, 0));
    if (sweep == NULL) {
        refuse(session);
        return;
    }
    env->ops->random(env, &random, sizeof(random));
    sweep->visit = visit_random;
    sweep->sum_up = sum_up_random;
    sweep->looks_max = 1;
    sweep->random = random;
    sweep->partition_id = random % sweep->partition_count;
    fil_resp_sweep_start(sweep);
}

static uint32_t visit_clear(struct fil_resp_sweep *sweep, uint64_t now_ms, uint32_t budget)
{
    const struct fil_store *store = &sweep->map->shards[sweep->partition_id].store;
    uint32_t before = fil_store_count(store);
    sweep->cursor =
        fil_map_clear_here(sweep->map, sweep->partition_id, sweep->cursor, budget, now_ms);
    uint32_t removed = before - fil_store_count(store);
    sweep->count += removed;
    if (sweep->cursor == FIL_STORE_SCAN_END &&
        fil_map_clear_collections_here(sweep->map, sweep->partition_id, budget, now_ms)) {
        sweep->cursor = FIL_STORE_SCAN_END - 1; // as good as the end, for the entries
        return budget;
    }
    if (sweep->cursor == FIL_STORE_SCAN_END && sweep->partitions_left == 1) {
        fil_map_tell_cleared_here(sweep->map, sweep->partition_id, sweep->count);
        sweep->count = 0; // of the next database
    }
    return removed;
}

static void sum_up_clear(struct fil_resp_sweep *sweep, struct fil_output *output)
{
    (void)sweep;
    fil_resp_simple(output, "OK");
}

/** ASYNC and SYNC are the same here: neither holds anybody up. */
static bool read_flush(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    bool is_sound =
        command->count == 1 || (command->count == 2 && (fil_resp_word_is(command, 1, "async") ||
                                                        fil_resp_word_is(command, 1, "sync")));
    if (!is_sound) {
        fil_resp_error(fil_resp_output(session), FIL_RESP_SYNTAX);
    }
    return is_sound;
}

/** Whether a database of the sweep has collections, of which each may be huge. */
static bool has_collections(const struct fil_resp_sweep *sweep)
{
    uint64_t count = fil_map_collection_count(sweep->map);
    for (uint32_t i = sweep->map_index + 1; i < sweep->map_end && count == 0; i++) {
        const struct fil_map *map = fil_resp_database_find(sweep->call.session->server, i);
        count = map == NULL ? 0 : fil_map_collection_count(map);
    }
    return count > 0;
}

static void flush(struct fil_resp_session *session, const struct fil_resp_command *command,
                  bool is_all) FIL_RUNS_ON(io)
{
    if (!read_flush(session, command)) {
        return;
    }
    struct fil_resp_sweep *sweep = fil_resp_sweep_new(session, fil_bytes_make(NULL, 0));
    if (sweep == NULL) {
        refuse(session);
        return;
    }
    sweep->visit = visit_clear;
    sweep->sum_up = sum_up_clear;
    if (is_all) {
        sweep->map = fil_resp_database_find(session->server, 0);
        sweep->map_end = FIL_RESP_DATABASES;
    }
    sweep->call.is_slow = has_collections(sweep);
    fil_resp_sweep_start(sweep);
}

FIL_RESP_HANDLER(flushdb)
{
    fil_role_assert_io();
    flush(session, command, false);
}

FIL_RESP_HANDLER(flushall)
{
    fil_role_assert_io();
    flush(session, command, true);
}
