// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/predicate.h"

#include <string.h>

#include "filbert/error.h"
#include "grid/map/form.h"
#include "lib/base/assert.h"
#include "lib/base/reader.h"
#include "protocol/client/form.h"
#include "protocol/client/serialization.h"

#define TYPE_IDENTIFIED (-2)
#define FACTORY         (-20)
#define DEPTH_MAX       16U
#define OPERANDS_MAX    4096

// The numbers of predicates in their factory.
enum class {
    CLASS_AND = 1,
    CLASS_BETWEEN = 2,
    CLASS_EQUAL = 3,
    CLASS_GREATER_LESS = 4,
    CLASS_LIKE = 5,
    CLASS_ILIKE = 6,
    CLASS_IN = 7,
    CLASS_NOT_EQUAL = 9,
    CLASS_NOT = 10,
    CLASS_OR = 11,
    CLASS_FALSE = 13,
    CLASS_TRUE = 14,
};

struct evaluation {
    struct fil_reader reader;
    struct fil_wire_value key;
    struct fil_wire_value value;
    struct fil_wire_fault fault;
};

static int refuse(struct evaluation *evaluation, int error, const char *reason)
{
    evaluation->fault = (struct fil_wire_fault){.field = "predicate", .reason = reason};
    return error;
}

static int malformed(struct evaluation *evaluation)
{
    return refuse(evaluation, FIL_E_MALFORMED, "is cut off or not what it says");
}

/** A value of the map for comparing; what cannot be compared is null. */
static struct fil_wire_value value_of(struct fil_bytes form)
{
    struct fil_wire_value value = {.type = FIL_WIRE_DATA_NULL};
    if (!fil_map_form_is_serialized(form)) {
        return fil_wire_value_text((enum fil_wire_data_type)fil_wire_form_type(form), form);
    }
    if (fil_wire_value_decode(form, &value) != FIL_OK) {
        value.type = FIL_WIRE_DATA_NULL;
    }
    return value;
}

// Reading.

static bool read_text(struct fil_reader *reader, struct fil_bytes *out_text)
{
    uint32_t size = 0;
    return fil_reader_u32_be(reader, &size) && fil_reader_take(reader, size, out_text);
}

/** The size of an object's payload; false for a type whose size is not known. */
static bool size_of(int32_t type, struct fil_bytes payload, size_t *out_size)
{
    struct fil_wire_value value = {.type = (enum fil_wire_data_type)type};
    switch (type) {
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_JSON:
        if (payload.size < 4) {
            return false;
        }
        *out_size = 4 + (size_t)fil_load_u32_be(payload.data);
        return true;
    default:
        *out_size = fil_wire_value_size(&value) - FIL_WIRE_DATA_SIZE_MIN;
        return *out_size > 0 || type == FIL_WIRE_DATA_NULL;
    }
}

/** An object inside of another has no hash; the bytes before it stand for one. */
static int read_object(struct evaluation *evaluation, struct fil_wire_value *out_value)
{
    struct fil_reader *reader = &evaluation->reader;
    uint32_t type = 0;
    size_t size = 0;
    fil_assert(reader->position >= 4);
    const uint8_t *data = reader->data + reader->position - 4;
    if (!fil_reader_u32_be(reader, &type)) {
        return malformed(evaluation);
    }
    if (!size_of((int32_t)type, fil_reader_rest(reader), &size)) {
        return refuse(evaluation, FIL_E_UNSUPPORTED, "compares with a type that is not supported");
    }
    if (!fil_reader_skip(reader, size)) {
        return malformed(evaluation);
    }
    int error =
        fil_wire_value_decode(fil_bytes_make(data, FIL_WIRE_DATA_SIZE_MIN + size), out_value);
    return error == FIL_OK ? FIL_OK : malformed(evaluation);
}

/** The attribute that a predicate is about. */
static int read_attribute(struct evaluation *evaluation, const struct fil_wire_value **out_value)
{
    struct fil_bytes name;
    if (!read_text(&evaluation->reader, &name)) {
        return malformed(evaluation);
    }
    if (fil_bytes_equal_text(name, "__key")) {
        *out_value = &evaluation->key;
    } else if (fil_bytes_equal_text(name, "this")) {
        *out_value = &evaluation->value;
    } else {
        return refuse(evaluation, FIL_E_UNSUPPORTED, "is about an attribute of key or value");
    }
    return FIL_OK;
}

// Comparing.

static bool is_integer(const struct fil_wire_value *value)
{
    return value->type == FIL_WIRE_DATA_BYTE || value->type == FIL_WIRE_DATA_SHORT ||
           value->type == FIL_WIRE_DATA_INTEGER || value->type == FIL_WIRE_DATA_LONG;
}

static bool is_number(const struct fil_wire_value *value)
{
    return is_integer(value) || value->type == FIL_WIRE_DATA_FLOAT ||
           value->type == FIL_WIRE_DATA_DOUBLE;
}

static double real_of(const struct fil_wire_value *value)
{
    return is_integer(value) ? (double)value->integer : value->real;
}

