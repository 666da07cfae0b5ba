// SPDX-License-Identifier: Apache-2.0
/** The handlers of the command table, by the file they are in. */
#pragma once

#include "protocol/resp/command.h"

#define FIL_RESP_HANDLER(name) \
    void fil_resp__##name(struct fil_resp_session *session, const struct fil_resp_command *command)

// connection_commands.c
FIL_RESP_HANDLER(auth);
FIL_RESP_HANDLER(client);
FIL_RESP_HANDLER(echo);
FIL_RESP_HANDLER(hello);
FIL_RESP_HANDLER(ping);
FIL_RESP_HANDLER(quit);
FIL_RESP_HANDLER(select);

// server_commands.c
FIL_RESP_HANDLER(command);
FIL_RESP_HANDLER(config);
FIL_RESP_HANDLER(dbsize);
FIL_RESP_HANDLER(info);

// map_commands.c
FIL_RESP_HANDLER(del);
FIL_RESP_HANDLER(exists);
FIL_RESP_HANDLER(get);
FIL_RESP_HANDLER(set);
