// SPDX-License-Identifier: Apache-2.0
#include "lib/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

static fil_assert_hook_fn assert_hook;

void fil_assert_set_hook(fil_assert_hook_fn hook)
{
    assert_hook = hook;
}

void fil_assert_failed(const char *condition, const char *file, int line, const char *function)
{
    char text[512];
    (void)snprintf(text, sizeof(text), "assertion failed: %s (%s:%d, %s)", condition, file, line,
                   function);
    (void)fprintf(stderr, "filbert: %s\n", text);
    if (assert_hook != NULL) {
        fil_assert_hook_fn hook = assert_hook;
        assert_hook = NULL; // a hook that fails itself must not come back here
        hook(text);
    }
    abort();
}
