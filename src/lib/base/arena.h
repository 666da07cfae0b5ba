// SPDX-License-Identifier: Apache-2.0
/**
 * Bump allocation: many small blocks with one common end.
 *
 * Memory comes in chunks; a block that does not fit the current chunk opens another, a block larger
 * than a chunk gets one of its own. Nothing is freed singly. One owner.
 *
 * Memory: never holds more than the byte limit, chunk headers included; NULL when the limit or the
 *         heap is out. Nothing is allocated before the first block.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** The smallest chunk; the largest alignment that can be asked for. */
#define FIL_ARENA_CHUNK_BYTES_MIN 128U
#define FIL_ARENA_ALIGNMENT_MAX   4096U

struct fil_arena_chunk;

struct fil_arena {
    // Written by init.
    size_t chunk_bytes;
    size_t limit_bytes;

    struct fil_arena_chunk *first;   // kept by reset; the others hang behind it
    struct fil_arena_chunk *current; // where small blocks come from
    size_t held_bytes;               // of the heap
};

/** For no limit give SIZE_MAX. */
void fil_arena_init(struct fil_arena *arena, size_t chunk_bytes, size_t limit_bytes);

/** Gives everything back; the arena may be used again. */
void fil_arena_fini(struct fil_arena *arena);

/** All blocks end; the first chunk stays for the next ones. */
void fil_arena_reset(struct fil_arena *arena);

/** Size at least 1; the alignment is a power of two. The bytes are not set. */
void *fil_arena_alloc(struct fil_arena *arena, size_t size, size_t alignment) FIL_NODISCARD;

/** Zeroed, aligned for any type; NULL also when count * size overflows. */
void *fil_arena_alloc_zero(struct fil_arena *arena, size_t count, size_t size) FIL_NODISCARD;

/** A copy as a C string; zero bytes inside are copied like any other. */
char *fil_arena_text(struct fil_arena *arena, struct fil_bytes text) FIL_NODISCARD;

/** Copies the bytes; out_copy is untouched when there is no room. FIL_OK or FIL_E_NOMEM. */
int fil_arena_copy(struct fil_arena *arena, struct fil_bytes bytes, struct fil_bytes *out_copy)
    FIL_NODISCARD;
