// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/thread.h"

int lab_client_open(struct lab_client *client, struct fil_env *env, struct fil_poller *poller,
                    const struct fil_address *address)
{
    *client = (struct lab_client){.fd = -1};
    int fd = -1;
    int error = env->ops->connect(env, address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    error = env->ops->poller_add(env, poller, fd, FIL_POLL_READ, client);
    if (error != FIL_OK) {
        env->ops->close(env, fd);
        return error;
    }
    client->fd = fd;
    return FIL_OK;
}

void lab_client_close(struct lab_client *client, struct fil_env *env, struct fil_poller *poller)
{
    if (client->fd < 0) {
        return;
    }
    env->ops->poller_remove(env, poller, client->fd);
    env->ops->close(env, client->fd);
    client->fd = -1;
}

int lab_client_send(struct lab_client *client, struct fil_env *env, struct fil_bytes bytes)
{
    fil_assert(client->fd >= 0);
    while (bytes.size > 0) {
        int64_t sent = env->ops->send(env, client->fd, &bytes, 1);
        if (sent == FIL_E_AGAIN) {
            // Connecting still, or full: requests are small, so it is a matter of moments.
            fil_thread_yield();
            continue;
        }
        if (sent < 0) {
            return (int)sent;
        }
        bytes = fil_bytes_make(bytes.data + sent, bytes.size - (size_t)sent);
    }
    return FIL_OK;
}

int lab_client_receive(struct lab_client *client, struct fil_env *env, void *buffer, size_t size)
{
    int64_t received = env->ops->receive(env, client->fd, buffer, size);
    if (received == FIL_E_AGAIN) {
        return 0;
    }
    if (received <= 0) {
        return FIL_E_CLOSED;
    }
    uint32_t count = lab_replies_feed(&client->replies, fil_bytes_make(buffer, (size_t)received));
    if (count > client->in_flight || client->replies.error_count > 0) {
        return FIL_E_MALFORMED;
    }
    client->in_flight -= count;
    return (int)count;
}
