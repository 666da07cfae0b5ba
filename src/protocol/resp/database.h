// SPDX-License-Identifier: Apache-2.0
/**
 * Redis's numbered databases: database 0 is the map `default`, database n the map `n`, which is
 * made when it is first selected. SWAPDB swaps the maps of two numbers, and every session follows
 * before its next command.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "protocol/resp/server.h"
#include "protocol/resp/session.h"

/** FIL_E_LIMIT when there is no such database, FIL_E_COUNT_MAX when there are too many maps,
 * FIL_E_NOMEM. */
FIL_ANY_THREAD int fil_resp_database_get(struct fil_resp_server *server, int64_t number,
                                         struct fil_map **out_map) FIL_NODISCARD;

/** NULL: nobody has selected it yet. */
FIL_ANY_THREAD struct fil_map *fil_resp_database_find(struct fil_resp_server *server,
                                                      uint32_t number);

/** What database 0 evicts, by Redis's word for it. */
FIL_ANY_THREAD const char *fil_resp_database_policy(struct fil_resp_server *server);

/** Swaps the maps of two databases. FIL_E_LIMIT when there is no such database, FIL_E_NOMEM. */
FIL_ANY_THREAD int fil_resp_database_swap(struct fil_resp_server *server, int64_t first,
                                          int64_t second) FIL_NODISCARD;

/** Looks up the map of the session's database again. */
void fil_resp_database_refresh(struct fil_resp_session *session);

/** As refresh, when databases were swapped since. No journey of the session is under way. */
static inline void fil_resp_database_follow(struct fil_resp_session *session)
{
    // A9 pairs with R9: the maps are swapped.
    uint32_t count = atomic_load_explicit(&session->server->swap_count, memory_order_acquire);
    if (FIL_UNLIKELY(count != session->swap_count)) {
        fil_resp_database_refresh(session);
    }
}
