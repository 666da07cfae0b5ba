// SPDX-License-Identifier: Apache-2.0
/**
 * The head of an HTTP/1.x request, decoded strictly: what two servers could read in two ways is
 * refused, because a proxy in front of us may be the other one.
 *
 * Refused besides what the grammar forbids: lines that end with LF alone, CR anywhere else, NUL and
 * control bytes, folded lines, blanks before a colon, Host, Content-Length or Transfer-Encoding
 * twice (even when equal), Content-Length together with Transfer-Encoding, any encoding but
 * chunked, targets meant for proxies, but for http://host/path, whose host takes the place of the
 * Host header's. One empty line before the request is let pass.
 *
 * Memory: all slices point into the decoded bytes; keep them as long as the request is in use.
 */
#pragma once

#include "lib/http/message.h"

struct fil_http_request {
    enum fil_http_method method;
    enum fil_http_version version;
    struct fil_bytes method_text;
    struct fil_bytes target;    // the path, and the query with its question mark
    struct fil_bytes path;      // still percent-encoded, every %xx is valid; "*" only for OPTIONS
    struct fil_bytes query;     // behind the question mark; empty when there is none
    struct fil_bytes host;      // empty when the Host header is, or when 1.0 sent none
    struct fil_bytes authority; // of an absolute target, and then the host too; else empty
    struct fil_http_framing framing;
    bool is_keep_alive;    // as far as the client is concerned
    bool expects_continue; // waits for "100 Continue" before it sends its body
    bool wants_upgrade;    // the Upgrade header names to what
    struct fil_http_headers headers;
};

/**
 * Decodes one request head from the beginning of the bytes.
 *
 * FIL_OK: complete; out_consumed is its size, the body begins there. FIL_E_AGAIN: call again with
 * the same bytes and more; nothing is consumed. FIL_E_MALFORMED, FIL_E_LIMIT, FIL_E_UNSUPPORTED:
 * decoder->failure says what to answer; every further call says the same. The request's content
 * means something only after FIL_OK.
 */
int fil_http_request_decode(struct fil_http_decoder *decoder, struct fil_bytes bytes,
                            struct fil_http_request *out_request, size_t *out_consumed)
    FIL_NODISCARD;

/**
 * The same judgement of a request that has come in parts (HTTP/2): method_text, target and host are
 * set, method, path and query are filled in. The decoder gives the limits and takes the failure.
 */
int fil_http_request_check(struct fil_http_decoder *decoder, struct fil_http_request *request)
    FIL_NODISCARD;
