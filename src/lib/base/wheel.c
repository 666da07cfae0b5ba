// SPDX-License-Identifier: Apache-2.0
#include "lib/base/wheel.h"

#include "lib/base/assert.h"

#define SLOT_BITS 6U
#define SLOT_MASK (FIL_WHEEL_SLOTS - 1U)
#define SLOT_DUE  UINT16_MAX
#define SPAN_MAX  (UINT64_C(1) << (SLOT_BITS * FIL_WHEEL_LEVELS))

/** The first tick that begins at or after the time: a timer never fires early. */
static uint64_t tick_of(uint64_t deadline_ns)
{
    uint64_t tick = deadline_ns >> FIL_WHEEL_TICK_SHIFT;
    bool is_exact = (tick << FIL_WHEEL_TICK_SHIFT) == deadline_ns;
    return is_exact ? tick : tick + 1;
}

void fil_wheel_init(struct fil_wheel *wheel, uint64_t now_ns)
{
    wheel->tick = now_ns >> FIL_WHEEL_TICK_SHIFT;
    wheel->count = 0;
    fil_list_init(&wheel->due);
    for (uint32_t level = 0; level < FIL_WHEEL_LEVELS; level++) {
        wheel->occupied[level] = 0;
        for (uint32_t slot = 0; slot < FIL_WHEEL_SLOTS; slot++) {
            fil_list_init(&wheel->slots[level][slot]);
        }
    }
}

void fil_timer_init(struct fil_timer *timer)
{
    fil_list_init(&timer->link);
    timer->deadline_ns = 0;
    timer->slot = SLOT_DUE;
}

/** The lowest level whose span, counted from the current tick, reaches the timer's tick. */
static uint32_t level_of(uint64_t distance)
{
    uint32_t level = 0;
    while (level + 1 < FIL_WHEEL_LEVELS && distance >> (SLOT_BITS * (level + 1)) != 0) {
        level++;
    }
    return level;
}

/** Puts the timer into the slot for its time; late ones into the current tick's slot. */
static void file_timer(struct fil_wheel *wheel, struct fil_timer *timer)
{
    uint64_t tick = tick_of(timer->deadline_ns);
    if (tick < wheel->tick) {
        tick = wheel->tick;
    }
    if (tick - wheel->tick >= SPAN_MAX) {
        tick = wheel->tick + SPAN_MAX - 1;
    }
    uint32_t level = level_of(tick - wheel->tick);
    uint32_t slot = (uint32_t)(tick >> (SLOT_BITS * level)) & SLOT_MASK;
    timer->slot = (uint16_t)(level * FIL_WHEEL_SLOTS + slot);
    wheel->occupied[level] |= UINT64_C(1) << slot;
    fil_list_push_back(&wheel->slots[level][slot], &timer->link);
}

void fil_wheel_arm(struct fil_wheel *wheel, struct fil_timer *timer, uint64_t deadline_ns)
{
    fil_wheel_disarm(wheel, timer);
    timer->deadline_ns = deadline_ns;
    wheel->count++;
    file_timer(wheel, timer);
}

/** Takes the timer out of its list and clears the slot's bit when it was the last one. */
static void unfile_timer(struct fil_wheel *wheel, struct fil_timer *timer)
{
    fil_list_remove(&timer->link);
    if (timer->slot == SLOT_DUE) {
        return;
    }
    uint32_t level = timer->slot / FIL_WHEEL_SLOTS;
    uint32_t slot = timer->slot & SLOT_MASK;
    if (fil_list_is_empty(&wheel->slots[level][slot])) {
        wheel->occupied[level] &= ~(UINT64_C(1) << slot);
    }
}

void fil_wheel_disarm(struct fil_wheel *wheel, struct fil_timer *timer)
{
    if (!fil_timer_is_armed(timer)) {
        return;
    }
    fil_assert(wheel->count > 0);
    unfile_timer(wheel, timer);
    wheel->count--;
}

