// SPDX-License-Identifier: Apache-2.0
/** Values between the application and the wire. */
#include "filbert/value.h"

#include <string.h>

#include "client/client_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/serialization.h"

struct fil_value fil_null(void)
{
    return (struct fil_value){.type = FIL_VALUE_NULL};
}

struct fil_value fil_bool(bool boolean)
{
    return (struct fil_value){.type = FIL_VALUE_BOOL, .as = {.boolean = boolean}};
}

struct fil_value fil_i32(int32_t integer)
{
    return (struct fil_value){.type = FIL_VALUE_I32, .as = {.integer = integer}};
}

struct fil_value fil_i64(int64_t integer)
{
    return (struct fil_value){.type = FIL_VALUE_I64, .as = {.integer = integer}};
}

struct fil_value fil_f64(double real)
{
    return (struct fil_value){.type = FIL_VALUE_F64, .as = {.real = real}};
}

static struct fil_value make_bytes(enum fil_value_type type, const void *data, size_t size)
{
    if (data == NULL) {
        return fil_null();
    }
    return (struct fil_value){.type = type, .as = {.bytes = {.data = data, .size = size}}};
}

struct fil_value fil_str(const char *text)
{
    return make_bytes(FIL_VALUE_STR, text, text == NULL ? 0 : strlen(text));
}

struct fil_value fil_text(const char *text, size_t size)
{
    return make_bytes(FIL_VALUE_STR, text, size);
}

struct fil_value fil_json(const char *text)
{
    return make_bytes(FIL_VALUE_JSON, text, text == NULL ? 0 : strlen(text));
}

struct fil_value fil_blob(const void *data, size_t size)
{
    return make_bytes(FIL_VALUE_BLOB, data, size);
}

struct fil_value fil_data(const void *data, size_t size)
{
    return make_bytes(FIL_VALUE_DATA, data, size);
}

bool fil_value_is_null(const struct fil_value *value)
{
    return value->type == FIL_VALUE_NULL;
}

static bool has_bytes(const struct fil_value *value)
{
    return value->type == FIL_VALUE_STR || value->type == FIL_VALUE_BLOB ||
           value->type == FIL_VALUE_JSON || value->type == FIL_VALUE_DATA;
}

static bool is_real(const struct fil_value *value)
{
    return value->type == FIL_VALUE_F32 || value->type == FIL_VALUE_F64;
}

static bool is_integer(const struct fil_value *value)
{
    return value->type >= FIL_VALUE_I8 && value->type <= FIL_VALUE_I64;
}

const char *fil_value_str(const struct fil_value *value)
{
    bool is_text = value->type == FIL_VALUE_STR || value->type == FIL_VALUE_JSON;
    return is_text ? (const char *)value->as.bytes.data : "";
}

int64_t fil_value_i64(const struct fil_value *value)
{
    if (is_integer(value)) {
        return value->as.integer;
    }
    if (is_real(value) && value->as.real > -9.2e18 && value->as.real < 9.2e18) {
        return (int64_t)value->as.real;
    }
    return value->type == FIL_VALUE_BOOL && value->as.boolean;
}

double fil_value_f64(const struct fil_value *value)
{
    return is_real(value) ? value->as.real : (double)fil_value_i64(value);
}

bool fil_value_equal(const struct fil_value *a, const struct fil_value *b)
{
    if (a->type != b->type || a->type == FIL_VALUE_NULL) {
        return a->type == b->type;
    }
    if (has_bytes(a)) {
        return fil_bytes_equal(fil_bytes_make(a->as.bytes.data, a->as.bytes.size),
                               fil_bytes_make(b->as.bytes.data, b->as.bytes.size));
    }
    if (is_real(a)) {
        // Not a number is the same as itself here.
        return !(a->as.real < b->as.real) && !(a->as.real > b->as.real);
    }
    if (a->type == FIL_VALUE_UUID) {
        return a->as.uuid.high == b->as.uuid.high && a->as.uuid.low == b->as.uuid.low;
    }
    return fil_value_i64(a) == fil_value_i64(b);
}

