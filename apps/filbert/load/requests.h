// SPDX-License-Identifier: Apache-2.0
/**
 * Requests with keys of a key space, as a source for a generator: encoded once, and from then on
 * only the digits of their keys are written anew.
 *
 * Which bytes they are says the protocol (protocol.h). A key is "key:" (of counters "cnt:") and its
 * number with leading zeros, or the number alone where the key is too short for both. Values are
 * letters, the same for all keys; counters begin at 0.
 *
 * Threads: one a source.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keys.h"
#include "lib/base/attr.h"
#include "source.h"

#define LOAD_REQUESTS_BYTES_MAX ((uint64_t)256 << 20) // of one batch

enum load_command {
    LOAD_GET,
    LOAD_SET,
    LOAD_INCR,
    LOAD_MGET,
    LOAD_MSET,
    LOAD_MIXED,   // GET and SET, half and half
    LOAD_LPUSH,   // of a list of the key space
    LOAD_RPOP,    // likewise
    LOAD_QUEUE,   // LPUSH and RPOP, half and half
    LOAD_SADD,    // a member of the key space to a set of it
    LOAD_HSET,    // likewise, with a value
    LOAD_ZADD,    // likewise, with a number of it as the score
    LOAD_PREPARE, // sets a counter to 0
    LOAD_COMMAND_COUNT
};

struct load_protocol;

struct load_requests_options {
    const struct load_protocol *protocol; // NULL: RESP
    enum load_command command;
    uint32_t read_share; // of LOAD_MIXED, in percent; 0: half
    const char *path;    // of HTTP; NULL: "/"
    const char *cluster; // of the client protocol; NULL: "dev"
    uint64_t client;     // a number that tells one connection's client from another
    enum load_distribution distribution;
    uint64_t key_count;
    uint32_t key_size; // the largest number must fit
    uint32_t value_size;
    uint32_t key_batch; // keys of one MGET or MSET
    uint32_t pipeline;  // requests of one batch, at most
    uint64_t seed;
};

/** One kind of request: how it is encoded, and what answers it. */
struct load_shape {
    size_t size;
    size_t first_end; // where the digits of its first key end
    size_t stride;    // from there to the next key's
    uint32_t key_count;
    uint32_t key_size; // for who mends it
    struct load_expected expected;
};

struct load_requests {
    const struct load_protocol *protocol;
    uint32_t read_share;
    struct load_keys keys;
    uint32_t digit_count; // of a key that change
    uint32_t pipeline;
    struct load_shape shapes[2];
    uint32_t shape_count;
    uint8_t *models[2]; // one request of each shape; only when they are mixed
    uint8_t *batch;     // room for a whole batch; with one shape only it is ready but for the keys
};

/** How many digits the numbers below count need. */
uint32_t load_requests_digits(uint64_t count);

/** Whether the name is that of a command that can be asked for: "get", "mixed" ... */
bool load_command_parse(const char *name, enum load_command *out_command);
const char *load_command_name(enum load_command command);

/** Whether it is two kinds of requests in turn. */
bool load_command_is_mixed(enum load_command command);

/** The protocol of the options, RESP unless they say. */
const struct load_protocol *load_requests_protocol(const struct load_requests_options *options);

/** How many keys one request has. */
uint32_t load_requests_key_batch(const struct load_requests_options *options);

/** FIL_E_LIMIT when a batch is larger than LOAD_REQUESTS_BYTES_MAX, FIL_E_NOMEM. */
int load_requests_init(struct load_requests *requests, const struct load_requests_options *options)
    FIL_NODISCARD;

void load_requests_fini(struct load_requests *requests);

struct load_source load_requests_source(struct load_requests *requests);
