// SPDX-License-Identifier: Apache-2.0
#include "core/exec/parking.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"

struct fil_parking *fil_parking_new(uint64_t now_ns)
{
    struct fil_parking *parking = fil_alloc_zero(1, sizeof(*parking));
    if (parking == NULL) {
        return NULL;
    }
    fil_wheel_init(&parking->deadlines, now_ns);
    for (uint32_t i = 0; i < FIL_PARKING_LINES; i++) {
        fil_list_init(&parking->lines[i]);
    }
    fil_list_init(&parking->sweep_mark);
    return parking;
}

void fil_parking_free(struct fil_parking *parking)
{
    fil_assert(parking == NULL || parking->count == 0);
    fil_free(parking);
}

/** A line holds operations and, while a search goes on, its mark. */
static bool is_op(const struct fil_parking *parking, const struct fil_list *link)
{
    return link != &parking->sweep_mark;
}

static struct fil_op *op_of(struct fil_list *link)
{
    return FIL_CONTAINER_OF(link, struct fil_op, park_link);
}

static struct fil_list *line_of(struct fil_parking *parking, uint64_t key)
{
    // The multiplier spreads keys that differ in few bits.
    return &parking->lines[(key * UINT64_C(0x9E3779B97F4A7C15)) >> 58];
}

void fil_parking_add(struct fil_parking *parking, struct fil_op *op, uint64_t key)
{
    fil_assert(!fil_list_is_linked(&op->park_link));
    op->park_key = key;
    fil_list_push_back(line_of(parking, key), &op->park_link);
    if (op->deadline_ns != FIL_OP_NO_DEADLINE) {
        fil_wheel_arm(&parking->deadlines, &op->park_timer, op->deadline_ns);
    }
    parking->count++;
}

void fil_parking_remove(struct fil_parking *parking, struct fil_op *op)
{
    fil_assert(fil_list_is_linked(&op->park_link));
    fil_assert(parking->count > 0);
    fil_list_remove(&op->park_link);
    fil_wheel_disarm(&parking->deadlines, &op->park_timer);
    parking->count--;
}

struct fil_op *fil_parking_take(struct fil_parking *parking, uint64_t key)
{
    fil_list_foreach(link, line_of(parking, key)) {
        if (is_op(parking, link) && op_of(link)->park_key == key) {
            fil_parking_remove(parking, op_of(link));
            return op_of(link);
        }
    }
    return NULL;
}

struct fil_op *fil_parking_take_expired(struct fil_parking *parking, uint64_t now_ns)
{
    struct fil_timer *timer = fil_wheel_take(&parking->deadlines, now_ns);
    if (timer == NULL) {
        return NULL;
    }
    struct fil_op *op = FIL_CONTAINER_OF(timer, struct fil_op, park_timer);
    fil_parking_remove(parking, op);
    return op;
}

struct fil_op *fil_parking_take_any(struct fil_parking *parking)
{
    for (uint32_t i = 0; parking->count > 0 && i < FIL_PARKING_LINES; i++) {
        fil_list_foreach(link, &parking->lines[i]) {
            if (is_op(parking, link)) {
                fil_parking_remove(parking, op_of(link));
                return op_of(link);
            }
        }
    }
    return NULL;
}

void fil_parking_begin_sweep(struct fil_parking *parking)
{
    if (!fil_list_is_linked(&parking->sweep_mark)) {
        fil_list_push_front(&parking->lines[parking->sweep_line], &parking->sweep_mark);
    }
    // Once round: the line it is in has a part before the mark.
    parking->sweep_lines = FIL_PARKING_LINES + 1;
}

/** The line is done: the mark goes to the beginning of the next, or away when that was the last. */
static void sweep_next_line(struct fil_parking *parking)
{
    fil_assert(parking->sweep_lines > 0);
    fil_list_remove(&parking->sweep_mark);
    parking->sweep_line = (parking->sweep_line + 1) % FIL_PARKING_LINES;
    parking->sweep_lines--;
    if (parking->sweep_lines > 0) {
        fil_list_push_front(&parking->lines[parking->sweep_line], &parking->sweep_mark);
    }
}

struct fil_op *fil_parking_sweep(struct fil_parking *parking,
                                 bool (*is_unwanted)(struct fil_op *op), uint32_t *looks)
{
    while (parking->sweep_lines > 0 && *looks > 0) {
        struct fil_list *next = parking->sweep_mark.next;
        (*looks)--;
        if (next == &parking->lines[parking->sweep_line]) {
            sweep_next_line(parking);
            continue;
        }
        struct fil_op *op = FIL_CONTAINER_OF(next, struct fil_op, park_link);
        if (is_unwanted(op)) {
            fil_parking_remove(parking, op);
            return op;
        }
        fil_list_remove(&parking->sweep_mark);
        fil_list_push_front(next, &parking->sweep_mark); // behind it
    }
    return NULL;
}
