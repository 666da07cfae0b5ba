// SPDX-License-Identifier: Apache-2.0
#include "lib/net/balancer.h"

#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "lib/net/load.h"

// The loop must not be held up; the connections with load in this round come first.
#define CANDIDATES_MAX 4096U

#define NS_PER_SECOND UINT64_C(1000000000)

void fil_balancer_init(struct fil_balancer *balancer, const struct fil_balancer_options *options)
{
    fil_assert(options->loop_count <= FIL_BALANCER_LOOPS_MAX);
    fil_assert(options->ratio_percent > 100);
    *balancer = (struct fil_balancer){.options = *options};
    balancer->round_ns = fil_env_now_ns(options->env);
}

static bool is_off(const struct fil_balancer *balancer)
{
    return balancer->options.interval_ns == 0 || balancer->options.loop_count < 2;
}

int64_t fil_balancer_wait_ns(const struct fil_balancer *balancer)
{
    if (is_off(balancer)) {
        return FIL_WAIT_FOREVER;
    }
    uint64_t now_ns = fil_env_now_ns(balancer->options.env);
    uint64_t due_ns = balancer->round_ns + balancer->options.interval_ns;
    return now_ns < due_ns ? (int64_t)(due_ns - now_ns) : 0;
}

bool fil_balancer_choose(const uint64_t *loads, uint32_t count, uint32_t ratio_percent,
                         uint64_t floor_points, struct fil_balance *out_balance)
{
    uint32_t most = 0;
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++) {
        most = loads[i] > loads[most] ? i : most;
        least = loads[i] < loads[least] ? i : least;
    }
    uint64_t gap = loads[most] - loads[least];
    if (loads[most] <= floor_points || loads[most] * 100 <= loads[least] * ratio_percent) {
        return false;
    }
    *out_balance =
        (struct fil_balance){.source = most, .target = least, .points_max = gap - gap / 10};
    return true;
}

/** The connection with the largest load below the limit; NULL when none has any. */
static struct fil_connection *busiest_fitting(const struct fil_loop *loop,
                                              const struct fil_balancer_request *request)
    FIL_RUNS_ON(io)
{
    struct fil_connection *busiest = NULL;
    uint64_t most = 0;
    uint32_t looked = 0;
    fil_list_foreach(link, &loop->connections) {
        struct fil_connection *connection = FIL_CONTAINER_OF(link, struct fil_connection, link);
        bool is_silent = request->round - connection->load.round > 1; // and all behind it are
        if (is_silent || ++looked > CANDIDATES_MAX) {
            break;
        }
        uint64_t points = fil_load_before(&connection->load, request->round);
        if (points > most && points < request->points_max &&
            fil_connection_is_movable(connection)) {
            busiest = connection;
            most = points;
        }
    }
    return busiest;
}

static void run_request(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct fil_balancer_request *request =
        FIL_CONTAINER_OF(message, struct fil_balancer_request, message);
    struct fil_connection *connection = busiest_fitting(loop, request);
    if (connection != NULL) {
        fil_connection_move(connection, request->target);
    }
    // R7 pairs with A7: the loop is done with the request before it is written again.
    atomic_store_explicit(&request->is_sent, false, memory_order_release);
}

/** Begins the next round; out_loads are those of the one that is over. */
static void turn_round(struct fil_balancer *balancer, uint64_t now_ns, uint64_t *out_loads)
    FIL_RUNS_ON(acceptor)
{
    balancer->round_ns = now_ns;
    balancer->round++;
    for (uint32_t i = 0; i < balancer->options.loop_count; i++) {
        struct fil_loop *loop = &balancer->options.loops[i];
        uint64_t points = fil_load_of_loop(&loop->stats);
        // Counters that are read one by one while they grow; each of them only grows.
        fil_assert(points >= balancer->seen_points[i]);
        out_loads[i] = points - balancer->seen_points[i];
        balancer->seen_points[i] = points;
        // Relaxed: a round may begin a moment later on a loop.
        atomic_store_explicit(&loop->round, balancer->round, memory_order_relaxed);
    }
}

static void ask(struct fil_balancer *balancer, const struct fil_balance *balance)
    FIL_RUNS_ON(acceptor)
{
    struct fil_loop *loops = balancer->options.loops;
    struct fil_balancer_request *request = &balancer->request;
    request->message.run = run_request;
    request->target = &loops[balance->target];
    request->points_max = balance->points_max;
    request->round = balancer->round;
    // Relaxed: the post publishes it.
    atomic_store_explicit(&request->is_sent, true, memory_order_relaxed);
    fil_loop_post(&loops[balance->source], &request->message);
}

uint32_t fil_balancer_cycle(struct fil_balancer *balancer)
{
    uint64_t now_ns = fil_env_now_ns(balancer->options.env);
    uint64_t elapsed_ns = now_ns - balancer->round_ns;
    if (is_off(balancer) || elapsed_ns < balancer->options.interval_ns) {
        return 0;
    }
    uint64_t loads[FIL_BALANCER_LOOPS_MAX];
    struct fil_balance balance;
    uint64_t floor_points =
        FIL_BALANCER_FLOOR_POINTS / 1000 * (elapsed_ns / (NS_PER_SECOND / 1000));
    turn_round(balancer, now_ns, loads);
    if (!fil_balancer_choose(loads, balancer->options.loop_count, balancer->options.ratio_percent,
                             floor_points, &balance)) {
        return 0;
    }
    fil_counter_add(&balancer->imbalances, 1);
    // A7 pairs with R7. A loop that has not yet seen the last request gets no other.
    if (atomic_load_explicit(&balancer->request.is_sent, memory_order_acquire)) {
        return 0;
    }
    ask(balancer, &balance);
    return 1;
}
