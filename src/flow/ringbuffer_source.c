// SPDX-License-Identifier: Apache-2.0
// Follows a ring buffer: its items from a number on, by the first instance.
#include "filbert/error.h"
#include "flow/parts.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "lib/base/assert.h"

/** The read's place in the line of those who wait; the processor's struct begins with the parts. */
struct source {
    struct fil_parts parts;
    struct fil_waiter waiter;
};

static void visit(void *context, int64_t seq, struct fil_bytes item)
{
    (void)seq;
    fil_part_add(context, fil_bytes_make(NULL, 0), item);
}

/** The first read only finds where to begin, so that a snapshot knows before anything comes. */
static void place_here(struct fil_part *part, struct fil_ringbuffer *ring, uint64_t now_ms)
{
    struct fil_ringbuffer_state state = fil_ringbuffer_state_here(ring, now_ms);
    bool is_from_now = part->parts->connection->is_from_now;
    part->next = (uint64_t)(is_from_now ? state.tail + 1 : state.head);
}

static int read_here(struct fil_part *part, struct fil_waiter *waiter, uint64_t now_ms)
{
    struct fil_ringbuffer *ring = fil_ringbuffer_of(part->parts->structure);
    if (!part->is_placed) {
        place_here(part, ring, now_ms);
        return FIL_OK;
    }
    struct fil_ringbuffer_look look = {.from = (int64_t)part->place,
                                       .least = 1,
                                       .most = FIL_PART_READ_MAX,
                                       .visit = visit,
                                       .context = part};
    int error = fil_ringbuffer_look_here(ring, waiter, &look, now_ms);
    if (error == FIL_OK) {
        uint64_t first = (uint64_t)look.next - look.read_count;
        part->lost = first > part->place ? first - part->place : 0;
        part->next = (uint64_t)look.next;
    }
    return error;
}

static enum fil_op_outcome run_op(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_part *part = FIL_CONTAINER_OF(op, struct fil_part, call.op);
    struct source *source = FIL_CONTAINER_OF(part->parts, struct source, parts);
    const struct fil_container *container = part->parts->structure;
    if (!op->is_woken) {
        source->waiter = (struct fil_waiter){0}; // a new read
    }
    op->error = fil_waiter_begin_here(&source->waiter, op);
    if (op->error == FIL_OK) {
        op->error = read_here(part, &source->waiter,
                              fil_container_now_ms(container, partition->runner->now_ns));
    }
    if (op->error == FIL_E_AGAIN) {
        op->error = FIL_OK;
        return fil_waiter_park_here(&source->waiter, partition);
    }
    return FIL_OP_DONE;
}

static const struct fil_op_type op_type = {
    .name = "stream ring buffer source", .run = run_op, .complete = fil_call_complete};

static int source_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    struct fil_parts *parts = &source->parts;
    parts->connection = config;
    parts->op_type = &op_type;
    parts->active_max = 1;
    struct fil_flow_grid *grid = parts->connection->grid;
    struct fil_container *container = NULL;
    int error = fil_directory_get(grid->directory, &fil_ringbuffer_type,
                                  fil_bytes_of(parts->connection->name), &container);
    if (error != FIL_OK) {
        return error;
    }
    parts->structure = container;
    return fil_parts_open(parts, context, 0, container->partition_id);
}

const struct fil_processor_ops fil_ringbuffer_source_ops = {.name = "ring buffer source",
                                                            .size = sizeof(struct source),
                                                            .init = source_init,
                                                            .complete = fil_parts_complete,
                                                            .save = fil_parts_save,
                                                            .restore = fil_parts_restore,
                                                            .stop = fil_parts_stop,
                                                            .close = fil_parts_close};
