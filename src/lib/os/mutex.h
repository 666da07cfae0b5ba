// SPDX-License-Identifier: Apache-2.0
/**
 * Mutex and condition, for the rare places that need one: start and stop, slow paths, tools.
 *
 * clang checks that a field marked FIL_GUARDED_BY is touched only under its mutex. Conditions time
 * out by the monotonic clock.
 *
 * Threads: any. A mutex is not recursive; who locks twice deadlocks.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"

#define FIL_GUARDED_BY(mutex) FIL_TSA(guarded_by(mutex))

struct FIL_TSA(capability("mutex")) fil_mutex {
    pthread_mutex_t handle;
};

struct fil_condition {
    pthread_cond_t handle;
};

/** For a mutex with static storage; it needs neither init nor fini. */
#define FIL_MUTEX_INIT                      \
    {                                       \
        .handle = PTHREAD_MUTEX_INITIALIZER \
    }

void fil_mutex_init(struct fil_mutex *mutex);

/** Nobody may hold it. */
void fil_mutex_fini(struct fil_mutex *mutex);

void fil_mutex_lock(struct fil_mutex *mutex) FIL_TSA(acquire_capability(*mutex));

/** Returns false when somebody holds it. */
bool fil_mutex_try_lock(struct fil_mutex *mutex) FIL_TSA(try_acquire_capability(true, *mutex))
    FIL_NODISCARD;

void fil_mutex_unlock(struct fil_mutex *mutex) FIL_TSA(release_capability(*mutex));

void fil_condition_init(struct fil_condition *condition);

/** Nobody may wait on it. */
void fil_condition_fini(struct fil_condition *condition);

/**
 * Lets the mutex go, sleeps, and holds it again on return. Returns FIL_OK (also for no reason at
 * all: look at what you wait for again) or FIL_E_TIMEOUT; FIL_WAIT_FOREVER has no timeout.
 */
int fil_condition_wait(struct fil_condition *condition, struct fil_mutex *mutex, int64_t timeout_ns)
    FIL_TSA(requires_capability(*mutex)) FIL_NODISCARD;

/** Wakes one who waits. */
void fil_condition_signal(struct fil_condition *condition);

/** Wakes all who wait. */
void fil_condition_broadcast(struct fil_condition *condition);
