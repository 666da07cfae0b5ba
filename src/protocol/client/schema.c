// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/schema.h"

#include <stdbool.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "protocol/client/codec.h"

#define RABIN_EMPTY UINT64_C(0xc15d213aa4d7a795)

struct field {
    const uint8_t *name;
    uint32_t name_size;
    int32_t kind;
};

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

static struct fil_bytes name_of(const struct field *field)
{
    return fil_bytes_make(field->name, field->name_size);
}

static int compare_names(const struct field *a, const struct field *b)
{
    uint32_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
    for (uint32_t i = 0; i < common; i++) {
        if (a->name[i] != b->name[i]) {
            return rank_of(a->name[i]) < rank_of(b->name[i]) ? -1 : 1;
        }
    }
    return (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/** Shell's sort: most clients send the fields in order, and a thousand in disorder take no time. */
static void sort_fields(struct field *fields, uint32_t count)
{
    static const uint32_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < FIL_COUNT_OF(gaps); g++) {
        for (uint32_t i = gaps[g]; i < count; i++) {
            struct field moved = fields[i];
            uint32_t at = i;
            for (; at >= gaps[g] && compare_names(&fields[at - gaps[g]], &moved) > 0;
                 at -= gaps[g]) {
                fields[at] = fields[at - gaps[g]];
            }
            fields[at] = moved;
        }
    }
}

/** False when two have the same name, or the part does not hold what it says. */
static bool collect_fields(const struct fil_wire_part *part, struct field *fields)
{
    struct fil_wire_field_descriptor descriptor;
    struct fil_wire_cursor cursor = fil_wire_part_open(part);
    for (uint32_t i = 0; i < part->count; i++) {
        if (!FIL_WIRE_DECODE_ITEM(field_descriptor, &cursor, &descriptor)) {
            return false;
        }
        fields[i] = (struct field){.name = descriptor.field_name.data,
                                   .name_size = (uint32_t)descriptor.field_name.size,
                                   .kind = descriptor.kind};
    }
    sort_fields(fields, part->count);
    for (uint32_t i = 1; i < part->count; i++) {
        if (compare_names(&fields[i - 1], &fields[i]) >= 0) {
            return false;
        }
    }
    return true;
}

int fil_wire_schema_id(const struct fil_wire_schema *schema, int64_t *out_id)
{
    struct field fields[FIL_WIRE_SCHEMA_FIELDS_MAX];
    uint32_t count = schema->fields.count;
    if (count > FIL_WIRE_SCHEMA_FIELDS_MAX) {
        return FIL_E_LIMIT;
    }
    if (schema->fields.kind != FIL_WIRE_PART_FRAMES || !collect_fields(&schema->fields, fields)) {
        return FIL_E_MALFORMED;
    }
    uint64_t fingerprint = add_number(add_text(RABIN_EMPTY, schema->type_name), count);
    for (uint32_t i = 0; i < count; i++) {
        fingerprint = add_text(fingerprint, name_of(&fields[i]));
        fingerprint = add_number(fingerprint, (uint32_t)fields[i].kind);
    }
    *out_id = (int64_t)fingerprint;
    return FIL_OK;
}
