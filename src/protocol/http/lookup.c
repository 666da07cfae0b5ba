// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/lookup.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define KEPT_NS       (30 * NS_PER_SECOND)
#define PAUSE_NS      NS_PER_SECOND // between two lookups

struct fil_http_lookup {
    // Set before a thread is started, then its own.
    struct fil_env *env;
    struct fil_thread thread;
    uint64_t began_ns;

    // Shared.
    _Atomic bool is_running;
    _Atomic uint64_t next_ns;  // not before
    _Atomic uint64_t least_ns; // not before, whatever happens
    struct fil_stack waiting;  // calls, by the links of their messages

    struct fil_mutex mutex;         // guards what follows
    struct fil_http_client *client; // NULL: it is gone
    uint32_t holder_count;
};

int fil_http_lookup_new(struct fil_http_client *client, struct fil_http_lookup **out_lookup)
{
    struct fil_http_lookup *lookup = fil_alloc_zero(1, sizeof(*lookup));
    if (lookup == NULL) {
        return FIL_E_NOMEM;
    }
    fil_stack_init(&lookup->waiting);
    fil_mutex_init(&lookup->mutex);
    fil_mutex_lock(&lookup->mutex);
    lookup->client = client;
    lookup->holder_count = 1;
    fil_mutex_unlock(&lookup->mutex);
    *out_lookup = lookup;
    return FIL_OK;
}

static void leave(struct fil_http_lookup *lookup)
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

void fil_http_lookup_free(struct fil_http_lookup *lookup)
{
    if (lookup == NULL) {
        return;
    }
    fil_assert(fil_stack_is_empty(&lookup->waiting));
    fil_mutex_lock(&lookup->mutex);
    lookup->client = NULL;
    fil_mutex_unlock(&lookup->mutex);
    leave(lookup);
}

/** Those that wait go on. */
static void wake_all(struct fil_http_lookup *lookup)
{
    struct fil_link *next = NULL;
    for (struct fil_link *link = fil_stack_take_all(&lookup->waiting); link != NULL; link = next) {
        struct fil_message *message = FIL_CONTAINER_OF(link, struct fil_message, link);
        struct fil_http_call *call = FIL_CONTAINER_OF(message, struct fil_http_call, message);
        next = link->next;
        fil_loop_post(call->loop, message);
    }
}

/** Copies a name, which does not change, while the client is there. False: it is gone. */
static bool read_name(struct fil_http_lookup *lookup, uint32_t index,
                      struct fil_upstream_name *out_name)
{
    fil_mutex_lock(&lookup->mutex);
    const struct fil_http_client *client = lookup->client;
    bool is_there = client != NULL && index < client->upstream.name_count;
    if (is_there) {
        *out_name = (struct fil_upstream_name){.port = client->upstream.names[index].port};
        memcpy(out_name->host, client->upstream.names[index].host, sizeof(out_name->host));
    }
    fil_mutex_unlock(&lookup->mutex);
    return is_there;
}

/** Asks for one name, without the mutex, and tells. False: there is none of that number. */
static bool ask_one(struct fil_http_lookup *lookup, uint32_t index, bool *out_is_found)
{
    struct fil_upstream_name name;
    struct fil_resolved found = {0};
    if (!read_name(lookup, index, &name)) {
        return false;
    }
    int error = lookup->env->ops->resolve(lookup->env, name.host, name.port, &found);
    fil_mutex_lock(&lookup->mutex);
    if (lookup->client != NULL) {
        fil_upstream_learn(&lookup->client->upstream, index, error, &found);
    }
    fil_mutex_unlock(&lookup->mutex);
    *out_is_found = *out_is_found && error == FIL_OK;
    return true;
}

static void ask(void *context)
{
    struct fil_http_lookup *lookup = context;
    bool is_found = true;
    for (uint32_t i = 0; ask_one(lookup, i, &is_found);) {
        i++;
    }
    // Relaxed: a loop that has not seen it asks a moment later.
    uint64_t kept_ns = is_found ? KEPT_NS : PAUSE_NS;
    atomic_store_explicit(&lookup->least_ns, lookup->began_ns + PAUSE_NS, memory_order_relaxed);
    atomic_store_explicit(&lookup->next_ns, lookup->began_ns + kept_ns, memory_order_relaxed);
    // S1: who pushes afterwards sees that nobody is here, who has pushed before is taken below.
    atomic_store(&lookup->is_running, false);
    fil_mutex_lock(&lookup->mutex);
    if (lookup->client != NULL) {
        wake_all(lookup);
    }
    fil_mutex_unlock(&lookup->mutex);
    leave(lookup);
}

void fil_http_lookup_refresh(struct fil_http_lookup *lookup, struct fil_loop *loop)
{
    // Relaxed: figures.
    bool is_due = loop->now_ns >= atomic_load_explicit(&lookup->next_ns, memory_order_relaxed) &&
                  loop->now_ns >= atomic_load_explicit(&lookup->least_ns, memory_order_relaxed);
    bool is_running = false;
    if (!is_due || loop->env->ops->resolve == NULL ||
        !atomic_compare_exchange_strong(&lookup->is_running, &is_running, true)) {
        return;
    }
    lookup->env = loop->env;
    lookup->began_ns = loop->now_ns;
    fil_mutex_lock(&lookup->mutex);
    lookup->holder_count++;
    fil_mutex_unlock(&lookup->mutex);
    if (fil_thread_start(&lookup->thread, "lookup", ask, lookup) != FIL_OK) {
        atomic_store_explicit(&lookup->least_ns, loop->now_ns + PAUSE_NS, memory_order_relaxed);
        atomic_store(&lookup->is_running, false);
        wake_all(lookup);
        leave(lookup);
        return;
    }
    fil_thread_detach(&lookup->thread);
}

void fil_http_lookup_expire(struct fil_http_lookup *lookup)
{
    // Relaxed: a figure.
    atomic_store_explicit(&lookup->next_ns, 0, memory_order_relaxed);
}

bool fil_http_lookup_wait(struct fil_http_lookup *lookup, struct fil_http_call *call)
{
    if (!atomic_load(&lookup->is_running)) {
        return false;
    }
    (void)fil_stack_push(&lookup->waiting, &call->message.link);
    // S1: the thread may have ended meanwhile.
    if (!atomic_load(&lookup->is_running)) {
        wake_all(lookup);
    }
    return true;
}
