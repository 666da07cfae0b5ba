// SPDX-License-Identifier: Apache-2.0
/** Headers, and the message a number means. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/client/codec.h"
#include "protocol/client/generated/services.h"

static int decode_header(struct fil_bytes message, bool is_request,
                         struct fil_wire_header *out_header)
{
    struct fil_wire_cursor cursor;
    struct fil_wire_frame frame;
    fil_wire_cursor_init(&cursor, message);
    if (!fil_wire_cursor_next(&cursor, &frame) || frame.content.size < FIL_WIRE_RESPONSE_SIZE) {
        return FIL_E_MALFORMED;
    }
    bool is_response = !is_request && (frame.flags & FIL_WIRE_EVENT) == 0;
    const uint8_t *content = frame.content.data;
    *out_header = (struct fil_wire_header){
        .type = fil_load_u32_le(content),
        .flags = frame.flags,
        .correlation = (int64_t)fil_load_u64_le(content + 4),
        .partition = -1,
    };
    if (is_response) {
        out_header->backup_acks = content[12];
        return FIL_OK;
    }
    if (frame.content.size < FIL_WIRE_REQUEST_SIZE) {
        return FIL_E_MALFORMED;
    }
    out_header->partition = (int32_t)fil_load_u32_le(content + 12);
    return FIL_OK;
}

int fil_wire_header_decode_request(struct fil_bytes message, struct fil_wire_header *out_header)
{
    return decode_header(message, true, out_header);
}

int fil_wire_header_decode_reply(struct fil_bytes message, struct fil_wire_header *out_header)
{
    return decode_header(message, false, out_header);
}

/** The numbers of services count up from 0, but for a few large ones at the end. */
static const struct fil_wire_service *find_service(uint32_t id)
{
    if (id < FIL_WIRE_SERVICE_COUNT && fil_wire_services[id].id == id) {
        return &fil_wire_services[id];
    }
    for (uint32_t i = FIL_WIRE_SERVICE_COUNT; i > 0 && fil_wire_services[i - 1].id >= id; i--) {
        if (fil_wire_services[i - 1].id == id) {
            return &fil_wire_services[i - 1];
        }
    }
    return NULL;
}

const struct fil_wire_message *fil_wire_message_find(uint32_t request_id)
{
    const struct fil_wire_service *service = find_service(request_id >> 16);
    uint32_t number = request_id >> 8 & 0xFF;
    if (service == NULL || number == 0) {
        return NULL;
    }
    // Numbers start at 1 and hardly leave any out: the message is at its number or before it.
    fil_assert(service->message_count > 0);
    uint32_t index = number <= service->message_count ? number - 1 : service->message_count - 1U;
    while (index > 0 && service->messages[index].id > request_id) {
        index--;
    }
    return service->messages[index].id == request_id ? &service->messages[index] : NULL;
}
