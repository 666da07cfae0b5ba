// SPDX-License-Identifier: Apache-2.0
/**
 * Records that wait for an answer from outside: a bounded number of slots, each with a copy of its
 * record and room for the answer; those that are back leave in the order of the records, or as they
 * come.
 *
 * Memory:  slots and their bytes are drawn from a budget, once.
 * Threads: whoever owns it; a slot that is out may be written to by somebody else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/mem/budget.h"

/** First member of what a processor keeps for a record that is under way. */
struct fil_flight_slot {
    struct fil_list link;
    int64_t time;
    bool is_out;     // not back yet
    uint8_t *record; // copied
    uint8_t *answer; // zeros at first, then what was written last
};

struct fil_flight_options {
    uint32_t slot_count;
    size_t slot_size;
    size_t record_size;
    size_t answer_size;
    bool is_unordered;
};

struct fil_flight {
    struct fil_flight_options options;
    struct fil_budget *budget;
    uint8_t *memory;
    size_t memory_size;
    struct fil_list free;
    struct fil_list used; // in the order of the records
    struct fil_list back; // unordered: those that are not out any more
    uint32_t count;       // in use
    uint32_t out_count;   // of these, not back
};

/** FIL_E_NOMEM; fini is due in any case. */
int fil_flight_init(struct fil_flight *flight, struct fil_budget *budget,
                    const struct fil_flight_options *options) FIL_NODISCARD;

/** Harmless on a zeroed one. */
void fil_flight_fini(struct fil_flight *flight);

/** A slot by its number, for those who have to prepare them. */
void *fil_flight_slot(struct fil_flight *flight, uint32_t number);

/** A slot with a copy of the record, which is out; NULL when all are in use. */
void *fil_flight_send(struct fil_flight *flight, const void *record, int64_t time);

/** The slot is back. */
void fil_flight_land(struct fil_flight *flight, struct fil_flight_slot *slot);

/** The slot whose turn it is to leave; NULL: none now. */
void *fil_flight_first(struct fil_flight *flight);

/** It has left. */
void fil_flight_release(struct fil_flight *flight, struct fil_flight_slot *slot);
