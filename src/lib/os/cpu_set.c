// SPDX-License-Identifier: Apache-2.0
#include "lib/os/cpu_set.h"

#include <assert.h>
#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/cpu_set_internal.h"

static_assert(FIL_CPU_MAX == CPU_SETSIZE, "sets convert one to one");

void fil_cpu_set_add(struct fil_cpu_set *set, uint32_t cpu)
{
    fil_assert(cpu < FIL_CPU_MAX);
    set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

uint32_t fil_cpu_set_count(const struct fil_cpu_set *set)
{
    uint32_t count = 0;
    for (size_t i = 0; i < FIL_COUNT_OF(set->words); i++) {
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    }
    fil_assert(count <= FIL_CPU_MAX);
    return count;
}

uint32_t fil_cpu_set_next(const struct fil_cpu_set *set, uint32_t from)
{
    for (uint32_t cpu = from; cpu < FIL_CPU_MAX; cpu++) {
        if (fil_cpu_set_has(set, cpu)) {
            return cpu;
        }
    }
    return FIL_CPU_MAX;
}

struct fil_cpu_set fil_cpu_set_intersect(const struct fil_cpu_set *a, const struct fil_cpu_set *b)
{
    struct fil_cpu_set both = {0};
    for (size_t i = 0; i < FIL_COUNT_OF(both.words); i++) {
        both.words[i] = a->words[i] & b->words[i];
    }
    return both;
}

cpu_set_t fil_cpu_set__to_system(const struct fil_cpu_set *set)
{
    cpu_set_t system;
    CPU_ZERO(&system);
    for (uint32_t cpu = fil_cpu_set_next(set, 0); cpu < FIL_CPU_MAX;
         cpu = fil_cpu_set_next(set, cpu + 1)) {
        CPU_SET(cpu, &system);
    }
    return system;
}

struct fil_cpu_set fil_cpu_set__from_system(const cpu_set_t *system)
{
    struct fil_cpu_set set = {0};
    for (uint32_t cpu = 0; cpu < FIL_CPU_MAX; cpu++) {
        if (CPU_ISSET(cpu, system)) {
            fil_cpu_set_add(&set, cpu);
        }
    }
    return set;
}

static int parse_cpu(struct fil_bytes text, uint32_t *out_cpu)
{
    uint64_t number = 0;
    if (!fil_bytes_to_u64(text, &number)) {
        return FIL_E_MALFORMED;
    }
    if (number >= FIL_CPU_MAX) {
        return FIL_E_LIMIT;
    }
    *out_cpu = (uint32_t)number;
    return FIL_OK;
}

/** "3" or "0-3". */
static int parse_range(struct fil_bytes text, struct fil_cpu_set *set)
{
    size_t dash = fil_bytes_find(text, '-');
    uint32_t first = 0;
    int error = parse_cpu(fil_bytes_make(text.data, dash), &first);
    if (error != FIL_OK) {
        return error;
    }
    uint32_t last = first;
    if (dash < text.size) {
        error = parse_cpu(fil_bytes_make(text.data + dash + 1, text.size - dash - 1), &last);
        if (error != FIL_OK) {
            return error;
        }
    }
    if (last < first) {
        return FIL_E_MALFORMED;
    }
    for (uint32_t cpu = first; cpu <= last; cpu++) {
        fil_cpu_set_add(set, cpu);
    }
    return FIL_OK;
}

int fil_cpu_set_parse(struct fil_bytes text, struct fil_cpu_set *out_set)
{
    fil_assert(out_set != NULL);
    struct fil_cpu_set set = {0};
    struct fil_bytes rest = text;
    while (rest.size > 0) {
        size_t comma = fil_bytes_find(rest, ',');
        int error = parse_range(fil_bytes_make(rest.data, comma), &set);
        if (error != FIL_OK) {
            return error;
        }
        if (comma == rest.size) {
            break;
        }
        rest = fil_bytes_make(rest.data + comma + 1, rest.size - comma - 1);
        if (rest.size == 0) {
            return FIL_E_MALFORMED; // nothing behind the last comma
        }
    }
    *out_set = set;
    return FIL_OK;
}

static size_t format_range(char *text, size_t capacity, uint32_t first, uint32_t last)
{
    int written = first == last ? snprintf(text, capacity, "%u", first)
                                : snprintf(text, capacity, "%u-%u", first, last);
    fil_assert(written > 0);
    return (size_t)written < capacity ? (size_t)written : capacity - 1;
}

const char *fil_cpu_set_format(const struct fil_cpu_set *set, char *text, size_t capacity)
{
    fil_assert(capacity > 0);
    size_t used = 0;
    text[0] = '\0';
    uint32_t first = fil_cpu_set_next(set, 0);
    while (first < FIL_CPU_MAX && used < capacity - 1) {
        uint32_t last = first;
        while (fil_cpu_set_has(set, last + 1)) {
            last++;
        }
        used += format_range(text + used, capacity - used, first, last);
        first = fil_cpu_set_next(set, last + 1);
        if (first < FIL_CPU_MAX && used < capacity - 1) {
            text[used] = ',';
            used++;
            text[used] = '\0';
        }
    }
    fil_assert(used < capacity);
    return text;
}
