// SPDX-License-Identifier: Apache-2.0
/** Commands on keys and strings. */
#include "filbert/error.h"
#include "grid/map/map.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"

static struct fil_map *map_of(struct fil_resp_session *session)
{
    return session->server->options.map;
}

static void reply_value(void *context, struct fil_bytes value)
{
    fil_resp_bulk(fil_resp_output(context), value);
}

FIL_RESP_HANDLER(get)
{
    struct fil_bytes key = fil_resp_argument(command, 1);
    if (!fil_map_get(map_of(session), key, reply_value, session)) {
        fil_resp_null(fil_resp_output(session), fil_resp_version(session));
    }
}

FIL_RESP_HANDLER(set)
{
    if (command->count != 3) {
        fil_resp_error(fil_resp_output(session), "ERR syntax error");
        return;
    }
    int error =
        fil_map_set(map_of(session), fil_resp_argument(command, 1), fil_resp_argument(command, 2));
    if (error == FIL_OK) {
        fil_resp_simple(fil_resp_output(session), "OK");
    } else if (error == FIL_E_NOMEM) {
        fil_resp_error(fil_resp_output(session),
                       "OOM command not allowed when used memory > 'maxmemory'.");
    } else {
        fil_resp_error(fil_resp_output(session), "ERR %s", fil_error_text(error));
    }
}

FIL_RESP_HANDLER(del)
{
    int64_t count = 0;
    for (uint32_t i = 1; i < command->count; i++) {
        count += fil_map_remove(map_of(session), fil_resp_argument(command, i));
    }
    fil_resp_integer(fil_resp_output(session), count);
}

FIL_RESP_HANDLER(exists)
{
    int64_t count = 0;
    for (uint32_t i = 1; i < command->count; i++) {
        count += fil_map_contains(map_of(session), fil_resp_argument(command, i));
    }
    fil_resp_integer(fil_resp_output(session), count);
}
