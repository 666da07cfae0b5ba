// SPDX-License-Identifier: Apache-2.0
/**
 * A connection as the lab's models see it: receives, decodes all complete requests, sends replies.
 *
 * Threads: one thread a wire.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keyspace.h"
#include "lib/base/list.h"
#include "lib/mem/pool.h"
#include "lib/net/output.h"
#include "lib/os/env.h"
#include "protocol/resp/decoder.h"

#define LAB_WIRE_BYTES 65536U

struct lab_model;

struct lab_wire {
    struct fil_env *env;
    struct lab_model *model;
    void *context; // whose it is, for the model
    int fd;        // -1 when it has ended
    struct fil_resp_decoder decoder;
    struct fil_output output;
    struct fil_list line;      // errands whose replies are still to be sent, in order
    struct fil_list turn_link; // of those to flush at the end of the turn
    size_t input_size;
    uint8_t input[LAB_WIRE_BYTES];
};

typedef void (*lab_wire_fn)(struct lab_wire *wire, const struct lab_request *request);

/** Takes the descriptor. */
void lab_wire_init(struct lab_wire *wire, struct lab_model *model, int fd);

/** Closes what is open; the chunks of its output go home. */
void lab_wire_fini(struct lab_wire *wire);

/** Receives once and gives each complete request to handle. False when the client is gone. */
bool lab_wire_receive(struct lab_wire *wire, lab_wire_fn handle);

/** Sends the output in one call. */
void lab_wire_flush(struct lab_wire *wire);
