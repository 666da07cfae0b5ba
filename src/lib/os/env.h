// SPDX-License-Identifier: Apache-2.0
/**
 * The environment: clock, randomness, network, files, as one struct of functions.
 *
 * Everything above lib/os reaches the operating system through it, so that a simulation can put
 * a virtual clock and a network of its own in its place and run whole members in one thread.
 * fil_env_real() is the one that makes system calls.
 *
 * Errors: functions return FIL_OK (or a count) or a negative enum fil_error; errno ends here.
 * Threads: every function may be called from any thread; one poller is waited on by one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/os/address.h"

#define FIL_POLL_READ  1U // readable, or the peer has closed
#define FIL_POLL_WRITE 2U // writable again
#define FIL_POLL_ERROR 4U // reported always: reset or hung up
#define FIL_POLL_END   8U // the peer sends no more; what it has sent may be unread.

#define FIL_WAIT_FOREVER INT64_C(-1)

/** Slices of one send call; more are sent by further calls. */
#define FIL_SEND_SLICES_MAX 64U

struct fil_poll_event {
    void *context;
    uint32_t ready; // FIL_POLL_*
};

struct fil_poller;
struct fil_env;

struct fil_env_ops {
    /** Monotonic time: for deadlines and durations. */
    uint64_t (*now_ns)(struct fil_env *env);
    /** Time of day since 1970: for people. */
    uint64_t (*wall_ns)(struct fil_env *env);
    void (*random)(struct fil_env *env, void *out_bytes, size_t size);

    /**
     * The address's port 0 lets the system choose one; out_bound tells which. FIL_E_ADDRESS_USED,
     * FIL_E_ADDRESS when the address is not of this machine, FIL_E_DENIED, FIL_E_SYSTEM.
     */
    int (*listen)(struct fil_env *env, const struct fil_address *address, int backlog, int *out_fd,
                  struct fil_address *out_bound);
    /** FIL_E_AGAIN when nobody waits (any more), FIL_E_SYSTEM when descriptors are out. */
    int (*accept)(struct fil_env *env, int listener, int *out_fd, struct fil_address *out_peer);
    /**
     * Begins to connect and does not wait for it: FIL_POLL_WRITE tells that it is done,
     * FIL_POLL_ERROR and then receive that it failed. FIL_E_CLOSED when that is known at once.
     */
    int (*connect)(struct fil_env *env, const struct fil_address *address, int *out_fd);
    /**
     * Asks the system for the addresses of a host's name, each with the port, and waits for as long
     * as that takes: for threads that may block. FIL_E_NOT_FOUND: there is no such host,
     * FIL_E_UNREACHABLE: nobody could be asked, FIL_E_NOMEM. NULL: not to be had.
     */
    int (*resolve)(struct fil_env *env, const char *host, uint16_t port,
                   struct fil_resolved *out_resolved);
    /** Bytes received, 0 at the end of the stream, FIL_E_AGAIN, or FIL_E_CLOSED after a reset. */
    int64_t (*receive)(struct fil_env *env, int fd, void *buffer, size_t size);
    /** Bytes sent (may be fewer than given), FIL_E_AGAIN, or FIL_E_CLOSED. */
    int64_t (*send)(struct fil_env *env, int fd, const struct fil_bytes *slices, uint32_t count);
    /** Half close: the peer reads the end of the stream after what was sent. */
    void (*finish)(struct fil_env *env, int fd);
    /** The descriptor is out of its poller by then. */
    void (*close)(struct fil_env *env, int fd);

    int (*poller_new)(struct fil_env *env, struct fil_poller **out_poller);
    void (*poller_free)(struct fil_env *env, struct fil_poller *poller);
    /**
     * Interest stays until changed (level-triggered) and may be 0; context comes back with each
     * event. All that the context points to is seen by the thread that gets the event.
     */
    int (*poller_add)(struct fil_env *env, struct fil_poller *poller, int fd, uint32_t interest,
                      void *context);
    int (*poller_change)(struct fil_env *env, struct fil_poller *poller, int fd, uint32_t interest,
                         void *context);
    /** The descriptor is in the poller and still open. */
    void (*poller_remove)(struct fil_env *env, struct fil_poller *poller, int fd);
    /**
     * Number of events, up to limit; 0 after the timeout, a wake-up or for no reason at all.
     * FIL_WAIT_FOREVER waits without end.
     */
    int (*poller_wait)(struct fil_env *env, struct fil_poller *poller,
                       struct fil_poll_event *out_events, int limit, int64_t timeout_ns);
    /** Ends the current wait, or the next one when nobody waits. Any thread. */
    void (*poller_wake)(struct fil_env *env, struct fil_poller *poller);

    /**
     * How many descriptors are ready while nobody waits, up to 256; for any thread. It takes
     * nothing from whoever waits next. NULL: not to be had.
     */
    uint32_t (*poller_ready)(struct fil_env *env, struct fil_poller *poller);
    /** A descriptor that is readable when a wait would bring events; -1: there is none. */
    int (*poller_fd)(struct fil_env *env, struct fil_poller *poller);
    /** The calling thread sleeps so long, or a little longer. NULL: not to be had. */
    void (*rest)(struct fil_env *env, uint64_t duration_ns);

    /**
     * Whole regular file into a new block (fil_free) with a 0 byte behind it. FIL_E_LIMIT when it
     * is larger than size_max, FIL_E_UNSUPPORTED when it is a folder, a pipe or a device,
     * FIL_E_INVALID when its name is too long or its links lead in a circle; FIL_E_NOT_FOUND,
     * FIL_E_DENIED, FIL_E_NOMEM; FIL_E_IO for all else.
     */
    int (*file_read)(struct fil_env *env, const char *path, size_t size_max, char **out_text,
                     size_t *out_size);
    /**
     * Appends to a descriptor; a pipe or a terminal that is full does not hold the caller, also
     * when the descriptor blocks. Bytes written (may be fewer than given), FIL_E_AGAIN,
     * FIL_E_CLOSED when nobody reads, or an error.
     */
    int64_t (*file_write)(struct fil_env *env, int fd, const void *data, size_t size);
};

struct fil_env {
    const struct fil_env_ops *ops;
};

/** The environment that makes system calls; one for the process. */
struct fil_env *fil_env_real(void);

static inline uint64_t fil_env_now_ns(struct fil_env *env)
{
    return env->ops->now_ns(env);
}

static inline uint64_t fil_env_wall_ns(struct fil_env *env)
{
    return env->ops->wall_ns(env);
}

/**
 * The time of day minus the monotonic time. A clock that stands before the machine was started says
 * nothing: then it is 0.
 */
static inline uint64_t fil_env_wall_offset_ns(struct fil_env *env)
{
    uint64_t wall_ns = fil_env_wall_ns(env);
    uint64_t now_ns = fil_env_now_ns(env);
    return wall_ns > now_ns ? wall_ns - now_ns : 0;
}
