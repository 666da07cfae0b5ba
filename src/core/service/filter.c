// SPDX-License-Identifier: Apache-2.0
#include "core/service/filter.h"

#include <stdio.h>
#include <string.h>

#include "core/service/request.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define STATE_ALIGNMENT 16U

static size_t round_up(size_t size)
{
    return (size + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
}

int fil_filter_link_new(struct fil_filter_link **out_link, const struct fil_filter *filter,
                        const char *text)
{
    struct fil_filter_link *link = fil_alloc_zero(1, sizeof(*link));
    if (link == NULL) {
        return FIL_E_NOMEM;
    }
    link->filter = *filter;
    (void)snprintf(link->text, sizeof(link->text), "%s", text); // may cut
    *out_link = link;
    return FIL_OK;
}

void fil_filter_link_free(struct fil_filter_link *link)
{
    if (link == NULL) {
        return;
    }
    if (link->free != NULL) {
        link->free(link->filter.context);
    }
    fil_free(link);
}

int fil_filter_chain_add(struct fil_filter_chain *chain, struct fil_filter_link *link)
{
    if (chain->count == FIL_FILTERS_MAX) {
        return FIL_E_LIMIT;
    }
    chain->links[chain->count] = link;
    chain->count++;
    chain->state_bytes += round_up(link->filter.state_bytes);
    return FIL_OK;
}

/** The bytes of all filters for this request, zeroed; false without memory. */
static bool make_states(struct fil_request *request, const struct fil_filter_chain *chain)
{
    request->filter_states = NULL;
    if (chain->state_bytes == 0) {
        return true;
    }
    request->filter_states =
        fil_arena_alloc(&request->arena, chain->state_bytes, (size_t)STATE_ALIGNMENT);
    if (request->filter_states == NULL) {
        return false;
    }
    memset(request->filter_states, 0, chain->state_bytes);
    return true;
}

bool fil_filter_chain_has(const struct fil_filter_chain *chain, const struct fil_filter *kind)
{
    bool is_found = false;
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct fil_filter *filter = &chain->links[i]->filter;
        is_found |= filter->enter == kind->enter && filter->leave == kind->leave;
    }
    return is_found;
}

struct fil_reply fil_filter_enter(struct fil_request *request)
{
    const struct fil_filter_chain *chain = &request->route->filters;
    fil_assert(request->entered_count == 0);
    if (!make_states(request, chain)) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    uint8_t *state = request->filter_states;
    for (uint32_t i = 0; i < chain->count; i++) {
        struct fil_filter_link *link = chain->links[i];
        const struct fil_filter *filter = &link->filter;
        request->entered_count = i + 1;
        struct fil_reply reply = filter->enter == NULL
                                     ? fil_reply_next()
                                     : filter->enter(filter->context, request, state);
        if (reply.status != FIL_REPLY_NEXT) {
            fil_counter_add_shared(&link->answered, 1);
            return reply;
        }
        state = state == NULL ? NULL : state + round_up(filter->state_bytes);
    }
    return fil_reply_next();
}

/** Where the bytes of those before it end. */
static size_t state_end(const struct fil_filter_chain *chain, uint32_t count)
{
    size_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        end += round_up(chain->links[i]->filter.state_bytes);
    }
    return end;
}

struct fil_reply fil_filter_leave(struct fil_request *request, struct fil_reply reply)
{
    const struct fil_filter_chain *chain = &request->route->filters;
    fil_assert(request->entered_count <= chain->count);
    uint8_t *states = request->filter_states;
    size_t end = states == NULL ? 0 : state_end(chain, request->entered_count);
    while (request->entered_count > 0) {
        request->entered_count--;
        const struct fil_filter *filter = &chain->links[request->entered_count]->filter;
        end -= states == NULL ? 0 : round_up(filter->state_bytes);
        if (filter->leave != NULL) {
            void *state = states == NULL ? NULL : states + end;
            reply = filter->leave(filter->context, request, state, reply);
        }
    }
    fil_assert(end == 0);
    return reply;
}
