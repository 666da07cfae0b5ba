// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/locks.h"

#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "core/exec/runner.h"
#include "filbert/error.h"
#include "grid/map/release.h"
#include "lib/base/alloc.h"

static bool is_same(struct fil_wire_uuid left, struct fil_wire_uuid right)
{
    return !left.is_null && !right.is_null && left.high == right.high && left.low == right.low;
}

/** Whether the client has a session; that one inherits what is known of its locks. */
static bool has_session(struct fil_wire_server *server, struct fil_wire_uuid uuid)
{
    bool is_found = false;
    fil_mutex_lock(&server->mutex);
    fil_list_foreach(link, &server->sessions) {
        struct fil_wire_session *other = FIL_CONTAINER_OF(link, struct fil_wire_session, link);
        if (is_same(other->client_uuid, uuid)) {
            // Relaxed: read when that session closes, after a lock of the same mutex.
            atomic_store_explicit(&other->has_locked, true, memory_order_relaxed);
            is_found = true;
            break;
        }
    }
    fil_mutex_unlock(&server->mutex);
    return is_found;
}

/** A client that is gone, and may come back for its locks. */
struct departure {
    struct fil_op op; // parked until it is too late
    struct fil_wire_server *server;
    struct fil_wire_uuid uuid;
    uint64_t owner;
    struct fil_map_release release;
};

static void released(struct fil_map_release *release, struct fil_runner *runner)
{
    (void)runner;
    fil_free(FIL_CONTAINER_OF(release, struct departure, release));
}

/** The locks of maps are gone: now those of multimaps. */
static void released_maps(struct fil_map_release *release, struct fil_runner *runner)
{
    const struct departure *departure = FIL_CONTAINER_OF(release, struct departure, release);
    struct fil_maps *multimaps = departure->server->options.multimaps;
    if (multimaps == NULL) {
        released(release, runner);
    } else {
        fil_map_release_start(release, multimaps, departure->owner, released, runner);
    }
}

static enum fil_op_outcome wait_for_return(struct fil_op *op, struct fil_partition *partition)
{
    struct departure *departure = FIL_CONTAINER_OF(op, struct departure, op);
    op->error = fil_partition_park(partition, op, departure->owner);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

/** The time is over: lets go of the locks, unless the client is back or the member stops. */
static void end_wait(struct fil_op *op, struct fil_runner *runner)
{
    struct departure *departure = FIL_CONTAINER_OF(op, struct departure, op);
    if (op->error == FIL_E_STOPPING || has_session(departure->server, departure->uuid)) {
        fil_free(departure);
        return;
    }
    fil_map_release_start(&departure->release, departure->server->options.maps, departure->owner,
                          released_maps, runner);
}

static const struct fil_op_type departure_type = {
    .name = "client-departure", .run = wait_for_return, .complete = end_wait};

void fil_wire_locks_leave(struct fil_wire_session *session, struct fil_runner *runner)
{
    struct fil_wire_server *server = session->server;
    // Relaxed: the calls that set it have ended, and the connection's holds with them.
    if (!atomic_load_explicit(&session->has_locked, memory_order_relaxed) ||
        has_session(server, session->client_uuid)) {
        return;
    }
    struct departure *departure = fil_alloc_zero(1, sizeof(*departure));
    if (departure == NULL) {
        return; // the locks stay until their leases end or somebody forces them
    }
    departure->server = server;
    departure->uuid = session->client_uuid;
    departure->owner = session->owner;
    fil_op_init(&departure->op, &departure_type,
                (fil_partition_id)(session->owner % server->options.partition_count));
    departure->op.deadline_ns = runner->now_ns + server->options.lock_grace_ns;
    fil_exec_submit(runner->exec, &departure->op, runner);
}
