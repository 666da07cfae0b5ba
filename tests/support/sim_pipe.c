// SPDX-License-Identifier: Apache-2.0
/** One direction of a connection: a bounded ring of bytes that travel in segments. */
#include <string.h>

#include "lib/base/assert.h"
#include "tests/support/sim_env_internal.h"

uint64_t fil_sim__pipe_unread(const struct fil_sim_pipe *pipe)
{
    return pipe->arrived - pipe->consumed;
}

uint64_t fil_sim__pipe_room(const struct fil_sim_pipe *pipe)
{
    fil_assert(pipe->written - pipe->consumed <= pipe->capacity);
    return pipe->capacity - (pipe->written - pipe->consumed);
}

uint64_t fil_sim__pipe_arrival_ns(struct fil_sim *sim, struct fil_sim_pipe *pipe)
{
    uint64_t at_ns = sim->now_ns + fil_sim_draw(sim, sim->options.delay_ns);
    if (at_ns < pipe->last_ns) {
        at_ns = pipe->last_ns;
    }
    pipe->last_ns = at_ns;
    return at_ns;
}

static struct fil_sim_segment *segment_at(struct fil_sim_pipe *pipe, uint32_t index)
{
    return &pipe->segments[(pipe->segment_first + index) % FIL_SIM_SEGMENTS_MAX];
}

/** The last segment grows when there is no room for another: it then arrives with the later. */
static void append_segment(struct fil_sim *sim, struct fil_sim_pipe *pipe, uint64_t end)
{
    if (pipe->segment_count < FIL_SIM_SEGMENTS_MAX) {
        pipe->segment_count++;
    }
    struct fil_sim_segment *last = segment_at(pipe, pipe->segment_count - 1);
    last->arrives_ns = fil_sim__pipe_arrival_ns(sim, pipe);
    last->end = end;
}

void fil_sim__pipe_launch(struct fil_sim *sim, struct fil_sim_pipe *pipe, uint64_t start)
{
    fil_assert(start < pipe->written);
    while (start < pipe->written) {
        uint64_t piece = fil_sim_draw(sim, sim->options.segment_bytes);
        uint64_t left = pipe->written - start;
        start += piece == 0 || piece > left ? left : piece;
        append_segment(sim, pipe, start);
    }
}

uint64_t fil_sim__pipe_next_ns(const struct fil_sim_pipe *pipe)
{
    if (pipe->segment_count > 0) {
        return pipe->segments[pipe->segment_first].arrives_ns;
    }
    return pipe->fin == FIL_SIM_FIN_SENT ? pipe->fin_ns : FIL_SIM_NEVER;
}

uint64_t fil_sim__pipe_deliver(struct fil_sim_pipe *pipe)
{
    fil_assert(pipe->segment_count > 0);
    uint64_t end = segment_at(pipe, 0)->end;
    fil_assert(end > pipe->arrived);
    fil_assert(end <= pipe->written);
    uint64_t size = end - pipe->arrived;
    pipe->arrived = end;
    pipe->segment_first = (pipe->segment_first + 1) % FIL_SIM_SEGMENTS_MAX;
    pipe->segment_count--;
    return size;
}

void fil_sim__pipe_write(struct fil_sim_pipe *pipe, const uint8_t *data, uint64_t size)
{
    fil_assert(size <= fil_sim__pipe_room(pipe));
    uint64_t at = pipe->written % pipe->capacity;
    uint64_t head = pipe->capacity - at < size ? pipe->capacity - at : size;
    memcpy(pipe->bytes + at, data, head);
    memcpy(pipe->bytes, data + head, size - head);
    pipe->written += size;
}

void fil_sim__pipe_read(struct fil_sim_pipe *pipe, uint8_t *buffer, uint64_t size)
{
    fil_assert(size <= fil_sim__pipe_unread(pipe));
    uint64_t at = pipe->consumed % pipe->capacity;
    uint64_t head = pipe->capacity - at < size ? pipe->capacity - at : size;
    memcpy(buffer, pipe->bytes + at, head);
    memcpy(buffer + head, pipe->bytes, size - head);
    pipe->consumed += size;
}

void fil_sim__pipe_finish(struct fil_sim *sim, struct fil_sim_pipe *pipe)
{
    if (pipe->fin == FIL_SIM_FIN_NONE) {
        pipe->fin = FIL_SIM_FIN_SENT;
        pipe->fin_ns = fil_sim__pipe_arrival_ns(sim, pipe);
    }
}

void fil_sim__pipe_drop(struct fil_sim_pipe *pipe)
{
    pipe->written = pipe->arrived;
    pipe->segment_count = 0;
    if (pipe->fin == FIL_SIM_FIN_SENT) {
        pipe->fin = FIL_SIM_FIN_NONE;
    }
}
