// SPDX-License-Identifier: Apache-2.0
#include "lib/base/sha1.h"

#include <string.h>

#define BLOCK_BYTES 64U
#define WORDS       16U
#define ROUNDS      80U
#define LENGTH_AT   56U // of the message, in its last block

struct state {
    uint32_t words[5];
};

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32U - bits);
}

static uint32_t load(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

static void store(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

/** The function and the constant of a round. */
static uint32_t mix(uint32_t round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20) {
        return ((b & c) | (~b & d)) + 0x5a827999U;
    }
    if (round < 40) {
        return (b ^ c ^ d) + 0x6ed9eba1U;
    }
    if (round < 60) {
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
    }
    return (b ^ c ^ d) + 0xca62c1d6U;
}

static void expand(const uint8_t block[BLOCK_BYTES], uint32_t schedule[ROUNDS])
{
    for (uint32_t i = 0; i < WORDS; i++) {
        schedule[i] = load(block + 4 * (size_t)i);
    }
    for (uint32_t i = WORDS; i < ROUNDS; i++) {
        schedule[i] =
            rotate(schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16], 1);
    }
}

static void take_block(struct state *state, const uint8_t block[BLOCK_BYTES])
{
    uint32_t schedule[ROUNDS];
    expand(block, schedule);
    struct state next = *state;
    uint32_t *word = next.words;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t first =
            rotate(word[0], 5) + mix(i, word[1], word[2], word[3]) + word[4] + schedule[i];
        word[4] = word[3];
        word[3] = word[2];
        word[2] = rotate(word[1], 30);
        word[1] = word[0];
        word[0] = first;
    }
    for (uint32_t i = 0; i < 5; i++) {
        state->words[i] += word[i];
    }
}

/** The end: a bit, zeros, and the length in bits; in one block or two. */
static void take_end(struct state *state, struct fil_bytes rest, uint64_t size)
{
    uint8_t block[BLOCK_BYTES] = {0};
    if (rest.size > 0) {
        memcpy(block, rest.data, rest.size);
    }
    block[rest.size] = 0x80;
    if (rest.size >= LENGTH_AT) {
        take_block(state, block);
        memset(block, 0, sizeof(block));
    }
    store(block + LENGTH_AT, (uint32_t)(size >> 29));
    store(block + LENGTH_AT + 4, (uint32_t)(size << 3));
    take_block(state, block);
}

void fil_sha1(struct fil_bytes bytes, uint8_t out_digest[FIL_SHA1_SIZE])
{
    struct state state = {{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U}};
    size_t done = 0;
    while (bytes.size - done >= BLOCK_BYTES) {
        take_block(&state, bytes.data + done);
        done += BLOCK_BYTES;
    }
    size_t left = bytes.size - done;
    take_end(&state, fil_bytes_make(left == 0 ? NULL : bytes.data + done, left), bytes.size);
    for (size_t i = 0; i < 5; i++) {
        store(out_digest + 4 * i, state.words[i]);
    }
}
