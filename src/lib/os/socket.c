// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"
#include "lib/os/errno_internal.h"
#include "lib/os/socket_internal.h"

/** Every address family we speak, so that no pointer needs a cast to another struct. */
union endpoint {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t to_endpoint(const struct fil_address *address, union endpoint *out_endpoint)
{
    memset(out_endpoint, 0, sizeof(*out_endpoint));
    if (address->is_ipv6) {
        out_endpoint->v6.sin6_family = AF_INET6;
        out_endpoint->v6.sin6_port = htons(address->port);
        memcpy(&out_endpoint->v6.sin6_addr, address->ip, sizeof(out_endpoint->v6.sin6_addr));
        return sizeof(out_endpoint->v6);
    }
    out_endpoint->v4.sin_family = AF_INET;
    out_endpoint->v4.sin_port = htons(address->port);
    memcpy(&out_endpoint->v4.sin_addr, address->ip, sizeof(out_endpoint->v4.sin_addr));
    return sizeof(out_endpoint->v4);
}

static struct fil_address to_address(const union endpoint *endpoint)
{
    struct fil_address address = {0};
    if (endpoint->any.sa_family == AF_INET) {
        address.port = ntohs(endpoint->v4.sin_port);
        memcpy(address.ip, &endpoint->v4.sin_addr, sizeof(endpoint->v4.sin_addr));
        return address;
    }
    fil_assert(endpoint->any.sa_family == AF_INET6);
    address.port = ntohs(endpoint->v6.sin6_port);
    const uint8_t *ip = endpoint->v6.sin6_addr.s6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&endpoint->v6.sin6_addr)) {
        memcpy(address.ip, ip + 12, 4); // an IPv4 peer of a listener on "[::]"
        return address;
    }
    address.is_ipv6 = true;
    memcpy(address.ip, ip, sizeof(address.ip));
    return address;
}

static void set_option(int fd, int level, int name, int value)
{
    int failed = setsockopt(fd, level, name, &value, sizeof(value));
    // The descriptor and the option are ours, so only a peer that is gone can make it fail, and
    // then the next call on the socket tells.
    fil_assert(failed == 0 || (errno != EBADF && errno != ENOPROTOOPT));
}

static int open_socket(const struct fil_address *address, int *out_fd)
{
    int fd = socket(address->is_ipv6 ? AF_INET6 : AF_INET,
                    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return fil_errno__translate(errno);
    }
    *out_fd = fd;
    return FIL_OK;
}

static int bind_and_listen(int fd, const struct fil_address *address, int backlog,
                           struct fil_address *out_bound)
{
    union endpoint endpoint;
    socklen_t size = to_endpoint(address, &endpoint);
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (address->is_ipv6) {
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0); // whatever the system's default is
    }
    if (bind(fd, &endpoint.any, size) != 0 || listen(fd, backlog) != 0) {
        return fil_errno__translate(errno);
    }
    size = sizeof(endpoint);
    if (getsockname(fd, &endpoint.any, &size) != 0) {
        return fil_errno__translate(errno);
    }
    *out_bound = to_address(&endpoint);
    return FIL_OK;
}

int fil_socket__listen(const struct fil_address *address, int backlog, int *out_fd,
                       struct fil_address *out_bound)
{
    fil_assert(backlog > 0);
    int fd = -1;
    int error = open_socket(address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    error = bind_and_listen(fd, address, backlog, out_bound);
    if (error != FIL_OK) {
        fil_socket__close(fd);
        return error;
    }
    *out_fd = fd;
    return FIL_OK;
}

static int accept_error(int number)
{
    switch (number) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        return FIL_E_SYSTEM;
    default:
        // Linux hands over errors that are pending on the new connection: that peer is gone, the
        // listener is as good as before. Only a descriptor that is no listener is our own bug.
        fil_assert(number != EBADF && number != ENOTSOCK && number != EINVAL);
        return FIL_E_AGAIN;
    }
}

int fil_socket__accept(int listener, int *out_fd, struct fil_address *out_peer)
{
    union endpoint endpoint = {0};
    socklen_t size = sizeof(endpoint);
    int fd = -1;
    do {
        fd = accept4(listener, &endpoint.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return accept_error(errno);
    }
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    *out_peer = to_address(&endpoint);
    *out_fd = fd;
    return FIL_OK;
}

static int connect_error(int number)
{
    switch (number) {
    case EINPROGRESS:
    case EINTR: // the attempt goes on without us
        return FIL_OK;
    case EAGAIN: // no local port is free
        return FIL_E_SYSTEM;
    default:
        return fil_errno__translate(number);
    }
}

int fil_socket__connect(const struct fil_address *address, int *out_fd)
{
    if (address->port == 0) {
        return FIL_E_ADDRESS; // nobody can listen there
    }
    int fd = -1;
    int error = open_socket(address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    union endpoint endpoint;
    socklen_t size = to_endpoint(address, &endpoint);
    error = connect(fd, &endpoint.any, size) == 0 ? FIL_OK : connect_error(errno);
    if (error != FIL_OK) {
        fil_socket__close(fd);
        return error;
    }
    *out_fd = fd;
    return FIL_OK;
}

static int stream_error(int number)
{
    switch (number) {
    case EAGAIN:
    case ENOBUFS: // the kernel is short of memory; nothing was sent and nothing is lost
    case ENOMEM:
        return FIL_E_AGAIN;
    default:
        fil_assert(number != EBADF && number != ENOTSOCK && number != EFAULT);
        return FIL_E_CLOSED;
    }
}

int64_t fil_socket__receive(int fd, void *buffer, size_t size)
{
    fil_assert(size > 0); // 0 would look like the end of the stream
    ssize_t received = 0;
    do {
        received = recv(fd, buffer, size, 0);
    } while (received < 0 && errno == EINTR);
    return received >= 0 ? received : stream_error(errno);
}

static ssize_t send_slices(int fd, const struct fil_bytes *slices, uint32_t count)
{
    struct iovec vectors[FIL_SEND_SLICES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        // The kernel only reads; iovec has no const because receiving uses it too.
        vectors[i].iov_base = (void *)(uintptr_t)slices[i].data;
        vectors[i].iov_len = slices[i].size;
    }
    struct msghdr message = {.msg_iov = vectors, .msg_iovlen = count};
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

int64_t fil_socket__send(int fd, const struct fil_bytes *slices, uint32_t count)
{
    fil_assert(count > 0);
    uint32_t taken = count < FIL_SEND_SLICES_MAX ? count : FIL_SEND_SLICES_MAX;
    ssize_t sent = 0;
    do {
        sent = taken == 1 ? send(fd, slices[0].data, slices[0].size, MSG_NOSIGNAL)
                          : send_slices(fd, slices, taken);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0 ? sent : stream_error(errno);
}

void fil_socket__finish(int fd)
{
    int failed = shutdown(fd, SHUT_WR);
    // A peer that is gone needs no end any more; the next receive tells.
    fil_assert(failed == 0 || errno == ENOTCONN);
}

void fil_socket__close(int fd)
{
    fil_assert(fd >= 0);
    // Linux frees the descriptor whatever close answers, so it is never called twice.
    int failed = close(fd);
    fil_assert(failed == 0 || errno != EBADF);
}
