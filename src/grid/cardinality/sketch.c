// SPDX-License-Identifier: Apache-2.0
#include "grid/cardinality/sketch.h"

#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/endian.h"

#define FORM_AT     4U // where the form stands
#define FORM_DENSE  0U
#define FORM_SPARSE 2U // Redis's has 1
#define COUNTED_AT  15U
#define NOT_COUNTED 0x80U
#define RANK_BITS   6U
#define RANK_MASK   ((1U << RANK_BITS) - 1)
#define INDEX_BITS  14U

const uint8_t fil_sketch_empty[FIL_SKETCH_HEAD] = {
    'H', 'Y', 'L', 'L', [FORM_AT] = FORM_SPARSE, [COUNTED_AT] = NOT_COUNTED};

static bool is_dense(struct fil_bytes sketch)
{
    fil_assert(sketch.size >= FIL_SKETCH_HEAD);
    return sketch.data[FORM_AT] == FORM_DENSE;
}

bool fil_sketch_is_sound(struct fil_bytes sketch)
{
    if (sketch.size < FIL_SKETCH_HEAD || memcmp(sketch.data, fil_sketch_empty, FORM_AT) != 0) {
        return false;
    }
    size_t body = sketch.size - FIL_SKETCH_HEAD;
    if (is_dense(sketch)) {
        return sketch.size == FIL_SKETCH_DENSE_BYTES;
    }
    return sketch.data[FORM_AT] == FORM_SPARSE && body % FIL_SKETCH_ENTRY_BYTES == 0 &&
           body / FIL_SKETCH_ENTRY_BYTES <= FIL_SKETCH_SPARSE_MAX;
}

// Hashing.

#define MURMUR_SEED  UINT64_C(0xADC83B19)
#define MURMUR_MIX   UINT64_C(0xC6A4A7935BD1E995)
#define MURMUR_SHIFT 47U

static uint64_t stir(uint64_t word)
{
    word *= MURMUR_MIX;
    return (word ^ word >> MURMUR_SHIFT) * MURMUR_MIX;
}

/** Murmur2 of 64 bits, with the seed that all sketches share. */
static uint64_t hash_of(struct fil_bytes thing)
{
    uint64_t hash = MURMUR_SEED ^ thing.size * MURMUR_MIX;
    size_t whole = thing.size / 8 * 8;
    for (size_t i = 0; i < whole; i += 8) {
        hash = (hash ^ stir(fil_load_u64_le(thing.data + i))) * MURMUR_MIX;
    }
    if (whole < thing.size) {
        uint64_t rest = 0;
        for (size_t i = thing.size; i > whole; i--) {
            rest = rest << 8 | thing.data[i - 1];
        }
        hash = (hash ^ rest) * MURMUR_MIX;
    }
    hash = (hash ^ hash >> MURMUR_SHIFT) * MURMUR_MIX;
    return hash ^ hash >> MURMUR_SHIFT;
}

struct fil_sketch_mark fil_sketch_mark_of(struct fil_bytes thing)
{
    uint64_t hash = hash_of(thing);
    uint64_t rest = hash >> INDEX_BITS | UINT64_C(1) << (64 - INDEX_BITS);
    return (struct fil_sketch_mark){
        .index = (uint32_t)hash & (FIL_HLL_REGISTERS - 1),
        .rank = (uint32_t)__builtin_ctzll(rest) + 1,
    };
}

// Registers of six bits, the first in the lowest bits of the first byte.

static uint32_t read_dense(const uint8_t *sketch, uint32_t index)
{
    fil_assert(index < FIL_HLL_REGISTERS);
    const uint8_t *four = sketch + FIL_SKETCH_HEAD + (size_t)(index / 4) * 3;
    uint32_t bits = four[0] | (uint32_t)four[1] << 8 | (uint32_t)four[2] << 16;
    return bits >> (index % 4 * RANK_BITS) & RANK_MASK;
}

