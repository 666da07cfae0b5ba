// SPDX-License-Identifier: Apache-2.0
#include "core/store/record.h"

struct fil_record_shape fil_record_shape_of(uint32_t groups, size_t key_size, size_t value_size)
{
    fil_assert((groups & ~FIL_RECORD_GROUPS) == 0);
    fil_assert(key_size <= UINT32_MAX);
    fil_assert(value_size <= UINT32_MAX);
    bool is_long = key_size > FIL_RECORD_SHORT_KEY_MAX || value_size > FIL_RECORD_SHORT_VALUE_MAX;
    return (struct fil_record_shape){.flags = groups | (is_long ? FIL_RECORD_LONG : 0),
                                     .key_size = (uint32_t)key_size,
                                     .value_size = (uint32_t)value_size};
}

static uint32_t prefix_bytes(const struct fil_record_shape *shape)
{
    return fil_record_head_bytes(shape->flags) +
           fil_record_groups_bytes(shape->flags & FIL_RECORD_GROUPS);
}

uint64_t fil_record_shape_bytes(const struct fil_record_shape *shape)
{
    return (uint64_t)prefix_bytes(shape) + shape->key_size + shape->value_size;
}

static void write_sizes(uint8_t *record, uint32_t key_size, uint32_t value_size)
{
    if (fil_record_has(record, FIL_RECORD_LONG)) {
        memcpy(record + 4, &key_size, sizeof(key_size));
        memcpy(record + 8, &value_size, sizeof(value_size));
        return;
    }
    fil_assert(key_size <= FIL_RECORD_SHORT_KEY_MAX);
    fil_assert(value_size <= FIL_RECORD_SHORT_VALUE_MAX);
    uint16_t short_size = (uint16_t)value_size;
    record[1] = (uint8_t)key_size;
    memcpy(record + 2, &short_size, sizeof(short_size));
}

void fil_record_make(uint8_t *record, const struct fil_record_shape *shape, struct fil_bytes key)
{
    fil_assert(key.size == shape->key_size);
    uint32_t prefix = prefix_bytes(shape);
    memset(record, 0, prefix);
    record[0] = (uint8_t)shape->flags;
    write_sizes(record, shape->key_size, shape->value_size);
    if (key.size > 0) {
        memcpy(record + prefix, key.data, key.size);
    }
}

void fil_record_set_value_size(uint8_t *record, uint32_t value_size)
{
    write_sizes(record, fil_record_key_size(record), value_size);
}

static const uint8_t *group_of(const uint8_t *record, uint32_t group)
{
    uint32_t flags = record[0];
    fil_assert((flags & group) != 0);
    return record + fil_record_head_bytes(flags) + fil_record_groups_bytes(flags & (group - 1));
}

struct fil_record_idle fil_record_idle(const uint8_t *record)
{
    struct fil_record_idle idle;
    memcpy(&idle, group_of(record, FIL_RECORD_IDLE), sizeof(idle));
    return idle;
}

void fil_record_set_idle(uint8_t *record, const struct fil_record_idle *idle)
{
    memcpy(fil_record_group(record, FIL_RECORD_IDLE), idle, sizeof(*idle));
}

struct fil_record_access fil_record_access(const uint8_t *record)
{
    struct fil_record_access access;
    memcpy(&access, group_of(record, FIL_RECORD_ACCESS), sizeof(access));
    return access;
}

void fil_record_set_access(uint8_t *record, const struct fil_record_access *access)
{
    memcpy(fil_record_group(record, FIL_RECORD_ACCESS), access, sizeof(*access));
}

struct fil_record_links fil_record_links(const uint8_t *record)
{
    struct fil_record_links links;
    memcpy(&links, group_of(record, FIL_RECORD_LINKS), sizeof(links));
    return links;
}

void fil_record_set_links(uint8_t *record, const struct fil_record_links *links)
{
    memcpy(fil_record_group(record, FIL_RECORD_LINKS), links, sizeof(*links));
}

struct fil_record_statistics fil_record_statistics(const uint8_t *record)
{
    struct fil_record_statistics statistics;
    memcpy(&statistics, group_of(record, FIL_RECORD_STATISTICS), sizeof(statistics));
    return statistics;
}

void fil_record_set_statistics(uint8_t *record, const struct fil_record_statistics *statistics)
{
    memcpy(fil_record_group(record, FIL_RECORD_STATISTICS), statistics, sizeof(*statistics));
}
