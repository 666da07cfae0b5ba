// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/rest.h"

#include "core/service/service.h"
#include "filbert/error.h"
#include "grid/map/form.h"
#include "lib/base/utf8.h"
#include "lib/http/status.h"

int fil_rest_copy_value(struct fil_request *request, struct fil_bytes value,
                        struct fil_reply *out_reply)
{
    bool is_text = !fil_map_form_is_serialized(value) && fil_utf8_is_valid(value);
    const char *type = is_text ? "text/plain; charset=utf-8" : "application/octet-stream";
    if (request->pool != NULL) {
        fil_request_add(request, value);
        *out_reply = fil_reply_content(FIL_HTTP_STATUS_OK, type);
        return request->content.is_out_of_memory ? FIL_E_NOMEM : FIL_OK;
    }
    struct fil_bytes copy = fil_bytes_make("", 0);
    if (value.size > 0 && fil_arena_copy(&request->arena, value, &copy) != FIL_OK) {
        return FIL_E_NOMEM;
    }
    *out_reply = fil_reply_bytes(FIL_HTTP_STATUS_OK, type, copy.data, copy.size);
    return FIL_OK;
}
