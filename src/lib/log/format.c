// SPDX-License-Identifier: Apache-2.0
#include "lib/log/format.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/units.h"
#include "lib/log/text.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

#define COLOR_NONE "\033[0m"
#define COLOR_DIM  "\033[2m"
#define COLOR_BOLD "\033[1m"

// Key and value of each field at their longest, and a head before them.
static_assert(1024 + FIL_LOG_FIELDS_MAX * (FIL_LOG_NAME_MAX + 32 +
                                           FIL_LOG_ESCAPE_FACTOR * (FIL_LOG_TEXT_MAX + 3)) <=
                  FIL_LOG_LINE_BYTES_MAX,
              "every record fits a line");

bool fil_log_format_parse(struct fil_bytes text, bool is_terminal, enum fil_log_format *out_format)
{
    if (fil_bytes_equal_text(text, "logfmt")) {
        *out_format = FIL_LOG_FORMAT_LOGFMT;
    } else if (fil_bytes_equal_text(text, "json")) {
        *out_format = FIL_LOG_FORMAT_JSON;
    } else if (fil_bytes_equal_text(text, "human")) {
        *out_format = FIL_LOG_FORMAT_HUMAN;
    } else if (fil_bytes_equal_text(text, "auto")) {
        *out_format = is_terminal ? FIL_LOG_FORMAT_HUMAN : FIL_LOG_FORMAT_LOGFMT;
    } else {
        return false;
    }
    return true;
}

bool fil_log_format_wants_color(bool is_terminal, const char *no_color, const char *term)
{
    bool is_unwanted = no_color != NULL && no_color[0] != '\0';
    bool is_dumb = term != NULL && strcmp(term, "dumb") == 0;
    return is_terminal && !is_unwanted && !is_dumb;
}

static void write_time(struct fil_writer *writer, enum fil_log_format format, uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / NS_PER_S);
    struct tm civil = {0};
    bool is_known = gmtime_r(&seconds, &civil) != NULL;
    fil_assert(is_known); // 64 bits of nanoseconds end in the year 2554
    if (format != FIL_LOG_FORMAT_HUMAN) {
        fil_writer_format(writer, "%04d-%02d-%02dT", civil.tm_year + 1900, civil.tm_mon + 1,
                          civil.tm_mday);
    }
    fil_writer_format(writer, "%02d:%02d:%02d.%03uZ", civil.tm_hour, civil.tm_min, civil.tm_sec,
                      (unsigned)(wall_ns % NS_PER_S / NS_PER_MS));
}

/** Keys and event names come from our own sources; a slip there must not break the line. */
static void write_name(struct fil_writer *writer, const char *name)
{
    for (size_t i = 0; i < FIL_LOG_NAME_MAX && name[i] != '\0'; i++) {
        char c = name[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
        fil_writer_u8(writer, is_plain ? (uint8_t)c : '_');
    }
}

static void write_key(struct fil_writer *writer, enum fil_log_format format, const char *key,
                      const char *suffix)
{
    bool is_json = format == FIL_LOG_FORMAT_JSON;
    fil_writer_text(writer, is_json ? ",\"" : " ");
    write_name(writer, key);
    fil_writer_text(writer, suffix);
    fil_writer_text(writer, is_json ? "\":" : "=");
}

static void write_quoted(struct fil_writer *writer, struct fil_bytes text, bool is_cut)
{
    fil_writer_u8(writer, '"');
    fil_log_text_escape(writer, text);
    fil_writer_text(writer, is_cut ? "...\"" : "\"");
}

static void write_text(struct fil_writer *writer, enum fil_log_format format, struct fil_bytes text,
                       bool is_cut)
{
    if (format == FIL_LOG_FORMAT_JSON || !fil_log_text_is_plain(text)) {
        write_quoted(writer, text, is_cut);
        return;
    }
    fil_writer_bytes(writer, text);
    if (is_cut) {
        fil_writer_text(writer, "...");
    }
}

/** Exact, without trailing zeros. */
static void write_milliseconds(struct fil_writer *writer, uint64_t ns)
{
    fil_writer_decimal_u64(writer, ns / NS_PER_MS);
    uint64_t rest = ns % NS_PER_MS;
    if (rest == 0) {
        return;
    }
    int digits = 6;
    while (rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    fil_writer_format(writer, ".%0*u", digits, (unsigned)rest);
}

/** Rounded, in one word. */
static void write_human_units(struct fil_writer *writer, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text != ' ') {
            fil_writer_u8(writer, (uint8_t)*text);
        }
    }
}

