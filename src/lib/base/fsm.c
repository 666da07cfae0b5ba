// SPDX-License-Identifier: Apache-2.0
#include "lib/base/fsm.h"

#include <stdio.h>

#include "lib/base/assert.h"

/** Says which move of which machine it was, which the bare condition would not. */
FIL_COLD FIL_NORETURN static void refuse_move(const struct fil_fsm *fsm, uint32_t state)
{
    char text[160];
    const char *to = state < fsm->kind->state_count ? fsm->kind->states[state].name : "?";
    (void)snprintf(text, sizeof(text), "%s must not move from %s to %s", fsm->kind->name,
                   fil_fsm_state_name(fsm), to);
    fil_assert_failed(text, __FILE__, __LINE__, __func__);
}

static void check(const struct fil_fsm *fsm)
{
    if (fsm->kind->check != NULL) {
        fsm->kind->check(fsm);
    }
}

void fil_fsm_init(struct fil_fsm *fsm, const struct fil_fsm_kind *kind, uint32_t state)
{
    fil_assert(kind->state_count <= FIL_FSM_STATES_MAX);
    fil_assert(state < kind->state_count);
    fsm->kind = kind;
    fsm->state = state;
    check(fsm);
}

bool fil_fsm_can_move(const struct fil_fsm *fsm, uint32_t state)
{
    return state < fsm->kind->state_count &&
           (fsm->kind->states[fsm->state].moves & FIL_FSM_TO(state)) != 0;
}

void fil_fsm_move(struct fil_fsm *fsm, uint32_t state)
{
    if (FIL_UNLIKELY(!fil_fsm_can_move(fsm, state))) {
        refuse_move(fsm, state);
    }
    uint32_t from = fsm->state;
    fsm->state = state;
    check(fsm);
    if (fsm->kind->trace != NULL) {
        fsm->kind->trace(fsm, from, state);
    }
}

bool fil_fsm_is_ended(const struct fil_fsm *fsm)
{
    return fsm->kind->states[fsm->state].moves == FIL_FSM_END;
}

const char *fil_fsm_state_name(const struct fil_fsm *fsm)
{
    fil_assert(fsm->state < fsm->kind->state_count);
    return fsm->kind->states[fsm->state].name;
}
