// SPDX-License-Identifier: Apache-2.0
#include "core/container/directory.h"

#include <string.h>

#include "core/container/listen.h"
#include "core/container/names.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/os/env.h"
#include "lib/os/mutex.h"

#define NS_PER_MS UINT64_C(1000000)

/** The containers of one type. */
struct shelf {
    const struct fil_container_type *type;
    struct fil_names names;
};

struct fil_directory {
    // Set by new, then read-only.
    struct fil_directory_options options;
    uint64_t wall_offset_ns; // time of day minus monotonic time
    struct shelf shelves[FIL_DIRECTORY_TYPES_MAX];

    struct fil_mutex mutex; // of those who make containers

    // Each belongs to whoever is inside its partition.
    struct fil_account accounts[];
};

static void name_of(const void *thing, struct fil_bytes *out_name)
{
    *out_name = fil_container_name(thing);
}

static int open_shelves(struct fil_directory *directory)
{
    const struct fil_directory_options *options = &directory->options;
    int error = FIL_OK;
    for (uint32_t i = 0; i < options->type_count && error == FIL_OK; i++) {
        fil_assert(options->types[i]->size >= sizeof(struct fil_container));
        directory->shelves[i].type = options->types[i];
        error = fil_names_init(&directory->shelves[i].names, options->count_max, options->seed,
                               name_of);
    }
    return error;
}

static struct fil_directory *allocate(const struct fil_directory_options *options)
{
    uint32_t count =
        options->exec == NULL ? options->partition_count : fil_exec_partition_count(options->exec);
    struct fil_directory *directory =
        fil_alloc_zero(1, sizeof(*directory) + count * sizeof(struct fil_account));
    if (directory == NULL) {
        return NULL;
    }
    directory->options = *options;
    directory->options.partition_count = count;
    directory->wall_offset_ns = options->env == NULL ? 0 : fil_env_wall_offset_ns(options->env);
    fil_mutex_init(&directory->mutex);
    for (uint32_t i = 0; i < count; i++) {
        fil_account_init_data(&directory->accounts[i], options->budget);
    }
    return directory;
}

int fil_directory_new(struct fil_directory **out_directory,
                      const struct fil_directory_options *options)
{
    if (options->count_max == 0 || options->count_max > FIL_DIRECTORY_COUNT_MAX ||
        options->type_count > FIL_DIRECTORY_TYPES_MAX ||
        (options->exec == NULL && options->partition_count == 0)) {
        return FIL_E_INVALID;
    }
    struct fil_directory *directory = allocate(options);
    if (directory == NULL) {
        return FIL_E_NOMEM;
    }
    int error = open_shelves(directory);
    if (error != FIL_OK) {
        fil_directory_free(directory);
        return error;
    }
    *out_directory = directory;
    return FIL_OK;
}

static size_t size_of(const struct fil_container *container)
{
    return container->type->size + container->name_size + 1;
}

static void free_container(struct fil_container *container)
{
    fil_upkeep_forget(&container->upkeep);
    fil_container_unlisten_all(container);
    container->type->close(container);
    fil_budget_return(container->directory->options.budget, size_of(container));
    fil_free(container);
}

static void free_shelf(struct shelf *shelf)
{
    uint32_t position = 0;
    if (shelf->names.slots == NULL) {
        return;
    }
    for (struct fil_container *container = fil_names_next(&shelf->names, &position);
         container != NULL; container = fil_names_next(&shelf->names, &position)) {
        free_container(container);
    }
    fil_names_fini(&shelf->names);
}

void fil_directory_free(struct fil_directory *directory)
{
    if (directory == NULL) {
        return;
    }
    for (uint32_t i = 0; i < directory->options.type_count; i++) {
        free_shelf(&directory->shelves[i]);
    }
    for (uint32_t i = 0; i < directory->options.partition_count; i++) {
        fil_account_fini(&directory->accounts[i]);
    }
    fil_mutex_fini(&directory->mutex);
    fil_free(directory);
}

static struct shelf *shelf_of(struct fil_directory *directory,
                              const struct fil_container_type *type)
{
    for (uint32_t i = 0; i < directory->options.type_count; i++) {
        if (directory->shelves[i].type == type) {
            return &directory->shelves[i];
        }
    }
    return NULL;
}

static fil_partition_id place(const struct fil_directory *directory, struct fil_bytes name)
{
    const struct fil_directory_options *options = &directory->options;
    fil_partition_id id = options->place != NULL
                              ? options->place(name, options->partition_count)
                              : (fil_partition_id)(fil_hash(name, 0) % options->partition_count);
    fil_assert(id < options->partition_count);
    return id;
}

static uint64_t run_upkeep(struct fil_upkeep *upkeep, struct fil_partition *partition)
{
    struct fil_container *container = FIL_CONTAINER_OF(upkeep, struct fil_container, upkeep);
    const struct fil_directory *directory = container->directory;
    fil_assert(container->partition_id == partition->id);
    fil_assert(container->type->upkeep != NULL);
    uint64_t now_ms = fil_directory_now_ms(directory, partition->runner->now_ns);
    uint64_t next_ms = container->type->upkeep(container, now_ms);
    fil_assert(next_ms > now_ms);
    return next_ms == FIL_CONTAINER_NEVER ? FIL_OP_NO_DEADLINE
                                          : fil_directory_to_ns(directory, next_ms);
}

