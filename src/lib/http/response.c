// SPDX-License-Identifier: Apache-2.0
#include "lib/http/response.h"

#include "lib/base/assert.h"
#include "lib/http/head_internal.h"
#include "lib/http/status.h"

// "HTTP/1.1 200 OK": where the parts stand.
#define VERSION_SIZE 8U
#define STATUS_AT    9U
#define STATUS_SIZE  3U
#define PHRASE_AT    13U

/** The code, or -1 when it is none. */
static int read_status(const uint8_t *digits)
{
    int status = 0;
    for (size_t i = 0; i < STATUS_SIZE; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return -1;
        }
        status = status * 10 + (digits[i] - '0');
    }
    return status >= FIL_HTTP_STATUS_MIN && status <= FIL_HTTP_STATUS_MAX ? status : -1;
}

static int take_status_line(struct fil_http_head *head, void *message)
{
    struct fil_http_response *response = message;
    struct fil_bytes line = {0};
    size_t end_max = head->decoder->limits->head_size_max;
    int result = fil_http_head__next_line(head, end_max, &line);
    if (result == FIL_E_LIMIT) {
        return fil_http_head__fail(head, 431, head->bytes.data + end_max,
                                   "the status line is longer than its limit");
    }
    if (result != FIL_OK) {
        return result;
    }
    if (line.size < PHRASE_AT || line.data[VERSION_SIZE] != ' ' ||
        line.data[PHRASE_AT - 1] != ' ') {
        return fil_http_head__fail(head, 400, line.data,
                                   "the status line is not a version, a status and a phrase");
    }
    response->status = read_status(line.data + STATUS_AT);
    if (response->status < 0) {
        return fil_http_head__fail(head, 400, line.data + STATUS_AT,
                                   "the status is no number from 100 to 599");
    }
    response->phrase = fil_bytes_make(line.data + PHRASE_AT, line.size - PHRASE_AT);
    return fil_http_head__read_version(head, fil_bytes_make(line.data, VERSION_SIZE),
                                       &response->version);
}

static int judge_headers(struct fil_http_head *head, enum fil_http_method method,
                         struct fil_http_response *response)
{
    struct fil_http_fields fields;
    int result = fil_http_head__read_fields(head, &fields);
    if (result != FIL_OK) {
        return result;
    }
    struct fil_http_framing *framing = &response->framing;
    result = fil_http_head__read_framing(head, &fields, response->version, framing);
    if (result != FIL_OK) {
        return result;
    }
    if (method == FIL_HTTP_HEAD || !fil_http_status_has_body(response->status)) {
        *framing = (struct fil_http_framing){.kind = FIL_HTTP_BODY_NONE};
    } else if (framing->kind == FIL_HTTP_BODY_NONE) {
        framing->kind = FIL_HTTP_BODY_UNTIL_CLOSE;
    }
    response->is_keep_alive = framing->kind != FIL_HTTP_BODY_UNTIL_CLOSE &&
                              fil_http_head__is_keep_alive(&fields, response->version);
    return fil_http_head__check_length(head, &fields, framing);
}

int fil_http_response_decode(struct fil_http_decoder *decoder, struct fil_bytes bytes,
                             enum fil_http_method method, struct fil_http_response *out_response,
                             size_t *out_consumed)
{
    fil_assert(method != FIL_HTTP_CONNECT);
    struct fil_http_head head = {.decoder = decoder,
                                 .bytes = bytes,
                                 .take_start = take_status_line,
                                 .message = out_response,
                                 .headers = &out_response->headers,
                                 .is_response = true};
    *out_consumed = 0;
    int result = fil_http_head__decode(&head);
    if (result == FIL_OK) {
        result = judge_headers(&head, method, out_response);
    }
    if (result == FIL_OK) {
        *out_consumed = fil_http_head__finish(&head);
    }
    return result;
}
