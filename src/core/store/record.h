// SPDX-License-Identifier: Apache-2.0
/**
 * The layout of one entry's bytes in the slab.
 *
 *     flags 1 | key size 1 | value size 2 |                 the short head
 *     flags 1 | 0 | 0 0 | key size 4 | value size 4 |       the long head
 *     timer 16? | idle 24? | access 8? | links 8? | statistics 24? | key | value
 *
 * The groups with a question mark are there when their flag is set, so that an entry pays only for
 * what its structure asks for. Nothing in it is aligned to more than a byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_RECORD_TIMER      1U   // expires: filed in the wheel
#define FIL_RECORD_IDLE       2U   // a read puts its end off; has a timer too
#define FIL_RECORD_ACCESS     4U   // counts its readers
#define FIL_RECORD_LINKS      8U   // stands in the queue of SIEVE
#define FIL_RECORD_STATISTICS 16U  // knows when it was made and changed
#define FIL_RECORD_LONG       32U  // the long head
#define FIL_RECORD_VISITED    64U  // used since SIEVE's hand came by
#define FIL_RECORD_FRESH      128U // written since the snapshot's cut, and not seen by it
#define FIL_RECORD_GROUPS     31U
#define FIL_RECORD_LAYOUT     63U // flags that decide where things lie

#define FIL_RECORD_SHORT_KEY_MAX   UINT8_MAX
#define FIL_RECORD_SHORT_VALUE_MAX UINT16_MAX
#define FIL_RECORD_NEVER           UINT64_MAX

/** Its place in the wheel of expiry. */
struct fil_record_timer {
    uint64_t armed; // when the wheel looks at it, in ms, and in the upper 16 bits its slot
    uint32_t next;
    uint32_t previous;
};

struct fil_record_idle {
    uint64_t expires_ms; // by time to live, whoever reads it; FIL_RECORD_NEVER
    uint64_t max_idle_ms;
    uint64_t access_ms;
};

struct fil_record_access {
    uint32_t tick; // of the last access
    uint32_t hits;
};

struct fil_record_links {
    uint32_t newer;
    uint32_t older;
};

struct fil_record_statistics {
    uint64_t created_ms;
    uint64_t updated_ms;
    uint64_t version; // how often it was written after it was made
};

/** What a record looks like before it has bytes. */
struct fil_record_shape {
    uint32_t flags; // FIL_RECORD_LAYOUT only
    uint32_t key_size;
    uint32_t value_size;
};

/** Bytes of the groups that these flags stand for. */
static inline uint32_t fil_record_groups_bytes(uint32_t flags)
{
    uint32_t bytes = (flags & FIL_RECORD_TIMER) * (uint32_t)sizeof(struct fil_record_timer);
    bytes += (flags >> 1 & 1U) * (uint32_t)sizeof(struct fil_record_idle);
    bytes += (flags >> 2 & 1U) * (uint32_t)sizeof(struct fil_record_access);
    bytes += (flags >> 3 & 1U) * (uint32_t)sizeof(struct fil_record_links);
    bytes += (flags >> 4 & 1U) * (uint32_t)sizeof(struct fil_record_statistics);
    return bytes;
}

static inline uint32_t fil_record_head_bytes(uint32_t flags)
{
    return (flags & FIL_RECORD_LONG) != 0 ? 12U : 4U;
}

/** The shape for a key and a value with these groups. */
struct fil_record_shape fil_record_shape_of(uint32_t groups, size_t key_size, size_t value_size);

uint64_t fil_record_shape_bytes(const struct fil_record_shape *shape);

/** Writes head and key, clears the groups; the value's bytes are the caller's to write. */
void fil_record_make(uint8_t *record, const struct fil_record_shape *shape, struct fil_bytes key);

/** Changes the value's size; the layout must not change by it. */
void fil_record_set_value_size(uint8_t *record, uint32_t value_size);

static inline uint32_t fil_record_flags(const uint8_t *record)
{
    return record[0];
}

static inline bool fil_record_has(const uint8_t *record, uint32_t flag)
{
    return (record[0] & flag) != 0;
}

static inline uint32_t fil_record_key_size(const uint8_t *record)
{
    if (FIL_LIKELY(!fil_record_has(record, FIL_RECORD_LONG))) {
        return record[1];
    }
    uint32_t size = 0;
    memcpy(&size, record + 4, sizeof(size));
    return size;
}

static inline uint32_t fil_record_value_size(const uint8_t *record)
{
    if (FIL_LIKELY(!fil_record_has(record, FIL_RECORD_LONG))) {
        uint16_t size = 0;
        memcpy(&size, record + 2, sizeof(size));
        return size;
    }
    uint32_t size = 0;
    memcpy(&size, record + 8, sizeof(size));
    return size;
}

/** Where the bytes of a group lie; the record has it. */
static inline uint8_t *fil_record_group(uint8_t *record, uint32_t group)
{
    fil_debug_assert(fil_record_has(record, group));
    uint32_t flags = record[0];
    return record + fil_record_head_bytes(flags) + fil_record_groups_bytes(flags & (group - 1));
}

static inline uint32_t fil_record_key_offset(const uint8_t *record)
{
    uint32_t flags = record[0];
    if (FIL_LIKELY((flags & FIL_RECORD_LAYOUT) == 0)) {
        return 4;
    }
    return fil_record_head_bytes(flags) + fil_record_groups_bytes(flags & FIL_RECORD_GROUPS);
}

static inline struct fil_bytes fil_record_key(const uint8_t *record)
{
    return fil_bytes_make(record + fil_record_key_offset(record), fil_record_key_size(record));
}

static inline struct fil_bytes fil_record_value(const uint8_t *record)
{
    uint32_t offset = fil_record_key_offset(record) + fil_record_key_size(record);
    return fil_bytes_make(record + offset, fil_record_value_size(record));
}

static inline uint64_t fil_record_bytes(const uint8_t *record)
{
    return (uint64_t)fil_record_key_offset(record) + fil_record_key_size(record) +
           fil_record_value_size(record);
}

static inline struct fil_record_timer fil_record_timer(const uint8_t *record)
{
    struct fil_record_timer timer;
    fil_debug_assert(fil_record_has(record, FIL_RECORD_TIMER));
    memcpy(&timer, record + fil_record_head_bytes(record[0]), sizeof(timer));
    return timer;
}

static inline void fil_record_set_timer(uint8_t *record, const struct fil_record_timer *timer)
{
    memcpy(fil_record_group(record, FIL_RECORD_TIMER), timer, sizeof(*timer));
}

/** The other groups: read and written as wholes. */
struct fil_record_idle fil_record_idle(const uint8_t *record);
void fil_record_set_idle(uint8_t *record, const struct fil_record_idle *idle);
struct fil_record_access fil_record_access(const uint8_t *record);
void fil_record_set_access(uint8_t *record, const struct fil_record_access *access);
struct fil_record_links fil_record_links(const uint8_t *record);
void fil_record_set_links(uint8_t *record, const struct fil_record_links *links);
struct fil_record_statistics fil_record_statistics(const uint8_t *record);
void fil_record_set_statistics(uint8_t *record, const struct fil_record_statistics *statistics);
