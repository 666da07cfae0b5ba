// SPDX-License-Identifier: Apache-2.0
/** A queue of numbers, and errands that offer to it and poll from it. */
#pragma once

#include "grid/queue/queue.h"
#include "tests/unit/core/container/container_fixture.h"

static struct fil_queue *queue;

static inline void open_queue(const struct fil_queue_config *config)
{
    open_world(&fil_queue_type, config);
    queue = fil_queue_of(get_container(&fil_queue_type, "tasks"));
}

static inline struct fil_bytes bytes_of(const uint64_t *number)
{
    return fil_bytes_make(number, sizeof(*number));
}

static inline uint64_t number_of(struct fil_bytes item)
{
    uint64_t number = 0;
    fil_assert(item.size == sizeof(number));
    memcpy(&number, item.data, sizeof(number));
    return number;
}

static inline int offer_work(struct errand *errand)
{
    return fil_queue_offer_here(queue, &errand->waiter, bytes_of(&errand->number), now_ms());
}

static inline int poll_work(struct errand *errand)
{
    struct fil_bytes item;
    int error = fil_queue_next_here(queue, &errand->waiter, &item);
    if (error == FIL_OK) {
        errand->number = number_of(item);
        fil_queue_take_here(queue, &errand->waiter, now_ms());
    }
    return error;
}

static inline void send_offer(struct errand *errand, uint64_t number, uint64_t timeout_ms)
{
    errand->work = offer_work;
    errand->number = number;
    send_errand(errand, &queue->container, timeout_ms);
}

static inline void send_poll(struct errand *errand, uint64_t timeout_ms)
{
    errand->work = poll_work;
    errand->number = 0;
    send_errand(errand, &queue->container, timeout_ms);
}

/** Offers in place, without waiting. */
static inline int offer_now(uint64_t number)
{
    struct fil_waiter waiter = {0};
    struct fil_partition *partition = go_in(&queue->container);
    int error = fil_queue_offer_here(queue, &waiter, bytes_of(&number), now_ms());
    fil_partition_leave(partition);
    return error;
}

/** Polls in place, without waiting. */
static inline int poll_now(uint64_t *out_number)
{
    struct errand errand = {.op.type = NULL};
    struct fil_partition *partition = go_in(&queue->container);
    int error = poll_work(&errand);
    fil_partition_leave(partition);
    *out_number = errand.number;
    return error;
}
