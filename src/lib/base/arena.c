// SPDX-License-Identifier: Apache-2.0
#include "lib/base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

struct fil_arena_chunk {
    struct fil_arena_chunk *next;
    size_t size; // of the memory below
    size_t used;
    alignas(max_align_t) uint8_t memory[];
};

void fil_arena_init(struct fil_arena *arena, size_t chunk_bytes, size_t limit_bytes)
{
    fil_assert(chunk_bytes >= FIL_ARENA_CHUNK_BYTES_MIN);
    *arena = (struct fil_arena){.chunk_bytes = chunk_bytes, .limit_bytes = limit_bytes};
}

static void free_chunk(struct fil_arena *arena, struct fil_arena_chunk *chunk)
{
    size_t held = sizeof(*chunk) + chunk->size;
    fil_assert(arena->held_bytes >= held);
    arena->held_bytes -= held;
    fil_free(chunk);
}

void fil_arena_reset(struct fil_arena *arena)
{
    if (arena->first == NULL) {
        return;
    }
    while (arena->first->next != NULL) {
        struct fil_arena_chunk *chunk = arena->first->next;
        arena->first->next = chunk->next;
        free_chunk(arena, chunk);
    }
    arena->first->used = 0;
    arena->current = arena->first;
}

void fil_arena_fini(struct fil_arena *arena)
{
    fil_arena_reset(arena);
    if (arena->first != NULL) {
        free_chunk(arena, arena->first);
    }
    arena->first = NULL;
    arena->current = NULL;
    fil_assert(arena->held_bytes == 0);
}

static size_t room_of(const struct fil_arena_chunk *chunk)
{
    fil_assert(chunk->used <= chunk->size);
    return chunk->size - chunk->used;
}

/** Cuts a block from the chunk; NULL when it has not enough room left. */
static void *bump(struct fil_arena_chunk *chunk, size_t size, size_t alignment)
{
    uintptr_t free_at = (uintptr_t)(chunk->memory + chunk->used);
    size_t padding = (size_t)((0 - free_at) & (alignment - 1));
    size_t room = room_of(chunk);
    if (room < padding || room - padding < size) {
        return NULL;
    }
    void *block = chunk->memory + chunk->used + padding;
    chunk->used += padding + size;
    return block;
}

/** Bytes of a new chunk for the block, or 0 when there is no such chunk within the limit. */
static size_t new_chunk_bytes(const struct fil_arena *arena, size_t size, size_t alignment)
{
    size_t needed = 0;
    if (!fil_checked_add_size(size, sizeof(struct fil_arena_chunk) + alignment, &needed)) {
        return 0;
    }
    size_t left = arena->limit_bytes - arena->held_bytes;
    if (needed > left) {
        return 0;
    }
    // Near the limit a chunk smaller than usual is better than none.
    return fil_min_size(fil_max_size(needed, arena->chunk_bytes), left);
}

static struct fil_arena_chunk *add_chunk(struct fil_arena *arena, size_t bytes)
{
    struct fil_arena_chunk *chunk = fil_alloc(bytes);
    if (chunk == NULL) {
        return NULL;
    }
    *chunk = (struct fil_arena_chunk){.size = bytes - sizeof(*chunk)};
    if (arena->first == NULL) {
        arena->first = chunk;
    } else {
        chunk->next = arena->first->next;
        arena->first->next = chunk;
    }
    arena->held_bytes += bytes;
    fil_assert(arena->held_bytes <= arena->limit_bytes);
    return chunk;
}

static void *alloc_in_new_chunk(struct fil_arena *arena, size_t size, size_t alignment)
{
    size_t bytes = new_chunk_bytes(arena, size, alignment);
    struct fil_arena_chunk *chunk = bytes == 0 ? NULL : add_chunk(arena, bytes);
    if (chunk == NULL) {
        return NULL;
    }
    void *block = bump(chunk, size, alignment);
    fil_assert(block != NULL);
    // The next blocks come from the roomier one.
    if (arena->current == NULL || room_of(chunk) > room_of(arena->current)) {
        arena->current = chunk;
    }
    return block;
}

void *fil_arena_alloc(struct fil_arena *arena, size_t size, size_t alignment)
{
    fil_assert(size > 0);
    fil_assert(fil_is_power_of_two(alignment));
    fil_assert(alignment <= FIL_ARENA_ALIGNMENT_MAX);
    void *block = arena->current == NULL ? NULL : bump(arena->current, size, alignment);
    return block != NULL ? block : alloc_in_new_chunk(arena, size, alignment);
}

void *fil_arena_alloc_zero(struct fil_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (!fil_checked_mul_size(count, size, &bytes)) {
        return NULL;
    }
    void *block = fil_arena_alloc(arena, bytes, alignof(max_align_t));
    if (block != NULL) {
        memset(block, 0, bytes);
    }
    return block;
}

char *fil_arena_text(struct fil_arena *arena, struct fil_bytes text)
{
    size_t size = 0;
    if (!fil_checked_add_size(text.size, 1, &size)) {
        return NULL;
    }
    char *copy = fil_arena_alloc(arena, size, 1);
    if (copy == NULL) {
        return NULL;
    }
    if (text.size > 0) {
        memcpy(copy, text.data, text.size);
    }
    copy[text.size] = 0;
    return copy;
}

int fil_arena_copy(struct fil_arena *arena, struct fil_bytes bytes, struct fil_bytes *out_copy)
{
    if (bytes.size == 0) {
        *out_copy = fil_bytes_make(NULL, 0);
        return FIL_OK;
    }
    void *copy = fil_arena_alloc(arena, bytes.size, 1);
    if (copy == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(copy, bytes.data, bytes.size);
    *out_copy = fil_bytes_make(copy, bytes.size);
    return FIL_OK;
}
