// SPDX-License-Identifier: Apache-2.0
#include "core/shelf/stream.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"

#define LONG_WORD 255U // sizes from this on have four bytes behind it

int fil_xstream_id_compare(struct fil_xstream_id a, struct fil_xstream_id b)
{
    if (a.ms != b.ms) {
        return a.ms < b.ms ? -1 : 1;
    }
    return (a.number > b.number) - (a.number < b.number);
}

bool fil_xstream_id_raise(struct fil_xstream_id *id)
{
    if (id->number < UINT64_MAX) {
        id->number++;
        return true;
    }
    if (id->ms == UINT64_MAX) {
        return false;
    }
    *id = (struct fil_xstream_id){.ms = id->ms + 1};
    return true;
}

bool fil_xstream_id_lower(struct fil_xstream_id *id)
{
    if (id->number > 0) {
        id->number--;
        return true;
    }
    if (id->ms == 0) {
        return false;
    }
    *id = (struct fil_xstream_id){.ms = id->ms - 1, .number = UINT64_MAX};
    return true;
}

size_t fil_xstream_word_bytes(size_t size)
{
    return size < LONG_WORD ? size + 1 : size + 5;
}

uint8_t *fil_xstream_write_word(uint8_t *to, struct fil_bytes word)
{
    fil_assert(word.size <= UINT32_MAX);
    if (word.size < LONG_WORD) {
        to[0] = (uint8_t)word.size;
        to += 1;
    } else {
        to[0] = LONG_WORD;
        fil_store_u32_le(to + 1, (uint32_t)word.size);
        to += 5;
    }
    if (word.size > 0) {
        memcpy(to, word.data, word.size);
    }
    return to + word.size;
}

bool fil_xstream_take_word(struct fil_bytes *words, struct fil_bytes *out_word)
{
    if (words->size == 0) {
        return false;
    }
    bool is_long = words->data[0] == LONG_WORD;
    size_t size = is_long ? fil_load_u32_le(words->data + 1) : words->data[0];
    size_t head = is_long ? 5 : 1;
    fil_assert(head + size <= words->size);
    *out_word = fil_bytes_make(words->data + head, size);
    *words = fil_bytes_make(words->data + head + size, words->size - head - size);
    return true;
}

static void write_id(uint8_t to[FIL_XSTREAM_ID_BYTES], struct fil_xstream_id id)
{
    fil_store_u64_be(to, id.ms);
    fil_store_u64_be(to + 8, id.number);
}

int fil_xstream_add(struct fil_xstream *stream, struct fil_xstream_id id, uint8_t *entry,
                    size_t size)
{
    fil_assert(size >= FIL_XSTREAM_ID_BYTES);
    fil_assert(fil_xstream_id_compare(id, stream->last) > 0);
    write_id(entry, id);
    int error = fil_items_push_back(&stream->entries, fil_bytes_make(entry, size));
    if (error == FIL_OK) {
        stream->last = id;
        stream->added_count++;
    }
    return error;
}

static int compare_entries(void *context, struct fil_bytes a, struct fil_bytes b)
{
    (void)context;
    fil_assert(a.size >= FIL_XSTREAM_ID_BYTES && b.size >= FIL_XSTREAM_ID_BYTES);
    return memcmp(a.data, b.data, FIL_XSTREAM_ID_BYTES);
}

/** The first entry whose id is beyond. */
static struct fil_item_cursor seek_beyond(const struct fil_xstream *stream,
                                          struct fil_xstream_id id)
{
    uint8_t wanted[FIL_XSTREAM_ID_BYTES];
    write_id(wanted, id);
    return fil_items_find_place(&stream->entries, fil_bytes_make(wanted, sizeof(wanted)),
                                compare_entries, NULL);
}

struct fil_item_cursor fil_xstream_seek(const struct fil_xstream *stream, struct fil_xstream_id id)
{
    return fil_xstream_id_lower(&id) ? seek_beyond(stream, id) : fil_items_first(&stream->entries);
}

struct fil_item_cursor fil_xstream_seek_back(const struct fil_xstream *stream,
                                             struct fil_xstream_id id)
{
    struct fil_item_cursor cursor = seek_beyond(stream, id);
    if (cursor.block == NULL) {
        return fil_items_last(&stream->entries);
    }
    fil_items_previous(&stream->entries, &cursor);
    return cursor;
}

bool fil_xstream_read(const struct fil_item_cursor *cursor, struct fil_xstream_entry *out_entry)
{
    struct fil_bytes item;
    if (!fil_items_read(cursor, &item)) {
        return false;
    }
    fil_assert(item.size >= FIL_XSTREAM_ID_BYTES);
    out_entry->id.ms = fil_load_u64_be(item.data);
    out_entry->id.number = fil_load_u64_be(item.data + 8);
    out_entry->words =
        fil_bytes_make(item.data + FIL_XSTREAM_ID_BYTES, item.size - FIL_XSTREAM_ID_BYTES);
    return true;
}

bool fil_xstream_remove(struct fil_xstream *stream, struct fil_xstream_id id)
{
    struct fil_xstream_entry entry;
    struct fil_item_cursor cursor = fil_xstream_seek(stream, id);
    if (!fil_xstream_read(&cursor, &entry) || fil_xstream_id_compare(entry.id, id) != 0) {
        return false;
    }
    fil_items_remove(&stream->entries, &cursor);
    if (fil_xstream_id_compare(id, stream->max_removed) > 0) {
        stream->max_removed = id;
    }
    return true;
}

uint64_t fil_xstream_trim_count(struct fil_xstream *stream, uint64_t keep, uint64_t limit)
{
    uint64_t count = 0;
    while (stream->entries.count > keep && count < limit) {
        fil_items_drop_front(&stream->entries);
        count++;
    }
    return count;
}

uint64_t fil_xstream_trim_id(struct fil_xstream *stream, struct fil_xstream_id min, uint64_t limit)
{
    struct fil_xstream_entry entry;
    struct fil_item_cursor cursor = fil_items_first(&stream->entries);
    uint64_t count = 0;
    while (count < limit && fil_xstream_read(&cursor, &entry) &&
           fil_xstream_id_compare(entry.id, min) < 0) {
        fil_items_drop_front(&stream->entries);
        cursor = fil_items_first(&stream->entries);
        count++;
    }
    return count;
}
