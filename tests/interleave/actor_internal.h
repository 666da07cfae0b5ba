// SPDX-License-Identifier: Apache-2.0
/** Actors: contexts that stop before each step on shared memory, and can be put back in time. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/interleave/explorer.h"

#define FIL_ACTOR_STACK_BYTES 65536U
#define FIL_ACTOR_STORES_MAX  8U
#define FIL_ACTOR_NEVER       UINT64_MAX
#define FIL_ACTOR_LOCALS_MAX  64U
#define FIL_ACTOR_REGISTERS   64U // bytes of them; a signal mask follows that is not used

enum fil_actor_status {
    FIL_ACTOR_ABSENT,
    FIL_ACTOR_RUNNABLE, // stands before its next step
    FIL_ACTOR_ASLEEP,   // until a wake-up or its time
    FIL_ACTOR_WAITING,  // until its condition holds
    FIL_ACTOR_DONE,
};

struct fil_actor_store {
    void *address;
    uint64_t size;
    uint64_t value;
};

/** What tells states apart, besides memory and stack. */
struct fil_actor_state {
    enum fil_actor_status status;
    uint32_t needs_empty_buffer; // its next step drains the store buffer first
    const char *where;           // its next step
    const void *asleep_on;
    uint64_t wake_at_ns;
    uint64_t was_woken; // why the sleep ended: by a wake-up or by its time
    fil_explorer_ready_fn is_ready;
    void *ready_context;
    uint8_t locals[FIL_ACTOR_LOCALS_MAX]; // its thread-local variables while it does not run
    uint64_t store_count;
    struct fil_actor_store stores[FIL_ACTOR_STORES_MAX]; // oldest first
};

struct fil_actor {
    char name[FIL_EXPLORER_NAME_MAX];
    fil_explorer_fn run;
    void *context;
    uint32_t number;
    struct fil_actor_state state;
    jmp_buf machine; // the registers that calls preserve come first
    uint8_t *stack;
    uint8_t *stack_low; // the live part begins here
};

/** Makes an actor that stands before its first instruction. */
void fil_actor__init(struct fil_actor *actor, uint32_t number);

/** Lets the actor run until it stops; its buffered stores are its own view of memory meanwhile. */
void fil_actor__resume(struct fil_actor *actor);

/** The actor that runs; NULL outside. */
struct fil_actor *fil_actor__self(void);

/** On the actor's stack: goes back to whoever resumed it. */
void fil_actor__stop(void);

/** Takes the oldest buffered store to memory. */
void fil_actor__flush(struct fil_actor *actor);

/** Appends to the running actor's buffer. */
void fil_actor__buffer(void *address, size_t size, uint64_t value);

/** Zeroes dead memory; in another file, so that the compiler does not leave it out. */
void fil_actor__clear(uint8_t *memory, size_t size);

/** Live part of the stack. */
static inline size_t fil_actor__stack_size(const struct fil_actor *actor)
{
    return (size_t)(actor->stack + FIL_ACTOR_STACK_BYTES - actor->stack_low);
}
