// SPDX-License-Identifier: Apache-2.0
#include "lib/http/head_internal.h"

#include "lib/base/assert.h"
#include "lib/http/character_internal.h"

#define VERSION_SIZE 8U // HTTP/1.1

static void rewind_to_start(struct fil_http_decoder *decoder)
{
    decoder->scanned = 0;
    decoder->line_start = 0;
    decoder->header_count = 0;
    decoder->has_start_line = false;
}

static int code_of(int status)
{
    switch (status) {
    case 400:
        return FIL_E_MALFORMED;
    case 501:
    case 505:
        return FIL_E_UNSUPPORTED;
    default:
        return FIL_E_LIMIT;
    }
}

int fil_http_head__fail(struct fil_http_head *head, int status, const uint8_t *where,
                        const char *reason)
{
    fil_assert(where >= head->bytes.data);
    fil_assert(where <= head->bytes.data + head->bytes.size);

    size_t offset = (size_t)(where - head->bytes.data);
    uint32_t line = 1;
    for (size_t i = 0; i < offset; i++) {
        line += head->bytes.data[i] == '\n';
    }
    head->decoder->failure = (struct fil_http_failure){
        .code = code_of(status),
        // Nobody answers a response; 502 is what a caller in between would pass on.
        .status = head->is_response ? 502 : status,
        .line = line,
        .offset = offset,
        .reason = reason,
    };
    return head->decoder->failure.code;
}

static int fail_control_byte(struct fil_http_head *head, size_t at)
{
    const uint8_t *where = head->bytes.data + at;
    switch (*where) {
    case '\r':
        return fil_http_head__fail(head, 400, where, "a CR is not followed by LF");
    case '\n':
        return fil_http_head__fail(head, 400, where, "a line ends with LF instead of CR LF");
    case '\0':
        return fil_http_head__fail(head, 400, where, "the head holds a NUL byte");
    default:
        return fil_http_head__fail(head, 400, where, "the head holds a control byte");
    }
}

