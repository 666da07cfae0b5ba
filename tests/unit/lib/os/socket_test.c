// SPDX-License-Identifier: Apache-2.0
/**
 * The network's promises, on real sockets: port 0 is told, bytes arrive as they were sent from one
 * slice or many, nothing blocks, a full peer says so and recovers, half a connection can be closed,
 * ends and resets are told apart, a lost peer never kills the process, and each failure to listen,
 * connect or accept has its code.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/os/env.h"
#include "lib/os/process.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/loopback.h"

static struct fil_env *env;
static struct loopback pair;

static int set_up(void **state)
{
    (void)state;
    env = fil_env_real();
    loopback_open(&pair, "127.0.0.1:0");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    loopback_close(&pair);
    return 0;
}

/** Receives exactly size bytes, sleeping in between. */
static void receive_all(int fd, char *buffer, size_t size)
{
    size_t received = 0;
    while (received < size) {
        int64_t count = env->ops->receive(env, fd, buffer + received, size - received);
        if (count == FIL_E_AGAIN) {
            (void)loopback_await(fd, FIL_POLL_READ);
            continue;
        }
        assert_true(count > 0);
        received += (size_t)count;
    }
}

static void test_listener_tells_the_port_it_got(void **state)
{
    (void)state;
    char text[FIL_ADDRESS_TEXT_MAX];
    assert_int_not_equal(pair.bound.port, 0);
    assert_memory_equal(fil_address_format(&pair.bound, text), "127.0.0.1:", 10);
}

static void test_sockets_never_block_nor_leak_nor_delay(void **state)
{
    (void)state;
    const int ends[] = {pair.client, pair.server, pair.listener};
    for (size_t i = 0; i < FIL_COUNT_OF(ends); i++) {
        assert_true((fcntl(ends[i], F_GETFL) & O_NONBLOCK) != 0);
        assert_true((fcntl(ends[i], F_GETFD) & FD_CLOEXEC) != 0);
    }
    for (size_t i = 0; i < 2; i++) {
        int is_on = 0;
        socklen_t size = sizeof(is_on);
        assert_int_equal(getsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &is_on, &size), 0);
        assert_int_not_equal(is_on, 0);
    }
}

static void test_accept_tells_the_peer_and_says_again_when_nobody_waits(void **state)
{
    (void)state;
    int first = -1;
    int second = -1;
    struct fil_address peer;
    struct sockaddr_in own;
    socklen_t size = sizeof(own);
    assert_int_equal(env->ops->accept(env, pair.listener, &second, &peer), FIL_E_AGAIN);
    assert_int_equal(env->ops->connect(env, &pair.bound, &first), FIL_OK);
    (void)loopback_await(pair.listener, FIL_POLL_READ);
    assert_int_equal(env->ops->accept(env, pair.listener, &second, &peer), FIL_OK);
    assert_int_equal(getsockname(first, (struct sockaddr *)&own, &size), 0);
    assert_int_equal(peer.port, ntohs(own.sin_port));
    assert_false(peer.is_ipv6);
    assert_memory_equal(peer.ip, pair.bound.ip, sizeof(peer.ip));
    env->ops->close(env, first);
    env->ops->close(env, second);
}

static void test_bytes_arrive_in_both_directions(void **state)
{
    (void)state;
    char buffer[8];
    loopback_send(pair.client, "hello");
    receive_all(pair.server, buffer, 5);
    assert_memory_equal(buffer, "hello", 5);
    loopback_send(pair.server, "world");
    receive_all(pair.client, buffer, 5);
    assert_memory_equal(buffer, "world", 5);
}

static void test_receive_says_again_when_nothing_is_there(void **state)
{
    (void)state;
    char byte = 0;
    assert_int_equal(env->ops->receive(env, pair.server, &byte, 1), FIL_E_AGAIN);
}

