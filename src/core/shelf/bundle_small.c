// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/bundle_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

/** Members of a kind mostly differ at their ends: these are compared without a call. */
static inline bool is_member(const uint8_t *at, const struct fil_bundle__item *item)
{
    uint64_t words[2];
    uint32_t size = item->member_size;
    if (at[0] != item->bytes[0]) {
        return false; // of another size, or another number
    }
    if (size > sizeof(words[0])) {
        memcpy(&words[0], at + size - sizeof(words[0]), sizeof(words[0]));
        memcpy(&words[1], item->bytes + size - sizeof(words[1]), sizeof(words[1]));
        if (words[0] != words[1]) {
            return false;
        }
    }
    return memcmp(at, item->bytes, size) == 0;
}

uint32_t fil_bundle__end_from(const struct fil_bundle *bundle, uint32_t offset, uint32_t index)
{
    const uint8_t *data = bundle->spot.value.data;
    for (; index < bundle->small_count; index++) {
        offset += fil_bundle__size_at(bundle, data + offset);
    }
    fil_assert(offset <= bundle->spot.value.size);
    return offset;
}

struct fil_bundle__place fil_bundle__search(const struct fil_bundle *bundle,
                                            const struct fil_bundle__item *item)
{
    const uint8_t *data = bundle->spot.value.data;
    struct fil_bundle__place place = {.offset = FIL_VALUE_HEAD};
    for (; place.index < bundle->small_count; place.index++) {
        const uint8_t *at = data + place.offset;
        uint32_t size = fil_bundle__size_at(bundle, at);
        if (is_member(at, item)) {
            place.size = size;
            place.is_found = true;
            break;
        }
        place.offset += size;
    }
    place.end = fil_bundle__end_from(bundle, place.offset, place.index);
    return place;
}

bool fil_bundle__fits(const struct fil_bundle *bundle, const struct fil_bundle__place *place,
                      uint32_t item_size)
{
    return bundle->small_count + !place->is_found <= FIL_BUNDLE_SMALL_MEMBERS &&
           place->end - place->size + item_size <= FIL_VALUE_SMALL_MAX;
}

/** Kind, flags and count, as the bundle has them. */
static void set_head(const struct fil_bundle *bundle, uint8_t *value)
{
    fil_assert(bundle->small_count <= UINT16_MAX);
    value[0] = (uint8_t)((uint32_t)bundle->kind | (bundle->is_odd ? FIL_VALUE_ODD : 0));
    value[1] = (uint8_t)bundle->small_count;
    value[2] = (uint8_t)(bundle->small_count >> 8);
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
    uint32_t new_end = place->end - place->size + item->size;
    uint32_t size = new_end > bundle->spot.value.size ? new_end : (uint32_t)bundle->spot.value.size;
    // Growing may be refused; at the size that it has a record is always written in place.
    int error = fil_store_edit_found(fil_bundle__store(bundle), &bundle->spot, size, &edit);
    if (error != FIL_OK) {
        return error;
    }
    uint8_t *at = edit.value + place->offset;
    memmove(at + item->size, at + place->size, place->end - place->offset - place->size);
    if (item->size > 0) {
        memcpy(at, item->bytes, item->size);
    }
    bundle->small_count = bundle->small_count - place->is_found + (item->size > 0);
    set_head(bundle, edit.value);
    error = fil_store_commit(fil_bundle__store(bundle), &edit);
    fil_assert(error == FIL_OK); // it has no indexes
    bundle->is_stale = true;
    if (new_end < size) {
        trim(bundle, new_end);
    }
    return FIL_OK;
}

int fil_bundle__create(struct fil_bundle *bundle, const struct fil_bundle__item *item)
{
    uint8_t value[FIL_VALUE_HEAD + sizeof(item->bytes)];
    struct fil_store_write how = {.now_ms = bundle->now_ms, .condition = FIL_STORE_IF_ABSENT};
    fil_assert(!bundle->is_there && bundle->kind != FIL_COLLECTION_LIST);
    bundle->small_count = 1;
    set_head(bundle, value);
    memcpy(value + FIL_VALUE_HEAD, item->bytes, item->size);
    int error = fil_store_put(fil_bundle__store(bundle), bundle->hash, bundle->key,
                              fil_bytes_make(value, FIL_VALUE_HEAD + item->size), &how, NULL);
    bundle->is_stale = error == FIL_OK;
    bundle->is_there = error == FIL_OK;
    bundle->small_count = error == FIL_OK;
    return error;
}

double fil_bundle__score_at(const uint8_t *item)
{
    int64_t number = 0;
    double score = 0;
    if (fil_pack_read_number(item, &number)) {
        return (double)number;
    }
    fil_assert(item[0] == sizeof(score));
    memcpy(&score, item + 1, sizeof(score));
    return score;
}

/** Gives a large one the member of the small that stands there. */
static int add_member(struct fil_collection *large, const uint8_t *at)
{
    char digits[2][FIL_DIGITS_MAX];
    struct fil_bytes member = fil_pack_read(at, digits[0]);
    struct fil_bytes value = {0};
    double score = 0;
    if (large->kind == FIL_COLLECTION_ZSET) {
        score = fil_bundle__score_at(at + fil_pack_size(at));
        value = fil_bytes_make(&score, sizeof(score));
    } else if (large->kind == FIL_COLLECTION_HASH) {
        value = fil_pack_read(at + fil_pack_size(at), digits[1]);
    }
    return fil_collection_add(large, fil_collection_hash(large, member), member, value);
}

static int fill(const struct fil_bundle *bundle, struct fil_collection *large)
{
    const uint8_t *at = bundle->spot.value.data + FIL_VALUE_HEAD;
    int error = FIL_OK;
    for (uint32_t i = bundle->small_count; i > 0 && error == FIL_OK; i--) {
        error = add_member(large, at);
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

int fil_bundle__enlarge(struct fil_bundle *bundle)
{
    struct fil_shelf *shelf = bundle->shelf;
    struct fil_collection *large =
        fil_collection_new(bundle->kind, &shelf->account, shelf->options.hash_seed);
    if (large == NULL) {
        return FIL_E_NOMEM;
    }
    int error = FIL_OK;
    large->is_odd = bundle->is_odd;
    if (bundle->is_there) {
        error = fill(bundle, large);
    }
    if (error == FIL_OK) {
        error = refer(bundle, large);
    }
    if (error != FIL_OK) {
        fil_collection_free(large);
        return error;
    }
    bundle->is_there = true;
    fil_bundle__refresh(bundle);
    return FIL_OK;
}
