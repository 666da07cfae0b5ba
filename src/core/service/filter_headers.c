// SPDX-License-Identifier: Apache-2.0
/** Filters about who asks and what is told of it: auth, log, trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/service/filter_internal.h"
#include "core/service/request.h"
#include "lib/http/status.h"
#include "lib/log/log.h"

#define BEARER          "Bearer "
#define TRACE_PARENT    "traceparent"
#define TRACE_SIZE      55U // "00-<32>-<16>-<2>"
#define TRACE_ID_OFFSET 3U
#define TRACE_ID_SIZE   32U

// Auth: a token that everybody knows who may come in; more is a filter of the program's own.

bool fil_filter__init_auth(struct fil_filter_context *context, struct fil_bytes value)
{
    if (value.size == 0 || value.size >= sizeof(context->token)) {
        return false;
    }
    memcpy(context->token, value.data, value.size);
    context->token[value.size] = '\0';
    return true;
}

/** Takes as long for any wrong token of the same size: nobody can guess it byte by byte. */
static bool is_same_secret(struct fil_bytes sent, const char *token)
{
    size_t size = strlen(token);
    uint8_t difference = sent.size == size ? 0 : 1;
    for (size_t i = 0; i < size && i < sent.size; i++) {
        difference |= (uint8_t)(sent.data[i] ^ (uint8_t)token[i]);
    }
    return difference == 0;
}

static struct fil_reply enter_auth(void *opaque, struct fil_request *request, void *state)
{
    const struct fil_filter_context *context = opaque;
    (void)state;
    const struct fil_http_header *header = fil_request_find_header(request, "Authorization");
    size_t skipped = sizeof(BEARER) - 1;
    if (header != NULL && header->value.size > skipped &&
        memcmp(header->value.data, BEARER, skipped) == 0 &&
        is_same_secret(fil_bytes_make(header->value.data + skipped, header->value.size - skipped),
                       context->token)) {
        return fil_reply_next();
    }
    request->is_refused = true;
    fil_request_add_header(request, "WWW-Authenticate", "Bearer");
    return fil_reply_text(request, FIL_HTTP_STATUS_UNAUTHORIZED, "a token is needed\n");
}

const struct fil_filter fil_filter__auth = {.name = "auth", .enter = enter_auth};

// Log: a line for each answer.

static struct fil_reply leave_log(void *opaque, struct fil_request *request, void *state,
                                  struct fil_reply reply)
{
    const struct fil_filter_context *context = opaque;
    (void)state;
    uint64_t now_ns = fil_env_now_ns(context->env);
    uint64_t took_ns = now_ns > request->arrived_ns ? now_ns - request->arrived_ns : 0;
    fil_log_event(context->log, FIL_LOG_INFO, "access", FIL_F_BYTES("method", request->method_text),
                  FIL_F_BYTES("path", request->path), FIL_F_I64("status", reply.status),
                  FIL_F_U64("size", reply.size + request->content.size_bytes),
                  FIL_F_NS("took", took_ns), FIL_F_TEXT("route", request->route->pattern));
    return reply;
}

const struct fil_filter fil_filter__log = {.name = "log", .leave = leave_log};

// Trace: the caller's trace context, or a new one, goes back with the answer.

struct trace_state {
    char text[TRACE_SIZE + 1];
};

static bool is_trace_text(struct fil_bytes text)
{
    static const char shape[] = "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
    if (text.size != TRACE_SIZE) {
        return false;
    }
    for (size_t i = 0; i < TRACE_SIZE; i++) {
        uint8_t byte = text.data[i];
        bool is_hex = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
        if (shape[i] == 'x' ? !is_hex : byte != (uint8_t)shape[i]) {
            return false;
        }
    }
    return true;
}

static struct fil_reply enter_trace(void *opaque, struct fil_request *request, void *state)
{
    const struct fil_filter_context *context = opaque;
    struct trace_state *mine = state;
    const struct fil_http_header *header = fil_request_find_header(request, TRACE_PARENT);
    uint64_t numbers[3];
    context->env->ops->random(context->env, numbers, sizeof(numbers));
    (void)snprintf(mine->text, sizeof(mine->text),
                   "00-%016" PRIx64 "%016" PRIx64 "-%016" PRIx64 "-01", numbers[0], numbers[1],
                   numbers[2]);
    if (header != NULL && is_trace_text(header->value)) {
        // The caller's trace, and this member's own part of it.
        memcpy(mine->text + TRACE_ID_OFFSET, header->value.data + TRACE_ID_OFFSET, TRACE_ID_SIZE);
    }
    return fil_reply_next();
}

static struct fil_reply leave_trace(void *opaque, struct fil_request *request, void *state,
                                    struct fil_reply reply)
{
    const struct trace_state *mine = state;
    (void)opaque;
    // The state lives as long as the request. Without memory for the header the answer is right.
    fil_request_add_header(request, TRACE_PARENT, mine->text);
    return reply;
}

const struct fil_filter fil_filter__trace = {.name = "trace",
                                             .state_bytes = sizeof(struct trace_state),
                                             .enter = enter_trace,
                                             .leave = leave_trace};
