// SPDX-License-Identifier: Apache-2.0
/** Small bundles as bytes: shared by those with and without an order. */
#pragma once

#include "core/items/pack.h"
#include "core/shelf/bundle.h"
#include "lib/base/assert.h"

/** A member and its value as they stand in a pack. */
struct fil_bundle__item {
    uint8_t bytes[2 * FIL_PACK_ITEM_MAX];
    uint32_t member_size; // of the member in the pack
    uint32_t size;        // of both
};

/** Where a member is, or would be. */
struct fil_bundle__place {
    uint32_t offset; // in the record's value
    uint32_t size;   // of what is there; 0: nothing
    uint32_t index;
    uint32_t end; // where the last member ends; there may be bytes behind it
    bool is_found;
};

static inline struct fil_store *fil_bundle__store(const struct fil_bundle *bundle)
{
    fil_assert(bundle->shelf != NULL);
    return &bundle->shelf->store;
}

/** Whether the members are in the record. */
static inline bool fil_bundle__is_small(const struct fil_bundle *bundle)
{
    return bundle->is_there && bundle->large == NULL;
}

/** Looks the record up again if it has changed. */
void fil_bundle__refresh(struct fil_bundle *bundle);

static inline bool fil_bundle__has_values(const struct fil_bundle *bundle)
{
    return bundle->kind != FIL_COLLECTION_SET;
}

/** Bytes of the member there with its value. */
static inline uint32_t fil_bundle__size_at(const struct fil_bundle *bundle, const uint8_t *at)
{
    uint32_t size = fil_pack_size(at);
    return fil_bundle__has_values(bundle) ? size + fil_pack_size(at + size) : size;
}

/** Goes on from a place to the end of the last member. */
uint32_t fil_bundle__end_from(const struct fil_bundle *bundle, uint32_t offset, uint32_t index);

/** Where the member is; behind the last when it is not there. Only of a small one. */
struct fil_bundle__place fil_bundle__search(const struct fil_bundle *bundle,
                                            const struct fil_bundle__item *item);

/** Puts an item, or with a size of 0 nothing, in the place of what is there. FIL_E_NOMEM never for
 * nothing. */
int fil_bundle__splice(struct fil_bundle *bundle, const struct fil_bundle__place *place,
                       const struct fil_bundle__item *item) FIL_NODISCARD;

/** A record with this item alone, or with an item added; whether it is still small. */
bool fil_bundle__fits(const struct fil_bundle *bundle, const struct fil_bundle__place *place,
                      uint32_t item_size);

/** Makes the key's record with its first item. FIL_E_NOMEM. */
int fil_bundle__create(struct fil_bundle *bundle, const struct fil_bundle__item *item)
    FIL_NODISCARD;

/** The score of a small sorted set's member, which stands there. */
double fil_bundle__score_at(const uint8_t *item);

/** From small, or from nothing, to large. FIL_E_NOMEM. */
int fil_bundle__enlarge(struct fil_bundle *bundle) FIL_NODISCARD;
