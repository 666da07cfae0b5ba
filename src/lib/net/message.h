// SPDX-License-Identifier: Apache-2.0
/** What other threads send to an I/O loop: something to run there. */
#pragma once

#include "lib/conc/stack.h"

struct fil_loop;
struct fil_message;

typedef void (*fil_message_fn)(struct fil_loop *loop, struct fil_message *message);

/** Lives in the object it is about; in one loop's inbox at most. */
struct fil_message {
    struct fil_link link;
    fil_message_fn run;
};