void fil_value_release(struct fil_value *value)
{
    if (value != NULL) {
        fil_free(value->memory);
        *value = fil_null();
    }
}

void fil_values_release(struct fil_values *values)
{
    if (values != NULL) {
        fil_free(values->memory);
        *values = (struct fil_values){0};
    }
}

void fil_entries_release(struct fil_entries *entries)
{
    if (entries != NULL) {
        fil_free(entries->memory);
        *entries = (struct fil_entries){0};
    }
}

/** Which type of the wire a type here is; both ways by one table. */
static const enum fil_wire_data_type wire_types[] = {
    [FIL_VALUE_NULL] = FIL_WIRE_DATA_NULL,   [FIL_VALUE_BOOL] = FIL_WIRE_DATA_BOOLEAN,
    [FIL_VALUE_I8] = FIL_WIRE_DATA_BYTE,     [FIL_VALUE_I16] = FIL_WIRE_DATA_SHORT,
    [FIL_VALUE_I32] = FIL_WIRE_DATA_INTEGER, [FIL_VALUE_I64] = FIL_WIRE_DATA_LONG,
    [FIL_VALUE_F32] = FIL_WIRE_DATA_FLOAT,   [FIL_VALUE_F64] = FIL_WIRE_DATA_DOUBLE,
    [FIL_VALUE_STR] = FIL_WIRE_DATA_STRING,  [FIL_VALUE_BLOB] = FIL_WIRE_DATA_BYTES,
    [FIL_VALUE_JSON] = FIL_WIRE_DATA_JSON,   [FIL_VALUE_UUID] = FIL_WIRE_DATA_UUID,
};

static struct fil_wire_value to_wire(const struct fil_value *value)
{
    fil_assert((size_t)value->type < FIL_COUNT_OF(wire_types));
    enum fil_wire_data_type type = wire_types[value->type];
    if (has_bytes(value)) {
        struct fil_bytes text = fil_bytes_make(value->as.bytes.data, value->as.bytes.size);
        return fil_wire_value_text(type, text);
    }
    if (is_real(value)) {
        return fil_wire_value_real(type, value->as.real);
    }
    if (value->type == FIL_VALUE_BOOL) {
        return fil_wire_value_boolean(value->as.boolean);
    }
    if (value->type == FIL_VALUE_UUID) {
        return (struct fil_wire_value){
            .type = type, .uuid = {.high = value->as.uuid.high, .low = value->as.uuid.low}};
    }
    return fil_wire_value_integer(type, value->as.integer);
}

/** Whether a request can carry it: a known type, and bytes that are there. */
static bool is_sendable(const struct fil_value *value)
{
    if (value->type <= FIL_VALUE_NULL || value->type > FIL_VALUE_DATA) {
        return false;
    }
    if (!has_bytes(value)) {
        return true;
    }
    return value->as.bytes.data != NULL && value->as.bytes.size < FIL_WIRE_FRAME_MAX / 2;
}

int fil_client__value_encode(const struct fil_value *value, uint8_t *room, size_t room_size,
                             struct fil_bytes *out_data, void **out_heap)
{
    *out_heap = NULL;
    if (!is_sendable(value)) {
        return FIL_E_INVALID;
    }
    if (value->type == FIL_VALUE_DATA) {
        *out_data = fil_bytes_make(value->as.bytes.data, value->as.bytes.size);
        return fil_wire_is_data(*out_data) ? FIL_OK : FIL_E_INVALID;
    }
    struct fil_wire_value wire = to_wire(value);
    size_t size = fil_wire_value_size(&wire);
    if (size > room_size) {
        *out_heap = fil_alloc(size);
        room = *out_heap;
        if (room == NULL) {
            return FIL_E_NOMEM;
        }
    }
    struct fil_writer writer;
    fil_writer_init(&writer, room, size);
    int error = fil_wire_value_encode(&wire, &writer);
    fil_assert(error == FIL_OK && writer.size == size);
    *out_data = fil_writer_written(&writer);
    return FIL_OK;
}

