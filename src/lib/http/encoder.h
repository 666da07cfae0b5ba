// SPDX-License-Identifier: Apache-2.0
/**
 * Writes the heads of responses and requests.
 *
 *     fil_http_encoder_begin_response(&encoder, &writer, &(struct fil_http_response_options){...});
 *     fil_http_encoder_add_text(&encoder, "Content-Type", "application/json");
 *     result = fil_http_encoder_finish(&encoder);
 *
 * Everything about framing and connection comes from the options, so that the head cannot
 * contradict itself. Names and values are checked: a CR, LF, NUL or other control byte from a user
 * cannot smuggle a header in. The first error sticks and finish tells it; the writer is then as it
 * was before begin, so that the head can be tried again with more room, or another one written.
 *
 * Memory: the encoder borrows the writer from begin to finish; nobody else writes meanwhile.
 */
#pragma once

#include "lib/base/cursor.h"
#include "lib/http/message.h"

struct fil_http_encoder {
    struct fil_writer *writer;
    struct fil_writer before; // as it was when the head began
    int error;
};

struct fil_http_response_options {
    int status;
    enum fil_http_version version;   // of the request that is answered; the answer says 1.1
    struct fil_http_framing framing; // NONE is written as length 0 where a body could be
    bool is_keep_alive;              // means nothing when the body ends with the stream
    uint64_t wall_ns;                // for the Date header; 0 leaves it out
};

struct fil_http_request_options {
    struct fil_bytes method;
    struct fil_bytes target; // a path with its query, encoded
    struct fil_bytes host;
    struct fil_http_framing framing; // not UNTIL_CLOSE
    bool is_keep_alive;
};

/** Borrows the writer until finish. Refused: chunks for HTTP/1.0, bodies for 1xx, 204, 304. */
void fil_http_encoder_begin_response(struct fil_http_encoder *encoder, struct fil_writer *writer,
                                     const struct fil_http_response_options *options);

/** Borrows the writer until finish. */
void fil_http_encoder_begin_request(struct fil_http_encoder *encoder, struct fil_writer *writer,
                                    const struct fil_http_request_options *options);

/** Refused: Content-Length and Transfer-Encoding, which come from the options. */
void fil_http_encoder_add_header(struct fil_http_encoder *encoder, struct fil_bytes name,
                                 struct fil_bytes value);

void fil_http_encoder_add_text(struct fil_http_encoder *encoder, const char *name,
                               const char *value);

void fil_http_encoder_add_number(struct fil_http_encoder *encoder, const char *name,
                                 uint64_t value);

/** Writes the empty line. FIL_OK, FIL_E_FULL, or FIL_E_INVALID for what was refused. */
int fil_http_encoder_finish(struct fil_http_encoder *encoder) FIL_NODISCARD;
