// SPDX-License-Identifier: Apache-2.0
/**
 * Names of hosts, asked for while the client goes on.
 *
 * The system's resolver may wait for many seconds, so that neither the stepper nor the caller of
 * fil_client_close may be in it: a thread asks, wakes the poller and ends. Client and thread share
 * the lookup; who is the last to leave it frees it.
 */
#include <string.h>

#include "client/client_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

struct answer {
    const char *host; // in the lookup's own memory
    uint16_t port;
    int error;
    struct fil_resolved resolved;
};

struct fil_client_lookup {
    struct fil_thread thread;
    struct fil_env *env;
    uint32_t count;
    char hosts[FIL_CLIENT_SEEDS_MAX][FIL_CLIENT_NAME_MAX];
    struct answer answers[FIL_CLIENT_SEEDS_MAX]; // of all addresses; the thread's until it is done

    struct fil_mutex mutex;    // guards what follows
    struct fil_poller *poller; // NULL: the client is gone
    uint32_t holder_count;
    bool is_done;
};

static void leave(struct fil_client_lookup *lookup)
{
    fil_mutex_lock(&lookup->mutex);
    fil_assert(lookup->holder_count > 0);
    lookup->holder_count--;
    bool is_last = lookup->holder_count == 0;
    fil_mutex_unlock(&lookup->mutex);
    if (is_last) {
        fil_mutex_fini(&lookup->mutex);
        fil_free(lookup);
    }
}

static void ask(void *context)
{
    struct fil_client_lookup *lookup = context;
    struct fil_env *env = lookup->env;
    for (uint32_t i = 0; i < lookup->count; i++) {
        struct answer *answer = &lookup->answers[i];
        if (answer->host[0] != '\0') {
            answer->error = env->ops->resolve(env, answer->host, answer->port, &answer->resolved);
        }
    }
    fil_mutex_lock(&lookup->mutex);
    lookup->is_done = true;
    if (lookup->poller != NULL) {
        env->ops->poller_wake(env, lookup->poller);
    }
    fil_mutex_unlock(&lookup->mutex);
    leave(lookup);
}

static struct fil_client_lookup *make_lookup(struct fil_client *client)
{
    struct fil_client_lookup *lookup = fil_alloc_zero(1, sizeof(*lookup));
    if (lookup == NULL) {
        return NULL;
    }
    fil_mutex_init(&lookup->mutex);
    lookup->env = client->env;
    lookup->poller = client->poller;
    lookup->holder_count = 2; // the thread, and the client
    lookup->count = client->settings.seed_count;
    for (uint32_t i = 0; i < lookup->count; i++) {
        const struct fil_client_seed *seed = &client->settings.seeds[i];
        memcpy(lookup->hosts[i], seed->host, sizeof(lookup->hosts[i]));
        lookup->answers[i] = (struct answer){.host = lookup->hosts[i], .port = seed->address.port};
    }
    return lookup;
}

void fil_client__lookup_start(struct fil_client *client)
{
    if (client->lookup != NULL || !client->settings.has_hosts) {
        return;
    }
    struct fil_client_lookup *lookup = make_lookup(client);
    if (lookup == NULL) {
        fil_client__complain(client, "memory is out");
        return;
    }
    if (fil_thread_start(&lookup->thread, "fil-lookup", ask, lookup) != FIL_OK) {
        fil_client__complain(client, "no thread could be started to look for the addresses");
        leave(lookup); // for the thread
        leave(lookup);
        return;
    }
    fil_thread_detach(&lookup->thread);
    client->lookup = lookup;
}

/** What is not answered now stays as it was: an old address is better than none. */
static bool take_answer(struct fil_client *client, uint32_t index, const struct answer *answer)
{
    if (answer->error != FIL_OK) {
        fil_client__complain(client, "%s: %s", answer->host,
                             answer->error == FIL_E_NOT_FOUND
                                 ? "there is no host of that name"
                                 : "nobody could be asked for the address of that name");
        return false;
    }
    bool is_first = client->found[index].count == 0 && answer->resolved.count > 0;
    client->found[index] = answer->resolved;
    return is_first;
}

bool fil_client__lookup_take(struct fil_client *client)
{
    struct fil_client_lookup *lookup = client->lookup;
    if (lookup == NULL) {
        return false;
    }
    fil_mutex_lock(&lookup->mutex);
    bool is_done = lookup->is_done;
    fil_mutex_unlock(&lookup->mutex);
    if (!is_done) {
        return false;
    }
    bool is_first = false;
    for (uint32_t i = 0; i < lookup->count; i++) {
        bool is_name = lookup->answers[i].host[0] != '\0';
        is_first = (is_name && take_answer(client, i, &lookup->answers[i])) || is_first;
    }
    client->lookup = NULL;
    leave(lookup);
    if (is_first) {
        client->seek_at_ns = 0; // there was nobody to dial until now
    }
    return true;
}

void fil_client__lookup_leave(struct fil_client *client)
{
    struct fil_client_lookup *lookup = client->lookup;
    if (lookup == NULL) {
        return;
    }
    fil_mutex_lock(&lookup->mutex);
    lookup->poller = NULL;
    fil_mutex_unlock(&lookup->mutex);
    client->lookup = NULL;
    leave(lookup);
}
