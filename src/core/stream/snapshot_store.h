// SPDX-License-Identifier: Apache-2.0
/**
 * Where snapshots are kept, by name: in memory, or as files of a folder.
 *
 * A write replaces the snapshot of the same name as a whole, or fails and leaves it: whoever reads
 * later gets one or the other, never a mixture.
 *
 * Threads: one at a time for each store; a store of files blocks, so this is not for the workers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/stream/snapshot.h"
#include "lib/base/list.h"
#include "lib/os/env.h"

#define FIL_SNAPSHOT_NAME_MAX 96U

struct fil_snapshot_store;

/** False: no more names are wanted. */
typedef bool (*fil_snapshot_name_fn)(void *context, const char *name);

struct fil_snapshot_store_ops {
    /** Keeps a reference, or the bytes. */
    int (*write)(struct fil_snapshot_store *store, const char *name, struct fil_snapshot *snapshot);
    /** With a reference for the caller; FIL_E_NOT_FOUND, FIL_E_MALFORMED, FIL_E_IO, FIL_E_NOMEM. */
    int (*read)(struct fil_snapshot_store *store, const char *name,
                struct fil_snapshot **out_snapshot);
    /** FIL_OK also when there is none. */
    int (*remove)(struct fil_snapshot_store *store, const char *name);
    /** Tells the names of all, in no order; `each` leaves the store alone. */
    int (*list)(struct fil_snapshot_store *store, fil_snapshot_name_fn each, void *context);
};

struct fil_snapshot_store {
    const struct fil_snapshot_store_ops *ops;
};

/** In memory: survives jobs, not the process. */
struct fil_snapshot_memory {
    struct fil_snapshot_store base;
    struct fil_list items;
};

void fil_snapshot_memory_init(struct fil_snapshot_memory *memory);
void fil_snapshot_memory_fini(struct fil_snapshot_memory *memory);

/** Files NAME.snapshot in a folder, which is there. The folder's path is borrowed. */
struct fil_snapshot_folder {
    struct fil_snapshot_store base;
    struct fil_env *env;
    const char *path;
};

void fil_snapshot_folder_init(struct fil_snapshot_folder *folder, struct fil_env *env,
                              const char *path);

/** Whether a name can be a file's: letters, digits, '.', '-' and '_', not beginning with '.'. */
bool fil_snapshot_name_is_valid(const char *name);
