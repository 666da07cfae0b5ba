// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/schema.h"

#include <stdbool.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "protocol/client/codec.h"

#define RABIN_EMPTY UINT64_C(0xc15d213aa4d7a795)

static uint64_t add_byte(uint64_t fingerprint, uint8_t byte)
{
    uint64_t entry = (fingerprint ^ byte) & 0xFF;
    for (uint32_t bit = 0; bit < 8; bit++) {
        entry = entry >> 1 ^ (RABIN_EMPTY & (0 - (entry & 1)));
    }
    return fingerprint >> 8 ^ entry;
}

static uint64_t add_bytes(uint64_t fingerprint, struct fil_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        fingerprint = add_byte(fingerprint, bytes.data[i]);
    }
    return fingerprint;
}

static uint64_t add_number(uint64_t fingerprint, uint32_t number)
{
    uint8_t raw[4];
    fil_store_u32_le(raw, number);
    return add_bytes(fingerprint, fil_bytes_make(raw, sizeof(raw)));
}

static uint64_t add_text(uint64_t fingerprint, struct fil_bytes text)
{
    return add_bytes(add_number(fingerprint, (uint32_t)text.size), text);
}

/** A byte of UTF-8 in the order of UTF-16, which has what needs two units before U+E000. */
static uint32_t rank_of(uint8_t byte)
{
    return byte == 0xEE || byte == 0xEF ? byte + 0x100U : byte;
}

static int compare_names(struct fil_bytes a, struct fil_bytes b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    for (size_t i = 0; i < common; i++) {
        if (a.data[i] != b.data[i]) {
            return rank_of(a.data[i]) < rank_of(b.data[i]) ? -1 : 1;
        }
    }
    return (a.size > b.size) - (a.size < b.size);
}

/** Shell's sort: most clients send the fields in order, and a thousand in disorder take no time. */
static void sort_fields(struct fil_wire_schema_field *fields, uint32_t count)
{
    static const uint32_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < FIL_COUNT_OF(gaps); g++) {
        for (uint32_t i = gaps[g]; i < count; i++) {
            struct fil_wire_schema_field moved = fields[i];
            uint32_t at = i;
            for (; at >= gaps[g] && compare_names(fields[at - gaps[g]].name, moved.name) > 0;
                 at -= gaps[g]) {
                fields[at] = fields[at - gaps[g]];
            }
            fields[at] = moved;
        }
    }
}

/** False when two have the same name, or the part does not hold what it says. */
static bool collect_fields(const struct fil_wire_part *part, struct fil_wire_schema_field *fields)
{
    struct fil_wire_field_descriptor descriptor;
    struct fil_wire_cursor cursor = fil_wire_part_open(part);
    for (uint32_t i = 0; i < part->count; i++) {
        if (!FIL_WIRE_DECODE_ITEM(field_descriptor, &cursor, &descriptor)) {
            return false;
        }
        fields[i] =
            (struct fil_wire_schema_field){.name = descriptor.field_name, .kind = descriptor.kind};
    }
    sort_fields(fields, part->count);
    for (uint32_t i = 1; i < part->count; i++) {
        if (compare_names(fields[i - 1].name, fields[i].name) >= 0) {
            return false;
        }
    }
    return true;
}

int fil_wire_schema_sort(const struct fil_wire_schema *schema,
                         struct fil_wire_schema_field out_fields[FIL_WIRE_SCHEMA_FIELDS_MAX])
{
    if (schema->fields.count > FIL_WIRE_SCHEMA_FIELDS_MAX) {
        return FIL_E_LIMIT;
    }
    bool is_good =
        schema->fields.kind == FIL_WIRE_PART_FRAMES && collect_fields(&schema->fields, out_fields);
    return is_good ? FIL_OK : FIL_E_MALFORMED;
}

int fil_wire_schema_id(const struct fil_wire_schema *schema, int64_t *out_id)
{
    struct fil_wire_schema_field fields[FIL_WIRE_SCHEMA_FIELDS_MAX];
    uint32_t count = schema->fields.count;
    int error = fil_wire_schema_sort(schema, fields);
    if (error != FIL_OK) {
        return error;
    }
    uint64_t fingerprint = add_number(add_text(RABIN_EMPTY, schema->type_name), count);
    for (uint32_t i = 0; i < count; i++) {
        fingerprint = add_text(fingerprint, fields[i].name);
        fingerprint = add_number(fingerprint, (uint32_t)fields[i].kind);
    }
    *out_id = (int64_t)fingerprint;
    return FIL_OK;
}
