// SPDX-License-Identifier: Apache-2.0
/** Lets a test see that an assertion stops what must not go on. */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/base/assert.h"

typedef void (*assertion_action_fn)(void *context);

static jmp_buf assertion_exit;
static char assertion_text[512];

/** Instead of aborting, goes back to where the action was called. */
static void assertion_leave(const char *text)
{
    (void)snprintf(assertion_text, sizeof(assertion_text), "%s", text);
    longjmp(assertion_exit, 1);
}

/** Whether the action runs into an assertion; its text is then in assertion_text. */
static bool assertion_stops(assertion_action_fn action, void *context)
{
    assertion_text[0] = 0;
    if (setjmp(assertion_exit) != 0) {
        return true;
    }
    fil_assert_set_hook(assertion_leave);
    action(context);
    fil_assert_set_hook(NULL);
    return false;
}
