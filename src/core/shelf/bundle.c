// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/bundle.h"

#include "core/shelf/bundle_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define COMPACT_HASH_MAX 512U // members that Redis keeps in its compact form
#define COMPACT_SET_MAX  512U

static void look_up(struct fil_bundle *bundle)
{
    bundle->is_stale = false;
    bundle->large = NULL;
    bundle->is_there =
        bundle->shelf != NULL && fil_store_find(fil_bundle__store(bundle), bundle->hash,
                                                bundle->key, bundle->now_ms, &bundle->spot);
    if (bundle->is_there) {
        bundle->kind = fil_value_kind(bundle->spot.value);
        bundle->large = fil_value_large(bundle->spot.value);
    }
}

void fil_bundle_open(struct fil_bundle *bundle, struct fil_shelf *shelf, uint64_t hash,
                     struct fil_bytes key, uint64_t now_ms)
{
    bundle->shelf = shelf;
    bundle->hash = hash;
    bundle->key = key;
    bundle->now_ms = now_ms;
    bundle->kind = FIL_COLLECTION_LIST;
    look_up(bundle);
}

void fil_bundle__refresh(struct fil_bundle *bundle)
{
    if (bundle->is_stale) {
        look_up(bundle);
        fil_assert(bundle->is_there);
    }
}

static struct fil_dict *dict_of(const struct fil_bundle *bundle)
{
    fil_assert(bundle->large != NULL && bundle->large->kind != FIL_COLLECTION_LIST);
    return &bundle->large->box->dict;
}

uint64_t fil_bundle_count(struct fil_bundle *bundle)
{
    fil_bundle__refresh(bundle);
    return bundle->is_there ? fil_value_count(bundle->spot.value) : 0;
}

bool fil_bundle_is_odd(struct fil_bundle *bundle)
{
    fil_bundle__refresh(bundle);
    return bundle->is_there && fil_value_is_odd(bundle->spot.value);
}

static bool is_short(const struct fil_bundle *bundle, struct fil_bytes member,
                     struct fil_bytes value)
{
    return bundle->large == NULL && member.size <= FIL_PACK_TEXT_MAX &&
           value.size <= FIL_PACK_TEXT_MAX;
}

static void make_item(const struct fil_bundle *bundle, struct fil_bytes member,
                      struct fil_bytes value, struct fil_bundle__item *out_item)
{
    out_item->member_size = fil_pack_write(member, out_item->bytes);
    out_item->size = out_item->member_size;
    if (fil_bundle__has_values(bundle)) {
        out_item->size += fil_pack_write(value, out_item->bytes + out_item->member_size);
    }
}

bool fil_bundle_find(struct fil_bundle *bundle, struct fil_bytes member,
                     struct fil_bytes *out_value)
{
    struct fil_bundle__item item;
    fil_bundle__refresh(bundle);
    if (!fil_bundle__is_small(bundle)) {
        return bundle->is_there && fil_dict_find(dict_of(bundle), member, out_value);
    }
    if (member.size > FIL_PACK_TEXT_MAX) {
        return false;
    }
    item.member_size = fil_pack_write(member, item.bytes);
    struct fil_bundle__place place = fil_bundle__search(bundle, &item);
    if (place.is_found && out_value != NULL && fil_bundle__has_values(bundle)) {
        const uint8_t *value = bundle->spot.value.data + place.offset + item.member_size;
        *out_value = fil_pack_read(value, bundle->digits[1]);
    }
    return place.is_found;
}

static int add_member(struct fil_collection *large, const uint8_t *member, const uint8_t *value)
{
    char digits[2][FIL_DIGITS_MAX];
    bool is_new = false;
    bool has_value = large->kind != FIL_COLLECTION_SET;
    return fil_dict_put(&large->box->dict, fil_pack_read(member, digits[0]),
                        has_value ? fil_pack_read(value, digits[1]) : fil_bytes_make(NULL, 0),
                        &is_new);
}

/** Whether a put member is one that Redis would give up its compact form for. */
static bool makes_odd(const struct fil_bundle *bundle, struct fil_bytes member,
                      struct fil_bytes value, uint64_t count)
{
    int64_t number = 0;
    if (bundle->kind == FIL_COLLECTION_SET) {
        return count > COMPACT_SET_MAX || !fil_digits_read(member, &number);
    }
    return count > COMPACT_HASH_MAX || member.size > FIL_PACK_TEXT_MAX ||
           value.size > FIL_PACK_TEXT_MAX;
}

