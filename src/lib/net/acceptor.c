// SPDX-License-Identifier: Apache-2.0
#include "lib/net/acceptor.h"

#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"

#define ACCEPTS_PER_TURN 64U
#define PAUSE_NS         UINT64_C(100000000)

int fil_acceptor_init(struct fil_acceptor *acceptor, const struct fil_acceptor_options *options)
{
    fil_assert(options->loop_count > 0);
    *acceptor = (struct fil_acceptor){
        .env = options->env,
        .connections_max = options->connections_max,
        .loops = options->loops,
        .loop_count = options->loop_count,
        .next_id = 1,
    };
    struct fil_env *env = acceptor->env;
    int error = env->ops->poller_new(env, &acceptor->poller);
    if (error != FIL_OK) {
        return error;
    }
    error = env->ops->listen(env, &options->address, options->backlog, &acceptor->listener,
                             &acceptor->bound);
    if (error != FIL_OK) {
        goto free_poller;
    }
    error =
        env->ops->poller_add(env, acceptor->poller, acceptor->listener, FIL_POLL_READ, acceptor);
    if (error != FIL_OK) {
        goto close_listener;
    }
    return FIL_OK;

close_listener:
    env->ops->close(env, acceptor->listener);
free_poller:
    env->ops->poller_free(env, acceptor->poller);
    return error;
}

void fil_acceptor_fini(struct fil_acceptor *acceptor)
{
    struct fil_env *env = acceptor->env;
    env->ops->poller_remove(env, acceptor->poller, acceptor->listener);
    env->ops->close(env, acceptor->listener);
    env->ops->poller_free(env, acceptor->poller);
}

void fil_acceptor_wake(struct fil_acceptor *acceptor)
{
    acceptor->env->ops->poller_wake(acceptor->env, acceptor->poller);
}

/** Open connections on the loops, and those on their way to them. */
static uint64_t count_connections(struct fil_acceptor *acceptor) FIL_RUNS_ON(acceptor)
{
    uint64_t arrived = 0;
    uint64_t present = 0;
    for (uint32_t i = 0; i < acceptor->loop_count; i++) {
        arrived += fil_counter_read(&acceptor->loops[i].stats.connections_opened);
        present += fil_loop_open_count(&acceptor->loops[i]);
    }
    uint64_t travelling = acceptor->dealt_count > arrived ? acceptor->dealt_count - arrived : 0;
    return present + travelling;
}

static void run_open(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    (void)loop;
    fil_connection__open(FIL_CONTAINER_OF(message, struct fil_connection, message));
}

/** The next loop in turn, but for those that something holds; when all are held, the next. */
static struct fil_loop *choose_loop(struct fil_acceptor *acceptor) FIL_RUNS_ON(acceptor)
{
    uint64_t now_ns = fil_env_now_ns(acceptor->env);
    for (uint32_t i = 0; i < acceptor->loop_count; i++) {
        uint32_t index = (acceptor->next_loop + i) % acceptor->loop_count;
        if (!fil_loop_is_held(&acceptor->loops[index], now_ns)) {
            acceptor->next_loop = index;
            break;
        }
    }
    return &acceptor->loops[acceptor->next_loop];
}

/** Gives the descriptor to the next loop, or closes it when a limit says so. */
static void deal(struct fil_acceptor *acceptor, int fd, const struct fil_address *peer)
    FIL_RUNS_ON(acceptor)
{
    struct fil_env *env = acceptor->env;
    if (count_connections(acceptor) >= acceptor->connections_max) {
        fil_counter_add(&acceptor->stats.refused_limit, 1);
        env->ops->close(env, fd);
        return;
    }
    struct fil_loop *loop = choose_loop(acceptor);
    struct fil_connection *connection = fil_connection__new(fd, peer, acceptor->next_id, loop);
    if (connection == NULL) {
        fil_counter_add(&acceptor->stats.refused_memory, 1);
        env->ops->close(env, fd);
        return;
    }
    acceptor->next_id++;
    acceptor->dealt_count++;
    acceptor->next_loop = (acceptor->next_loop + 1) % acceptor->loop_count;
    fil_counter_add(&acceptor->stats.accepted, 1);
    connection->message.run = run_open;
    fil_loop_post(loop, &connection->message);
}

/** Stops looking at the listener for a moment: it would be reported ready without end. */
static void pause(struct fil_acceptor *acceptor) FIL_RUNS_ON(acceptor)
{
    struct fil_env *env = acceptor->env;
    fil_counter_add(&acceptor->stats.failed, 1);
    acceptor->paused_until_ns = fil_env_now_ns(env) + PAUSE_NS;
    acceptor->is_paused = true;
    int error = env->ops->poller_change(env, acceptor->poller, acceptor->listener, 0, acceptor);
    fil_assert(error == FIL_OK);
}

/** Ends a pause when it is over; returns how long the poller may wait. */
static int64_t unpause(struct fil_acceptor *acceptor, int64_t timeout_ns) FIL_RUNS_ON(acceptor)
{
    if (!acceptor->is_paused) {
        return timeout_ns;
    }
    struct fil_env *env = acceptor->env;
    uint64_t now_ns = fil_env_now_ns(env);
    if (now_ns < acceptor->paused_until_ns) {
        int64_t left_ns = (int64_t)(acceptor->paused_until_ns - now_ns);
        return timeout_ns == FIL_WAIT_FOREVER || left_ns < timeout_ns ? left_ns : timeout_ns;
    }
    acceptor->is_paused = false;
    int error =
        env->ops->poller_change(env, acceptor->poller, acceptor->listener, FIL_POLL_READ, acceptor);
    fil_assert(error == FIL_OK);
    return timeout_ns;
}

uint32_t fil_acceptor_cycle(struct fil_acceptor *acceptor, int64_t timeout_ns)
{
    fil_debug_assert(fil_role_is(&fil_role_acceptor));
    struct fil_env *env = acceptor->env;
    struct fil_poll_event event;
    timeout_ns = unpause(acceptor, timeout_ns);
    int count = env->ops->poller_wait(env, acceptor->poller, &event, 1, timeout_ns);
    fil_assert(count >= 0);
    uint32_t moved = 0;
    while (count > 0 && moved < ACCEPTS_PER_TURN) {
        int fd = -1;
        struct fil_address peer;
        int error = env->ops->accept(env, acceptor->listener, &fd, &peer);
        if (error == FIL_E_AGAIN) {
            break;
        }
        moved++; // a pause too: the next turn has to look at the clock
        if (error != FIL_OK) {
            pause(acceptor);
            break;
        }
        deal(acceptor, fd, &peer);
    }
    return moved;
}
