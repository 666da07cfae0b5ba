// SPDX-License-Identifier: Apache-2.0
/** One request over HTTP, for commands: connects, asks, reads until the member closes. */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/message.h"
#include "lib/http/response.h"
#include "lib/os/env.h"
#include "remote.h"

#define BODY_MAX   ((size_t)16 << 20)
#define TIMEOUT_NS UINT64_C(1000000000)
#define HEAD_MAX   1024U
#define HOST_MAX   256U

#define DEFAULT_PORT "5701"

struct exchange {
    struct fil_env *env;
    struct fil_poller *poller;
    int fd;
    uint64_t end_ns;
    char host[FIL_ADDRESS_TEXT_MAX];
    char *bytes;
    size_t size;
    size_t capacity;
};

/** Waits for an event; FIL_E_TIMEOUT when the time is over. */
static int await(struct exchange *exchange, uint32_t interest)
{
    struct fil_env *env = exchange->env;
    struct fil_poll_event event;
    int error = env->ops->poller_change(env, exchange->poller, exchange->fd, interest, exchange);
    if (error != FIL_OK) {
        return error;
    }
    uint64_t now_ns = fil_env_now_ns(env);
    while (now_ns < exchange->end_ns) {
        int64_t left_ns = (int64_t)(exchange->end_ns - now_ns);
        if (env->ops->poller_wait(env, exchange->poller, &event, 1, left_ns) > 0) {
            return FIL_OK;
        }
        now_ns = fil_env_now_ns(env);
    }
    return FIL_E_TIMEOUT;
}

static int send_all(struct exchange *exchange, struct fil_bytes bytes)
{
    struct fil_env *env = exchange->env;
    while (bytes.size > 0) {
        int error = await(exchange, FIL_POLL_WRITE);
        if (error != FIL_OK) {
            return error;
        }
        int64_t sent = env->ops->send(env, exchange->fd, &bytes, 1);
        if (sent < 0 && sent != FIL_E_AGAIN) {
            return FIL_E_CLOSED;
        }
        size_t taken = sent < 0 ? 0 : (size_t)sent;
        bytes = fil_bytes_make(bytes.data + taken, bytes.size - taken);
    }
    return FIL_OK;
}

static int ask(struct exchange *exchange, const struct remote_request *request)
{
    char head[HEAD_MAX];
    int size = snprintf(head, sizeof(head),
                        "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n"
                        "Content-Length: %zu\r\n\r\n",
                        request->method, request->path, exchange->host, request->body.size);
    if (size <= 0 || (size_t)size >= sizeof(head)) {
        return FIL_E_LIMIT;
    }
    int error = send_all(exchange, fil_bytes_make(head, (size_t)size));
    return error == FIL_OK ? send_all(exchange, request->body) : error;
}

static int read_some(struct exchange *exchange)
{
    struct fil_env *env = exchange->env;
    if (exchange->capacity - exchange->size < 4096) {
        size_t capacity = exchange->capacity * 2 + 65536;
        char *bytes = capacity > BODY_MAX ? NULL : fil_realloc(exchange->bytes, capacity + 1);
        if (bytes == NULL) {
            return FIL_E_NOMEM;
        }
        exchange->bytes = bytes;
        exchange->capacity = capacity;
    }
    int64_t size = env->ops->receive(env, exchange->fd, exchange->bytes + exchange->size,
                                     exchange->capacity - exchange->size);
    if (size > 0) {
        exchange->size += (size_t)size;
    }
    return size >= 0 ? (int)(size > 0) : (int)size;
}

/** Until the member closes. */
static int read_all(struct exchange *exchange)
{
    int result = FIL_E_AGAIN;
    while (result == FIL_E_AGAIN || result > 0) {
        int error = await(exchange, FIL_POLL_READ);
        result = error == FIL_OK ? read_some(exchange) : error;
    }
    return result;
}

static void keep_header(struct remote_answer *answer, const char *name,
                        const struct fil_http_headers *headers)
{
    const struct fil_http_header *header =
        name == NULL ? NULL : fil_http_headers_find(headers, name);
    if (header != NULL) {
        (void)snprintf(answer->header, sizeof(answer->header), "%.*s", (int)header->value.size,
                       (const char *)header->value.data);
    }
}

