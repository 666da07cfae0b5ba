// SPDX-License-Identifier: Apache-2.0
#include "lib/http/chunk.h"

#define HEX_DIGITS_MAX 16U

bool fil_http_chunk_encode_begin(struct fil_writer *writer, uint64_t size)
{
    static const char digits[] = "0123456789abcdef";
    fil_assert(size > 0);
    char text[HEX_DIGITS_MAX + 2] = {[HEX_DIGITS_MAX] = '\r', [HEX_DIGITS_MAX + 1] = '\n'};
    size_t first = HEX_DIGITS_MAX;
    for (uint64_t left = size; left > 0; left >>= 4) {
        first--;
        text[first] = digits[left & 15];
    }
    return fil_writer_bytes(writer, fil_bytes_make(text + first, sizeof(text) - first));
}

bool fil_http_chunk_encode_end(struct fil_writer *writer)
{
    return fil_writer_text(writer, "\r\n");
}

bool fil_http_chunk_encode_last(struct fil_writer *writer)
{
    return fil_writer_text(writer, "0\r\n\r\n");
}

bool fil_http_chunk_encode(struct fil_writer *writer, struct fil_bytes content)
{
    fil_assert(content.size > 0);
    struct fil_writer before = *writer;
    if (fil_http_chunk_encode_begin(writer, content.size) && fil_writer_bytes(writer, content) &&
        fil_http_chunk_encode_end(writer)) {
        return true;
    }
    *writer = before;
    writer->is_full = true;
    return false;
}
