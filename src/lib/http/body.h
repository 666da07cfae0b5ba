// SPDX-License-Identifier: Apache-2.0
/**
 * The body of a message, streamed: framing is taken off as the bytes come, content is given out in
 * slices of them.
 *
 * Nothing needs to be kept between calls: all bytes are consumed, also half a chunk's size. Chunk
 * extensions and trailers are checked, bounded and skipped.
 *
 *     while (!fil_http_body_is_done(&body)) {
 *         result = fil_http_body_decode(&body, bytes, &content, &consumed);
 *         bytes = what is behind consumed;
 *         FIL_OK: use the content; FIL_E_AGAIN: receive more; else: answer body.failure.status
 *     }
 *
 * Memory: the content points into the bytes given.
 */
#pragma once

#include "lib/http/message.h"

enum fil_http_body_state {
    FIL_HTTP_BODY_DONE,
    FIL_HTTP_BODY_CONTENT, // of a known length, a chunk, or up to the end of the stream
    FIL_HTTP_BODY_CONTENT_CR,
    FIL_HTTP_BODY_CONTENT_LF,
    FIL_HTTP_BODY_SIZE,
    FIL_HTTP_BODY_EXTENSION,
    FIL_HTTP_BODY_SIZE_LF,
    FIL_HTTP_BODY_TRAILER_START,
    FIL_HTTP_BODY_TRAILER_NAME,
    FIL_HTTP_BODY_TRAILER_VALUE,
    FIL_HTTP_BODY_TRAILER_LF,
    FIL_HTTP_BODY_END_LF,
};

struct fil_http_body {
    const struct fil_http_limits *limits;
    enum fil_http_body_kind kind;
    enum fil_http_body_state state;
    uint64_t left;         // content to come: of the body, or of the current chunk
    uint64_t content_size; // given out so far
    uint64_t offset;       // bytes consumed so far, with framing
    uint32_t digit_count;  // of the current chunk's size
    uint32_t extension_size;
    uint32_t trailer_size;
    struct fil_http_failure failure;
};

/** Borrows the limits for its life. FIL_E_LIMIT (413) when the length is beyond the body limit. */
int fil_http_body_init(struct fil_http_body *body, struct fil_http_framing framing,
                       const struct fil_http_limits *limits) FIL_NODISCARD;

/**
 * FIL_OK: the next content; it is empty only when the body is done. FIL_E_AGAIN: all bytes are
 * consumed and the body goes on. FIL_E_MALFORMED, FIL_E_LIMIT: body->failure says what to answer
 * to a request; every further call says the same. Bytes behind the body are not touched.
 */
int fil_http_body_decode(struct fil_http_body *body, struct fil_bytes bytes,
                         struct fil_bytes *out_content, size_t *out_consumed) FIL_NODISCARD;

/** The stream has ended: FIL_OK when the body may end here, FIL_E_CLOSED when it was cut off. */
int fil_http_body_finish(struct fil_http_body *body) FIL_NODISCARD;

static inline bool fil_http_body_is_done(const struct fil_http_body *body)
{
    return body->state == FIL_HTTP_BODY_DONE;
}
