// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/decoder.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/decoder_internal.h"

#define SHORT_NUMBER_MAX 99999U // larger ones are read closely

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

int fil_resp_decoder__fail(struct fil_resp_decoder *decoder, int error, const char *format, ...)
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
        return fil_resp_decoder__fail(decoder, FIL_E_NOMEM,
                                      "out of memory for the command's arguments");
    }
    struct fil_resp_argument *grown = fil_realloc(is_usual ? NULL : decoder->arguments, bytes);
    if (grown == NULL) {
        if (decoder->budget != NULL) {
            fil_budget_return(decoder->budget, bytes - old_bytes);
        }
        return fil_resp_decoder__fail(decoder, FIL_E_NOMEM,
                                      "out of memory for the command's arguments");
    }
    if (is_usual) {
        memcpy(grown, decoder->usual, sizeof(decoder->usual));
    }
    decoder->arguments = grown;
    decoder->argument_capacity *= 2;
    return FIL_OK;
}

int fil_resp_decoder__add(struct fil_resp_decoder *decoder, size_t offset, size_t size)
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

/** No command of this size is taken, whatever it is. */
FIL_COLD static int fail_too_long(struct fil_resp_decoder *decoder, const char *what)
{
    decoder->is_frame_limit = true;
    return fil_resp_decoder__fail(decoder, FIL_E_LIMIT,
                                  "Protocol error: %s, at most %zu bytes (net.frame_bytes_max)",
                                  what, decoder->command_bytes_max);
}

static int read_bulk_size(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    if (decoder->position == bytes.size) {
        return FIL_E_AGAIN;
    }
    uint8_t marker = bytes.data[decoder->position];
    if (marker != '$') {
        return fil_resp_decoder__fail(decoder, FIL_E_MALFORMED,
                                      "Protocol error: expected '$', got '%c'",
                                      isprint(marker) ? marker : '?');
    }
    int64_t size = 0;
    int error = read_number(decoder, bytes, &size);
    if (error == FIL_E_AGAIN) {
        return error;
    }
    if (error != FIL_OK || size < 0) {
        return fil_resp_decoder__fail(decoder, FIL_E_MALFORMED,
                                      "Protocol error: invalid bulk length");
    }
    if ((uint64_t)size > decoder->bulk_bytes_max) {
        return decoder->bulk_bytes_max == decoder->command_bytes_max
                   ? fail_too_long(decoder, "invalid bulk length")
                   : fil_resp_decoder__fail(decoder, FIL_E_LIMIT,
                                            "Protocol error: invalid bulk length");
    }
    // With its line end; position itself may be beyond the limit by now.
    if (decoder->position + (uint64_t)size + 2 > decoder->command_bytes_max) {
        return fail_too_long(decoder, "command too long");
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
        return fil_resp_decoder__fail(decoder, FIL_E_MALFORMED,
                                      "Protocol error: expected CRLF after the bulk");
    }
    int error = fil_resp_decoder__add(decoder, decoder->position, decoder->bulk_size);
    decoder->position += decoder->bulk_size + 2;
    decoder->has_bulk_size = false;
    return error;
}

static inline bool is_line_end(const uint8_t *at)
{
    return memcmp(at, "\r\n", 2) == 0;
}

/** As read_short, from the third digit on; the first two are known. */
static const uint8_t *read_longer(const uint8_t *at, const uint8_t *stop, uint32_t value,
                                  uint32_t *out_value)
{
    for (; at <= stop && !is_line_end(at); at++) {
        uint32_t digit = (uint32_t)*at - '0';
        value = value * 10 + digit;
        if (digit > 9 || value > SHORT_NUMBER_MAX) {
            return NULL;
        }
    }
    *out_value = value;
    return at <= stop ? at + 2 : NULL;
}

/**
 * The number at `at`, one of few digits, with its line end; returns what is behind it, or NULL when
 * it is not as simple as that. Two bytes can be read at `stop`, and `at` is two or more before it.
 */
static inline const uint8_t *read_short(const uint8_t *at, const uint8_t *stop, uint32_t *out_value)
{
    uint32_t value = (uint32_t)at[0] - '0';
    if (value > 9) {
        return NULL;
    }
    if (is_line_end(at + 1)) {
        *out_value = value;
        return at + 3;
    }
    uint32_t digit = (uint32_t)at[1] - '0';
    value = value * 10 + digit;
    if (FIL_LIKELY(digit <= 9 && is_line_end(at + 2))) {
        *out_value = value;
        return at + 4;
    }
    return digit > 9 ? NULL : read_longer(at + 2, stop, value, out_value);
}

static int read_array_size(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    int64_t count = 0;
    int error = read_number(decoder, bytes, &count);
    if (error == FIL_E_AGAIN) {
        return error;
    }
    if (error != FIL_OK || count > (int64_t)FIL_RESP_ARGUMENTS_MAX) {
        return fil_resp_decoder__fail(decoder, FIL_E_MALFORMED,
                                      "Protocol error: invalid multibulk length");
    }
    decoder->argument_total = count <= 0 ? 0 : (uint32_t)count;
    return FIL_OK;
}

#define BULK_BYTES_MIN 6 // marker, a digit, two line ends

/** Where short bulks are looked for. */
struct short_range {
    const uint8_t *base; // of the arguments' offsets
    const uint8_t *stop; // two bytes can be read here
    size_t bulk_bytes_max;
};

/** What is beyond the limit of a command is looked at closely. */
static inline struct short_range short_range_of(const struct fil_resp_decoder *decoder,
                                                struct fil_bytes bytes)
{
    size_t size = bytes.size < decoder->command_bytes_max ? bytes.size : decoder->command_bytes_max;
    return (struct short_range){.base = bytes.data,
                                .stop = size < 2 ? bytes.data : bytes.data + size - 2,
                                .bulk_bytes_max = decoder->bulk_bytes_max};
}

