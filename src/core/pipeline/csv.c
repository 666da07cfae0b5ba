// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/csv.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/reader.h"
#include "lib/base/writer.h"

#define REAL_BYTES_MAX 64U

/** Moves over a quoted text, without its quotes; false when it has no end or something behind it.
 */
static bool take_quoted(struct fil_reader *reader, char *out_text, size_t capacity,
                        size_t *out_size)
{
    uint8_t character = 0;
    size_t size = 0;
    while (fil_reader_u8(reader, &character)) {
        uint8_t next = ',';
        bool has_next = fil_reader_peek_u8(reader, &next);
        if (character == '"' && has_next && next == '"') {
            (void)!fil_reader_skip(reader, 1);
        } else if (character == '"') {
            *out_size = size;
            return !has_next || next == ',';
        }
        if (size == capacity) {
            return false;
        }
        out_text[size] = (char)character;
        size++;
    }
    return false;
}

static bool take_text(struct fil_reader *reader, const struct fil_field *field, char *out)
{
    uint8_t first = 0;
    size_t size = 0;
    memset(out, 0, field->size);
    if (fil_reader_peek_u8(reader, &first) && first == '"') {
        return fil_reader_skip(reader, 1) && take_quoted(reader, out, field->size, &size);
    }
    struct fil_bytes rest = fil_reader_rest(reader);
    size = fil_bytes_find(rest, ',');
    if (size > field->size) {
        return false;
    }
    if (size != 0) {
        memcpy(out, rest.data, size);
    }
    return fil_reader_skip(reader, size);
}

bool fil_csv_parse_real(struct fil_bytes text, double *out_value)
{
    char copy[REAL_BYTES_MAX];
    if (text.size == 0 || text.size >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    char *end = NULL;
    *out_value = strtod(copy, &end);
    return end == copy + text.size;
}

static bool take_number(struct fil_reader *reader, const struct fil_field *field, uint8_t *out)
{
    struct fil_bytes rest = fil_reader_rest(reader);
    struct fil_bytes text = fil_bytes_make(rest.data, fil_bytes_find(rest, ','));
    struct fil_bytes word = fil_bytes_trim(text);
    int64_t number = 0;
    double real = 0;
    bool is_real = field->kind == FIL_FIELD_F64;
    bool is_good = is_real ? fil_csv_parse_real(word, &real) : fil_bytes_to_i64(word, &number);
    memcpy(out, is_real ? (const void *)&real : (const void *)&number, 8);
    return is_good && fil_reader_skip(reader, text.size);
}

int fil_csv_parse(const struct fil_type *type, struct fil_bytes line, void *out_record)
{
    if (line.size == 0) {
        return FIL_E_NOT_FOUND;
    }
    memset(out_record, 0, type->size);
    return fil_csv_parse_fields(type, line, out_record);
}

int fil_csv_parse_fields(const struct fil_type *type, struct fil_bytes line, void *out_record)
{
    struct fil_reader reader;
    fil_reader_init(&reader, line);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        uint8_t *out = (uint8_t *)out_record + field->offset;
        uint8_t comma = ',';
        bool is_good = i == 0 || (fil_reader_u8(&reader, &comma) && comma == ',');
        is_good = is_good && (field->kind == FIL_FIELD_TEXT ? take_text(&reader, field, (char *)out)
                                                            : take_number(&reader, field, out));
        if (!is_good) {
            return FIL_E_MALFORMED;
        }
    }
    return fil_reader_remaining(&reader) == 0 ? FIL_OK : FIL_E_MALFORMED;
}

static void write_text(struct fil_writer *writer, const char *text, uint32_t size)
{
    struct fil_bytes bytes = fil_bytes_make(text, strnlen(text, size));
    bool is_plain = fil_bytes_find(bytes, ',') == bytes.size &&
                    fil_bytes_find(bytes, '"') == bytes.size &&
                    fil_bytes_find(bytes, '\n') == bytes.size;
    if (is_plain) {
        (void)fil_writer_bytes(writer, bytes);
        return;
    }
    (void)fil_writer_u8(writer, '"');
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] == '"') {
            (void)fil_writer_u8(writer, '"');
        }
        (void)fil_writer_u8(writer, bytes.data[i]);
    }
    (void)fil_writer_u8(writer, '"');
}

size_t fil_csv_format(const struct fil_type *type, const void *record, char *out_text,
                      size_t capacity)
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_text, capacity);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        const uint8_t *from = (const uint8_t *)record + field->offset;
        (void)fil_writer_text(&writer, i == 0 ? "" : ",");
        if (field->kind == FIL_FIELD_TEXT) {
            write_text(&writer, (const char *)from, field->size);
        } else if (field->kind == FIL_FIELD_F64) {
            double real;
            memcpy(&real, from, sizeof(real));
            (void)fil_writer_real(&writer, real);
        } else {
            int64_t number;
            memcpy(&number, from, sizeof(number));
            (void)fil_writer_decimal_i64(&writer, number);
        }
    }
    return writer.is_full ? capacity + 1 : writer.size;
}
