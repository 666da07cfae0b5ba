// SPDX-License-Identifier: Apache-2.0
/**
 * The head of an HTTP/1.x response, decoded as strictly as a request's.
 *
 * Memory: all slices point into the decoded bytes; keep them as long as the response is in use.
 */
#pragma once

#include "lib/http/message.h"

struct fil_http_response {
    int status; // 100 to 599; below 200 another head follows, but for 101
    enum fil_http_version version;
    struct fil_bytes phrase; // may be empty; means nothing
    struct fil_http_framing framing;
    bool is_keep_alive; // the connection can carry another request
    struct fil_http_headers headers;
};

/**
 * Decodes one response head from the beginning of the bytes; results are those of
 * fil_http_request_decode(). The method of the request is needed because an answer to HEAD has no
 * body, whatever its headers say.
 */
int fil_http_response_decode(struct fil_http_decoder *decoder, struct fil_bytes bytes,
                             enum fil_http_method method, struct fil_http_response *out_response,
                             size_t *out_consumed) FIL_NODISCARD;
