// SPDX-License-Identifier: Apache-2.0
#include "grid/counter/counter.h"

#include "filbert/error.h"
#include "lib/base/assert.h"

static struct fil_pn_replica *find_replica(struct fil_pn_counter *counter, struct fil_pn_id id)
{
    for (uint32_t i = 0; i < counter->replica_count; i++) {
        struct fil_pn_replica *replica = &counter->replicas[i];
        if (replica->clock.id.high == id.high && replica->clock.id.low == id.low) {
            return replica;
        }
    }
    return NULL;
}

/** The replica, added if it is new; NULL when there are too many. */
static struct fil_pn_replica *need_replica(struct fil_pn_counter *counter, struct fil_pn_id id)
{
    struct fil_pn_replica *replica = find_replica(counter, id);
    if (replica == NULL && counter->replica_count < FIL_PN_REPLICAS_MAX) {
        replica = &counter->replicas[counter->replica_count];
        *replica = (struct fil_pn_replica){.clock.id = id};
        counter->replica_count++;
        fil_container_note_size_here(&counter->container, counter->replica_count,
                                     counter->replica_count * sizeof(*replica));
    }
    return replica;
}

/** Whether the caller has seen nothing that is not known here. */
static bool is_ahead_of(struct fil_pn_counter *counter, struct fil_pn_seen seen)
{
    for (uint32_t i = 0; i < seen.count; i++) {
        const struct fil_pn_replica *replica = find_replica(counter, seen.clocks[i].id);
        uint64_t known = replica == NULL ? 0 : replica->clock.time;
        if (known < seen.clocks[i].time) {
            return false;
        }
    }
    return true;
}

static int64_t sum(const struct fil_pn_counter *counter)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < counter->replica_count; i++) {
        total += counter->replicas[i].added - counter->replicas[i].taken;
    }
    return (int64_t)total;
}

int fil_pn_counter_get_here(struct fil_pn_counter *counter, struct fil_pn_seen seen,
                            uint64_t now_ms, int64_t *out_value)
{
    if (!is_ahead_of(counter, seen)) {
        return FIL_E_NOT_READY;
    }
    fil_counter_add(&counter->container.counters.reads, 1);
    fil_container_note_read_here(&counter->container, now_ms);
    *out_value = sum(counter);
    return FIL_OK;
}

int fil_pn_counter_add_here(struct fil_pn_counter *counter, struct fil_pn_seen seen,
                            struct fil_pn_change *change, uint64_t now_ms)
{
    if (!is_ahead_of(counter, seen)) {
        return FIL_E_NOT_READY;
    }
    struct fil_pn_replica *self = need_replica(counter, change->self);
    if (self == NULL) {
        return FIL_E_LIMIT;
    }
    change->before = sum(counter);
    if (change->delta >= 0) {
        self->added += (uint64_t)change->delta;
        fil_counter_add(&counter->container.counters.adds, 1);
    } else {
        self->taken += -(uint64_t)change->delta;
        fil_counter_add(&counter->container.counters.removes, 1);
    }
    self->clock.time++;
    change->after = sum(counter);
    fil_assert((uint64_t)change->after == (uint64_t)change->before + (uint64_t)change->delta);
    fil_container_note_update_here(&counter->container, now_ms);
    return FIL_OK;
}

int fil_pn_counter_merge_here(struct fil_pn_counter *counter, const struct fil_pn_replica *news)
{
    struct fil_pn_replica *replica = need_replica(counter, news->clock.id);
    if (replica == NULL) {
        return FIL_E_LIMIT;
    }
    // A replica's own changes are in the order of its clock, so the newer state holds the older.
    if (news->clock.time > replica->clock.time) {
        *replica = *news;
    }
    return FIL_OK;
}

static int open_counter(struct fil_container *container, const void *config)
{
    (void)config;
    fil_assert(fil_pn_counter_of(container)->replica_count == 0);
    return FIL_OK;
}

static void close_counter(struct fil_container *container)
{
    fil_pn_counter_of(container)->replica_count = 0;
}

static void clear_counter(struct fil_container *container, uint64_t now_ms)
{
    fil_pn_counter_of(container)->replica_count = 0;
    fil_container_note_update_here(container, now_ms);
    fil_container_note_size_here(container, 0, 0);
}

const struct fil_container_type fil_pn_counter_type = {
    .name = "counter",
    .size = sizeof(struct fil_pn_counter),
    .open = open_counter,
    .close = close_counter,
    .clear = clear_counter,
};
