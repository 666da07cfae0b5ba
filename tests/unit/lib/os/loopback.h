// SPDX-License-Identifier: Apache-2.0
/** A real TCP connection of this process with itself, made through the real environment. */
#pragma once

#include "lib/os/env.h"

struct loopback {
    struct fil_env *env;
    struct fil_address bound; // where the listener is
    int listener;
    int client; // -1 when the test has closed it
    int server; // -1 when the test has closed it
};

/** Listens on the address (its port 0), connects and accepts. */
void loopback_open(struct loopback *loopback, const char *address);

void loopback_close(struct loopback *loopback);

/** Closes one of the two ends now. */
void loopback_close_end(struct loopback *loopback, int *end);

/** Sleeps until the descriptor has one of the FIL_POLL_* it waits for; returns what it has. */
uint32_t loopback_await(int fd, uint32_t interest);

/** Sends the text and expects that all of it is taken. */
void loopback_send(int fd, const char *text);
