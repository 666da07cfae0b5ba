// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "lib/base/assert.h"
#include "tests/interleave/explorer_internal.h"

#define HEAP_BYTES   (512U * 1024U)
#define SEGMENTS_MAX 128U
#define BLOCKS_MAX   4096U
#define POISON       0xDD

/** Stands before each block. */
struct block {
    uint32_t size;
    uint32_t is_freed;
    uint64_t padding; // the block behind it keeps the heap's alignment
};

struct segment {
    uint8_t *begin;
    uint8_t *end;
};

struct segments {
    struct segment items[SEGMENTS_MAX];
    uint32_t count;
};

static uint8_t heap[HEAP_BYTES] __attribute__((aligned(64)));
static size_t heap_used;
static struct {
    uint64_t allocated_count;
    uint64_t freed_count;
} blocks;
static uint32_t block_places[BLOCKS_MAX]; // offsets in the heap, in the order of allocation
static size_t heap_sealed; // what set_up has allocated; the rest grows and shrinks with time
static struct segments tracked;
static struct segments ignored;

static void add_segment(struct segments *segments, uint8_t *begin, uint8_t *end)
{
    fil_assert(segments->count < SEGMENTS_MAX);
    segments->items[segments->count] = (struct segment){.begin = begin, .end = end};
    segments->count++;
}

void fil_world__clear(void)
{
    heap_used = 0;
    heap_sealed = 0;
    memset(&blocks, 0, sizeof(blocks));
    tracked.count = 0;
    ignored.count = 0;
}

void fil_explorer_track(void *memory, size_t size)
{
    add_segment(&tracked, memory, (uint8_t *)memory + size);
}

void fil_explorer_ignore(void *memory, size_t size)
{
    add_segment(&ignored, memory, (uint8_t *)memory + size);
}

void fil_actor__clear(uint8_t *memory, size_t size)
{
    memset(memory, 0, size);
}

static struct block *block_of(void *memory)
{
    return (struct block *)((uint8_t *)memory - sizeof(struct block));
}

void *fil_world__alloc(size_t alignment, size_t size)
{
    size_t begin = (heap_used + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    fil_assert(begin + size <= HEAP_BYTES && blocks.allocated_count < BLOCKS_MAX);
    memset(heap + heap_used, 0, begin + size - heap_used);
    heap_used = begin + size;
    // Whoever goes back in time keeps the places before, so they need not be saved.
    block_places[blocks.allocated_count] = (uint32_t)begin;
    blocks.allocated_count++;
    block_of(heap + begin)->size = (uint32_t)size;
    return heap + begin;
}

void fil_world__free(void *memory)
{
    struct block *block = block_of(memory);
    if (block->is_freed != 0) {
        fil_explorer_fail("a block is freed twice");
    }
    block->is_freed = 1;
    blocks.freed_count++;
    // What a check frees comes back, but for the parts that are ignored.
    if (fil_actor__self() != NULL) {
        memset(memory, POISON, block->size);
    }
}

size_t fil_world__block_size(void *memory)
{
    return block_of(memory)->size;
}

bool fil_world__is_freed(const void *place)
{
    const uint8_t *byte = place;
    if (blocks.freed_count == 0 || byte < heap || byte >= heap + heap_used) {
        return false;
    }
    for (uint64_t i = blocks.allocated_count; i > 0; i--) {
        uint8_t *begin = heap + block_places[i - 1];
        if (byte >= begin) {
            return block_of(begin)->is_freed != 0;
        }
    }
    return false;
}

uint64_t fil_explorer_block_count(void)
{
    return blocks.allocated_count - blocks.freed_count;
}

/** Takes the hole out of the tracked segments. */
static void cut_out(const struct segment *hole)
{
    for (uint32_t i = 0; i < tracked.count; i++) {
        struct segment *whole = &tracked.items[i];
        if (hole->end <= whole->begin || hole->begin >= whole->end) {
            continue;
        }
        struct segment right = {.begin = hole->end, .end = whole->end};
        whole->end = hole->begin > whole->begin ? hole->begin : whole->begin;
        if (right.begin < right.end) {
            add_segment(&tracked, right.begin, right.end);
        }
    }
}

void fil_world__seal(void)
{
    heap_sealed = heap_used;
    add_segment(&tracked, heap, heap + heap_sealed);
    for (uint32_t i = 0; i < ignored.count; i++) {
        cut_out(&ignored.items[i]);
    }
}

uint64_t fil_world__hash(uint64_t seed)
{
    uint64_t hash = seed;
    for (uint32_t i = 0; i < tracked.count; i++) {
        const struct segment *segment = &tracked.items[i];
        hash = fil_explorer__hash(segment->begin, (size_t)(segment->end - segment->begin), hash);
    }
    return fil_explorer__hash(heap + heap_sealed, heap_used - heap_sealed, hash);
}

size_t fil_world__size(void)
{
    size_t size = sizeof(heap_used) + sizeof(blocks) + heap_used - heap_sealed;
    for (uint32_t i = 0; i < tracked.count; i++) {
        size += (size_t)(tracked.items[i].end - tracked.items[i].begin);
    }
    return size;
}

uint8_t *fil_world__save(uint8_t *snapshot)
{
    for (uint32_t i = 0; i < tracked.count; i++) {
        size_t size = (size_t)(tracked.items[i].end - tracked.items[i].begin);
        memcpy(snapshot, tracked.items[i].begin, size);
        snapshot += size;
    }
    memcpy(snapshot, &heap_used, sizeof(heap_used));
    snapshot += sizeof(heap_used);
    memcpy(snapshot, &blocks, sizeof(blocks));
    snapshot += sizeof(blocks);
    memcpy(snapshot, heap + heap_sealed, heap_used - heap_sealed);
    return snapshot + (heap_used - heap_sealed);
}

const uint8_t *fil_world__restore(const uint8_t *snapshot)
{
    for (uint32_t i = 0; i < tracked.count; i++) {
        size_t size = (size_t)(tracked.items[i].end - tracked.items[i].begin);
        memcpy(tracked.items[i].begin, snapshot, size);
        snapshot += size;
    }
    memcpy(&heap_used, snapshot, sizeof(heap_used));
    snapshot += sizeof(heap_used);
    memcpy(&blocks, snapshot, sizeof(blocks));
    snapshot += sizeof(blocks);
    memcpy(heap + heap_sealed, snapshot, heap_used - heap_sealed);
    return snapshot + (heap_used - heap_sealed);
}
