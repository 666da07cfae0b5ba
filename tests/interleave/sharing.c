// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "lib/base/assert.h"
#include "tests/interleave/explorer_internal.h"

#define PLACES_MAX 4096U

/** One place in memory and who uses it, over all passes of a case. */
struct place {
    const void *address;
    uint32_t users; // a bit an actor
    bool is_written;
    bool is_shared;
};

static struct place places[PLACES_MAX];
static uint32_t shared_count;
static bool has_surprise;

void fil_sharing__clear(void)
{
    memset(places, 0, sizeof(places));
    shared_count = 0;
    has_surprise = false;
}

static struct place *find(const void *address)
{
    uintptr_t index = ((uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15)) >> 40;
    struct place *place = &places[index % PLACES_MAX];
    for (uint32_t tries = 0; place->address != address && place->address != NULL; tries++) {
        fil_assert(tries < PLACES_MAX); // else the case uses too many places
        index++;
        place = &places[index % PLACES_MAX];
    }
    place->address = address;
    return place;
}

bool fil_sharing__note(const void *address, uint32_t actor, bool is_write)
{
    struct place *place = find(address);
    place->users |= 1U << actor;
    place->is_written = place->is_written || is_write;
    bool has_several_users = (place->users & (place->users - 1)) != 0;
    if (!place->is_shared && place->is_written && has_several_users) {
        place->is_shared = true;
        shared_count++;
        has_surprise = true;
    }
    return place->is_shared;
}

bool fil_sharing__take_surprise(void)
{
    bool had_surprise = has_surprise;
    has_surprise = false;
    return had_surprise;
}

uint32_t fil_sharing__count(void)
{
    return shared_count;
}
