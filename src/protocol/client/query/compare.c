// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/compare.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/writer.h"

#define NUMBER_TEXT_MAX 400U // no double needs more

bool fil_query_is_integer(const struct fil_wire_value *value)
{
    return value->type == FIL_WIRE_DATA_BYTE || value->type == FIL_WIRE_DATA_SHORT ||
           value->type == FIL_WIRE_DATA_INTEGER || value->type == FIL_WIRE_DATA_LONG;
}

bool fil_query_is_number(const struct fil_wire_value *value)
{
    return fil_query_is_integer(value) || value->type == FIL_WIRE_DATA_FLOAT ||
           value->type == FIL_WIRE_DATA_DOUBLE;
}

double fil_query_real(const struct fil_wire_value *value)
{
    fil_debug_assert(fil_query_is_number(value));
    return fil_query_is_integer(value) ? (double)value->integer : value->real;
}

bool fil_query_number_of(struct fil_bytes text, struct fil_wire_value *out_value)
{
    int64_t integer = 0;
    char copy[NUMBER_TEXT_MAX + 1];
    char *end = NULL;
    if (fil_bytes_to_i64(text, &integer)) {
        *out_value = fil_wire_value_integer(FIL_WIRE_DATA_LONG, integer);
        return true;
    }
    if (text.size == 0 || text.size > NUMBER_TEXT_MAX) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    double real = strtod(copy, &end);
    *out_value = fil_wire_value_real(FIL_WIRE_DATA_DOUBLE, real);
    return end == copy + text.size;
}

int fil_query_order_bytes(struct fil_bytes left, struct fil_bytes right)
{
    size_t size = left.size < right.size ? left.size : right.size;
    int order = size == 0 ? 0 : memcmp(left.data, right.data, size);
    return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

static int order_of_numbers(const struct fil_wire_value *left, const struct fil_wire_value *right)
{
    if (fil_query_is_integer(left) && fil_query_is_integer(right)) {
        return (left->integer > right->integer) - (left->integer < right->integer);
    }
    double a = fil_query_real(left);
    double b = fil_query_real(right);
    return (a > b) - (a < b);
}

static int order_of_uuids(struct fil_wire_uuid left, struct fil_wire_uuid right)
{
    if (left.high != right.high) {
        return left.high > right.high ? 1 : -1;
    }
    return (left.low > right.low) - (left.low < right.low);
}

/** Of two values of one type that are no numbers. */
static bool order_of_same(const struct fil_wire_value *left, const struct fil_wire_value *right,
                          int *out_order)
{
    switch (left->type) {
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_JSON:
        *out_order = fil_query_order_bytes(left->text, right->text);
        return true;
    case FIL_WIRE_DATA_BOOLEAN:
        *out_order = left->boolean - right->boolean;
        return true;
    case FIL_WIRE_DATA_UUID:
        *out_order = order_of_uuids(left->uuid, right->uuid);
        return true;
    case FIL_WIRE_DATA_NULL:
    case FIL_WIRE_DATA_BYTE:
    case FIL_WIRE_DATA_SHORT:
    case FIL_WIRE_DATA_INTEGER:
    case FIL_WIRE_DATA_LONG:
    case FIL_WIRE_DATA_FLOAT:
    case FIL_WIRE_DATA_DOUBLE:
        return false;
    }
    return false;
}

/** A text that is compared with a number or a truth is read as one. */
static bool compare_with_text(const struct fil_wire_value *attribute, struct fil_bytes text,
                              int *out_order)
{
    struct fil_wire_value read;
    if (fil_query_is_number(attribute)) {
        if (!fil_query_number_of(text, &read)) {
            return false;
        }
        *out_order = order_of_numbers(attribute, &read);
        return true;
    }
    bool is_true = fil_bytes_equal_nocase(text, fil_bytes_of("true"));
    if (attribute->type != FIL_WIRE_DATA_BOOLEAN ||
        (!is_true && !fil_bytes_equal_nocase(text, fil_bytes_of("false")))) {
        return false;
    }
    *out_order = attribute->boolean - is_true;
    return true;
}

/** A whole number that is compared with a text is written as one. */
static bool is_text_of(struct fil_bytes text, const struct fil_wire_value *number)
{
    uint8_t digits[24];
    struct fil_writer writer;
    if (!fil_query_is_integer(number)) {
        return false;
    }
    fil_writer_init(&writer, digits, sizeof(digits));
    bool is_written = fil_writer_decimal_i64(&writer, number->integer);
    fil_assert(is_written);
    return fil_bytes_equal(text, fil_writer_written(&writer));
}

bool fil_query_compare(const struct fil_wire_value *attribute, const struct fil_wire_value *wanted,
                       int *out_order)
{
    if (fil_query_is_number(attribute) && fil_query_is_number(wanted)) {
        *out_order = order_of_numbers(attribute, wanted);
        return true;
    }
    if (attribute->type == wanted->type) {
        return order_of_same(attribute, wanted, out_order);
    }
    return wanted->type == FIL_WIRE_DATA_STRING &&
           compare_with_text(attribute, wanted->text, out_order);
}

bool fil_query_equals(const struct fil_wire_value *attribute, const struct fil_wire_value *wanted)
{
    int order = 0;
    if (wanted->type == FIL_WIRE_DATA_NULL) {
        return attribute->type == FIL_WIRE_DATA_NULL;
    }
    if (attribute->type == FIL_WIRE_DATA_STRING && wanted->type != FIL_WIRE_DATA_STRING) {
        return is_text_of(attribute->text, wanted);
    }
    return fil_query_compare(attribute, wanted, &order) && order == 0;
}

int fil_query_order(const struct fil_wire_value *left, const struct fil_wire_value *right)
{
    int order = 0;
    bool are_numbers = fil_query_is_number(left) && fil_query_is_number(right);
    if ((are_numbers || left->type == right->type) && fil_query_compare(left, right, &order)) {
        return order;
    }
    return (left->type > right->type) - (left->type < right->type);
}

static bool letters_equal(uint8_t left, uint8_t right, bool is_any_case)
{
    if (is_any_case) {
        left = left >= 'A' && left <= 'Z' ? (uint8_t)(left | 0x20) : left;
        right = right >= 'A' && right <= 'Z' ? (uint8_t)(right | 0x20) : right;
    }
    return left == right;
}

/** The bytes of the character there. */
static size_t character_size(struct fil_bytes text, size_t at)
{
    size_t size = 1;
    while (at + size < text.size && (text.data[at + size] & 0xC0) == 0x80) {
        size++;
    }
    return size;
}

bool fil_query_is_like(struct fil_bytes text, struct fil_bytes pattern, bool is_any_case)
{
    size_t at = 0;
    size_t in = 0;
    size_t retry_at = 0;
    size_t retry_in = SIZE_MAX; // behind the last %
    while (at < text.size) {
        bool is_escaped = in + 1 < pattern.size && pattern.data[in] == '\\';
        size_t letter = in + is_escaped;
        if (!is_escaped && in < pattern.size && pattern.data[in] == '%') {
            retry_in = ++in;
            retry_at = at;
        } else if (!is_escaped && in < pattern.size && pattern.data[in] == '_') {
            in++;
            at += character_size(text, at);
        } else if (letter < pattern.size &&
                   letters_equal(text.data[at], pattern.data[letter], is_any_case)) {
            in = letter + 1;
            at++;
        } else if (retry_in != SIZE_MAX) {
            in = retry_in;
            at = ++retry_at;
        } else {
            return false;
        }
    }
    while (in < pattern.size && pattern.data[in] == '%') {
        in++;
    }
    return in == pattern.size;
}
