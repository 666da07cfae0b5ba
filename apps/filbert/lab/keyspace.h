// SPDX-License-Identifier: Apache-2.0
/**
 * The data of the lab's models: requests run on the same store, and are answered with the same
 * replies, as in a member.
 *
 * Threads: one at a time; what guards it is the model's business.
 */
#pragma once

#include <stdint.h>

#include "core/store/store.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/mem/budget.h"
#include "lib/net/output.h"
#include "lib/os/env.h"
#include "protocol/resp/decoder.h"

enum lab_verb {
    LAB_VERB_GET,
    LAB_VERB_SET,
    LAB_VERB_BURN, // takes the processor for as long as the value says, in us
    LAB_VERB_UNKNOWN,
};

/** A decoded request; borrows its bytes. */
struct lab_request {
    enum lab_verb verb;
    uint64_t hash;
    struct fil_bytes key;
    struct fil_bytes value;
};

struct lab_keyspace {
    struct fil_env *env;
    struct fil_store store;
};

struct lab_request lab_request_parse(const struct fil_resp_command *command);

/** Which of so many parts of the data the request belongs to. */
static inline uint32_t lab_request_part(const struct lab_request *request, uint32_t part_count)
{
    // High bits choose the part; the store uses the low ones.
    return (uint32_t)(((request->hash >> 32) * part_count) >> 32);
}

void lab_keyspace_init(struct lab_keyspace *keyspace, struct fil_env *env,
                       struct fil_budget *budget);
void lab_keyspace_fini(struct lab_keyspace *keyspace);

/** Runs the request and writes its reply. */
void lab_keyspace_run(struct lab_keyspace *keyspace, const struct lab_request *request,
                      struct fil_output *output);
