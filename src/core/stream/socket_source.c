// SPDX-License-Identifier: Apache-2.0
#include "core/stream/socket_source.h"

#include "lib/base/assert.h"

#define LINES_PER_CALL 4096U
#define REST_NS        INT64_C(10000000)

struct source {
    const struct fil_socket_source_config *config;
    struct fil_env *env;
    struct fil_poller *poller;
    int fd; // -1: not connected yet
    bool is_flushed;
    struct fil_lines lines;
};

static int source_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->config = config;
    source->env = context->env;
    source->fd = -1;
    source->lines = (struct fil_lines){.parse = source->config->parse,
                                       .context = source->config->context,
                                       .has_time = source->config->time.frame > 0};
    int64_t frame = source->config->time.frame;
    fil_event_time_init(&source->lines.time, source->config->time.lag, frame == 0 ? 1 : frame, 0);
    int error = fil_lines_init(&source->lines, context);
    return error == FIL_OK ? source->env->ops->poller_new(source->env, &source->poller) : error;
}

static void source_close(void *self)
{
    struct source *source = self;
    const struct fil_env_ops *ops = source->env->ops;
    if (source->fd >= 0) {
        ops->poller_remove(source->env, source->poller, source->fd);
        ops->close(source->env, source->fd);
    }
    if (source->poller != NULL) {
        ops->poller_free(source->env, source->poller);
    }
    fil_lines_fini(&source->lines);
}

static int open_connection(struct source *source)
{
    const struct fil_env_ops *ops = source->env->ops;
    int fd = -1;
    int error = ops->connect(source->env, &source->config->address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    error = ops->poller_add(source->env, source->poller, fd, FIL_POLL_READ, source);
    if (error != FIL_OK) {
        ops->close(source->env, fd);
        return error;
    }
    source->fd = fd;
    return FIL_OK;
}

/** What has come goes behind what is not used yet. FIL_E_AGAIN: nothing has. */
static int receive(struct source *source)
{
    size_t room_bytes = 0;
    uint8_t *room = fil_lines_room(&source->lines, &room_bytes);
    fil_assert(room_bytes > 0);
    int64_t count = source->env->ops->receive(source->env, source->fd, room, room_bytes);
    if (count < 0) {
        return (int)count;
    }
    source->lines.filled += (size_t)count;
    source->lines.is_at_end = count == 0;
    return FIL_OK;
}

/** Nothing is there: what was emitted goes on first, then it waits for a little while. */
static int rest(struct source *source, struct fil_processor_context *context)
{
    struct fil_poll_event event;
    if (source->is_flushed) {
        (void)source->env->ops->poller_wait(source->env, source->poller, &event, 1, REST_NS);
    }
    source->is_flushed = true;
    context->wake_at_ns = context->now_ns;
    return FIL_E_AGAIN;
}

static int source_complete(void *self, struct fil_processor_context *context)
{
    struct source *source = self;
    if (context->index != 0) {
        return FIL_OK;
    }
    int error = source->fd >= 0 ? FIL_OK : open_connection(source);
    for (uint32_t i = 0; error == FIL_OK && i < LINES_PER_CALL; i++) {
        error = fil_lines_emit(&source->lines, context);
        source->is_flushed = source->is_flushed && error != FIL_OK;
        if (error == FIL_E_AGAIN) {
            error = receive(source);
        }
    }
    if (error == FIL_E_AGAIN) {
        return rest(source, context);
    }
    if (error == FIL_E_NOT_FOUND) {
        return FIL_OK; // the other one has closed
    }
    return error == FIL_OK ? FIL_E_FULL : error; // enough for one call
}

const struct fil_processor_ops fil_socket_source_ops = {.name = "socket source",
                                                        .size = sizeof(struct source),
                                                        .is_blocking = true,
                                                        .init = source_init,
                                                        .complete = source_complete,
                                                        .close = source_close};
