// SPDX-License-Identifier: Apache-2.0
/** The filters of the configuration, for the files of this folder. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/filter.h"
#include "lib/base/bytes.h"
#include "lib/os/env.h"

#define FIL_FILTER_TOKEN_MAX 64U

/** What one of them works on: each kind uses the part that is its own. */
struct fil_filter_context {
    // Set by init, then read-only.
    struct fil_env *env;
    struct fil_log *log;
    uint64_t number;                  // of the value: how many, or nanoseconds
    char token[FIL_FILTER_TOKEN_MAX]; // auth: what is asked for; metrics: the name
    struct fil_filter_meter *meter;   // metrics; owned

    // Shared.
    struct fil_retry_budget retries; // retry
    _Atomic uint64_t in_flight;      // limit
    _Atomic uint64_t next_ns;        // rate: when the next one would be due at an even pace
    _Atomic uint64_t failure_count;  // breaker: in a row
    _Atomic uint64_t open_until_ns;  // breaker: nobody goes through before; 0: closed
    _Atomic uint64_t pause_ns;       // breaker: how long it was last open
    _Atomic bool is_probing;         // breaker: one goes through to see
};

/** Reads the value; false when it is none. */
typedef bool (*fil_filter_init_fn)(struct fil_filter_context *context, struct fil_bytes value);

bool fil_filter__init_plain(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_timeout(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_limit(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_rate(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_breaker(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_shed(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_auth(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_retry(struct fil_filter_context *context, struct fil_bytes value);
bool fil_filter__init_metrics(struct fil_filter_context *context, struct fil_bytes value);

// filter_limits.c: who goes through.
extern const struct fil_filter fil_filter__timeout;
extern const struct fil_filter fil_filter__limit;
extern const struct fil_filter fil_filter__rate;
extern const struct fil_filter fil_filter__breaker;
extern const struct fil_filter fil_filter__shed;

// filter_retry.c, filter_metrics.c.
extern const struct fil_filter fil_filter__retry;
extern const struct fil_filter fil_filter__metrics;

// filter_gzip.c: smaller answers.
extern const struct fil_filter fil_filter__gzip;

// filter_headers.c: who asks, and what is told of it.
extern const struct fil_filter fil_filter__auth;
extern const struct fil_filter fil_filter__log;
extern const struct fil_filter fil_filter__trace;
