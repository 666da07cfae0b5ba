// SPDX-License-Identifier: Apache-2.0
#include "lib/conf/suggest.h"

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"

#define ROW_SIZE (FIL_SUGGEST_SIZE_MAX + 1)

static uint8_t lower(uint8_t letter)
{
    return letter >= 'A' && letter <= 'Z' ? (uint8_t)(letter - 'A' + 'a') : letter;
}

static bool is_same(struct fil_bytes a, size_t i, struct fil_bytes b, size_t j)
{
    return lower(a.data[i]) == lower(b.data[j]);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t fil_suggest_distance(struct fil_bytes a, struct fil_bytes b)
{
    fil_assert(a.size <= FIL_SUGGEST_SIZE_MAX);
    fil_assert(b.size <= FIL_SUGGEST_SIZE_MAX);

    // Row i holds the distances of a's first i letters to every prefix of b; the last three do.
    size_t rows[3][ROW_SIZE];
    for (size_t j = 0; j <= b.size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            size_t replaced = above[j - 1] + (is_same(a, i - 1, b, j - 1) ? 0 : 1);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && is_same(a, i - 1, b, j - 2) && is_same(a, i - 2, b, j - 1)) {
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a.size % 3][b.size];
}

void fil_suggest_init(struct fil_suggest *suggest, struct fil_bytes wanted)
{
    *suggest = (struct fil_suggest){.wanted = wanted, .best_distance = SIZE_MAX};
}

void fil_suggest_offer(struct fil_suggest *suggest, const char *candidate)
{
    fil_assert(candidate != NULL);
    struct fil_bytes word = fil_bytes_of(candidate);
    if (suggest->wanted.size > FIL_SUGGEST_SIZE_MAX || word.size > FIL_SUGGEST_SIZE_MAX) {
        return;
    }
    size_t distance = fil_suggest_distance(suggest->wanted, word);
    size_t longer = suggest->wanted.size > word.size ? suggest->wanted.size : word.size;
    if (distance * 3 <= longer && distance < suggest->best_distance) {
        suggest->best = candidate;
        suggest->best_distance = distance;
    }
}
