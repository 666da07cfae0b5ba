// SPDX-License-Identifier: Apache-2.0
/** Commands on keys and strings: each runs inside its key's partition. */
#include "filbert/error.h"
#include "grid/map/map.h"
#include "protocol/resp/call.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"

static int64_t access_get(struct fil_resp_access *access)
{
    struct fil_bytes value;
    if (fil_map_get_here(access->map, &access->key, &value)) {
        fil_resp_bulk(access->output, value);
    } else {
        fil_resp_null(access->output, access->version);
    }
    return 0;
}

static int64_t access_set(struct fil_resp_access *access)
{
    int error = fil_map_set_here(access->map, &access->key, access->value);
    if (error == FIL_OK) {
        fil_resp_simple(access->output, "OK");
    } else if (error == FIL_E_NOMEM) {
        fil_resp_out_of_memory(access->output);
    } else {
        fil_resp_error(access->output, "ERR %s", fil_error_text(error));
    }
    return 0;
}

static int64_t access_remove(struct fil_resp_access *access)
{
    return fil_map_remove_here(access->map, &access->key);
}

static int64_t access_exists(struct fil_resp_access *access)
{
    struct fil_bytes value;
    return fil_map_get_here(access->map, &access->key, &value);
}

FIL_RESP_HANDLER(get)
{
    fil_role_assert_io();
    fil_resp_call_keys(session, command,
                       &(struct fil_resp_keys){.run = access_get, .first = 1, .count = 1});
}

FIL_RESP_HANDLER(set)
{
    fil_role_assert_io();
    if (command->count != 3) {
        fil_resp_error(fil_resp_call_open(session), "ERR syntax error");
        fil_resp_call_close(session);
        return;
    }
    fil_resp_call_keys(
        session, command,
        &(struct fil_resp_keys){.run = access_set, .first = 1, .count = 1, .value = 2});
}

static void count_keys(struct fil_resp_session *session, const struct fil_resp_command *command,
                       fil_resp_access_fn run) FIL_RUNS_ON(io)
{
    fil_resp_call_keys(
        session, command,
        &(struct fil_resp_keys){
            .run = run, .is_counting = true, .first = 1, .count = command->count - 1});
}

FIL_RESP_HANDLER(del)
{
    fil_role_assert_io();
    count_keys(session, command, access_remove);
}

FIL_RESP_HANDLER(exists)
{
    fil_role_assert_io();
    count_keys(session, command, access_exists);
}
