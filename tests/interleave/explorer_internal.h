// SPDX-License-Identifier: Apache-2.0
/** What the explorer's files share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/interleave/actor_internal.h"
#include "tests/interleave/explorer.h"

// memory.c: the world that is put back in time.

/** Forgets the heap and what was tracked. */
void fil_world__clear(void);

/** After set_up: fixes what is tracked. */
void fil_world__seal(void);

/** Zeroed memory on the heap, at a place that no other block has in this schedule. */
void *fil_world__alloc(size_t alignment, size_t size);

/** The block is poisoned and never used again; a second time fails. */
void fil_world__free(void *memory);

/** What was asked for when the block was allocated. */
size_t fil_world__block_size(void *memory);

/** Whether the place is in a block that has been freed. */
bool fil_world__is_freed(const void *place);

/** Hash of the tracked memory. */
uint64_t fil_world__hash(uint64_t seed);

/** Bytes that a snapshot takes now; save and restore return the end of it. */
size_t fil_world__size(void);
uint8_t *fil_world__save(uint8_t *snapshot);
const uint8_t *fil_world__restore(const uint8_t *snapshot);

// hash.c

/** Of states, to tell them apart. */
uint64_t fil_explorer__hash(const void *memory, size_t size, uint64_t seed);

// sharing.c: which places in memory more than one actor uses.

/** Forgets all places. */
void fil_sharing__clear(void);

/** An actor is about to use the place; returns whether it is shared, that is, a step. */
bool fil_sharing__note(const void *place, uint32_t actor, bool is_write);

/** Whether a place turned out to be shared after it had been passed over as private. */
bool fil_sharing__take_surprise(void);

uint32_t fil_sharing__count(void);

// states.c: the states that were reached, and what lies behind them.

/** What one continuation, or all of a state's, lead to. */
struct fil_way {
    double schedule_count; // how many schedules end on it
    uint64_t lowest;       // the earliest open state it comes back to; UINT64_MAX: none
    bool can_end;
};

struct fil_state {
    uint64_t hash;
    uint64_t pass; // another one than the current: a free slot
    uint64_t number;
    struct fil_way way;
    bool is_open; // not all of its continuations are known
};

/** Forgets all states. */
void fil_states__begin_pass(void);

uint64_t fil_states__count(void);

/** The state of that hash; *out_is_new tells whether it was not known before, and is now. */
struct fil_state *fil_states__find(uint64_t hash, bool *out_is_new);

/** What a schedule that comes to the state finds there. */
struct fil_way fil_states__way(const struct fil_state *state);

/** One of the state's continuations is known. */
void fil_states__add_way(struct fil_state *state, const struct fil_way *way);

/** All of them are. False: whoever comes here goes round in circles and reaches no end. */
bool fil_states__close(struct fil_state *state, struct fil_way *out_way);

// explorer.c: what the system's replacements do to the running actor.

struct fil_actor *fil_explorer__actor(uint32_t number);
uint32_t fil_explorer__actor_count(void);

/** The running actor stands before a step; returns when it may take it. */
void fil_explorer__step(const char *where, bool needs_empty_buffer);

/** The running actor would like others to have a turn: that is no interruption. */
void fil_explorer__give_way(void);

/** The running actor sleeps on the place; returns whether it was woken, not its time over. */
bool fil_explorer__sleep(const void *place, uint64_t wake_at_ns);
void fil_explorer__wake(const void *place);
