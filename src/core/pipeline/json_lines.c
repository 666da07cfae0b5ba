// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/json_lines.h"

#include <math.h>
#include <string.h>

#include "core/pipeline/csv.h"
#include "lib/base/writer.h"
#include "lib/json/cursor.h"
#include "lib/json/write.h"

#define NUMBER_BYTES_MAX   32U
#define QUOTED_BYTES(size) ((size_t)6 * (size) + 2U) // each byte as \u00XX

static bool take_text(struct fil_bytes quoted, const struct fil_field *field, uint8_t *out)
{
    struct fil_json_unescaper unescaper = fil_json_unescape(quoted);
    uint8_t piece[4];
    uint32_t used = 0;
    uint32_t count = fil_json_take_piece(&unescaper, piece);
    for (; count != 0; count = fil_json_take_piece(&unescaper, piece)) {
        if (count > field->size - used || piece[0] == 0) {
            return false;
        }
        memcpy(out + used, piece, count);
        used += count;
    }
    return true;
}

static bool take_number(struct fil_bytes text, const struct fil_field *field, uint8_t *out)
{
    int64_t number = 0;
    double real = 0;
    if (field->kind == FIL_FIELD_F64) {
        bool is_good = fil_csv_parse_real(text, &real);
        memcpy(out, &real, sizeof(real));
        return is_good;
    }
    bool is_good = fil_bytes_to_i64(text, &number);
    memcpy(out, &number, sizeof(number));
    return is_good;
}

static bool take_flag(bool is_true, const struct fil_field *field, uint8_t *out)
{
    int64_t number = is_true;
    if (field->kind != FIL_FIELD_I64) {
        return false;
    }
    memcpy(out, &number, sizeof(number));
    return true;
}

/** The value of a field, which is zero before. */
static bool take_value(struct fil_json_cursor *cursor, const struct fil_field *field, uint8_t *out)
{
    fil_json_skip_blanks(cursor);
    size_t start = cursor->at;
    uint8_t first = fil_json_peek(cursor);
    if (first == '"') {
        return field->kind == FIL_FIELD_TEXT && fil_json_skip_string(cursor) &&
               take_text(fil_bytes_make(cursor->text.data + start, cursor->at - start), field, out);
    }
    if (first == 'n') {
        return fil_json_skip_word(cursor, "null");
    }
    if (first == 't' || first == 'f') {
        return fil_json_skip_word(cursor, first == 't' ? "true" : "false") &&
               take_flag(first == 't', field, out);
    }
    return field->kind != FIL_FIELD_TEXT && fil_json_skip_number(cursor) &&
           take_number(fil_bytes_make(cursor->text.data + start, cursor->at - start), field, out);
}

static const struct fil_field *find_field(const struct fil_type *type, struct fil_bytes quoted)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (fil_json_string_equals(quoted, fil_bytes_of(type->fields[i].name))) {
            return &type->fields[i];
        }
    }
    return NULL;
}

static bool take_member(struct fil_json_cursor *cursor, const struct fil_type *type,
                        uint8_t *record)
{
    fil_json_skip_blanks(cursor);
    size_t start = cursor->at;
    if (!fil_json_skip_string(cursor)) {
        return false;
    }
    struct fil_bytes name = fil_bytes_make(cursor->text.data + start, cursor->at - start);
    const struct fil_field *field = find_field(type, name);
    fil_json_skip_blanks(cursor);
    if (!fil_json_skip_if(cursor, ':')) {
        return false;
    }
    if (field == NULL) {
        return fil_json_skip_value(cursor);
    }
    // Of members with the same name the last one counts.
    memset(record + field->offset, 0, field->size);
    return take_value(cursor, field, record + field->offset);
}

int fil_json_lines_parse(const struct fil_type *type, struct fil_bytes line, void *out_record)
{
    struct fil_json_cursor cursor = {.text = line};
    fil_json_skip_blanks(&cursor);
    if (cursor.at == line.size) {
        return FIL_E_NOT_FOUND;
    }
    memset(out_record, 0, type->size);
    bool is_good = fil_json_skip_if(&cursor, '{');
    fil_json_skip_blanks(&cursor);
    if (is_good && !fil_json_skip_if(&cursor, '}')) {
        do {
            is_good = take_member(&cursor, type, out_record);
            fil_json_skip_blanks(&cursor);
        } while (is_good && fil_json_skip_if(&cursor, ','));
        is_good = is_good && fil_json_skip_if(&cursor, '}');
    }
    fil_json_skip_blanks(&cursor);
    return is_good && cursor.at == line.size ? FIL_OK : FIL_E_MALFORMED;
}

static void write_value(struct fil_writer *writer, const struct fil_field *field,
                        const uint8_t *from)
{
    int64_t number;
    double real;
    if (field->kind == FIL_FIELD_TEXT) {
        size_t size = strnlen((const char *)from, field->size);
        writer->is_full |= !fil_json_quote(writer, fil_bytes_make(from, size));
        return;
    }
    memcpy(&number, from, sizeof(number));
    memcpy(&real, from, sizeof(real));
    if (field->kind != FIL_FIELD_F64) {
        (void)fil_writer_decimal_i64(writer, number);
    } else if (isfinite(real)) {
        (void)fil_writer_real(writer, real);
    } else {
        (void)fil_writer_text(writer, "null"); // JSON has no word for it
    }
}

size_t fil_json_lines_size_max(const struct fil_type *type)
{
    size_t size = 2; // of the braces
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        size_t value = field->kind == FIL_FIELD_TEXT ? QUOTED_BYTES(field->size) : NUMBER_BYTES_MAX;
        size += QUOTED_BYTES(strlen(field->name)) + value + 2;
    }
    return size;
}

size_t fil_json_lines_format(const struct fil_type *type, const void *record, char *out_text,
                             size_t capacity)
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_text, capacity);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct fil_field *field = &type->fields[i];
        (void)fil_writer_u8(&writer, i == 0 ? '{' : ',');
        writer.is_full |= !fil_json_quote(&writer, fil_bytes_of(field->name));
        (void)fil_writer_u8(&writer, ':');
        write_value(&writer, field, (const uint8_t *)record + field->offset);
    }
    (void)fil_writer_text(&writer, type->field_count == 0 ? "{}" : "}");
    return writer.is_full ? capacity + 1 : writer.size;
}
