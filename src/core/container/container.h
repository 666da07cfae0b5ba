// SPDX-License-Identifier: Apache-2.0
/**
 * What every structure with a name is made of: its name, its partition, its memory, its figures,
 * who listens to it and what it does by itself.
 *
 * A structure's struct begins with a struct fil_container; its type says how to open and close it.
 * It lives in one partition, chosen by its name, from its first use until the member ends; to
 * destroy it is to empty it.
 *
 * Time:    the time of day in milliseconds, made of the runner's clock; it never goes back.
 * Memory:  the account of the partition, shared by all containers there.
 * Threads: name, type and figures for anybody; the `_here` functions for whoever is inside the
 *          container's partition.
 */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/partition.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"

#define FIL_CONTAINER_NAME_MAX 255U
#define FIL_CONTAINER_NEVER    UINT64_MAX

struct fil_container;
struct fil_directory;

struct fil_container_type {
    const char *name;   // of the kind of structure: "queue"
    size_t size;        // of its struct
    const void *config; // when nobody has said anything

    /** The container's part is complete, the rest is zero. FIL_E_NOMEM. */
    int (*open)(struct fil_container *container, const void *config);

    /** Frees what open and use have brought, after the threads have ended. */
    void (*close)(struct fil_container *container);

    /** Inside: nothing is left in it. */
    void (*clear)(struct fil_container *container, uint64_t now_ms);

    /** Inside, when it was asked for: returns when to come again, as time of day. May be NULL. */
    uint64_t (*upkeep)(struct fil_container *container, uint64_t now_ms);
};

/** What is counted of every structure; written by whoever is inside. */
struct fil_container_counters {
    struct fil_counter items;
    struct fil_counter bytes; // of memory
    struct fil_counter adds;
    struct fil_counter removes;
    struct fil_counter reads;
    struct fil_counter refused;     // for want of room, also after a wait
    struct fil_counter waits;       // operations that had to wait
    struct fil_counter expired;     // items that were too old, or made room
    struct fil_counter events;      // published to listeners
    struct fil_counter events_lost; // for want of memory or room
    struct fil_counter updated_ms;  // when it was last changed
    struct fil_counter read_ms;     // when it was last read
};

struct fil_container {
    // Set by new, then read-only.
    const struct fil_container_type *type;
    struct fil_directory *directory;
    struct fil_account *account; // of the partition
    fil_partition_id partition_id;
    uint32_t name_size;
    uint64_t created_ms;
    const char *name; // with a 0 byte behind it

    // Whoever is inside the partition.
    struct fil_list listeners;
    uint32_t listener_count;
    struct fil_upkeep upkeep;

    // Written there, read by anyone.
    alignas(FIL_CACHE_LINE) struct fil_container_counters counters;
};

FIL_ANY_THREAD static inline struct fil_bytes
fil_container_name(const struct fil_container *container)
{
    return fil_bytes_make(container->name, container->name_size);
}

/** The partition, or NULL without a kernel. */
FIL_ANY_THREAD struct fil_partition *fil_container_partition(const struct fil_container *container);

/** Makes tables unpredictable from outside. */
FIL_ANY_THREAD uint64_t fil_container_seed(const struct fil_container *container);

/** The time of day at a moment of the runner's clock. */
FIL_ANY_THREAD uint64_t fil_container_now_ms(const struct fil_container *container,
                                             uint64_t now_ns);

/** Lets the type's upkeep run at that time of day or a little later. */
FIL_INSIDE_PARTITION void fil_container_ask_upkeep_here(struct fil_container *container,
                                                        uint64_t at_ms);

/** Publishes how much there is, after a change. */
FIL_INSIDE_PARTITION void fil_container_note_size_here(struct fil_container *container,
                                                       uint64_t items, uint64_t bytes);
FIL_INSIDE_PARTITION void fil_container_note_update_here(struct fil_container *container,
                                                         uint64_t now_ms);
FIL_INSIDE_PARTITION void fil_container_note_read_here(struct fil_container *container,
                                                       uint64_t now_ms);
