// SPDX-License-Identifier: Apache-2.0
#include "lib/base/units.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/base/cursor.h"

/** More digits behind the point would never be a whole number of anything. */
#define FRACTION_DIGITS_MAX 18U

struct unit {
    const char *name;
    uint64_t factor;
    bool is_human; // used for the rounded form
};

/** One kind of quantity. The units go from small to large; the first has the factor 1. */
struct scale {
    const struct unit *units;
    size_t unit_count;
    uint64_t value_max;
    bool is_case_sensitive;
    bool needs_unit;
    const char *unit_fault;
    const char *whole_fault;
};

#define KILO UINT64_C(1000)
#define MEGA (KILO * 1000)
#define GIGA (MEGA * 1000)
#define TERA (GIGA * 1000)
#define PETA (TERA * 1000)
#define EXA  (PETA * 1000)

static const struct unit size_units[] = {
    {"B", 1, true},
    {"KB", KILO, false},
    {"KiB", UINT64_C(1) << 10, true},
    {"MB", MEGA, false},
    {"MiB", UINT64_C(1) << 20, true},
    {"GB", GIGA, false},
    {"GiB", UINT64_C(1) << 30, true},
    {"TB", TERA, false},
    {"TiB", UINT64_C(1) << 40, true},
    {"PB", PETA, false},
    {"PiB", UINT64_C(1) << 50, true},
    {"EB", EXA, false},
    {"EiB", UINT64_C(1) << 60, true},
};

static const struct scale size_scale = {
    .units = size_units,
    .unit_count = FIL_COUNT_OF(size_units),
    .value_max = FIL_SIZE_MAX_BYTES,
    .unit_fault = "unknown unit: use B, KB, MB, GB, TB (1000) or KiB, MiB, GiB, TiB (1024)",
    .whole_fault = "not a whole number of bytes",
};

static const struct unit duration_units[] = {
    {"ns", 1, true},        {"us", KILO, true},       {"ms", MEGA, true},        {"s", GIGA, true},
    {"m", GIGA * 60, true}, {"h", GIGA * 3600, true}, {"d", GIGA * 86400, true},
};

static const struct scale duration_scale = {
    .units = duration_units,
    .unit_count = FIL_COUNT_OF(duration_units),
    .value_max = FIL_DURATION_MAX_NS,
    .is_case_sensitive = true,
    .needs_unit = true,
    .unit_fault = "a duration needs a unit: use ns, us, ms, s, m, h or d",
    .whole_fault = "not a whole number of nanoseconds",
};

static const struct unit count_units[] = {
    {"", 1, true},
    {"k", KILO, true},
    {"M", MEGA, true},
    {"G", GIGA, true},
};

static const struct scale count_scale = {
    .units = count_units,
    .unit_count = FIL_COUNT_OF(count_units),
    .value_max = FIL_COUNT_MAX,
    .unit_fault = "unknown unit: use k, M or G, or none",
    .whole_fault = "not a whole number",
};

/** A number as it was written: whole.fraction, the fraction having so many digits. */
struct number {
    uint64_t whole;
    uint64_t fraction;
    uint64_t fraction_base; // ten to the number of digits
};

static int fail(struct fil_units_fault *out_fault, int error, size_t position, const char *text)
{
    fil_assert(error != FIL_OK);
    if (out_fault != NULL) {
        *out_fault = (struct fil_units_fault){.text = text, .position = position};
    }
    return error;
}

/** Steps over the byte if it is the next one. */
static bool accept_byte(struct fil_reader *reader, uint8_t wanted)
{
    uint8_t byte = 0;
    return fil_reader_peek_u8(reader, &byte) && byte == wanted && fil_reader_skip(reader, 1);
}

static bool next_digit(struct fil_reader *reader, uint64_t *out_digit)
{
    uint8_t byte = 0;
    if (!fil_reader_peek_u8(reader, &byte) || byte < '0' || byte > '9') {
        return false;
    }
    *out_digit = (uint64_t)(byte - '0');
    return fil_reader_skip(reader, 1);
}

static int read_whole(struct fil_reader *reader, struct number *number,
                      struct fil_units_fault *out_fault)
{
    size_t begin = reader->position;
    uint64_t digit = 0;
    while (next_digit(reader, &digit)) {
        if (!fil_checked_mul_u64(number->whole, 10, &number->whole) ||
            !fil_checked_add_u64(number->whole, digit, &number->whole)) {
            return fail(out_fault, FIL_E_LIMIT, begin, "the number is too large");
        }
    }
    if (reader->position == begin) {
        return fail(out_fault, FIL_E_MALFORMED, begin, "a number is expected, or max");
    }
    return FIL_OK;
}

