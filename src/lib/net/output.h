// SPDX-License-Identifier: Apache-2.0
/**
 * A connection's output side: bytes on their way to the socket, and the right to write them.
 *
 * The flag says who may touch the output. Whoever acquires it appends and sends; whoever fails
 * leaves a note, and the holder looks again before it lets go:
 *
 *            acquire              acquire by others (fails, leaves a note)
 *     free ------------> held ------------------------------------------> noted
 *      ^                  |  ^                                              |
 *      +---- release -----+  +---- release (refused: look again) -----------+
 *
 * Progress: acquire and release are lock-free; nobody ever waits for the holder.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/chunk.h"
#include "lib/os/env.h"

struct fil_output {
    // Shared.
    _Atomic uint32_t flag;

    // The holder's own.
    struct fil_pool *pool; // of the holding thread
    struct fil_chunk_queue queue;
    uint64_t sent_bytes; // that the socket has taken, over all its time
    int error;           // sticky: why nothing can be sent any more
    bool is_blocked;     // the socket takes no more for now
    const void *thread;  // debug builds: the holder's fil_role_thread; NULL: nobody's
};

void fil_output_init(struct fil_output *output);

/** The flag must be free. */
void fil_output_fini(struct fil_output *output);

/** Tries to become the holder, with the calling thread's chunk pool. False: a note was left. */
FIL_ANY_THREAD bool fil_output_acquire(struct fil_output *output, struct fil_pool *pool)
    FIL_NODISCARD;

/** Holder. False when a note was left meanwhile: the flag is still held, look again. */
FIL_HOLDS_WRITER bool fil_output_release(struct fil_output *output) FIL_NODISCARD;

/** The flag was held by another thread, which has passed it on: the calling one is the holder. */
FIL_HOLDS_WRITER void fil_output_adopt(struct fil_output *output, struct fil_pool *pool);

/** Asserts in debug builds that no other thread is the holder. */
FIL_HOLDS_WRITER static inline void fil_output_assert_mine(const struct fil_output *output)
{
#ifdef FIL_DEBUG
    fil_assert(output->thread == NULL || output->thread == fil_role_thread());
#else
    (void)output;
#endif
}

/** Whether somebody holds the flag; for assertions. */
FIL_ANY_THREAD bool fil_output_is_held(struct fil_output *output);

/** Holder: room for size contiguous bytes; NULL when memory is out (then error is set). */
FIL_HOLDS_WRITER static inline uint8_t *fil_output_reserve(struct fil_output *output, size_t size)
{
    fil_output_assert_mine(output);
    return fil_chunk_queue_reserve(&output->queue, output->pool, size);
}

/** Holder, after a reserve that was refused: the room from another budget. NULL: as before. */
FIL_HOLDS_WRITER static inline uint8_t *fil_output_borrow(struct fil_output *output,
                                                          struct fil_budget *lender, size_t size)
{
    fil_output_assert_mine(output);
    return fil_chunk_queue_borrow(&output->queue, output->pool, lender, size);
}

/** Holder: takes the first size reserved bytes as written. */
FIL_HOLDS_WRITER static inline void fil_output_commit(struct fil_output *output, size_t size)
{
    fil_output_assert_mine(output);
    fil_chunk_queue_commit(&output->queue, size);
}

/** Holder. */
FIL_HOLDS_WRITER static inline void fil_output_append(struct fil_output *output,
                                                      struct fil_bytes bytes)
{
    fil_output_assert_mine(output);
    fil_chunk_queue_append(&output->queue, output->pool, bytes);
}

/**
 * Holder: sends what the socket takes. Returns the bytes sent; sets is_blocked when some are left
 * and error when the connection is of no use any more.
 */
FIL_HOLDS_WRITER size_t fil_output_send(struct fil_output *output, struct fil_env *env, int fd,
                                        uint32_t *out_calls);
