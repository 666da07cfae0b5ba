// SPDX-License-Identifier: Apache-2.0
// Values themselves, as lists and maps: which of them are kept, when there are too many, depends on
// the records alone and not on the order in which they come, so that parts can be put together.
#include <math.h>
#include <string.h>

#include "core/stream/aggregate.h"
#include "lib/base/assert.h"
#include "lib/base/writer.h"
#include "lib/json/write.h"

#define NUMBER_BYTES 20U // of text: -9223372036854775808
#define REAL_BYTES   24U // -1.7976931348623157e+308

struct item {
    int64_t time;
    uint64_t count; // map: records of the key
    uint8_t bytes[];
};

struct items {
    uint64_t count;
    uint64_t used;
    uint8_t rows[]; // in their order
};

static uint32_t round_up(uint32_t size)
{
    return (size + 7U) & ~7U;
}

static uint32_t stride_of(const struct fil_aggregate_items *of)
{
    return (uint32_t)sizeof(struct item) + round_up(of->key.size) + round_up(of->value.size);
}

static struct item *item_at(const struct fil_aggregate_items *of, struct items *items,
                            uint64_t index)
{
    return (struct item *)(items->rows + index * stride_of(of));
}

static const uint8_t *value_of(const struct fil_aggregate_items *of, const struct item *item)
{
    return item->bytes + round_up(of->key.size);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/** Doubles by their bits, so that all of them, whatever they are, have an order. */
static int64_t rank_real(int64_t bits)
{
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static int compare_values(const struct fil_aggregate_value *of, const uint8_t *a, const uint8_t *b)
{
    int64_t numbers[2];
    if (of->kind == FIL_AGGREGATE_TEXT) {
        return memcmp(a, b, of->size);
    }
    memcpy(&numbers[0], a, sizeof(numbers[0]));
    memcpy(&numbers[1], b, sizeof(numbers[1]));
    return of->kind == FIL_AGGREGATE_NUMBER
               ? compare_numbers(numbers[0], numbers[1])
               : compare_numbers(rank_real(numbers[0]), rank_real(numbers[1]));
}

static int compare_age(const struct fil_aggregate_items *of, const struct item *a,
                       const struct item *b)
{
    int order = compare_numbers(a->time, b->time);
    return order != 0 ? order : compare_values(&of->value, value_of(of, a), value_of(of, b));
}

static int compare_items(const struct fil_aggregate_items *of, const struct item *a,
                         const struct item *b)
{
    return of->key.size == 0 ? compare_age(of, a, b) : compare_values(&of->key, a->bytes, b->bytes);
}

/** Behind all items that are before it, and, of a list, behind its equals. */
static uint64_t place_of(const struct fil_aggregate_items *of, struct items *items,
                         const struct item *item)
{
    const int behind = of->key.size == 0 ? 0 : -1;
    uint64_t first = 0;
    uint64_t last = items->used;
    while (first < last) {
        uint64_t middle = first + (last - first) / 2;
        if (compare_items(of, item_at(of, items, middle), item) <= behind) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

/** The key is there: of its values the latest stays. */
static void merge(const struct fil_aggregate_items *of, struct item *into, const struct item *item)
{
    uint64_t count = into->count + item->count;
    if (compare_age(of, into, item) < 0) {
        memcpy(into, item, stride_of(of));
    }
    into->count = count;
}

static void offer(const struct fil_aggregate_items *of, struct items *items,
                  const struct item *item)
{
    uint32_t stride = stride_of(of);
    uint64_t place = place_of(of, items, item);
    struct item *here = item_at(of, items, place);
    if (of->key.size != 0 && place < items->used && compare_items(of, here, item) == 0) {
        merge(of, here, item);
        return;
    }
    if (place == of->limit) {
        return;
    }
    items->used += items->used < of->limit;
    memmove((uint8_t *)here + stride, here, (items->used - 1 - place) * stride);
    memcpy(here, item, stride);
}

static void read_item(const struct fil_aggregate_items *of, const void *record, struct item *out)
{
    const uint8_t *from = record;
    memset(out, 0, stride_of(of));
    out->count = 1;
    if (of->has_time) {
        memcpy(&out->time, from + of->time_offset, sizeof(out->time));
    }
    memcpy(out->bytes, from + of->key.offset, of->key.size);
    memcpy(out->bytes + round_up(of->key.size), from + of->value.offset, of->value.size);
}

static void items_accumulate(const struct fil_aggregate *aggregate, void *const *states,
                             const void *const *records, uint32_t count)
{
    const struct fil_aggregate_items *of = aggregate->items;
    uint64_t room[FIL_AGGREGATE_ITEM_BYTES_MAX / sizeof(uint64_t)];
    for (uint32_t i = 0; i < count; i++) {
        struct items *items = states[i];
        read_item(of, records[i], (struct item *)room);
        items->count++;
        offer(of, items, (const struct item *)room);
    }
}

static void items_combine(const struct fil_aggregate *aggregate, void *into, const void *from)
{
    const struct fil_aggregate_items *of = aggregate->items;
    const struct items *other = from;
    struct items *items = into;
    items->count += other->count;
    for (uint64_t i = 0; i < other->used; i++) {
        offer(of, items, (const struct item *)(other->rows + i * stride_of(of)));
    }
}

static void write_value(struct fil_writer *writer, const struct fil_aggregate_value *of,
                        const uint8_t *from)
{
    int64_t number;
    double real;
    if (of->kind == FIL_AGGREGATE_TEXT) {
        size_t size = strnlen((const char *)from, of->size);
        (void)fil_json_quote(writer, fil_bytes_make(from, size));
        return;
    }
    memcpy(&number, from, sizeof(number));
    memcpy(&real, from, sizeof(real));
    if (of->kind == FIL_AGGREGATE_NUMBER) {
        (void)fil_writer_decimal_i64(writer, number);
    } else if (isfinite(real)) {
        (void)fil_writer_real(writer, real);
    } else {
        (void)fil_writer_text(writer, "null"); // JSON has no word for it
    }
}

/** Names of an object are texts. */
static void write_key(struct fil_writer *writer, const struct fil_aggregate_value *of,
                      const uint8_t *from)
{
    const char *quote = of->kind == FIL_AGGREGATE_TEXT ? "" : "\"";
    (void)fil_writer_text(writer, quote);
    write_value(writer, of, from);
    (void)fil_writer_text(writer, quote);
    (void)fil_writer_u8(writer, ':');
}

/** False when it does not fit: then nothing of it is there. */
static bool write_item(struct fil_writer *writer, const struct fil_aggregate_items *of,
                       const struct item *item)
{
    size_t before = writer->size;
    (void)fil_writer_text(writer, before == 1 ? "" : ",");
    if (of->key.size != 0) {
        write_key(writer, &of->key, item->bytes);
    }
    write_value(writer, &of->value, value_of(of, item));
    writer->size = writer->is_full ? before : writer->size;
    return !writer->is_full;
}

static void items_export(const struct fil_aggregate *aggregate, const void *state, void *out)
{
    const struct fil_aggregate_items *of = aggregate->items;
    const struct items *items = state;
    uint32_t room = fil_aggregate_items_text_bytes(of);
    struct fil_writer writer;
    uint64_t told = 0;
    memset(out, 0, aggregate->result_size);
    fil_writer_init(&writer, out, room - 1); // the closing bracket always fits
    (void)fil_writer_u8(&writer, of->key.size == 0 ? '[' : '{');
    for (uint64_t i = 0; i < items->used; i++) {
        const struct item *item = (const struct item *)(items->rows + i * stride_of(of));
        if (!write_item(&writer, of, item)) {
            break;
        }
        told += item->count;
    }
    ((uint8_t *)out)[writer.size] = of->key.size == 0 ? ']' : '}';
    uint64_t more = items->count - told;
    memcpy((uint8_t *)out + round_up(room), &more, sizeof(more));
}

static const struct fil_aggregate_ops list_ops = {.name = "list",
                                                  .accumulate = items_accumulate,
                                                  .combine = items_combine,
                                                  .export_result = items_export};
static const struct fil_aggregate_ops map_ops = {.name = "map",
                                                 .accumulate = items_accumulate,
                                                 .combine = items_combine,
                                                 .export_result = items_export};

static uint32_t text_bytes(const struct fil_aggregate_value *value)
{
    if (value->kind == FIL_AGGREGATE_TEXT) {
        return value->size + 2;
    }
    return value->kind == FIL_AGGREGATE_REAL ? REAL_BYTES : NUMBER_BYTES;
}

uint32_t fil_aggregate_items_text_bytes(const struct fil_aggregate_items *items)
{
    // A key has quotes, also around a number, and a colon; each item has a comma.
    uint32_t key = items->key.size == 0 ? 0 : text_bytes(&items->key) + 3;
    return 2 + items->limit * (key + text_bytes(&items->value) + 1);
}

bool fil_aggregate_items_fit(const struct fil_aggregate_items *items)
{
    return items->limit <= FIL_AGGREGATE_ITEMS_MAX &&
           items->key.size <= FIL_AGGREGATE_ITEM_BYTES_MAX &&
           items->value.size <= FIL_AGGREGATE_ITEM_BYTES_MAX &&
           stride_of(items) <= FIL_AGGREGATE_ITEM_BYTES_MAX &&
           fil_aggregate_items_text_bytes(items) <= FIL_AGGREGATE_ITEMS_TEXT_MAX;
}

struct fil_aggregate fil_aggregate_items(const struct fil_aggregate_items *items)
{
    fil_assert(items->limit > 0 && items->value.size > 0 && fil_aggregate_items_fit(items));
    return (struct fil_aggregate){
        .ops = items->key.size == 0 ? &list_ops : &map_ops,
        .state_size = (uint32_t)sizeof(struct items) + items->limit * stride_of(items),
        .result_size = round_up(fil_aggregate_items_text_bytes(items)) + (uint32_t)sizeof(uint64_t),
        .limit = items->limit,
        .items = items};
}
