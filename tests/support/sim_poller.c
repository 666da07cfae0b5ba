// SPDX-License-Identifier: Apache-2.0
/** Level-triggered pollers that never block; the driver moves the clock in their place. */
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "tests/support/sim_env_internal.h"

struct registration {
    bool is_used;
    uint32_t interest;
    uint32_t ready; // found by the current wait
    void *context;
};

struct fil_poller {
    struct fil_list link; // in its simulation
    uint32_t id;
    bool is_woken;
    uint64_t deadline_ns;                // of the last wait, when it found nothing
    struct registration registrations[]; // one a socket, at the descriptor's slot
};

static struct fil_poller *poller_of(struct fil_list *link)
{
    return FIL_CONTAINER_OF(link, struct fil_poller, link);
}

/** The place of an open descriptor; whether it is in use is the caller's to say. */
static struct registration *registration_of(struct fil_sim *sim, struct fil_poller *poller, int fd)
{
    fil_assert(fil_list_is_linked(&poller->link));
    (void)fil_sim__socket(sim, fd); // asserts that it is open
    return &poller->registrations[fd - FIL_SIM_FD_FIRST];
}

int fil_sim__poller_new(struct fil_env *env, struct fil_poller **out_poller)
{
    struct fil_sim *sim = fil_sim__of(env);
    // One block, as the real one is: the n-th allocation is the same in both environments.
    struct fil_poller *poller =
        fil_alloc_zero(1, sizeof(*poller) + sim->socket_count_max * sizeof(struct registration));
    if (poller == NULL) {
        return FIL_E_NOMEM;
    }
    fil_list_init(&poller->link);
    fil_list_push_back(&sim->pollers, &poller->link);
    sim->poller_count_ever++;
    poller->id = sim->poller_count_ever;
    poller->deadline_ns = FIL_SIM_NEVER;
    fil_sim__trace(sim, FIL_SIM_ACTION_POLLER_NEW, poller->id, 0, 0);
    *out_poller = poller;
    return FIL_OK;
}

void fil_sim__poller_free(struct fil_env *env, struct fil_poller *poller)
{
    if (poller == NULL) {
        return;
    }
    fil_assert(fil_list_is_linked(&poller->link));
    fil_sim__trace(fil_sim__of(env), FIL_SIM_ACTION_POLLER_FREE, poller->id, 0, 0);
    fil_list_remove(&poller->link);
    fil_free(poller);
}

static void set_interest(struct fil_sim *sim, struct fil_poller *poller, int fd, uint32_t interest,
                         void *context)
{
    fil_assert((interest & ~(FIL_POLL_READ | FIL_POLL_WRITE | FIL_POLL_END)) == 0);
    struct registration *registration = registration_of(sim, poller, fd);
    registration->is_used = true;
    registration->interest = interest;
    registration->context = context;
    fil_sim__trace(sim, FIL_SIM_ACTION_INTEREST, fd, interest, poller->id);
}

int fil_sim__poller_add(struct fil_env *env, struct fil_poller *poller, int fd, uint32_t interest,
                        void *context)
{
    struct fil_sim *sim = fil_sim__of(env);
    fil_assert(!registration_of(sim, poller, fd)->is_used);
    set_interest(sim, poller, fd, interest, context);
    return FIL_OK;
}

int fil_sim__poller_change(struct fil_env *env, struct fil_poller *poller, int fd,
                           uint32_t interest, void *context)
{
    struct fil_sim *sim = fil_sim__of(env);
    fil_assert(registration_of(sim, poller, fd)->is_used);
    set_interest(sim, poller, fd, interest, context);
    return FIL_OK;
}

void fil_sim__poller_remove(struct fil_env *env, struct fil_poller *poller, int fd)
{
    struct fil_sim *sim = fil_sim__of(env);
    struct registration *registration = registration_of(sim, poller, fd);
    fil_assert(registration->is_used);
    registration->is_used = false;
    fil_sim__trace(sim, FIL_SIM_ACTION_REMOVE, fd, 0, poller->id);
}

static uint32_t ready_of(const struct fil_sim *sim, const struct fil_poller *poller, uint32_t slot)
{
    const struct registration *registration = &poller->registrations[slot];
    if (!registration->is_used) {
        return 0;
    }
    return fil_sim__socket_ready(&sim->sockets[slot]) & (registration->interest | FIL_POLL_ERROR);
}

