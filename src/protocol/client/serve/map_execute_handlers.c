// SPDX-License-Identifier: Apache-2.0
/**
 * Requests that run an entry processor. Clients cannot send code, so they name one of the member's:
 * a string "increment" or "increment 5", whose rest is its argument, or a list of strings with the
 * name first. It sees keys and values in the form of the map, and its result is a string.
 */
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/runner.h"
#include "filbert/error.h"
#include "grid/map/processor.h"
#include "lib/base/hash.h"
#include "lib/base/reader.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serialization.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/serve/whole.h"

#define TYPE_STRINGS (-20) // an array of strings
#define TYPE_LIST    (-29)

static int refuse(struct fil_wire_task *task, const char *reason)
{
    task->fault = (struct fil_wire_fault){.field = "processor", .reason = reason};
    return FIL_E_UNSUPPORTED;
}

/** A string of a list, whose items bear their types, or of an array, whose items do not. */
static bool read_string(struct fil_reader *reader, bool has_type, struct fil_bytes *out_text)
{
    uint32_t type = (uint32_t)FIL_WIRE_DATA_STRING;
    uint32_t size = 0;
    return (!has_type || fil_reader_u32_be(reader, &type)) &&
           type == (uint32_t)FIL_WIRE_DATA_STRING && fil_reader_u32_be(reader, &size) &&
           fil_reader_take(reader, size, out_text);
}

static bool read_words(struct fil_bytes data, struct fil_bytes *out_words, uint32_t *out_count)
{
    struct fil_reader reader;
    uint32_t count = 0;
    fil_reader_init(&reader, data);
    if (!fil_reader_skip(&reader, FIL_WIRE_DATA_SIZE_MIN) || !fil_reader_u32_be(&reader, &count) ||
        count == 0 || count > FIL_WIRE_ARGUMENTS_MAX + 1) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!read_string(&reader, fil_wire_data_type(data) == TYPE_LIST, &out_words[i])) {
            return false;
        }
    }
    *out_count = count;
    return true;
}

/** The name and what stands behind the first blank. */
static void split(struct fil_bytes text, struct fil_bytes *out_words, uint32_t *out_count)
{
    size_t at = fil_bytes_find(text, ' ');
    out_words[0] = fil_bytes_make(text.data, at);
    *out_count = 1;
    if (at < text.size) {
        out_words[1] = fil_bytes_make(text.data + at + 1, text.size - at - 1);
        *out_count = 2;
    }
}

/** Reads the processor, which the task keeps as its value. */
static int find_processor(struct fil_wire_task *task, struct fil_wire_processing *out_processing)
{
    struct fil_bytes words[FIL_WIRE_ARGUMENTS_MAX + 1] = {0};
    struct fil_wire_value value;
    uint32_t count = 0;
    int32_t type = fil_wire_data_type(task->value);
    if (type == FIL_WIRE_DATA_STRING && fil_wire_value_decode(task->value, &value) == FIL_OK) {
        split(value.text, words, &count);
    } else if ((type != TYPE_STRINGS && type != TYPE_LIST) ||
               !read_words(task->value, words, &count)) {
        return refuse(task, "must be named by a string: members run only their own");
    }
    const struct fil_map_processors *processors = &task->session->server->processors;
    out_processing->processor = fil_map_processors_find(processors, words[0]);
    if (out_processing->processor == NULL) {
        return refuse(task, "is not known to this member");
    }
    out_processing->argument_count = count - 1;
    memcpy(out_processing->arguments, words + 1, sizeof(out_processing->arguments));
    return FIL_OK;
}

static struct fil_map_process process_of(const struct fil_wire_processing *processing,
                                         uint64_t now_ms)
{
    return (struct fil_map_process){.processor = processing->processor,
                                    .arguments = processing->arguments,
                                    .argument_count = processing->argument_count,
                                    .now_ms = now_ms};
}

// One key.

#define READER(message_name)                                                                   \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                            \
    {                                                                                          \
        struct fil_wire_##message_name##_request request;                                      \
        struct fil_wire_processing processing;                                                 \
        int error = FIL_WIRE_READ(message_name, task, &request);                               \
        if (error != FIL_OK) {                                                                 \
            return error;                                                                      \
        }                                                                                      \
        task->thread_id = request.thread_id;                                                   \
        task->value = request.entry_processor;                                                 \
        error = find_processor(task, &processing);                                             \
        return error == FIL_OK ? fil_wire_task_place(task, request.name, request.key) : error; \
    }

READER(map_execute_on_key)
READER(map_submit_to_key)

static int run_on_key(struct fil_wire_task *task)
{
    struct fil_wire_processing processing;
    struct fil_map_buffer result;
    bool has_result = false;
    int error = fil_wire_task_check_lock(task);
    if (error == FIL_OK) {
        error = find_processor(task, &processing);
    }
    if (error != FIL_OK) {
        return error;
    }
    fil_map_buffer_init(&result);
    struct fil_map_process process = process_of(&processing, task->now_ms);
    error = fil_map_process_here(task->map, &task->key, &process, &result, &has_result);
    if (error == FIL_OK) {
        struct fil_bytes bytes = fil_map_buffer_bytes(&result);
        error = fil_wire_answer_form(task, has_result ? bytes : (struct fil_bytes){0});
    }
    fil_map_buffer_fini(&result);
    return error;
}

int fil_wire__map_execute_on_key_run(struct fil_wire_task *task)
{
    return run_on_key(task);
}

int fil_wire__map_submit_to_key_run(struct fil_wire_task *task)
{
    return run_on_key(task);
}

// Many keys.

