// SPDX-License-Identifier: Apache-2.0
/** One turn of the client, and waiting for turns. */
#include "client/client_internal.h"
#include "client/listener_internal.h"
#include "lib/base/assert.h"

#define EVENTS_PER_STEP 64

void fil_client__flush(struct fil_client *client)
{
    while (client->dirty != 0) {
        uint32_t index = (uint32_t)__builtin_ctzll(client->dirty);
        fil_client__link_flush(&client->links[index]);
    }
}

void fil_client__kick(struct fil_client *client)
{
    if (client->is_stepping && !client->is_parked) {
        return; // the stepper flushes before it waits or leaves
    }
    bool is_much = false;
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX && !client->is_parked && client->dirty != 0;
         i++) {
        is_much = is_much || client->links[i].output.size_bytes >= FIL_CLIENT_EAGER_BYTES;
    }
    if (client->is_parked || is_much) {
        fil_client__flush(client);
    }
    if (client->is_parked && fil_client__next_ns(client) < client->parked_until_ns) {
        client->env->ops->poller_wake(client->env, client->poller);
    }
}

uint64_t fil_client__next_ns(struct fil_client *client)
{
    uint64_t timer_ns = fil_wheel_next_ns(&client->wheel);
    return timer_ns < client->upkeep_at_ns ? timer_ns : client->upkeep_at_ns;
}

static bool has_input(const struct fil_client *client)
{
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        if (client->links[i].has_input) {
            return true;
        }
    }
    return false;
}

/** How long the poller may wait. */
static int64_t patience_ns(struct fil_client *client, uint64_t now_ns, uint64_t timeout_ns)
{
    uint64_t next_ns = fil_client__next_ns(client);
    uint64_t until_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
    if (client->delivery_count > 0 || client->has_leftover || until_ns <= now_ns) {
        return 0;
    }
    until_ns = next_ns < until_ns ? next_ns : until_ns;
    client->parked_until_ns = until_ns;
    if (until_ns == UINT64_MAX) {
        return FIL_WAIT_FOREVER;
    }
    return until_ns <= now_ns ? 0 : (int64_t)(until_ns - now_ns);
}

/** Waits without the mutex; returns the number of events. */
static int park(struct fil_client *client, uint64_t timeout_ns, struct fil_poll_event *events)
    FIL_TSA(requires_capability(client->mutex))
{
    int64_t wait_ns = patience_ns(client, fil_env_now_ns(client->env), timeout_ns);
    client->is_parked = wait_ns != 0;
    fil_client__unlock(client);
    int count = client->env->ops->poller_wait(client->env, client->poller, events, EVENTS_PER_STEP,
                                              wait_ns);
    fil_client__lock(client);
    client->is_parked = false;
    return count;
}

static void expire_calls(struct fil_client *client, uint64_t now_ns)
{
    while (client->delivery_count < FIL_CLIENT_DELIVERIES_MAX) {
        struct fil_timer *timer = fil_wheel_take(&client->wheel, now_ns);
        if (timer == NULL) {
            return;
        }
        fil_client__expire(client, FIL_CONTAINER_OF(timer, struct fil_client_call, timer), now_ns);
    }
}

/** Sorts what has come into deliveries. */
static void collect(struct fil_client *client, const struct fil_poll_event *events, int count)
{
    if (client->has_leftover) {
        for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
            if (client->links[i].has_input) {
                fil_client__link_continue(&client->links[i]);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        fil_client__link_event(events[i].context, events[i].ready);
    }
    client->has_leftover = client->delivery_count == FIL_CLIENT_DELIVERIES_MAX && has_input(client);
    uint64_t now_ns = fil_env_now_ns(client->env);
    expire_calls(client, now_ns);
    fil_client__upkeep(client, now_ns);
    if (client->is_closing || client->fatal != FIL_OK) {
        (void)fil_client__cancel_all(client, client->is_closing ? FIL_E_CANCELLED : client->fatal);
    }
}

/** Runs the callbacks, without the mutex. */
static void deliver_all(struct fil_client *client)
{
    for (uint32_t i = 0; i < client->delivery_count; i++) {
        const struct fil_client_delivery *delivery = &client->deliveries[i];
        if (delivery->call != NULL) {
            delivery->call->done(delivery->call, delivery->error, delivery->message);
        } else {
            fil_client__listener_deliver(delivery->listener, delivery->message);
        }
    }
}

static void end_step(struct fil_client *client)
{
    for (uint32_t i = 0; i < client->delivery_count; i++) {
        if (client->deliveries[i].call != NULL) {
            fil_client__recycle(client, client->deliveries[i].call);
        }
    }
    client->delivery_count = 0;
    fil_client__listeners_sweep(client);
    fil_client__flush(client);
    client->is_stepping = false;
    if (client->waiter_count > 0) {
        fil_condition_broadcast(&client->moved);
    }
}

int fil_client__step(struct fil_client *client, uint64_t timeout_ns)
{
    struct fil_poll_event events[EVENTS_PER_STEP];
    if (fil_client__is_inside(client)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_client__lock(client);
    if (client->is_stepping) {
        fil_client__unlock(client);
        return FIL_E_EXISTS;
    }
    client->is_stepping = true;
    const struct fil_client *outer = fil_client__enter(client);
    fil_client__upkeep(client, fil_env_now_ns(client->env));
    fil_client__flush(client);
    int count = park(client, timeout_ns, events);
    collect(client, events, count);
    int delivered = (int)client->delivery_count;
    fil_client__unlock(client);
    deliver_all(client);
    fil_client__lock(client);
    end_step(client);
    fil_client__unlock(client);
    (void)fil_client__enter(outer);
    return delivered;
}

void fil_client__turn_until(struct fil_client *client, uint64_t end_ns)
{
    fil_assert(client->is_locked);
    uint64_t now_ns = end_ns == UINT64_MAX ? 0 : fil_env_now_ns(client->env);
    uint64_t left_ns = end_ns == UINT64_MAX ? UINT64_MAX : end_ns > now_ns ? end_ns - now_ns : 0;
    if (client->has_thread || client->is_stepping) {
        int64_t wait_ns = left_ns > INT64_MAX ? FIL_WAIT_FOREVER : (int64_t)left_ns;
        client->waiter_count++;
        client->is_locked = false;
        (void)!fil_condition_wait(&client->moved, &client->mutex, wait_ns);
        client->is_locked = true;
        fil_pool_adopt(&client->pool);
        client->waiter_count--;
        return;
    }
    fil_client__unlock(client);
    (void)!fil_client__step(client, left_ns); // another thread may have been first
    fil_client__lock(client);
}

void fil_client__turn(struct fil_client *client)
{
    fil_client__turn_until(client, UINT64_MAX);
}
