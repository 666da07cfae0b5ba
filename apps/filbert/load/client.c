// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

int load_client_open(struct load_client *client, struct fil_env *env, struct fil_poller *poller,
                     const struct fil_address *address)
{
    *client = (struct load_client){.fd = -1};
    int fd = -1;
    int error = env->ops->connect(env, address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    error = env->ops->poller_add(env, poller, fd, FIL_POLL_WRITE, client);
    if (error != FIL_OK) {
        env->ops->close(env, fd);
        return error;
    }
    client->fd = fd;
    return FIL_OK;
}

void load_client_close(struct load_client *client, struct fil_env *env, struct fil_poller *poller)
{
    fil_free(client->rest);
    client->rest = NULL;
    if (client->fd < 0) {
        return;
    }
    env->ops->poller_remove(env, poller, client->fd);
    env->ops->close(env, client->fd);
    client->fd = -1;
}

static int keep_rest(struct load_client *client, struct fil_bytes bytes)
{
    if (bytes.size > client->rest_capacity) {
        uint8_t *larger = fil_realloc(client->rest, bytes.size);
        if (larger == NULL) {
            return FIL_E_NOMEM;
        }
        client->rest = larger;
        client->rest_capacity = bytes.size;
    }
    memcpy(client->rest, bytes.data, bytes.size);
    client->rest_begin = 0;
    client->rest_end = bytes.size;
    return FIL_OK;
}

int load_client_send(struct load_client *client, struct fil_env *env, struct fil_poller *poller,
                     struct fil_bytes bytes)
{
    fil_assert(client->fd >= 0);
    fil_assert(!load_client_has_rest(client));
    int64_t sent = env->ops->send(env, client->fd, &bytes, 1);
    if (sent == (int64_t)bytes.size) {
        return FIL_OK;
    }
    if (sent < 0 && sent != FIL_E_AGAIN) {
        return (int)sent;
    }
    size_t done = sent > 0 ? (size_t)sent : 0;
    int error = keep_rest(client, fil_bytes_make(bytes.data + done, bytes.size - done));
    return error != FIL_OK ? error
                           : env->ops->poller_change(env, poller, client->fd,
                                                     FIL_POLL_READ | FIL_POLL_WRITE, client);
}

int load_client_resume(struct load_client *client, struct fil_env *env, struct fil_poller *poller)
{
    fil_assert(load_client_has_rest(client));
    struct fil_bytes rest =
        fil_bytes_make(client->rest + client->rest_begin, client->rest_end - client->rest_begin);
    int64_t sent = env->ops->send(env, client->fd, &rest, 1);
    if (sent < 0) {
        return sent == FIL_E_AGAIN ? FIL_OK : (int)sent;
    }
    client->rest_begin += (size_t)sent;
    return load_client_has_rest(client)
               ? FIL_OK
               : env->ops->poller_change(env, poller, client->fd, FIL_POLL_READ, client);
}
