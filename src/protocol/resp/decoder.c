// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/decoder.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

void fil_resp_decoder_init(struct fil_resp_decoder *decoder, size_t bulk_bytes_max,
                           size_t command_bytes_max)
{
    *decoder = (struct fil_resp_decoder){
        .bulk_bytes_max = bulk_bytes_max,
        .command_bytes_max = command_bytes_max,
        .argument_capacity = FIL_RESP_ARGUMENTS_USUAL,
    };
    decoder->arguments = decoder->usual;
}

static size_t block_bytes(uint32_t capacity)
{
    return capacity * sizeof(struct fil_resp_argument);
}

static void free_arguments(struct fil_resp_decoder *decoder)
{
    if (decoder->arguments != decoder->usual) {
        fil_free(decoder->arguments);
        if (decoder->budget != NULL) {
            fil_budget_return(decoder->budget, block_bytes(decoder->argument_capacity));
        }
        decoder->arguments = decoder->usual;
        decoder->argument_capacity = FIL_RESP_ARGUMENTS_USUAL;
    }
}

static void free_text(struct fil_resp_decoder *decoder)
{
    if (decoder->text != decoder->short_text) {
        fil_free(decoder->text);
    }
    decoder->text = NULL;
}

void fil_resp_decoder_fini(struct fil_resp_decoder *decoder)
{
    free_arguments(decoder);
    free_text(decoder);
}

FIL_PRINTF(3, 4)
static int fail(struct fil_resp_decoder *decoder, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(decoder->problem, sizeof(decoder->problem), format, arguments);
    va_end(arguments);
    return error;
}

/** Forgets the last command; its arguments were valid until now. */
static void start_command(struct fil_resp_decoder *decoder)
{
    decoder->argument_count = 0;
    decoder->argument_total = 0;
    decoder->position = 0;
    decoder->scanned = 0;
    decoder->has_bulk_size = false;
    if (FIL_UNLIKELY(decoder->arguments != decoder->usual)) {
        free_arguments(decoder);
    }
    if (FIL_UNLIKELY(decoder->text != NULL)) {
        free_text(decoder);
    }
}

/** Doubles the room for arguments, charged to the budget: a peer decides how many there are. */
static int grow_arguments(struct fil_resp_decoder *decoder)
{
    bool is_usual = decoder->arguments == decoder->usual;
    size_t old_bytes = is_usual ? 0 : block_bytes(decoder->argument_capacity);
    size_t bytes = block_bytes(decoder->argument_capacity * 2);
    if (decoder->budget != NULL && !fil_budget_draw(decoder->budget, bytes - old_bytes)) {
        return fail(decoder, FIL_E_NOMEM, "out of memory for the command's arguments");
    }
    struct fil_resp_argument *grown = fil_realloc(is_usual ? NULL : decoder->arguments, bytes);
    if (grown == NULL) {
        if (decoder->budget != NULL) {
            fil_budget_return(decoder->budget, bytes - old_bytes);
        }
        return fail(decoder, FIL_E_NOMEM, "out of memory for the command's arguments");
    }
    if (is_usual) {
        memcpy(grown, decoder->usual, sizeof(decoder->usual));
    }
    decoder->arguments = grown;
    decoder->argument_capacity *= 2;
    return FIL_OK;
}

static int add_argument(struct fil_resp_decoder *decoder, size_t offset, size_t size)
{
    if (FIL_UNLIKELY(decoder->argument_count == decoder->argument_capacity)) {
        int error = grow_arguments(decoder);
        if (error != FIL_OK) {
            return error;
        }
    }
    decoder->arguments[decoder->argument_count] =
        (struct fil_resp_argument){.offset = offset, .size = size};
    decoder->argument_count++;
    return FIL_OK;
}

/**
 * The number between the marker at position and the line's end. FIL_E_AGAIN without a line end;
 * FIL_E_MALFORMED when there is no plain number; moves position behind the line.
 */
