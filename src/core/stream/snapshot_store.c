// SPDX-License-Identifier: Apache-2.0
#include "core/stream/snapshot_store.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/file.h"

#define ENDING         ".snapshot"
#define PATH_MAX_BYTES 1024U

struct item {
    struct fil_list link;
    char name[FIL_SNAPSHOT_NAME_MAX];
    struct fil_snapshot *snapshot;
};

bool fil_snapshot_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= FIL_SNAPSHOT_NAME_MAX || name[0] == '.') {
        return false;
    }
    const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    return strspn(name, allowed) == length;
}

static struct fil_snapshot_memory *memory_of(struct fil_snapshot_store *store)
{
    return FIL_CONTAINER_OF(store, struct fil_snapshot_memory, base);
}

static struct item *find_item(struct fil_snapshot_memory *memory, const char *name)
{
    fil_list_foreach(link, &memory->items) {
        struct item *item = FIL_CONTAINER_OF(link, struct item, link);
        if (strcmp(item->name, name) == 0) {
            return item;
        }
    }
    return NULL;
}

static int memory_write(struct fil_snapshot_store *store, const char *name,
                        struct fil_snapshot *snapshot)
{
    if (!fil_snapshot_name_is_valid(name)) {
        return FIL_E_INVALID;
    }
    struct fil_snapshot_memory *memory = memory_of(store);
    struct item *item = find_item(memory, name);
    if (item == NULL) {
        item = fil_alloc_zero(1, sizeof(*item));
        if (item == NULL) {
            return FIL_E_NOMEM;
        }
        fil_list_init(&item->link);
        memcpy(item->name, name, strlen(name) + 1);
        fil_list_push_back(&memory->items, &item->link);
    }
    fil_snapshot_ref(snapshot);
    fil_snapshot_unref(item->snapshot);
    item->snapshot = snapshot;
    return FIL_OK;
}

static int memory_read(struct fil_snapshot_store *store, const char *name,
                       struct fil_snapshot **out_snapshot)
{
    const struct item *item = find_item(memory_of(store), name);
    if (item == NULL) {
        return FIL_E_NOT_FOUND;
    }
    fil_snapshot_ref(item->snapshot);
    *out_snapshot = item->snapshot;
    return FIL_OK;
}

static void drop_item(struct item *item)
{
    fil_list_remove(&item->link);
    fil_snapshot_unref(item->snapshot);
    fil_free(item);
}

static int memory_remove(struct fil_snapshot_store *store, const char *name)
{
    struct item *item = find_item(memory_of(store), name);
    if (item != NULL) {
        drop_item(item);
    }
    return FIL_OK;
}

static int memory_list(struct fil_snapshot_store *store, fil_snapshot_name_fn each, void *context)
{
    fil_list_foreach(link, &memory_of(store)->items) {
        if (!each(context, FIL_CONTAINER_OF(link, struct item, link)->name)) {
            break;
        }
    }
    return FIL_OK;
}

static const struct fil_snapshot_store_ops memory_ops = {
    .write = memory_write, .read = memory_read, .remove = memory_remove, .list = memory_list};

void fil_snapshot_memory_init(struct fil_snapshot_memory *memory)
{
    memory->base.ops = &memory_ops;
    fil_list_init(&memory->items);
}

void fil_snapshot_memory_fini(struct fil_snapshot_memory *memory)
{
    while (!fil_list_is_empty(&memory->items)) {
        drop_item(FIL_CONTAINER_OF(memory->items.next, struct item, link));
    }
}

static int path_of(struct fil_snapshot_store *store, const char *name, const char *ending,
                   char out_path[PATH_MAX_BYTES])
{
    const struct fil_snapshot_folder *folder =
        FIL_CONTAINER_OF(store, struct fil_snapshot_folder, base);
    if (!fil_snapshot_name_is_valid(name)) {
        return FIL_E_INVALID;
    }
    int size = snprintf(out_path, PATH_MAX_BYTES, "%s/%s%s", folder->path, name, ending);
    return size > 0 && (uint32_t)size < PATH_MAX_BYTES ? FIL_OK : FIL_E_LIMIT;
}

