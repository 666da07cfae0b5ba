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
    bundle->is_odd = false;
    bundle->small_count = 0;
    bundle->large = NULL;
    bundle->is_there =
        bundle->shelf != NULL && fil_store_find(fil_bundle__store(bundle), bundle->hash,
                                                bundle->key, bundle->now_ms, &bundle->spot);
    if (!bundle->is_there) {
        return;
    }
    bundle->kind = fil_value_kind(bundle->spot.value);
    bundle->large = fil_value_large(bundle->spot.value);
    if (bundle->large == NULL) {
        bundle->small_count = fil_value_small_count(bundle->spot.value);
        bundle->is_odd = (bundle->spot.value.data[0] & FIL_VALUE_ODD) != 0;
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

/** The members of a large one. */
static struct fil_store *members_of(const struct fil_bundle *bundle)
{
    fil_assert(bundle->large != NULL && bundle->large->kind != FIL_COLLECTION_LIST);
    return &bundle->large->box->store;
}

static bool find_large(const struct fil_bundle *bundle, struct fil_bytes member,
                       struct fil_bytes *out_value)
{
    struct fil_bytes value = {0};
    uint64_t hash = fil_collection_hash(bundle->large, member);
    bool is_found = fil_store_peek(members_of(bundle), hash, member, 0, &value);
    if (out_value != NULL) {
        *out_value = value;
    }
    return is_found;
}

static bool is_short(const struct fil_bundle *bundle, struct fil_bytes member,
                     struct fil_bytes value)
{
    fil_assert(bundle->large == NULL);
    return member.size <= FIL_PACK_TEXT_MAX && value.size <= FIL_PACK_TEXT_MAX;
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
        return bundle->is_there && find_large(bundle, member, out_value);
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

/** Writes the item with what has become odd by it. */
static int write_small(struct fil_bundle *bundle, const struct fil_bundle__place *place,
                       const struct fil_bundle__item *item, bool is_odd)
{
    bool was_odd = bundle->is_odd;
    bundle->is_odd = was_odd || is_odd;
    int error = bundle->is_there ? fil_bundle__splice(bundle, place, item)
                                 : fil_bundle__create(bundle, item);
    bundle->is_odd = error == FIL_OK ? bundle->is_odd : was_odd;
    return error;
}

static int put_small(struct fil_bundle *bundle, struct fil_bytes member, struct fil_bytes value,
                     bool *out_is_new, bool *out_fits)
{
    struct fil_bundle__item item;
    struct fil_bundle__place place = {.is_found = false};
    make_item(bundle, member, value, &item);
    if (bundle->is_there) {
        place = fil_bundle__search(bundle, &item);
        *out_fits = fil_bundle__fits(bundle, &place, item.size);
    }
    *out_is_new = !place.is_found;
    if (!*out_fits || (place.is_found && !fil_bundle__has_values(bundle))) {
        return FIL_OK;
    }
    uint64_t count = (uint64_t)bundle->small_count + !place.is_found;
    return write_small(bundle, &place, &item,
                       !bundle->is_odd && makes_odd(bundle, member, value, count));
}

static int put_large(struct fil_bundle *bundle, struct fil_bytes member, struct fil_bytes value,
                     bool *out_is_new)
{
    const struct fil_store_write how = {
        .condition = fil_bundle__has_values(bundle) ? FIL_STORE_ALWAYS : FIL_STORE_IF_ABSENT};
    struct fil_store_outcome outcome = {0};
    struct fil_collection *large = bundle->large;
    int error = fil_store_put(members_of(bundle), fil_collection_hash(large, member), member, value,
                              &how, &outcome);
    *out_is_new = !outcome.was_there;
    if (error == FIL_OK && !large->is_odd) {
        large->is_odd = makes_odd(bundle, member, value, fil_collection_count(large));
    }
    return error;
}

int fil_bundle_put(struct fil_bundle *bundle, struct fil_bytes member, struct fil_bytes value,
                   bool *out_is_new)
{
    fil_assert(bundle->kind == FIL_COLLECTION_HASH || bundle->kind == FIL_COLLECTION_SET);
    fil_bundle__refresh(bundle);
    if (bundle->large == NULL) {
        bool fits = is_short(bundle, member, value);
        int error = fits ? put_small(bundle, member, value, out_is_new, &fits) : FIL_OK;
        if (error == FIL_OK && !fits) {
            error = fil_bundle__enlarge(bundle);
        }
        if (error != FIL_OK || fits) {
            return error;
        }
    }
    return put_large(bundle, member, value, out_is_new);
}

bool fil_bundle_remove(struct fil_bundle *bundle, struct fil_bytes member)
{
    struct fil_bundle__item item = {.size = 0};
    fil_bundle__refresh(bundle);
    if (!fil_bundle__is_small(bundle)) {
        return bundle->is_there &&
               fil_store_remove(members_of(bundle), fil_collection_hash(bundle->large, member),
                                member, 0, NULL);
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

/** A scan of members for those who see no more than these. */
struct scanning {
    fil_dict_visit_fn visit;
    void *context;
};

static void visit_view(void *context, const struct fil_store_view *view)
{
    const struct scanning *scanning = context;
    scanning->visit(scanning->context, view->key, view->value);
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
        struct scanning scanning = {.visit = visit, .context = context};
        return fil_store_scan(members_of(bundle), cursor, 0, budget, visit_view, &scanning);
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
        struct fil_store_view view;
        bool is_found = fil_store_pick(members_of(bundle), 0, &view);
        fil_assert(is_found);
        *out_member = view.key;
        *out_value = view.value;
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
