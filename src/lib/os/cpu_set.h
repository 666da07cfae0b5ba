// SPDX-License-Identifier: Apache-2.0
/** A set of processors by number, and its text form as the kernel writes it: "0-3,8". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_CPU_MAX 1024U

/** Enough for the worst set, every second cpu, and the end. */
#define FIL_CPU_SET_TEXT_MAX 2560U

struct fil_cpu_set {
    uint64_t words[FIL_CPU_MAX / 64];
};

static inline bool fil_cpu_set_has(const struct fil_cpu_set *set, uint32_t cpu)
{
    return cpu < FIL_CPU_MAX && ((set->words[cpu / 64] >> (cpu % 64)) & 1U) != 0;
}

/** The cpu is below FIL_CPU_MAX. */
void fil_cpu_set_add(struct fil_cpu_set *set, uint32_t cpu);

uint32_t fil_cpu_set_count(const struct fil_cpu_set *set);

/** The lowest cpu at or above `from`; FIL_CPU_MAX when there is none. */
uint32_t fil_cpu_set_next(const struct fil_cpu_set *set, uint32_t from);

/** What both sets have. */
struct fil_cpu_set fil_cpu_set_intersect(const struct fil_cpu_set *a, const struct fil_cpu_set *b);

/**
 * Reads "0-3,8"; an empty text is the empty set. FIL_E_MALFORMED for anything else, FIL_E_LIMIT for
 * a cpu of FIL_CPU_MAX or above; out_set is untouched then.
 */
int fil_cpu_set_parse(struct fil_bytes text, struct fil_cpu_set *out_set) FIL_NODISCARD;

/** Writes "0-3,8", cut at the capacity; always terminated. Returns text. */
const char *fil_cpu_set_format(const struct fil_cpu_set *set, char *text, size_t capacity);
