// SPDX-License-Identifier: Apache-2.0
/**
 * What explored code gets in the place of the heap, futexes, mutexes and threads of lib/base and
 * lib/os: the explorer's own, which can be put back in time.
 */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"
#include "lib/os/futex.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"
#include "tests/interleave/explored_atomic.h"
#include "tests/interleave/explorer_internal.h"

#define ALIGNMENT 16U

// The bodies below are where the annotations of mutexes become true.
#define NO_ANALYSIS FIL_TSA(no_thread_safety_analysis)

void fil_free(void *memory)
{
    if (memory != NULL) {
        fil_world__free(memory);
    }
}

void *fil_alloc(size_t size)
{
    return fil_world__alloc(ALIGNMENT, size);
}

void *fil_alloc_zero(size_t count, size_t size)
{
    return fil_world__alloc(ALIGNMENT, count * size);
}

void *fil_alloc_aligned(size_t alignment, size_t size)
{
    return fil_world__alloc(alignment, size);
}

void *fil_realloc(void *memory, size_t size)
{
    void *moved = fil_world__alloc(ALIGNMENT, size);
    if (memory != NULL) {
        size_t old_size = fil_world__block_size(memory);
        memcpy(moved, memory, old_size < size ? old_size : size);
        fil_world__free(memory);
    }
    return moved;
}

int fil_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    fil_explored_before_update(word, "(futex wait)");
    if (atomic_load_explicit(word, memory_order_relaxed) != expected) {
        return FIL_E_AGAIN;
    }
    uint64_t wake_at_ns = timeout_ns == FIL_WAIT_FOREVER
                              ? FIL_ACTOR_NEVER
                              : fil_explorer_now_ns() + (uint64_t)timeout_ns;
    return fil_explorer__sleep(word, wake_at_ns) ? FIL_OK : FIL_E_TIMEOUT;
}

void fil_futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    fil_assert(count >= 1);
    fil_explored_before_update(word, "(futex wake)");
    fil_explorer__wake(word);
}

// A mutex is the first word of its memory: 1 while somebody holds it.

static uint32_t *word_of(struct fil_mutex *mutex)
{
    return (uint32_t *)&mutex->handle;
}

static bool is_free(void *context)
{
    return *(const uint32_t *)context == 0;
}

void fil_mutex_init(struct fil_mutex *mutex)
{
    *word_of(mutex) = 0;
}

void fil_mutex_fini(struct fil_mutex *mutex)
{
    fil_assert(is_free(word_of(mutex)));
}

NO_ANALYSIS bool fil_mutex_try_lock(struct fil_mutex *mutex)
{
    uint32_t *word = word_of(mutex);
    fil_explored_before_update(word, "(try lock)");
    bool was_free = is_free(word);
    *word = 1;
    return was_free;
}

NO_ANALYSIS void fil_mutex_lock(struct fil_mutex *mutex)
{
    while (!fil_mutex_try_lock(mutex)) {
        fil_explorer_wait_until(is_free, word_of(mutex));
    }
}

NO_ANALYSIS void fil_mutex_unlock(struct fil_mutex *mutex)
{
    fil_explored_before_update(word_of(mutex), "(unlock)");
    *word_of(mutex) = 0;
}

static void run_thread(void *context)
{
    struct fil_thread *thread = context;
    thread->entry(thread->context);
}

/** Threads are started by set_up. */
int fil_thread_start_with(struct fil_thread *thread, const struct fil_thread_options *options)
{
    fil_assert(fil_actor__self() == NULL);
    thread->entry = options->entry;
    thread->context = options->context;
    (void)snprintf(thread->name, sizeof(thread->name), "%s", options->name);
    thread->is_started = true;
    // The handle tells which actor it is.
    thread->handle = (pthread_t)fil_explorer_add(options->name, run_thread, thread);
    return FIL_OK;
}

static bool has_ended(void *context)
{
    const struct fil_actor_state *state = &fil_explorer__actor(*(uint32_t *)context)->state;
    return state->status == FIL_ACTOR_DONE && state->store_count == 0;
}

void fil_thread_join(struct fil_thread *thread)
{
    fil_assert(thread->is_started);
    uint32_t number = (uint32_t)thread->handle;
    fil_explorer_wait_until(has_ended, &number);
    thread->is_started = false;
}

void fil_thread_yield(void)
{
    fil_explorer__give_way();
}
