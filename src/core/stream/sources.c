// SPDX-License-Identifier: Apache-2.0
#include "core/stream/sources.h"

#include "core/stream/watermark.h"
#include "lib/base/assert.h"

#define NS_A_SECOND UINT64_C(1000000000)

// Records between two looks at the watermark, and at the clock of a source with a rate.
#define CHUNK 256U

/** What both sources are: a sequence, and how to write one of its records. */
struct source {
    const struct fil_generator_config *generator;
    const struct fil_list_source_config *list;
    struct fil_event_time time;
    bool has_time;
    uint64_t next;  // sequence of the next record
    uint64_t count; // UINT64_MAX: without end
    uint64_t rate;
    uint64_t began_ns;
    uint64_t began_at; // sequence when the clock began
    int64_t times[CHUNK];
};

static int begin(struct source *source, const struct fil_processor_context *context,
                 const struct fil_source_time *time)
{
    if (context->outbox.count != 1 || context->outbox.outlets[0].edge->layout.stride == 0 ||
        time->frame < 0 || time->lag < 0) {
        return FIL_E_INVALID;
    }
    source->has_time = time->frame > 0;
    fil_event_time_init(&source->time, time->lag, source->has_time ? time->frame : 1, 0);
    source->next = context->index;
    source->began_at = context->index;
    return FIL_OK;
}

static int generator_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->generator = config;
    source->count = source->generator->count == 0 ? UINT64_MAX : source->generator->count;
    source->rate = source->generator->rate_a_second;
    return begin(source, context, &source->generator->time);
}

static int list_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->list = config;
    source->count = source->list->count;
    return begin(source, context, &source->list->time);
}

static int64_t write_record(struct source *source, uint64_t sequence, void *room, uint32_t stride)
{
    if (source->generator != NULL) {
        return source->generator->generate(source->generator->context, sequence, room);
    }
    const uint8_t *records = source->list->records;
    memcpy(room, records + sequence * stride, stride);
    return source->list->times == NULL ? FIL_TIME_NONE : source->list->times[sequence];
}

/** Records up to a number that may be emitted by now. */
static uint64_t due(struct source *source, const struct fil_processor_context *context)
{
    if (source->rate == 0) {
        return source->count;
    }
    if (source->began_ns == 0) {
        source->began_ns = context->now_ns;
    }
    uint64_t elapsed = context->now_ns - source->began_ns;
    uint64_t whole = elapsed / NS_A_SECOND * source->rate;
    uint64_t part = elapsed % NS_A_SECOND * source->rate / NS_A_SECOND;
    // The record is due at its time, so there is always one more than time has passed for.
    uint64_t number = source->began_at + whole + part + 1;
    return number < source->count ? number : source->count;
}

static uint64_t due_at_ns(const struct source *source)
{
    uint64_t ahead = source->next - source->began_at;
    uint64_t whole = ahead / source->rate * NS_A_SECOND;
    uint64_t part = (ahead % source->rate * NS_A_SECOND + source->rate - 1) / source->rate;
    return source->began_ns + whole + part;
}

/** Writes records into the room there is; false when there is none. */
static bool emit_some(struct source *source, struct fil_processor_context *context, uint64_t limit)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    uint32_t room_count = 0;
    uint8_t *room = fil_outbox_reserve_many(&context->outbox, 0, &room_count);
    if (room == NULL) {
        return false;
    }
    uint32_t count = 0;
    int64_t top = FIL_TIME_NONE;
    while (count < room_count && count < CHUNK && source->next < limit) {
        int64_t time = write_record(source, source->next, room + (size_t)count * stride, stride);
        source->times[count] = time;
        top = time > top ? time : top;
        source->next += context->count;
        count++;
    }
    fil_outbox_commit_many(&context->outbox, 0, count, source->times, NULL);
    if (source->has_time) {
        fil_event_time_observe(&source->time, top, context->now_ns);
    }
    return true;
}

/** A watermark, when it has moved. */
static bool emit_watermark(struct source *source, struct fil_processor_context *context)
{
    if (!source->has_time) {
        return true;
    }
    int64_t told = source->time.last;
    int64_t time = 0;
    if (fil_event_time_next(&source->time, context->now_ns, &time) != FIL_BATCH_WATERMARK) {
        return true;
    }
    bool is_emitted = fil_outbox_mark(&context->outbox, FIL_BATCH_WATERMARK, time);
    if (!is_emitted) {
        source->time.last = told;
    }
    return is_emitted;
}

static int source_complete(void *self, struct fil_processor_context *context)
{
    struct source *source = self;
    while (source->next < source->count) {
        uint64_t limit = due(source, context);
        if (!emit_watermark(source, context)) {
            return FIL_E_FULL;
        }
        if (source->next >= limit) {
            context->wake_at_ns = due_at_ns(source);
            return FIL_E_AGAIN;
        }
        if (!emit_some(source, context, limit)) {
            return FIL_E_FULL;
        }
    }
    return emit_watermark(source, context) ? FIL_OK : FIL_E_FULL;
}

static int source_save(void *self, struct fil_processor_context *context,
                       struct fil_state_writer *writer)
{
    struct source *source = self;
    uint64_t state[3] = {source->next, (uint64_t)source->time.top, (uint64_t)source->time.last};
    bool is_put = writer->put(writer, fil_bytes_make(&context->index, sizeof(context->index)),
                              fil_bytes_make(state, sizeof(state)));
    return is_put ? FIL_OK : FIL_E_FULL;
}

static int source_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                          struct fil_bytes value)
{
    struct source *source = self;
    uint64_t state[3];
    if (key.size != sizeof(context->index) || value.size != sizeof(state)) {
        return FIL_E_MALFORMED;
    }
    memcpy(state, value.data, sizeof(state));
    source->next = state[0];
    source->began_at = state[0];
    source->time.top = (int64_t)state[1];
    source->time.last = (int64_t)state[2];
    return FIL_OK;
}

const struct fil_processor_ops fil_generator_ops = {.name = "generator",
                                                    .size = sizeof(struct source),
                                                    .init = generator_init,
                                                    .complete = source_complete,
                                                    .save = source_save,
                                                    .restore = source_restore};

const struct fil_processor_ops fil_list_source_ops = {.name = "list source",
                                                      .size = sizeof(struct source),
                                                      .init = list_init,
                                                      .complete = source_complete,
                                                      .save = source_save,
                                                      .restore = source_restore};
