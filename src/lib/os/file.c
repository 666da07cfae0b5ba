// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/errno_internal.h"
#include "lib/os/file.h"
#include "lib/os/file_internal.h"

#define FIRST_CAPACITY 4096U

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
        return open_error(errno);
    }
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        (void)close(fd); // opened for reading: nothing can be lost
        return FIL_E_IO;
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

int64_t fil_file__write(int fd, const void *data, size_t size)
{
    ssize_t written = 0;
    do {
        written = write(fd, data, size);
    } while (written < 0 && errno == EINTR);
    return written >= 0 ? written : fil_errno__translate(errno);
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

int fil_file_save(const char *path, struct fil_bytes content)
{
    fil_assert(path != NULL);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        return open_error(errno);
    }
    size_t saved = 0;
    while (saved < content.size) {
        int64_t count = fil_file__write(fd, content.data + saved, content.size - saved);
        if (count <= 0) {
            break;
        }
        saved += (size_t)count;
    }
    bool is_closed = close(fd) == 0;
    return is_closed && saved == content.size ? FIL_OK : FIL_E_IO;
}
