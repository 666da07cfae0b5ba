// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzes RESP: the decoder alone, then a server with a map on a simulated network.
 *
 * What must hold for any bytes: a stream decoded at once, byte by byte, or in pieces of random size
 * at moving addresses gives the same commands and the same error at the same place; every argument
 * lies inside the bytes or the decoder's own text; no command is longer than its limit. A client
 * that sends the same bytes at once and in pieces gets the same replies, and nothing is left open.
 *
 * The limits are small, so that a small input can reach each of them.
 */
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "protocol/resp/decoder.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define BULK_MAX          200U
#define COMMAND_MAX       500U
#define SESSION_BYTES_MAX 4096U
#define RECEIVED_MAX      (128U * 1024U)

/** What decoding a stream came to. */
struct outcome {
    uint64_t digest;
    uint32_t command_count;
    int result;
    size_t consumed;
    char problem[96];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void digest_bytes(struct outcome *outcome, struct fil_bytes bytes)
{
    uint64_t size = bytes.size;
    outcome->digest = fil_hash(fil_bytes_make(&size, sizeof(size)), outcome->digest);
    outcome->digest = fil_hash(bytes, outcome->digest);
}

static void digest_command(struct outcome *outcome, const struct fil_resp_decoder *decoder,
                           const struct fil_resp_command *command, struct fil_bytes bytes,
                           size_t size)
{
    fil_assert(command->count > 0);
    fil_assert(decoder->text != NULL || decoder->position <= COMMAND_MAX);
    for (uint32_t i = 0; i < command->count; i++) {
        struct fil_bytes word = fil_resp_argument(command, i);
        if (decoder->text == NULL) {
            fil_assert(word.data >= bytes.data);
            fil_assert(word.data + word.size <= bytes.data + size);
            fil_assert(word.size <= BULK_MAX);
        }
        digest_bytes(outcome, word);
    }
    outcome->command_count++;
    digest_bytes(outcome, fil_bytes_make(&command->count, sizeof(command->count)));
}

/** Decodes from a block of exactly the right size, so that a look beyond it is seen. */
static int decode_block(struct fil_resp_decoder *decoder, struct fil_bytes bytes, size_t *out_size,
                        struct outcome *outcome)
{
    struct fil_resp_command command;
    uint8_t *block = fil_alloc(bytes.size == 0 ? 1 : bytes.size);
    fil_assert(block != NULL);
    if (bytes.size > 0) {
        memcpy(block, bytes.data, bytes.size);
    }
    struct fil_bytes moved = fil_bytes_make(block, bytes.size);
    int error = fil_resp_decode(decoder, moved, &command, out_size);
    fil_assert(*out_size <= bytes.size);
    if (error == FIL_OK) {
        digest_command(outcome, decoder, &command, moved, *out_size);
    } else if (error == FIL_E_AGAIN) {
        size_t expected = fil_resp_decoder_expected(decoder);
        fil_assert(expected == 0 || expected > bytes.size - *out_size);
        fil_assert(expected <= COMMAND_MAX);
    }
    fil_free(block);
    return error;
}

/** Pieces of up to piece_max bytes, drawn from the seed. */
static void decode_stream(struct fil_bytes input, size_t piece_max, uint64_t seed,
                          struct outcome *out_outcome)
{
    struct fil_resp_decoder decoder;
    struct fil_prng prng;
    size_t end = 0;
    int error = FIL_E_AGAIN;
    *out_outcome = (struct outcome){0};
    fil_prng_init(&prng, seed);
    fil_resp_decoder_init(&decoder, BULK_MAX, COMMAND_MAX);
    while (error == FIL_OK || (error == FIL_E_AGAIN && end < input.size)) {
        if (error == FIL_E_AGAIN) {
            size_t step = 1 + fil_prng_below(&prng, piece_max);
            end = step < input.size - end ? end + step : input.size;
        }
        size_t begin = out_outcome->consumed;
        size_t size = 0;
        error = decode_block(&decoder, fil_bytes_make(input.data + begin, end - begin), &size,
                             out_outcome);
        out_outcome->consumed += size;
    }
    out_outcome->result = error;
    if (error != FIL_E_AGAIN) {
        memcpy(out_outcome->problem, decoder.problem, sizeof(decoder.problem));
        fil_assert(memchr(decoder.problem, '\0', sizeof(decoder.problem)) != NULL);
    }
    fil_resp_decoder_fini(&decoder);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
    fil_assert(a->result == b->result);
    fil_assert(a->command_count == b->command_count);
    fil_assert(a->digest == b->digest);
    fil_assert(a->consumed == b->consumed);
    fil_assert(strcmp(a->problem, b->problem) == 0);
}

static void fuzz_decoder(struct fil_bytes input, uint64_t seed)
{
    struct outcome whole;
    struct outcome pieces;
    decode_stream(input, SIZE_MAX / 2, seed, &whole);
    decode_stream(input, 1, seed, &pieces);
    assert_same(&whole, &pieces);
    decode_stream(input, 30, seed, &pieces);
    assert_same(&whole, &pieces);
}

// The server.

static struct resp_world world;

/** Sends the input in pieces of that size, 0 for at once; returns a digest of the replies. */
static uint64_t run_session(struct fil_bytes input, uint64_t piece)
{
    static const struct fil_sim_options network = {.connections_max = 2,
                                                   .buffer_bytes = {.min = 8192, .max = 8192}};
    resp_world_init(&world);
    world.net.network = &network;
    world.net.limits.frame_bytes_max = COMMAND_MAX;
    world.net.limits.output_bytes_max = 1000;
    world.net.client_options = (struct fil_sim_client_options){
        .send_bytes_max = SESSION_BYTES_MAX,
        .receive_bytes_max = RECEIVED_MAX,
        .fragment_bytes = {.min = piece, .max = piece},
    };
    resp_world_open(&world, 100000);
    struct fil_sim_client *client = net_world_client(&world.net);
    fil_sim_client_send(client, input);
    fil_sim_client_finish(client);
    net_world_run(&world.net);
    struct fil_bytes received = fil_sim_client_received(client);
    bool is_whole = received.size < RECEIVED_MAX;
    fil_assert(!is_whole || client->state == FIL_SIM_CLIENT_ENDED);
    uint64_t digest = fil_hash(received, received.size);
    resp_world_close(&world);
    return digest;
}

/** INFO tells of the process's memory, which is not the same twice. */
static bool asks_for_info(struct fil_bytes input)
{
    for (size_t i = 0; i + 4 <= input.size; i++) {
        if (fil_bytes_equal_nocase(fil_bytes_make(input.data + i, 4), fil_bytes_of("info"))) {
            return true;
        }
    }
    return false;
}

static void fuzz_session(struct fil_bytes input)
{
    if (input.size == 0 || input.size > SESSION_BYTES_MAX) {
        return;
    }
    uint64_t whole = run_session(input, 0);
    uint64_t pieces = run_session(input, 1 + whole % 50);
    fil_assert(whole == pieces || asks_for_info(input));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_bytes input = fil_bytes_make(data, size);
    fuzz_decoder(input, fil_hash(input, 1));
    fuzz_session(input);
    return 0;
}
