// SPDX-License-Identifier: Apache-2.0
/** Runs handlers, and those that have failed once more where a filter says so. */
#include "core/service/retry_budget.h"
#include "core/service/service_internal.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"

/** What of the answer was there before the handler ran. */
struct start {
    struct fil_request_header *last_header;
    uint32_t header_count;
};

static bool is_repeatable(enum fil_http_method method)
{
    return method == FIL_HTTP_GET || method == FIL_HTTP_HEAD || method == FIL_HTTP_PUT ||
           method == FIL_HTTP_DELETE || method == FIL_HTTP_OPTIONS;
}

/** Whether the handler, which has failed, may run again. What was begun in pieces cannot. */
static bool may_repeat(struct fil_request *request, uint32_t try_count)
{
    bool is_whole = request->stream == NULL && request->socket == NULL &&
                    request->body_stream == NULL && !request->content.is_out_of_memory;
    return is_whole && try_count < request->tries_max && is_repeatable(request->method) &&
           !request->is_refused && !fil_request_is_cancelled(request) &&
           fil_env_now_ns(request->service->options.env) < request->deadline_ns &&
           fil_retry_budget_take(request->retries);
}

/** The answer as if the handler had not run. */
static void forget_answer(struct fil_request *request, const struct start *start)
{
    fil_chunk_queue_clear(&request->content);
    request->last_header = start->last_header;
    request->reply_header_count = start->header_count;
    if (start->last_header == NULL) {
        request->first_header = NULL;
    } else {
        start->last_header->next = NULL;
    }
}

struct fil_reply fil_service__handle(struct fil_request *request)
{
    fil_handler_fn handler = request->route->handler;
    if (FIL_LIKELY(request->retries == NULL)) {
        return handler(request);
    }
    const struct start start = {.last_header = request->last_header,
                                .header_count = request->reply_header_count};
    struct fil_reply reply = handler(request);
    // A request whose answer was promised may be gone: its status comes first.
    for (uint32_t tries = 1;
         reply.status >= FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR && may_repeat(request, tries);
         tries++) {
        forget_answer(request, &start);
        reply = handler(request);
    }
    return reply;
}
