// SPDX-License-Identifier: Apache-2.0
/** What the two halves of a driver, its turns and its part in snapshots, share. */
#pragma once

#include "core/stream/driver.h"

/** An error of the outbox explains why a processor found no room. */
int fil_driver__explain(const struct fil_driver *driver, int result);

int fil_driver__mark(struct fil_driver *driver, enum fil_batch_kind kind, int64_t value)
    FIL_NODISCARD;
void fil_driver__close(struct fil_driver *driver);

void fil_driver__begin_save(struct fil_driver *driver, enum fil_driver_state after);

/** Saves when every input has delivered the barrier that is gathered. */
void fil_driver__check_barrier(struct fil_driver *driver);
void fil_driver__take_barrier(struct fil_driver *driver, struct fil_inlet_source *source,
                              int64_t id);

/** Whether a barrier was asked for that nobody else will deliver. */
bool fil_driver__take_asked(struct fil_driver *driver) FIL_NODISCARD;

// Turns.
int fil_driver__save(struct fil_driver *driver) FIL_NODISCARD;
int fil_driver__restore(struct fil_driver *driver) FIL_NODISCARD;
int fil_driver__commit(struct fil_driver *driver, int64_t id) FIL_NODISCARD;
int fil_driver__linger(struct fil_driver *driver) FIL_NODISCARD;
