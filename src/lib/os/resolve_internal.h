// SPDX-License-Identifier: Apache-2.0
/** Names of hosts, asked of the system's resolver: see fil_env_ops.resolve. */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/address.h"

int fil_resolve__host(const char *host, uint16_t port, struct fil_resolved *out_resolved)
    FIL_NODISCARD;
