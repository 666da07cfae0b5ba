// SPDX-License-Identifier: Apache-2.0
/** Inline commands: words in a line, some of them quoted, as people type them. */
#include <ctype.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/resp/decoder_internal.h"

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
            return fil_resp_decoder__fail(decoder, FIL_E_MALFORMED,
                                          "Protocol error: unbalanced quotes in request");
        }
        int error = fil_resp_decoder__add(decoder, offset, reader.text_size - offset);
        if (error != FIL_OK) {
            return error;
        }
    }
}

int fil_resp_decoder__read_inline(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    struct fil_bytes unseen =
        fil_bytes_make(bytes.data + decoder->scanned, bytes.size - decoder->scanned);
    size_t found = fil_bytes_find(unseen, '\n');
    size_t size = decoder->scanned + found;
    if (size > FIL_RESP_INLINE_BYTES_MAX) {
        return fil_resp_decoder__fail(decoder, FIL_E_LIMIT,
                                      "Protocol error: too big inline request");
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
        return fil_resp_decoder__fail(decoder, FIL_E_NOMEM, "out of memory for an inline command");
    }
    return split_inline(decoder, fil_bytes_make(bytes.data, size));
}