/** Written under another name and then renamed: the old one is good until the new one is. */
static int replace_file(const char *path, const char *fresh, struct fil_bytes content)
{
    struct fil_file file;
    int error = fil_file_create(&file, fresh);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_file_append(&file, content);
    if (error == FIL_OK) {
        error = fil_file_sync(&file);
    }
    int closed = fil_file_close(&file);
    error = error == FIL_OK ? closed : error;
    return error == FIL_OK ? fil_file_rename(fresh, path) : error;
}

static int folder_write(struct fil_snapshot_store *store, const char *name,
                        struct fil_snapshot *snapshot)
{
    char path[PATH_MAX_BYTES];
    char fresh[PATH_MAX_BYTES];
    int error = path_of(store, name, ENDING, path);
    if (error == FIL_OK) {
        error = path_of(store, name, ENDING ".new", fresh);
    }
    uint8_t *data = NULL;
    size_t size = 0;
    if (error == FIL_OK) {
        error = fil_snapshot_encode(snapshot, &data, &size);
    }
    if (error == FIL_OK) {
        error = replace_file(path, fresh, fil_bytes_make(data, size));
    }
    fil_free(data);
    return error;
}

static int folder_read(struct fil_snapshot_store *store, const char *name,
                       struct fil_snapshot **out_snapshot)
{
    const struct fil_snapshot_folder *folder =
        FIL_CONTAINER_OF(store, struct fil_snapshot_folder, base);
    char path[PATH_MAX_BYTES];
    char *text = NULL;
    size_t size = 0;
    int error = path_of(store, name, ENDING, path);
    if (error == FIL_OK) {
        error =
            folder->env->ops->file_read(folder->env, path, FIL_SNAPSHOT_BYTES_MAX, &text, &size);
    }
    if (error == FIL_OK) {
        error = fil_snapshot_decode(fil_bytes_make(text, size), out_snapshot);
    }
    fil_free(text);
    return error;
}

static int folder_remove(struct fil_snapshot_store *store, const char *name)
{
    char path[PATH_MAX_BYTES];
    int error = path_of(store, name, ENDING, path);
    error = error == FIL_OK ? fil_file_remove(path) : error;
    return error == FIL_E_NOT_FOUND ? FIL_OK : error;
}

/** Who wants the names of a folder's snapshots. */
struct listener {
    fil_snapshot_name_fn each;
    void *context;
    bool is_content; // wants no more
};

static bool tell_name(void *context, const char *file)
{
    struct listener *listener = context;
    char name[FIL_SNAPSHOT_NAME_MAX];
    size_t size = strlen(file);
    size_t ending = strlen(ENDING);
    if (size <= ending || size - ending >= sizeof(name) ||
        strcmp(file + size - ending, ENDING) != 0) {
        return true;
    }
    memcpy(name, file, size - ending);
    name[size - ending] = '\0';
    listener->is_content =
        fil_snapshot_name_is_valid(name) && !listener->each(listener->context, name);
    return !listener->is_content;
}

static int folder_list(struct fil_snapshot_store *store, fil_snapshot_name_fn each, void *context)
{
    const struct fil_snapshot_folder *folder =
        FIL_CONTAINER_OF(store, struct fil_snapshot_folder, base);
    struct listener listener = {.each = each, .context = context};
    int error = fil_folder_list(folder->path, tell_name, &listener);
    return listener.is_content ? FIL_OK : error;
}

static const struct fil_snapshot_store_ops folder_ops = {
    .write = folder_write, .read = folder_read, .remove = folder_remove, .list = folder_list};

void fil_snapshot_folder_init(struct fil_snapshot_folder *folder, struct fil_env *env,
                              const char *path)
{
    fil_assert(env != NULL && path != NULL);
    *folder = (struct fil_snapshot_folder){.base = {.ops = &folder_ops}, .env = env, .path = path};
}
