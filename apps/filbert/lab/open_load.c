// SPDX-License-Identifier: Apache-2.0
#include "open_load.h"

#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

#define EVENTS_PER_TURN 64
#define PATIENCE_NS     UINT64_C(10000000000)

static int open_clients(struct lab_open_load *load)
{
    struct fil_env *env = load->options.env;
    const struct fil_address *address = load->options.address;
    int error = env->ops->poller_new(env, &load->poller);
    while (error == FIL_OK && load->client_count < LAB_OPEN_CLIENTS) {
        struct lab_open_client *next = &load->clients[load->client_count];
        error = lab_client_open(&next->client, env, load->poller, address);
        load->client_count += error == FIL_OK;
    }
    if (error == FIL_OK) {
        error = lab_client_open(&load->burner, env, load->poller, address);
        load->has_burner = error == FIL_OK;
    }
    return error;
}

static void close_clients(struct lab_open_load *load)
{
    struct fil_env *env = load->options.env;
    for (uint32_t i = 0; i < load->client_count; i++) {
        lab_client_close(&load->clients[i].client, env, load->poller);
    }
    if (load->has_burner) {
        lab_client_close(&load->burner, env, load->poller);
    }
    env->ops->poller_free(env, load->poller);
}

/** The next connection in turn that has nothing in flight; the next one at all when all have. */
static struct lab_open_client *choose_client(struct lab_open_load *load)
{
    for (uint32_t i = 0; i < LAB_OPEN_CLIENTS; i++) {
        uint32_t index = (load->next_client + i) % LAB_OPEN_CLIENTS;
        if (load->clients[index].client.in_flight == 0) {
            load->next_client = index;
            break;
        }
    }
    struct lab_open_client *chosen = &load->clients[load->next_client];
    load->next_client = (load->next_client + 1) % LAB_OPEN_CLIENTS;
    return chosen;
}

static int send_request(struct lab_open_load *load)
{
    struct lab_open_client *chosen = choose_client(load);
    struct lab_client *client = &chosen->client;
    if (client->in_flight == LAB_OPEN_WAITING) {
        return FIL_E_FULL;
    }
    const struct lab_workload *workload = load->options.workload;
    chosen->due_ns[(chosen->first + client->in_flight) % LAB_OPEN_WAITING] = load->due_ns;
    client->in_flight++;
    uint32_t request = load->next_request;
    load->next_request = (request + 1) % workload->count;
    return lab_client_send(client, load->options.env, lab_workload_slice(workload, request, 1));
}

static int send_due(struct lab_open_load *load, uint64_t now_ns)
{
    while (load->due_ns <= now_ns && load->due_ns < load->end_ns) {
        int error = send_request(load);
        if (error != FIL_OK) {
            return error;
        }
        load->due_ns += load->options.interval_ns;
    }
    return FIL_OK;
}

/** Always the same key, so always the same partition. */
static int send_burn(struct lab_open_load *load, uint64_t now_ns)
{
    bool is_due = load->options.burn_us > 0 && load->burner.in_flight == 0 &&
                  load->burn_due_ns <= now_ns && now_ns < load->end_ns;
    if (!is_due) {
        return FIL_OK;
    }
    char text[128];
    int size =
        snprintf(text, sizeof(text), "FILBERT.BURN %u key:000000000000\r\n", load->options.burn_us);
    fil_assert(size > 0 && (size_t)size < sizeof(text));
    load->burner.in_flight = 1;
    load->burn_count++;
    return lab_client_send(&load->burner, load->options.env, fil_bytes_make(text, (size_t)size));
}

static int receive(struct lab_open_load *load, struct lab_client *client)
{
    struct fil_env *env = load->options.env;
    int replies = lab_client_receive(client, env, load->buffer, sizeof(load->buffer));
    if (replies < 0) {
        return replies;
    }
    uint64_t now_ns = fil_env_now_ns(env);
    if (client == &load->burner) {
        load->burn_due_ns = now_ns + load->options.burn_pause_ns;
        return FIL_OK;
    }
    struct lab_open_client *mine = FIL_CONTAINER_OF(client, struct lab_open_client, client);
    for (int i = 0; i < replies; i++) {
        fil_histogram_record(&load->latency_ns, now_ns - mine->due_ns[mine->first]);
        mine->first = (mine->first + 1) % LAB_OPEN_WAITING;
    }
    return FIL_OK;
}

static bool is_waiting(const struct lab_open_load *load)
{
    bool is_waiting = load->burner.in_flight > 0;
    for (uint32_t i = 0; i < load->client_count; i++) {
        is_waiting |= load->clients[i].client.in_flight > 0;
    }
    return is_waiting;
}

/** How long nothing is due. */
static int64_t wait_ns(const struct lab_open_load *load, uint64_t now_ns)
{
    uint64_t until_ns = load->due_ns < load->end_ns ? load->due_ns : load->end_ns + PATIENCE_NS;
    if (load->options.burn_us > 0 && load->burner.in_flight == 0 && load->burn_due_ns < until_ns) {
        until_ns = now_ns < load->end_ns ? load->burn_due_ns : until_ns;
    }
    return until_ns > now_ns ? (int64_t)(until_ns - now_ns) : 0;
}

static int turn(struct lab_open_load *load)
{
    struct fil_env *env = load->options.env;
    struct fil_poll_event events[EVENTS_PER_TURN];
    uint64_t now_ns = fil_env_now_ns(env);
    int error = now_ns > load->end_ns + PATIENCE_NS ? FIL_E_TIMEOUT : send_due(load, now_ns);
    if (error == FIL_OK) {
        error = send_burn(load, now_ns);
    }
    if (error != FIL_OK) {
        return error;
    }
    int count =
        env->ops->poller_wait(env, load->poller, events, EVENTS_PER_TURN, wait_ns(load, now_ns));
    for (int i = 0; i < count && error == FIL_OK; i++) {
        error = receive(load, events[i].context);
    }
    return count < 0 ? count : error;
}

int lab_open_load_run(struct lab_open_load *load, const struct lab_open_options *options)
{
    fil_assert(options->interval_ns > 0);
    *load = (struct lab_open_load){.options = *options};
    fil_histogram_init(&load->latency_ns);
    int error = open_clients(load);
    load->due_ns = fil_env_now_ns(options->env);
    load->burn_due_ns = load->due_ns;
    load->end_ns = load->due_ns + options->duration_ns;
    while (error == FIL_OK && (load->due_ns < load->end_ns || is_waiting(load))) {
        error = turn(load);
    }
    close_clients(load);
    return error;
}
