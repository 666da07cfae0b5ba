// SPDX-License-Identifier: Apache-2.0
/**
 * Several who may complete the same promise: the first one does.
 *
 * For a producer and a timer that ends the waiting, on whatever threads they are: each of them
 * finishes with what it has, once; one is first, and what the others bring is destroyed.
 *
 * Progress: wait-free, one atomic step for each runner.
 * Memory:   one block of the calling thread's promise pool, freed by the last runner.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/promise.h"

#define FIL_RACE_RUNNERS_MAX 32767U

struct fil_race;

/**
 * Takes ownership of the promise if it returns FIL_OK. Each of the runners, at least one, must
 * finish or leave. FIL_E_NOMEM.
 */
FIL_ANY_THREAD int fil_race_new(struct fil_promise promise, uint32_t runner_count,
                                struct fil_race **out_race) FIL_NODISCARD;

/**
 * Takes ownership of the result; completes the promise with it and returns true when no other was
 * first, else destroys it. The caller is out of the race.
 */
FIL_ANY_THREAD bool fil_race_finish(struct fil_race *race, struct fil_result result);

/** Out of the race without a result. When all leave like this, the promise is broken. */
FIL_ANY_THREAD void fil_race_leave(struct fil_race *race);

/** For a runner: whether another one has finished. */
FIL_ANY_THREAD bool fil_race_is_over(struct fil_race *race);
