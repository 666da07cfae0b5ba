// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/bundle_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

struct fil_bundle__place fil_bundle__search(const struct fil_bundle *bundle,
                                            const struct fil_bundle__item *item)
{
    const uint8_t *data = bundle->spot.value.data;
    uint32_t count = fil_value_small_count(bundle->spot.value);
    struct fil_bundle__place place = {.offset = FIL_VALUE_HEAD};
    for (; place.index < count; place.index++) {
        const uint8_t *at = data + place.offset;
        uint32_t size = fil_bundle__size_at(bundle, at);
        if (at[0] == item->bytes[0] && memcmp(at, item->bytes, item->member_size) == 0) {
            place.size = size;
            place.is_found = true;
            return place;
        }
        place.offset += size;
    }
    fil_assert(place.offset <= bundle->spot.value.size);
    return place;
}

/** Where the last item ends; there may be bytes behind it. */
static uint32_t end_of(const struct fil_bundle *bundle)
{
    const uint8_t *data = bundle->spot.value.data;
    uint32_t offset = FIL_VALUE_HEAD;
    for (uint32_t i = fil_value_small_count(bundle->spot.value); i > 0; i--) {
        offset += fil_bundle__size_at(bundle, data + offset);
    }
    fil_assert(offset <= bundle->spot.value.size);
    return offset;
}

bool fil_bundle__fits(const struct fil_bundle *bundle, const struct fil_bundle__place *place,
                      uint32_t item_size)
{
    uint32_t count = fil_value_small_count(bundle->spot.value) + !place->is_found;
    uint32_t end = place->is_found || place->index < count - 1 ? end_of(bundle) : place->offset;
    return count <= FIL_BUNDLE_SMALL_MEMBERS &&
           end - place->size + item_size <= FIL_VALUE_SMALL_MAX;
}

static void set_count(uint8_t *value, uint32_t count)
{
    fil_assert(count <= UINT16_MAX);
    value[1] = (uint8_t)count;
    value[2] = (uint8_t)(count >> 8);
}

/** Gives back what is behind the end; without memory for a smaller record it stays. */
static void trim(struct fil_bundle *bundle, uint32_t end)
{
    struct fil_store_edit edit;
    fil_bundle__refresh(bundle);
    if (end < bundle->spot.value.size &&
        fil_store_edit_found(fil_bundle__store(bundle), &bundle->spot, end, &edit) == FIL_OK) {
        int error = fil_store_commit(fil_bundle__store(bundle), &edit);
        fil_assert(error == FIL_OK); // it has no indexes
        bundle->is_stale = true;
    }
}

int fil_bundle__splice(struct fil_bundle *bundle, const struct fil_bundle__place *place,
                       const struct fil_bundle__item *item)
{
    struct fil_store_edit edit;
    uint32_t old_end = end_of(bundle);
    uint32_t new_end = old_end - place->size + item->size;
    uint32_t size = new_end > bundle->spot.value.size ? new_end : (uint32_t)bundle->spot.value.size;
    uint32_t count = fil_value_small_count(bundle->spot.value);
    // Growing may be refused; at the size that it has a record is always written in place.
    int error = fil_store_edit_found(fil_bundle__store(bundle), &bundle->spot, size, &edit);
    if (error != FIL_OK) {
        return error;
    }
    uint8_t *at = edit.value + place->offset;
    memmove(at + item->size, at + place->size, old_end - place->offset - place->size);
    if (item->size > 0) {
        memcpy(at, item->bytes, item->size);
    }
    set_count(edit.value, count - place->is_found + (item->size > 0));
    error = fil_store_commit(fil_bundle__store(bundle), &edit);
    bundle->is_stale = true;
    if (error == FIL_OK && new_end < size) {
        trim(bundle, new_end);
    }
    return error;
}

int fil_bundle__create(struct fil_bundle *bundle, const struct fil_bundle__item *item)
{
    uint8_t value[FIL_VALUE_HEAD + sizeof(item->bytes)];
    struct fil_store_write how = {.now_ms = bundle->now_ms, .condition = FIL_STORE_IF_ABSENT};
    fil_assert(!bundle->is_there && bundle->kind != FIL_COLLECTION_LIST);
    value[0] = (uint8_t)bundle->kind;
    set_count(value, 1);
    memcpy(value + FIL_VALUE_HEAD, item->bytes, item->size);
    int error = fil_store_put(fil_bundle__store(bundle), bundle->hash, bundle->key,
                              fil_bytes_make(value, FIL_VALUE_HEAD + item->size), &how, NULL);
    bundle->is_stale = error == FIL_OK;
    return error;
}

/** Gives a large one all members of the small. */
static int fill(const struct fil_bundle *bundle, struct fil_collection *large,
                fil_bundle__add_fn add)
{
    const uint8_t *at = bundle->spot.value.data + FIL_VALUE_HEAD;
    int error = FIL_OK;
    for (uint32_t i = fil_value_small_count(bundle->spot.value); i > 0 && error == FIL_OK; i--) {
        error = add(large, at, at + fil_pack_size(at));
        at += fil_bundle__size_at(bundle, at);
    }
    return error;
}

/** Makes the record refer to the large one. */
static int refer(struct fil_bundle *bundle, struct fil_collection *large)
{
    uint8_t value[FIL_VALUE_LARGE_BYTES];
    struct fil_store_write how = {.now_ms = bundle->now_ms, .keeps_expiry = true};
    fil_value_refer(value, large);
    int error = fil_store_put(fil_bundle__store(bundle), bundle->hash, bundle->key,
                              fil_bytes_make(value, sizeof(value)), &how, NULL);
    bundle->is_stale = error == FIL_OK;
    return error;
}

int fil_bundle__enlarge(struct fil_bundle *bundle, fil_bundle__add_fn add)
{
    struct fil_shelf *shelf = bundle->shelf;
    struct fil_collection *large =
        fil_collection_new(bundle->kind, &shelf->account, shelf->options.hash_seed);
    if (large == NULL) {
        return FIL_E_NOMEM;
    }
    int error = FIL_OK;
    if (bundle->is_there) {
        large->is_odd = fil_value_is_odd(bundle->spot.value);
        error = fill(bundle, large, add);
    }
    if (error == FIL_OK) {
        error = refer(bundle, large);
    }
    if (error != FIL_OK) {
        fil_collection_free(large);
        return error;
    }
    fil_bundle__refresh(bundle);
    return FIL_OK;
}

void fil_bundle__set_odd(struct fil_bundle *bundle)
{
    struct fil_store_edit edit;
    fil_bundle__refresh(bundle);
    if (bundle->large != NULL) {
        bundle->large->is_odd = true;
        return;
    }
    // At the size that it has a record is always written in place.
    int error = fil_store_edit_found(fil_bundle__store(bundle), &bundle->spot,
                                     bundle->spot.value.size, &edit);
    fil_assert(error == FIL_OK);
    edit.value[0] |= FIL_VALUE_ODD;
    error = fil_store_commit(fil_bundle__store(bundle), &edit);
    fil_assert(error == FIL_OK);
    bundle->is_stale = true;
}
