// SPDX-License-Identifier: Apache-2.0
// The environment that makes system calls: each function only leaves the env argument behind.
#include <errno.h>
#include <sys/random.h>

#include "lib/base/assert.h"
#include "lib/os/clock_internal.h"
#include "lib/os/env.h"
#include "lib/os/file_internal.h"
#include "lib/os/poller_internal.h"
#include "lib/os/resolve_internal.h"
#include "lib/os/socket_internal.h"

static uint64_t real_now_ns(struct fil_env *env)
{
    (void)env;
    return fil_clock__now_ns();
}

static uint64_t real_wall_ns(struct fil_env *env)
{
    (void)env;
    return fil_clock__wall_ns();
}

static void real_random(struct fil_env *env, void *out_bytes, size_t size)
{
    (void)env;
    uint8_t *bytes = out_bytes;
    size_t filled = 0;
    while (filled < size) {
        ssize_t count = getrandom(bytes + filled, size - filled, 0);
        fil_assert(count > 0 || errno == EINTR);
        filled += count > 0 ? (size_t)count : 0;
    }
    fil_assert(filled == size);
}

static int real_listen(struct fil_env *env, const struct fil_address *address, int backlog,
                       int *out_fd, struct fil_address *out_bound)
{
    (void)env;
    return fil_socket__listen(address, backlog, out_fd, out_bound);
}

static int real_accept(struct fil_env *env, int listener, int *out_fd, struct fil_address *out_peer)
{
    (void)env;
    return fil_socket__accept(listener, out_fd, out_peer);
}

static int real_connect(struct fil_env *env, const struct fil_address *address, int *out_fd)
{
    (void)env;
    return fil_socket__connect(address, out_fd);
}

static int real_resolve(struct fil_env *env, const char *host, uint16_t port,
                        struct fil_resolved *out_resolved)
{
    (void)env;
    return fil_resolve__host(host, port, out_resolved);
}

static int64_t real_receive(struct fil_env *env, int fd, void *buffer, size_t size)
{
    (void)env;
    return fil_socket__receive(fd, buffer, size);
}

static int64_t real_send(struct fil_env *env, int fd, const struct fil_bytes *slices,
                         uint32_t count)
{
    (void)env;
    return fil_socket__send(fd, slices, count);
}

static void real_finish(struct fil_env *env, int fd)
{
    (void)env;
    fil_socket__finish(fd);
}

static void real_close(struct fil_env *env, int fd)
{
    (void)env;
    fil_socket__close(fd);
}

static int real_poller_new(struct fil_env *env, struct fil_poller **out_poller)
{
    (void)env;
    return fil_poller__new(out_poller);
}

static void real_poller_free(struct fil_env *env, struct fil_poller *poller)
{
    (void)env;
    fil_poller__free(poller);
}

static int real_poller_add(struct fil_env *env, struct fil_poller *poller, int fd,
                           uint32_t interest, void *context)
{
    (void)env;
    return fil_poller__add(poller, fd, interest, context);
}

static int real_poller_change(struct fil_env *env, struct fil_poller *poller, int fd,
                              uint32_t interest, void *context)
{
    (void)env;
    return fil_poller__change(poller, fd, interest, context);
}

static void real_poller_remove(struct fil_env *env, struct fil_poller *poller, int fd)
{
    (void)env;
    fil_poller__remove(poller, fd);
}

static int real_poller_wait(struct fil_env *env, struct fil_poller *poller,
                            struct fil_poll_event *out_events, int limit, int64_t timeout_ns)
{
    (void)env;
    return fil_poller__wait(poller, out_events, limit, timeout_ns);
}

static int real_poller_fd(struct fil_env *env, struct fil_poller *poller)
{
    (void)env;
    return fil_poller__fd(poller);
}

static uint32_t real_poller_ready(struct fil_env *env, struct fil_poller *poller)
{
    (void)env;
    return fil_poller__ready(poller);
}

static void real_poller_wake(struct fil_env *env, struct fil_poller *poller)
{
    (void)env;
    fil_poller__wake(poller);
}

static void real_rest(struct fil_env *env, uint64_t duration_ns)
{
    (void)env;
    struct timespec duration = fil_clock__timespec((int64_t)duration_ns);
    (void)nanosleep(&duration, NULL); // a signal ends it early: it was to be short
}

static int real_file_read(struct fil_env *env, const char *path, size_t size_max, char **out_text,
                          size_t *out_size)
{
    (void)env;
    return fil_file__read(path, size_max, out_text, out_size);
}

static int64_t real_file_write(struct fil_env *env, int fd, const void *data, size_t size)
{
    (void)env;
    return fil_file__write(fd, data, size);
}

static const struct fil_env_ops real_ops = {
    .now_ns = real_now_ns,
    .wall_ns = real_wall_ns,
    .random = real_random,
    .listen = real_listen,
    .accept = real_accept,
    .connect = real_connect,
    .resolve = real_resolve,
    .receive = real_receive,
    .send = real_send,
    .finish = real_finish,
    .close = real_close,
    .poller_new = real_poller_new,
    .poller_free = real_poller_free,
    .poller_add = real_poller_add,
    .poller_change = real_poller_change,
    .poller_remove = real_poller_remove,
    .poller_wait = real_poller_wait,
    .poller_wake = real_poller_wake,
    .poller_ready = real_poller_ready,
    .poller_fd = real_poller_fd,
    .rest = real_rest,
    .file_read = real_file_read,
    .file_write = real_file_write,
};

struct fil_env *fil_env_real(void)
{
    static struct fil_env env = {.ops = &real_ops};
    return &env;
}