static int order_of_bytes(struct fil_bytes left, struct fil_bytes right)
{
    size_t size = left.size < right.size ? left.size : right.size;
    int order = size == 0 ? 0 : memcmp(left.data, right.data, size);
    return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

static int order_of_numbers(const struct fil_wire_value *left, const struct fil_wire_value *right)
{
    if (is_integer(left) && is_integer(right)) {
        return (left->integer > right->integer) - (left->integer < right->integer);
    }
    return (real_of(left) > real_of(right)) - (real_of(left) < real_of(right));
}

/** False when the two cannot be compared. */
static bool compare(const struct fil_wire_value *left, const struct fil_wire_value *right,
                    int *out_order)
{
    if (is_number(left) && is_number(right)) {
        *out_order = order_of_numbers(left, right);
        return true;
    }
    if (left->type != right->type) {
        return false;
    }
    switch (left->type) {
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_JSON:
        *out_order = order_of_bytes(left->text, right->text);
        return true;
    case FIL_WIRE_DATA_BOOLEAN:
        *out_order = left->boolean - right->boolean;
        return true;
    case FIL_WIRE_DATA_UUID:
        *out_order = left->uuid.high != right->uuid.high || left->uuid.low != right->uuid.low;
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

static bool is_equal(const struct fil_wire_value *left, const struct fil_wire_value *right)
{
    int order = 0;
    return compare(left, right, &order) && order == 0;
}

static bool letters_equal(uint8_t left, uint8_t right, bool is_any_case)
{
    if (is_any_case) {
        left = left >= 'A' && left <= 'Z' ? (uint8_t)(left | 0x20) : left;
        right = right >= 'A' && right <= 'Z' ? (uint8_t)(right | 0x20) : right;
    }
    return left == right;
}

/** % stands for any bytes, _ for one, a backslash takes the next one as it is. */
static bool is_like(struct fil_bytes text, struct fil_bytes pattern, bool is_any_case)
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
        } else if (letter < pattern.size &&
                   ((!is_escaped && pattern.data[letter] == '_') ||
                    letters_equal(text.data[at], pattern.data[letter], is_any_case))) {
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

// The predicates.

static int evaluate(struct evaluation *evaluation, uint32_t depth, bool *out_is_true);

static int evaluate_equal(struct evaluation *evaluation, bool *out_is_true)
{
    const struct fil_wire_value *attribute = NULL;
    struct fil_wire_value wanted;
    int error = read_attribute(evaluation, &attribute);
    if (error == FIL_OK) {
        error = read_object(evaluation, &wanted);
    }
    if (error == FIL_OK) {
        *out_is_true = is_equal(attribute, &wanted);
    }
    return error;
}

static int evaluate_greater_less(struct evaluation *evaluation, bool *out_is_true)
{
    const struct fil_wire_value *attribute = NULL;
    struct fil_wire_value bound;
    uint8_t includes_equal = 0;
    uint8_t is_less = 0;
    int order = 0;
    int error = read_attribute(evaluation, &attribute);
    if (error == FIL_OK) {
        error = read_object(evaluation, &bound);
    }
    if (error != FIL_OK) {
        return error;
    }
    if (!fil_reader_u8(&evaluation->reader, &includes_equal) ||
        !fil_reader_u8(&evaluation->reader, &is_less)) {
        return malformed(evaluation);
    }
    bool is_ordered = compare(attribute, &bound, &order);
    bool is_beyond = is_less != 0 ? order < 0 : order > 0;
    *out_is_true = is_ordered && (is_beyond || (includes_equal != 0 && order == 0));
    return FIL_OK;
}

static int evaluate_between(struct evaluation *evaluation, bool *out_is_true)
{
    const struct fil_wire_value *attribute = NULL;
    struct fil_wire_value to;
    struct fil_wire_value from;
    int order_to = 0;
    int order_from = 0;
    int error = read_attribute(evaluation, &attribute);
    if (error == FIL_OK) {
        error = read_object(evaluation, &to);
    }
    if (error == FIL_OK) {
        error = read_object(evaluation, &from);
    }
    if (error == FIL_OK) {
        *out_is_true = compare(attribute, &to, &order_to) && order_to <= 0 &&
                       compare(attribute, &from, &order_from) && order_from >= 0;
    }
    return error;
}

static int read_count(struct evaluation *evaluation, uint32_t *out_count)
{
    if (!fil_reader_u32_be(&evaluation->reader, out_count)) {
        return malformed(evaluation);
    }
    return *out_count > OPERANDS_MAX ? refuse(evaluation, FIL_E_UNSUPPORTED, "has too many parts")
                                     : FIL_OK;
}

static int evaluate_in(struct evaluation *evaluation, bool *out_is_true)
{
    const struct fil_wire_value *attribute = NULL;
    uint32_t count = 0;
    int error = read_attribute(evaluation, &attribute);
    if (error == FIL_OK) {
        error = read_count(evaluation, &count);
    }
    *out_is_true = false;
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        struct fil_wire_value wanted;
        error = read_object(evaluation, &wanted);
        *out_is_true |= error == FIL_OK && is_equal(attribute, &wanted);
    }
    return error;
}

static int evaluate_like(struct evaluation *evaluation, bool is_any_case, bool *out_is_true)
{
    const struct fil_wire_value *attribute = NULL;
    struct fil_bytes pattern;
    int error = read_attribute(evaluation, &attribute);
    if (error != FIL_OK) {
        return error;
    }
    if (!read_text(&evaluation->reader, &pattern)) {
        return malformed(evaluation);
    }
    *out_is_true =
        attribute->type == FIL_WIRE_DATA_STRING && is_like(attribute->text, pattern, is_any_case);
    return FIL_OK;
}

/** Reads the type of an object that is a predicate, and which one it is. */
static int read_class(struct evaluation *evaluation, uint32_t *out_class)
{
    struct fil_reader *reader = &evaluation->reader;
    uint32_t type = 0;
    uint32_t factory = 0;
    uint8_t header = 0;
    if (!fil_reader_u32_be(reader, &type)) {
        return malformed(evaluation);
    }
    if ((int32_t)type != TYPE_IDENTIFIED) {
        return refuse(evaluation, FIL_E_UNSUPPORTED, "is not one of the clients' own");
    }
    if (!fil_reader_u8(reader, &header) || !fil_reader_u32_be(reader, &factory) ||
        !fil_reader_u32_be(reader, out_class)) {
        return malformed(evaluation);
    }
    if ((header & 1U) == 0 || (int32_t)factory != FACTORY) {
        return refuse(evaluation, FIL_E_UNSUPPORTED, "is not one of the clients' own");
    }
    return (header & 2U) == 0 || fil_reader_skip(reader, 2) ? FIL_OK : malformed(evaluation);
}

/** All operands are read, whatever the first ones say: the next predicate stands behind them. */
static int evaluate_many(struct evaluation *evaluation, uint32_t depth, bool is_and,
                         bool *out_is_true)
{
    uint32_t count = 0;
    int error = read_count(evaluation, &count);
    *out_is_true = is_and;
    for (uint32_t i = 0; error == FIL_OK && i < count; i++) {
        bool is_true = false;
        error = evaluate(evaluation, depth + 1, &is_true);
        *out_is_true = is_and ? *out_is_true && is_true : *out_is_true || is_true;
    }
    return error;
}

static int evaluate_class(struct evaluation *evaluation, uint32_t number, uint32_t depth,
                          bool *out_is_true)
{
    int error = FIL_OK;
    switch (number) {
    case CLASS_TRUE:
    case CLASS_FALSE:
        *out_is_true = number == CLASS_TRUE;
        return FIL_OK;
    case CLASS_EQUAL:
        return evaluate_equal(evaluation, out_is_true);
    case CLASS_NOT_EQUAL:
        error = evaluate_equal(evaluation, out_is_true);
        *out_is_true = !*out_is_true;
        return error;
    case CLASS_NOT:
        error = evaluate(evaluation, depth + 1, out_is_true);
        *out_is_true = !*out_is_true;
        return error;
    case CLASS_AND:
    case CLASS_OR:
        return evaluate_many(evaluation, depth, number == CLASS_AND, out_is_true);
    case CLASS_GREATER_LESS:
        return evaluate_greater_less(evaluation, out_is_true);
    case CLASS_BETWEEN:
        return evaluate_between(evaluation, out_is_true);
    case CLASS_IN:
        return evaluate_in(evaluation, out_is_true);
    case CLASS_LIKE:
    case CLASS_ILIKE:
        return evaluate_like(evaluation, number == CLASS_ILIKE, out_is_true);
    default:
        return refuse(evaluation, FIL_E_UNSUPPORTED, "is of a kind that is not supported");
    }
}

static int evaluate(struct evaluation *evaluation, uint32_t depth, bool *out_is_true)
{
    uint32_t number = 0;
    if (depth >= DEPTH_MAX) {
        return refuse(evaluation, FIL_E_UNSUPPORTED, "is nested too deep");
    }
    int error = read_class(evaluation, &number);
    return error == FIL_OK ? evaluate_class(evaluation, number, depth, out_is_true) : error;
}

static int run(struct evaluation *evaluation, struct fil_bytes predicate, bool *out_is_true)
{
    fil_reader_init(&evaluation->reader, predicate);
    if (!fil_reader_skip(&evaluation->reader, 4)) {
        return malformed(evaluation); // the hash
    }
    return evaluate(evaluation, 0, out_is_true);
}

int fil_wire_predicate_check(struct fil_bytes predicate, struct fil_wire_fault *out_fault)
{
    struct evaluation evaluation = {.key = {.type = FIL_WIRE_DATA_NULL},
                                    .value = {.type = FIL_WIRE_DATA_NULL}};
    bool is_true = false;
    int error = run(&evaluation, predicate, &is_true);
    if (error != FIL_OK) {
        *out_fault = evaluation.fault;
    }
    return error;
}

bool fil_wire_predicate_test(struct fil_bytes predicate, struct fil_bytes key,
                             struct fil_bytes value)
{
    struct evaluation evaluation = {.key = value_of(key), .value = value_of(value)};
    bool is_true = false;
    int error = run(&evaluation, predicate, &is_true);
    fil_assert(error == FIL_OK); // it has been checked
    return is_true;
}
