// SPDX-License-Identifier: Apache-2.0
/**
 * The simulation against the kernel: short conversations run on both environments, and after each
 * step both must have answered the same and hold the server's socket for equally ready.
 *
 * Left out on purpose: bytes that were received but not read when a reset comes. Linux still hands
 * them over, the simulation does not; a program must live with either.
 */
#include <string.h>

#include "lib/os/env.h"
#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

// Loopback may need a moment for what goes through the peer; usually the first try will do.
#define TRIES_MAX   5000
#define TRY_WAIT_NS INT64_C(1000000)

struct scene {
    struct fil_env *env;
    struct fil_poller *poller;
    struct fil_poller *pause; // watches nothing: waiting on it only lets time pass
    int listener;
    int client; // -1: closed
    int server;
};

static void open_scene(struct scene *scene, struct fil_env *env)
{
    *scene = (struct scene){.env = env, .listener = -1, .client = -1, .server = -1};
    struct fil_address address;
    struct fil_address peer;
    assert_int_equal(fil_address_parse("127.0.0.1:0", &address), FIL_OK);
    assert_int_equal(env->ops->listen(env, &address, 4, &scene->listener, &address), FIL_OK);
    assert_int_equal(env->ops->connect(env, &address, &scene->client), FIL_OK);
    assert_int_equal(env->ops->poller_new(env, &scene->poller), FIL_OK);
    assert_int_equal(env->ops->poller_new(env, &scene->pause), FIL_OK);

    struct fil_poll_event event;
    int count = 0;
    assert_int_equal(env->ops->poller_add(env, scene->poller, scene->listener, FIL_POLL_READ, NULL),
                     FIL_OK);
    for (int i = 0; i < TRIES_MAX && count == 0; i++) {
        count = env->ops->poller_wait(env, scene->poller, &event, 1, TRY_WAIT_NS);
    }
    env->ops->poller_remove(env, scene->poller, scene->listener);
    assert_int_equal(env->ops->accept(env, scene->listener, &scene->server, &peer), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, scene->poller, scene->server,
                                          FIL_POLL_READ | FIL_POLL_WRITE, NULL),
                     FIL_OK);
}

static void close_scene(struct scene *scene)
{
    if (scene->client >= 0) {
        scene->env->ops->close(scene->env, scene->client);
    }
    scene->env->ops->close(scene->env, scene->server);
    scene->env->ops->close(scene->env, scene->listener);
    scene->env->ops->poller_free(scene->env, scene->poller);
    scene->env->ops->poller_free(scene->env, scene->pause);
}

static int64_t send_three(struct scene *scene, int fd)
{
    struct fil_bytes slice = fil_bytes_of("abc");
    return scene->env->ops->send(scene->env, fd, &slice, 1);
}

static int64_t receive_some(struct scene *scene, int fd)
{
    char buffer[16];
    return scene->env->ops->receive(scene->env, fd, buffer, sizeof(buffer));
}

/** Small letters are the client's deeds, capitals the server's: send, receive, finish, close. */
static int64_t act(struct scene *scene, char letter)
{
    switch (letter) {
    case 's':
        return send_three(scene, scene->client);
    case 'r':
        return receive_some(scene, scene->client);
    case 'f':
        scene->env->ops->finish(scene->env, scene->client);
        return 0;
    case 'c':
        scene->env->ops->close(scene->env, scene->client);
        scene->client = -1;
        return 0;
    case 'S':
        return send_three(scene, scene->server);
    case 'R':
        return receive_some(scene, scene->server);
    case 'F':
        scene->env->ops->finish(scene->env, scene->server);
        return 0;
    default:
        fail_msg("no such step: %c", letter);
        return 0;
    }
}

static uint32_t ready_of(struct scene *scene)
{
    struct fil_poll_event event = {0};
    int count = scene->env->ops->poller_wait(scene->env, scene->poller, &event, 1, 0);
    return count > 0 ? event.ready : 0;
}

static void let_time_pass(struct scene *scene)
{
    struct fil_poll_event event;
    (void)scene->env->ops->poller_wait(scene->env, scene->pause, &event, 1, TRY_WAIT_NS);
}

