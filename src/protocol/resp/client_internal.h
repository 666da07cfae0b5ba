// SPDX-License-Identifier: Apache-2.0
/** What CLIENT and HELLO share: names that clients give themselves, and the list of clients. */
#pragma once

#include "protocol/resp/decoder.h"
#include "protocol/resp/session.h"

/** Names may hold no blanks or control characters, so that CLIENT LIST can be read back. */
bool fil_resp__is_name(struct fil_bytes name);
void fil_resp__store_name(struct fil_resp_session *session, char target[FIL_RESP_NAME_MAX],
                          struct fil_bytes name);
void fil_resp__reply_bad_name(struct fil_resp_session *session, const char *what,
                              struct fil_bytes name);

/** CLIENT INFO and CLIENT LIST. */
void fil_resp__client_info(struct fil_resp_session *session,
                           const struct fil_resp_command *command);
void fil_resp__client_list(struct fil_resp_session *session,
                           const struct fil_resp_command *command);