int fil_http_head__next_line(struct fil_http_head *head, size_t end_max, struct fil_bytes *out_line)
{
    struct fil_http_decoder *decoder = head->decoder;
    const uint8_t *data = head->bytes.data;
    bool is_cut = head->bytes.size >= end_max;
    size_t end = is_cut ? end_max : head->bytes.size;
    fil_assert(decoder->line_start <= decoder->scanned);
    fil_assert(decoder->scanned <= end);

    struct fil_bytes fresh = fil_bytes_make(data + decoder->scanned, end - decoder->scanned);
    size_t at = decoder->scanned + fil_http_character__text_span(fresh);
    decoder->scanned = (uint32_t)at;
    // A CR at the very end is looked at again when its LF may have come.
    if (at == end || (at + 1 == end && data[at] == '\r')) {
        return is_cut ? FIL_E_LIMIT : FIL_E_AGAIN;
    }
    if (data[at] != '\r' || data[at + 1] != '\n') {
        return fail_control_byte(head, at);
    }
    *out_line = fil_bytes_make(data + decoder->line_start, at - decoder->line_start);
    decoder->scanned = (uint32_t)at + 2;
    decoder->line_start = decoder->scanned;
    return FIL_OK;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

int fil_http_head__read_version(struct fil_http_head *head, struct fil_bytes text,
                                enum fil_http_version *out_version)
{
    if (text.size != VERSION_SIZE || memcmp(text.data, "HTTP/", 5) != 0 ||
        !is_digit(text.data[5]) || text.data[6] != '.' || !is_digit(text.data[7])) {
        return fil_http_head__fail(head, 400, text.data, "the version is not of the form HTTP/1.1");
    }
    if (text.data[5] != '1' || text.data[7] > '1') {
        return fil_http_head__fail(head, 505, text.data, "the version is neither 1.0 nor 1.1");
    }
    *out_version = text.data[7] == '1' ? FIL_HTTP_1_1 : FIL_HTTP_1_0;
    return FIL_OK;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

static int fail_header_name(struct fil_http_head *head, struct fil_bytes line, size_t name_size)
{
    const uint8_t *where = line.data + name_size;
    if (name_size == 0 && is_blank(*where)) {
        return fil_http_head__fail(head, 400, where, "a header line begins with a blank");
    }
    if (name_size == line.size) {
        return fil_http_head__fail(head, 400, where, "a header line has no colon");
    }
    if (is_blank(*where)) {
        return fil_http_head__fail(head, 400, where, "a blank stands before a header's colon");
    }
    if (*where == ':') {
        return fil_http_head__fail(head, 400, where, "a header has no name");
    }
    return fil_http_head__fail(head, 400, where, "a header's name holds a forbidden byte");
}

static int take_header(struct fil_http_head *head, struct fil_bytes line,
                       struct fil_http_header *out_header)
{
    fil_assert(line.size > 0);
    size_t name_size = fil_http_character__span(line, FIL_HTTP_CHARACTER_TOKEN);
    if (name_size == 0 || name_size == line.size || line.data[name_size] != ':') {
        return fail_header_name(head, line, name_size);
    }
    size_t value_at = name_size + 1;
    out_header->name = fil_bytes_make(line.data, name_size);
    out_header->value = fil_bytes_trim(fil_bytes_make(line.data + value_at, line.size - value_at));
    return FIL_OK;
}

/** Takes header lines up to and with the empty line; those of earlier calls are only counted. */
static int take_headers(struct fil_http_head *head)
{
    struct fil_http_decoder *decoder = head->decoder;
    const struct fil_http_limits *limits = decoder->limits;
    for (;;) {
        struct fil_bytes line = {0};
        int result = fil_http_head__next_line(head, limits->head_size_max, &line);
        if (result == FIL_E_LIMIT) {
            return fil_http_head__fail(head, 431, head->bytes.data + limits->head_size_max,
                                       "the head is larger than its limit");
        }
        if (result != FIL_OK) {
            return result;
        }
        if (line.size == 0) {
            head->headers->count = decoder->header_count;
            return FIL_OK;
        }
        if (decoder->header_count == limits->header_count_max) {
            return fil_http_head__fail(head, 431, line.data, "there are too many headers");
        }
        result = take_header(head, line, &head->headers->items[decoder->header_count]);
        if (result != FIL_OK) {
            return result;
        }
        decoder->header_count++;
    }
}

static int take_lines(struct fil_http_head *head)
{
    if (!head->decoder->has_start_line) {
        int result = head->take_start(head, head->message);
        if (result != FIL_OK) {
            return result;
        }
        head->decoder->has_start_line = true;
    }
    return take_headers(head);
}

int fil_http_head__decode(struct fil_http_head *head)
{
    struct fil_http_decoder *decoder = head->decoder;
    fil_assert(head->bytes.size >= decoder->scanned);
    if (decoder->failure.code != FIL_OK) {
        return decoder->failure.code;
    }
    if (head->bytes.size == 0) {
        return FIL_E_AGAIN;
    }
    bool is_resumed = decoder->scanned > 0;
    int result = take_lines(head);
    // Lines of earlier calls were judged but not kept, as the bytes may have moved since.
    if (result == FIL_OK && is_resumed) {
        rewind_to_start(decoder);
        result = take_lines(head);
    }
    return result;
}

size_t fil_http_head__finish(struct fil_http_head *head)
{
    size_t size = head->decoder->scanned;
    fil_assert(size > 0);
    rewind_to_start(head->decoder);
    return size;
}

#define NAME(text)                                                \
    {                                                             \
        .data = (const uint8_t *)(text), .size = sizeof(text) - 1 \
    }

static const struct fil_bytes field_names[] = {
    [FIL_HTTP_FIELD_HOST] = NAME("host"),
    [FIL_HTTP_FIELD_CONTENT_LENGTH] = NAME("content-length"),
    [FIL_HTTP_FIELD_TRANSFER_ENCODING] = NAME("transfer-encoding"),
    [FIL_HTTP_FIELD_CONNECTION] = NAME("connection"),
    [FIL_HTTP_FIELD_EXPECT] = NAME("expect"),
    [FIL_HTTP_FIELD_UPGRADE] = NAME("upgrade"),
};

_Static_assert(FIL_COUNT_OF(field_names) == FIL_HTTP_FIELD_COUNT, "a field has no name");

/** FIL_HTTP_FIELD_COUNT when it is none of ours. */
static size_t find_field(struct fil_bytes name)
{
    size_t field = 0;
    while (field < FIL_HTTP_FIELD_COUNT && (name.size != field_names[field].size ||
                                            !fil_bytes_equal_nocase(name, field_names[field]))) {
        field++;
    }
    return field;
}

/** Two parties that read different ones of two copies would see two different messages. */
static const char *twice_reason(size_t field)
{
    switch (field) {
    case FIL_HTTP_FIELD_HOST:
        return "Host is sent twice";
    case FIL_HTTP_FIELD_CONTENT_LENGTH:
        return "Content-Length is sent twice";
    case FIL_HTTP_FIELD_TRANSFER_ENCODING:
        return "Transfer-Encoding is sent twice";
    default:
        return NULL;
    }
}

int fil_http_head__read_fields(struct fil_http_head *head, struct fil_http_fields *out_fields)
{
    const struct fil_http_headers *headers = head->headers;
    *out_fields = (struct fil_http_fields){0};
    for (uint32_t i = 0; i < headers->count; i++) {
        const struct fil_http_header *header = &headers->items[i];
        size_t field = find_field(header->name);
        if (field == FIL_HTTP_FIELD_COUNT) {
            continue;
        }
        if (out_fields->first[field] == NULL) {
            out_fields->first[field] = header;
        } else if (twice_reason(field) != NULL) {
            return fil_http_head__fail(head, 400, header->name.data, twice_reason(field));
        }
    }
    if (out_fields->first[FIL_HTTP_FIELD_CONNECTION] != NULL) {
        out_fields->has_close = fil_http_headers_have_token(headers, "connection", "close");
        out_fields->has_keep_alive =
            fil_http_headers_have_token(headers, "connection", "keep-alive");
        out_fields->has_upgrade = fil_http_headers_have_token(headers, "connection", "upgrade");
    }
    return FIL_OK;
}

/** Digits only: no sign, no blank, no list. */
static int read_length(struct fil_http_head *head, struct fil_bytes text, uint64_t *out_length)
{
    uint64_t length = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_digit(text.data[i])) {
            return fil_http_head__fail(head, 400, text.data + i,
                                       "Content-Length is not made of digits");
        }
        if (__builtin_mul_overflow(length, 10U, &length) ||
            __builtin_add_overflow(length, (uint64_t)(text.data[i] - '0'), &length)) {
            return fil_http_head__fail(head, 413, text.data, "Content-Length is too large");
        }
    }
    if (text.size == 0) {
        return fil_http_head__fail(head, 400, text.data, "Content-Length is empty");
    }
    *out_length = length;
    return FIL_OK;
}

