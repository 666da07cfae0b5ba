// SPDX-License-Identifier: Apache-2.0
#include "lib/net/output.h"

#include "lib/base/assert.h"

enum output_flag {
    FLAG_FREE,
    FLAG_HELD,
    FLAG_NOTED,
};

void fil_output_init(struct fil_output *output)
{
    atomic_init(&output->flag, FLAG_FREE);
    output->pool = NULL;
    fil_chunk_queue_init(&output->queue);
    output->sent_bytes = 0;
    output->error = FIL_OK;
    output->is_blocked = false;
    output->thread = NULL;
}

void fil_output_fini(struct fil_output *output)
{
    fil_assert(!fil_output_is_held(output));
    fil_chunk_queue_clear(&output->queue);
}

/** One attempt; true when the flag has changed from expected to wanted. */
static bool move_flag(struct fil_output *output, uint32_t expected, uint32_t wanted)
{
    // A1, R1: the holder's writes are seen by the next holder; a note is seen with what led to it.
    return atomic_compare_exchange_strong_explicit(&output->flag, &expected, wanted,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

void fil_output_adopt(struct fil_output *output, struct fil_pool *pool)
{
    output->pool = pool;
#ifdef FIL_DEBUG
    output->thread = fil_role_thread();
#endif
}

bool fil_output_acquire(struct fil_output *output, struct fil_pool *pool)
{
    // Lock-free: each failure means that another thread has moved the flag.
    for (;;) {
        if (move_flag(output, FLAG_FREE, FLAG_HELD)) {
            fil_output_adopt(output, pool);
            return true;
        }
        if (move_flag(output, FLAG_HELD, FLAG_NOTED) || move_flag(output, FLAG_NOTED, FLAG_NOTED)) {
            return false;
        }
    }
}

bool fil_output_release(struct fil_output *output)
{
    fil_output_assert_mine(output);
    output->thread = NULL; // while we still may write to it
    if (move_flag(output, FLAG_HELD, FLAG_FREE)) {
        return true;
    }
    bool is_noted = move_flag(output, FLAG_NOTED, FLAG_HELD);
    fil_assert(is_noted);
    fil_output_adopt(output, output->pool);
    return false;
}

bool fil_output_is_held(struct fil_output *output)
{
    return atomic_load_explicit(&output->flag, memory_order_relaxed) != FLAG_FREE;
}

/** One call of send; returns the bytes it took, 0 when the socket is full or broken. */
static size_t send_once(struct fil_output *output, struct fil_env *env, int fd)
{
    struct fil_bytes slices[FIL_SEND_SLICES_MAX];
    uint32_t count = fil_chunk_queue_slices(&output->queue, slices, FIL_SEND_SLICES_MAX);
    size_t offered = 0;
    for (uint32_t i = 0; i < count; i++) {
        offered += slices[i].size;
    }
    int64_t sent = env->ops->send(env, fd, slices, count);
    if (sent < 0) {
        output->is_blocked = sent == FIL_E_AGAIN;
        output->error = output->is_blocked ? FIL_OK : FIL_E_CLOSED;
        return 0;
    }
    fil_assert((size_t)sent <= offered);
    // A short count means a full socket: the next call would only be told to come again.
    output->is_blocked = (size_t)sent < offered;
    fil_chunk_queue_consume(&output->queue, (size_t)sent);
    output->sent_bytes += (size_t)sent;
    return (size_t)sent;
}

size_t fil_output_send(struct fil_output *output, struct fil_env *env, int fd, uint32_t *out_calls)
{
    size_t total = 0;
    fil_output_assert_mine(output);
    *out_calls = 0;
    if (output->queue.is_out_of_memory) {
        output->error = FIL_E_NOMEM;
    }
    while (output->queue.size_bytes > 0 && !output->is_blocked && output->error == FIL_OK) {
        total += send_once(output, env, fd);
        (*out_calls)++;
    }
    return total;
}
