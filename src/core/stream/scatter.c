// SPDX-License-Identifier: Apache-2.0
#include "core/stream/scatter.h"

#include <stddef.h>
#include <string.h>

#include "core/stream/key.h"

/** Rows of a size that is known when this is compiled are moved without a call. */
static inline void scatter_rows(struct fil_scatter *scatter, uint32_t stride)
{
    for (uint32_t i = 0; i < scatter->count; i++) {
        uint32_t target = fil_key_part(scatter->hashes[i], scatter->target_count);
        uint32_t place = scatter->counts[target];
        scatter->counts[target] = place + 1;
        memcpy(scatter->rows[target] + (size_t)place * stride,
               scatter->from_rows + (size_t)i * stride, stride);
        if (scatter->from_times != NULL) {
            scatter->times[target][place] = scatter->from_times[i];
        }
    }
}

/** The same for two targets, the usual number: all that one record waits for of another is a sum.
 */
static inline void scatter_two(struct fil_scatter *scatter, uint32_t stride)
{
    uint32_t second_count = 0;
    for (uint32_t i = 0; i < scatter->count; i++) {
        uint32_t target = fil_key_part(scatter->hashes[i], 2);
        uint32_t first_count = i - second_count;
        // Of the two counts that of the target, without a branch that nobody can foresee.
        uint32_t place = first_count ^ ((first_count ^ second_count) & (0U - target));
        memcpy(scatter->rows[target] + (size_t)place * stride,
               scatter->from_rows + (size_t)i * stride, stride);
        if (scatter->from_times != NULL) {
            scatter->times[target][place] = scatter->from_times[i];
        }
        second_count += target;
    }
    scatter->counts[0] = scatter->count - second_count;
    scatter->counts[1] = second_count;
}

static void scatter_two_sizes(struct fil_scatter *scatter, uint32_t stride)
{
    switch (stride) {
    case 8:
        scatter_two(scatter, 8);
        break;
    case 16:
        scatter_two(scatter, 16);
        break;
    case 32:
        scatter_two(scatter, 32);
        break;
    default:
        scatter_two(scatter, stride);
        break;
    }
}

static void scatter_sizes(struct fil_scatter *scatter, uint32_t stride)
{
    switch (stride) {
    case 8:
        scatter_rows(scatter, 8);
        break;
    case 16:
        scatter_rows(scatter, 16);
        break;
    case 32:
        scatter_rows(scatter, 32);
        break;
    default:
        scatter_rows(scatter, stride);
        break;
    }
}

void fil_scatter(struct fil_scatter *scatter, uint32_t stride)
{
    if (scatter->target_count == 2) {
        scatter_two_sizes(scatter, stride);
    } else {
        scatter_sizes(scatter, stride);
    }
}
