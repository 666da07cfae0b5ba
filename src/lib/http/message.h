// SPDX-License-Identifier: Apache-2.0
/**
 * What requests and responses of HTTP/1.1 have in common: limits, headers, framing, failure, and
 * the resume state of a head that arrives in pieces.
 *
 * The codec is pure functions over bytes: no I/O, no clock, no allocation. Everything a decoder
 * gives out is a slice of the bytes it was given and lives as long as they do.
 *
 * A head is decoded by calling *_decode() again with the same bytes and more behind them. The
 * bytes may have moved in memory meanwhile; the state holds positions only. Each byte is looked at
 * at most twice, however small the pieces are, and the outcome does not depend on the pieces.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** The room for headers in a message; limits may say less, never more. */
#define FIL_HTTP_HEADERS_MAX 128U

/** A longer method is answered with 501: nobody implements one. */
#define FIL_HTTP_METHOD_SIZE_MAX 24U

/** With the terminating zero. */
#define FIL_HTTP_FAILURE_TEXT_MAX 192U

enum fil_http_version {
    FIL_HTTP_1_0,
    FIL_HTTP_1_1
};

// clang-format off
#define FIL_HTTP_METHODS(X) \
    X(GET) X(HEAD) X(POST) X(PUT) X(DELETE) X(PATCH) X(OPTIONS) X(TRACE) X(CONNECT)
// clang-format on

enum fil_http_method {
    FIL_HTTP_OTHER, // a token we have no name for: read the slice
#define FIL_HTTP_METHOD_CODE(name) FIL_HTTP_##name,
    FIL_HTTP_METHODS(FIL_HTTP_METHOD_CODE)
#undef FIL_HTTP_METHOD_CODE
};

/** Each limit is the largest value that is still accepted. */
struct fil_http_limits {
    uint32_t target_size_max;          // of a request: 414
    uint32_t head_size_max;            // from the first byte to the empty line's end: 431
    uint32_t header_count_max;         // 431; at most FIL_HTTP_HEADERS_MAX
    uint64_t body_size_max;            // content without framing: 413
    uint32_t chunk_extension_size_max; // all chunk extensions of a body together: 400
    uint32_t trailer_size_max;         // all trailer lines of a body together: 431
};

/** 8 KiB, 16 KiB, 64, 16 MiB, 1 KiB, 4 KiB. */
extern const struct fil_http_limits fil_http_limits_default;

struct fil_http_header {
    struct fil_bytes name;  // as sent; compare without case
    struct fil_bytes value; // without blanks at its ends
};

struct fil_http_headers {
    uint32_t count;
    struct fil_http_header items[FIL_HTTP_HEADERS_MAX];
};

enum fil_http_body_kind {
    FIL_HTTP_BODY_NONE,
    FIL_HTTP_BODY_LENGTH,
    FIL_HTTP_BODY_CHUNKED,
    FIL_HTTP_BODY_UNTIL_CLOSE, // responses only
};

/** How the end of a body is found. */
struct fil_http_framing {
    enum fil_http_body_kind kind;
    uint64_t length; // of kind LENGTH
};

/** Why bytes were refused. After one the connection cannot be used further: answer and close. */
struct fil_http_failure {
    int code;           // FIL_E_MALFORMED, FIL_E_LIMIT or FIL_E_UNSUPPORTED; FIL_OK: none
    int status;         // the answer: 400, 413, 414, 431, 501, 505; 502 when a response was bad
    uint32_t line;      // in the head, from 1; 0 when the place is in the body
    uint64_t offset;    // in the head or the body, from 0
    const char *reason; // static: what is wrong, a sentence without its full stop
};

/** Writes what and where as one sentence; always terminated. Returns text. */
const char *fil_http_failure_format(const struct fil_http_failure *failure,
                                    char text[FIL_HTTP_FAILURE_TEXT_MAX]);

/** The resume state of one head; belongs to the connection's reading side. */
struct fil_http_decoder {
    const struct fil_http_limits *limits;
    uint32_t scanned;    // bytes of this head that need no second look
    uint32_t line_start; // where the line that is not complete yet begins
    uint32_t header_count;
    bool has_start_line;
    struct fil_http_failure failure;
};

/** Borrows the limits for its life. After a complete head it is ready for the next one by itself.
 */
void fil_http_decoder_init(struct fil_http_decoder *decoder, const struct fil_http_limits *limits);

/** The first header of that name, in any case; NULL when there is none. */
const struct fil_http_header *fil_http_headers_find(const struct fil_http_headers *headers,
                                                    const char *name);

/** Whether a comma-separated header (all lines of that name) lists the token, in any case. */
bool fil_http_headers_have_token(const struct fil_http_headers *headers, const char *name,
                                 const char *token);

/** "GET"; "OTHER" for the unnamed. */
const char *fil_http_method_name(enum fil_http_method method);
