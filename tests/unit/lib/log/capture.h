// SPDX-License-Identifier: Apache-2.0
/** An environment whose clocks stand still until told and whose file is a buffer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/os/env.h"

#define CAPTURE_BYTES (UINT32_C(4) << 20)
#define CAPTURE_FD    7

/** 2031-05-04T12:30:01.042Z */
#define CAPTURE_WALL_NS UINT64_C(1935664201042000000)

struct capture {
    struct fil_env env;
    uint64_t now_ns;
    uint64_t wall_ns;
    size_t piece_max;  // bytes one write takes
    int error;         // what a write answers instead
    uint32_t refusals; // so many writes are answered with FIL_E_AGAIN first
    uint32_t write_count;
    size_t size;
    char text[CAPTURE_BYTES];
};

static inline uint64_t capture_now_ns(struct fil_env *env)
{
    return FIL_CONTAINER_OF(env, struct capture, env)->now_ns;
}

static inline uint64_t capture_wall_ns(struct fil_env *env)
{
    return FIL_CONTAINER_OF(env, struct capture, env)->wall_ns;
}

static inline int64_t capture_write(struct fil_env *env, int fd, const void *data, size_t size)
{
    struct capture *capture = FIL_CONTAINER_OF(env, struct capture, env);
    capture->write_count++;
    if (capture->refusals > 0) {
        capture->refusals--;
        return FIL_E_AGAIN;
    }
    if (capture->error != FIL_OK || fd != CAPTURE_FD) {
        return capture->error;
    }
    size_t taken = size < capture->piece_max ? size : capture->piece_max;
    size_t room = CAPTURE_BYTES - 1 - capture->size;
    taken = taken < room ? taken : room;
    memcpy(capture->text + capture->size, data, taken);
    capture->size += taken;
    capture->text[capture->size] = '\0';
    return taken == 0 ? FIL_E_AGAIN : (int64_t)taken;
}

static const struct fil_env_ops capture_ops = {
    .now_ns = capture_now_ns,
    .wall_ns = capture_wall_ns,
    .file_write = capture_write,
};

static inline void capture_clear(struct capture *capture)
{
    capture->size = 0;
    capture->text[0] = '\0';
}

static inline void capture_init(struct capture *capture)
{
    capture->env.ops = &capture_ops;
    capture->now_ns = UINT64_C(1000000000);
    capture->wall_ns = CAPTURE_WALL_NS;
    capture->piece_max = SIZE_MAX;
    capture->error = FIL_OK;
    capture->refusals = 0;
    capture->write_count = 0;
    capture_clear(capture);
}

/**
 * The line that starts at the position, with its end; empty behind the last one. Tests walk lines:
 * a sanitizer looks at all of a string that is handed to strstr, each time.
 */
static inline struct fil_bytes capture_line(const struct capture *capture, size_t position)
{
    struct fil_bytes rest = fil_bytes_make(capture->text + position, capture->size - position);
    size_t size = fil_bytes_find(rest, '\n');
    return fil_bytes_make(rest.data, size < rest.size ? size + 1 : size);
}

/** In how many lines the text stands. */
static inline uint32_t capture_count(const struct capture *capture, const char *text)
{
    uint32_t count = 0;
    struct fil_bytes line = capture_line(capture, 0);
    for (size_t position = 0; line.size > 0; line = capture_line(capture, position)) {
        count += memmem(line.data, line.size, text, strlen(text)) != NULL;
        position += line.size;
    }
    return count;
}
