// SPDX-License-Identifier: Apache-2.0
#include "lib/conf/option.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/base/units.h"
#include "lib/base/utf8.h"
#include "lib/conf/suggest.h"

/** How much of a wrong value a message shows. */
#define EXCERPT_SIZE 48

enum choice_storage {
    CHOICE_STORAGE_PROBE
};
static_assert(sizeof(enum choice_storage) == sizeof(uint32_t), "enum fields are 4 bytes");

struct type_row {
    const char *text;
    size_t field_size; // 0: each has a size of its own
};

static const struct type_row types[] = {
    [FIL_OPTION_TEXT] = {"text", 0},
    [FIL_OPTION_BOOLEAN] = {"truth value", sizeof(bool)},
    [FIL_OPTION_INTEGER] = {"whole number", sizeof(int64_t)},
    [FIL_OPTION_SIZE] = {"size", sizeof(uint64_t)},
    [FIL_OPTION_DURATION] = {"duration", sizeof(uint64_t)},
    [FIL_OPTION_CHOICE] = {"word of a list", sizeof(uint32_t)},
    [FIL_OPTION_ADDRESS] = {"network address", sizeof(struct fil_address)},
    [FIL_OPTION_LIST] = {"list of items", 0},
};

FIL_PRINTF(2, 3)
static int refuse(char *out_reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out_reason, FIL_OPTION_REASON_MAX + 1, format, arguments); // long ones are cut
    va_end(arguments);
    return FIL_E_INVALID;
}

static int refuse_type(const struct fil_option *option, struct fil_bytes text, char *out_reason)
{
    char range[FIL_OPTION_TEXT_MAX + 1];
    char excerpt[EXCERPT_SIZE];
    return refuse(out_reason, "'%s' takes a %s, not '%s': write %s", option->name,
                  fil_option_type_text(option->type),
                  fil_utf8_excerpt(text, excerpt, sizeof(excerpt)),
                  fil_option_range(option, range));
}

static int refuse_range(const struct fil_option *option, struct fil_bytes text, char *out_reason)
{
    char range[FIL_OPTION_TEXT_MAX + 1];
    char excerpt[EXCERPT_SIZE];
    return refuse(out_reason, "'%s' is '%s', which is out of range: write %s", option->name,
                  fil_utf8_excerpt(text, excerpt, sizeof(excerpt)),
                  fil_option_range(option, range));
}

static int refuse_unit(const struct fil_option *option, struct fil_bytes text, const char *fault,
                       char *out_reason)
{
    char range[FIL_OPTION_TEXT_MAX + 1];
    char excerpt[EXCERPT_SIZE];
    return refuse(out_reason, "'%s' takes a %s, not '%s' (%s): write %s", option->name,
                  fil_option_type_text(option->type),
                  fil_utf8_excerpt(text, excerpt, sizeof(excerpt)), fault,
                  fil_option_range(option, range));
}

static int check_characters(const struct fil_option *option, struct fil_bytes text,
                            char *out_reason)
{
    for (size_t at = 0; at < text.size;) {
        uint32_t code = 0;
        size_t size = fil_utf8_decode(fil_bytes_make(text.data + at, text.size - at), &code);
        if (size == 0) {
            return refuse(out_reason, "'%s' is not valid UTF-8 at byte %zu: write it in UTF-8",
                          option->name, at + 1);
        }
        if (!fil_utf8_is_printable(code)) {
            return refuse(out_reason,
                          "'%s' holds the control character U+%04" PRIX32
                          ": write one line of printable text",
                          option->name, code);
        }
        at += size;
    }
    return FIL_OK;
}

static int parse_text(const struct fil_option *option, struct fil_bytes text,
                      struct fil_option_value *out_value, char *out_reason)
{
    int error = check_characters(option, text, out_reason);
    if (error != FIL_OK) {
        return error;
    }
    if (text.size < (size_t)option->minimum || text.size > (size_t)option->maximum) {
        char range[FIL_OPTION_TEXT_MAX + 1];
        return refuse(out_reason, "'%s' has %zu bytes: write %s", option->name, text.size,
                      fil_option_range(option, range));
    }
    if (text.size > 0) {
        memcpy(out_value->text, text.data, text.size);
    }
    out_value->text[text.size] = '\0';
    return FIL_OK;
}

static int parse_boolean(const struct fil_option *option, struct fil_bytes text,
                         struct fil_option_value *out_value, char *out_reason)
{
    out_value->boolean = fil_bytes_equal_text(text, "true");
    if (!out_value->boolean && !fil_bytes_equal_text(text, "false")) {
        char excerpt[EXCERPT_SIZE];
        return refuse(out_reason, "'%s' takes true or false, not '%s': write one of these",
                      option->name, fil_utf8_excerpt(text, excerpt, sizeof(excerpt)));
    }
    return FIL_OK;
}

