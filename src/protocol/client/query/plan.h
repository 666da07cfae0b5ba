// SPDX-License-Identifier: Apache-2.0
/**
 * Which index of a map a query looks into instead of looking at all entries.
 *
 * Used for =, IN, <, <=, >, >=, BETWEEN and a LIKE that does not begin with a % or _, alone or
 * among the parts of an AND: an equality first, then a range with two ends, which may come of two
 * parts, then a beginning, then a range with one end; and for an OR of such, of several indexes if
 * need be, alone or in an AND for which nothing else is of use. What is found is tested with the
 * whole predicate, so that a query says the same with and without an index.
 */
#pragma once

#include "grid/map/index.h"
#include "lib/base/attr.h"
#include "protocol/client/query/predicate.h"

/** The search, which lives in the predicate's arena and is to be ended; NULL: no index is of use.
 */
struct fil_map_search *fil_query_plan(struct fil_query_predicate *predicate,
                                      const struct fil_map *map) FIL_NODISCARD;
