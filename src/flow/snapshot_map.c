// SPDX-License-Identifier: Apache-2.0
#include "flow/snapshot_map.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/entry.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

#define PIECE_BYTES ((size_t)32 << 10)
#define KEY_BYTES   (FIL_SNAPSHOT_NAME_MAX + 48U)

// The entry that lists the names; those beyond its size are kept, but not listed.
#define NAMES_KEY   "/names"
#define NAMES_BYTES ((size_t)256 << 10)

enum access_kind {
    ACCESS_PUT,
    ACCESS_GET,
    ACCESS_REMOVE,
};

/** One operation on the map, and its caller, who waits. */
struct access {
    struct fil_op op;
    struct fil_map *map;
    enum access_kind kind;
    struct fil_map_key key;
    struct fil_bytes value; // put
    uint8_t *buffer;        // get: where the value goes
    size_t capacity;
    size_t size; // of what was found
    _Atomic uint32_t is_done;
};

/** What counts of a name: the value of its entry. */
struct head {
    uint64_t generation;
    uint64_t size;
};

static struct fil_snapshot_map *map_of(struct fil_snapshot_store *store)
{
    return FIL_CONTAINER_OF(store, struct fil_snapshot_map, base);
}

static int get_here(struct access *access, uint64_t now_ms)
{
    struct fil_bytes value = {0};
    if (!fil_map_peek_here(access->map, &access->key, now_ms, &value)) {
        return FIL_E_NOT_FOUND;
    }
    if (value.size > access->capacity) {
        return FIL_E_MALFORMED;
    }
    memcpy(access->buffer, value.data, value.size);
    access->size = value.size;
    return FIL_OK;
}

static enum fil_op_outcome run_access(struct fil_op *op, struct fil_partition *partition)
{
    struct access *access = FIL_CONTAINER_OF(op, struct access, op);
    uint64_t now_ms = fil_map_now_ms(access->map, partition->runner->now_ns);
    const struct fil_map_times times = fil_map_times_default(now_ms);
    if (access->kind == ACCESS_PUT) {
        op->error = fil_map_set_here(access->map, &access->key, access->value, &times);
    } else if (access->kind == ACCESS_GET) {
        op->error = get_here(access, now_ms);
    } else {
        (void)fil_map_delete_here(access->map, &access->key, now_ms);
    }
    return FIL_OP_DONE;
}

static void complete_access(struct fil_op *op, struct fil_runner *runner)
{
    struct access *access = FIL_CONTAINER_OF(op, struct access, op);
    (void)runner;
    // R1 pairs with A1: the result is there. The caller may be gone from here on, so the wake goes
    // to an address that nobody has to own.
    _Atomic uint32_t *word = &access->is_done;
    atomic_store_explicit(word, 1, memory_order_release);
    fil_futex_wake(word, 1);
}

static const struct fil_op_type access_type = {
    .name = "stream snapshot", .run = run_access, .complete = complete_access};

/** The map, and what the calling thread needs to reach it. */
static int open_map(struct fil_snapshot_map *store)
{
    if (store->runner == NULL) {
        store->runner = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*store->runner));
        if (store->runner == NULL) {
            return FIL_E_NOMEM;
        }
        fil_runner_init(store->runner, store->exec, "stream");
    }
    return store->map != NULL
               ? FIL_OK
               : fil_maps_get(store->maps, fil_bytes_of(FIL_SNAPSHOT_MAP_NAME), &store->map);
}

/** Runs the operation on the entry of that key and waits for its end. */
static int reach(struct fil_snapshot_map *store, const char *key, struct access *access)
{
    int error = open_map(store);
    if (error != FIL_OK) {
        return error;
    }
    access->map = store->map;
    access->key = fil_map_place(store->map, fil_bytes_of(key));
    atomic_init(&access->is_done, 0);
    fil_op_init(&access->op, &access_type, access->key.partition_id);
    fil_exec_submit(store->exec, &access->op, store->runner);
    // A1 pairs with R1.
    while (atomic_load_explicit(&access->is_done, memory_order_acquire) == 0) {
        (void)!fil_futex_wait(&access->is_done, 0, FIL_WAIT_FOREVER);
    }
    return access->op.error;
}

static int put(struct fil_snapshot_map *store, const char *key, struct fil_bytes value)
{
    struct access access = {.kind = ACCESS_PUT, .value = value};
    return reach(store, key, &access);
}

