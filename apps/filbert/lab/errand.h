// SPDX-License-Identifier: Apache-2.0
/**
 * A request on its way between two threads of a model, with its words copied and room for its
 * reply. Replies leave in the order of the requests: an errand keeps its place in its wire's line.
 *
 * Memory: taken and given by the thread that owns the wire; in between it belongs to whoever has it
 * in a queue.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "keyspace.h"
#include "lib/base/list.h"
#include "lib/conc/stack.h"
#include "lib/mem/pool.h"
#include "wire.h"

#define LAB_ERRAND_BYTES 192U // for the words of a request
#define LAB_ERRANDS_KEPT 4096U

struct lab_errand {
    struct fil_link link; // in a queue between threads
    struct fil_list line_link;
    struct lab_wire *wire;
    struct lab_request request; // its bytes are in words
    struct fil_output reply;
    bool is_back; // the wire's thread's own: the reply is here
    uint8_t words[LAB_ERRAND_BYTES];
};

/** For the thread that owns wires: where its errands come from. */
void lab_errand_pool_init(struct fil_pool *pool, struct fil_budget *budget);

/** Copies the request and takes the last place in the wire's line. */
struct lab_errand *lab_errand_new(struct fil_pool *pool, struct lab_wire *wire,
                                  const struct lab_request *request);

/** Runs the request; the reply is written to chunks of the pool of the running thread. */
void lab_errand_run(struct lab_errand *errand, struct lab_keyspace *keyspace,
                    struct fil_pool *chunks);

/**
 * On the wire's thread, when the errand has come back: moves the replies at the front of the wire's
 * line to its output. Returns how many.
 */
uint32_t lab_errand_collect(struct lab_errand *errand, struct fil_pool *pool);