/** Acts once it can: what the peer did may still be on its way. */
static int64_t act_patiently(struct scene *scene, char letter, int64_t wanted)
{
    int64_t result = act(scene, letter);
    for (int i = 0; i < TRIES_MAX && result == FIL_E_AGAIN && wanted != FIL_E_AGAIN; i++) {
        let_time_pass(scene);
        result = act(scene, letter);
    }
    return result;
}

static uint32_t ready_patiently(struct scene *scene, uint32_t wanted)
{
    uint32_t ready = ready_of(scene);
    for (int i = 0; i < TRIES_MAX && ready != wanted; i++) {
        let_time_pass(scene);
        ready = ready_of(scene);
    }
    return ready;
}

static void check_as_in_the_kernel(const char *script)
{
    struct fil_sim sim;
    struct scene simulated;
    struct scene real;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    open_scene(&simulated, &sim.env);
    open_scene(&real, fil_env_real());
    for (size_t i = 0; script[i] != 0; i++) {
        int64_t result = act(&simulated, script[i]);
        int64_t expected = act_patiently(&real, script[i], result);
        uint32_t ready = ready_of(&simulated);
        uint32_t expected_ready = ready_patiently(&real, ready);
        if (result != expected || ready != expected_ready) {
            fail_msg("%s, step %zu: %lld ready %u, the kernel says %lld ready %u", script, i + 1,
                     (long long)result, ready, (long long)expected, expected_ready);
        }
    }
    close_scene(&simulated);
    close_scene(&real);
    fil_sim_fini(&sim);
}

static void test_bytes_and_half_closes_are_as_in_the_kernel(void **state)
{
    (void)state;
    const char *const scripts[] = {"sRR",   "ssRR", "SSrr", "sfRRR", "fRSrFR",
                                   "FsRfR", "fFRR", "FfRS", "Ffr"};
    for (size_t i = 0; i < FIL_COUNT_OF(scripts); i++) {
        check_as_in_the_kernel(scripts[i]);
    }
}

static void test_closes_and_resets_are_as_in_the_kernel(void **state)
{
    (void)state;
    // "Sc" closes with bytes unread, "cS" sends to a closed peer: both are answered by a reset.
    const char *const scripts[] = {"cRR",  "scRR",  "ScRR",   "ScSS", "ScRS",
                                   "cSRR", "cSSRR", "cRSRRS", "FcR",  "ScFR"};
    for (size_t i = 0; i < FIL_COUNT_OF(scripts); i++) {
        check_as_in_the_kernel(scripts[i]);
    }
}

static void test_refusal_is_as_in_the_kernel(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct fil_env *envs[2] = {&sim.env, fil_env_real()};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        open_scene(&scene, envs[i]);
        struct fil_address address;
        int fd = -1;
        // A port that was free a moment ago.
        assert_int_equal(fil_address_parse("127.0.0.1:0", &address), FIL_OK);
        assert_int_equal(envs[i]->ops->listen(envs[i], &address, 1, &fd, &address), FIL_OK);
        envs[i]->ops->close(envs[i], fd);
        assert_int_equal(envs[i]->ops->connect(envs[i], &address, &fd), FIL_OK);

        envs[i]->ops->poller_remove(envs[i], scene.poller, scene.server);
        assert_int_equal(envs[i]->ops->poller_add(envs[i], scene.poller, fd, FIL_POLL_WRITE, NULL),
                         FIL_OK);
        assert_int_equal(ready_patiently(&scene, FIL_POLL_WRITE | FIL_POLL_ERROR),
                         FIL_POLL_WRITE | FIL_POLL_ERROR);
        assert_int_equal(receive_some(&scene, fd), FIL_E_CLOSED);
        assert_int_equal(receive_some(&scene, fd), 0);
        assert_int_equal(send_three(&scene, fd), FIL_E_CLOSED);
        envs[i]->ops->close(envs[i], fd);
        close_scene(&scene);
    }
    fil_sim_fini(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_and_half_closes_are_as_in_the_kernel),
        cmocka_unit_test(test_closes_and_resets_are_as_in_the_kernel),
        cmocka_unit_test(test_refusal_is_as_in_the_kernel),
    };
    return cmocka_run_group_tests_name("sim_conformance", tests, NULL, NULL);
}
