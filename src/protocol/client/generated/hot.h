// SPDX-License-Identifier: Apache-2.0
// Made by tools/protocol-codegen from messages.table: change that, not this.
// clang-format off
/** Direct readers and writers of the messages that come most: as the codec, but sooner. */
#pragma once

#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "protocol/client/codec.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/generated/types.h"

FIL_NODISCARD static inline int fil_wire_map_put_request_read(struct fil_bytes message,
    struct fil_wire_map_put_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 32);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data(&cursor, &out->key) ||
                     !fil_wire_cursor_data(&cursor, &out->value))) {
        return FIL_E_MALFORMED;
    }
    out->thread_id = (int64_t)fil_load_u64_le(fixed + 16);
    out->ttl = (int64_t)fil_load_u64_le(fixed + 24);
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_put_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_put_request *in)
{
    header.type = 0x010100;
    uint8_t *fixed = fil_wire_writer_open_request(writer, &header, 16);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_store_u64_le(fixed + 0, (uint64_t)in->thread_id);
        fil_store_u64_le(fixed + 8, (uint64_t)in->ttl);
    }
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_writer_bytes(writer, in->key);
    fil_wire_writer_bytes(writer, in->value);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_put_response_read(struct fil_bytes message,
    struct fil_wire_map_put_response *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 13);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_data_or_null(&cursor, &out->response))) {
        return FIL_E_MALFORMED;
    }
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_put_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_put_response *in)
{
    header.type = 0x010101;
    (void)fil_wire_writer_open_response(writer, &header, 0);
    fil_wire_writer_bytes_or_null(writer, in->response);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_get_request_read(struct fil_bytes message,
    struct fil_wire_map_get_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 24);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data(&cursor, &out->key))) {
        return FIL_E_MALFORMED;
    }
    out->thread_id = (int64_t)fil_load_u64_le(fixed + 16);
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_get_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_get_request *in)
{
    header.type = 0x010200;
    uint8_t *fixed = fil_wire_writer_open_request(writer, &header, 8);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_store_u64_le(fixed + 0, (uint64_t)in->thread_id);
    }
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_writer_bytes(writer, in->key);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_get_response_read(struct fil_bytes message,
    struct fil_wire_map_get_response *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 13);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_data_or_null(&cursor, &out->response))) {
        return FIL_E_MALFORMED;
    }
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_get_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_get_response *in)
{
    header.type = 0x010201;
    (void)fil_wire_writer_open_response(writer, &header, 0);
    fil_wire_writer_bytes_or_null(writer, in->response);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_remove_request_read(struct fil_bytes message,
    struct fil_wire_map_remove_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 24);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data(&cursor, &out->key))) {
        return FIL_E_MALFORMED;
    }
    out->thread_id = (int64_t)fil_load_u64_le(fixed + 16);
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_remove_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_remove_request *in)
{
    header.type = 0x010300;
    uint8_t *fixed = fil_wire_writer_open_request(writer, &header, 8);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_store_u64_le(fixed + 0, (uint64_t)in->thread_id);
    }
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_writer_bytes(writer, in->key);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_remove_response_read(struct fil_bytes message,
    struct fil_wire_map_remove_response *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 13);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_data_or_null(&cursor, &out->response))) {
        return FIL_E_MALFORMED;
    }
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_remove_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_remove_response *in)
{
    header.type = 0x010301;
    (void)fil_wire_writer_open_response(writer, &header, 0);
    fil_wire_writer_bytes_or_null(writer, in->response);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_contains_key_request_read(struct fil_bytes message,
    struct fil_wire_map_contains_key_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 24);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data(&cursor, &out->key))) {
        return FIL_E_MALFORMED;
    }
    out->thread_id = (int64_t)fil_load_u64_le(fixed + 16);
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_contains_key_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_contains_key_request *in)
{
    header.type = 0x010600;
    uint8_t *fixed = fil_wire_writer_open_request(writer, &header, 8);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_store_u64_le(fixed + 0, (uint64_t)in->thread_id);
    }
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_writer_bytes(writer, in->key);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_contains_key_response_read(struct fil_bytes message,
    struct fil_wire_map_contains_key_response *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 14);
    if (FIL_UNLIKELY(fixed == NULL)) {
        return FIL_E_MALFORMED;
    }
    out->response = *(fixed + 13) != 0;
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_contains_key_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_contains_key_response *in)
{
    header.type = 0x010601;
    uint8_t *fixed = fil_wire_writer_open_response(writer, &header, 1);
    if (FIL_LIKELY(fixed != NULL)) {
        *(fixed + 0) = in->response;
    }
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_set_request_read(struct fil_bytes message,
    struct fil_wire_map_set_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 32);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data(&cursor, &out->key) ||
                     !fil_wire_cursor_data(&cursor, &out->value))) {
        return FIL_E_MALFORMED;
    }
    out->thread_id = (int64_t)fil_load_u64_le(fixed + 16);
    out->ttl = (int64_t)fil_load_u64_le(fixed + 24);
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_set_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_set_request *in)
{
    header.type = 0x010f00;
    uint8_t *fixed = fil_wire_writer_open_request(writer, &header, 16);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_store_u64_le(fixed + 0, (uint64_t)in->thread_id);
        fil_store_u64_le(fixed + 8, (uint64_t)in->ttl);
    }
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_writer_bytes(writer, in->key);
    fil_wire_writer_bytes(writer, in->value);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_set_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header)
{
    header.type = 0x010f01;
    (void)fil_wire_writer_open_response(writer, &header, 0);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_get_all_request_read(struct fil_bytes message,
    struct fil_wire_map_get_all_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 16);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data_list(&cursor, &out->keys))) {
        return FIL_E_MALFORMED;
    }
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_get_all_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_get_all_request *in)
{
    header.type = 0x012300;
    (void)fil_wire_writer_open_request(writer, &header, 0);
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_encode_value(writer, &fil_wire_type_list_data, &in->keys);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_get_all_response_read(struct fil_bytes message,
    struct fil_wire_map_get_all_response *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 13);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_data_map(&cursor, &out->response))) {
        return FIL_E_MALFORMED;
    }
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_get_all_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_get_all_response *in)
{
    header.type = 0x012301;
    (void)fil_wire_writer_open_response(writer, &header, 0);
    fil_wire_encode_value(writer, &fil_wire_type_map_data_data, &in->response);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_size_request_read(struct fil_bytes message,
    struct fil_wire_map_size_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 16);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name))) {
        return FIL_E_MALFORMED;
    }
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_size_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_size_request *in)
{
    header.type = 0x012a00;
    (void)fil_wire_writer_open_request(writer, &header, 0);
    fil_wire_writer_bytes(writer, in->name);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_size_response_read(struct fil_bytes message,
    struct fil_wire_map_size_response *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 17);
    if (FIL_UNLIKELY(fixed == NULL)) {
        return FIL_E_MALFORMED;
    }
    out->response = (int32_t)fil_load_u32_le(fixed + 13);
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_size_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_size_response *in)
{
    header.type = 0x012a01;
    uint8_t *fixed = fil_wire_writer_open_response(writer, &header, 4);
    if (FIL_LIKELY(fixed != NULL)) {
        fil_store_u32_le(fixed + 0, (uint32_t)in->response);
    }
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_put_all_request_read(struct fil_bytes message,
    struct fil_wire_map_put_all_request *out)
{
    struct fil_wire_cursor cursor;
    const uint8_t *fixed =
        fil_wire_cursor_open(&cursor, message, 16);
    if (FIL_UNLIKELY(fixed == NULL ||
                     !fil_wire_cursor_bytes(&cursor, &out->name) ||
                     !fil_wire_cursor_data_map(&cursor, &out->entries))) {
        return FIL_E_MALFORMED;
    }
    out->has_trigger_map_loader = fil_load_u32_le(message.data) >= 23;
    out->trigger_map_loader = out->has_trigger_map_loader && *(fixed + 16) != 0;
    return FIL_OK;
}

FIL_NODISCARD static inline int fil_wire_map_put_all_request_write(struct fil_wire_writer *writer,
    struct fil_wire_header header, const struct fil_wire_map_put_all_request *in)
{
    header.type = 0x012c00;
    uint8_t *fixed = fil_wire_writer_open_request(writer, &header, 1);
    if (FIL_LIKELY(fixed != NULL)) {
        *(fixed + 0) = in->trigger_map_loader;
    }
    fil_wire_writer_bytes(writer, in->name);
    fil_wire_encode_value(writer, &fil_wire_type_map_data_data, &in->entries);
    return fil_wire_writer_finish(writer);
}

FIL_NODISCARD static inline int fil_wire_map_put_all_response_write(struct fil_wire_writer *writer,
    struct fil_wire_header header)
{
    header.type = 0x012c01;
    (void)fil_wire_writer_open_response(writer, &header, 0);
    return fil_wire_writer_finish(writer);
}