static void test_slices_arrive_as_one_stream(void **state)
{
    (void)state;
    char buffer[16];
    const struct fil_bytes slices[] = {fil_bytes_of("ab"), fil_bytes_make(NULL, 0),
                                       fil_bytes_of("cde"), fil_bytes_of("f")};
    assert_int_equal(env->ops->send(env, pair.client, slices, FIL_COUNT_OF(slices)), 6);
    receive_all(pair.server, buffer, 6);
    assert_memory_equal(buffer, "abcdef", 6);
}

static void test_slices_beyond_the_limit_are_left_for_the_next_call(void **state)
{
    (void)state;
    char letters[FIL_SEND_SLICES_MAX + 1];
    char buffer[FIL_SEND_SLICES_MAX + 1];
    struct fil_bytes slices[FIL_SEND_SLICES_MAX + 1];
    for (uint32_t i = 0; i <= FIL_SEND_SLICES_MAX; i++) {
        letters[i] = (char)('!' + i);
        slices[i] = fil_bytes_make(&letters[i], 1);
    }
    int64_t sent = env->ops->send(env, pair.client, slices, FIL_SEND_SLICES_MAX + 1);
    assert_int_equal(sent, FIL_SEND_SLICES_MAX);
    assert_int_equal(env->ops->send(env, pair.client, &slices[sent], 1), 1);
    receive_all(pair.server, buffer, sizeof(buffer));
    assert_memory_equal(buffer, letters, sizeof(letters));
}

static void test_full_peer_says_again_and_recovers(void **state)
{
    (void)state;
    static char block[65536];
    struct fil_bytes slice = fil_bytes_make(block, sizeof(block));
    uint64_t sent = 0;
    for (;;) {
        int64_t count = env->ops->send(env, pair.client, &slice, 1);
        if (count == FIL_E_AGAIN) {
            break;
        }
        assert_true(count > 0);
        sent += (uint64_t)count;
    }
    for (uint64_t received = 0; received < sent;) {
        uint64_t left = sent - received;
        size_t size = left < sizeof(block) ? (size_t)left : sizeof(block);
        receive_all(pair.server, block, size);
        received += size;
    }
    assert_int_equal(loopback_await(pair.client, FIL_POLL_WRITE), FIL_POLL_WRITE);
    loopback_send(pair.client, "again");
}

static void test_end_of_the_stream_is_zero_after_all_bytes(void **state)
{
    (void)state;
    char buffer[8];
    loopback_send(pair.client, "bye");
    loopback_close_end(&pair, &pair.client);
    receive_all(pair.server, buffer, 3);
    (void)loopback_await(pair.server, FIL_POLL_READ);
    assert_int_equal(env->ops->receive(env, pair.server, buffer, sizeof(buffer)), 0);
}

static void test_finished_end_still_receives(void **state)
{
    (void)state;
    char buffer[8];
    loopback_send(pair.client, "last words");
    env->ops->finish(env, pair.client);
    char words[10];
    receive_all(pair.server, words, sizeof(words));
    (void)loopback_await(pair.server, FIL_POLL_READ);
    assert_int_equal(env->ops->receive(env, pair.server, buffer, sizeof(buffer)), 0);
    loopback_send(pair.server, "reply");
    receive_all(pair.client, buffer, 5);
    assert_memory_equal(buffer, "reply", 5);
    struct fil_bytes more = fil_bytes_of("more");
    assert_int_equal(env->ops->send(env, pair.client, &more, 1), FIL_E_CLOSED);
    env->ops->finish(env, pair.client); // twice is harmless
}

static void test_finish_after_a_reset_is_harmless(void **state)
{
    (void)state;
    char byte = 0;
    loopback_send(pair.client, "never read");
    (void)loopback_await(pair.server, FIL_POLL_READ);
    loopback_close_end(&pair, &pair.server); // with bytes unread the system resets
    (void)loopback_await(pair.client, FIL_POLL_READ);
    env->ops->finish(env, pair.client);
    assert_int_equal(env->ops->receive(env, pair.client, &byte, 1), FIL_E_CLOSED);
}

