// SPDX-License-Identifier: Apache-2.0
/** Following a path into the formats of values. */
#pragma once

#include "protocol/client/query/path.h"

/** What is left of a path, and who wants the values. */
struct fil_query__search {
    const struct fil_query_step *steps;
    uint32_t step_count;
    struct fil_query_entry *entry;
    fil_query_visit_fn visit;
    void *context;
};

bool fil_query__visit_null(const struct fil_query__search *search);

/** The search without its first step. */
static inline struct fil_query__search fil_query__next(const struct fil_query__search *search)
{
    struct fil_query__search next = *search;
    next.steps++;
    next.step_count--;
    return next;
}

/** JSON text. */
bool fil_query__search_json(const struct fil_query__search *search, struct fil_bytes text);

/** The payload of compact data: the number of its schema, then the record. */
bool fil_query__search_compact(const struct fil_query__search *search, struct fil_bytes payload);
