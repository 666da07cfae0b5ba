// SPDX-License-Identifier: Apache-2.0
/**
 * A stream: entries of words in the order of their ids, which only grow.
 *
 *     entry: id 16, its milliseconds and its number, highest byte first | words
 *     word:  size 1, or 255 and then 4, lowest byte first | bytes
 *
 * Work:    adding is constant; finding an id costs a look at each block behind it.
 * Memory:  as of items. FIL_E_NOMEM leaves everything as it was.
 * Threads: single-threaded; whoever owns the shelf.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/items/items.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_XSTREAM_ID_BYTES 16U

struct fil_xstream_id {
    uint64_t ms;
    uint64_t number; // among those of one millisecond
};

#define FIL_XSTREAM_ID_MAX ((struct fil_xstream_id){.ms = UINT64_MAX, .number = UINT64_MAX})

struct fil_xstream {
    struct fil_items entries;
    struct fil_xstream_id last;        // the highest id so far, also of what is gone
    struct fil_xstream_id max_removed; // of entries that were removed one by one
    uint64_t added_count;              // in all its life
};

/** An entry as it stands in the stream; borrowed until the next change. */
struct fil_xstream_entry {
    struct fil_xstream_id id;
    struct fil_bytes words;
};

/** Less than, equal to or greater than 0. */
int fil_xstream_id_compare(struct fil_xstream_id a, struct fil_xstream_id b);

/** The next one, the one before; false when there is none. */
bool fil_xstream_id_raise(struct fil_xstream_id *id);
bool fil_xstream_id_lower(struct fil_xstream_id *id);

/** Bytes of a word in an entry; writes it and returns what is behind it. */
size_t fil_xstream_word_bytes(size_t size);
uint8_t *fil_xstream_write_word(uint8_t *to, struct fil_bytes word);

/** Takes the first word off; false when there is none. */
bool fil_xstream_take_word(struct fil_bytes *words, struct fil_bytes *out_word);

/**
 * Adds an entry with an id beyond the last: bytes of which the first 16 are left for the id, then
 * words. FIL_E_NOMEM, FIL_E_LIMIT.
 */
int fil_xstream_add(struct fil_xstream *stream, struct fil_xstream_id id, uint8_t *entry,
                    size_t size) FIL_NODISCARD;

/** The first entry whose id is not below, the last whose id is not beyond. */
struct fil_item_cursor fil_xstream_seek(const struct fil_xstream *stream, struct fil_xstream_id id);
struct fil_item_cursor fil_xstream_seek_back(const struct fil_xstream *stream,
                                             struct fil_xstream_id id);

/** False where there is none. */
bool fil_xstream_read(const struct fil_item_cursor *cursor, struct fil_xstream_entry *out_entry);

/** Whether the entry was there. */
bool fil_xstream_remove(struct fil_xstream *stream, struct fil_xstream_id id);

/** Removes entries from the front, while more than `keep` are there or their ids are below `min`,
 * but not more than the limit. Returns how many. */
uint64_t fil_xstream_trim_count(struct fil_xstream *stream, uint64_t keep, uint64_t limit);
uint64_t fil_xstream_trim_id(struct fil_xstream *stream, struct fil_xstream_id min, uint64_t limit);