/** FIL_E_NOT_FOUND; FIL_E_MALFORMED when it has another size. */
static int get(struct fil_snapshot_map *store, const char *key, void *out_value, size_t size)
{
    struct access access = {.kind = ACCESS_GET, .buffer = out_value, .capacity = size};
    int error = reach(store, key, &access);
    return error == FIL_OK && access.size != size ? FIL_E_MALFORMED : error;
}

static int take_away(struct fil_snapshot_map *store, const char *key)
{
    struct access access = {.kind = ACCESS_REMOVE};
    return reach(store, key, &access);
}

static void piece_key(const char *name, uint64_t generation, uint64_t number, char out[KEY_BYTES])
{
    fil_assert(strlen(name) < FIL_SNAPSHOT_NAME_MAX);
    (void)snprintf(out, KEY_BYTES, "%s/%llu/%llu", name, (unsigned long long)generation,
                   (unsigned long long)number);
}

static uint64_t piece_count(uint64_t size)
{
    return (size + PIECE_BYTES - 1) / PIECE_BYTES;
}

static size_t piece_size(uint64_t size, uint64_t number)
{
    uint64_t left = size - number * PIECE_BYTES;
    return left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
}

/** The first pieces of a generation go; the last error, and all that can go is gone. */
static int drop_pieces(struct fil_snapshot_map *store, const char *name, uint64_t generation,
                       uint64_t count)
{
    int result = FIL_OK;
    for (uint64_t i = 0; i < count; i++) {
        char key[KEY_BYTES];
        piece_key(name, generation, i, key);
        int error = take_away(store, key);
        result = error == FIL_OK ? result : error;
    }
    return result;
}

/** All pieces of a generation, or none of them. */
static int put_pieces(struct fil_snapshot_map *store, const char *name, uint64_t generation,
                      struct fil_bytes content)
{
    for (uint64_t i = 0; i < piece_count(content.size); i++) {
        char key[KEY_BYTES];
        piece_key(name, generation, i, key);
        int error =
            put(store, key,
                fil_bytes_make(content.data + i * PIECE_BYTES, piece_size(content.size, i)));
        if (error != FIL_OK) {
            (void)drop_pieces(store, name, generation, i); // what stays is overwritten next time
            return error;
        }
    }
    return FIL_OK;
}

/** All names, a line each; its key is no name. FIL_E_NOMEM. The lines are to be freed. */
static int get_names(struct fil_snapshot_map *store, char **out_lines)
{
    char *lines = fil_alloc_zero(1, NAMES_BYTES);
    if (lines == NULL) {
        return FIL_E_NOMEM;
    }
    struct access access = {
        .kind = ACCESS_GET, .buffer = (uint8_t *)lines, .capacity = NAMES_BYTES - 1};
    int error = reach(store, NAMES_KEY, &access);
    if (error != FIL_OK && error != FIL_E_NOT_FOUND && error != FIL_E_MALFORMED) {
        fil_free(lines);
        return error;
    }
    // Others may write to the map: what is no line at the end is cut off.
    size_t size = strlen(lines);
    while (size != 0 && lines[size - 1] != '\n') {
        size--;
    }
    lines[size] = '\0';
    *out_lines = lines;
    return FIL_OK;
}

/** The line of a name; NULL. */
static char *find_line(char *lines, const char *name)
{
    size_t size = strlen(name);
    for (char *line = lines; *line != '\0'; line = strchr(line, '\n') + 1) {
        fil_assert(strchr(line, '\n') != NULL);
        if (strncmp(line, name, size) == 0 && line[size] == '\n') {
            return line;
        }
    }
    return NULL;
}

/** Notes that there is a snapshot of that name, or none any more. */
static int note_name(struct fil_snapshot_map *store, const char *name, bool is_there)
{
    char *lines = NULL;
    int error = get_names(store, &lines);
    if (error != FIL_OK) {
        return error;
    }
    char *line = find_line(lines, name);
    size_t used = strlen(lines);
    size_t size = strlen(name) + 1;
    if (is_there && line == NULL && used + size < NAMES_BYTES) {
        (void)snprintf(lines + used, NAMES_BYTES - used, "%s\n", name);
    } else if (!is_there && line != NULL) {
        memmove(line, line + size, strlen(line + size) + 1);
    }
    if ((line != NULL) != is_there) {
        error = *lines == '\0' ? take_away(store, NAMES_KEY)
                               : put(store, NAMES_KEY, fil_bytes_of(lines));
    }
    fil_free(lines);
    return error;
}

