// SPDX-License-Identifier: Apache-2.0
#include "lib/http/status.h"

const char *fil_http_status_phrase(int status)
{
    switch (status) {
#define STATUS_CASE(name, code, phrase) \
    case code:                          \
        return phrase;
        FIL_HTTP_STATUSES(STATUS_CASE)
#undef STATUS_CASE
    default:
        return "Status";
    }
}

bool fil_http_status_has_body(int status)
{
    return status >= 200 && status != FIL_HTTP_STATUS_NO_CONTENT &&
           status != FIL_HTTP_STATUS_NOT_MODIFIED;
}
