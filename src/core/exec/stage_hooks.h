// SPDX-License-Identifier: Apache-2.0
/** What whoever puts the kernel together does on each of its threads, beside the stage's work. */
#pragma once

#include <stddef.h>

struct fil_runner;

struct fil_stage_hooks {
    /** First and last thing on a stage's thread; the runner is NULL where the stage has none. */
    void (*enter)(void *context, struct fil_runner *runner);
    void (*leave)(void *context, struct fil_runner *runner);

    /** The thread has slept and goes on. */
    void (*rise)(void *context);

    /** A turn that moved something is over: what its work has put off is due. May be NULL. */
    void (*settle)(void *context, struct fil_runner *runner);

    void *context;
};

static inline void fil_stage_hooks_enter(const struct fil_stage_hooks *hooks,
                                         struct fil_runner *runner)
{
    if (hooks != NULL) {
        hooks->enter(hooks->context, runner);
    }
}

static inline void fil_stage_hooks_leave(const struct fil_stage_hooks *hooks,
                                         struct fil_runner *runner)
{
    if (hooks != NULL) {
        hooks->leave(hooks->context, runner);
    }
}

static inline void fil_stage_hooks_settle(const struct fil_stage_hooks *hooks,
                                          struct fil_runner *runner)
{
    if (hooks != NULL && runner != NULL && hooks->settle != NULL) {
        hooks->settle(hooks->context, runner);
    }
}

static inline void fil_stage_hooks_rise(const struct fil_stage_hooks *hooks)
{
    if (hooks != NULL) {
        hooks->rise(hooks->context);
    }
}