/** Then it is a number, though one that no field can hold. */
static bool is_all_digits(struct fil_bytes text)
{
    size_t begin = text.size > 0 && text.data[0] == '-' ? 1 : 0;
    for (size_t i = begin; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.size > begin;
}

static int parse_integer(const struct fil_option *option, struct fil_bytes text,
                         struct fil_option_value *out_value, char *out_reason)
{
    int64_t value = 0;
    if (!fil_bytes_to_i64(text, &value)) {
        return is_all_digits(text) ? refuse_range(option, text, out_reason)
                                   : refuse_type(option, text, out_reason);
    }
    bool is_special = option->zero != NULL && value == 0;
    if (!is_special && (value < option->minimum || value > option->maximum)) {
        return refuse_range(option, text, out_reason);
    }
    out_value->integer = value;
    return FIL_OK;
}

/** Sizes and durations: both are unsigned and come with a unit. */
static int parse_quantity(const struct fil_option *option, struct fil_bytes text,
                          uint64_t *out_quantity, char *out_reason)
{
    uint64_t value = 0;
    struct fil_units_fault fault = {0};
    int error = option->type == FIL_OPTION_SIZE ? fil_units_parse_size(text, &value, &fault)
                                                : fil_units_parse_duration(text, &value, &fault);
    if (error == FIL_E_MALFORMED) {
        return refuse_unit(option, text, fault.text, out_reason);
    }
    fil_assert(option->minimum >= 0);
    bool is_special = option->zero != NULL && value == 0;
    bool is_outside = value < (uint64_t)option->minimum || value > (uint64_t)option->maximum;
    if (error != FIL_OK || (is_outside && !is_special)) {
        return refuse_range(option, text, out_reason);
    }
    *out_quantity = value;
    return FIL_OK;
}

static int parse_choice(const struct fil_option *option, struct fil_bytes text,
                        struct fil_option_value *out_value, char *out_reason)
{
    struct fil_suggest suggest;
    fil_suggest_init(&suggest, text);
    for (uint32_t i = 0; option->choices[i] != NULL; i++) {
        if (fil_bytes_equal_text(text, option->choices[i])) {
            out_value->choice = i;
            return FIL_OK;
        }
        fil_suggest_offer(&suggest, option->choices[i]);
    }
    char range[FIL_OPTION_TEXT_MAX + 1];
    char excerpt[EXCERPT_SIZE];
    (void)fil_option_range(option, range);
    (void)fil_utf8_excerpt(text, excerpt, sizeof(excerpt));
    if (suggest.best == NULL) {
        return refuse(out_reason, "'%s' takes %s, not '%s': write one of these", option->name,
                      range, excerpt);
    }
    return refuse(out_reason, "'%s' takes %s, not '%s': did you mean '%s'?", option->name, range,
                  excerpt, suggest.best);
}

static int parse_address(const struct fil_option *option, struct fil_bytes text,
                         struct fil_option_value *out_value, char *out_reason)
{
    char copy[FIL_ADDRESS_TEXT_MAX];
    bool has_end = fil_bytes_find(text, '\0') < text.size;
    if (text.size == 0 || text.size >= sizeof(copy) || has_end) {
        return refuse_type(option, text, out_reason);
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    if (fil_address_parse(copy, &out_value->address) != FIL_OK) {
        return refuse_type(option, text, out_reason);
    }
    return FIL_OK;
}

int fil_option_parse(const struct fil_option *option, struct fil_bytes text,
                     struct fil_option_value *out_value, char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    *out_value = (struct fil_option_value){0};
    out_reason[0] = '\0';
    switch (option->type) {
    case FIL_OPTION_TEXT:
    case FIL_OPTION_LIST:
        return parse_text(option, text, out_value, out_reason);
    case FIL_OPTION_BOOLEAN:
        return parse_boolean(option, text, out_value, out_reason);
    case FIL_OPTION_INTEGER:
        return parse_integer(option, text, out_value, out_reason);
    case FIL_OPTION_SIZE:
        return parse_quantity(option, text, &out_value->size_bytes, out_reason);
    case FIL_OPTION_DURATION:
        return parse_quantity(option, text, &out_value->duration_ns, out_reason);
    case FIL_OPTION_CHOICE:
        return parse_choice(option, text, out_value, out_reason);
    case FIL_OPTION_ADDRESS:
        return parse_address(option, text, out_value, out_reason);
    }
    fil_assert(false); // the type is none of its enum
    return FIL_E_INVALID;
}

/** Bytes of the option's field. */
static size_t field_size(const struct fil_option *option)
{
    size_t size = types[option->type].field_size;
    return size == 0 ? (size_t)option->maximum + 1 : size;
}

void fil_option_store(const struct fil_option *option, const struct fil_option_value *value,
                      void *target)
{
    fil_assert(target != NULL);
    // All members of the union begin at its own address, as the field does at its offset.
    memcpy((char *)target + option->offset, value, field_size(option));
}

void fil_option_load(const struct fil_option *option, const void *target,
                     struct fil_option_value *out_value)
{
    fil_assert(target != NULL);
    *out_value = (struct fil_option_value){0};
    memcpy(out_value, (const char *)target + option->offset, field_size(option));
}

static void write_quantity(const struct fil_option *option, uint64_t value,
                           struct fil_writer *writer)
{
    char text[FIL_UNITS_TEXT_MAX];
    fil_writer_text(writer, option->type == FIL_OPTION_SIZE
                                ? fil_units_format_size(value, text)
                                : fil_units_format_duration(value, text));
}

static void write_value(const struct fil_option *option, const struct fil_option_value *value,
                        struct fil_writer *writer)
{
    char address[FIL_ADDRESS_TEXT_MAX];
    switch (option->type) {
    case FIL_OPTION_TEXT:
    case FIL_OPTION_LIST:
        fil_writer_text(writer, value->text);
        break;
    case FIL_OPTION_BOOLEAN:
        fil_writer_text(writer, value->boolean ? "true" : "false");
        break;
    case FIL_OPTION_INTEGER:
        fil_writer_decimal_i64(writer, value->integer);
        break;
    case FIL_OPTION_SIZE:
        write_quantity(option, value->size_bytes, writer);
        break;
    case FIL_OPTION_DURATION:
        write_quantity(option, value->duration_ns, writer);
        break;
    case FIL_OPTION_CHOICE:
        fil_writer_text(writer, option->choices[value->choice]);
        break;
    case FIL_OPTION_ADDRESS:
        fil_writer_text(writer, fil_address_format(&value->address, address));
        break;
    }
}

const char *fil_option_format(const struct fil_option *option, const struct fil_option_value *value,
                              char out_text[FIL_OPTION_TEXT_MAX + 1])
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_text, FIL_OPTION_TEXT_MAX + 1);
    write_value(option, value, &writer);
    fil_assert(fil_writer_room(&writer) > 0);
    return fil_writer_terminate(&writer);
}

