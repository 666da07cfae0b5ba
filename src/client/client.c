// SPDX-License-Identifier: Apache-2.0
/** The client as a whole: made, run, closed. */
#include "filbert/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/client_internal.h"
#include "client/listener_internal.h"
#include "client/thing_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/writer.h"
#include "lib/conc/role.h"

#define NS_PER_MS    UINT64_C(1000000)
#define POOL_KEPT    16U
#define BUDGET_BYTES (UINT64_C(1) << 40) // calls and messages have limits of their own

// Whose step the thread is in; callbacks of one client may step another one.
static _Thread_local const struct fil_client *inside;
static _Thread_local char connect_problem[FIL_CLIENT_PROBLEM_MAX];

/** Threads of a member in this process never wait: what they wait for may need them. */
static bool must_not_wait(void)
{
    return fil_role_is_in_op() || fil_role_is(&fil_role_io) || fil_role_is(&fil_role_partition) ||
           fil_role_is(&fil_role_event);
}

bool fil_client__is_inside(const struct fil_client *client)
{
    return inside == client || must_not_wait();
}

const struct fil_client *fil_client__enter(const struct fil_client *client)
{
    const struct fil_client *outer = inside;
    inside = client;
    return outer;
}

void fil_client__lock(struct fil_client *client)
{
    fil_mutex_lock(&client->mutex);
    fil_assert(!client->is_locked);
    client->is_locked = true;
    fil_pool_adopt(&client->pool);
}

void fil_client__unlock(struct fil_client *client)
{
    fil_assert(client->is_locked);
    client->is_locked = false;
    fil_mutex_unlock(&client->mutex);
}

void fil_client__complain(struct fil_client *client, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[2 * FIL_CLIENT_PROBLEM_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    (void)fil_writer_format_list(&writer, format, arguments);
    va_end(arguments);
    (void)snprintf(client->problem, sizeof(client->problem), "%.*s", FIL_CLIENT_PROBLEM_MAX - 1,
                   fil_writer_terminate(&writer));
    // What members say goes to terminals and logs.
    for (char *at = client->problem; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = ' ';
        }
    }
}

static void name_client(struct fil_client *client)
{
    uint8_t random[16];
    client->env->ops->random(client->env, random, sizeof(random));
    client->uuid =
        (struct fil_wire_uuid){.high = fil_load_u64_le(random), .low = fil_load_u64_le(random + 8)};
    fil_prng_init(&client->prng, client->uuid.high ^ client->uuid.low);
    if (client->settings.name[0] == '\0') {
        (void)snprintf(client->settings.name, sizeof(client->settings.name), "filbert-%08x",
                       (uint32_t)client->uuid.low);
    }
}

static void init_parts(struct fil_client *client)
{
    client->grid.client = client;
    fil_mutex_init(&client->mutex);
    fil_condition_init(&client->moved);
    fil_budget_init(&client->budget, BUDGET_BYTES);
    fil_chunk_pool_init(&client->pool, &client->budget, POOL_KEPT);
    fil_chunk_queue_init(&client->scratch);
    fil_wheel_init(&client->wheel, fil_env_now_ns(client->env));
    fil_list_init(&client->maps);
    fil_list_init(&client->things);
    fil_list_init(&client->listeners);
    fil_list_init(&client->closed_listeners);
    for (uint8_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        fil_client__link_init(client, i);
    }
}

static void free_links(struct fil_client *client)
{
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        struct fil_client_link *link = &client->links[i];
        if (!fil_client__link_is(link, FIL_CLIENT_LINK_IDLE)) {
            fil_client__link_close(link);
        }
        fil_free(link->input);
        link->input = NULL;
    }
}

static void free_maps(struct fil_client *client)
{
    struct fil_list *item = NULL;
    while ((item = fil_list_take_front(&client->maps)) != NULL) {
        struct fil_map *map = FIL_CONTAINER_OF(item, struct fil_map, link);
        fil_client__near_free(map);
        fil_free(map);
    }
}

static void free_client(struct fil_client *client)
{
    fil_client__lock(client);
    fil_client__lookup_leave(client);
    free_links(client);
    fil_client__listeners_free(client);
    free_maps(client);
    fil_client__things_free(client);
    fil_chunk_queue_clear(&client->scratch);
    fil_client__unlock(client);
    fil_pool_fini(&client->pool);
    fil_client__calls_fini(client);
    fil_free(client->owners);
    if (client->poller != NULL) {
        client->env->ops->poller_free(client->env, client->poller);
    }
    fil_condition_fini(&client->moved);
    fil_mutex_fini(&client->mutex);
    fil_free(client);
}

