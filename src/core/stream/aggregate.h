// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregates: state that grows with records and can be combined, and for some taken apart again.
 *
 * A state is a block of bytes that begins with the number of its records as uint64_t; all zero is
 * the empty state. accumulate takes a group of records, each with its own state, so that a loop and
 * not a call is paid for each. deduct(combine(a, b), b) is a, where there is a deduct.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/stream/order.h"

struct fil_aggregate;

struct fil_aggregate_ops {
    const char *name;
    bool is_additive;      // a state is 64-bit words; to combine adds them, to deduct subtracts
    bool has_plain_result; // the result is the word of the state at `result_at`
    uint32_t result_at;
    void (*accumulate)(const struct fil_aggregate *aggregate, void *const *states,
                       const void *const *records, uint32_t count);
    /** Records that lie one behind the other, all of one state; NULL: accumulate does it. */
    void (*accumulate_run)(const struct fil_aggregate *aggregate, void *state, const void *records,
                           uint32_t stride, uint32_t count);
    void (*combine)(const struct fil_aggregate *aggregate, void *into, const void *from);
    void (*deduct)(const struct fil_aggregate *aggregate, void *from, const void *part); // or NULL
    void (*export_result)(const struct fil_aggregate *aggregate, const void *state, void *out);
};

struct fil_aggregate {
    const struct fil_aggregate_ops *ops;
    uint32_t state_size;               // a multiple of 8
    uint32_t result_size;              // a multiple of 8
    uint32_t offset;                   // of the value in the record
    uint32_t id_offset;                // top: of a 64-bit number that tells the records apart
    uint32_t limit;                    // top: how many
    const struct fil_aggregate *parts; // several at once: borrowed
    uint32_t part_count;
    const struct fil_aggregate_custom *custom; // of one that a program brings: borrowed
    const struct fil_order *order;             // best: borrowed
    const struct fil_aggregate_items *items;   // list, map: borrowed
    uint64_t tag;                              // tagged: whose records it takes
};

/** An aggregate of a program: as that of filbert/pipeline.h, its functions have no empty states. */
struct fil_aggregate_custom {
    uint32_t state_size;
    void (*accumulate)(void *context, void *state, const void *record);
    void (*combine)(void *context, void *into, const void *from);
    void (*deduct)(void *context, void *from, const void *part); // or NULL
    void (*export_result)(void *context, const void *state, void *out_result);
    void *context;
};

/** One of the best: result of top, with unused places at the end all zero. */
struct fil_aggregate_top {
    int64_t value;
    uint64_t id;
};

#define FIL_AGGREGATE_TOP_MAX 1024U

/** Bytes of a state, at most. */
#define FIL_AGGREGATE_STATE_BYTES_MAX 32768U

/** int64_t: number of records. */
struct fil_aggregate fil_aggregate_count(void);

/** int64_t: sum of an int64_t; wraps. */
struct fil_aggregate fil_aggregate_sum(uint32_t offset);

/** double: sum of a double. Deducts, so rounding errors add up over a long sliding window. */
struct fil_aggregate fil_aggregate_sum_real(uint32_t offset);

/** double: mean of an int64_t. */
struct fil_aggregate fil_aggregate_average(uint32_t offset);

/** double: mean of a double. */
struct fil_aggregate fil_aggregate_average_real(uint32_t offset);

/** int64_t: least and greatest of an int64_t. */
struct fil_aggregate fil_aggregate_min(uint32_t offset);
struct fil_aggregate fil_aggregate_max(uint32_t offset);

/** struct fil_aggregate_top[limit]: the greatest values, each with its record's id; smaller ids
 * first. */
struct fil_aggregate fil_aggregate_top(uint32_t offset, uint32_t id_offset, uint32_t limit);

/**
 * uint64_t, then that many records in the order: the first ones of all, up to limit; unused places
 * are zero. The order is borrowed for as long as it is used.
 */
struct fil_aggregate fil_aggregate_best(const struct fil_order *order, uint32_t limit);

/** Bytes of a record in such a result. */
static inline uint32_t fil_aggregate_best_stride(const struct fil_order *order)
{
    return (order->record_size + 7U) & ~7U;
}

/** About the fields of the aggregates below. */
#define FIL_AGGREGATE_IS_MAX     1U // greatest, not least
#define FIL_AGGREGATE_IS_REAL    2U // the field is a double; of chosen: the one that is compared
#define FIL_AGGREGATE_IS_REAL_BY 4U // trend: the field of the other axis is a double

/** double: least or greatest of a double. */
struct fil_aggregate fil_aggregate_extreme_real(uint32_t offset, uint32_t flags);

/** 8 bytes: those of the record whose other field is the least or greatest; of equals, the least.
 */
