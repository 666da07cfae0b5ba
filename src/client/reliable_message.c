// SPDX-License-Identifier: Apache-2.0
#include "client/reliable_message.h"

#include <stdbool.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/endian.h"

#define OBJECT_TYPE   (-2)
#define TOPIC_FACTORY (-9)
#define MESSAGE_CLASS 2
#define ADDRESS_CLASS 1
#define HASH_SIZE     4U
#define IDENTITY_SIZE 13U // type, flag, factory, class
#define NULL_SIZE     4U

static uint8_t *put_u32(uint8_t *to, int32_t value)
{
    fil_store_u32_be(to, (uint32_t)value);
    return to + sizeof(uint32_t);
}

void fil_reliable_head_encode(uint8_t head[FIL_RELIABLE_HEAD_SIZE], int64_t time_ms, size_t size)
{
    uint8_t *to = put_u32(head, 0);
    to = put_u32(to, OBJECT_TYPE);
    *to = 1;
    to = put_u32(to + 1, TOPIC_FACTORY);
    to = put_u32(to, MESSAGE_CLASS);
    fil_store_u64_be(to, (uint64_t)time_ms);
    to = put_u32(to + sizeof(uint64_t), 0); // no publisher
    (void)put_u32(to, (int32_t)size);
}

/** Takes so many bytes off the front; false when there are not as many. */
static bool take(struct fil_bytes *rest, size_t size, const uint8_t **out_bytes)
{
    if (rest->size < size) {
        return false;
    }
    *out_bytes = rest->data;
    *rest = fil_bytes_make(rest->data + size, rest->size - size);
    return true;
}

static bool take_i32(struct fil_bytes *rest, int32_t *out_value)
{
    const uint8_t *bytes = NULL;
    if (!take(rest, sizeof(uint32_t), &bytes)) {
        return false;
    }
    *out_value = (int32_t)fil_load_u32_be(bytes);
    return true;
}

/** An object of that factory and class begins. */
static bool take_identity(struct fil_bytes *rest, int32_t factory, int32_t class_id)
{
    const uint8_t *bytes = NULL;
    return take(rest, IDENTITY_SIZE, &bytes) && (int32_t)fil_load_u32_be(bytes) == OBJECT_TYPE &&
           bytes[4] == 1 && (int32_t)fil_load_u32_be(bytes + 5) == factory &&
           (int32_t)fil_load_u32_be(bytes + 9) == class_id;
}

/** Steps over the publisher: nobody, or port, kind and host. */
static bool skip_publisher(struct fil_bytes *rest)
{
    const uint8_t *bytes = NULL;
    int32_t size = 0;
    if (rest->size >= NULL_SIZE && fil_load_u32_be(rest->data) == 0) {
        return take(rest, NULL_SIZE, &bytes);
    }
    return take_identity(rest, 0, ADDRESS_CLASS) && take(rest, sizeof(uint32_t) + 1, &bytes) &&
           take_i32(rest, &size) && size >= 0 && take(rest, (size_t)size, &bytes);
}

int fil_reliable_decode(struct fil_bytes data, int64_t *out_time_ms, struct fil_bytes *out_value)
{
    const uint8_t *bytes = NULL;
    int32_t size = 0;
    if (!take(&data, HASH_SIZE, &bytes) || !take_identity(&data, TOPIC_FACTORY, MESSAGE_CLASS) ||
        !take(&data, sizeof(uint64_t), &bytes)) {
        return FIL_E_MALFORMED;
    }
    *out_time_ms = (int64_t)fil_load_u64_be(bytes);
    if (!skip_publisher(&data) || !take_i32(&data, &size) || size < 0 ||
        !take(&data, (size_t)size, &bytes)) {
        return FIL_E_MALFORMED;
    }
    *out_value = fil_bytes_make(bytes, (size_t)size);
    return FIL_OK;
}
