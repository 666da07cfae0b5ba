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

static double read_score(const uint8_t *item)
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

/** The score as the value of a dict. */
static double score_of(struct fil_bytes value)
{
    double score = 0;
    fil_assert(value.size == sizeof(score));
    memcpy(&score, value.data, sizeof(score));
    return score;
}

bool fil_zset_find(struct fil_bundle *bundle, struct fil_bytes member, double *out_score)
{
    struct fil_bundle__item item;
    struct fil_bytes value;
    fil_bundle__refresh(bundle);
    if (!fil_bundle__is_small(bundle)) {
        bool is_there = bundle->is_there && fil_dict_find(&box_of(bundle)->dict, member, &value);
        *out_score = is_there ? score_of(value) : 0;
        return is_there;
    }
    if (member.size > FIL_PACK_TEXT_MAX) {
        return false;
    }
    item.member_size = fil_pack_write(member, item.bytes);
    struct fil_bundle__place place = fil_bundle__search(bundle, &item);
    if (place.is_found) {
        *out_score = read_score(bundle->spot.value.data + place.offset + item.member_size);
    }
    return place.is_found;
}

/** Calls until it is told to stop; the place where it stopped, or the end. */
static struct fil_bundle__place walk_below(struct fil_bundle *bundle, fil_ranking_below_fn is_below,
                                           const void *context)
{
    const uint8_t *data = bundle->spot.value.data;
    uint32_t count = fil_value_small_count(bundle->spot.value);
    struct fil_bundle__place place = {.offset = FIL_VALUE_HEAD};
    for (; place.index < count; place.index++) {
        const uint8_t *at = data + place.offset;
        double score = read_score(at + fil_pack_size(at));
        if (!is_below(context, score, fil_pack_read(at, bundle->digits[0]))) {
            break;
        }
        place.offset += fil_bundle__size_at(bundle, at);
    }
    return place;
}

/** One member and its score, as what others stand before. */
struct mark {
    double score;
    struct fil_bytes member;
};

static bool is_before(const void *context, double score, struct fil_bytes member)
{
    const struct mark *mark = context;
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
    struct mark mark = {.score = score, .member = member};
    return fil_zset_below(bundle, is_before, &mark);
}

static int add_member(struct fil_collection *large, const uint8_t *member, const uint8_t *value)
{
    char digits[FIL_DIGITS_MAX];
    struct fil_bytes bytes = fil_pack_read(member, digits);
    double score = read_score(value);
    bool is_new = false;
    int error =
        fil_dict_put(&large->box->dict, bytes, fil_bytes_make(&score, sizeof(score)), &is_new);
    return error != FIL_OK ? error : fil_ranking_add(&large->box->ranking, score, bytes);
}

/** The new place is made before the old one goes, so that nothing is lost without memory. */
static int put_small(struct fil_bundle *bundle, const struct mark *mark, bool *out_is_new,
                     bool *out_fits)
{
    struct fil_bundle__item item;
    item.member_size = fil_pack_write(mark->member, item.bytes);
    item.size = item.member_size + write_score(mark->score, item.bytes + item.member_size);
    *out_is_new = true;
    if (!bundle->is_there) {
        return fil_bundle__create(bundle, &item);
    }
    struct fil_bundle__place old = fil_bundle__search(bundle, &item);
    *out_is_new = !old.is_found;
    if (old.is_found &&
        read_score(bundle->spot.value.data + old.offset + item.member_size) == mark->score) {
        return FIL_OK;
    }
    struct fil_bundle__place place = walk_below(bundle, is_before, mark);
    *out_fits = fil_bundle__fits(bundle, &place, item.size);
    int error = *out_fits ? fil_bundle__splice(bundle, &place, &item) : FIL_OK;
    if (error != FIL_OK || !*out_fits || !old.is_found) {
        return error;
    }
    if (place.offset <= old.offset) {
        old.offset += item.size;
    }
    item.size = 0;
    fil_bundle__refresh(bundle);
    return fil_bundle__splice(bundle, &old, &item);
}

