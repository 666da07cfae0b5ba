// SPDX-License-Identifier: Apache-2.0
/** What of a request and of an answer is passed on. */
#pragma once

#include "core/service/request.h"
#include "lib/base/attr.h"
#include "lib/os/address.h"
#include "protocol/http/call.h"

/** The head of the request of that peer as it is passed on, in its memory. FIL_E_NOMEM. */
int fil_proxy_message_head(struct fil_request *request, const struct fil_address *peer,
                           struct fil_bytes *out_head) FIL_NODISCARD;

/** The answer of the call as that of the request; its content is there already. */
struct fil_reply fil_proxy_message_reply(struct fil_request *request,
                                         const struct fil_http_call *call);