static void write_duration(struct fil_writer *writer, enum fil_log_format format,
                           const struct fil_log_field *field)
{
    char text[FIL_UNITS_TEXT_MAX];
    if (format == FIL_LOG_FORMAT_HUMAN) {
        write_key(writer, format, field->key, "");
        write_human_units(writer, fil_units_human_duration(field->value.u64, text));
    } else {
        write_key(writer, format, field->key, "_ms");
        write_milliseconds(writer, field->value.u64);
    }
}

static void write_size(struct fil_writer *writer, enum fil_log_format format,
                       const struct fil_log_field *field)
{
    char text[FIL_UNITS_TEXT_MAX];
    if (format == FIL_LOG_FORMAT_HUMAN) {
        write_key(writer, format, field->key, "");
        write_human_units(writer, fil_units_human_size(field->value.u64, text));
    } else {
        write_key(writer, format, field->key, "_bytes");
        fil_writer_decimal_u64(writer, field->value.u64);
    }
}

/** The code's name for machines, its sentence for people. */
static void write_code(struct fil_writer *writer, enum fil_log_format format,
                       const struct fil_log_field *field)
{
    int code = field->value.code;
    write_key(writer, format, field->key, "");
    write_text(writer, format, fil_bytes_of(fil_error_name(code)), false);
    if (code == FIL_OK) {
        return;
    }
    if (format == FIL_LOG_FORMAT_HUMAN) {
        fil_writer_format(writer, " (%s)", fil_error_text(code));
    } else {
        write_key(writer, format, field->key, "_text");
        write_quoted(writer, fil_bytes_of(fil_error_text(code)), false);
    }
}

