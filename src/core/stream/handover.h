// SPDX-License-Identifier: Apache-2.0
/**
 * Balance between workers: tasklets change their home by measured load.
 *
 * A worker with less to do asks the busiest one. That one chooses, at the end of its interval, the
 * tasklet whose busy time is nearest to half of the difference, and marks it; the next time the
 * marked tasklet is about to run it is handed over instead. So a tasklet moves between two steps,
 * and never runs on two threads. A worker that sleeps cannot ask: the busy one counts it as asking.
 *
 * A move must make things better: the chosen tasklet is smaller than the difference, differences
 * below a fifth of a core are left alone, and both sides rest for some intervals after a move.
 */
#pragma once

#include "core/stream/worker.h"

/** Loads that differ by less, in thousandths of a core, are left alone. */
#define FIL_HANDOVER_GAP_MIN 200U

/** The worker's thread, once an interval: publishes its load, gives a tasklet away or asks. */
void fil_handover_balance(struct fil_worker *worker);

/** The worker's thread, before it sleeps: asks the busiest worker for work. */
void fil_handover_ask(struct fil_worker *worker);
