// SPDX-License-Identifier: Apache-2.0
/** Servers of an upstream that are names, for upstream.c. */
#pragma once

#include "protocol/http/upstream.h"

/** "prices.example:80". FIL_E_ADDRESS. */
int fil_upstream__add_name(struct fil_upstream *upstream, struct fil_bytes text) FIL_NODISCARD;

/** Behind the servers that are addresses: places for those of names. */
void fil_upstream__add_places(struct fil_upstream *upstream);

/** Gives a server its address, and forgets what was known of another one there. */
void fil_upstream__put(struct fil_upstream *upstream, uint32_t index, uint32_t name,
                       const struct fil_address *address);
