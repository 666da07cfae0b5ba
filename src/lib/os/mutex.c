// SPDX-License-Identifier: Apache-2.0
#include "lib/os/mutex.h"

#include <errno.h>
#include <time.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/clock_internal.h"

// The bodies below are where the annotations become true; clang cannot look into pthread.
#define NO_ANALYSIS FIL_TSA(no_thread_safety_analysis)

void fil_mutex_init(struct fil_mutex *mutex)
{
    fil_assert(mutex != NULL);
    int failed = pthread_mutex_init(&mutex->handle, NULL);
    fil_assert(failed == 0);
}

void fil_mutex_fini(struct fil_mutex *mutex)
{
    fil_assert(mutex != NULL);
    int failed = pthread_mutex_destroy(&mutex->handle);
    fil_assert(failed == 0);
}

NO_ANALYSIS void fil_mutex_lock(struct fil_mutex *mutex)
{
    int failed = pthread_mutex_lock(&mutex->handle);
    fil_assert(failed == 0);
}

NO_ANALYSIS bool fil_mutex_try_lock(struct fil_mutex *mutex)
{
    int failed = pthread_mutex_trylock(&mutex->handle);
    fil_assert(failed == 0 || failed == EBUSY);
    return failed == 0;
}

NO_ANALYSIS void fil_mutex_unlock(struct fil_mutex *mutex)
{
    int failed = pthread_mutex_unlock(&mutex->handle);
    fil_assert(failed == 0);
}

void fil_condition_init(struct fil_condition *condition)
{
    fil_assert(condition != NULL);
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes);
    fil_assert(failed == 0);
    failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    fil_assert(failed == 0);
    failed = pthread_cond_init(&condition->handle, &attributes);
    fil_assert(failed == 0);
    (void)pthread_condattr_destroy(&attributes); // holds nothing
}

void fil_condition_fini(struct fil_condition *condition)
{
    fil_assert(condition != NULL);
    int failed = pthread_cond_destroy(&condition->handle);
    fil_assert(failed == 0);
}

int fil_condition_wait(struct fil_condition *condition, struct fil_mutex *mutex, int64_t timeout_ns)
{
    fil_assert(timeout_ns >= FIL_WAIT_FOREVER);
    int failed = 0;
    if (timeout_ns == FIL_WAIT_FOREVER) {
        failed = pthread_cond_wait(&condition->handle, &mutex->handle);
    } else {
        struct timespec deadline = fil_clock__timespec(fil_clock__deadline_ns(timeout_ns));
        failed = pthread_cond_timedwait(&condition->handle, &mutex->handle, &deadline);
    }
    fil_assert(failed == 0 || failed == ETIMEDOUT);
    return failed == 0 ? FIL_OK : FIL_E_TIMEOUT;
}

void fil_condition_signal(struct fil_condition *condition)
{
    int failed = pthread_cond_signal(&condition->handle);
    fil_assert(failed == 0);
}

void fil_condition_broadcast(struct fil_condition *condition)
{
    int failed = pthread_cond_broadcast(&condition->handle);
    fil_assert(failed == 0);
}
