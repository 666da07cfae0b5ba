// SPDX-License-Identifier: Apache-2.0
/**
 * Filters: what stands around the handlers of a route, as pairs of enter and leave.
 *
 *     enter   on the loop, in order, before admission: goes on, or answers in the handler's place
 *     leave   on whatever thread has the answer, in the opposite order, of those that were entered:
 *             sees the answer, and may change it
 *
 * Each filter has bytes of its own for each request, so one filter serves any number at a time. A
 * request that is refused later on, by another filter or by admission, leaves like any other: what
 * enter has counted up, leave counts down.
 *
 * Memory:  a filter is a copy of what was given; its context belongs to whoever gave it. The bytes
 *          of a request lie in its arena.
 * Threads: chains do not change while the member runs. Contexts are shared by all threads.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/retry_budget.h"
#include "filbert/service.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/histogram.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"

#define FIL_FILTERS_MAX        16U // of a route
#define FIL_FILTER_TEXT_MAX    48U
#define FIL_FILTER_PATTERN_MAX 96U

struct fil_log;
struct fil_service;

/** What the filter metrics has seen at its place. */
struct fil_filter_meter {
    struct fil_counter classes[6]; // answers by the first digit of their status
    _Atomic uint64_t in_flight;
    struct fil_histogram took_ns; // from enter to leave
};

/** A filter in its place; several routes may share one. */
struct fil_filter_link {
    struct fil_filter filter;
    char text[FIL_FILTER_TEXT_MAX];         // "rate=100", for the page
    char pattern[FIL_FILTER_PATTERN_MAX];   // of the route; empty: all routes of users
    bool is_used;                           // a route has it
    struct fil_counter answered;            // requests that it did not let through
    void (*free)(void *context);            // of a filter that we have made; NULL: somebody else's
    const struct fil_retry_budget *retries; // of the filter retry; else NULL
    struct fil_filter_meter *meter;         // of the filter metrics; else NULL
    const char *name;                       // that it was given for these figures; or NULL
};

struct fil_filter_chain {
    struct fil_filter_link *links[FIL_FILTERS_MAX]; // in the order of entering; borrowed
    uint32_t count;
    size_t state_bytes; // of all of them, for one request
};

/** Makes a link of its own around a copy. FIL_E_NOMEM. */
int fil_filter_link_new(struct fil_filter_link **out_link, const struct fil_filter *filter,
                        const char *text) FIL_NODISCARD;
void fil_filter_link_free(struct fil_filter_link *link);

/** Adds to the end. FIL_E_LIMIT. */
int fil_filter_chain_add(struct fil_filter_chain *chain, struct fil_filter_link *link)
    FIL_NODISCARD;

/** Whether one of them is of this kind. */
bool fil_filter_chain_has(const struct fil_filter_chain *chain, const struct fil_filter *kind);

/**
 * Enters the filters of the request's route. FIL_REPLY_NEXT: all of them let it through; else the
 * answer, which the caller settles.
 */
FIL_ANY_THREAD struct fil_reply fil_filter_enter(struct fil_request *request);

/** Leaves those that were entered; returns the answer as they left it. */
FIL_ANY_THREAD struct fil_reply fil_filter_leave(struct fil_request *request,
                                                 struct fil_reply reply);

/** What a filter that we make may use. */
struct fil_filter_maker {
    struct fil_env *env;
    struct fil_log *log; // for the access log; NULL: none
};

/**
 * Makes the filter that the text names, as "rate=100". FIL_E_NOMEM, or FIL_E_INVALID, and then
 * out_problem says what is wrong.
 */
int fil_filter_make(struct fil_filter_link **out_link, const struct fil_filter_maker *maker,
                    struct fil_bytes text, char *out_problem, size_t problem_size) FIL_NODISCARD;

/** One rule of the configuration: filters for all routes of users, or for one. */
struct fil_filter_rule {
    struct fil_bytes route; // "*": all
    struct fil_bytes filters;
};

/**
 * Takes the next rule of "*: log, trace; GET /report: limit=8". FIL_E_NOT_FOUND at the end,
 * FIL_E_INVALID for what is no rule, which then is in out_rule->filters.
 */
int fil_filter_next_rule(struct fil_bytes *rest, struct fil_filter_rule *out_rule) FIL_NODISCARD;

/** Takes the next filter of a rule; false at the end. */
bool fil_filter_next(struct fil_bytes *filters, struct fil_bytes *out_text);
