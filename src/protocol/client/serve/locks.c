// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/locks.h"

#include "grid/map/release.h"
#include "lib/base/alloc.h"

static bool is_same(struct fil_wire_uuid left, struct fil_wire_uuid right)
{
    return !left.is_null && !right.is_null && left.high == right.high && left.low == right.low;
}

/** Whether the client has another session; that one inherits what is known of its locks. */
static bool has_heir(struct fil_wire_session *session)
{
    struct fil_wire_server *server = session->server;
    bool is_found = false;
    fil_mutex_lock(&server->mutex);
    fil_list_foreach(link, &server->sessions) {
        struct fil_wire_session *other = FIL_CONTAINER_OF(link, struct fil_wire_session, link);
        if (is_same(other->client_uuid, session->client_uuid)) {
            // Relaxed: read when that session closes, after a lock of the same mutex.
            atomic_store_explicit(&other->has_locked, true, memory_order_relaxed);
            is_found = true;
            break;
        }
    }
    fil_mutex_unlock(&server->mutex);
    return is_found;
}

static void released(struct fil_map_release *release)
{
    fil_free(release);
}

void fil_wire_locks_leave(struct fil_wire_session *session, struct fil_runner *runner)
{
    // Relaxed: the calls that set it have ended, and the connection's holds with them.
    if (!atomic_load_explicit(&session->has_locked, memory_order_relaxed) || has_heir(session)) {
        return;
    }
    struct fil_map_release *release = fil_alloc_zero(1, sizeof(*release));
    if (release != NULL) {
        fil_map_release_start(release, session->server->options.maps, session->owner, released,
                              runner);
    }
}