static void init_container(struct fil_container *container, struct fil_directory *directory,
                           const struct fil_container_type *type, struct fil_bytes name)
{
    char *copy = (char *)container + type->size;
    memcpy(copy, name.data == NULL ? (const uint8_t *)"" : name.data, name.size);
    container->type = type;
    container->directory = directory;
    container->name = copy;
    container->name_size = (uint32_t)name.size;
    container->partition_id = place(directory, name);
    container->account = &directory->accounts[container->partition_id];
    struct fil_env *env = directory->options.env;
    container->created_ms = env == NULL ? 0 : fil_directory_now_ms(directory, fil_env_now_ns(env));
    fil_list_init(&container->listeners);
    fil_upkeep_init(&container->upkeep, run_upkeep);
}

static int make_container(struct fil_directory *directory, struct shelf *shelf,
                          struct fil_bytes name, struct fil_container **out_container)
{
    const struct fil_directory_options *options = &directory->options;
    const struct fil_container_type *type = shelf->type;
    size_t size = type->size + name.size + 1;
    if (!fil_budget_draw(options->budget, size)) {
        return FIL_E_NOMEM;
    }
    struct fil_container *container = fil_alloc_aligned(FIL_CACHE_LINE, size);
    if (container == NULL) {
        fil_budget_return(options->budget, size);
        return FIL_E_NOMEM;
    }
    init_container(container, directory, type, name);
    const void *config =
        options->config == NULL ? NULL : options->config(options->context, type, name);
    int error = type->open(container, config == NULL ? type->config : config);
    if (error != FIL_OK) {
        free_container(container);
        return error;
    }
    *out_container = container;
    return FIL_OK;
}

/** Makes the container, unless another has been quicker. */
static int add_container(struct fil_directory *directory, struct shelf *shelf,
                         struct fil_bytes name, struct fil_container **out_container)
    FIL_TSA(requires_capability(directory->mutex))
{
    *out_container = fil_names_find(&shelf->names, name);
    if (*out_container != NULL) {
        return FIL_OK;
    }
    if (fil_names_count(&shelf->names) == directory->options.count_max) {
        return FIL_E_LIMIT;
    }
    int error = make_container(directory, shelf, name, out_container);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_names_add(&shelf->names, *out_container);
    fil_assert(error == FIL_OK); // there was room
    if (directory->options.made != NULL) {
        directory->options.made(directory->options.context, *out_container);
    }
    return FIL_OK;
}

int fil_directory_get(struct fil_directory *directory, const struct fil_container_type *type,
                      struct fil_bytes name, struct fil_container **out_container)
{
    struct shelf *shelf = shelf_of(directory, type);
    if (shelf == NULL) {
        return FIL_E_UNSUPPORTED;
    }
    *out_container = fil_names_find(&shelf->names, name);
    if (FIL_LIKELY(*out_container != NULL)) {
        return FIL_OK;
    }
    if (name.size > FIL_CONTAINER_NAME_MAX) {
        return FIL_E_LIMIT;
    }
    fil_mutex_lock(&directory->mutex);
    int error = add_container(directory, shelf, name, out_container);
    fil_mutex_unlock(&directory->mutex);
    return error;
}

struct fil_container *fil_directory_find(struct fil_directory *directory,
                                         const struct fil_container_type *type,
                                         struct fil_bytes name)
{
    struct shelf *shelf = shelf_of(directory, type);
    return shelf == NULL ? NULL : fil_names_find(&shelf->names, name);
}

const struct fil_container_type *fil_directory_type(const struct fil_directory *directory,
                                                    struct fil_bytes name)
{
    for (uint32_t i = 0; i < directory->options.type_count; i++) {
        if (fil_bytes_equal_text(name, directory->shelves[i].type->name)) {
            return directory->shelves[i].type;
        }
    }
    return NULL;
}

uint32_t fil_directory_count(const struct fil_directory *directory,
                             const struct fil_container_type *type)
{
    for (uint32_t i = 0; i < directory->options.type_count; i++) {
        if (directory->shelves[i].type == type) {
            return fil_names_count(&directory->shelves[i].names);
        }
    }
    return 0;
}

struct fil_container *fil_directory_next(struct fil_directory *directory,
                                         struct fil_directory_cursor *cursor)
{
    while (cursor->type < directory->options.type_count) {
        struct shelf *shelf = &directory->shelves[cursor->type];
        struct fil_container *container = fil_names_next(&shelf->names, &cursor->position);
        if (container != NULL) {
            return container;
        }
        *cursor = (struct fil_directory_cursor){.type = cursor->type + 1};
    }
    return NULL;
}

const struct fil_directory_options *fil_directory_options(const struct fil_directory *directory)
{
    return &directory->options;
}

uint64_t fil_directory_now_ms(const struct fil_directory *directory, uint64_t now_ns)
{
    return (now_ns + directory->wall_offset_ns) / NS_PER_MS;
}

uint64_t fil_directory_to_ns(const struct fil_directory *directory, uint64_t time_ms)
{
    if (time_ms >= UINT64_MAX / NS_PER_MS) {
        return FIL_OP_NO_DEADLINE;
    }
    uint64_t wall_ns = time_ms * NS_PER_MS;
    // Never 0, which would be before every clock.
    return wall_ns > directory->wall_offset_ns ? wall_ns - directory->wall_offset_ns : 1;
}
