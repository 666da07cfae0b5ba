// SPDX-License-Identifier: Apache-2.0
#include "lib/net/dial.h"

#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

/** The descriptor is watched: gives the connection its protocol. */
static int adopt(struct fil_connection *connection, const struct fil_protocol *protocol)
    FIL_RUNS_ON(io)
{
    connection->protocol = protocol;
    // The poller tells when the peer has taken the connection: nothing is sent before.
    connection->output.is_blocked = true;
    fil_fsm_move(&connection->state, FIL_CONNECTION_OPEN);
    fil_connection__tell(connection, FIL_CONNECTION_SPEAKS);
    int error = protocol->ops->open(connection, protocol);
    if (error != FIL_OK) {
        fil_connection__abort(connection, FIL_CLOSE_MEMORY);
    }
    return error;
}

int fil_loop_dial(struct fil_loop *loop, const struct fil_address *address,
                  const struct fil_protocol *protocol, struct fil_connection **out_connection)
{
    int fd = -1;
    int error = loop->env->ops->connect(loop->env, address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_connection *connection = fil_connection__new(fd, address, 0, loop);
    if (connection == NULL) {
        loop->env->ops->close(loop->env, fd);
        return FIL_E_NOMEM;
    }
    connection->is_dialed = true;
    connection->is_pinned = true;
    fil_connection__open(connection);
    if (fil_connection__is(connection, FIL_CONNECTION_CLOSED)) {
        return FIL_E_NOMEM; // the flush at the turn's end frees it
    }
    *out_connection = connection;
    return adopt(connection, protocol);
}

void fil_connection_speak(struct fil_connection *connection)
{
    fil_assert(connection->is_dialed);
    bool is_joined = fil_connection__join(connection);
    fil_assert(is_joined); // nobody else writes to one that was dialed
}

void fil_connection_retime(struct fil_connection *connection)
{
    if (!fil_connection__is(connection, FIL_CONNECTION_CLOSED)) {
        fil_connection__rearm_timer(connection);
    }
}

void fil_connection_hang_up(struct fil_connection *connection)
{
    fil_connection_speak(connection);
    fil_connection__abort(connection, FIL_CLOSE_REQUEST);
}