/** The whole bulk at `at`; returns what is behind it, or NULL when it wants to be looked at
 * closely, for whatever reason. */
static inline const uint8_t *read_short_bulk(const struct short_range *range, const uint8_t *at,
                                             struct fil_resp_argument *out_argument)
{
    uint32_t size = 0;
    if (range->stop - at < BULK_BYTES_MIN - 2 || *at != '$') {
        return NULL;
    }
    const uint8_t *bulk = read_short(at + 1, range->stop, &size);
    if (bulk == NULL || size > range->bulk_bytes_max || range->stop - bulk < (ptrdiff_t)size ||
        !is_line_end(bulk + size)) {
        return NULL;
    }
    out_argument->offset = (size_t)(bulk - range->base);
    out_argument->size = size;
    return bulk + size + 2;
}

/** Takes the short bulks that are there as a whole, which nearly all are. */
static void read_short_bulks(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    struct short_range range = short_range_of(decoder, bytes);
    uint32_t room = decoder->argument_total < decoder->argument_capacity
                        ? decoder->argument_total
                        : decoder->argument_capacity;
    const uint8_t *at = bytes.data + decoder->position;
    while (decoder->argument_count < room) {
        const uint8_t *behind =
            read_short_bulk(&range, at, &decoder->arguments[decoder->argument_count]);
        if (behind == NULL) {
            break;
        }
        decoder->argument_count++;
        at = behind;
    }
    decoder->position = (size_t)(at - bytes.data);
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
        if (FIL_LIKELY(!decoder->has_bulk_size)) {
            read_short_bulks(decoder, bytes);
            if (FIL_LIKELY(decoder->argument_count == decoder->argument_total)) {
                break;
            }
        }
        int error = read_bulk(decoder, bytes);
        if (error != FIL_OK) {
            return error;
        }
    }
    return FIL_OK;
}

void fil_resp_decoder_keep(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                           const struct fil_resp_command *command, size_t size)
{
    fil_assert(!decoder->is_started);
    fil_assert(command->arguments == decoder->arguments);
    fil_assert(size <= bytes.size);
    decoder->is_started = true; // what is known of it stays
    decoder->is_kept = true;
    decoder->kept_offset = decoder->text == NULL ? (size_t)(command->base - bytes.data) : 0;
    decoder->kept_size = size;
}

static void take_kept(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                      struct fil_resp_command *out_command, size_t *out_size)
{
    fil_assert(bytes.size >= decoder->kept_size);
    decoder->is_started = false;
    decoder->is_kept = false;
    *out_command = (struct fil_resp_command){
        .base = decoder->text != NULL ? decoder->text : bytes.data + decoder->kept_offset,
        .arguments = decoder->arguments,
        .count = decoder->argument_count,
    };
    *out_size = decoder->kept_size;
}

/** Decodes a command with all the care that the usual one does not need. */
FIL_APART static int decode_closely(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                                    struct fil_resp_command *out_command, size_t *out_size)
{
    size_t skipped = 0;
    *out_size = 0;
    if (decoder->is_kept) {
        take_kept(decoder, bytes, out_command, out_size);
        return FIL_OK;
    }
    for (;;) {
        struct fil_bytes rest = fil_bytes_make(bytes.data + skipped, bytes.size - skipped);
        if (!decoder->is_started) {
            // Also when there is nothing more: what the last command needed is freed now.
            start_command(decoder);
        }
        if (rest.size == 0) {
            *out_size = skipped;
            return FIL_E_AGAIN;
        }
        decoder->is_started = true;
        int error = rest.data[0] == '*' ? read_array(decoder, rest)
                                        : fil_resp_decoder__read_inline(decoder, rest);
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

/** The size of a whole command of a few short words, which nearly all are; 0: it is not one. */
static inline size_t read_at_once(struct fil_resp_decoder *decoder, struct fil_bytes bytes)
{
    struct short_range range = short_range_of(decoder, bytes);
    uint32_t count = 0;
    if (range.stop - range.base < BULK_BYTES_MIN || bytes.data[0] != '*') {
        return 0;
    }
    const uint8_t *at = read_short(bytes.data + 1, range.stop, &count);
    if (at == NULL || count == 0 || count > FIL_RESP_ARGUMENTS_USUAL) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        at = read_short_bulk(&range, at, &decoder->usual[i]);
        if (at == NULL) {
            return 0;
        }
    }
    decoder->argument_count = count;
    return (size_t)(at - bytes.data);
}

int fil_resp_decode(struct fil_resp_decoder *decoder, struct fil_bytes bytes,
                    struct fil_resp_command *out_command, size_t *out_size)
{
    bool is_clean =
        !decoder->is_started && decoder->arguments == decoder->usual && decoder->text == NULL;
    if (bytes.size == 0 && is_clean) {
        *out_size = 0;
        return FIL_E_AGAIN; // as after every last command
    }
    size_t size = FIL_LIKELY(is_clean) ? read_at_once(decoder, bytes) : 0;
    if (FIL_UNLIKELY(size == 0)) {
        return decode_closely(decoder, bytes, out_command, out_size);
    }
    *out_command = (struct fil_resp_command){
        .base = bytes.data, .arguments = decoder->usual, .count = decoder->argument_count};
    *out_size = size;
    return FIL_OK;
}

size_t fil_resp_decoder_expected(const struct fil_resp_decoder *decoder)
{
    return decoder->is_started && !decoder->is_kept && decoder->has_bulk_size
               ? decoder->position + decoder->bulk_size + 2
               : 0;
}