static int check_transfer_encoding(struct fil_http_head *head, const struct fil_http_fields *fields,
                                   enum fil_http_version version)
{
    const struct fil_http_header *encoding = fields->first[FIL_HTTP_FIELD_TRANSFER_ENCODING];
    const uint8_t *where = encoding->name.data;
    if (fields->first[FIL_HTTP_FIELD_CONTENT_LENGTH] != NULL) {
        return fil_http_head__fail(head, 400, where,
                                   "Transfer-Encoding and Content-Length come together");
    }
    if (version == FIL_HTTP_1_0) {
        return fil_http_head__fail(head, 400, where, "HTTP/1.0 has no Transfer-Encoding");
    }
    if (!fil_bytes_equal_nocase(encoding->value, fil_bytes_of("chunked"))) {
        return fil_http_head__fail(head, 501, where, "Transfer-Encoding is not just chunked");
    }
    return FIL_OK;
}

int fil_http_head__read_framing(struct fil_http_head *head, const struct fil_http_fields *fields,
                                enum fil_http_version version, struct fil_http_framing *out_framing)
{
    *out_framing = (struct fil_http_framing){.kind = FIL_HTTP_BODY_NONE};
    if (fields->first[FIL_HTTP_FIELD_TRANSFER_ENCODING] != NULL) {
        out_framing->kind = FIL_HTTP_BODY_CHUNKED;
        return check_transfer_encoding(head, fields, version);
    }
    if (fields->first[FIL_HTTP_FIELD_CONTENT_LENGTH] != NULL) {
        out_framing->kind = FIL_HTTP_BODY_LENGTH;
        return read_length(head, fields->first[FIL_HTTP_FIELD_CONTENT_LENGTH]->value,
                           &out_framing->length);
    }
    return FIL_OK;
}

int fil_http_head__check_length(struct fil_http_head *head, const struct fil_http_fields *fields,
                                const struct fil_http_framing *framing)
{
    if (framing->kind != FIL_HTTP_BODY_LENGTH ||
        framing->length <= head->decoder->limits->body_size_max) {
        return FIL_OK;
    }
    const struct fil_http_header *length = fields->first[FIL_HTTP_FIELD_CONTENT_LENGTH];
    fil_assert(length != NULL);
    return fil_http_head__fail(head, 413, length->value.data, "the body is larger than its limit");
}

bool fil_http_head__is_keep_alive(const struct fil_http_fields *fields,
                                  enum fil_http_version version)
{
    if (fields->has_close) {
        return false;
    }
    return version == FIL_HTTP_1_1 || fields->has_keep_alive;
}
