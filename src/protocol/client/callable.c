// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/callable.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/reader.h"
#include "lib/json/json.h"
#include "protocol/client/serialization.h"

#define TYPE_OBJECT   (-2) // a DataSerializable
#define IS_IDENTIFIED 1U
#define IS_VERSIONED  2U

// Hazelcast's own object around a Runnable.
#define EXECUTOR_FACTORY (-7)
#define RUNNABLE_ADAPTER 2
#define WRAPPERS_MAX     2U
#define OBJECT_VERSION   2U // bytes

/** The name and what stands behind the first blank. */
static int split(struct fil_wire_callable *callable, struct fil_bytes text)
{
    size_t at = fil_bytes_find(text, ' ');
    callable->name = fil_bytes_make(text.data, at);
    callable->argument = at < text.size ? fil_bytes_make(text.data + at + 1, text.size - at - 1)
                                        : fil_bytes_make(text.data + text.size, 0);
    return FIL_OK;
}

static int take_name(struct fil_wire_callable *callable, const struct fil_json *json)
{
    const struct fil_json_node *name = fil_json_member(json, json->nodes, fil_bytes_of("function"));
    if (name == NULL || name->kind != FIL_JSON_STRING ||
        name->end - name->start > FIL_WIRE_CALLABLE_NAME_MAX) {
        return FIL_E_MALFORMED;
    }
    size_t size = fil_json_string(json, name, callable->name_room);
    callable->name = fil_bytes_make(callable->name_room, size);
    return FIL_OK;
}

static int read_document(struct fil_wire_callable *callable, const struct fil_json *json)
{
    int error = take_name(callable, json);
    const struct fil_json_node *argument =
        fil_json_member(json, json->nodes, fil_bytes_of("argument"));
    if (error == FIL_OK && argument != NULL) {
        callable->argument = fil_json_text(json, argument);
        callable->is_quoted = argument->kind == FIL_JSON_STRING;
    }
    return error;
}

static int read_json(struct fil_wire_callable *callable, struct fil_bytes text,
                     const char **out_reason)
{
    struct fil_json json;
    int error = fil_json_read(&json, text);
    if (error == FIL_OK) {
        error = read_document(callable, &json);
    }
    fil_json_release(&json);
    *out_reason = "must be {\"function\": \"name\", \"argument\": ...}";
    return error;
}

/** A string's or JSON's payload. */
static int read_text(struct fil_wire_callable *callable, int32_t type, struct fil_reader *reader,
                     const char **out_reason)
{
    uint32_t size = 0;
    struct fil_bytes text;
    if (!fil_reader_u32_be(reader, &size) || !fil_reader_take(reader, size, &text)) {
        *out_reason = "is cut off";
        return FIL_E_MALFORMED;
    }
    return type == FIL_WIRE_DATA_STRING ? split(callable, text)
                                        : read_json(callable, text, out_reason);
}

static int read_object(struct fil_wire_callable *callable, struct fil_reader *reader,
                       const char **out_reason)
{
    uint8_t flags = 0;
    uint32_t factory_id = 0;
    uint32_t class_id = 0;
    if (!fil_reader_u8(reader, &flags)) {
        *out_reason = "is cut off";
        return FIL_E_MALFORMED;
    }
    if ((flags & IS_IDENTIFIED) == 0) {
        *out_reason = "names a Java class: members run only their own functions";
        return FIL_E_UNSUPPORTED;
    }
    if (!fil_reader_u32_be(reader, &factory_id) || !fil_reader_u32_be(reader, &class_id) ||
        ((flags & IS_VERSIONED) != 0 && !fil_reader_skip(reader, OBJECT_VERSION))) {
        *out_reason = "is cut off";
        return FIL_E_MALFORMED;
    }
    callable->has_ids = true;
    callable->factory_id = (int32_t)factory_id;
    callable->class_id = (int32_t)class_id;
    callable->argument = fil_reader_rest(reader);
    return FIL_OK;
}

static bool is_wrapper(const struct fil_wire_callable *callable)
{
    return callable->has_ids && callable->factory_id == EXECUTOR_FACTORY &&
           callable->class_id == RUNNABLE_ADAPTER;
}

/** A type and its payload. */
static int read_typed(struct fil_wire_callable *callable, struct fil_reader *reader,
                      const char **out_reason)
{
    uint32_t type = 0;
    callable->has_ids = false;
    if (!fil_reader_u32_be(reader, &type)) {
        *out_reason = "is cut off";
        return FIL_E_MALFORMED;
    }
    if ((int32_t)type == TYPE_OBJECT) {
        return read_object(callable, reader, out_reason);
    }
    if ((int32_t)type == FIL_WIRE_DATA_STRING || (int32_t)type == FIL_WIRE_DATA_JSON) {
        return read_text(callable, (int32_t)type, reader, out_reason);
    }
    *out_reason = "must be a string, JSON or an IdentifiedDataSerializable that names a function";
    return FIL_E_UNSUPPORTED;
}

int fil_wire_callable_decode(struct fil_bytes data, struct fil_wire_callable *out_callable,
                             const char **out_reason)
{
    struct fil_reader reader;
    *out_callable = (struct fil_wire_callable){.argument = fil_bytes_of("")};
    *out_reason = NULL;
    fil_assert(data.size >= FIL_WIRE_DATA_SIZE_MIN);
    fil_reader_init(&reader, fil_wire_data_identity(data));
    int error = read_typed(out_callable, &reader, out_reason);
    for (uint32_t i = 0; i < WRAPPERS_MAX && error == FIL_OK && is_wrapper(out_callable); i++) {
        fil_reader_init(&reader, out_callable->argument);
        error = read_typed(out_callable, &reader, out_reason);
    }
    return error;
}

size_t fil_wire_callable_unquote(const struct fil_wire_callable *callable, uint8_t *out_bytes)
{
    struct fil_json_unescaper unescaper = fil_json_unescape(callable->argument);
    uint8_t piece[4];
    size_t size = 0;
    fil_assert(callable->is_quoted);
    for (uint32_t count = fil_json_take_piece(&unescaper, piece); count > 0;
         count = fil_json_take_piece(&unescaper, piece)) {
        fil_assert(size + count <= callable->argument.size);
        memcpy(out_bytes + size, piece, count);
        size += count;
    }
    return size;
}
