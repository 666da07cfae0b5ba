// SPDX-License-Identifier: Apache-2.0
#include "arrivals.h"

#include <math.h>

#include "lib/base/assert.h"

void load_arrivals_init(struct load_arrivals *arrivals, uint64_t begin_ns, uint64_t length_ns,
                        double interval_ns)
{
    *arrivals = (struct load_arrivals){
        .begin_ns = begin_ns, .length_ns = length_ns, .interval_ns = interval_ns};
}

void load_arrivals_scatter(struct load_arrivals *arrivals, uint64_t seed)
{
    fil_assert(arrivals->taken == 0);
    arrivals->is_random = true;
    fil_prng_init(&arrivals->prng, seed);
}

bool load_arrivals_has_next(const struct load_arrivals *arrivals)
{
    return arrivals->length_ns == 0 || arrivals->offset_ns <= (double)arrivals->length_ns;
}

uint64_t load_arrivals_next_ns(const struct load_arrivals *arrivals)
{
    return arrivals->begin_ns + (uint64_t)arrivals->offset_ns;
}

uint32_t load_arrivals_count(const struct load_arrivals *arrivals, uint64_t now_ns)
{
    fil_assert(arrivals->interval_ns > 0);
    double elapsed_ns = now_ns > arrivals->begin_ns ? (double)(now_ns - arrivals->begin_ns) : 0;
    if (elapsed_ns < arrivals->offset_ns) {
        return 0;
    }
    double waiting = (elapsed_ns - arrivals->offset_ns) / arrivals->interval_ns + 1;
    return arrivals->is_random ? 1 : waiting < UINT32_MAX ? (uint32_t)waiting : UINT32_MAX;
}

uint64_t load_arrivals_take(struct load_arrivals *arrivals)
{
    uint64_t due_ns = load_arrivals_next_ns(arrivals);
    arrivals->taken++;
    if (arrivals->is_random) {
        arrivals->offset_ns -= log(1.0 - fil_prng_real(&arrivals->prng)) * arrivals->interval_ns;
    } else {
        arrivals->offset_ns = (double)arrivals->taken * arrivals->interval_ns; // does not drift
    }
    return due_ns;
}

uint64_t load_arrivals_rest(const struct load_arrivals *arrivals)
{
    struct load_arrivals rest = *arrivals;
    if (arrivals->interval_ns <= 0 || arrivals->length_ns == 0) {
        return 0;
    }
    while (load_arrivals_has_next(&rest)) {
        (void)load_arrivals_take(&rest);
    }
    return rest.taken - arrivals->taken;
}
