// SPDX-License-Identifier: Apache-2.0
/**
 * The part of a head that requests and responses share: lines, header lines, and what the headers
 * say about connection and framing.
 *
 * The lines of a head are judged in the order of the stream, each as soon as it is complete, and
 * what concerns several headers when the head is. So the verdict does not depend on how the bytes
 * were cut into pieces.
 */
#pragma once

#include "lib/http/message.h"

struct fil_http_head;

/** Takes the request or status line; results are those of fil_http_head__next_line(). */
typedef int (*fil_http_head__start_fn)(struct fil_http_head *head, void *message);

/** One call's view of a head: the state that outlives the call, the bytes so far, the results. */
struct fil_http_head {
    struct fil_http_decoder *decoder;
    struct fil_bytes bytes;
    fil_http_head__start_fn take_start;
    void *message; // for take_start
    struct fil_http_headers *headers;
    bool is_response;
};

/** The headers that the codec itself understands. */
enum fil_http_field {
    FIL_HTTP_FIELD_HOST,
    FIL_HTTP_FIELD_CONTENT_LENGTH,
    FIL_HTTP_FIELD_TRANSFER_ENCODING,
    FIL_HTTP_FIELD_CONNECTION,
    FIL_HTTP_FIELD_EXPECT,
    FIL_HTTP_FIELD_UPGRADE,
    FIL_HTTP_FIELD_COUNT,
};

struct fil_http_fields {
    const struct fil_http_header *first[FIL_HTTP_FIELD_COUNT]; // NULL when it was not sent
    bool has_close;
    bool has_keep_alive;
    bool has_upgrade;
};

/** Start line and header lines up to and with the empty line. FIL_E_AGAIN, or a failure. */
int fil_http_head__decode(struct fil_http_head *head) FIL_NODISCARD;

/** The size of the head, which is done with; the decoder is ready for the next one. */
size_t fil_http_head__finish(struct fil_http_head *head);

/** Records the failure, with the place that `where` has in the head; returns its code. */
FIL_COLD int fil_http_head__fail(struct fil_http_head *head, int status, const uint8_t *where,
                                 const char *reason);

/**
 * The next line without its end, once it is complete. FIL_E_AGAIN when it is not; FIL_E_LIMIT, not
 * recorded as a failure yet, when it does not end within the head's first end_max bytes.
 */
int fil_http_head__next_line(struct fil_http_head *head, size_t end_max, struct fil_bytes *out_line)
    FIL_NODISCARD;

/** "HTTP/1.1" and nothing else. */
int fil_http_head__read_version(struct fil_http_head *head, struct fil_bytes text,
                                enum fil_http_version *out_version) FIL_NODISCARD;

/** Finds the headers we understand and refuses those that may not come twice. */
int fil_http_head__read_fields(struct fil_http_head *head, struct fil_http_fields *out_fields)
    FIL_NODISCARD;

/** LENGTH, CHUNKED, or NONE when the headers say nothing. The body limit is not looked at. */
int fil_http_head__read_framing(struct fil_http_head *head, const struct fil_http_fields *fields,
                                enum fil_http_version version, struct fil_http_framing *out_framing)
    FIL_NODISCARD;

/** Refuses a length that is beyond the body limit. */
int fil_http_head__check_length(struct fil_http_head *head, const struct fil_http_fields *fields,
                                const struct fil_http_framing *framing) FIL_NODISCARD;

/** What the connection may do after this message, as far as the headers say. */
bool fil_http_head__is_keep_alive(const struct fil_http_fields *fields,
                                  enum fil_http_version version);
