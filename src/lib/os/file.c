// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/errno_internal.h"
#include "lib/os/file.h"
#include "lib/os/file_internal.h"

#define FIRST_CAPACITY 4096U
#define NS_PER_MS      INT64_C(1000000)

/**
 * What a terminal takes at once when it takes anything: the buffers of pseudo-terminals free up in
 * steps of 256 bytes. On their way there a line's end may become two bytes, and a tab eight.
 */
#define TERMINAL_BYTES_MAX 256U
#define NEWLINE_BYTES_MAX  2U
#define TAB_BYTES_MAX      8U

static int open_error(int number)
{
    int error = fil_errno__translate(number);
    bool is_told = error == FIL_E_NOT_FOUND || error == FIL_E_DENIED || error == FIL_E_SYSTEM;
    return is_told ? error : FIL_E_IO;
}

/** Opens a regular file; *out_size is what the file system says, 0 for the files of /proc. */
static int open_regular(const char *path, int *out_fd, size_t *out_size)
{
    // Non-blocking: a pipe without a writer must not hold us before we see that it is one.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno == ELOOP || errno == ENAMETOOLONG ? FIL_E_INVALID : open_error(errno);
    }
    struct stat status;
    bool is_known = fstat(fd, &status) == 0;
    if (!is_known || !S_ISREG(status.st_mode)) {
        (void)close(fd); // opened for reading: nothing can be lost
        return is_known ? FIL_E_UNSUPPORTED : FIL_E_IO;
    }
    fil_assert(status.st_size >= 0);
    *out_size = (size_t)status.st_size;
    *out_fd = fd;
    return FIL_OK;
}

/** Bytes read, 0 at the end. */
static int64_t read_some(int fd, char *buffer, size_t size)
{
    fil_assert(size > 0);
    ssize_t count = 0;
    do {
        count = read(fd, buffer, size);
    } while (count < 0 && errno == EINTR);
    return count >= 0 ? count : FIL_E_IO;
}

/** Reads until the buffer is full or the file ends. Returns the size or an error. */
static int64_t fill(int fd, char *buffer, size_t size)
{
    size_t filled = 0;
    while (filled < size) {
        int64_t count = read_some(fd, buffer + filled, size - filled);
        if (count < 0) {
            return count;
        }
        if (count == 0) {
            break;
        }
        filled += (size_t)count;
    }
    return (int64_t)filled;
}

static int grow(char **text, size_t capacity)
{
    char *larger = fil_realloc(*text, capacity);
    if (larger == NULL) {
        return FIL_E_NOMEM;
    }
    *text = larger;
    return FIL_OK;
}

/**
 * Reads to the end into *text, which grows; the caller frees it also after a failure. The capacity
 * holds one byte more than is read, so that the end is seen and the text is terminated.
 */
static int read_to_end(int fd, size_t size_expected, size_t size_max, char **text, size_t *out_size)
{
    size_t capacity_max = size_max + 2;
    size_t capacity = size_expected == 0 ? FIRST_CAPACITY : size_expected + 2;
    size_t size = 0;
    for (;;) {
        capacity = capacity < capacity_max ? capacity : capacity_max;
        int error = grow(text, capacity);
        if (error != FIL_OK) {
            return error;
        }
        int64_t count = fill(fd, *text + size, capacity - 1 - size);
        if (count < 0) {
            return (int)count;
        }
        size += (size_t)count;
        if (size > size_max) {
            return FIL_E_LIMIT;
        }
        if (size < capacity - 1) {
            break;
        }
        capacity *= 2; // the file grew, or its size was not known
    }
    (*text)[size] = '\0';
    *out_size = size;
    return FIL_OK;
}

int fil_file__read(const char *path, size_t size_max, char **out_text, size_t *out_size)
{
    fil_assert(path != NULL);
    fil_assert(size_max <= SIZE_MAX / 4); // room for doubling

    int fd = -1;
    size_t size_expected = 0;
    int error = open_regular(path, &fd, &size_expected);
    if (error != FIL_OK) {
        return error;
    }
    char *text = NULL;
    error = size_expected > size_max ? FIL_E_LIMIT
                                     : read_to_end(fd, size_expected, size_max, &text, out_size);
    (void)close(fd); // opened for reading: nothing can be lost
    if (error != FIL_OK) {
        fil_free(text);
        return error;
    }
    *out_text = text;
    return FIL_OK;
}

const char *fil_file_why(int error)
{
    switch (error) {
    case FIL_E_UNSUPPORTED:
        return "it is a folder, a pipe or a device: name a file";
    case FIL_E_INVALID:
        return "its name is too long, or its links lead in a circle: name the file itself";
    case FIL_E_IO:
        return "it is there, but reading it failed: check the disk";
    default:
        return fil_error_text(error);
    }
}

/** Writes as much as is taken, however long that takes. */
static int64_t write_some(int fd, const void *data, size_t size)
{
    ssize_t written = 0;
    do {
        written = write(fd, data, size);
    } while (written < 0 && errno == EINTR);
    return written >= 0 ? written : fil_errno__translate(errno);
}

/** How much of the text a terminal that is ready takes. */
static size_t size_on_terminal(const char *text, size_t size)
{
    size_t shown = 0;
    for (size_t i = 0; i < size; i++) {
        shown += text[i] == '\n' ? NEWLINE_BYTES_MAX : text[i] == '\t' ? TAB_BYTES_MAX : 1;
        if (shown > TERMINAL_BYTES_MAX) {
            return i;
        }
    }
    return size;
}

