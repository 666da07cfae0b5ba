// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/clock_internal.h"
#include "lib/os/errno_internal.h"
#include "lib/os/poller_internal.h"

// What one wait brings at most; the rest stays ready and comes with the next one.
#define EVENTS_PER_WAIT 256

#define NS_PER_MS INT64_C(1000000)

struct fil_poller {
    // Written by new, then read-only for everybody.
    int epoll_fd;
    int wake_fd;

    // Counts the contexts handed over, so that what they point to is handed over with them.
    _Atomic uint32_t handover_count;

    // The waiting thread's own.
    bool uses_milliseconds;
};

static uint32_t to_epoll(uint32_t interest)
{
    fil_assert((interest & ~(FIL_POLL_READ | FIL_POLL_WRITE | FIL_POLL_END)) == 0);
    uint32_t events = 0;
    if ((interest & FIL_POLL_READ) != 0) {
        events |= (uint32_t)EPOLLIN;
    }
    if ((interest & FIL_POLL_WRITE) != 0) {
        events |= (uint32_t)EPOLLOUT;
    }
    if ((interest & FIL_POLL_END) != 0) {
        events |= (uint32_t)EPOLLRDHUP;
    }
    return events;
}

static uint32_t from_epoll(uint32_t events)
{
    uint32_t ready = 0;
    if ((events & (uint32_t)EPOLLIN) != 0) {
        ready |= FIL_POLL_READ;
    }
    if ((events & (uint32_t)EPOLLRDHUP) != 0) {
        ready |= FIL_POLL_END;
    }
    if ((events & (uint32_t)EPOLLOUT) != 0) {
        ready |= FIL_POLL_WRITE;
    }
    if ((events & ((uint32_t)EPOLLERR | (uint32_t)EPOLLHUP)) != 0) {
        ready |= FIL_POLL_ERROR;
    }
    return ready;
}

static int control(struct fil_poller *poller, int operation, int fd, uint32_t events, void *context)
{
    // R1 pairs with A1: the context is complete before the waiting thread can get it. The kernel
    // orders it as well, but neither the language nor a sanitizer knows.
    atomic_fetch_add_explicit(&poller->handover_count, 1, memory_order_release);
    struct epoll_event event = {.events = events, .data = {.ptr = context}};
    if (epoll_ctl(poller->epoll_fd, operation, fd, &event) == 0) {
        return FIL_OK;
    }
    // A descriptor that is closed, here twice or not here at all is a bug of the caller.
    fil_assert(errno != EBADF && errno != EEXIST && errno != ENOENT);
    return fil_errno__translate(errno);
}

/** Opens both descriptors; what was opened before a failure is left for close_descriptors. */
static int open_descriptors(struct fil_poller *poller)
{
    poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (poller->epoll_fd < 0) {
        return fil_errno__translate(errno);
    }
    poller->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (poller->wake_fd < 0) {
        return fil_errno__translate(errno);
    }
    // The poller itself as context marks the wake-up; no caller can have it.
    return control(poller, EPOLL_CTL_ADD, poller->wake_fd, EPOLLIN, poller);
}

static void close_descriptors(struct fil_poller *poller)
{
    if (poller->wake_fd >= 0) {
        (void)close(poller->wake_fd); // nothing is buffered, nothing can be lost
    }
    if (poller->epoll_fd >= 0) {
        (void)close(poller->epoll_fd);
    }
}

int fil_poller__new(struct fil_poller **out_poller)
{
    fil_assert(out_poller != NULL);
    struct fil_poller *poller = fil_alloc_zero(1, sizeof(*poller));
    if (poller == NULL) {
        return FIL_E_NOMEM;
    }
    poller->epoll_fd = -1;
    poller->wake_fd = -1;
    int error = open_descriptors(poller);
    if (error != FIL_OK) {
        fil_poller__free(poller);
        return error;
    }
    *out_poller = poller;
    return FIL_OK;
}

void fil_poller__free(struct fil_poller *poller)
{
    if (poller == NULL) {
        return;
    }
    close_descriptors(poller);
    fil_free(poller);
}

int fil_poller__add(struct fil_poller *poller, int fd, uint32_t interest, void *context)
{
    fil_assert(context != poller);
    return control(poller, EPOLL_CTL_ADD, fd, to_epoll(interest), context);
}

int fil_poller__change(struct fil_poller *poller, int fd, uint32_t interest, void *context)
{
    fil_assert(context != poller);
    return control(poller, EPOLL_CTL_MOD, fd, to_epoll(interest), context);
}