/** Notes what is ready, and now and then what is not; returns how many slots it listed. */
static uint32_t collect_ready(struct fil_sim *sim, struct fil_poller *poller)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < sim->socket_count_max; slot++) {
        struct registration *registration = &poller->registrations[slot];
        if (!registration->is_used) {
            continue;
        }
        registration->ready = ready_of(sim, poller, slot);
        // An end is never reported by mistake: the peer cannot take it back.
        uint32_t spurious = registration->interest & ~FIL_POLL_END;
        if (registration->ready == 0 && spurious != 0 &&
            fil_sim__strikes(sim, FIL_SIM_FAULT_SPURIOUS_READY, FIL_SIM_FD_FIRST + (int)slot)) {
            registration->ready = spurious;
        }
        if (registration->ready != 0) {
            sim->ready_slots[count] = slot;
            count++;
        }
    }
    return count;
}

static uint64_t deadline_after(const struct fil_sim *sim, int64_t timeout_ns)
{
    if (timeout_ns <= 0 || (uint64_t)timeout_ns > FIL_SIM_NEVER - sim->now_ns) {
        return FIL_SIM_NEVER; // for ever, or not at all
    }
    return sim->now_ns + (uint64_t)timeout_ns;
}

int fil_sim__poller_wait(struct fil_env *env, struct fil_poller *poller,
                         struct fil_poll_event *out_events, int limit, int64_t timeout_ns)
{
    struct fil_sim *sim = fil_sim__of(env);
    fil_assert(limit > 0);
    fil_assert(timeout_ns >= FIL_WAIT_FOREVER);
    uint32_t found = collect_ready(sim, poller);
    fil_prng_shuffle(&sim->schedule, sim->ready_slots, found, sizeof(sim->ready_slots[0]));
    int count = found < (uint32_t)limit ? (int)found : limit;
    bool is_asleep = count == 0 && !poller->is_woken;
    poller->deadline_ns = is_asleep ? deadline_after(sim, timeout_ns) : FIL_SIM_NEVER;
    poller->is_woken = false;

    fil_sim__trace(sim, FIL_SIM_ACTION_WAIT, poller->id, count, (uint64_t)timeout_ns);
    for (int i = 0; i < count; i++) {
        uint32_t slot = sim->ready_slots[i];
        const struct registration *registration = &poller->registrations[slot];
        out_events[i].context = registration->context;
        out_events[i].ready = registration->ready;
        fil_sim__trace(sim, FIL_SIM_ACTION_EVENT, FIL_SIM_FD_FIRST + (int)slot, registration->ready,
                       poller->id);
    }
    return count;
}

int fil_sim__poller_fd(struct fil_env *env, struct fil_poller *poller)
{
    (void)env;
    (void)poller;
    return -1; // there is nothing for the kernel to watch
}

void fil_sim__poller_wake(struct fil_env *env, struct fil_poller *poller)
{
    fil_assert(fil_list_is_linked(&poller->link));
    poller->is_woken = true;
    fil_sim__trace(fil_sim__of(env), FIL_SIM_ACTION_WAKE, poller->id, 0, 0);
}

void fil_sim__pollers_forget(struct fil_sim *sim, int fd)
{
    fil_list_foreach(link, &sim->pollers) {
        poller_of(link)->registrations[fd - FIL_SIM_FD_FIRST].is_used = false;
    }
}

uint64_t fil_sim__pollers_next_ns(struct fil_sim *sim)
{
    uint64_t next_ns = FIL_SIM_NEVER;
    fil_list_foreach(link, &sim->pollers) {
        uint64_t deadline_ns = poller_of(link)->deadline_ns;
        if (deadline_ns > sim->now_ns && deadline_ns < next_ns) {
            next_ns = deadline_ns;
        }
    }
    return next_ns;
}

bool fil_sim__pollers_have_expired(struct fil_sim *sim)
{
    fil_list_foreach(link, &sim->pollers) {
        if (poller_of(link)->deadline_ns <= sim->now_ns) {
            return true;
        }
    }
    return false;
}

static bool is_ready(const struct fil_sim *sim, const struct fil_poller *poller)
{
    if (poller->is_woken) {
        return true;
    }
    for (uint32_t slot = 0; slot < sim->socket_count_max; slot++) {
        if (ready_of(sim, poller, slot) != 0) {
            return true;
        }
    }
    return false;
}

bool fil_sim__pollers_are_ready(struct fil_sim *sim)
{
    fil_list_foreach(link, &sim->pollers) {
        if (is_ready(sim, poller_of(link))) {
            return true;
        }
    }
    return false;
}

uint32_t fil_sim__pollers_report(struct fil_sim *sim, FILE *out)
{
    uint32_t count = 0;
    fil_list_foreach(link, &sim->pollers) {
        const struct fil_poller *poller = poller_of(link);
        (void)fprintf(out, "  poller %u: %s", poller->id,
                      is_ready(sim, poller) ? "ready" : "not ready");
        if (poller->deadline_ns != FIL_SIM_NEVER) {
            (void)fprintf(out, ", waits until %llu ns", (unsigned long long)poller->deadline_ns);
        }
        (void)fputc('\n', out);
        count++;
    }
    return count;
}