/** Whole lines, when one fits: others who write there then come between two, not into one. */
static size_t size_of_lines(const char *text, size_t size)
{
    const char *end = memrchr(text, '\n', size);
    return end == NULL ? size : (size_t)(end - text) + 1;
}

/** How much of the text a descriptor that is ready takes without blocking. */
static size_t size_at_once(int fd, const char *text, size_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || S_ISREG(status.st_mode)) {
        return size;
    }
    bool is_terminal = S_ISCHR(status.st_mode) && isatty(fd);
    size_t fits = is_terminal ? size_on_terminal(text, size) : size < PIPE_BUF ? size : PIPE_BUF;
    return fits == size ? size : size_of_lines(text, fits);
}

/** Writes what the descriptor takes at once; FIL_E_AGAIN when that is nothing for so long. */
static int64_t write_when_ready(int fd, const void *data, size_t size, int timeout_ms)
{
    // O_NONBLOCK would be simpler, but it would change the descriptor of all that share it: a
    // standard one is the parent's, too.
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int count = 0;
    do {
        count = poll(&ready, 1, timeout_ms);
    } while (count < 0 && errno == EINTR);
    if (count == 0) {
        return FIL_E_AGAIN;
    }
    return write_some(fd, data, size_at_once(fd, data, size));
}

int64_t fil_file__write(int fd, const void *data, size_t size)
{
    return write_when_ready(fd, data, size, 0);
}

int fil_file_tell(int fd, struct fil_bytes bytes, int64_t patience_ns)
{
    fil_assert(patience_ns >= 0 && patience_ns / NS_PER_MS <= INT_MAX);
    size_t told = 0;
    while (told < bytes.size) {
        int64_t count = write_when_ready(fd, bytes.data + told, bytes.size - told,
                                         (int)(patience_ns / NS_PER_MS));
        if (count < 0) {
            return count == FIL_E_AGAIN ? FIL_E_TIMEOUT : (int)count;
        }
        told += (size_t)count;
    }
    return FIL_OK;
}

int64_t fil_file__read_start(const char *path, char *text, size_t capacity)
{
    fil_assert(capacity > 1);
    int fd = -1;
    size_t size_told = 0;
    int error = open_regular(path, &fd, &size_told);
    if (error != FIL_OK) {
        return error;
    }
    int64_t size = fill(fd, text, capacity - 1);
    (void)close(fd); // opened for reading: nothing can be lost
    text[size < 0 ? 0 : size] = '\0';
    return size;
}

/** Writes all of it, in as many pieces as it takes. */
static int write_all(int fd, struct fil_bytes content)
{
    size_t saved = 0;
    while (saved < content.size) {
        int64_t count = write_some(fd, content.data + saved, content.size - saved);
        if (count <= 0) {
            return FIL_E_IO;
        }
        saved += (size_t)count;
    }
    return FIL_OK;
}

int fil_file_save(const char *path, struct fil_bytes content)
{
    struct fil_file file;
    int error = fil_file_create(&file, path);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_file_append(&file, content);
    int closed = fil_file_close(&file);
    return error == FIL_OK ? closed : error;
}

int fil_file_open(struct fil_file *file, const char *path)
{
    size_t size = 0;
    file->fd = -1;
    return open_regular(path, &file->fd, &size);
}

int fil_file_create(struct fil_file *file, const char *path)
{
    fil_assert(path != NULL);
    file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return file->fd < 0 ? open_error(errno) : FIL_OK;
}

int64_t fil_file_read_at(const struct fil_file *file, uint64_t offset, void *buffer, size_t size)
{
    fil_assert(file->fd >= 0 && size > 0);
    ssize_t count = 0;
    do {
        count = pread(file->fd, buffer, size, (off_t)offset);
    } while (count < 0 && errno == EINTR);
    return count >= 0 ? count : FIL_E_IO;
}

int fil_file_append(struct fil_file *file, struct fil_bytes bytes)
{
    fil_assert(file->fd >= 0);
    return write_all(file->fd, bytes);
}

int fil_file_sync(struct fil_file *file)
{
    fil_assert(file->fd >= 0);
    return fdatasync(file->fd) == 0 ? FIL_OK : FIL_E_IO;
}

int fil_file_close(struct fil_file *file)
{
    int fd = file->fd;
    file->fd = -1;
    return fd < 0 || close(fd) == 0 ? FIL_OK : FIL_E_IO;
}

void fil_file_drop(struct fil_file *file)
{
    int error = fil_file_close(file);
    (void)error; // what might be lost is not wanted
    fil_assert(file->fd < 0);
}

/** So that the new name of a file survives a loss of power. */
static int sync_folder_of(const char *path)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        size_t size = slash == path ? 1 : (size_t)(slash - path);
        if (size >= sizeof(folder)) {
            return FIL_E_LIMIT;
        }
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return open_error(errno);
    }
    int error = fsync(fd) == 0 ? FIL_OK : FIL_E_IO;
    (void)close(fd); // opened for reading: nothing can be lost
    return error;
}

int fil_file_rename(const char *from, const char *to)
{
    fil_assert(from != NULL && to != NULL);
    if (rename(from, to) != 0) {
        return open_error(errno);
    }
    return sync_folder_of(to);
}

int fil_file_remove(const char *path)
{
    fil_assert(path != NULL);
    return unlink(path) == 0 ? FIL_OK : open_error(errno);
}

int fil_folder_make(const char *path)
{
    fil_assert(path != NULL);
    struct stat status;
    if (mkdir(path, 0755) == 0 ||
        (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        return FIL_OK;
    }
    return open_error(errno);
}