static struct fil_value from_wire(enum fil_value_type type, const struct fil_wire_value *wire)
{
    struct fil_value value = {.type = type};
    if (has_bytes(&value)) {
        value.as.bytes = (struct fil_span){.data = wire->text.data, .size = wire->text.size};
    } else if (is_real(&value)) {
        value.as.real = wire->real;
    } else if (type == FIL_VALUE_BOOL) {
        value.as.boolean = wire->boolean;
    } else if (type == FIL_VALUE_UUID) {
        value.as.uuid = (struct fil_uuid){.high = wire->uuid.high, .low = wire->uuid.low};
    } else {
        value.as.integer = wire->integer;
    }
    return value;
}

struct fil_value fil_client__value_view(struct fil_bytes data)
{
    struct fil_wire_value wire;
    if (data.data == NULL || !fil_wire_is_data(data)) {
        return fil_null();
    }
    if (fil_wire_value_decode(data, &wire) == FIL_OK) {
        for (uint32_t i = FIL_VALUE_BOOL; i < FIL_COUNT_OF(wire_types); i++) {
            bool is_text = wire.type == FIL_WIRE_DATA_STRING || wire.type == FIL_WIRE_DATA_JSON ||
                           wire.type == FIL_WIRE_DATA_BYTES;
            // A text or array that is null itself stays what it is: serialized bytes.
            if (wire_types[i] == wire.type && !(is_text && wire.text.data == NULL)) {
                return from_wire((enum fil_value_type)i, &wire);
            }
        }
    }
    return fil_data(data.data, data.size);
}

int fil_client__value_copy(const struct fil_value *value, struct fil_value *out_value)
{
    *out_value = *value;
    out_value->memory = NULL;
    if (!has_bytes(value)) {
        return FIL_OK;
    }
    size_t size = value->as.bytes.size;
    uint8_t *memory = fil_alloc(size + 1);
    if (memory == NULL) {
        *out_value = fil_null();
        return FIL_E_NOMEM;
    }
    if (size > 0) {
        memcpy(memory, value->as.bytes.data, size);
    }
    memory[size] = 0;
    out_value->as.bytes.data = memory;
    out_value->memory = memory;
    return FIL_OK;
}

int fil_client__value_read(enum fil_client_answer answer, struct fil_bytes message,
                           struct fil_value *out_value)
{
    struct fil_wire_cursor cursor;
    const uint8_t *content = fil_wire_cursor_open(&cursor, message, FIL_WIRE_RESPONSE_SIZE);
    size_t fixed = content == NULL ? 0 : (size_t)(cursor.position - content);
    struct fil_bytes data = {0};
    *out_value = fil_null();
    if (content == NULL) {
        return FIL_E_MALFORMED;
    }
    switch (answer) {
    case FIL_CLIENT_ANSWER_DATA:
        if (!fil_wire_cursor_data_or_null(&cursor, &data)) {
            return FIL_E_MALFORMED;
        }
        *out_value = fil_client__value_view(data);
        return FIL_OK;
    case FIL_CLIENT_ANSWER_BOOL: // older members leave it out where it came later
        *out_value = fil_bool(fixed > FIL_WIRE_RESPONSE_SIZE && content[FIL_WIRE_RESPONSE_SIZE]);
        return FIL_OK;
    case FIL_CLIENT_ANSWER_I32:
        if (fixed < FIL_WIRE_RESPONSE_SIZE + sizeof(int32_t)) {
            return FIL_E_MALFORMED;
        }
        *out_value = fil_i32((int32_t)fil_load_u32_le(content + FIL_WIRE_RESPONSE_SIZE));
        return FIL_OK;
    case FIL_CLIENT_ANSWER_I64:
        if (fixed < FIL_WIRE_RESPONSE_SIZE + sizeof(int64_t)) {
            return FIL_E_MALFORMED;
        }
        *out_value = fil_i64((int64_t)fil_load_u64_le(content + FIL_WIRE_RESPONSE_SIZE));
        return FIL_OK;
    case FIL_CLIENT_ANSWER_NONE:
    case FIL_CLIENT_ANSWER_RAW:
    default:
        return FIL_OK;
    }
}