/** A reader of a request about many; the statements take over what it has besides. */
#define MANY_READER(message_name, statements)                                        \
    int fil_wire__##message_name##_read(struct fil_wire_task *task)                  \
    {                                                                                \
        struct fil_wire_##message_name##_request request;                            \
        struct fil_wire_processing processing;                                       \
        int error = FIL_WIRE_READ(message_name, task, &request);                     \
        if (error != FIL_OK) {                                                       \
            return error;                                                            \
        }                                                                            \
        task->value = request.entry_processor;                                       \
        statements;                                                                  \
        if (error == FIL_OK) {                                                       \
            error = find_processor(task, &processing);                               \
        }                                                                            \
        return error == FIL_OK ? fil_wire_task_find_map(task, request.name) : error; \
    }

MANY_READER(map_execute_on_all_keys, (void)0)
MANY_READER(map_execute_with_predicate,
            error = fil_wire_task_take_predicate(task, request.predicate))
MANY_READER(map_execute_on_keys, task->part = request.keys)

/** Writes a key's result, or ends the walk with its error. */
static void write_result(void *context, struct fil_bytes key, int error, bool has_result,
                         struct fil_bytes result)
{
    struct fil_wire_call *call = context;
    struct fil_map_walk *walk = &call->process_walk.walk;
    fil_partition_id id = walk->op.partition_id;
    struct fil_wire_form_place place = {id, walk->map->partition_count};
    if (error == FIL_OK && has_result) {
        // Chunks come from the thread that is inside.
        call->writer.pool = fil_exec_partition(walk->map->exec, id)->runner->chunks;
        fil_wire_writer_form_key(&call->writer, key, place);
        fil_wire_writer_form(&call->writer, result);
        error = call->writer.error;
    }
    if (error != FIL_OK && walk->error == FIL_OK) {
        walk->error = error;
        walk->is_over = true;
    }
}

static bool is_meant(void *context, const struct fil_store_view *view)
{
    struct fil_wire_call *call = context;
    return fil_wire_task_means(&call->task, view);
}

static void prepare(struct fil_wire_call *call)
{
    int error = find_processor(&call->task, &call->processing);
    fil_assert(error == FIL_OK); // it has been read before
    call->process_walk.process = process_of(&call->processing, 0);
    call->process_walk.processed = write_result;
    call->process_walk.is_meant = is_meant;
    call->process_walk.context = call;
}

void fil_wire__map_execute_on_all_keys_walk(struct fil_wire_call *call)
{
    prepare(call);
    fil_wire_whole_open(call);
    fil_map_walk_process(&call->process_walk, call->task.map);
}

int fil_wire__map_execute_on_all_keys_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

void fil_wire__map_execute_with_predicate_walk(struct fil_wire_call *call)
{
    prepare(call);
    fil_wire_whole_open(call);
    fil_map_walk_process(&call->process_walk, call->task.map);
}

int fil_wire__map_execute_with_predicate_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}

/** On all entries of one partition, and nobody wants the results. */
int fil_wire__map_replace_all_read(struct fil_wire_task *task)
{
    struct fil_wire_map_replace_all_request request;
    struct fil_wire_processing processing;
    int error = FIL_WIRE_READ(map_replace_all, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    task->value = request.function;
    error = find_processor(task, &processing);
    return error == FIL_OK ? fil_wire_task_enter(task, request.name) : error;
}

static void note_error(void *context, struct fil_bytes key, int error, bool has_result,
                       struct fil_bytes result)
{
    (void)has_result;
    (void)result;
    write_result(context, key, error, false, (struct fil_bytes){0});
}

void fil_wire__map_replace_all_walk(struct fil_wire_call *call)
{
    prepare(call);
    call->process_walk.processed = note_error;
    fil_map_walk_process(&call->process_walk, call->task.map);
    call->walk.only = &call->task.key.partition_id;
    call->walk.only_count = 1;
}

int fil_wire__map_replace_all_run(struct fil_wire_task *task)
{
    return fil_wire_answer_empty(task);
}

static void process_key(struct fil_wire_call *call, const struct fil_map_key *key)
{
    struct fil_map_process process = call->process_walk.process;
    struct fil_map_buffer result;
    bool has_result = false;
    fil_map_buffer_init(&result);
    process.now_ms = call->process_walk.walk.now_ms;
    int error = fil_map_process_here(call->task.map, key, &process, &result, &has_result);
    write_result(call, key->bytes, error, has_result, fil_map_buffer_bytes(&result));
    fil_map_buffer_fini(&result);
}

/** Those of the keys that live in this partition. */
static uint64_t slice_keys(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct fil_wire_call *call = FIL_CONTAINER_OF(walk, struct fil_wire_call, process_walk.walk);
    struct fil_wire_cursor cursor = fil_wire_part_open(&call->task.part);
    struct fil_bytes data;
    while (!walk->is_over && fil_wire_cursor_data(&cursor, &data)) {
        if (fil_wire_partition_of_key(data, walk->map->partition_count) != partition->id) {
            continue;
        }
        struct fil_bytes form = fil_wire_form_of_key(data);
        struct fil_map_key key = {
            .bytes = form, .hash = fil_hash(form, walk->map->seed), .partition_id = partition->id};
        process_key(call, &key);
    }
    return FIL_STORE_SCAN_END;
}

void fil_wire__map_execute_on_keys_walk(struct fil_wire_call *call)
{
    prepare(call);
    fil_wire_whole_open(call);
    fil_map_walk_init(&call->process_walk.walk, call->task.map, "map_execute_on_keys", slice_keys);
}

int fil_wire__map_execute_on_keys_run(struct fil_wire_task *task)
{
    return fil_wire_whole_end(task);
}