struct fil_aggregate fil_aggregate_chosen(uint32_t offset, uint32_t by_offset, uint32_t flags);

/** double: slope of the line that fits a field over another one best; 0 when it has none. */
struct fil_aggregate fil_aggregate_trend(uint32_t offset, uint32_t by_offset, uint32_t flags);

/** int64_t: how many different values a field of some bytes has, within a few per cent. */
struct fil_aggregate fil_aggregate_distinct(uint32_t offset, uint32_t size);

/** int64_t: the value that so many per cent of an int64_t are not above, within 1/32 of it. */
struct fil_aggregate fil_aggregate_percentile(uint32_t offset, uint32_t rank);

enum fil_aggregate_value_kind {
    FIL_AGGREGATE_NUMBER, // int64_t
    FIL_AGGREGATE_REAL,   // double
    FIL_AGGREGATE_TEXT    // with zeros behind it
};

/** A field of the record. */
struct fil_aggregate_value {
    enum fil_aggregate_value_kind kind;
    uint32_t offset;
    uint32_t size;
};

/** What a list or map of values is made of. */
struct fil_aggregate_items {
    struct fil_aggregate_value key; // size 0: a list
    struct fil_aggregate_value value;
    uint32_t limit; // values of a list, keys of a map
    bool has_time;
    uint32_t time_offset; // of an int64_t
};

#define FIL_AGGREGATE_ITEMS_MAX      1024U
#define FIL_AGGREGATE_ITEM_BYTES_MAX 1024U // key, value and 16 more
#define FIL_AGGREGATE_ITEMS_TEXT_MAX 4096U

/** Bytes of the text of the result. */
uint32_t fil_aggregate_items_text_bytes(const struct fil_aggregate_items *items);

/** Whether items and text are within the limits above. */
bool fil_aggregate_items_fit(const struct fil_aggregate_items *items);

/**
 * Text of JSON, rounded up to a multiple of 8, then a uint64_t: how many records are not told in
 * it. A list has the earliest values, up to the limit, by time and then by value; a map has the
 * least keys, up to the limit, each with its latest value. The text has room for so many values
 * without escapes. The description is borrowed for as long as the aggregate is used.
 */
struct fil_aggregate fil_aggregate_items(const struct fil_aggregate_items *items);

/** 8 bytes: what its function says; the description is borrowed for as long as it is used. */
struct fil_aggregate fil_aggregate_custom(const struct fil_aggregate_custom *custom);

/** Ranks are in parts of a per cent. */
#define FIL_AGGREGATE_RANK_SCALE 1000U

#define FIL_AGGREGATE_PARTS_MAX 16U

/** The results of several, one behind the other; the parts are borrowed for as long as it is used.
 */
struct fil_aggregate fil_aggregate_several(const struct fil_aggregate *parts, uint32_t count);

/**
 * The aggregate of those records that have `tag` as a uint64_t at `tag_offset`, a multiple of 8;
 * what it is taken of stands behind that. The result of no such record is zero. The aggregate is
 * borrowed for as long as it is used.
 */
struct fil_aggregate fil_aggregate_tagged(const struct fil_aggregate *inner, uint64_t tag,
                                          uint32_t tag_offset);

/**
 * The two halves of an aggregate, in front of an exchange and behind it. The first gives its states
 * as results; the second takes records that have such a state at the offset, a multiple of 8, and
 * gives the results. The aggregate is borrowed for as long as a half is used.
 */
struct fil_aggregate fil_aggregate_partial(const struct fil_aggregate *inner);
struct fil_aggregate fil_aggregate_combined(const struct fil_aggregate *inner, uint32_t offset);

/** What its states are of; those of a second half are the same as if there were no halves. */
const char *fil_aggregate_name(const struct fil_aggregate *aggregate);

/** Adds records that lie one behind the other to one state. */
void fil_aggregate_accumulate_run(const struct fil_aggregate *aggregate, void *state,
                                  const void *records, uint32_t stride, uint32_t count);

/** Combines, or deducts, states that lie one behind the other: a column's part at once. */
void fil_aggregate_combine_many(const struct fil_aggregate *aggregate, void *into, const void *from,
                                uint32_t count);
void fil_aggregate_deduct_many(const struct fil_aggregate *aggregate, void *from, const void *part,
                               uint32_t count);

/** Writes a state's result. */
static inline void fil_aggregate_export(const struct fil_aggregate *aggregate, const void *state,
                                        void *out)
{
    const struct fil_aggregate_ops *ops = aggregate->ops;
    if (ops->has_plain_result) {
        memcpy(out, (const uint8_t *)state + ops->result_at, sizeof(uint64_t));
    } else {
        ops->export_result(aggregate, state, out);
    }
}

static inline uint64_t fil_aggregate_count_of(const void *state)
{
    return *(const uint64_t *)state;
}
