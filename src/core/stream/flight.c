// SPDX-License-Identifier: Apache-2.0
#include "core/stream/flight.h"

#include <string.h>

#include "filbert/error.h"

static size_t align(size_t size)
{
    return (size + 15U) & ~(size_t)15U;
}

static size_t each_bytes(const struct fil_flight_options *options)
{
    return align(options->slot_size) + align(options->record_size) + align(options->answer_size);
}

void *fil_flight_slot(struct fil_flight *flight, uint32_t number)
{
    fil_assert(number < flight->options.slot_count);
    return flight->memory + each_bytes(&flight->options) * number;
}

int fil_flight_init(struct fil_flight *flight, struct fil_budget *budget,
                    const struct fil_flight_options *options)
{
    *flight = (struct fil_flight){.options = *options, .budget = budget};
    fil_list_init(&flight->free);
    fil_list_init(&flight->used);
    fil_list_init(&flight->back);
    flight->memory_size = each_bytes(options) * options->slot_count;
    flight->memory = fil_budget_alloc(budget, flight->memory_size);
    for (uint32_t i = 0; flight->memory != NULL && i < options->slot_count; i++) {
        struct fil_flight_slot *slot = fil_flight_slot(flight, i);
        fil_list_init(&slot->link);
        slot->record = (uint8_t *)slot + align(options->slot_size);
        slot->answer = slot->record + align(options->record_size);
        fil_list_push_back(&flight->free, &slot->link);
    }
    return flight->memory == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_flight_fini(struct fil_flight *flight)
{
    if (flight->memory != NULL) {
        fil_budget_free(flight->budget, flight->memory, flight->memory_size);
        flight->memory = NULL;
    }
}

void *fil_flight_send(struct fil_flight *flight, const void *record, int64_t time)
{
    struct fil_list *link = fil_list_take_front(&flight->free);
    if (link == NULL) {
        return NULL;
    }
    struct fil_flight_slot *slot = FIL_CONTAINER_OF(link, struct fil_flight_slot, link);
    fil_list_push_back(&flight->used, link);
    flight->count++;
    flight->out_count++;
    slot->time = time;
    slot->is_out = true;
    memcpy(slot->record, record, flight->options.record_size);
    return slot;
}

void fil_flight_land(struct fil_flight *flight, struct fil_flight_slot *slot)
{
    fil_assert(slot->is_out);
    slot->is_out = false;
    flight->out_count--;
    if (flight->options.is_unordered) {
        fil_list_remove(&slot->link);
        fil_list_push_back(&flight->back, &slot->link);
    }
}

void *fil_flight_first(struct fil_flight *flight)
{
    struct fil_list *list = flight->options.is_unordered ? &flight->back : &flight->used;
    if (fil_list_is_empty(list)) {
        return NULL;
    }
    struct fil_flight_slot *slot = FIL_CONTAINER_OF(list->next, struct fil_flight_slot, link);
    return slot->is_out ? NULL : slot;
}

void fil_flight_release(struct fil_flight *flight, struct fil_flight_slot *slot)
{
    fil_assert(!slot->is_out && flight->count > 0);
    fil_list_remove(&slot->link);
    fil_list_push_back(&flight->free, &slot->link);
    flight->count--;
}
