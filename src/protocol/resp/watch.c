// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/watch.h"

#include <string.h>

#include "core/exec/turn.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"

bool fil_resp_watch_add(struct fil_resp_session *session, struct fil_bytes key)
{
    struct fil_budget *budget = session->server->options.budget;
    uint64_t bytes = sizeof(struct fil_resp_watch) + key.size;
    if (!fil_budget_draw(budget, bytes)) {
        return false;
    }
    struct fil_resp_watch *watch = fil_alloc_zero(1, bytes);
    if (watch == NULL) {
        fil_budget_return(budget, bytes);
        return false;
    }
    memcpy(watch + 1, key.data, key.size);
    watch->watch.key = fil_map_place(session->map, fil_bytes_make(watch + 1, key.size));
    fil_list_init(&watch->watch.link);
    watch->map = session->map;
    watch->swap_count = session->swap_count;
    watch->budget = budget;
    watch->bytes = bytes;
    watch->next = session->watches;
    session->watches = watch;
    return true;
}

static void free_watch(struct fil_resp_watch *watch)
{
    struct fil_budget *budget = watch->budget;
    uint64_t bytes = watch->bytes;
    fil_free(watch);
    fil_budget_return(budget, bytes);
}

void fil_resp_watch_forget(struct fil_resp_watch *watch)
{
    fil_map_unwatch_here(watch->map, &watch->watch);
    free_watch(watch);
}

static enum fil_op_outcome run_forget(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    struct fil_resp_watch *watch = FIL_CONTAINER_OF(op, struct fil_resp_watch, op);
    fil_map_unwatch_here(watch->map, &watch->watch);
    return FIL_OP_DONE;
}

static void complete_forget(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    free_watch(FIL_CONTAINER_OF(op, struct fil_resp_watch, op));
}

static const struct fil_op_type forget_type = {
    .name = "unwatch", .run = run_forget, .complete = complete_forget};

void fil_resp_watch_drop(struct fil_resp_session *session)
{
    struct fil_turn *turn = session->connection->loop->context;
    while (session->watches != NULL) {
        struct fil_resp_watch *watch = session->watches;
        fil_partition_id id = watch->watch.key.partition_id;
        session->watches = watch->next;
        struct fil_partition *partition = fil_turn_enter(turn, id);
        if (partition != NULL) {
            fil_resp_watch_forget(watch);
            fil_turn_leave(turn, partition);
        } else {
            fil_op_init(&watch->op, &forget_type, id);
            fil_turn_stage(turn, &watch->op);
        }
    }
}