/** JSON has no numbers that are none. */
static void write_double(struct fil_writer *writer, enum fil_log_format format, double number)
{
    if (isfinite(number)) {
        fil_writer_format(writer, "%.9g", number);
    } else {
        const char *text = isnan(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";
        write_text(writer, format, fil_bytes_of(text), false);
    }
}

static void write_simple(struct fil_writer *writer, enum fil_log_format format,
                         const struct fil_log_field *field)
{
    char text[FIL_ADDRESS_TEXT_MAX];
    write_key(writer, format, field->key, "");
    if (field->type == FIL_LOG_TEXT) {
        write_text(writer, format, field->value.text, field->is_cut);
    } else if (field->type == FIL_LOG_U64) {
        fil_writer_decimal_u64(writer, field->value.u64);
    } else if (field->type == FIL_LOG_I64) {
        fil_writer_decimal_i64(writer, field->value.i64);
    } else if (field->type == FIL_LOG_F64) {
        write_double(writer, format, field->value.f64);
    } else if (field->type == FIL_LOG_BOOL) {
        fil_writer_text(writer, field->value.boolean ? "true" : "false");
    } else if (field->type == FIL_LOG_HEX) {
        // Text in JSON too: it has no hexadecimal numbers.
        const char *quote = format == FIL_LOG_FORMAT_JSON ? "\"" : "";
        fil_writer_format(writer, "%s0x%llx%s", quote, (unsigned long long)field->value.u64, quote);
    } else {
        fil_assert(field->type == FIL_LOG_ADDRESS);
        fil_address_format(&field->value.address, text);
        write_text(writer, format, fil_bytes_of(text), false);
    }
}

static void write_fields(struct fil_writer *writer, enum fil_log_format format,
                         const struct fil_log_record *record)
{
    struct fil_log_field field;
    uint32_t position = 0;
    while (fil_log_record_next(record, &position, &field)) {
        if (field.type == FIL_LOG_NS) {
            write_duration(writer, format, &field);
        } else if (field.type == FIL_LOG_SIZE) {
            write_size(writer, format, &field);
        } else if (field.type == FIL_LOG_CODE) {
            write_code(writer, format, &field);
        } else {
            write_simple(writer, format, &field);
        }
    }
}

static void write_human_head(struct fil_writer *writer, bool has_color,
                             const struct fil_log_record *record)
{
    static const char *const names[] = {"DEBUG", "INFO ", "WARN ", "ERROR"};
    static const char *const colors[] = {"\033[36m", "\033[32m", "\033[33m", "\033[1;31m"};
    static_assert(FIL_COUNT_OF(names) == FIL_LOG_LEVEL_COUNT, "each level has a name");
    static_assert(FIL_COUNT_OF(colors) == FIL_LOG_LEVEL_COUNT, "each level has a colour");

    fil_writer_text(writer, has_color ? COLOR_DIM : "");
    write_time(writer, FIL_LOG_FORMAT_HUMAN, record->wall_ns);
    fil_writer_text(writer, has_color ? COLOR_NONE : "");
    fil_writer_u8(writer, ' ');
    fil_writer_text(writer, has_color ? colors[record->level] : "");
    fil_writer_text(writer, names[record->level]);
    fil_writer_text(writer, has_color ? COLOR_NONE COLOR_DIM : "");
    fil_writer_u8(writer, ' ');
    write_text(writer, FIL_LOG_FORMAT_HUMAN, fil_bytes_of(record->role), false);
    fil_writer_text(writer, has_color ? COLOR_NONE COLOR_BOLD : "");
    fil_writer_u8(writer, ' ');
    write_name(writer, record->site.event);
    fil_writer_text(writer, has_color ? COLOR_NONE : "");
}

static void write_machine_head(struct fil_writer *writer, enum fil_log_format format,
                               const struct fil_log_record *record)
{
    bool is_json = format == FIL_LOG_FORMAT_JSON;
    fil_writer_text(writer, is_json ? "{\"ts\":\"" : "ts=");
    write_time(writer, format, record->wall_ns);
    fil_writer_text(writer, is_json ? "\"" : "");
    write_key(writer, format, "level", "");
    write_text(writer, format, fil_bytes_of(fil_log_level_name(record->level)), false);
    write_key(writer, format, "role", "");
    write_text(writer, format, fil_bytes_of(record->role), false);
    write_key(writer, format, "event", "");
    fil_writer_text(writer, is_json ? "\"" : "");
    write_name(writer, record->site.event);
    fil_writer_text(writer, is_json ? "\"" : "");
}

void fil_log_format_line(struct fil_writer *writer, const struct fil_log_style *style,
                         const struct fil_log_record *record)
{
    fil_assert(fil_writer_room(writer) >= FIL_LOG_LINE_BYTES_MAX);
    fil_assert((size_t)record->level < FIL_LOG_LEVEL_COUNT);

    if (style->format == FIL_LOG_FORMAT_HUMAN) {
        write_human_head(writer, style->has_color, record);
    } else {
        write_machine_head(writer, style->format, record);
    }
    write_fields(writer, style->format, record);
    fil_writer_text(writer, style->format == FIL_LOG_FORMAT_JSON ? "}\n" : "\n");
    fil_assert(!writer->is_full);
}

void fil_log_format_fields(struct fil_writer *writer, const struct fil_log_record *record)
{
    write_fields(writer, FIL_LOG_FORMAT_LOGFMT, record);
}