static void write_dense(uint8_t *sketch, uint32_t index, uint32_t rank)
{
    fil_assert(index < FIL_HLL_REGISTERS && rank <= RANK_MASK);
    uint8_t *four = sketch + FIL_SKETCH_HEAD + (size_t)(index / 4) * 3;
    uint32_t shift = index % 4 * RANK_BITS;
    uint32_t bits = four[0] | (uint32_t)four[1] << 8 | (uint32_t)four[2] << 16;
    bits = (bits & ~(RANK_MASK << shift)) | rank << shift;
    four[0] = (uint8_t)bits;
    four[1] = (uint8_t)(bits >> 8);
    four[2] = (uint8_t)(bits >> 16);
}

// Registers that are not 0.

static uint32_t entry_count(size_t size)
{
    return (uint32_t)((size - FIL_SKETCH_HEAD) / FIL_SKETCH_ENTRY_BYTES);
}

static struct fil_sketch_mark entry_at(const uint8_t *sketch, uint32_t place)
{
    const uint8_t *at = sketch + FIL_SKETCH_HEAD + (size_t)place * FIL_SKETCH_ENTRY_BYTES;
    uint32_t bits = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
    uint32_t rank = bits & RANK_MASK;
    return (struct fil_sketch_mark){
        .index = bits >> RANK_BITS & (FIL_HLL_REGISTERS - 1),
        .rank = rank < FIL_HLL_RANK_MAX ? rank : FIL_HLL_RANK_MAX,
    };
}

static void write_entry(uint8_t *sketch, uint32_t place, struct fil_sketch_mark mark)
{
    uint8_t *at = sketch + FIL_SKETCH_HEAD + (size_t)place * FIL_SKETCH_ENTRY_BYTES;
    uint32_t bits = mark.index << RANK_BITS | mark.rank;
    at[0] = (uint8_t)(bits >> 16);
    at[1] = (uint8_t)(bits >> 8);
    at[2] = (uint8_t)bits;
}

/** Where the register is or would be; whether it is there. */
static bool find_entry(const uint8_t *sketch, uint32_t count, uint32_t index, uint32_t *out_place)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (entry_at(sketch, middle).index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *out_place = low;
    return low < count && entry_at(sketch, low).index == index;
}

// Adding.

size_t fil_sketch_room(struct fil_bytes sketch, struct fil_sketch_mark mark)
{
    uint32_t place = 0;
    if (is_dense(sketch)) {
        return read_dense(sketch.data, mark.index) < mark.rank ? sketch.size : 0;
    }
    uint32_t count = entry_count(sketch.size);
    if (find_entry(sketch.data, count, mark.index, &place)) {
        return entry_at(sketch.data, place).rank < mark.rank ? sketch.size : 0;
    }
    return count == FIL_SKETCH_SPARSE_MAX ? FIL_SKETCH_DENSE_BYTES
                                          : sketch.size + FIL_SKETCH_ENTRY_BYTES;
}

/** From entries to registers, in the same place. */
static void densify(uint8_t *sketch, size_t old_size)
{
    uint8_t entries[FIL_SKETCH_SPARSE_MAX * FIL_SKETCH_ENTRY_BYTES + FIL_SKETCH_HEAD];
    fil_assert(old_size <= sizeof(entries));
    memcpy(entries, sketch, old_size);
    memset(sketch + FIL_SKETCH_HEAD, 0, FIL_SKETCH_DENSE_BYTES - FIL_SKETCH_HEAD);
    sketch[FORM_AT] = FORM_DENSE;
    for (uint32_t i = 0; i < entry_count(old_size); i++) {
        struct fil_sketch_mark mark = entry_at(entries, i);
        write_dense(sketch, mark.index, mark.rank);
    }
}

