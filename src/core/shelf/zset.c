// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/zset.h"

#include <math.h>

#include "core/shelf/bundle_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define COMPACT_MAX   128U // members that Redis keeps in its compact form
#define EXACT_INTEGER 9007199254740992.0

static struct fil_collection_box *box_of(const struct fil_bundle *bundle)
{
    fil_assert(bundle->large != NULL && bundle->large->kind == FIL_COLLECTION_ZSET);
    return bundle->large->box;
}

static uint32_t write_score(double score, uint8_t room[FIL_PACK_ITEM_MAX])
{
    bool is_whole =
        score > -EXACT_INTEGER && score < EXACT_INTEGER && (double)(int64_t)score == score;
    if (is_whole) {
        return fil_pack_write_number((int64_t)score, room);
    }
    return fil_pack_write_raw(fil_bytes_make(&score, sizeof(score)), room);
}

static void seek_small(const struct fil_bundle *bundle, struct fil_zset_member *found)
{
    struct fil_bundle__item item;
    if (found->bytes.size > FIL_PACK_TEXT_MAX) {
        return;
    }
    item.member_size = fil_pack_write(found->bytes, item.bytes);
    struct fil_bundle__place place = fil_bundle__search(bundle, &item);
    found->is_there = place.is_found;
    if (place.is_found) {
        found->score =
            fil_bundle__score_at(bundle->spot.value.data + place.offset + item.member_size);
    }
}

static void seek_large(const struct fil_bundle *bundle, struct fil_zset_member *found)
{
    found->hash = fil_collection_hash(bundle->large, found->bytes);
    found->is_there =
        fil_store_find(&box_of(bundle)->store, found->hash, found->bytes, 0, &found->spot);
    if (found->is_there) {
        found->score = fil_collection_score(found->spot.value);
    }
}

void fil_zset_seek(struct fil_bundle *bundle, struct fil_bytes member,
                   struct fil_zset_member *out_member)
{
    fil_bundle__refresh(bundle);
    out_member->bytes = member;
    out_member->is_there = false;
    out_member->hash = 0;
    out_member->score = 0;
    if (bundle->large != NULL) {
        seek_large(bundle, out_member);
    } else if (bundle->is_there) {
        seek_small(bundle, out_member);
    }
}

bool fil_zset_find(struct fil_bundle *bundle, struct fil_bytes member, double *out_score)
{
    struct fil_zset_member found;
    fil_zset_seek(bundle, member, &found);
    *out_score = found.score;
    return found.is_there;
}

/** Calls until it is told to stop; the place where it stopped, or the end. */
static struct fil_bundle__place walk_below(struct fil_bundle *bundle, fil_ranking_below_fn is_below,
                                           const void *context)
{
    const uint8_t *data = bundle->spot.value.data;
    struct fil_bundle__place place = {.offset = FIL_VALUE_HEAD};
    for (; place.index < bundle->small_count; place.index++) {
        const uint8_t *at = data + place.offset;
        double score = fil_bundle__score_at(at + fil_pack_size(at));
        if (!is_below(context, score, fil_pack_read(at, bundle->digits[0]))) {
            break;
        }
        place.offset += fil_bundle__size_at(bundle, at);
    }
    return place;
}

static bool is_before(const void *context, double score, struct fil_bytes member)
{
    const struct fil_ranking_mark *mark = context;
    return score < mark->score ||
           (score == mark->score && fil_ranking_compare(member, mark->member) < 0);
}

uint64_t fil_zset_below(struct fil_bundle *bundle, fil_ranking_below_fn is_below,
                        const void *context)
{
    fil_bundle__refresh(bundle);
    if (!bundle->is_there) {
        return 0;
    }
    return bundle->large != NULL ? fil_ranking_below(&box_of(bundle)->ranking, is_below, context)
                                 : walk_below(bundle, is_below, context).index;
}

uint64_t fil_zset_rank(struct fil_bundle *bundle, struct fil_bytes member, double score)
{
    struct fil_ranking_mark mark = {.score = score, .member = member};
    return fil_zset_below(bundle, is_before, &mark);
}

