// SPDX-License-Identifier: Apache-2.0
/**
 * What a key of a shelf has, opened for one command: the members of a hash or a set, with or
 * without values, small or large; of a sorted set see zset.h, of a list its collection.
 *
 * Small ones stand in the key's record and are searched from end to end; with a member or value
 * over 64 bytes, more than 128 members or more than a KiB they become large, and stay so.
 *
 * Life:    on the caller's stack; good as long as nobody else changes the shelf. There is nothing
 *          to close, but a key without members must be removed.
 * Memory:  FIL_E_NOMEM leaves everything as it was. What is given out is borrowed until the next
 *          call with the bundle.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/items/dict.h"
#include "core/shelf/shelf.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/digits.h"

#define FIL_BUNDLE_SMALL_MEMBERS 128U

struct fil_bundle {
    struct fil_shelf *shelf; // NULL: there is none, and nothing can be put
    uint64_t hash;
    struct fil_bytes key;
    uint64_t now_ms;
    enum fil_collection_kind kind; // what it has; before a first put: what it gets
    bool is_there;
    bool is_stale;                // the record has changed since it was looked up
    bool is_odd;                  // of a small one: see fil_bundle_is_odd
    uint32_t small_count;         // members of a small one
    struct fil_store_spot spot;   // the record
    struct fil_collection *large; // NULL: it is small, or not there
    char digits[2][FIL_DIGITS_MAX];
};

/** Looks the key up; its hash, bytes and the time are borrowed. Nobody notices. */
void fil_bundle_open(struct fil_bundle *bundle, struct fil_shelf *shelf, uint64_t hash,
                     struct fil_bytes key, uint64_t now_ms);

static inline uint64_t fil_bundle_count(const struct fil_bundle *bundle)
{
    return bundle->large == NULL ? bundle->small_count : fil_collection_count(bundle->large);
}

/** out_value may be NULL. */
bool fil_bundle_find(struct fil_bundle *bundle, struct fil_bytes member,
                     struct fil_bytes *out_value);

/** Inserts or overwrites; a set has no values. FIL_E_NOMEM, FIL_E_LIMIT. */
int fil_bundle_put(struct fil_bundle *bundle, struct fil_bytes member, struct fil_bytes value,
                   bool *out_is_new) FIL_NODISCARD;

/** Whether the member was there. */
bool fil_bundle_remove(struct fil_bundle *bundle, struct fil_bytes member);

/** As fil_dict_scan; the visitor must not call the bundle. */
uint64_t fil_bundle_scan(struct fil_bundle *bundle, uint64_t cursor, uint32_t budget,
                         fil_dict_visit_fn visit, void *context);

/** A random member; there must be one. */
void fil_bundle_pick(struct fil_bundle *bundle, uint64_t random, struct fil_bytes *out_member,
                     struct fil_bytes *out_value);

/** Whether Redis would keep it in another form than the compact one. */
static inline bool fil_bundle_is_odd(const struct fil_bundle *bundle)
{
    return bundle->large == NULL ? bundle->is_odd : bundle->large->is_odd;
}
