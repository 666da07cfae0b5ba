// SPDX-License-Identifier: Apache-2.0
#include "core/exec/meter.h"

#include "lib/base/assert.h"

void fil_meter_init(struct fil_meter *meter)
{
    atomic_init(&meter->item_count.value, 0);
    atomic_init(&meter->cycle_count.value, 0);
    atomic_init(&meter->busy_ns.value, 0);
    fil_histogram_init(&meter->wait_ns);
    fil_histogram_init(&meter->service_ns);
}

void fil_meter_add(struct fil_meter *sum, const struct fil_meter *meter)
{
    fil_assert(sum != meter);
    fil_counter_add(&sum->item_count, fil_counter_read(&meter->item_count));
    fil_counter_add(&sum->cycle_count, fil_counter_read(&meter->cycle_count));
    fil_counter_add(&sum->busy_ns, fil_counter_read(&meter->busy_ns));
    fil_histogram_merge(&sum->wait_ns, &meter->wait_ns);
    fil_histogram_merge(&sum->service_ns, &meter->service_ns);
}