void fil_poller__remove(struct fil_poller *poller, int fd)
{
    int error = control(poller, EPOLL_CTL_DEL, fd, 0, NULL);
    fil_assert(error == FIL_OK);
}

int fil_poller__to_milliseconds(int64_t timeout_ns)
{
    if (timeout_ns == FIL_WAIT_FOREVER) {
        return -1;
    }
    int64_t milliseconds = timeout_ns / NS_PER_MS + (timeout_ns % NS_PER_MS != 0);
    return milliseconds < INT_MAX ? (int)milliseconds : INT_MAX;
}

void fil_poller__use_milliseconds(struct fil_poller *poller)
{
    poller->uses_milliseconds = true;
}

/** Returns the number of events or -1 with errno, as epoll_wait does. */
static int wait_precisely(struct fil_poller *poller, struct epoll_event *events, int limit,
                          int64_t timeout_ns)
{
#ifdef SYS_epoll_pwait2
    struct timespec timeout;
    const struct timespec *duration = NULL;
    if (timeout_ns != FIL_WAIT_FOREVER) {
        timeout = fil_clock__timespec(timeout_ns);
        duration = &timeout;
    }
    // The C library has a wrapper only since glibc 2.35.
    return (int)syscall(SYS_epoll_pwait2, poller->epoll_fd, events, limit, duration, NULL, 0);
#else
    (void)poller;
    (void)events;
    (void)limit;
    (void)timeout_ns;
    errno = ENOSYS;
    return -1;
#endif
}

static int wait_for_events(struct fil_poller *poller, struct epoll_event *events, int limit,
                           int64_t timeout_ns)
{
    if (!poller->uses_milliseconds) {
        int count = wait_precisely(poller, events, limit, timeout_ns);
        // Old container runtimes answer EPERM to system calls they do not know.
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) {
            return count;
        }
        poller->uses_milliseconds = true;
    }
    return epoll_wait(poller->epoll_fd, events, limit, fil_poller__to_milliseconds(timeout_ns));
}

static void drain_wake(struct fil_poller *poller)
{
    uint64_t wakes = 0;
    ssize_t size = read(poller->wake_fd, &wakes, sizeof(wakes));
    fil_assert(size == sizeof(wakes) || errno == EAGAIN || errno == EINTR);
}

/** Copies what the caller may see; the wake-up itself ends here. */
static int deliver(struct fil_poller *poller, const struct epoll_event *events, int count,
                   struct fil_poll_event *out_events)
{
    int delivered = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == poller) {
            drain_wake(poller);
            continue;
        }
        out_events[delivered].context = events[i].data.ptr;
        out_events[delivered].ready = from_epoll(events[i].events);
        delivered++;
    }
    fil_assert(delivered <= count);
    return delivered;
}

int fil_poller__wait(struct fil_poller *poller, struct fil_poll_event *out_events, int limit,
                     int64_t timeout_ns)
{
    fil_assert(limit > 0);
    fil_assert(timeout_ns >= FIL_WAIT_FOREVER);
    struct epoll_event events[EVENTS_PER_WAIT];
    int room = limit < EVENTS_PER_WAIT ? limit : EVENTS_PER_WAIT;
    int count = wait_for_events(poller, events, room, timeout_ns);
    if (count < 0) {
        // A signal or a debugger ends the wait like a wake-up.
        fil_assert(errno == EINTR);
        return 0;
    }
    // A1 pairs with R1: what the contexts point to is as it was when they were handed over.
    (void)atomic_load_explicit(&poller->handover_count, memory_order_acquire);
    return deliver(poller, events, count, out_events);
}

uint32_t fil_poller__ready(struct fil_poller *poller)
{
    struct epoll_event events[EVENTS_PER_WAIT];
    // Readiness is by level: what this call sees is still ready for the next one.
    int count = epoll_wait(poller->epoll_fd, events, EVENTS_PER_WAIT, 0);
    uint32_t ready = 0;
    for (int i = 0; i < count; i++) {
        ready += events[i].data.ptr != poller; // the wake-up is nobody's event
    }
    return ready;
}

int fil_poller__fd(const struct fil_poller *poller)
{
    fil_assert(poller->epoll_fd >= 0);
    return poller->epoll_fd;
}

void fil_poller__wake(struct fil_poller *poller)
{
    uint64_t one = 1;
    ssize_t size = 0;
    do {
        size = write(poller->wake_fd, &one, sizeof(one));
    } while (size < 0 && errno == EINTR);
    // EAGAIN: the counter is full, so the wait ends anyway.
    fil_assert(size == sizeof(one) || errno == EAGAIN);
}
