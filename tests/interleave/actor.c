// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <string.h>

#include "lib/base/assert.h"
#include "tests/interleave/actor_internal.h"

#define CLEARED_AT_STOP   4096U // deeper than any call below a step
#define CLEARED_AT_RETURN 2048U

static uint8_t stacks[FIL_EXPLORER_ACTORS_MAX][FIL_ACTOR_STACK_BYTES] __attribute__((aligned(64)));
static ucontext_t resumer;
static struct fil_actor *self;

// What the running actor's buffered stores hide from it.
static uint64_t hidden[FIL_ACTOR_STORES_MAX];

struct fil_actor *fil_actor__self(void)
{
    return self;
}

static void begin(void)
{
    self->run(self->context);
    self->state.status = FIL_ACTOR_DONE;
    fil_actor__stop();
}

static uint8_t *stack_pointer_of(const ucontext_t *machine)
{
#if defined(__x86_64__)
    return (uint8_t *)(uintptr_t)machine->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uint8_t *)(uintptr_t)machine->uc_mcontext.sp;
#else
#error "the explorer does not know this processor's stack pointer"
#endif
}

void fil_actor__init(struct fil_actor *actor, uint32_t number)
{
    fil_assert(number < FIL_EXPLORER_ACTORS_MAX);
    actor->number = number;
    actor->stack = stacks[number];
    memset(actor->stack, 0, FIL_ACTOR_STACK_BYTES);
    memset(&actor->state, 0, sizeof(actor->state));
    actor->state.status = FIL_ACTOR_RUNNABLE;
    int error = getcontext(&actor->machine);
    fil_assert(error == 0);
    actor->machine.uc_stack.ss_sp = actor->stack;
    actor->machine.uc_stack.ss_size = FIL_ACTOR_STACK_BYTES;
    actor->machine.uc_link = NULL;
    makecontext(&actor->machine, begin, 0);
    actor->stack_low = stack_pointer_of(&actor->machine);
}

/** Puts the buffered stores over memory, as their own actor sees it. */
static void apply_view(struct fil_actor *actor)
{
    for (uint64_t i = 0; i < actor->state.store_count; i++) {
        const struct fil_actor_store *store = &actor->state.stores[i];
        hidden[i] = 0;
        memcpy(&hidden[i], store->address, store->size);
        memcpy(store->address, &store->value, store->size);
    }
}

static void undo_view(struct fil_actor *actor)
{
    for (uint64_t i = actor->state.store_count; i > 0; i--) {
        const struct fil_actor_store *store = &actor->state.stores[i - 1];
        memcpy(store->address, &hidden[i - 1], store->size);
    }
}

void fil_actor__buffer(void *address, size_t size, uint64_t value)
{
    fil_assert(self->state.store_count < FIL_ACTOR_STORES_MAX);
    fil_assert(size <= sizeof(value));
    uint64_t index = self->state.store_count;
    self->state.stores[index] =
        (struct fil_actor_store){.address = address, .size = size, .value = value};
    hidden[index] = 0;
    memcpy(&hidden[index], address, size);
    memcpy(address, &value, size);
    self->state.store_count++;
}

void fil_actor__flush(struct fil_actor *actor)
{
    struct fil_actor_state *state = &actor->state;
    fil_assert(state->store_count > 0);
    memcpy(state->stores[0].address, &state->stores[0].value, state->stores[0].size);
    state->store_count--;
    memmove(&state->stores[0], &state->stores[1], state->store_count * sizeof(state->stores[0]));
    memset(&state->stores[state->store_count], 0, sizeof(state->stores[0]));
}

/**
 * Called by explored functions when they return (-finstrument-functions). What the calls below them
 * have left on the stack must not tell states apart when the next calls lie over it.
 */
void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    uint8_t remains[CLEARED_AT_RETURN];
    fil_actor__clear(remains, sizeof(remains));
}

void fil_actor__resume(struct fil_actor *actor)
{
    fil_assert(self == NULL);
    apply_view(actor);
    self = actor;
    (void)swapcontext(&resumer, &actor->machine);
    self = NULL;
    undo_view(actor);
    actor->stack_low = stack_pointer_of(&actor->machine);
    fil_actor__clear(actor->stack_low - CLEARED_AT_STOP, CLEARED_AT_STOP);
}

void fil_actor__stop(void)
{
    // Puts the registers that calls preserve on the stack, where they are compared.
    jmp_buf registers;
    memset(&registers, 0, sizeof(registers));
    (void)setjmp(registers);
    (void)swapcontext(&self->machine, &resumer);
}
