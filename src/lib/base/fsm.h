// SPDX-License-Identifier: Apache-2.0
/**
 * State machines: states as an enum, the allowed moves as a const table, an invariant that is
 * checked after every move.
 *
 *   enum { DOOR_OPEN, DOOR_SHUT, DOOR_GONE };
 *
 *   //  OPEN <----> SHUT ----> GONE
 *   static const struct fil_fsm_state door_states[] = {
 *       [DOOR_OPEN] = {"open", FIL_FSM_TO(DOOR_SHUT)},
 *       [DOOR_SHUT] = {"shut", FIL_FSM_TO(DOOR_OPEN) | FIL_FSM_TO(DOOR_GONE)},
 *       [DOOR_GONE] = {"gone", FIL_FSM_END},
 *   };
 *   static const struct fil_fsm_kind door = FIL_FSM_KIND("door", door_states, check_door, NULL);
 *
 * The machine lives inside the struct whose state it is; the callbacks find that struct with
 * FIL_CONTAINER_OF_CONST. One owner.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"

#define FIL_FSM_STATES_MAX 64U

/** The set of one state, for the table; sets are joined with |. */
#define FIL_FSM_TO(state) (UINT64_C(1) << (state))

/** No move leads out of this state. */
#define FIL_FSM_END UINT64_C(0)

#define FIL_FSM_KIND(kind_name, table, check_fn, trace_fn)                          \
    {                                                                               \
        .name = (kind_name), .states = (table), .state_count = FIL_COUNT_OF(table), \
        .check = (check_fn), .trace = (trace_fn)                                    \
    }

struct fil_fsm;

/** Asserts what must hold in the state the machine has just come to. */
typedef void (*fil_fsm_check_fn)(const struct fil_fsm *fsm);

/** Told of each move after it has been checked. */
typedef void (*fil_fsm_trace_fn)(const struct fil_fsm *fsm, uint32_t from, uint32_t to);

struct fil_fsm_state {
    const char *name;
    uint64_t moves; // set of FIL_FSM_TO()
};

struct fil_fsm_kind {
    const char *name;
    const struct fil_fsm_state *states;
    uint32_t state_count;
    fil_fsm_check_fn check; // may be NULL
    fil_fsm_trace_fn trace; // may be NULL
};

struct fil_fsm {
    const struct fil_fsm_kind *kind;
    uint32_t state;
};

/** The invariant of the first state must hold already. */
void fil_fsm_init(struct fil_fsm *fsm, const struct fil_fsm_kind *kind, uint32_t state);

/** A move that the table does not allow is a broken invariant: it stops the process. */
void fil_fsm_move(struct fil_fsm *fsm, uint32_t state);

bool fil_fsm_can_move(const struct fil_fsm *fsm, uint32_t state);

static inline bool fil_fsm_is(const struct fil_fsm *fsm, uint32_t state)
{
    return fsm->state == state;
}

/** Whether no move leads on. */
bool fil_fsm_is_ended(const struct fil_fsm *fsm);

/** Name of the current state. */
const char *fil_fsm_state_name(const struct fil_fsm *fsm);
