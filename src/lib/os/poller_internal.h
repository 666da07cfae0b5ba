// SPDX-License-Identifier: Apache-2.0
/** The poller of fil_env_real(): epoll, and an eventfd to end its wait. See env.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/os/env.h"

/** See poller_ready in env.h. */
uint32_t fil_poller__ready(struct fil_poller *poller);

int fil_poller__new(struct fil_poller **out_poller) FIL_NODISCARD;
void fil_poller__free(struct fil_poller *poller);
int fil_poller__add(struct fil_poller *poller, int fd, uint32_t interest, void *context)
    FIL_NODISCARD;
int fil_poller__change(struct fil_poller *poller, int fd, uint32_t interest, void *context)
    FIL_NODISCARD;
void fil_poller__remove(struct fil_poller *poller, int fd);
int fil_poller__wait(struct fil_poller *poller, struct fil_poll_event *out_events, int limit,
                     int64_t timeout_ns) FIL_NODISCARD;
void fil_poller__wake(struct fil_poller *poller);

/** Readable when a wait would bring something. */
int fil_poller__fd(const struct fil_poller *poller);

/** Tests only: waits with epoll_wait as on a kernel without epoll_pwait2. */
void fil_poller__use_milliseconds(struct fil_poller *poller);

/** The timeout for epoll_wait: rounded up, so that a short wait sleeps instead of spinning. */
int fil_poller__to_milliseconds(int64_t timeout_ns);