static int replace(struct fil_snapshot_map *store, const char *name, struct fil_bytes content)
{
    struct head old = {0};
    int error = get(store, name, &old, sizeof(old));
    if (error != FIL_OK && error != FIL_E_NOT_FOUND) {
        return error;
    }
    const struct head fresh = {.generation = old.generation + 1, .size = content.size};
    error = put_pieces(store, name, fresh.generation, content);
    if (error != FIL_OK) {
        return error;
    }
    // A name without a snapshot is harmless, a snapshot without a name is not.
    error = old.generation == 0 ? note_name(store, name, true) : FIL_OK;
    if (error == FIL_OK) {
        error = put(store, name, fil_bytes_make(&fresh, sizeof(fresh)));
    }
    const struct head *gone = error == FIL_OK ? &old : &fresh;
    (void)drop_pieces(store, name, gone->generation, piece_count(gone->size));
    return error;
}

static int map_list(struct fil_snapshot_store *base, fil_snapshot_name_fn each, void *context)
{
    char *lines = NULL;
    int error = get_names(map_of(base), &lines);
    if (error != FIL_OK) {
        return error;
    }
    bool is_wanted = true;
    for (char *line = lines; is_wanted && *line != '\0';) {
        char *end = strchr(line, '\n');
        fil_assert(end != NULL);
        *end = '\0';
        is_wanted = each(context, line);
        line = end + 1;
    }
    fil_free(lines);
    return FIL_OK;
}

static int map_write(struct fil_snapshot_store *base, const char *name,
                     struct fil_snapshot *snapshot)
{
    if (!fil_snapshot_name_is_valid(name)) {
        return FIL_E_INVALID;
    }
    uint8_t *data = NULL;
    size_t size = 0;
    int error = fil_snapshot_encode(snapshot, &data, &size);
    if (error == FIL_OK) {
        error = replace(map_of(base), name, fil_bytes_make(data, size));
    }
    fil_free(data);
    return error;
}

static int get_pieces(struct fil_snapshot_map *store, const char *name, const struct head *head,
                      uint8_t *out)
{
    for (uint64_t i = 0; i < piece_count(head->size); i++) {
        char key[KEY_BYTES];
        piece_key(name, head->generation, i, key);
        int error = get(store, key, out + i * PIECE_BYTES, piece_size(head->size, i));
        if (error != FIL_OK) {
            // Somebody has removed it, or the map's limits have.
            return error == FIL_E_NOT_FOUND ? FIL_E_MALFORMED : error;
        }
    }
    return FIL_OK;
}

static int map_read(struct fil_snapshot_store *base, const char *name,
                    struct fil_snapshot **out_snapshot)
{
    struct fil_snapshot_map *store = map_of(base);
    struct head head = {0};
    int error =
        fil_snapshot_name_is_valid(name) ? get(store, name, &head, sizeof(head)) : FIL_E_NOT_FOUND;
    if (error != FIL_OK) {
        return error;
    }
    if (head.size == 0 || head.size > FIL_SNAPSHOT_BYTES_MAX) {
        return FIL_E_MALFORMED;
    }
    uint8_t *data = fil_alloc((size_t)head.size);
    if (data == NULL) {
        return FIL_E_NOMEM;
    }
    error = get_pieces(store, name, &head, data);
    if (error == FIL_OK) {
        error = fil_snapshot_decode(fil_bytes_make(data, (size_t)head.size), out_snapshot);
    }
    fil_free(data);
    return error;
}

static int map_remove(struct fil_snapshot_store *base, const char *name)
{
    struct fil_snapshot_map *store = map_of(base);
    struct head head = {0};
    int error =
        fil_snapshot_name_is_valid(name) ? get(store, name, &head, sizeof(head)) : FIL_E_NOT_FOUND;
    if (error == FIL_OK) {
        error = take_away(store, name);
    }
    if (error == FIL_OK) {
        error = drop_pieces(store, name, head.generation, piece_count(head.size));
    }
    if (error == FIL_OK) {
        error = note_name(store, name, false);
    }
    return error == FIL_E_NOT_FOUND ? FIL_OK : error;
}

static const struct fil_snapshot_store_ops map_ops = {
    .write = map_write, .read = map_read, .remove = map_remove, .list = map_list};

void fil_snapshot_map_init(struct fil_snapshot_map *store, struct fil_exec *exec,
                           struct fil_maps *maps)
{
    fil_assert(exec != NULL && maps != NULL);
    *store = (struct fil_snapshot_map){.base = {.ops = &map_ops}, .exec = exec, .maps = maps};
}

void fil_snapshot_map_fini(struct fil_snapshot_map *store)
{
    fil_free(store->runner);
    store->runner = NULL;
}