/** "debug, info or warn" */
static void write_choices(const struct fil_option *option, struct fil_writer *writer)
{
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        if (i > 0) {
            fil_writer_text(writer, option->choices[i + 1] == NULL ? " or " : ", ");
        }
        fil_writer_text(writer, option->choices[i]);
    }
}

static void write_bound(const struct fil_option *option, int64_t bound, struct fil_writer *writer)
{
    if (option->type == FIL_OPTION_SIZE || option->type == FIL_OPTION_DURATION) {
        write_quantity(option, (uint64_t)bound, writer);
    } else {
        fil_writer_decimal_i64(writer, bound);
    }
}

/** "0 (automatic), or 1 to 256" */
static void write_interval(const struct fil_option *option, struct fil_writer *writer)
{
    if (option->zero != NULL) {
        fil_writer_format(writer, "0 (%s), or ", option->zero);
    }
    write_bound(option, option->minimum, writer);
    fil_writer_text(writer, " to ");
    write_bound(option, option->maximum, writer);
}

const char *fil_option_range(const struct fil_option *option,
                             char out_text[FIL_OPTION_TEXT_MAX + 1])
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_text, FIL_OPTION_TEXT_MAX + 1);
    switch (option->type) {
    case FIL_OPTION_TEXT:
    case FIL_OPTION_LIST:
        write_interval(option, &writer);
        fil_writer_text(&writer, " bytes");
        break;
    case FIL_OPTION_BOOLEAN:
        fil_writer_text(&writer, "true or false");
        break;
    case FIL_OPTION_INTEGER:
    case FIL_OPTION_SIZE:
    case FIL_OPTION_DURATION:
        write_interval(option, &writer);
        break;
    case FIL_OPTION_CHOICE:
        write_choices(option, &writer);
        break;
    case FIL_OPTION_ADDRESS:
        fil_writer_text(&writer, "host:port, like 127.0.0.1:5701, [::1]:5701 or, for all "
                                 "interfaces, :5701");
        break;
    }
    fil_assert(fil_writer_room(&writer) > 0);
    return fil_writer_terminate(&writer);
}

const char *fil_option_type_text(enum fil_option_type type)
{
    fil_assert((size_t)type < FIL_COUNT_OF(types));
    return types[type].text;
}
