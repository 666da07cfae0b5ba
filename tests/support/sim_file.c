// SPDX-License-Identifier: Apache-2.0
/** Files: texts that can be read by path, and the last bytes written to a descriptor. */
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "tests/support/sim_env_internal.h"

#define CAPTURE_BYTES_DEFAULT 65536U

int fil_sim__files_init(struct fil_sim *sim)
{
    if (sim->options.capture_bytes_max == 0) {
        sim->options.capture_bytes_max = CAPTURE_BYTES_DEFAULT;
    }
    size_t size = sim->options.capture_bytes_max;
    sim->capture_memory = fil_alloc(FIL_SIM_CAPTURES_MAX * size);
    if (sim->capture_memory == NULL) {
        return FIL_E_NOMEM;
    }
    for (size_t fd = 0; fd < FIL_SIM_CAPTURES_MAX; fd++) {
        sim->captures[fd].text = sim->capture_memory + fd * size;
    }
    return FIL_OK;
}

static void clear_file(struct fil_sim_file *file)
{
    fil_free(file->path);
    fil_free(file->text);
    *file = (struct fil_sim_file){0};
}

void fil_sim__files_fini(struct fil_sim *sim)
{
    for (uint32_t i = 0; i < sim->file_count; i++) {
        clear_file(&sim->files[i]);
    }
    fil_free(sim->capture_memory);
}

static struct fil_sim_file *find_file(struct fil_sim *sim, const char *path)
{
    for (uint32_t i = 0; i < sim->file_count; i++) {
        if (strcmp(sim->files[i].path, path) == 0) {
            return &sim->files[i];
        }
    }
    return NULL;
}

/** A terminated copy, or NULL. */
static char *copy_text(struct fil_bytes text)
{
    char *copy = fil_alloc(text.size + 1);
    if (copy != NULL) {
        if (text.size > 0) {
            memcpy(copy, text.data, text.size);
        }
        copy[text.size] = '\0';
    }
    return copy;
}

int fil_sim_file_put(struct fil_sim *sim, const char *path, struct fil_bytes text)
{
    struct fil_sim_file *old = find_file(sim, path);
    if (old == NULL && sim->file_count == FIL_SIM_FILES_MAX) {
        return FIL_E_LIMIT;
    }
    struct fil_sim_file made = {
        .path = copy_text(fil_bytes_of(path)), .text = copy_text(text), .size = text.size};
    if (made.path == NULL || made.text == NULL) {
        clear_file(&made);
        return FIL_E_NOMEM;
    }
    if (old != NULL) {
        clear_file(old);
        *old = made;
        return FIL_OK;
    }
    sim->files[sim->file_count] = made;
    sim->file_count++;
    return FIL_OK;
}

static int try_read(struct fil_sim *sim, const char *path, size_t size_max, char **out_text,
                    size_t *out_size)
{
    const struct fil_sim_file *file = find_file(sim, path);
    if (file == NULL) {
        return FIL_E_NOT_FOUND;
    }
    if (file->size > size_max) {
        return FIL_E_LIMIT;
    }
    char *text = copy_text(fil_bytes_make(file->text, file->size));
    if (text == NULL) {
        return FIL_E_NOMEM;
    }
    *out_text = text;
    *out_size = file->size;
    return FIL_OK;
}

int fil_sim__file_read(struct fil_env *env, const char *path, size_t size_max, char **out_text,
                       size_t *out_size)
{
    struct fil_sim *sim = fil_sim__of(env);
    int result = try_read(sim, path, size_max, out_text, out_size);
    uint64_t digest = result == FIL_OK ? fil_hash(fil_bytes_make(*out_text, *out_size), 0) : 0;
    fil_sim__trace(sim, FIL_SIM_ACTION_FILE_READ, 0, result, digest);
    return result;
}

/** Keeps the newest bytes; the oldest fall out. */
static void capture(struct fil_sim_capture *capture, const char *data, size_t size, size_t limit)
{
    capture->total += size;
    if (size >= limit) {
        memcpy(capture->text, data + (size - limit), limit);
        capture->size = limit;
        return;
    }
    if (capture->size + size > limit) {
        size_t fallen = capture->size + size - limit;
        memmove(capture->text, capture->text + fallen, capture->size - fallen);
        capture->size -= fallen;
    }
    memcpy(capture->text + capture->size, data, size);
    capture->size += size;
    fil_assert(capture->size <= limit);
}

int64_t fil_sim__file_write(struct fil_env *env, int fd, const void *data, size_t size)
{
    struct fil_sim *sim = fil_sim__of(env);
    fil_assert(fd >= 0);
    fil_assert(fd < FIL_SIM_CAPTURES_MAX);
    if (fil_sim__strikes(sim, FIL_SIM_FAULT_FILE_ERROR, fd)) {
        return FIL_E_IO;
    }
    if (size > 1 && fil_sim__strikes(sim, FIL_SIM_FAULT_FILE_SHORT, fd)) {
        size = fil_sim_draw(sim, (struct fil_sim_range){.min = 1, .max = size - 1});
    }
    if (size > 0) {
        capture(&sim->captures[fd], data, size, sim->options.capture_bytes_max);
    }
    fil_sim__trace(sim, FIL_SIM_ACTION_FILE_WRITE, fd, (int64_t)size,
                   fil_hash(fil_bytes_make(data, size), 0));
    return (int64_t)size;
}

struct fil_bytes fil_sim_captured(const struct fil_sim *sim, int fd)
{
    fil_assert(fd >= 0);
    fil_assert(fd < FIL_SIM_CAPTURES_MAX);
    return fil_bytes_make(sim->captures[fd].text, sim->captures[fd].size);
}
