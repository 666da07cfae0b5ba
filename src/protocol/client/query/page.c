// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/query/page.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/query/compare.h"
#include "protocol/client/query/path.h"

static int compare_forms(struct fil_bytes left, struct fil_bytes right)
{
    struct fil_wire_value a = fil_query_value_of(left);
    struct fil_wire_value b = fil_query_value_of(right);
    return fil_query_order(&a, &b);
}

struct pair {
    struct fil_bytes key;
    struct fil_bytes value;
};

/** No two keys are equal. */
static int compare(const struct fil_query_page *page, struct pair left, struct pair right)
{
    int order = page->is_by_value ? compare_forms(left.value, right.value) : 0;
    order = order != 0 ? order : compare_forms(left.key, right.key);
    return order != 0 ? order : fil_query_order_bytes(left.key, right.key);
}

static struct pair pair_of(const struct fil_query_kept *kept)
{
    return (struct pair){fil_query_kept_key(kept), fil_query_kept_value(kept)};
}

int fil_query_page_start(struct fil_query_page *page)
{
    fil_assert(page->page >= page->first_page);
    uint64_t pages = (uint64_t)page->page - page->first_page + 1;
    if (page->page_size > FIL_QUERY_PAGE_ENTRIES_MAX ||
        pages * page->page_size > FIL_QUERY_PAGE_ENTRIES_MAX) {
        return FIL_E_LIMIT;
    }
    page->limit = (uint32_t)pages * page->page_size;
    page->count = 0;
    page->kept = fil_alloc_zero((size_t)page->limit + 1, sizeof(struct fil_query_kept *));
    return page->kept == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_query_page_fini(struct fil_query_page *page)
{
    for (uint32_t i = 0; page->kept != NULL && i < page->count; i++) {
        fil_free(page->kept[i]);
    }
    fil_free(page->kept);
    page->kept = NULL;
    page->count = 0;
}

static bool is_above(const struct fil_query_page *page, uint32_t left, uint32_t right)
{
    return compare(page, pair_of(page->kept[left]), pair_of(page->kept[right])) > 0;
}

static void swap(struct fil_query_page *page, uint32_t left, uint32_t right)
{
    struct fil_query_kept *kept = page->kept[left];
    page->kept[left] = page->kept[right];
    page->kept[right] = kept;
}

static void sift_up(struct fil_query_page *page, uint32_t at)
{
    while (at > 0 && is_above(page, at, (at - 1) / 2)) {
        swap(page, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/** Among the first `count`. */
static void sift_down(struct fil_query_page *page, uint32_t at, uint32_t count)
{
    for (;;) {
        uint32_t largest = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            largest = is_above(page, child, largest) ? child : largest;
        }
        if (largest == at) {
            return;
        }
        swap(page, at, largest);
        at = largest;
    }
}

static struct fil_query_kept *copy(uint32_t partition_id, struct pair pair)
{
    struct fil_query_kept *kept = fil_alloc(sizeof(*kept) + pair.key.size + pair.value.size);
    if (kept == NULL) {
        return NULL;
    }
    kept->partition_id = partition_id;
    kept->key_size = (uint32_t)pair.key.size;
    kept->value_size = pair.value.size;
    memcpy(kept->bytes, pair.key.data, pair.key.size);
    memcpy(kept->bytes + pair.key.size, pair.value.data, pair.value.size);
    return kept;
}

/** Whether the entry comes before what is kept, and behind the anchor. */
static bool is_wanted(const struct fil_query_page *page, struct pair pair)
{
    struct pair anchor = {page->anchor_key, page->anchor_value};
    if (page->limit == 0 || (page->has_anchor && compare(page, pair, anchor) <= 0)) {
        return false;
    }
    return page->count < page->limit || compare(page, pair, pair_of(page->kept[0])) < 0;
}

int fil_query_page_add(struct fil_query_page *page, uint32_t partition_id, struct fil_bytes key,
                       struct fil_bytes value)
{
    struct pair pair = {key, value};
    if (!is_wanted(page, pair)) {
        return FIL_OK;
    }
    struct fil_query_kept *kept = copy(partition_id, pair);
    if (kept == NULL) {
        return FIL_E_NOMEM;
    }
    if (page->count < page->limit) {
        page->kept[page->count] = kept;
        page->count++;
        sift_up(page, page->count - 1);
    } else {
        fil_free(page->kept[0]);
        page->kept[0] = kept;
        sift_down(page, 0, page->count);
    }
    fil_assert(page->count <= page->limit);
    return FIL_OK;
}

void fil_query_page_sort(struct fil_query_page *page)
{
    for (uint32_t left = page->count; left > 1; left--) {
        swap(page, 0, left - 1);
        sift_down(page, 0, left - 1);
    }
}
