// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serialization.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

#define TEXT_PREFIX 4U

int32_t fil_wire_data_hash(struct fil_bytes data)
{
    fil_assert(data.size >= FIL_WIRE_DATA_SIZE_MIN);
    uint32_t stored = fil_load_u32_be(data.data);
    if (stored != 0) {
        return (int32_t)stored;
    }
    return fil_murmur3(
        fil_bytes_make(data.data + FIL_WIRE_DATA_SIZE_MIN, data.size - FIL_WIRE_DATA_SIZE_MIN));
}

uint32_t fil_wire_partition_of_key(struct fil_bytes data, uint32_t partition_count)
{
    return fil_murmur3_partition(fil_wire_data_hash(data), partition_count);
}

uint32_t fil_wire_partition_of_name(struct fil_bytes name, uint32_t partition_count)
{
    size_t at = fil_bytes_find(name, '@');
    if (at < name.size) {
        // What stands behind the sign places the object.
        name = fil_bytes_make(name.data + at + 1, name.size - at - 1);
    }
    return fil_murmur3_partition(fil_murmur3_text(name), partition_count);
}

/** Payload size of a type that always has the same; 0: it has not, or the type is opaque. */
static size_t fixed_size(int32_t type)
{
    switch (type) {
    case FIL_WIRE_DATA_BYTE:
    case FIL_WIRE_DATA_BOOLEAN:
        return 1;
    case FIL_WIRE_DATA_SHORT:
        return 2;
    case FIL_WIRE_DATA_INTEGER:
    case FIL_WIRE_DATA_FLOAT:
        return 4;
    case FIL_WIRE_DATA_LONG:
    case FIL_WIRE_DATA_DOUBLE:
        return 8;
    case FIL_WIRE_DATA_UUID:
        return 16;
    default:
        return 0;
    }
}

static bool is_text(int32_t type)
{
    return type == FIL_WIRE_DATA_STRING || type == FIL_WIRE_DATA_BYTES ||
           type == FIL_WIRE_DATA_JSON;
}

static int decode_text(struct fil_bytes payload, struct fil_bytes *out_text)
{
    if (payload.size < TEXT_PREFIX || fil_load_u32_be(payload.data) != payload.size - TEXT_PREFIX) {
        return FIL_E_MALFORMED;
    }
    *out_text = fil_bytes_make(payload.data + TEXT_PREFIX, payload.size - TEXT_PREFIX);
    return FIL_OK;
}

static float load_float(const uint8_t *from)
{
    uint32_t raw = fil_load_u32_be(from);
    float value;
    memcpy(&value, &raw, sizeof(value));
    return value;
}

static double load_double(const uint8_t *from)
{
    uint64_t raw = fil_load_u64_be(from);
    double value;
    memcpy(&value, &raw, sizeof(value));
    return value;
}

/** The payload has the type's size. */
static void load_fixed(const uint8_t *from, struct fil_wire_value *value)
{
    switch (value->type) {
    case FIL_WIRE_DATA_BYTE:
        value->integer = *from < 0x80 ? *from : *from - 0x100;
        break;
    case FIL_WIRE_DATA_BOOLEAN:
        value->boolean = *from != 0;
        break;
    case FIL_WIRE_DATA_SHORT:
        value->integer = (int16_t)fil_load_u16_be(from);
        break;
    case FIL_WIRE_DATA_INTEGER:
        value->integer = (int32_t)fil_load_u32_be(from);
        break;
    case FIL_WIRE_DATA_LONG:
        value->integer = (int64_t)fil_load_u64_be(from);
        break;
    case FIL_WIRE_DATA_FLOAT:
        value->real = (double)load_float(from);
        break;
    case FIL_WIRE_DATA_DOUBLE:
        value->real = load_double(from);
        break;
    case FIL_WIRE_DATA_UUID:
        value->uuid =
            (struct fil_wire_uuid){.high = fil_load_u64_be(from), .low = fil_load_u64_be(from + 8)};
        break;
    case FIL_WIRE_DATA_NULL:
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_JSON:
        fil_assert(false);
    }
}

int fil_wire_value_decode(struct fil_bytes data, struct fil_wire_value *out_value)
{
    if (data.size < FIL_WIRE_DATA_SIZE_MIN) {
        return FIL_E_MALFORMED;
    }
    int32_t type = fil_wire_data_type(data);
    struct fil_bytes payload =
        fil_bytes_make(data.data + FIL_WIRE_DATA_SIZE_MIN, data.size - FIL_WIRE_DATA_SIZE_MIN);
    size_t size = fixed_size(type);
    if (size == 0 && !is_text(type) && type != FIL_WIRE_DATA_NULL) {
        return FIL_E_UNSUPPORTED;
    }
    *out_value = (struct fil_wire_value){.type = (enum fil_wire_data_type)type};
    if (is_text(type)) {
        return decode_text(payload, &out_value->text);
    }
    if (payload.size != size) {
        return FIL_E_MALFORMED;
    }
    if (size > 0) {
        load_fixed(payload.data, out_value);
    }
    return FIL_OK;
}

size_t fil_wire_value_size(const struct fil_wire_value *value)
{
    size_t payload =
        is_text(value->type) ? TEXT_PREFIX + value->text.size : fixed_size(value->type);
    return FIL_WIRE_DATA_SIZE_MIN + payload;
}

static uint64_t raw_bits(const struct fil_wire_value *value)
{
    uint64_t raw = 0;
    if (value->type == FIL_WIRE_DATA_FLOAT) {
        float narrow = (float)value->real;
        uint32_t bits = 0;
        memcpy(&bits, &narrow, sizeof(bits));
        raw = bits;
    } else if (value->type == FIL_WIRE_DATA_DOUBLE) {
        memcpy(&raw, &value->real, sizeof(raw));
    } else {
        raw = value->type == FIL_WIRE_DATA_BOOLEAN ? value->boolean : (uint64_t)value->integer;
    }
    return raw;
}

static void store_fixed(const struct fil_wire_value *value, uint8_t *to, size_t size)
{
    if (value->type == FIL_WIRE_DATA_UUID) {
        fil_store_u64_be(to, value->uuid.high);
        fil_store_u64_be(to + 8, value->uuid.low);
        return;
    }
    uint8_t big[8];
    fil_assert(size <= sizeof(big));
    fil_store_u64_be(big, raw_bits(value));
    memcpy(to, big + sizeof(big) - size, size);
}

int fil_wire_value_encode(const struct fil_wire_value *value, struct fil_writer *writer)
{
    if (is_text(value->type) && value->text.size > FIL_WIRE_FRAME_MAX) {
        return FIL_E_LIMIT;
    }
    uint8_t *to = fil_writer_reserve(writer, fil_wire_value_size(value));
    if (to == NULL) {
        return FIL_E_FULL;
    }
    fil_store_u32_be(to, 0);
    fil_store_u32_be(to + 4, (uint32_t)value->type);
    to += FIL_WIRE_DATA_SIZE_MIN;
    if (!is_text(value->type)) {
        store_fixed(value, to, fixed_size(value->type));
        return FIL_OK;
    }
    fil_store_u32_be(to, (uint32_t)value->text.size);
    if (value->text.size > 0) {
        memcpy(to + TEXT_PREFIX, value->text.data, value->text.size);
    }
    return FIL_OK;
}