/** Where the mark belongs in a small one. */
static struct fil_bundle__place find_place(const struct fil_bundle *bundle,
                                           const struct fil_ranking_mark *mark)
{
    char digits[FIL_DIGITS_MAX];
    struct fil_bundle__place place = {.offset = FIL_VALUE_HEAD};
    for (; place.index < bundle->small_count; place.index++) {
        const uint8_t *at = bundle->spot.value.data + place.offset;
        uint32_t member_size = fil_pack_size(at);
        double score = fil_bundle__score_at(at + member_size);
        // Only of equal scores the members are looked at.
        if (score > mark->score ||
            (score == mark->score &&
             fil_ranking_compare(fil_pack_read(at, digits), mark->member) > 0)) {
            break;
        }
        place.offset += member_size + fil_pack_size(at + member_size);
    }
    place.end = fil_bundle__end_from(bundle, place.offset, place.index);
    return place;
}

/** The new place is made before the old one goes, so that nothing is lost without memory. */
static int set_small(struct fil_bundle *bundle, const struct fil_ranking_mark *mark, bool is_there,
                     bool *out_fits)
{
    struct fil_bundle__item item;
    item.member_size = fil_pack_write(mark->member, item.bytes);
    item.size = item.member_size + write_score(mark->score, item.bytes + item.member_size);
    if (!bundle->is_there) {
        return fil_bundle__create(bundle, &item);
    }
    struct fil_bundle__place old = {.is_found = false};
    if (is_there) {
        old = fil_bundle__search(bundle, &item);
    }
    struct fil_bundle__place place = find_place(bundle, mark);
    *out_fits = fil_bundle__fits(bundle, &place, item.size);
    int error = *out_fits ? fil_bundle__splice(bundle, &place, &item) : FIL_OK;
    if (error != FIL_OK || !*out_fits || !old.is_found) {
        return error;
    }
    if (place.offset <= old.offset) {
        old.offset += item.size;
    }
    old.end += item.size;
    item.size = 0;
    fil_bundle__refresh(bundle);
    return fil_bundle__splice(bundle, &old, &item);
}

/** Its new place is made before the old one goes, as above. */
static int change_large(struct fil_collection_box *box, const struct fil_zset_member *member,
                        const struct fil_ranking_mark *mark)
{
    struct fil_ranking_mark old = {.score = member->score, .member = mark->member};
    int error = fil_ranking_add(&box->ranking, mark, member->spot.reference);
    if (error != FIL_OK) {
        return error;
    }
    fil_ranking_remove(&box->ranking, &old);
    bool is_written = fil_store_rewrite(&box->store, &member->spot,
                                        fil_bytes_make(&mark->score, sizeof(mark->score)));
    fil_assert(is_written); // there is nothing in the record but the member and its score
    return FIL_OK;
}

static int set_large(struct fil_bundle *bundle, const struct fil_zset_member *member,
                     const struct fil_ranking_mark *mark)
{
    struct fil_collection *large = bundle->large;
    int error = FIL_OK;
    if (member->is_there) {
        error = change_large(box_of(bundle), member, mark);
    } else {
        error = fil_collection_add(large, member->hash, mark->member,
                                   fil_bytes_make(&mark->score, sizeof(mark->score)));
    }
    if (error == FIL_OK && !large->is_odd) {
        large->is_odd =
            mark->member.size > FIL_PACK_TEXT_MAX || fil_collection_count(large) > COMPACT_MAX;
    }
    return error;
}

int fil_zset_set(struct fil_bundle *bundle, const struct fil_zset_member *member, double score)
{
    // There is one zero, whatever its sign.
    struct fil_ranking_mark mark = {.score = score == 0 ? 0 : score, .member = member->bytes};
    fil_assert(bundle->kind == FIL_COLLECTION_ZSET && !isnan(score) && !bundle->is_stale);
    if (member->is_there && member->score == mark.score) {
        return FIL_OK;
    }
    if (bundle->large != NULL) {
        return set_large(bundle, member, &mark);
    }
    bool fits = member->bytes.size <= FIL_PACK_TEXT_MAX;
    int error = fits ? set_small(bundle, &mark, member->is_there, &fits) : FIL_OK;
    if (error == FIL_OK && !fits) {
        error = fil_bundle__enlarge(bundle);
    }
    if (error != FIL_OK || fits) {
        return error;
    }
    struct fil_zset_member again;
    fil_zset_seek(bundle, member->bytes, &again);
    return set_large(bundle, &again, &mark);
}

