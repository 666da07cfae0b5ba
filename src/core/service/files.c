// SPDX-License-Identifier: Apache-2.0
#include "core/service/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/service/files_internal.h"
#include "core/service/request.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"

#define PATH_MAX_BYTES 4096U
#define WAIT_MS        1000U

/** What the route has for its handler. */
struct files {
    struct fil_file folder;
};

static void free_files(void *context)
{
    struct files *files = context;
    fil_file_drop(&files->folder);
    fil_free(files);
}

/** Whether each segment is a name that may be looked for. */
static bool is_good_path(const char *path)
{
    while (*path != '\0') {
        size_t size = strcspn(path, "/");
        if (size == 0 || path[0] == '.' || memchr(path, '\\', size) != NULL) {
            return false;
        }
        path += size + (path[size] == '/');
    }
    return true;
}

/** The path of the file below the folder; NULL when there can be none. */
static const char *find_path(struct fil_request *request)
{
    int index = fil_route_param_index(request->route, "*");
    fil_assert(index >= 0);
    struct fil_bytes encoded = request->params[index];
    const char *path = fil_param(request, "*");
    size_t size = strlen(path);
    bool has_nul = encoded.size >= 3 && memmem(encoded.data, encoded.size, "%00", 3) != NULL;
    if (has_nul || size >= PATH_MAX_BYTES || !is_good_path(path)) {
        return NULL;
    }
    if (size > 0 && path[size - 1] != '/') {
        return path;
    }
    static const char index_name[] = "index.html";
    char *whole = fil_request_alloc(request, size + sizeof(index_name));
    if (whole != NULL) {
        memcpy(whole, path, size);
        memcpy(whole + size, index_name, sizeof(index_name));
    }
    return whole;
}

static struct fil_reply refuse(struct fil_request *request)
{
    return fil_reply_text(request, FIL_HTTP_STATUS_NOT_FOUND, "no such file\n");
}

/** Reads the part into memory of the request; NULL when there is none, or the file was cut. */
static void *read_part(struct fil_request *request, const struct fil_files_answer *answer)
{
    size_t size = (size_t)answer->part.size;
    uint8_t *room = fil_request_alloc(request, size);
    size_t done = 0;
    while (room != NULL && done < size) {
        int64_t count =
            fil_file_read_at(&answer->file, answer->part.offset + done, room + done, size - done);
        if (count <= 0) {
            return NULL;
        }
        done += (size_t)count;
    }
    return room;
}

static struct fil_reply send_whole(struct fil_request *request,
                                   const struct fil_files_answer *answer)
{
    if (answer->part.size == 0) {
        return fil_reply_bytes(answer->status, answer->type, NULL, 0);
    }
    void *data = read_part(request, answer);
    if (data == NULL) {
        return fil_reply_error(request, FIL_E_IO);
    }
    return fil_reply_bytes(answer->status, answer->type, data, (size_t)answer->part.size);
}

/** Waits for the reader of a stream that is full: FIL_OK, or FIL_E_CLOSED when it is gone. */
static int wait_for_room(struct fil_reply_stream *stream)
{
    int error = FIL_E_TIMEOUT;
    // The connection's own limits end the wait for a reader that has stopped.
    while (error == FIL_E_TIMEOUT) {
        error = fil_reply_stream_wait(stream, WAIT_MS);
    }
    return error;
}

static int write_all(struct fil_reply_stream *stream, const uint8_t *data, size_t size)
{
    int error = fil_reply_stream_write(stream, data, size);
    while (error == FIL_E_AGAIN) {
        error = wait_for_room(stream);
        if (error == FIL_OK) {
            error = fil_reply_stream_write(stream, data, size);
        }
    }
    return error;
}

/** Writes the part piece by piece; when it is cut, so is the connection. */
static void copy_part(struct fil_reply_stream *stream, const struct fil_files_answer *answer,
                      uint8_t *room)
{
    uint64_t done = 0;
    int error = FIL_OK;
    while (done < answer->part.size && error == FIL_OK) {
        uint64_t left = answer->part.size - done;
        size_t wanted = left < FIL_FILES_WHOLE_MAX ? (size_t)left : FIL_FILES_WHOLE_MAX;
        int64_t count = fil_file_read_at(&answer->file, answer->part.offset + done, room, wanted);
        error = count <= 0 ? FIL_E_IO : write_all(stream, room, (size_t)count);
        done += count <= 0 ? 0 : (uint64_t)count;
    }
}

static struct fil_reply send_streamed(struct fil_request *request,
                                      const struct fil_files_answer *answer)
{
    bool is_head = request->method == FIL_HTTP_HEAD;
    uint8_t *room = is_head ? NULL : fil_request_alloc(request, FIL_FILES_WHOLE_MAX);
    if (!is_head && (room == NULL || fil_role_is(&fil_role_io))) {
        return fil_reply_error(request, room == NULL ? FIL_E_NOMEM : FIL_E_WOULD_BLOCK);
    }
    struct fil_reply_stream *stream =
        fil_reply_stream_open_sized(request, answer->status, answer->type, answer->part.size);
    if (stream == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    struct fil_reply reply = fil_reply_streamed(stream);
    if (!is_head) {
        copy_part(stream, answer, room);
    }
    fil_reply_stream_end(stream);
    return reply;
}

static struct fil_reply send_answer(struct fil_request *request,
                                    const struct fil_files_answer *answer)
{
    if (answer->status != FIL_HTTP_STATUS_OK && answer->status != FIL_HTTP_STATUS_PARTIAL_CONTENT) {
        return fil_reply_bytes(answer->status, answer->type, NULL, 0);
    }
    bool is_large = answer->part.size > FIL_FILES_WHOLE_MAX || request->method == FIL_HTTP_HEAD;
    return is_large ? send_streamed(request, answer) : send_whole(request, answer);
}

static struct fil_reply get_file(struct fil_request *request)
{
    const struct files *files = fil_request_context(request);
    struct fil_files_answer answer = {0};
    const char *path = find_path(request);
    if (path == NULL ||
        fil_file_open_below(&answer.file, &files->folder, path, &answer.facts) != FIL_OK) {
        return refuse(request);
    }
    fil_files__decide(request, path, &answer);
    struct fil_reply reply = send_answer(request, &answer);
    fil_file_drop(&answer.file);
    return reply;
}

static int check(const char *pattern, const struct fil_route_options *options)
{
    size_t size = strlen(pattern);
    bool is_good = strncmp(pattern, "GET /", 5) == 0 && size >= 2 &&
                   strcmp(pattern + size - 2, "/*") == 0 &&
                   (options == NULL || options->context == NULL);
    return is_good ? FIL_OK : FIL_E_INVALID;
}

int fil_files_route(struct fil_route **out_route, const char *pattern, const char *folder,
                    const struct fil_route_options *options)
{
    int error = check(pattern, options);
    if (error != FIL_OK) {
        return error;
    }
    struct files *files = fil_alloc_zero(1, sizeof(*files));
    if (files == NULL) {
        return FIL_E_NOMEM;
    }
    error = fil_folder_open(&files->folder, folder);
    if (error != FIL_OK) {
        fil_free(files);
        return error;
    }
    struct fil_route_options own = options == NULL ? (struct fil_route_options){0} : *options;
    own.run_on = own.run_on == NULL ? "block" : own.run_on;
    own.context = files;
    error = fil_route_new(out_route, pattern, get_file, &own);
    if (error != FIL_OK) {
        free_files(files);
        return error;
    }
    (*out_route)->free_context = free_files;
    return FIL_OK;
}
