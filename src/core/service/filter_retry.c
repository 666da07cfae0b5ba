// SPDX-License-Identifier: Apache-2.0
/** The filter retry: a handler that has failed may run again, as far as a budget goes. */
#include "core/service/filter_internal.h"
#include "core/service/request.h"

#define TRIES_MAX 10U

bool fil_filter__init_retry(struct fil_filter_context *context, struct fil_bytes value)
{
    fil_retry_budget_init(&context->retries);
    return fil_bytes_to_u64(value, &context->number) && context->number >= 2 &&
           context->number <= TRIES_MAX;
}

static struct fil_reply enter_retry(void *opaque, struct fil_request *request, void *state)
{
    struct fil_filter_context *context = opaque;
    (void)state;
    fil_retry_budget_pay(&context->retries, request->arrived_ns);
    request->retries = &context->retries;
    request->tries_max = (uint32_t)context->number;
    return fil_reply_next();
}

const struct fil_filter fil_filter__retry = {.name = "retry", .enter = enter_retry};
