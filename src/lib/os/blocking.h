// SPDX-License-Identifier: Apache-2.0
/**
 * A socket whose calls wait, for a thread that has nothing else to do.
 *
 * Everything in Filbert uses sockets that never block; this is for comparisons with programs that
 * give each connection a thread.
 */
#pragma once

/** From now on receive and send of the environment wait on this socket. */
void fil_blocking_allow(int fd);