static int read_fraction(struct fil_reader *reader, struct number *number,
                         struct fil_units_fault *out_fault)
{
    number->fraction_base = 1;
    if (!accept_byte(reader, '.')) {
        return FIL_OK;
    }
    size_t begin = reader->position;
    uint64_t digit = 0;
    while (next_digit(reader, &digit)) {
        if (reader->position - begin > FRACTION_DIGITS_MAX) {
            return fail(out_fault, FIL_E_MALFORMED, begin, "too many digits behind the point");
        }
        number->fraction = number->fraction * 10 + digit;
        number->fraction_base *= 10;
    }
    if (reader->position == begin) {
        return fail(out_fault, FIL_E_MALFORMED, begin, "digits are expected behind the point");
    }
    return FIL_OK;
}

/** The unit's factor, or 0 when the scale has no such unit. */
static uint64_t find_factor(const struct scale *scale, struct fil_bytes name, bool is_zero)
{
    if (name.size == 0) {
        return scale->needs_unit && !is_zero ? 0 : 1;
    }
    for (size_t i = 0; i < scale->unit_count; i++) {
        struct fil_bytes wanted = fil_bytes_of(scale->units[i].name);
        if (scale->is_case_sensitive ? fil_bytes_equal(name, wanted)
                                     : fil_bytes_equal_nocase(name, wanted)) {
            return scale->units[i].factor;
        }
    }
    return 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/** The fraction in base units; false when it is not a whole number. */
static bool scale_fraction(const struct number *number, uint64_t factor, uint64_t *out_value)
{
    fil_assert(number->fraction < number->fraction_base);
    uint64_t divisor = common_divisor(number->fraction, number->fraction_base);
    uint64_t base = number->fraction_base / divisor;
    if (factor % base != 0) {
        return false;
    }
    // Below the factor, because the fraction is below one: no overflow.
    *out_value = (number->fraction / divisor) * (factor / base);
    return true;
}

static int multiply(const struct scale *scale, const struct number *number, uint64_t factor,
                    uint64_t *out_value, struct fil_units_fault *out_fault)
{
    uint64_t fraction = 0;
    if (!scale_fraction(number, factor, &fraction)) {
        return fail(out_fault, FIL_E_MALFORMED, 0, scale->whole_fault);
    }
    uint64_t value = 0;
    if (!fil_checked_mul_u64(number->whole, factor, &value) ||
        !fil_checked_add_u64(value, fraction, &value) || value > scale->value_max) {
        return fail(out_fault, FIL_E_LIMIT, 0, "the value is too large");
    }
    *out_value = value;
    return FIL_OK;
}

static int parse(const struct scale *scale, struct fil_bytes text, uint64_t *out_value,
                 struct fil_units_fault *out_fault)
{
    if (fil_bytes_equal_nocase(text, fil_bytes_of("max"))) {
        *out_value = scale->value_max;
        return FIL_OK;
    }
    struct fil_reader reader;
    fil_reader_init(&reader, text);
    struct number number = {0};
    int error = read_whole(&reader, &number, out_fault);
    if (error == FIL_OK) {
        error = read_fraction(&reader, &number, out_fault);
    }
    if (error != FIL_OK) {
        return error;
    }
    while (accept_byte(&reader, ' ') || accept_byte(&reader, '\t')) {
    }
    bool is_zero = number.whole == 0 && number.fraction == 0;
    uint64_t factor = find_factor(scale, fil_reader_rest(&reader), is_zero);
    if (factor == 0) {
        return fail(out_fault, FIL_E_MALFORMED, reader.position, scale->unit_fault);
    }
    return multiply(scale, &number, factor, out_value, out_fault);
}

int fil_units_parse_size(struct fil_bytes text, uint64_t *out_bytes,
                         struct fil_units_fault *out_fault)
{
    return parse(&size_scale, text, out_bytes, out_fault);
}

int fil_units_parse_duration(struct fil_bytes text, uint64_t *out_ns,
                             struct fil_units_fault *out_fault)
{
    return parse(&duration_scale, text, out_ns, out_fault);
}

int fil_units_parse_count(struct fil_bytes text, uint64_t *out_count,
                          struct fil_units_fault *out_fault)
{
    return parse(&count_scale, text, out_count, out_fault);
}

/** Characters of the value in a unit; a value in the smallest unit may go without its name. */
static size_t written_length(const struct scale *scale, const struct unit *unit, uint64_t value)
{
    size_t length = unit->factor == 1 && !scale->needs_unit ? 0 : strlen(unit->name);
    for (uint64_t left = value / unit->factor; left >= 10; left /= 10) {
        length++;
    }
    return length + 1;
}

static const struct unit *shortest_unit(const struct scale *scale, uint64_t value)
{
    const struct unit *best = &scale->units[0];
    for (size_t i = 1; i < scale->unit_count; i++) {
        const struct unit *unit = &scale->units[i];
        // Of two equally short forms the larger unit reads better.
        if (value % unit->factor == 0 &&
            written_length(scale, unit, value) <= written_length(scale, best, value)) {
            best = unit;
        }
    }
    return best;
}

static const char *format(const struct scale *scale, uint64_t value, char *text)
{
    struct fil_writer writer;
    fil_writer_init(&writer, text, FIL_UNITS_TEXT_MAX);
    if (value == 0) {
        fil_writer_u8(&writer, '0');
    } else if (value == scale->value_max) {
        fil_writer_text(&writer, "max");
    } else {
        const struct unit *unit = shortest_unit(scale, value);
        fil_writer_decimal_u64(&writer, value / unit->factor);
        if (unit->factor != 1 || scale->needs_unit) {
            fil_writer_text(&writer, unit->name);
        }
    }
    fil_assert(!writer.is_full);
    return fil_writer_terminate(&writer);
}

const char *fil_units_format_size(uint64_t bytes, char text[FIL_UNITS_TEXT_MAX])
{
    return format(&size_scale, bytes, text);
}

const char *fil_units_format_duration(uint64_t ns, char text[FIL_UNITS_TEXT_MAX])
{
    return format(&duration_scale, ns, text);
}

const char *fil_units_format_count(uint64_t count, char text[FIL_UNITS_TEXT_MAX])
{
    return format(&count_scale, count, text);
}

/** The value in tenths of the factor, rounded half up. No overflow: factors end at 2^60. */
static uint64_t in_tenths(uint64_t value, uint64_t factor)
{
    uint64_t rest = value % factor;
    return (value / factor) * 10 + (rest * 10 + factor / 2) / factor;
}

/** Whether the value, rounded to tenths of a smaller unit's factor, is one of the larger. */
static bool reaches(uint64_t value, uint64_t smaller, uint64_t larger)
{
    fil_assert(smaller > 0);
    fil_assert(larger > smaller);
    if (smaller == 1) {
        return value >= larger; // shown without tenths
    }
    // 1023.97 KiB would be shown as 1024.0 KiB: it is 1.0 MiB.
    return in_tenths(value, smaller) >= larger / smaller * 10;
}

/** The largest unit of which, rounded, there is at least one. */
static const struct unit *human_unit(const struct scale *scale, uint64_t value)
{
    const struct unit *best = &scale->units[0];
    for (size_t i = 1; i < scale->unit_count; i++) {
        const struct unit *unit = &scale->units[i];
        if (unit->is_human && reaches(value, best->factor, unit->factor)) {
            best = unit;
        }
    }
    return best;
}

static const char *human(const struct scale *scale, uint64_t value, char *text)
{
    struct fil_writer writer;
    fil_writer_init(&writer, text, FIL_UNITS_TEXT_MAX);
    const struct unit *unit = human_unit(scale, value);
    uint64_t tenths = in_tenths(value, unit->factor);
    fil_writer_decimal_u64(&writer, tenths / 10);
    if (unit->factor != 1) {
        fil_writer_u8(&writer, '.');
        fil_writer_decimal_u64(&writer, tenths % 10);
    }
    if (unit->name[0] != 0) {
        fil_writer_u8(&writer, ' ');
        fil_writer_text(&writer, unit->name);
    }
    fil_assert(!writer.is_full);
    return fil_writer_terminate(&writer);
}

const char *fil_units_human_size(uint64_t bytes, char text[FIL_UNITS_TEXT_MAX])
{
    return human(&size_scale, bytes, text);
}

const char *fil_units_human_duration(uint64_t ns, char text[FIL_UNITS_TEXT_MAX])
{
    return human(&duration_scale, ns, text);
}

const char *fil_units_human_count(uint64_t count, char text[FIL_UNITS_TEXT_MAX])
{
    return human(&count_scale, count, text);
}
