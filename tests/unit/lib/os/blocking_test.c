// SPDX-License-Identifier: Apache-2.0
/** A socket that may block: receive waits for the bytes, and still hears the end of the stream. */
#include "lib/os/blocking.h"

#include <fcntl.h>

#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/loopback.h"

static struct loopback pair;

static void send_later(void *context)
{
    (void)context;
    fil_thread_yield();
    loopback_send(pair.client, "late");
}

static void test_receive_waits_for_bytes(void **state)
{
    (void)state;
    loopback_open(&pair, "127.0.0.1:0");
    fil_blocking_allow(pair.server);
    assert_int_equal(fcntl(pair.server, F_GETFL) & O_NONBLOCK, 0);
    assert_int_not_equal(fcntl(pair.client, F_GETFL) & O_NONBLOCK, 0);
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "sender", send_later, NULL), FIL_OK);
    char text[8] = {0};
    assert_int_equal(pair.env->ops->receive(pair.env, pair.server, text, sizeof(text)), 4);
    assert_string_equal(text, "late");
    fil_thread_join(&thread);
    loopback_close_end(&pair, &pair.client);
    assert_int_equal(pair.env->ops->receive(pair.env, pair.server, text, sizeof(text)), 0);
    loopback_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_receive_waits_for_bytes),
    };
    return cmocka_run_group_tests_name("blocking", tests, NULL, NULL);
}
