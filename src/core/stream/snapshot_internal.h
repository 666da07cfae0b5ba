// SPDX-License-Identifier: Apache-2.0
/** A snapshot's inside, for its codec. */
#pragma once

#include "core/stream/snapshot.h"

/** Zeroed vertices and parts, one reference; NULL: no memory. */
struct fil_snapshot *fil_snapshot__make(uint32_t vertex_count, uint32_t part_count) FIL_NODISCARD;

/** Counts the entries of a part that came from outside. FIL_E_MALFORMED. */
int fil_snapshot__walk(struct fil_snapshot_part *part) FIL_NODISCARD;
