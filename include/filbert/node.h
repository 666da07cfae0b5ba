// SPDX-License-Identifier: Apache-2.0
/**
 * A member in this process: its data is reached with the same calls as that of a client.
 *
 * A program moves from embedded to remote by changing one line: fil_node_grid for fil_client_grid.
 * The grid of an embedded member speaks to it over a connection of its own inside of the machine,
 * so a call costs what a client's does, and other clients may use the member at the same time.
 *
 * Threads: start, run and stop by the thread that owns the member; the grid by any.
 */
#pragma once

#include <stddef.h>

#include "filbert/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_node;

/** All-zero means the defaults. */
struct fil_node_options {
    const char *name;        // of the cluster; NULL: as configured, else "dev"
    const char *listen;      // "127.0.0.1:0" for any free port; NULL: as configured
    const char *config_file; // NULL: none
};

/**
 * Starts a member and connects to it. What goes wrong, and what it has to say later, goes to stderr
 * as lines of its log. FIL_E_CONFIG, FIL_E_ADDRESS_USED and its kin, FIL_E_NOMEM, FIL_E_SYSTEM.
 */
int fil_node_start(struct fil_node **out_node, const struct fil_node_options *options);

/** The data of the member and of its cluster; lives as long as the member. */
struct fil_grid *fil_node_grid(struct fil_node *node);

/** Where clients reach it: "127.0.0.1:5701". */
const char *fil_node_address_text(const struct fil_node *node);

/** Calls in flight end with FIL_E_CANCELLED, what was received is answered, then all ends. */
void fil_node_stop(struct fil_node *node);

#ifdef __cplusplus
}
#endif