int fil_client__new(struct fil_client **out_client, const struct fil_client_options *options,
                    struct fil_env *env, char problem[FIL_CLIENT_PROBLEM_MAX])
{
    struct fil_client *client = fil_alloc_zero(1, sizeof(*client));
    if (client == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_client__settle(&client->settings, options, problem, FIL_CLIENT_PROBLEM_MAX);
    if (error != FIL_OK) {
        fil_free(client);
        return error;
    }
    client->env = env;
    init_parts(client);
    name_client(client);
    error = fil_client__calls_init(client);
    if (error == FIL_OK) {
        error = env->ops->poller_new(env, &client->poller);
    }
    if (error != FIL_OK) {
        free_client(client);
        return error;
    }
    *out_client = client;
    return FIL_OK;
}

/** Steps until a member has taken the client in, or the time is over. */
static int await_member(struct fil_client *client)
{
    uint64_t end_ns = fil_env_now_ns(client->env) + client->settings.connect_timeout_ns;
    int error = FIL_E_AGAIN;
    while (error == FIL_E_AGAIN) {
        uint64_t now_ns = fil_env_now_ns(client->env);
        if (now_ns < end_ns) {
            (void)!fil_client__step(client, end_ns - now_ns); // nobody else has the client yet
        }
        fil_client__lock(client);
        if (client->ready_count > 0) {
            error = FIL_OK;
        } else if (client->fatal != FIL_OK) {
            error = client->fatal;
        } else if (now_ns >= end_ns) {
            error = FIL_E_UNREACHABLE;
        }
        fil_client__unlock(client);
    }
    return error;
}

int fil_client_connect(struct fil_client **out_client, const struct fil_client_options *options)
{
    struct fil_client *client = NULL;
    connect_problem[0] = '\0';
    if (out_client == NULL) {
        return FIL_E_INVALID;
    }
    int error = fil_client__new(&client, options, fil_env_real(), connect_problem);
    if (error != FIL_OK) {
        return error;
    }
    error = await_member(client);
    if (error == FIL_OK && options != NULL && options->has_thread) {
        error = fil_client_start_thread(client);
    }
    if (error != FIL_OK) {
        (void)fil_client_problem(client, connect_problem, sizeof(connect_problem));
        free_client(client);
        return error;
    }
    *out_client = client;
    return FIL_OK;
}

const char *fil_client_connect_problem(void)
{
    return connect_problem;
}

struct fil_grid *fil_client_grid(struct fil_client *client)
{
    return client == NULL ? NULL : &client->grid;
}

static void run(void *context)
{
    struct fil_client *client = context;
    bool is_closing = false;
    while (!is_closing) {
        // FIL_E_EXISTS: a thread that stepped before this one started is about to leave.
        if (fil_client__step(client, UINT64_MAX) < 0) {
            fil_thread_yield();
        }
        fil_client__lock(client);
        is_closing = client->is_closing && client->in_flight == 0;
        fil_client__unlock(client);
    }
}

int fil_client_start_thread(struct fil_client *client)
{
    fil_client__lock(client);
    bool has_thread = client->has_thread;
    client->has_thread = true;
    fil_client__unlock(client);
    if (has_thread) {
        return FIL_E_EXISTS;
    }
    int error = fil_thread_start(&client->thread, "fil-client", run, client);
    if (error != FIL_OK) {
        fil_client__lock(client);
        client->has_thread = false;
        fil_client__unlock(client);
    }
    return error;
}

void fil_client_close(struct fil_client *client)
{
    if (client == NULL) {
        return;
    }
    fil_client__lock(client);
    client->is_closing = true;
    bool has_thread = client->has_thread;
    fil_client__hurry(client);
    fil_client__unlock(client);
    if (has_thread) {
        fil_thread_join(&client->thread);
    }
    int delivered = 1;
    while (delivered > 0 && !has_thread) {
        delivered = fil_client__step(client, 0);
    }
    free_client(client);
}

int fil_client_drain(struct fil_client *client)
{
    if (fil_client__is_inside(client)) {
        return FIL_E_WOULD_BLOCK;
    }
    fil_client__lock(client);
    while (client->in_flight > 0 || client->delivery_count > 0) {
        fil_client__turn(client);
    }
    fil_client__unlock(client);
    return FIL_OK;
}

int fil_client_step(struct fil_client *client, uint64_t timeout_ms)
{
    uint64_t limit_ms = UINT64_MAX / NS_PER_MS;
    return fil_client__step(client, timeout_ms < limit_ms ? timeout_ms * NS_PER_MS : UINT64_MAX);
}

int fil_client_fd(struct fil_client *client)
{
    return client->env->ops->poller_fd(client->env, client->poller);
}

int64_t fil_client_timeout_ms(struct fil_client *client)
{
    fil_client__lock(client);
    uint64_t now_ns = fil_env_now_ns(client->env);
    uint64_t next_ns = fil_client__next_ns(client);
    if (client->dirty != 0 || client->has_leftover || client->delivery_count > 0) {
        next_ns = now_ns;
    }
    fil_client__unlock(client);
    if (next_ns == UINT64_MAX) {
        return -1;
    }
    return next_ns <= now_ns ? 0 : (int64_t)((next_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS);
}

void fil_client_stats(struct fil_client *client, struct fil_client_stats *out_stats)
{
    fil_client__lock(client);
    *out_stats = client->stats;
    out_stats->in_flight = client->in_flight;
    out_stats->member_count = client->ready_count;
    fil_client__unlock(client);
}

const char *fil_client_problem(struct fil_client *client, char *text, size_t size)
{
    if (size > 0) {
        fil_client__lock(client);
        (void)snprintf(text, size, "%s", client->problem);
        fil_client__unlock(client);
    }
    return text;
}
