// SPDX-License-Identifier: Apache-2.0
/**
 * Random messages for tests, made from the layouts: any field may have any value of its type.
 *
 * What a sample gives out lives until it is reset. Comparing decodes every part down to its last
 * item, so that a value lost on the way is found wherever it stood.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/bytes.h"
#include "lib/base/prng.h"
#include "lib/mem/budget.h"
#include "lib/mem/chunk.h"
#include "protocol/client/codec.h"

struct wire_sample {
    struct fil_arena arena;
    struct fil_prng prng;
    struct fil_budget budget;
    struct fil_pool pool;
    struct fil_chunk_queue queue;
    struct fil_wire_writer writer;
};

void wire_sample_init(struct wire_sample *sample, uint64_t seed);
void wire_sample_fini(struct wire_sample *sample);

/** Forgets all it has given out. */
void wire_sample_reset(struct wire_sample *sample);

/** A random struct of the layout. */
void *wire_sample_fields(struct wire_sample *sample, const struct fil_wire_layout *layout);

/** Random data, not null, whose payload has up to 20 bytes. */
struct fil_bytes wire_sample_data(struct wire_sample *sample);

/** What the queue holds, in one piece; the queue is empty afterwards. */
struct fil_bytes wire_sample_take(struct wire_sample *sample);

/** The message in one piece. */
struct fil_bytes wire_sample_encode(struct wire_sample *sample,
                                    const struct fil_wire_layout *layout, const void *fields);

/** Fails the test when the decoded struct is not the one that was encoded. */
void wire_sample_assert_equal(struct wire_sample *sample, const struct fil_wire_layout *layout,
                              const void *expected, const void *decoded);

typedef void (*wire_layout_fn)(struct wire_sample *sample, const struct fil_wire_layout *layout);

/** Calls the function with every request, response and event there is. */
uint32_t wire_sample_each_layout(struct wire_sample *sample, wire_layout_fn function);
