// SPDX-License-Identifier: Apache-2.0
/**
 * Decodes and encodes every message and custom type, driven by the layouts.
 *
 * Decoding copies nothing and allocates nothing: keys, values and texts point into the message,
 * lists and custom types are parts (part.h) that have been checked and are walked later. A field
 * that a newer version brought may be missing: it is zero, null or empty then, and its has_ flag is
 * false. What a still newer version has behind the known fields is skipped. Encoding writes all
 * known fields; has_ flags do not matter to it.
 *
 * A UUID may be null wherever one stands: members answer a failed authentication with such.
 *
 *     struct fil_wire_map_put_request request;
 *     if (FIL_WIRE_DECODE(map_put_request, message, &request, &fault) != FIL_OK) ...
 *
 * Progress: the time is linear in the message; recursion is as deep as the types, not the bytes.
 * Errors:   FIL_E_MALFORMED with the field and the reason in the fault.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/frame.h"
#include "protocol/client/layout.h"
#include "protocol/client/part.h"
#include "protocol/client/writer.h"

/** Why a message was refused; both are static texts. */
struct fil_wire_fault {
    const char *field;
    const char *reason;
};

/** The layout of a message or type by the name of its struct, and its struct. */
#define FIL_WIRE_LAYOUT(name) (&fil_wire_##name##_layout)

/** The pointer, which the compiler has checked to be one to the named struct. */
#define FIL_WIRE_OF(name, pointer)       (1 ? (pointer) : (struct fil_wire_##name *)0)
#define FIL_WIRE_OF_CONST(name, pointer) (1 ? (pointer) : (const struct fil_wire_##name *)0)

#define FIL_WIRE_DECODE(name, message, out, out_fault) \
    fil_wire_decode(FIL_WIRE_LAYOUT(name), message, FIL_WIRE_OF(name, out), out_fault)
#define FIL_WIRE_DECODE_ITEM(name, cursor, out) \
    fil_wire_decode_item(FIL_WIRE_LAYOUT(name), cursor, FIL_WIRE_OF(name, out))
#define FIL_WIRE_ENCODE(name, writer, header, in) \
    fil_wire_encode(FIL_WIRE_LAYOUT(name), writer, header, FIL_WIRE_OF_CONST(name, in))
#define FIL_WIRE_ENCODE_ITEM(name, writer, in) \
    fil_wire_encode_item(FIL_WIRE_LAYOUT(name), writer, FIL_WIRE_OF_CONST(name, in))

/** The header of a message; FIL_E_MALFORMED when the initial frame is too short for one. */
int fil_wire_header_decode_request(struct fil_bytes message, struct fil_wire_header *out_header)
    FIL_NODISCARD;

/** Of what a member sends: a response, or an event, which its flags tell. */
int fil_wire_header_decode_reply(struct fil_bytes message, struct fil_wire_header *out_header)
    FIL_NODISCARD;

/** The whole message; the fault may be NULL. */
int fil_wire_decode(const struct fil_wire_layout *layout, struct fil_bytes message,
                    void *out_fields, struct fil_wire_fault *out_fault) FIL_NODISCARD;

/** The custom type at the cursor, which moves behind it. False: there is none. */
bool fil_wire_decode_item(const struct fil_wire_layout *layout, struct fil_wire_cursor *cursor,
                          void *out_fields) FIL_NODISCARD;

/** The custom type that a field holds. False: it is null. */
bool fil_wire_decode_part(const struct fil_wire_layout *layout, const struct fil_wire_part *part,
                          void *out_fields) FIL_NODISCARD;

/** A list of serialized values, none of them null; for the direct readers. */
bool fil_wire_cursor_data_list(struct fil_wire_cursor *cursor, struct fil_wire_part *out_part)
    FIL_NODISCARD;

/** A map of serialized values, likewise. */
bool fil_wire_cursor_data_map(struct fil_wire_cursor *cursor, struct fil_wire_part *out_part)
    FIL_NODISCARD;

/** The whole message; the header's type comes from the layout. */
int fil_wire_encode(const struct fil_wire_layout *layout, struct fil_wire_writer *writer,
                    const struct fil_wire_header *header, const void *fields) FIL_NODISCARD;

/** One custom type, in a stream of them. */
void fil_wire_encode_item(const struct fil_wire_layout *layout, struct fil_wire_writer *writer,
                          const void *fields);

/** The value of one variable field, or one item that is no custom type. */
void fil_wire_encode_value(struct fil_wire_writer *writer, const struct fil_wire_type *type,
                           const void *slot);

/** The number of bytes of a type's values in a struct or an array of items. */
size_t fil_wire_slot_size(const struct fil_wire_type *type);

/** The message that the request has; NULL: there is none of that number. */
const struct fil_wire_message *fil_wire_message_find(uint32_t request_id);
