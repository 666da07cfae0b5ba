// SPDX-License-Identifier: Apache-2.0
/**
 * Projections of clients: an attribute of each entry, several of them, or the entry itself.
 *
 * Memory: borrows the projection's bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/processor.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "protocol/client/codec.h"
#include "protocol/client/query/path.h"

#define FIL_QUERY_PROJECTED_MAX 32U

struct fil_query_projection {
    bool is_entry;
    bool is_many;
    uint32_t path_count;
    struct fil_query_path paths[FIL_QUERY_PROJECTED_MAX];
};

/** Of a serialized one. FIL_E_UNSUPPORTED, FIL_E_MALFORMED. */
int fil_query_projection_init(struct fil_query_projection *projection, struct fil_bytes data,
                              struct fil_wire_fault *out_fault) FIL_NODISCARD;

/** Likewise on the heap, of one that can be made; NULL: no memory. */
struct fil_query_projection *fil_query_projection_new(struct fil_bytes data) FIL_GIVES(fil_free);

/** Appends what it gives for the entry, as data; false: it is null, and nothing was appended. */
bool fil_query_projection_write(const struct fil_query_projection *projection,
                                struct fil_query_entry *entry, struct fil_map_buffer *out_data)
    FIL_NODISCARD;
