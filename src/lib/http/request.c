// SPDX-License-Identifier: Apache-2.0
#include "lib/http/request.h"

#include "lib/base/checked.h"
#include "lib/http/character_internal.h"
#include "lib/http/head_internal.h"

/** What a request line needs besides method and target: " " + " HTTP/1.1" + CR LF. */
#define LINE_OVERHEAD 12U

static struct fil_bytes behind(struct fil_bytes bytes, size_t size)
{
    return fil_bytes_make(bytes.data + size, bytes.size - size);
}

static int next_request_line(struct fil_http_head *head, struct fil_bytes *out_line)
{
    const struct fil_http_limits *limits = head->decoder->limits;
    size_t end_max = (size_t)head->decoder->line_start + FIL_HTTP_METHOD_SIZE_MAX +
                     limits->target_size_max + LINE_OVERHEAD;
    end_max = fil_min_size(end_max, limits->head_size_max);
    int result = fil_http_head__next_line(head, end_max, out_line);
    if (result == FIL_E_LIMIT) {
        return fil_http_head__fail(head, 414, head->bytes.data + end_max,
                                   "the request line is longer than its limit");
    }
    return result;
}

static enum fil_http_method find_method(struct fil_bytes text)
{
#define METHOD_IF(name)                      \
    if (fil_bytes_equal_text(text, #name)) { \
        return FIL_HTTP_##name;              \
    }
    FIL_HTTP_METHODS(METHOD_IF)
#undef METHOD_IF
    return FIL_HTTP_OTHER;
}

/** Reads the method and steps over the blank behind it. */
static int take_method(struct fil_http_head *head, struct fil_bytes *line,
                       struct fil_http_request *request)
{
    size_t size = fil_http_character__span(*line, FIL_HTTP_CHARACTER_TOKEN);
    if (size > FIL_HTTP_METHOD_SIZE_MAX) {
        return fil_http_head__fail(head, 501, line->data, "no method is as long as this one");
    }
    if (size == 0 || size == line->size || line->data[size] != ' ') {
        return fil_http_head__fail(head, 400, line->data + size,
                                   "the line does not begin with a method and a blank");
    }
    request->method_text = fil_bytes_make(line->data, size);
    request->method = find_method(request->method_text);
    if (request->method == FIL_HTTP_CONNECT) {
        return fil_http_head__fail(head, 501, line->data, "CONNECT is for proxies");
    }
    *line = behind(*line, size + 1);
    return FIL_OK;
}

static int check_escapes(struct fil_http_head *head, struct fil_bytes target)
{
    for (size_t at = fil_bytes_find(target, '%'); at < target.size;
         at = fil_bytes_find(target, '%')) {
        if (target.size - at < 3 || fil_http_character__hex(target.data[at + 1]) < 0 ||
            fil_http_character__hex(target.data[at + 2]) < 0) {
            return fil_http_head__fail(head, 400, target.data + at,
                                       "a percent sign in the target lacks its two hex digits");
        }
        target = behind(target, at + 3);
    }
    return FIL_OK;
}

static int check_target_form(struct fil_http_head *head, const struct fil_http_request *request)
{
    const uint8_t *target = request->target.data;
    if (fil_bytes_equal_text(request->target, "*")) {
        return request->method == FIL_HTTP_OPTIONS
                   ? FIL_OK
                   : fil_http_head__fail(head, 400, target, "the target * is for OPTIONS only");
    }
    if (target[0] != '/') {
        return fil_http_head__fail(head, 400, target,
                                   "the target is no path: this server is no proxy");
    }
    return check_escapes(head, request->target);
}

/** Cuts scheme and authority off a target that has them: RFC 9112 asks servers to take those. */
static int take_authority(struct fil_http_head *head, struct fil_http_request *request)
{
    struct fil_bytes scheme = fil_bytes_of("http://");
    struct fil_bytes target = request->target;
    request->authority = fil_bytes_make(NULL, 0);
    if (target.size < scheme.size ||
        !fil_bytes_equal_nocase(fil_bytes_make(target.data, scheme.size), scheme)) {
        return FIL_OK;
    }
    struct fil_bytes rest = behind(target, scheme.size);
    size_t size = fil_http_character__span(rest, FIL_HTTP_CHARACTER_HOST);
    if (size == 0 || rest.data[0] == ':' || (size < rest.size && rest.data[size] != '/')) {
        return fil_http_head__fail(head, 400, rest.data + size,
                                   "the target has no host with a path behind http://");
    }
    request->authority = fil_bytes_make(rest.data, size);
    // Without a path it is the root: a slash of the scheme stands for it.
    request->target = size < rest.size ? behind(rest, size) : fil_bytes_make(rest.data - 1, 1);
    return FIL_OK;
}

static void split_target(struct fil_http_request *request)
{
    size_t path_size = fil_bytes_find(request->target, '?');
    size_t query_at = path_size < request->target.size ? path_size + 1 : path_size;
    request->path = fil_bytes_make(request->target.data, path_size);
    request->query = behind(request->target, query_at);
}

/** Reads the target and steps over the blank behind it. */
static int take_target(struct fil_http_head *head, struct fil_bytes *line,
                       struct fil_http_request *request)
{
    size_t size = fil_http_character__span(*line, FIL_HTTP_CHARACTER_TARGET);
    const uint8_t *end = line->data + size;
    if (size > head->decoder->limits->target_size_max) {
        return fil_http_head__fail(head, 414, line->data, "the target is longer than its limit");
    }
    if (size == line->size) {
        return fil_http_head__fail(head, 400, end, "the request line has no version");
    }
    if (*end != ' ') {
        return fil_http_head__fail(head, 400, end, "the target holds a forbidden byte");
    }
    if (size == 0) {
        return fil_http_head__fail(head, 400, end, "the target is empty");
    }
    request->target = fil_bytes_make(line->data, size);
    *line = behind(*line, size + 1);
    return FIL_OK;
}

static int take_request_line(struct fil_http_head *head, void *message)
{
    struct fil_http_request *request = message;
    struct fil_bytes line = {0};
    int result = next_request_line(head, &line);
    // Old clients send an empty line behind a body; RFC 9112 asks to let one pass.
    if (result == FIL_OK && line.size == 0 && line.data == head->bytes.data) {
        result = next_request_line(head, &line);
    }
    if (result != FIL_OK) {
        return result;
    }
    result = take_method(head, &line, request);
    if (result != FIL_OK) {
        return result;
    }
    result = take_target(head, &line, request);
    if (result != FIL_OK) {
        return result;
    }
    result = fil_http_head__read_version(head, line, &request->version);
    if (result == FIL_OK) {
        result = take_authority(head, request);
    }
    if (result != FIL_OK) {
        return result;
    }
    split_target(request);
    return check_target_form(head, request);
}

/** What an absolute target says counts, for everybody who looks at the headers as well. */
static void replace_host(struct fil_http_request *request, const struct fil_http_header *host)
{
    request->host = request->authority;
    request->headers.items[host - request->headers.items].value = request->authority;
}

static int read_host(struct fil_http_head *head, const struct fil_http_fields *fields,
                     struct fil_http_request *request)
{
    const struct fil_http_header *host = fields->first[FIL_HTTP_FIELD_HOST];
    if (host == NULL) {
        request->host = request->authority;
        return request->version == FIL_HTTP_1_0
                   ? FIL_OK
                   : fil_http_head__fail(head, 400, request->method_text.data,
                                         "HTTP/1.1 asks for a Host header and there is none");
    }
    size_t size = fil_http_character__span(host->value, FIL_HTTP_CHARACTER_HOST);
    if (size < host->value.size) {
        return fil_http_head__fail(head, 400, host->value.data + size,
                                   "the Host header holds a forbidden byte");
    }
    request->host = host->value;
    if (FIL_UNLIKELY(request->authority.size > 0)) {
        replace_host(request, host);
    }
    return FIL_OK;
}

/** What is decided only when all headers are there. */
static int judge_headers(struct fil_http_head *head, struct fil_http_request *request)
{
    struct fil_http_fields fields;
    int result = fil_http_head__read_fields(head, &fields);
    if (result != FIL_OK) {
        return result;
    }
    result = read_host(head, &fields, request);
    if (result != FIL_OK) {
        return result;
    }
    result = fil_http_head__read_framing(head, &fields, request->version, &request->framing);
    if (result != FIL_OK) {
        return result;
    }
    const struct fil_http_header *expect = fields.first[FIL_HTTP_FIELD_EXPECT];
    bool is_modern = request->version == FIL_HTTP_1_1;
    request->is_keep_alive = fil_http_head__is_keep_alive(&fields, request->version);
    request->expects_continue = is_modern && expect != NULL &&
                                request->framing.kind != FIL_HTTP_BODY_NONE &&
                                fil_bytes_equal_nocase(expect->value, fil_bytes_of("100-continue"));
    request->wants_upgrade =
        is_modern && fields.has_upgrade && fields.first[FIL_HTTP_FIELD_UPGRADE] != NULL;
    return fil_http_head__check_length(head, &fields, &request->framing);
}

int fil_http_request_decode(struct fil_http_decoder *decoder, struct fil_bytes bytes,
                            struct fil_http_request *out_request, size_t *out_consumed)
{
    struct fil_http_head head = {.decoder = decoder,
                                 .bytes = bytes,
                                 .take_start = take_request_line,
                                 .message = out_request,
                                 .headers = &out_request->headers};
    *out_consumed = 0;
    int result = fil_http_head__decode(&head);
    if (result == FIL_OK) {
        result = judge_headers(&head, out_request);
    }
    if (result == FIL_OK) {
        *out_consumed = fil_http_head__finish(&head);
    }
    return result;
}

/** Whether all bytes of a part are of the class. */
static bool is_all(struct fil_bytes part, enum fil_http_character character)
{
    return fil_http_character__span(part, character) == part.size;
}

int fil_http_request_check(struct fil_http_decoder *decoder, struct fil_http_request *request)
{
    struct fil_bytes target = request->target;
    // Places are counted from the target's beginning: there is no head that would have others.
    struct fil_http_head head = {.decoder = decoder, .bytes = target};
    request->method = find_method(request->method_text);
    if (request->method == FIL_HTTP_CONNECT ||
        request->method_text.size > FIL_HTTP_METHOD_SIZE_MAX) {
        return fil_http_head__fail(&head, 501, target.data, "no such method is known here");
    }
    if (request->method_text.size == 0 || !is_all(request->method_text, FIL_HTTP_CHARACTER_TOKEN)) {
        return fil_http_head__fail(&head, 400, target.data, "the method is no token");
    }
    if (target.size > decoder->limits->target_size_max) {
        return fil_http_head__fail(&head, 414, target.data, "the target is longer than its limit");
    }
    if (target.size == 0 || !is_all(target, FIL_HTTP_CHARACTER_TARGET)) {
        return fil_http_head__fail(&head, 400, target.data,
                                   "the target is empty or holds a forbidden byte");
    }
    if (!is_all(request->host, FIL_HTTP_CHARACTER_HOST)) {
        return fil_http_head__fail(&head, 400, target.data, "the host holds a forbidden byte");
    }
    split_target(request);
    return check_target_form(&head, request);
}
