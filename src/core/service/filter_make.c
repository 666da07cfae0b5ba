// SPDX-License-Identifier: Apache-2.0
/** The filters that have names in the configuration. */
#include <stdio.h>
#include <string.h>

#include "core/service/filter_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/units.h"

struct kind {
    const char *name;
    const char *hint; // what stands behind the equals sign; NULL: nothing does
    fil_filter_init_fn init;
    const struct fil_filter *filter;
};

static const struct kind kinds[] = {
    {"timeout", "a duration, as in timeout=200ms", fil_filter__init_timeout, &fil_filter__timeout},
    {"limit", "how many at a time, as in limit=8", fil_filter__init_limit, &fil_filter__limit},
    {"rate", "how many a second, as in rate=100", fil_filter__init_rate, &fil_filter__rate},
    {"breaker", "failures in a row, as in breaker=5", fil_filter__init_breaker,
     &fil_filter__breaker},
    {"shed", "batch or normal, as in shed=batch", fil_filter__init_shed, &fil_filter__shed},
    {"auth", "a token, as in auth=secret", fil_filter__init_auth, &fil_filter__auth},
    {"retry", "tries in all, from 2 to 10, as in retry=3", fil_filter__init_retry,
     &fil_filter__retry},
    {"metrics", "a name of a-z, 0-9, _ and -, as in metrics=checkout", fil_filter__init_metrics,
     &fil_filter__metrics},
    {"gzip", NULL, fil_filter__init_plain, &fil_filter__gzip},
    {"log", NULL, fil_filter__init_plain, &fil_filter__log},
    {"trace", NULL, fil_filter__init_plain, &fil_filter__trace},
};

static const struct kind *find_kind(struct fil_bytes name)
{
    for (size_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        if (fil_bytes_equal_text(name, kinds[i].name)) {
            return &kinds[i];
        }
    }
    return NULL;
}

static void free_context(void *opaque)
{
    struct fil_filter_context *context = opaque;
    if (context != NULL) {
        fil_free(context->meter);
        fil_free(context);
    }
}

/** Figures are large: only the filter that needs them has some. */
static int make_meter(struct fil_filter_context *context)
{
    context->meter = fil_alloc_zero(1, sizeof(*context->meter));
    if (context->meter == NULL) {
        return FIL_E_NOMEM;
    }
    fil_histogram_init(&context->meter->took_ns);
    return FIL_OK;
}

static int make_context(const struct kind *kind, const struct fil_filter_maker *maker,
                        struct fil_bytes value, void **out_context)
{
    struct fil_filter_context *context = fil_alloc_zero(1, sizeof(*context));
    if (context == NULL) {
        return FIL_E_NOMEM;
    }
    context->env = maker->env;
    context->log = maker->log;
    bool is_right = (kind->hint == NULL) == (value.size == 0) && kind->init(context, value);
    int error = is_right ? FIL_OK : FIL_E_INVALID;
    if (error == FIL_OK && kind->filter == &fil_filter__metrics) {
        error = make_meter(context);
    }
    if (error != FIL_OK) {
        free_context(context);
        return error;
    }
    *out_context = context;
    return FIL_OK;
}

/** The text without what nobody should read on a page. */
static void describe(const struct kind *kind, struct fil_bytes text, char *out_text, size_t size)
{
    if (kind->filter == &fil_filter__auth) {
        (void)snprintf(out_text, size, "%s", kind->name);
    } else {
        (void)snprintf(out_text, size, "%.*s", (int)text.size, (const char *)text.data);
    }
}

/** The link owns its context, and knows what there is to tell of it. */
static void show_figures(struct fil_filter_link *link, const struct kind *kind)
{
    struct fil_filter_context *context = link->filter.context;
    link->free = free_context;
    if (kind->filter == &fil_filter__retry) {
        link->retries = &context->retries;
    } else if (kind->filter == &fil_filter__metrics) {
        link->meter = context->meter;
        link->name = context->token;
    }
}

int fil_filter_make(struct fil_filter_link **out_link, const struct fil_filter_maker *maker,
                    struct fil_bytes text, char *out_problem, size_t problem_size)
{
    size_t equals = fil_bytes_find(text, '=');
    size_t behind = equals < text.size ? equals + 1 : equals;
    const struct kind *kind = find_kind(fil_bytes_trim(fil_bytes_make(text.data, equals)));
    struct fil_bytes value = fil_bytes_trim(fil_bytes_make(text.data + behind, text.size - behind));
    if (kind == NULL) {
        (void)snprintf(
            out_problem, problem_size,
            "'%.*s' is none of timeout, limit, rate, retry, breaker, shed, auth, metrics, gzip, "
            "log, trace",
            (int)text.size, (const char *)text.data);
        return FIL_E_INVALID;
    }
    struct fil_filter filter = *kind->filter;
    int error = make_context(kind, maker, value, &filter.context);
    if (error == FIL_E_INVALID) {
        (void)snprintf(out_problem, problem_size, "'%s' takes %s", kind->name,
                       kind->hint == NULL ? "nothing" : kind->hint);
    }
    if (error != FIL_OK) {
        return error;
    }
    char shown[FIL_FILTER_TEXT_MAX];
    describe(kind, text, shown, sizeof(shown));
    error = fil_filter_link_new(out_link, &filter, shown);
    if (error != FIL_OK) {
        free_context(filter.context);
        return error;
    }
    show_figures(*out_link, kind);
    return FIL_OK;
}