static void test_reset_is_told_as_closed_and_kills_nobody(void **state)
{
    (void)state;
    char byte = 0;
    struct fil_bytes slice = fil_bytes_make("x", 1);
    loopback_send(pair.client, "never read");
    (void)loopback_await(pair.server, FIL_POLL_READ);
    loopback_close_end(&pair, &pair.server); // with bytes unread the system resets
    assert_true((loopback_await(pair.client, FIL_POLL_READ) & FIL_POLL_ERROR) != 0);
    assert_int_equal(env->ops->receive(env, pair.client, &byte, 1), FIL_E_CLOSED);
    assert_int_equal(env->ops->send(env, pair.client, &slice, 1), FIL_E_CLOSED);
    const struct fil_bytes slices[] = {slice, slice};
    assert_int_equal(env->ops->send(env, pair.client, slices, 2), FIL_E_CLOSED);
}

static void test_address_in_use_is_told(void **state)
{
    (void)state;
    int fd = -1;
    struct fil_address bound;
    assert_int_equal(env->ops->listen(env, &pair.bound, 8, &fd, &bound), FIL_E_ADDRESS_USED);
    assert_int_equal(fd, -1);
}

static void test_port_of_a_closed_listener_is_free_at_once(void **state)
{
    (void)state;
    struct fil_address bound;
    loopback_close_end(&pair, &pair.listener);
    loopback_close_end(&pair, &pair.server); // first to close: its end lingers in the system
    loopback_close_end(&pair, &pair.client);
    assert_int_equal(env->ops->listen(env, &pair.bound, 8, &pair.listener, &bound), FIL_OK);
    assert_int_equal(bound.port, pair.bound.port);
}

static void test_address_of_another_machine_is_refused(void **state)
{
    (void)state;
    int fd = -1;
    struct fil_address foreign;
    struct fil_address bound;
    // Reserved for documentation: no machine has it.
    assert_int_equal(fil_address_parse("192.0.2.1:0", &foreign), FIL_OK);
    int error = env->ops->listen(env, &foreign, 8, &fd, &bound);
    if (error == FIL_OK) {
        env->ops->close(env, fd); // a system that allows non-local addresses
        skip();
    }
    assert_int_equal(error, FIL_E_ADDRESS);
}

static void test_nobody_connects_to_port_zero(void **state)
{
    (void)state;
    int fd = -1;
    struct fil_address nobody = pair.bound;
    nobody.port = 0;
    assert_int_equal(env->ops->connect(env, &nobody, &fd), FIL_E_ADDRESS);
}

static void test_refused_connection_is_told_as_closed(void **state)
{
    (void)state;
    int fd = -1;
    char byte = 0;
    loopback_close_end(&pair, &pair.listener); // nobody listens on its port now
    int error = env->ops->connect(env, &pair.bound, &fd);
    if (error == FIL_OK) {
        assert_true((loopback_await(fd, FIL_POLL_WRITE) & FIL_POLL_ERROR) != 0);
        error = (int)env->ops->receive(env, fd, &byte, 1);
        env->ops->close(env, fd);
    }
    assert_int_equal(error, FIL_E_CLOSED);
}

