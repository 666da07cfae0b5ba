// SPDX-License-Identifier: Apache-2.0
/** Which clients CLIENT LIST shows and CLIENT KILL ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/net/output.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/session.h"

enum fil_resp_client_type {
    FIL_RESP_CLIENT_ANY,
    FIL_RESP_CLIENT_NORMAL,
    FIL_RESP_CLIENT_PUBSUB,
    FIL_RESP_CLIENT_OTHER, // masters and replicas: there are none
};

struct fil_resp_client_filter {
    const struct fil_resp_command *command; // whose words are looked at
    uint32_t first_id;                      // index of the first id among them; 0: any id
    uint32_t id_end;                        // behind the last
    enum fil_resp_client_type type;
    bool has_address;
    struct fil_bytes address;
    bool spares_caller;
};

/** Reads CLIENT LIST's words; answers what is wrong with them and returns false. */
bool fil_resp_client_filter_of_list(const struct fil_resp_command *command,
                                    struct fil_output *output,
                                    struct fil_resp_client_filter *out_filter);

/** As of_list, for CLIENT KILL with an address alone or with pairs of words. */
bool fil_resp_client_filter_of_kill(const struct fil_resp_command *command,
                                    struct fil_output *output,
                                    struct fil_resp_client_filter *out_filter);

/** Whether the filter is for this client; the server's mutex is held. */
bool fil_resp_client_filter_matches(const struct fil_resp_client_filter *filter,
                                    const struct fil_resp_session *session);
