// SPDX-License-Identifier: Apache-2.0
/**
 * Redis's numbered databases: database 0 is the map `default`, database n the map `n`, which is
 * made when it is first selected.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "protocol/resp/server.h"

/** FIL_E_LIMIT when there is no such database, FIL_E_NOMEM. */
FIL_ANY_THREAD int fil_resp_database_get(struct fil_resp_server *server, int64_t number,
                                         struct fil_map **out_map) FIL_NODISCARD;

/** NULL: nobody has selected it yet. */
FIL_ANY_THREAD struct fil_map *fil_resp_database_find(struct fil_resp_server *server,
                                                      uint32_t number);