/** Leaves the body alone, with a 0 byte behind it. */
static int cut_head(struct exchange *exchange, const struct remote_request *request,
                    struct remote_answer *answer)
{
    struct fil_http_decoder decoder;
    struct fil_http_response response;
    size_t consumed = 0;
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    int error = fil_http_response_decode(&decoder, fil_bytes_make(exchange->bytes, exchange->size),
                                         FIL_HTTP_GET, &response, &consumed);
    if (error != FIL_OK) {
        return FIL_E_MALFORMED;
    }
    answer->status = response.status;
    keep_header(answer, request->header, &response.headers);
    exchange->size -= consumed;
    memmove(exchange->bytes, exchange->bytes + consumed, exchange->size);
    exchange->bytes[exchange->size] = '\0';
    answer->body = exchange->bytes;
    answer->size = exchange->size;
    return FIL_OK;
}

static int open_exchange(struct exchange *exchange, const struct fil_address *address)
{
    struct fil_env *env = exchange->env;
    int error = env->ops->poller_new(env, &exchange->poller);
    if (error == FIL_OK) {
        error = env->ops->connect(env, address, &exchange->fd);
    }
    if (error == FIL_OK) {
        error = env->ops->poller_add(env, exchange->poller, exchange->fd, 0, exchange);
    }
    return error;
}

static void close_exchange(struct exchange *exchange)
{
    struct fil_env *env = exchange->env;
    if (exchange->fd >= 0) {
        env->ops->poller_remove(env, exchange->poller, exchange->fd);
        env->ops->close(env, exchange->fd);
    }
    if (exchange->poller != NULL) {
        env->ops->poller_free(env, exchange->poller);
    }
}

/** A name and a port: asks the system for the address. False: it is neither, or nobody knows it. */
static bool find_host(const char *text, struct fil_address *out_address)
{
    char host[HOST_MAX];
    char place[FIL_ADDRESS_TEXT_MAX];
    struct fil_resolved resolved;
    const char *colon = strrchr(text, ':');
    size_t size = colon == NULL ? strlen(text) : (size_t)(colon - text);
    (void)snprintf(place, sizeof(place), "0.0.0.0%s", colon == NULL ? ":" DEFAULT_PORT : colon);
    if (size == 0 || size >= sizeof(host) || fil_address_parse(place, out_address) != FIL_OK) {
        return false;
    }
    memcpy(host, text, size);
    host[size] = '\0';
    struct fil_env *env = fil_env_real();
    if (env->ops->resolve(env, host, out_address->port, &resolved) != FIL_OK) {
        return false;
    }
    *out_address = resolved.addresses[0];
    return true;
}

bool remote_http(const struct remote_flags *flags, const struct remote_request *request,
                 struct remote_answer *out_answer)
{
    struct fil_address address;
    struct exchange exchange = {.env = fil_env_real(), .fd = -1};
    *out_answer = (struct remote_answer){0};
    if (fil_address_parse(flags->address, &address) != FIL_OK &&
        !find_host(flags->address, &address)) {
        (void)fprintf(stderr,
                      "filbert: '%s' is neither an address nor a known host: write one and a port, "
                      "as in 127.0.0.1:5701\n",
                      flags->address);
        return false;
    }
    exchange.end_ns =
        fil_env_now_ns(exchange.env) + (flags->timeout_ns == 0 ? TIMEOUT_NS : flags->timeout_ns);
    (void)fil_address_format(&address, exchange.host);
    int result = open_exchange(&exchange, &address);
    result = result == FIL_OK ? ask(&exchange, request) : result;
    result = result == FIL_OK ? read_all(&exchange) : result;
    close_exchange(&exchange);
    if (result == FIL_OK) {
        result = cut_head(&exchange, request, out_answer);
    }
    if (result == FIL_OK) {
        return true;
    }
    fil_free(exchange.bytes);
    (void)fprintf(stderr, "filbert: no member answers at %s (%s)\n", flags->address,
                  fil_error_text(result));
    remote_advise(flags);
    return false;
}

bool remote_http_get(const struct remote_flags *flags, const char *path, char **out_body)
{
    struct remote_answer answer;
    const struct remote_request request = {.method = "GET", .path = path};
    if (!remote_http(flags, &request, &answer)) {
        return false;
    }
    if (answer.status == 200) {
        *out_body = answer.body;
        return true;
    }
    fil_free(answer.body);
    (void)fprintf(stderr, "filbert: the member at %s answers %s with status %d\n", flags->address,
                  path, answer.status);
    return false;
}
