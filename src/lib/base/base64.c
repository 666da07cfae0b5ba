// SPDX-License-Identifier: Apache-2.0
#include "lib/base/base64.h"

#include "lib/base/assert.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Up to three bytes as four characters. */
static void encode_group(uint8_t *to, const uint8_t *from, size_t size)
{
    fil_assert(size >= 1 && size <= 3);
    uint32_t bits = (uint32_t)from[0] << 16;
    bits |= size > 1 ? (uint32_t)from[1] << 8 : 0;
    bits |= size > 2 ? from[2] : 0;
    to[0] = (uint8_t)alphabet[bits >> 18 & 63];
    to[1] = (uint8_t)alphabet[bits >> 12 & 63];
    to[2] = size > 1 ? (uint8_t)alphabet[bits >> 6 & 63] : '=';
    to[3] = size > 2 ? (uint8_t)alphabet[bits & 63] : '=';
}

bool fil_base64_encode(struct fil_writer *writer, struct fil_bytes bytes)
{
    if (bytes.size == 0) {
        return true;
    }
    uint8_t *to = fil_writer_reserve(writer, FIL_BASE64_SIZE(bytes.size));
    if (to == NULL) {
        return false;
    }
    for (size_t done = 0; done < bytes.size; done += 3) {
        size_t left = bytes.size - done;
        encode_group(to, bytes.data + done, left < 3 ? left : 3);
        to += 4;
    }
    return true;
}
