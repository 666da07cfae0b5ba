// SPDX-License-Identifier: Apache-2.0
#include "core/container/container.h"

#include "core/container/directory.h"
#include "core/exec/exec.h"
#include "lib/base/assert.h"

struct fil_partition *fil_container_partition(const struct fil_container *container)
{
    struct fil_exec *exec = fil_directory_options(container->directory)->exec;
    return exec == NULL ? NULL : fil_exec_partition(exec, container->partition_id);
}

uint64_t fil_container_seed(const struct fil_container *container)
{
    return fil_directory_options(container->directory)->seed;
}

uint64_t fil_container_now_ms(const struct fil_container *container, uint64_t now_ns)
{
    return fil_directory_now_ms(container->directory, now_ns);
}

void fil_container_ask_upkeep_here(struct fil_container *container, uint64_t at_ms)
{
    struct fil_partition *partition = fil_container_partition(container);
    uint64_t at_ns = fil_directory_to_ns(container->directory, at_ms);
    fil_assert(container->type->upkeep != NULL);
    if (partition != NULL && at_ns != FIL_OP_NO_DEADLINE) {
        fil_partition_ask_upkeep(partition, &container->upkeep, at_ns);
    }
}

/** Single writer: whoever is inside. */
static void set(struct fil_counter *counter, uint64_t value)
{
    // Relaxed: a count publishes nothing but itself.
    atomic_store_explicit(&counter->value, value, memory_order_relaxed);
}

void fil_container_note_size_here(struct fil_container *container, uint64_t items, uint64_t bytes)
{
    set(&container->counters.items, items);
    set(&container->counters.bytes, bytes);
}

void fil_container_note_update_here(struct fil_container *container, uint64_t now_ms)
{
    set(&container->counters.updated_ms, now_ms);
}

void fil_container_note_read_here(struct fil_container *container, uint64_t now_ms)
{
    set(&container->counters.read_ms, now_ms);
}
