// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>

#include "lib/base/assert.h"
#include "tests/interleave/actor_internal.h"
#include "tests/interleave/explored_atomic.h"

#define CLEARED_AT_STOP   1024U // deeper than any call below a step
#define CLEARED_AT_RETURN 512U
#define BELOW_FRAME       64U // how far the stack of stop may reach below its frame

static uint8_t stacks[FIL_EXPLORER_ACTORS_MAX][FIL_ACTOR_STACK_BYTES] __attribute__((aligned(64)));
static jmp_buf resumer;
static struct fil_actor *self;

// Where explored copies have their thread-local variables (rewrite.cmake). Whoever runs finds its
// own there; the linker knows the bounds.
extern uint8_t __start_explored_local[] __attribute__((weak));
extern uint8_t __stop_explored_local[] __attribute__((weak));
static uint8_t resumer_locals[FIL_ACTOR_LOCALS_MAX];
static char tokens[FIL_EXPLORER_ACTORS_MAX + 1];

// What the running actor's buffered stores hide from it.
static uint64_t hidden[FIL_ACTOR_STORES_MAX];

struct fil_actor *fil_actor__self(void)
{
    return self;
}

char *fil_explored_self(void)
{
    return self == NULL ? &tokens[FIL_EXPLORER_ACTORS_MAX] : &tokens[self->number];
}

/** Puts the present thread-local variables away and the others in their place. */
static void change_locals(uint8_t *away, const uint8_t *in_place)
{
    size_t size = (size_t)(__stop_explored_local - __start_explored_local);
    fil_assert(size <= FIL_ACTOR_LOCALS_MAX);
    if (size > 0) {
        memcpy(away, __start_explored_local, size);
        memcpy(__start_explored_local, in_place, size);
    }
}

static void begin(void)
{
    fil_actor__stop(); // until its first turn
    self->run(self->context);
    self->state.status = FIL_ACTOR_DONE;
    fil_actor__stop();
}

void fil_actor__init(struct fil_actor *actor, uint32_t number)
{
    fil_assert(number < FIL_EXPLORER_ACTORS_MAX);
    actor->number = number;
    actor->stack = stacks[number];
    memset(actor->stack, 0, FIL_ACTOR_STACK_BYTES);
    memset(&actor->state, 0, sizeof(actor->state));
    memset(&actor->machine, 0, sizeof(actor->machine));
    actor->state.status = FIL_ACTOR_RUNNABLE;
    static ucontext_t birth;
    int error = getcontext(&birth);
    fil_assert(error == 0);
    birth.uc_stack.ss_sp = actor->stack;
    birth.uc_stack.ss_size = FIL_ACTOR_STACK_BYTES;
    birth.uc_link = NULL;
    makecontext(&birth, begin, 0);
    self = actor;
    // Contexts change the signal mask with each switch, a system call; jumps do not.
    if (_setjmp(resumer) == 0) {
        (void)setcontext(&birth);
    }
    self = NULL;
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
    change_locals(resumer_locals, actor->state.locals);
    self = actor;
    if (_setjmp(resumer) == 0) {
        _longjmp(actor->machine, 1);
    }
    self = NULL;
    change_locals(actor->state.locals, resumer_locals);
    undo_view(actor);
    fil_actor__clear(actor->stack_low - CLEARED_AT_STOP, CLEARED_AT_STOP);
}

void fil_actor__stop(void)
{
    self->stack_low = (uint8_t *)__builtin_frame_address(0) - BELOW_FRAME;
    if (_setjmp(self->machine) == 0) {
        _longjmp(resumer, 1);
    }
}
