// SPDX-License-Identifier: Apache-2.0
/** A function whose name the member has already. */
#include <filbert/package.h>

static int echo(struct fil_function_call *call)
{
    return fil_function_reply_text(call, "", 0);
}

FIL_PACKAGE_FUNCTIONS({"echo", 0, 0, echo})