/** From here on no descriptor can be opened; returns what to restore. */
static struct rlimit exhaust_descriptors(void)
{
    struct rlimit before;
    int lowest = dup(STDERR_FILENO);
    assert_true(lowest >= 0);
    assert_int_equal(close(lowest), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {.rlim_cur = (rlim_t)lowest, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

static void test_accept_without_descriptors_fails_and_recovers(void **state)
{
    (void)state;
    int client = -1;
    int server = -1;
    int other = -1;
    struct fil_address peer;
    assert_int_equal(env->ops->connect(env, &pair.bound, &client), FIL_OK);
    (void)loopback_await(pair.listener, FIL_POLL_READ);
    struct rlimit before = exhaust_descriptors();
    int accepted = env->ops->accept(env, pair.listener, &server, &peer);
    int connected = env->ops->connect(env, &pair.bound, &other);
    int listening = env->ops->listen(env, &pair.bound, 8, &other, &peer);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(accepted, FIL_E_SYSTEM);
    assert_int_equal(connected, FIL_E_SYSTEM);
    assert_int_equal(listening, FIL_E_SYSTEM);
    assert_int_equal(env->ops->accept(env, pair.listener, &server, &peer), FIL_OK);
    env->ops->close(env, client);
    env->ops->close(env, server);
}

static void test_failures_leave_no_descriptor_open(void **state)
{
    (void)state;
    int fd = -1;
    struct fil_address bound;
    struct fil_process_usage before;
    struct fil_process_usage after;
    fil_process_measure(&before);
    assert_int_equal(env->ops->listen(env, &pair.bound, 8, &fd, &bound), FIL_E_ADDRESS_USED);
    struct fil_address nowhere = {.is_ipv6 = true, .ip = {0x20, 0x01, 0x0d, 0xb8}, .port = 1};
    if (env->ops->connect(env, &nowhere, &fd) == FIL_OK) {
        env->ops->close(env, fd); // a network that routes it into the void
    }
    fil_process_measure(&after);
    assert_int_equal(after.descriptor_count, before.descriptor_count);
}

static bool can_listen_on(const char *text)
{
    int fd = -1;
    struct fil_address address;
    struct fil_address bound;
    assert_int_equal(fil_address_parse(text, &address), FIL_OK);
    bool can = env->ops->listen(env, &address, 8, &fd, &bound) == FIL_OK;
    if (can) {
        env->ops->close(env, fd);
    }
    return can;
}

static void test_ipv6_works_where_the_machine_has_it(void **state)
{
    (void)state;
    char buffer[8];
    if (!can_listen_on("[::1]:0")) {
        skip();
    }
    struct loopback six;
    loopback_open(&six, "[::1]:0");
    assert_true(six.bound.is_ipv6);
    loopback_send(six.client, "six");
    receive_all(six.server, buffer, 3);
    assert_memory_equal(buffer, "six", 3);
    loopback_close(&six);
}

static void test_listener_on_all_addresses_takes_both_kinds(void **state)
{
    (void)state;
    if (!can_listen_on("[::]:0")) {
        skip();
    }
    struct loopback six;
    struct fil_address four;
    struct fil_address peer;
    int client = -1;
    int server = -1;
    loopback_open(&six, "[::]:0");
    assert_int_equal(fil_address_parse("127.0.0.1:0", &four), FIL_OK);
    four.port = six.bound.port;
    assert_int_equal(env->ops->connect(env, &four, &client), FIL_OK);
    (void)loopback_await(six.listener, FIL_POLL_READ);
    assert_int_equal(env->ops->accept(env, six.listener, &server, &peer), FIL_OK);
    assert_false(peer.is_ipv6); // told as the IPv4 address it is
    assert_memory_equal(peer.ip, four.ip, sizeof(peer.ip));
    env->ops->close(env, client);
    env->ops->close(env, server);
    loopback_close(&six);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_listener_tells_the_port_it_got, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sockets_never_block_nor_leak_nor_delay, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_accept_tells_the_peer_and_says_again_when_nobody_waits,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bytes_arrive_in_both_directions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_receive_says_again_when_nothing_is_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_slices_arrive_as_one_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slices_beyond_the_limit_are_left_for_the_next_call,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_peer_says_again_and_recovers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_of_the_stream_is_zero_after_all_bytes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_finished_end_still_receives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_finish_after_a_reset_is_harmless, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reset_is_told_as_closed_and_kills_nobody, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_address_in_use_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_port_of_a_closed_listener_is_free_at_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_address_of_another_machine_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nobody_connects_to_port_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_connection_is_told_as_closed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_accept_without_descriptors_fails_and_recovers, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_failures_leave_no_descriptor_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ipv6_works_where_the_machine_has_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_listener_on_all_addresses_takes_both_kinds, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("socket", tests, NULL, NULL);
}
