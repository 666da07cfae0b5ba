// SPDX-License-Identifier: Apache-2.0
/**
 * Attributes of an entry: `this` is the value, `__key` the key, `name`, `a.b`, `items[2].price` and
 * `items[any].price` are parts of the value, and `__key.name` is one of the key.
 *
 * Values have attributes when they are JSON (also as text, as other protocols write it) or compact
 * with a known schema. A number, a truth or another text has none: its attributes are null, and so
 * is what is not there. Of what only its client can read, an attribute cannot be told; that is an
 * error of the entry.
 *
 * Memory:  a path borrows its text and is made in an arena; values last as long as the visit.
 * Threads: any; a path does not change.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/serialization.h"

struct fil_wire_schemas;

#define FIL_QUERY_STEPS_MAX 16U

enum fil_query_step_kind {
    FIL_QUERY_STEP_NAME,
    FIL_QUERY_STEP_INDEX,
    FIL_QUERY_STEP_ANY,
};

struct fil_query_step {
    enum fil_query_step_kind kind;
    struct fil_bytes name;
    uint32_t index;
};

struct fil_query_path {
    bool is_key;
    uint32_t step_count;
    struct fil_query_step steps[FIL_QUERY_STEPS_MAX];
};

/** An entry in the forms of the map. */
struct fil_query_entry {
    struct fil_bytes key;
    struct fil_bytes value;
    struct fil_wire_schemas *schemas; // NULL: none are known
    bool is_opaque;                   // an attribute was asked for that cannot be read
};

/** True: enough, do not go on. */
typedef bool (*fil_query_visit_fn)(void *context, const struct fil_wire_value *value);

/** FIL_E_MALFORMED, FIL_E_LIMIT. */
int fil_query_path_parse(struct fil_bytes text, struct fil_query_path *out_path) FIL_NODISCARD;

/**
 * Visits the value of the attribute, or all of them if there is an [any]; null when there is none.
 * Returns whether the visitor had enough.
 */
bool fil_query_path_visit(const struct fil_query_path *path, struct fil_query_entry *entry,
                          fil_query_visit_fn visit, void *context);

/** A key or value of the map as a value; what is of no common type is null. */
struct fil_wire_value fil_query_value_of(struct fil_bytes form);