static int read_number(struct fil_resp_decoder *decoder, struct fil_bytes bytes, int64_t *out_value)
{
    const uint8_t *start = bytes.data + decoder->position + 1;
    const uint8_t *end = bytes.data + bytes.size;
    const uint8_t *at = start;
    bool is_negative = at < end && *at == '-';
    at += is_negative;
    int64_t value = 0;
    // Ten digits hold every legal size; more is a wrong number, not a longer wait.
    const uint8_t *digits = at;
    while (at < end && *at >= '0' && *at <= '9' && at - digits < 11) {
        value = value * 10 + (*at - '0');
        at++;
    }
    if (at == end || (at + 1 == end && *at == '\r')) {
        return FIL_E_AGAIN;
    }
    if (at == digits || at[0] != '\r' || at[1] != '\n') {
        return FIL_E_MALFORMED;
    }
    *out_value = is_negative ? -value : value;
    decoder->position = (size_t)(at + 2 - bytes.data);
    return FIL_OK;
}

static int read_bulk_size(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    if (decoder->position == bytes.size) {
        return FIL_E_AGAIN;
    }
    uint8_t marker = bytes.data[decoder->position];
    if (marker != '$') {
        return fail(decoder, FIL_E_MALFORMED, "Protocol error: expected '$', got '%c'",
                    isprint(marker) ? marker : '?');
    }
    int64_t size = 0;
    int error = read_number(decoder, bytes, &size);
    if (error == FIL_E_AGAIN) {
        return error;
    }
    if (error != FIL_OK || size < 0) {
        return fail(decoder, FIL_E_MALFORMED, "Protocol error: invalid bulk length");
    }
    if ((uint64_t)size > decoder->bulk_bytes_max) {
        return fail(decoder, FIL_E_LIMIT, "Protocol error: invalid bulk length");
    }
    // With its line end; position itself may be beyond the limit by now.
    if (decoder->position + (uint64_t)size + 2 > decoder->command_bytes_max) {
        return fail(decoder, FIL_E_LIMIT, "Protocol error: command longer than %zu bytes",
                    decoder->command_bytes_max);
    }
    decoder->bulk_size = (size_t)size;
    decoder->has_bulk_size = true;
    return FIL_OK;
}

static int read_bulk(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    if (!decoder->has_bulk_size) {
        int error = read_bulk_size(decoder, bytes);
        if (error != FIL_OK) {
            return error;
        }
    }
    size_t available = bytes.size - decoder->position;
    if (available < 2 || available - 2 < decoder->bulk_size) {
        return FIL_E_AGAIN;
    }
    const uint8_t *end = bytes.data + decoder->position + decoder->bulk_size;
    if (end[0] != '\r' || end[1] != '\n') {
        return fail(decoder, FIL_E_MALFORMED, "Protocol error: expected CRLF after the bulk");
    }
    int error = add_argument(decoder, decoder->position, decoder->bulk_size);
    decoder->position += decoder->bulk_size + 2;
    decoder->has_bulk_size = false;
    return error;
}

static int read_array_size(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    int64_t count = 0;
    int error = read_number(decoder, bytes, &count);
    if (error == FIL_E_AGAIN) {
        return error;
    }
    if (error != FIL_OK || count > (int64_t)FIL_RESP_ARGUMENTS_MAX) {
        return fail(decoder, FIL_E_MALFORMED, "Protocol error: invalid multibulk length");
    }
    decoder->argument_total = count <= 0 ? 0 : (uint32_t)count;
    return FIL_OK;
}

/** State of unquoting one inline command. */
struct inline_reader {
    struct fil_bytes line;
    size_t at;
    uint8_t *text;
    size_t text_size;
};

static int hex_value(uint8_t digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    digit = (uint8_t)(digit | 0x20);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/** The byte an escape inside double quotes stands for; the reader is behind the backslash. */
static uint8_t unescape(struct inline_reader *reader)
{
    struct fil_bytes line = reader->line;
    uint8_t letter = line.data[reader->at];
    reader->at++;
    if (letter == 'x' && line.size - reader->at >= 2) {
        int high = hex_value(line.data[reader->at]);
        int low = hex_value(line.data[reader->at + 1]);
        if (high >= 0 && low >= 0) {
            reader->at += 2;
            return (uint8_t)(high * 16 + low);
        }
    }
    switch (letter) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'b':
        return '\b';
    case 'a':
        return '\a';
    default:
        return letter;
    }
}

