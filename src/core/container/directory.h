// SPDX-License-Identifier: Apache-2.0
/**
 * The containers of a member, by type and name: made on first use.
 *
 * Progress: find, and get of one that is there, are wait-free but for the look along a table;
 *           making one takes a mutex.
 * Threads:  any, but new and free.
 */
#pragma once

#include <stdint.h>

#include "core/container/container.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"

#define FIL_DIRECTORY_TYPES_MAX 32U
#define FIL_DIRECTORY_COUNT_MAX 1048576U

struct fil_env;
struct fil_events;
struct fil_exec;

/** Which partition a name belongs to. */
typedef fil_partition_id (*fil_directory_place_fn)(struct fil_bytes name, uint32_t partition_count);

/** The settings of a container; NULL: those of its type. */
typedef const void *(*fil_directory_config_fn)(void *context, const struct fil_container_type *type,
                                               struct fil_bytes name);

/** A container has been made; under the mutex. */
typedef void (*fil_directory_made_fn)(void *context, struct fil_container *container);

struct fil_directory_options {
    struct fil_env *env;       // for the time of day; NULL: it is the runner's clock
    struct fil_exec *exec;     // NULL: nobody waits and nothing is due by itself, for tests
    struct fil_events *events; // NULL: no listeners
    struct fil_budget *budget;
    uint32_t partition_count; // without an exec
    uint64_t seed;            // of the tables
    uint32_t count_max;       // containers of each type
    const struct fil_container_type *const *types;
    uint32_t type_count;
    fil_directory_place_fn place;   // NULL: by the hash of the name
    fil_directory_config_fn config; // NULL: each type's own
    fil_directory_made_fn made;     // NULL: nobody is told
    void *context;                  // of config and made
};

/** FIL_E_NOMEM, FIL_E_INVALID for counts out of range. */
int fil_directory_new(struct fil_directory **out_directory,
                      const struct fil_directory_options *options) FIL_NODISCARD;

/** The threads that use it have ended. */
void fil_directory_free(struct fil_directory *directory);

/**
 * The container of that name, made if there is none. FIL_E_LIMIT beyond the limit or for a name
 * that is too long, FIL_E_NOMEM, FIL_E_UNSUPPORTED for a type that is not in the directory.
 */
FIL_ANY_THREAD int fil_directory_get(struct fil_directory *directory,
                                     const struct fil_container_type *type, struct fil_bytes name,
                                     struct fil_container **out_container) FIL_NODISCARD;

/** NULL when there is none. */
FIL_ANY_THREAD struct fil_container *fil_directory_find(struct fil_directory *directory,
                                                        const struct fil_container_type *type,
                                                        struct fil_bytes name);

/** The type of that name; NULL when there is none. */
FIL_ANY_THREAD const struct fil_container_type *
fil_directory_type(const struct fil_directory *directory, struct fil_bytes name);

/** How many of a type there are. */
FIL_ANY_THREAD uint32_t fil_directory_count(const struct fil_directory *directory,
                                            const struct fil_container_type *type);

/** A place in a walk over all containers; all zero at its beginning. */
struct fil_directory_cursor {
    uint32_t type;
    uint32_t position;
};

/** The next container of any type; NULL when there are no more. */
FIL_ANY_THREAD struct fil_container *fil_directory_next(struct fil_directory *directory,
                                                        struct fil_directory_cursor *cursor);

FIL_ANY_THREAD const struct fil_directory_options *
fil_directory_options(const struct fil_directory *directory);
FIL_ANY_THREAD uint64_t fil_directory_now_ms(const struct fil_directory *directory,
                                             uint64_t now_ns);
FIL_ANY_THREAD uint64_t fil_directory_to_ns(const struct fil_directory *directory,
                                            uint64_t time_ms);
