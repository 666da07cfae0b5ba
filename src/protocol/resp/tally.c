// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/tally.h"

#include "lib/base/assert.h"
#include "protocol/resp/command.h"
#include "protocol/resp/server.h"

static void list(struct fil_resp_tally *tally, struct fil_resp_server *server) FIL_RUNS_ON(io)
{
    tally->is_listed = true;
    fil_list_init(&tally->link);
    fil_mutex_lock(&server->mutex);
    fil_list_push_back(&server->tallies, &tally->link);
    fil_mutex_unlock(&server->mutex);
}

void fil_resp_tally__turn_to(struct fil_resp_tally *tally, const struct fil_resp_command_info *info,
                             struct fil_resp_server *server)
{
    uint32_t index = fil_resp_command_index(info);
    fil_assert(index <= FIL_RESP_COMMANDS_MAX);
    if (FIL_UNLIKELY(!tally->is_listed)) {
        list(tally, server);
    }
    tally->last = info;
    tally->count = &tally->counts[index];
}

struct fil_resp_calls fil_resp_tally_sum(struct fil_resp_server *server, uint32_t index)
{
    struct fil_resp_calls sum = {0};
    fil_assert(index < FIL_RESP_COMMANDS_MAX);
    fil_list_foreach(link, &server->tallies) {
        const struct fil_resp_tally *tally = FIL_CONTAINER_OF(link, struct fil_resp_tally, link);
        sum.calls += fil_counter_read(&tally->counts[index].calls);
        sum.rejected += fil_counter_read(&tally->counts[index].rejected);
    }
    return sum;
}