/** Copies a quoted part; false without its closing quote, or with more right behind it. */
static bool read_quoted(struct inline_reader *reader, uint8_t quote)
{
    struct fil_bytes line = reader->line;
    while (reader->at < line.size) {
        uint8_t byte = line.data[reader->at];
        reader->at++;
        if (byte == quote) {
            return reader->at == line.size || isspace(line.data[reader->at]);
        }
        bool is_escape = byte == '\\' && reader->at < line.size &&
                         (quote == '"' || line.data[reader->at] == '\'');
        reader->text[reader->text_size] = is_escape ? unescape(reader) : byte;
        reader->text_size++;
    }
    return false;
}

/** Copies one argument, which may have quoted parts; false when quotes do not match. */
static bool read_word(struct inline_reader *reader)
{
    struct fil_bytes line = reader->line;
    while (reader->at < line.size && !isspace(line.data[reader->at])) {
        uint8_t byte = line.data[reader->at];
        reader->at++;
        if (byte == '"' || byte == '\'') {
            return read_quoted(reader, byte);
        }
        reader->text[reader->text_size] = byte;
        reader->text_size++;
    }
    return true;
}

static int split_inline(struct fil_resp_decoder *decoder, struct fil_bytes line)
{
    struct inline_reader reader = {.line = line, .text = decoder->text};
    for (;;) {
        while (reader.at < line.size && isspace(line.data[reader.at])) {
            reader.at++;
        }
        if (reader.at == line.size) {
            return FIL_OK;
        }
        size_t offset = reader.text_size;
        if (!read_word(&reader)) {
            return fail(decoder, FIL_E_MALFORMED, "Protocol error: unbalanced quotes in request");
        }
        int error = add_argument(decoder, offset, reader.text_size - offset);
        if (error != FIL_OK) {
            return error;
        }
    }
}

static int read_inline(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    struct fil_bytes unseen =
        fil_bytes_make(bytes.data + decoder->scanned, bytes.size - decoder->scanned);
    size_t found = fil_bytes_find(unseen, '\n');
    size_t size = decoder->scanned + found;
    if (size > FIL_RESP_INLINE_BYTES_MAX) {
        return fail(decoder, FIL_E_LIMIT, "Protocol error: too big inline request");
    }
    if (found == unseen.size) {
        decoder->scanned = bytes.size;
        return FIL_E_AGAIN;
    }
    decoder->position = size + 1;
    if (size == 0) {
        return FIL_OK;
    }
    bool is_short = size <= sizeof(decoder->short_text);
    decoder->text = is_short ? decoder->short_text : fil_alloc(size);
    if (decoder->text == NULL) {
        return fail(decoder, FIL_E_NOMEM, "out of memory for an inline command");
    }
    return split_inline(decoder, fil_bytes_make(bytes.data, size));
}

static int read_array(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    if (decoder->position == 0) {
        int error = read_array_size(decoder, bytes);
        if (error != FIL_OK) {
            return error;
        }
    }
    while (decoder->argument_count < decoder->argument_total) {
        int error = read_bulk(decoder, bytes);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

int fil_resp_decode(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                    struct fil_resp_command *out_command, size_t *out_size)
{
    size_t skipped = 0;
    *out_size = 0;
    for (;;) {
        struct fil_bytes rest = fil_bytes_make(bytes.data + skipped, bytes.size - skipped);
        if (!decoder->is_started) {
            // Also when there is nothing more: what the last command needed is freed now.
            start_command(decoder);
            decoder->is_started = true;
        }
        if (rest.size == 0) {
            *out_size = skipped;
            return FIL_E_AGAIN;
        }
        int error = rest.data[0] == '*' ? read_array(decoder, rest) : read_inline(decoder, rest);
        if (error != FIL_OK) {
            *out_size = skipped;
            return error;
        }
        decoder->is_started = false;
        skipped += decoder->position;
        if (FIL_LIKELY(decoder->argument_count > 0)) {
            *out_command = (struct fil_resp_command){
                .base = decoder->text != NULL ? decoder->text : rest.data,
                .arguments = decoder->arguments,
                .count = decoder->argument_count,
            };
            *out_size = skipped;
            return FIL_OK;
        }
        // An empty line or array asks for nothing and gets nothing.
    }
}

size_t fil_resp_decoder_expected(const struct fil_resp_decoder *decoder)
{
    return decoder->is_started && decoder->has_bulk_size
               ? decoder->position + decoder->bulk_size + 2
               : 0;
}