/** Files the timers of a higher level's slot again, now that their time is nearer. */
static void cascade(struct fil_wheel *wheel, uint32_t level)
{
    uint32_t slot = (uint32_t)(wheel->tick >> (SLOT_BITS * level)) & SLOT_MASK;
    struct fil_list moved;
    fil_list_init(&moved);
    fil_list_append(&moved, &wheel->slots[level][slot]);
    wheel->occupied[level] &= ~(UINT64_C(1) << slot);
    for (struct fil_list *link = fil_list_take_front(&moved); link != NULL;
         link = fil_list_take_front(&moved)) {
        file_timer(wheel, FIL_CONTAINER_OF(link, struct fil_timer, link));
    }
}

/** Moves the current tick's timers to the due list. */
static void collect_due(struct fil_wheel *wheel)
{
    uint32_t slot = (uint32_t)wheel->tick & SLOT_MASK;
    struct fil_list *timers = &wheel->slots[0][slot];
    fil_list_foreach(link, timers) {
        FIL_CONTAINER_OF(link, struct fil_timer, link)->slot = SLOT_DUE;
    }
    fil_list_append(&wheel->due, timers);
    wheel->occupied[0] &= ~(UINT64_C(1) << slot);
}

/** Slots from position to the next occupied one, going round once; occupied is not empty. */
static uint32_t slots_ahead(uint64_t occupied, uint32_t position)
{
    uint32_t shift = position & SLOT_MASK;
    uint64_t rotated =
        shift == 0 ? occupied : (occupied >> shift) | (occupied << (FIL_WHEEL_SLOTS - shift));
    return (uint32_t)__builtin_ctzll(rotated);
}

/** Ticks until the next slot, of any level, that holds a timer; something must be filed. */
static uint64_t ticks_to_skip(const struct fil_wheel *wheel)
{
    uint64_t nearest = SPAN_MAX;
    if (wheel->occupied[0] != 0) {
        nearest = slots_ahead(wheel->occupied[0], (uint32_t)wheel->tick & SLOT_MASK);
    }
    for (uint32_t level = 1; level < FIL_WHEEL_LEVELS; level++) {
        if (wheel->occupied[level] == 0) {
            continue;
        }
        // The current slot of a higher level has been cascaded: what is in it is a turn away.
        uint64_t position = wheel->tick >> (SLOT_BITS * level);
        uint32_t ahead =
            slots_ahead(wheel->occupied[level], (uint32_t)(position + 1) & SLOT_MASK) + 1;
        uint64_t start = (position + ahead) << (SLOT_BITS * level);
        if (start - wheel->tick < nearest) {
            nearest = start - wheel->tick;
        }
    }
    return nearest;
}

/** One step: to the next tick that can hold something, at most to the limit. */
static void step(struct fil_wheel *wheel, uint64_t limit)
{
    uint64_t skip = ticks_to_skip(wheel);
    if (skip > limit - wheel->tick) {
        skip = limit - wheel->tick;
    }
    if (skip > 0) {
        wheel->tick += skip;
        for (uint32_t level = 1; level < FIL_WHEEL_LEVELS; level++) {
            bool is_turn = (wheel->tick & ((UINT64_C(1) << (SLOT_BITS * level)) - 1)) == 0;
            if (!is_turn) {
                break;
            }
            cascade(wheel, level);
        }
    }
    collect_due(wheel);
}

struct fil_timer *fil_wheel_take(struct fil_wheel *wheel, uint64_t now_ns)
{
    uint64_t now_tick = now_ns >> FIL_WHEEL_TICK_SHIFT;
    while (fil_list_is_empty(&wheel->due)) {
        if (wheel->count == 0) {
            wheel->tick = now_tick > wheel->tick ? now_tick : wheel->tick;
            return NULL;
        }
        if (now_tick < wheel->tick) {
            return NULL;
        }
        step(wheel, now_tick);
        if (wheel->tick == now_tick && fil_list_is_empty(&wheel->due)) {
            return NULL;
        }
    }
    struct fil_list *link = fil_list_take_front(&wheel->due);
    fil_assert(wheel->count > 0);
    wheel->count--;
    return FIL_CONTAINER_OF(link, struct fil_timer, link);
}

uint64_t fil_wheel_next_ns(const struct fil_wheel *wheel)
{
    if (wheel->count == 0) {
        return FIL_WHEEL_NEVER;
    }
    if (!fil_list_is_empty(&wheel->due)) {
        return 0;
    }
    return (wheel->tick + ticks_to_skip(wheel)) << FIL_WHEEL_TICK_SHIFT;
}