int fil_zset_put(struct fil_bundle *bundle, struct fil_bytes member, double score, bool *out_is_new)
{
    struct fil_zset_member found;
    fil_zset_seek(bundle, member, &found);
    *out_is_new = !found.is_there;
    return fil_zset_set(bundle, &found, score);
}

bool fil_zset_remove(struct fil_bundle *bundle, struct fil_bytes member)
{
    struct fil_ranking_mark mark = {.member = member};
    if (!fil_zset_find(bundle, member, &mark.score)) {
        return false;
    }
    if (bundle->large != NULL) {
        fil_ranking_remove(&box_of(bundle)->ranking, &mark);
    }
    return fil_bundle_remove(bundle, member);
}

static void visit_large(const struct fil_ranking *ranking, const struct fil_zset_range *range,
                        fil_zset_visit_fn visit, void *context)
{
    uint64_t place = range->is_reverse ? ranking->count - 1 - range->first : range->first;
    struct fil_ranking_cursor cursor = fil_ranking_at(ranking, place);
    for (uint64_t i = 0; i < range->count; i++) {
        struct fil_ranking_mark mark = fil_ranking_read(ranking, &cursor);
        visit(context, mark.member, mark.score);
        if (range->is_reverse) {
            fil_ranking_previous(&cursor);
        } else {
            fil_ranking_next(&cursor);
        }
    }
}

/** Where each member of a small one begins; returns how many there are. */
static uint32_t find_offsets(const struct fil_bundle *bundle,
                             uint16_t offsets[FIL_BUNDLE_SMALL_MEMBERS])
{
    uint32_t count = bundle->small_count;
    uint32_t offset = FIL_VALUE_HEAD;
    fil_assert(count <= FIL_BUNDLE_SMALL_MEMBERS);
    for (uint32_t i = 0; i < count; i++) {
        offsets[i] = (uint16_t)offset;
        offset += fil_bundle__size_at(bundle, bundle->spot.value.data + offset);
    }
    return count;
}

void fil_zset_visit(struct fil_bundle *bundle, const struct fil_zset_range *range,
                    fil_zset_visit_fn visit, void *context)
{
    uint16_t offsets[FIL_BUNDLE_SMALL_MEMBERS];
    fil_bundle__refresh(bundle);
    if (range->count == 0) {
        return;
    }
    fil_assert(range->first + range->count <= fil_bundle_count(bundle));
    if (bundle->large != NULL) {
        visit_large(&box_of(bundle)->ranking, range, visit, context);
        return;
    }
    uint64_t count = find_offsets(bundle, offsets);
    for (uint64_t i = range->first; i < range->first + range->count; i++) {
        const uint8_t *at =
            bundle->spot.value.data + offsets[range->is_reverse ? count - 1 - i : i];
        visit(context, fil_pack_read(at, bundle->digits[0]),
              fil_bundle__score_at(at + fil_pack_size(at)));
    }
}

/** Removes the member at a place of a large one. */
static void remove_at(const struct fil_bundle *bundle, uint64_t place)
{
    struct fil_collection_box *box = box_of(bundle);
    struct fil_ranking_cursor cursor = fil_ranking_at(&box->ranking, place);
    struct fil_ranking_mark mark = fil_ranking_read(&box->ranking, &cursor);
    fil_ranking_remove(&box->ranking, &mark);
    // The bytes are the record's own: it is found by them, and only then they go.
    bool was_there = fil_store_remove(&box->store, fil_collection_hash(bundle->large, mark.member),
                                      mark.member, 0, NULL);
    fil_assert(was_there);
}

void fil_zset_remove_range(struct fil_bundle *bundle, uint64_t first, uint64_t count)
{
    uint16_t offsets[FIL_BUNDLE_SMALL_MEMBERS];
    struct fil_bundle__item nothing = {.size = 0};
    for (uint64_t i = 0; i < count; i++) {
        fil_bundle__refresh(bundle);
        if (bundle->large != NULL) {
            remove_at(bundle, first);
            continue;
        }
        uint32_t there = find_offsets(bundle, offsets);
        fil_assert(first < there);
        struct fil_bundle__place place = {.offset = offsets[first], .is_found = true};
        place.size = fil_bundle__size_at(bundle, bundle->spot.value.data + place.offset);
        place.end = fil_bundle__end_from(bundle, place.offset, (uint32_t)first);
        int error = fil_bundle__splice(bundle, &place, &nothing);
        fil_assert(error == FIL_OK); // nothing is added
    }
}
