// SPDX-License-Identifier: Apache-2.0
/**
 * Descriptors: what the codec knows of messages and custom types, made from messages.table.
 *
 * A layout says where each field stands on the wire and in the C struct. One interpreter reads and
 * writes them all (codec.h); generated/ holds the structs and the tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fil_wire_kind {
    // Fixed: in the initial frame, or in the first one of a custom type.
    FIL_WIRE_BOOL,
    FIL_WIRE_I8,
    FIL_WIRE_I32,
    FIL_WIRE_I64,
    FIL_WIRE_F32,
    FIL_WIRE_UUID,
    // One frame; in the struct a struct fil_bytes, without data for null.
    FIL_WIRE_STRING,
    FIL_WIRE_DATA,
    FIL_WIRE_PACKED, // raw bytes too: items of one byte
    // A structure; in the struct a struct fil_wire_part.
    FIL_WIRE_LIST,
    FIL_WIRE_MAP,
    FIL_WIRE_KEYED, // a map with fixed keys, which follow the values in one packed frame
    FIL_WIRE_CUSTOM,
    FIL_WIRE_OPAQUE,
};

struct fil_wire_layout;

struct fil_wire_type {
    enum fil_wire_kind kind;
    bool is_nullable;
    uint8_t item_size;                    // of a packed item or key; of a fixed field
    const struct fil_wire_type *key;      // of a map
    const struct fil_wire_type *item;     // of a list or map
    const struct fil_wire_layout *custom; // of a custom type
};

struct fil_wire_field {
    const char *name;
    const struct fil_wire_type *type;
    uint16_t offset;     // in the struct
    uint16_t has_offset; // in the struct, of the flag of a field that may be missing; 0: none
    uint16_t position;   // of a fixed field, behind the header
};

enum fil_wire_layout_kind {
    FIL_WIRE_LAYOUT_REQUEST,
    FIL_WIRE_LAYOUT_RESPONSE,
    FIL_WIRE_LAYOUT_EVENT,
    FIL_WIRE_LAYOUT_CUSTOM,
};

struct fil_wire_layout {
    const char *name;
    const struct fil_wire_field *fields; // fixed ones first
    uint32_t id;                         // the message's number; 0 for a custom type
    uint8_t kind;                        // enum fil_wire_layout_kind
    uint8_t fixed_count;
    uint8_t field_count;
    uint16_t required_size; // of the fixed fields that are in every version
    uint16_t fixed_size;    // of all fixed fields
    uint16_t struct_size;
};

/** What is known of a message besides its layouts. */
struct fil_wire_message {
    const char *name; // "map.put"
    uint32_t id;      // of the request
    bool is_retryable;
    uint8_t event_count;
    const struct fil_wire_layout *request;
    const struct fil_wire_layout *response;
    const struct fil_wire_layout *const *events;
};

struct fil_wire_service {
    const char *name;
    uint8_t id;
    uint8_t message_count;
    const struct fil_wire_message *messages; // by number
};

// How generated/ spells them. A name is that of a struct, without its prefix.

#define FIL_WIRE_DECLARE(of)                                            \
    extern const struct fil_wire_layout fil_wire_##of##_request_layout; \
    extern const struct fil_wire_layout fil_wire_##of##_response_layout

#define FIL_WIRE_FIELD(of, field, field_type, fixed_position)                              \
    {                                                                                      \
        .name = #field, .type = &fil_wire_type_##field_type, .position = (fixed_position), \
        .offset = offsetof(struct fil_wire_##of, field)                                    \
    }

#define FIL_WIRE_NEWER(of, field, field_type, fixed_position)                              \
    {                                                                                      \
        .name = #field, .type = &fil_wire_type_##field_type, .position = (fixed_position), \
        .offset = offsetof(struct fil_wire_##of, field),                                   \
        .has_offset = offsetof(struct fil_wire_##of, has_##field)                          \
    }

#define FIL_WIRE_LAYOUT_MAKE(of, title, layout_kind, number, table, fixed, required, all_fixed) \
    const struct fil_wire_layout fil_wire_##of##_layout = {                                     \
        .name = (title),                                                                        \
        .fields = (table),                                                                      \
        .id = (number),                                                                         \
        .kind = FIL_WIRE_LAYOUT_##layout_kind,                                                  \
        .fixed_count = (fixed),                                                                 \
        .field_count = sizeof(table) / sizeof((table)[0]),                                      \
        .required_size = (required),                                                            \
        .fixed_size = (all_fixed),                                                              \
        .struct_size = sizeof(struct fil_wire_##of),                                            \
    }

#define FIL_WIRE_LAYOUT_EMPTY(of, title, layout_kind, number) \
    const struct fil_wire_layout fil_wire_##of##_layout = {   \
        .name = (title), .id = (number), .kind = FIL_WIRE_LAYOUT_##layout_kind}

#define FIL_WIRE_MESSAGE(of, title, number, retryable, listed_count, listed)                      \
    {                                                                                             \
        .name = (title), .id = (number), .is_retryable = (retryable),                             \
        .request = &fil_wire_##of##_request_layout, .response = &fil_wire_##of##_response_layout, \
        .event_count = (listed_count), .events = (listed)                                         \
    }
