// SPDX-License-Identifier: Apache-2.0
/** The kinds of changes that listeners and the journal are told of. */
#pragma once

/** As bits, with the numbers of Hazelcast's protocol. */
enum fil_map_event_kind {
    FIL_MAP_ADDED = 1,
    FIL_MAP_REMOVED = 2,
    FIL_MAP_UPDATED = 4,
    FIL_MAP_EVICTED = 8,
    FIL_MAP_EXPIRED = 16,
    FIL_MAP_ALL_EVICTED = 32,
    FIL_MAP_CLEARED = 64,
};

#define FIL_MAP_EVENTS_ALL 127U
