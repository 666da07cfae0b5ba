// SPDX-License-Identifier: Apache-2.0
/** Functions for clients: one that counts letters, and one that fails. */
#include <filbert/package.h>

static int count_letters(struct fil_function_call *call)
{
    size_t size = 0;
    if (fil_function_text(call, &size) == NULL) {
        return fil_function_fail(call, FIL_E_INVALID, "it takes a text");
    }
    return fil_function_reply_number(call, (int64_t)size);
}

static int refuse(struct fil_function_call *call)
{
    return fil_function_fail(call, FIL_E_INVALID, "it never does anything");
}

FIL_PACKAGE_FUNCTIONS({"letters", 1000, 1, count_letters}, {"refuse", 0, 0, refuse})