static int put_small(struct fil_bundle *bundle, struct fil_bytes member, struct fil_bytes value,
                     bool *out_is_new, bool *out_fits)
{
    struct fil_bundle__item item;
    make_item(bundle, member, value, &item);
    *out_is_new = true;
    if (!bundle->is_there) {
        return fil_bundle__create(bundle, &item);
    }
    struct fil_bundle__place place = fil_bundle__search(bundle, &item);
    *out_is_new = !place.is_found;
    if (place.is_found && !fil_bundle__has_values(bundle)) {
        return FIL_OK;
    }
    *out_fits = fil_bundle__fits(bundle, &place, item.size);
    return *out_fits ? fil_bundle__splice(bundle, &place, &item) : FIL_OK;
}

int fil_bundle_put(struct fil_bundle *bundle, struct fil_bytes member, struct fil_bytes value,
                   bool *out_is_new)
{
    bool is_done = true;
    int error = FIL_OK;
    fil_assert(bundle->kind == FIL_COLLECTION_HASH || bundle->kind == FIL_COLLECTION_SET);
    fil_bundle__refresh(bundle);
    if (is_short(bundle, member, value)) {
        error = put_small(bundle, member, value, out_is_new, &is_done);
    } else {
        is_done = false;
    }
    if (error == FIL_OK && !is_done) {
        error = bundle->large == NULL ? fil_bundle__enlarge(bundle, add_member) : FIL_OK;
        if (error == FIL_OK) {
            error = fil_dict_put(dict_of(bundle), member, value, out_is_new);
        }
    }
    if (error == FIL_OK && makes_odd(bundle, member, value, fil_bundle_count(bundle)) &&
        !fil_bundle_is_odd(bundle)) {
        fil_bundle__set_odd(bundle);
    }
    return error;
}

bool fil_bundle_remove(struct fil_bundle *bundle, struct fil_bytes member)
{
    struct fil_bundle__item item = {.size = 0};
    fil_bundle__refresh(bundle);
    if (!fil_bundle__is_small(bundle)) {
        return bundle->is_there && fil_dict_remove(dict_of(bundle), member);
    }
    if (member.size > FIL_PACK_TEXT_MAX) {
        return false;
    }
    item.member_size = fil_pack_write(member, item.bytes);
    struct fil_bundle__place place = fil_bundle__search(bundle, &item);
    if (place.is_found) {
        int error = fil_bundle__splice(bundle, &place, &item);
        fil_assert(error == FIL_OK); // nothing is added
    }
    return place.is_found;
}

/** The member there and its value, as strings. */
static void read_at(struct fil_bundle *bundle, const uint8_t *at, struct fil_bytes *out_member,
                    struct fil_bytes *out_value)
{
    *out_member = fil_pack_read(at, bundle->digits[0]);
    *out_value = fil_bundle__has_values(bundle)
                     ? fil_pack_read(at + fil_pack_size(at), bundle->digits[1])
                     : fil_bytes_make(NULL, 0);
}

uint64_t fil_bundle_scan(struct fil_bundle *bundle, uint64_t cursor, uint32_t budget,
                         fil_dict_visit_fn visit, void *context)
{
    struct fil_bytes member;
    struct fil_bytes value;
    fil_bundle__refresh(bundle);
    if (!bundle->is_there) {
        return FIL_STORE_SCAN_END;
    }
    if (bundle->large != NULL) {
        return fil_dict_scan(dict_of(bundle), cursor, budget, visit, context);
    }
    const uint8_t *at = bundle->spot.value.data + FIL_VALUE_HEAD;
    for (uint32_t i = fil_value_small_count(bundle->spot.value); i > 0; i--) {
        read_at(bundle, at, &member, &value);
        visit(context, member, value);
        at += fil_bundle__size_at(bundle, at);
    }
    return FIL_STORE_SCAN_END;
}

void fil_bundle_pick(struct fil_bundle *bundle, uint64_t random, struct fil_bytes *out_member,
                     struct fil_bytes *out_value)
{
    fil_bundle__refresh(bundle);
    fil_assert(bundle->is_there);
    if (bundle->large != NULL) {
        bool is_found = fil_dict_pick(dict_of(bundle), random, out_member, out_value);
        fil_assert(is_found);
        return;
    }
    uint32_t count = fil_value_small_count(bundle->spot.value);
    fil_assert(count > 0);
    const uint8_t *at = bundle->spot.value.data + FIL_VALUE_HEAD;
    for (uint64_t i = random % count; i > 0; i--) {
        at += fil_bundle__size_at(bundle, at);
    }
    read_at(bundle, at, out_member, out_value);
}
