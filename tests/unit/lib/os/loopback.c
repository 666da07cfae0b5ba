// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lib/os/loopback.h"

#include <string.h>

#include "tests/unit/harness.h"

uint32_t loopback_await(int fd, uint32_t interest)
{
    struct fil_env *env = fil_env_real();
    struct fil_poller *poller = NULL;
    struct fil_poll_event event = {.ready = 0};
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, poller, fd, interest, NULL), FIL_OK);
    while (env->ops->poller_wait(env, poller, &event, 1, FIL_WAIT_FOREVER) == 0) {
        // ended by a signal
    }
    env->ops->poller_free(env, poller);
    return event.ready;
}

void loopback_open(struct loopback *loopback, const char *address)
{
    struct fil_env *env = fil_env_real();
    struct fil_address wanted;
    struct fil_address peer;
    *loopback = (struct loopback){.env = env, .listener = -1, .client = -1, .server = -1};
    assert_int_equal(fil_address_parse(address, &wanted), FIL_OK);
    assert_int_equal(env->ops->listen(env, &wanted, 8, &loopback->listener, &loopback->bound),
                     FIL_OK);
    assert_int_equal(env->ops->connect(env, &loopback->bound, &loopback->client), FIL_OK);
    assert_int_equal(loopback_await(loopback->listener, FIL_POLL_READ), FIL_POLL_READ);
    assert_int_equal(env->ops->accept(env, loopback->listener, &loopback->server, &peer), FIL_OK);
    assert_int_equal(loopback_await(loopback->client, FIL_POLL_WRITE), FIL_POLL_WRITE);
}

void loopback_close_end(struct loopback *loopback, int *end)
{
    if (*end >= 0) {
        loopback->env->ops->close(loopback->env, *end);
        *end = -1;
    }
}

void loopback_close(struct loopback *loopback)
{
    loopback_close_end(loopback, &loopback->client);
    loopback_close_end(loopback, &loopback->server);
    loopback_close_end(loopback, &loopback->listener);
}

void loopback_send(int fd, const char *text)
{
    struct fil_env *env = fil_env_real();
    struct fil_bytes slice = fil_bytes_of(text);
    assert_int_equal(env->ops->send(env, fd, &slice, 1), slice.size);
}