static int put_large(struct fil_bundle *bundle, const struct mark *mark, bool *out_is_new)
{
    struct fil_collection_box *box = box_of(bundle);
    struct fil_bytes value = {0};
    bool is_there = fil_dict_find(&box->dict, mark->member, &value);
    double old_score = is_there ? score_of(value) : 0;
    *out_is_new = !is_there;
    if (is_there && old_score == mark->score) {
        return FIL_OK;
    }
    int error = fil_ranking_add(&box->ranking, mark->score, mark->member);
    if (error != FIL_OK) {
        return error;
    }
    bool is_new = false;
    error = fil_dict_put(&box->dict, mark->member,
                         fil_bytes_make(&mark->score, sizeof(mark->score)), &is_new);
    if (error != FIL_OK) {
        fil_ranking_remove(&box->ranking, mark->score, mark->member);
    } else if (is_there) {
        fil_ranking_remove(&box->ranking, old_score, mark->member);
    }
    return error;
}

int fil_zset_put(struct fil_bundle *bundle, struct fil_bytes member, double score, bool *out_is_new)
{
    // There is one zero, whatever its sign.
    struct mark mark = {.score = score == 0 ? 0 : score, .member = member};
    bool is_done = false;
    int error = FIL_OK;
    fil_assert(bundle->kind == FIL_COLLECTION_ZSET && !isnan(score));
    fil_bundle__refresh(bundle);
    bool is_long = member.size > FIL_PACK_TEXT_MAX;
    if (bundle->large == NULL && !is_long) {
        is_done = true;
        error = put_small(bundle, &mark, out_is_new, &is_done);
    }
    if (error == FIL_OK && !is_done) {
        error = bundle->large == NULL ? fil_bundle__enlarge(bundle, add_member) : FIL_OK;
        if (error == FIL_OK) {
            error = put_large(bundle, &mark, out_is_new);
        }
    }
    if (error == FIL_OK && (is_long || fil_bundle_count(bundle) > COMPACT_MAX)) {
        fil_bundle__set_odd(bundle);
    }
    return error;
}

bool fil_zset_remove(struct fil_bundle *bundle, struct fil_bytes member)
{
    double score = 0;
    if (!fil_zset_find(bundle, member, &score)) {
        return false;
    }
    if (bundle->large != NULL) {
        fil_ranking_remove(&box_of(bundle)->ranking, score, member);
    }
    return fil_bundle_remove(bundle, member);
}

static void visit_large(const struct fil_ranking *ranking, const struct fil_zset_range *range,
                        fil_zset_visit_fn visit, void *context)
{
    uint64_t place = range->is_reverse ? ranking->count - 1 - range->first : range->first;
    const struct fil_ranking_node *node = fil_ranking_at(ranking, place);
    for (uint64_t i = 0; i < range->count; i++) {
        fil_assert(node != NULL);
        visit(context, fil_ranking_member(node), node->score);
        node = range->is_reverse ? node->previous : node->links[0].next;
    }
}

/** Where each member of a small one begins; returns how many there are. */
static uint32_t find_offsets(const struct fil_bundle *bundle,
                             uint16_t offsets[FIL_BUNDLE_SMALL_MEMBERS])
{
    uint32_t count = fil_value_small_count(bundle->spot.value);
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
        visit(context, fil_pack_read(at, bundle->digits[0]), read_score(at + fil_pack_size(at)));
    }
}

void fil_zset_remove_range(struct fil_bundle *bundle, uint64_t first, uint64_t count)
{
    uint16_t offsets[FIL_BUNDLE_SMALL_MEMBERS];
    struct fil_bundle__item nothing = {.size = 0};
    for (uint64_t i = 0; i < count; i++) {
        fil_bundle__refresh(bundle);
        if (bundle->large != NULL) {
            struct fil_collection_box *box = box_of(bundle);
            struct fil_ranking_node *node = fil_ranking_at(&box->ranking, first);
            fil_assert(node != NULL);
            bool was_there = fil_dict_remove(&box->dict, fil_ranking_member(node));
            fil_assert(was_there);
            fil_ranking_remove(&box->ranking, node->score, fil_ranking_member(node));
            continue;
        }
        uint32_t there = find_offsets(bundle, offsets);
        fil_assert(first < there);
        struct fil_bundle__place place = {.offset = offsets[first], .is_found = true};
        place.size = fil_bundle__size_at(bundle, bundle->spot.value.data + place.offset);
        int error = fil_bundle__splice(bundle, &place, &nothing);
        fil_assert(error == FIL_OK); // nothing is added
    }
}
