// SPDX-License-Identifier: Apache-2.0
/**
 * Writes chunked bodies: a chunk in one piece, or its framing alone around content that is sent
 * from where it is.
 *
 * All return false when the writer is full; a write that does not fit is left out as a whole.
 */
#pragma once

#include "lib/base/cursor.h"

/** What a chunk adds to its content at most: 16 digits and two line ends. */
#define FIL_HTTP_CHUNK_OVERHEAD_MAX 20U

/** The chunk with its content, which must not be empty: that would end the body. */
bool fil_http_chunk_encode(struct fil_writer *writer, struct fil_bytes content);

/** What stands before `size` bytes of content; size must not be 0. */
bool fil_http_chunk_encode_begin(struct fil_writer *writer, uint64_t size);

/** What stands behind the content. */
bool fil_http_chunk_encode_end(struct fil_writer *writer);

/** The end of the body, without trailers. */
bool fil_http_chunk_encode_last(struct fil_writer *writer);
