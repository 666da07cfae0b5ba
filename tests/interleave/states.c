// SPDX-License-Identifier: Apache-2.0
#include "lib/base/assert.h"
#include "tests/interleave/explorer_internal.h"

#define SLOTS (FIL_EXPLORER_STATES_MAX * 2)

static struct fil_state table[SLOTS];
static uint64_t pass;
static uint64_t state_count;

// States whose continuations are not all known yet, in the order they were reached. Those of a
// circle are closed together, when the first of them is done (Tarjan's components).
static struct fil_state *open_states[FIL_EXPLORER_STATES_MAX];
static uint64_t open_count;

void fil_states__begin_pass(void)
{
    pass++;
    state_count = 0;
    open_count = 0;
}

uint64_t fil_states__count(void)
{
    return state_count;
}

struct fil_state *fil_states__find(uint64_t hash, bool *out_is_new)
{
    for (uint64_t place = hash;; place++) {
        struct fil_state *state = &table[place % SLOTS];
        *out_is_new = state->pass != pass;
        if (*out_is_new) {
            fil_assert(state_count < FIL_EXPLORER_STATES_MAX);
            *state = (struct fil_state){.hash = hash,
                                        .pass = pass,
                                        .number = state_count,
                                        .way = {.lowest = state_count},
                                        .is_open = true};
            state_count++;
            open_states[open_count] = state;
            open_count++;
        }
        if (state->hash == hash) {
            return state;
        }
    }
}

struct fil_way fil_states__way(const struct fil_state *state)
{
    struct fil_way way = state->way;
    way.lowest = state->is_open ? state->number : UINT64_MAX;
    way.schedule_count = state->is_open ? 0 : way.schedule_count;
    return way;
}

void fil_states__add_way(struct fil_state *state, const struct fil_way *way)
{
    state->way.schedule_count += way->schedule_count;
    state->way.can_end = state->way.can_end || way->can_end;
    if (way->lowest < state->way.lowest) {
        state->way.lowest = way->lowest;
    }
}

bool fil_states__close(struct fil_state *state, struct fil_way *out_way)
{
    *out_way = state->way;
    if (state->way.lowest < state->number) {
        return true; // part of a circle that began earlier
    }
    bool can_end = false;
    uint64_t first = open_count;
    do {
        first--;
        can_end = can_end || open_states[first]->way.can_end;
    } while (open_states[first] != state);
    for (uint64_t i = first; i < open_count; i++) {
        open_states[i]->way.can_end = can_end;
        open_states[i]->is_open = false;
    }
    open_count = first;
    *out_way = fil_states__way(state);
    return can_end;
}