static void insert(uint8_t *sketch, size_t old_size, struct fil_sketch_mark mark)
{
    uint32_t place = 0;
    uint32_t count = entry_count(old_size);
    fil_assert(count < FIL_SKETCH_SPARSE_MAX);
    if (!find_entry(sketch, count, mark.index, &place)) {
        uint8_t *at = sketch + FIL_SKETCH_HEAD + (size_t)place * FIL_SKETCH_ENTRY_BYTES;
        memmove(at + FIL_SKETCH_ENTRY_BYTES, at, (size_t)(count - place) * FIL_SKETCH_ENTRY_BYTES);
    }
    write_entry(sketch, place, mark);
}

void fil_sketch_add(uint8_t *sketch, size_t old_size, size_t size, struct fil_sketch_mark mark)
{
    uint32_t place = 0;
    fil_assert(size >= old_size && mark.rank <= FIL_HLL_RANK_MAX);
    sketch[COUNTED_AT] = NOT_COUNTED; // what Redis has counted before does not hold any more
    if (size == FIL_SKETCH_DENSE_BYTES && old_size < size) {
        densify(sketch, old_size);
    }
    if (sketch[FORM_AT] == FORM_DENSE) {
        write_dense(sketch, mark.index, mark.rank);
    } else if (size > old_size) {
        insert(sketch, old_size, mark);
    } else if (find_entry(sketch, entry_count(size), mark.index, &place)) {
        write_entry(sketch, place, mark);
    }
}

// Counting.

void fil_sketch_merge(struct fil_bytes sketch, uint8_t ranks[FIL_HLL_REGISTERS])
{
    bool has_all = is_dense(sketch);
    uint32_t count = has_all ? FIL_HLL_REGISTERS : entry_count(sketch.size);
    for (uint32_t i = 0; i < count; i++) {
        struct fil_sketch_mark mark = {.index = i};
        if (has_all) {
            uint32_t rank = read_dense(sketch.data, i);
            mark.rank = rank < FIL_HLL_RANK_MAX ? rank : FIL_HLL_RANK_MAX;
        } else {
            mark = entry_at(sketch.data, i);
        }
        if (mark.rank > ranks[mark.index]) {
            ranks[mark.index] = (uint8_t)mark.rank;
        }
    }
}

uint64_t fil_sketch_estimate(struct fil_bytes sketch)
{
    uint8_t ranks[FIL_HLL_REGISTERS] = {0};
    fil_sketch_merge(sketch, ranks);
    return fil_sketch_estimate_merged(ranks);
}

uint64_t fil_sketch_estimate_merged(const uint8_t ranks[FIL_HLL_REGISTERS])
{
    uint32_t counts[FIL_HLL_RANK_MAX + 1] = {0};
    for (uint32_t i = 0; i < FIL_HLL_REGISTERS; i++) {
        fil_assert(ranks[i] <= FIL_HLL_RANK_MAX);
        counts[ranks[i]]++;
    }
    return fil_hll_estimate_ranks(counts);
}

size_t fil_sketch_encode(const uint8_t ranks[FIL_HLL_REGISTERS],
                         uint8_t room[FIL_SKETCH_DENSE_BYTES])
{
    uint32_t count = 0;
    memset(room, 0, FIL_SKETCH_DENSE_BYTES);
    memcpy(room, fil_sketch_empty, FIL_SKETCH_HEAD);
    for (uint32_t i = 0; i < FIL_HLL_REGISTERS; i++) {
        count += ranks[i] > 0;
    }
    bool has_all = count > FIL_SKETCH_SPARSE_MAX;
    room[FORM_AT] = has_all ? FORM_DENSE : FORM_SPARSE;
    uint32_t place = 0;
    for (uint32_t i = 0; i < FIL_HLL_REGISTERS; i++) {
        if (has_all) {
            write_dense(room, i, ranks[i]);
        } else if (ranks[i] > 0) {
            write_entry(room, place, (struct fil_sketch_mark){.index = i, .rank = ranks[i]});
            place++;
        }
    }
    return has_all ? FIL_SKETCH_DENSE_BYTES
                   : FIL_SKETCH_HEAD + (size_t)count * FIL_SKETCH_ENTRY_BYTES;
}
