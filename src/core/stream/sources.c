// SPDX-License-Identifier: Apache-2.0
#include "core/stream/sources.h"

#include <stdio.h>

#include "core/stream/watermark.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define NS_A_SECOND UINT64_C(1000000000)

// Records between two looks at the watermark, and at the clock of a source with a rate.
#define CHUNK 256U

struct shard {
    uint64_t number;
    uint64_t next; // sequence of its next record
    struct fil_event_time time;
};

/** What both sources are: a sequence, and how to write one of its records. */
struct source {
    const struct fil_generator_config *generator;
    const struct fil_list_source_config *list;
    struct fil_source_time time;
    uint64_t shard_count; // of all instances; 0: not known yet
    struct shard *shards; // its own
    uint32_t own_count;
    struct fil_watermarks watermarks; // of its shards
    int64_t told;                     // restored: watermark that was told before
    bool is_open;
    uint64_t count; // of records; UINT64_MAX: without end
    uint64_t rate;
    uint64_t began_ns;
    uint64_t began_at; // sequence when the clock began
    uint32_t saved;    // of the shards
    int64_t times[CHUNK];
};

static int begin(struct source *source, const struct fil_processor_context *context,
                 const struct fil_source_time *time, uint32_t shard_count)
{
    if (context->outbox.count != 1 || context->outbox.outlets[0].edge->layout.stride == 0 ||
        time->frame < 0 || time->lag < 0 || shard_count > FIL_SOURCE_SHARDS_MAX) {
        return FIL_E_INVALID;
    }
    source->time = *time;
    source->shard_count = shard_count;
    source->told = FIL_TIME_NONE;
    return FIL_OK;
}

static int generator_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->generator = config;
    source->count = source->generator->count == 0 ? UINT64_MAX : source->generator->count;
    source->rate = source->generator->rate_a_second;
    return begin(source, context, &source->generator->time, source->generator->shard_count);
}

static int list_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct source *source = self;
    source->list = config;
    source->count = source->list->count;
    return begin(source, context, &source->list->time, source->list->shard_count);
}

static void source_close(void *self)
{
    struct source *source = self;
    fil_watermarks_fini(&source->watermarks);
    fil_free(source->shards);
}

static struct shard *find_shard(struct source *source, uint64_t number)
{
    for (uint32_t i = 0; i < source->own_count; i++) {
        if (source->shards[i].number == number) {
            return &source->shards[i];
        }
    }
    return NULL;
}

/** One more shard, at its beginning. FIL_E_NOMEM. */
static int add_shard(struct source *source, uint64_t number)
{
    struct shard *shards =
        fil_realloc(source->shards, (source->own_count + 1U) * sizeof(*source->shards));
    if (shards == NULL) {
        return FIL_E_NOMEM;
    }
    source->shards = shards;
    struct shard *shard = &shards[source->own_count];
    *shard = (struct shard){.number = number, .next = number};
    fil_event_time_init(&shard->time, source->time.lag,
                        source->time.frame > 0 ? source->time.frame : 1, 0);
    source->own_count++;
    return FIL_OK;
}

/** Before the first record, and after what was restored: all shards are there. */
static int open_shards(struct source *source, const struct fil_processor_context *context)
{
    source->shard_count = source->shard_count == 0 ? context->count : source->shard_count;
    int error = FIL_OK;
    for (uint64_t i = context->index; error == FIL_OK && i < source->shard_count;
         i += context->count) {
        error = find_shard(source, i) == NULL ? add_shard(source, i) : FIL_OK;
    }
    if (error == FIL_OK) {
        error = fil_watermarks_init(&source->watermarks, source->own_count);
    }
    if (error != FIL_OK) {
        return error;
    }
    source->began_at = UINT64_MAX;
    for (uint32_t i = 0; i < source->own_count; i++) {
        const struct shard *shard = &source->shards[i];
        fil_watermarks_set(&source->watermarks, i, shard->time.last);
        source->began_at = shard->next < source->began_at ? shard->next : source->began_at;
    }
    source->watermarks.last = source->told;
    source->is_open = true;
    return FIL_OK;
}

static void write_listed(const struct source *source, const struct fil_generator_span *span,
                         uint32_t stride)
{
    const struct fil_list_source_config *list = source->list;
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t sequence = span->first + i * span->step;
        memcpy((uint8_t *)span->records + (size_t)i * stride,
               (const uint8_t *)list->records + sequence * stride, stride);
        span->times[i] = list->times == NULL ? FIL_TIME_NONE : list->times[sequence];
    }
}

static void write_records(const struct source *source, const struct fil_generator_span *span,
                          uint32_t stride)
{
    const struct fil_generator_config *generator = source->generator;
    if (generator == NULL) {
        write_listed(source, span, stride);
        return;
    }
    if (generator->generate_many != NULL) {
        generator->generate_many(generator->context, span);
        return;
    }
    for (uint32_t i = 0; i < span->count; i++) {
        span->times[i] = generator->generate(generator->context, span->first + i * span->step,
                                             (uint8_t *)span->records + (size_t)i * stride);
    }
}

/** From now on, or from the time that was set, records become due. */
static void begin_clock(struct source *source, const struct fil_processor_context *context)
{
    source->began_ns = context->now_ns;
    if (source->generator->began_ns != 0) {
        source->began_ns = source->generator->began_ns;
        source->began_at = 0;
    }
}

/** Records up to a number that may be emitted by now. */
static uint64_t due(struct source *source, const struct fil_processor_context *context)
{
    if (source->rate == 0) {
        return source->count;
    }
    if (source->began_ns == 0) {
        begin_clock(source, context);
    }
    if (context->now_ns < source->began_ns) {
        return 0;
    }
    uint64_t elapsed = context->now_ns - source->began_ns;
    uint64_t whole = elapsed / NS_A_SECOND * source->rate;
    uint64_t part = elapsed % NS_A_SECOND * source->rate / NS_A_SECOND;
    // The record is due at its time, so there is always one more than time has passed for.
    uint64_t number = source->began_at + whole + part + 1;
    return number < source->count ? number : source->count;
}

static uint64_t due_at_ns(const struct source *source, uint64_t sequence)
{
    uint64_t ahead = sequence - source->began_at;
    uint64_t whole = ahead / source->rate * NS_A_SECOND;
    uint64_t part = (ahead % source->rate * NS_A_SECOND + source->rate - 1) / source->rate;
    return source->began_ns + whole + part;
}

/** When to look again: when the record is due, but not before the pause is over. */
static uint64_t wake_at_ns(const struct source *source, const struct fil_processor_context *context,
                           uint64_t sequence)
{
    uint64_t due_ns = due_at_ns(source, sequence);
    uint64_t rested_ns = context->now_ns + source->generator->pause_ns;
    return due_ns > rested_ns ? due_ns : rested_ns;
}

/** Records of a shard that are due, at most as many as one go may have. */
static uint32_t due_count(const struct source *source, const struct shard *shard, uint64_t limit,
                          uint32_t room)
{
    fil_assert(shard->next < limit);
    uint64_t due = (limit - shard->next - 1) / source->shard_count + 1;
    uint64_t most = room < CHUNK ? room : CHUNK;
    return (uint32_t)(due < most ? due : most);
}

static int64_t latest(const int64_t *times, uint32_t count)
{
    int64_t top = FIL_TIME_NONE;
    for (uint32_t i = 0; i < count; i++) {
        top = times[i] > top ? times[i] : top;
    }
    return top;
}

/** Writes records of a shard into the room there is; false when there is none. */
static bool emit_some(struct source *source, struct fil_processor_context *context,
                      struct shard *shard, uint64_t limit)
{
    uint32_t stride = context->outbox.outlets[0].edge->layout.stride;
    uint32_t room_count = 0;
    uint8_t *room = fil_outbox_reserve_many(&context->outbox, 0, &room_count);
    if (room == NULL) {
        return false;
    }
    int64_t *times = fil_outbox_times(&context->outbox, 0);
    const struct fil_generator_span span = {.first = shard->next,
                                            .step = source->shard_count,
                                            .count = due_count(source, shard, limit, room_count),
                                            .records = room,
                                            .times = times == NULL ? source->times : times};
    fil_assert(span.count > 0);
    write_records(source, &span, stride);
    fil_outbox_commit_many(&context->outbox, 0, span.count, span.times, NULL);
    shard->next += span.count * source->shard_count;
    fil_event_time_observe(&shard->time, latest(span.times, span.count), context->now_ns);
    return true;
}

/** What the shard's time allows goes into the instance's watermark. */
static void observe_shard(struct source *source, uint32_t index, uint64_t now_ns)
{
    struct shard *shard = &source->shards[index];
    int64_t time = 0;
    if (source->time.frame > 0 &&
        fil_event_time_next(&shard->time, now_ns, &time) == FIL_BATCH_WATERMARK) {
        fil_watermarks_set(&source->watermarks, index, time);
    }
    if (shard->next >= source->count && !source->watermarks.inputs[index].is_ended) {
        fil_watermarks_set_ended(&source->watermarks, index);
    }
}

/** A watermark, when it has moved. */
static bool emit_watermark(struct source *source, struct fil_processor_context *context)
{
    if (source->time.frame == 0 || source->own_count == 0) {
        return true;
    }
    int64_t told = source->watermarks.last;
    int64_t time = 0;
    if (fil_watermarks_next(&source->watermarks, &time) != FIL_BATCH_WATERMARK) {
        return true;
    }
    bool is_emitted = fil_outbox_mark(&context->outbox, FIL_BATCH_WATERMARK, time);
    if (!is_emitted) {
        source->watermarks.last = told;
    }
    return is_emitted;
}

/** The shard that is behind the others; own_count when all have ended. */
static uint32_t next_shard(const struct source *source)
{
    uint32_t next = source->own_count;
    uint64_t least = source->count;
    for (uint32_t i = 0; i < source->own_count; i++) {
        if (source->shards[i].next < least) {
            least = source->shards[i].next;
            next = i;
        }
    }
    return next;
}

static int source_complete(void *self, struct fil_processor_context *context)
{
    struct source *source = self;
    int error = source->is_open ? FIL_OK : open_shards(source, context);
    if (error != FIL_OK) {
        return error;
    }
    for (uint32_t i = next_shard(source); i < source->own_count; i = next_shard(source)) {
        struct shard *shard = &source->shards[i];
        uint64_t limit = due(source, context);
        if (!emit_watermark(source, context)) {
            return FIL_E_FULL;
        }
        if (shard->next >= limit) {
            context->wake_at_ns = wake_at_ns(source, context, shard->next);
            return FIL_E_AGAIN;
        }
        if (!emit_some(source, context, shard, limit)) {
            return FIL_E_FULL;
        }
        observe_shard(source, i, context->now_ns);
    }
    return emit_watermark(source, context) ? FIL_OK : FIL_E_FULL;
}

static int source_save(void *self, struct fil_processor_context *context,
                       struct fil_state_writer *writer)
{
    struct source *source = self;
    int error = source->is_open ? FIL_OK : open_shards(source, context);
    if (error != FIL_OK) {
        return error;
    }
    for (; source->saved < source->own_count; source->saved++) {
        const struct shard *shard = &source->shards[source->saved];
        uint64_t state[5] = {source->shard_count, shard->next, (uint64_t)shard->time.top,
                             (uint64_t)shard->time.last, (uint64_t)source->watermarks.last};
        if (!fil_state_put_shard(writer, shard->number,
                                 fil_bytes_make(&shard->number, sizeof(shard->number)),
                                 fil_bytes_make(state, sizeof(state)))) {
            return FIL_E_FULL;
        }
    }
    uint64_t count = source->shard_count;
    if (context->index == 0 && !fil_state_put_all(writer, fil_bytes_make(NULL, 0),
                                                  fil_bytes_make(&count, sizeof(count)))) {
        return FIL_E_FULL;
    }
    source->saved = 0;
    return FIL_OK;
}

static int restore_count(struct source *source, struct fil_bytes value)
{
    uint64_t count = 0;
    if (value.size != sizeof(count)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&count, value.data, sizeof(count));
    source->shard_count = count;
    return count >= 1 && count <= FIL_SOURCE_SHARDS_MAX ? FIL_OK : FIL_E_MALFORMED;
}

static int source_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                          struct fil_bytes value)
{
    struct source *source = self;
    (void)context;
    if (key.size == 0) {
        return restore_count(source, value);
    }
    uint64_t number = 0;
    uint64_t state[5];
    if (key.size != sizeof(number) || value.size != sizeof(state)) {
        return FIL_E_MALFORMED;
    }
    memcpy(&number, key.data, sizeof(number));
    memcpy(state, value.data, sizeof(state));
    if (state[0] == 0 || state[0] > FIL_SOURCE_SHARDS_MAX || number >= state[0] ||
        state[1] % state[0] != number || find_shard(source, number) != NULL) {
        return FIL_E_MALFORMED;
    }
    int error = add_shard(source, number);
    if (error != FIL_OK) {
        return error;
    }
    struct shard *shard = &source->shards[source->own_count - 1];
    shard->next = state[1];
    shard->time.top = (int64_t)state[2];
    shard->time.last = (int64_t)state[3];
    source->told = (int64_t)state[4] > source->told ? (int64_t)state[4] : source->told;
    return FIL_OK;
}

static void describe(const struct fil_source_time *time, char *out_text)
{
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "sequence%s",
                   time->frame > 0 ? " with event time" : "");
}

static void generator_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    describe(&((const struct fil_generator_config *)config)->time, out_text);
}

static void list_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    describe(&((const struct fil_list_source_config *)config)->time, out_text);
}

const struct fil_processor_ops fil_generator_ops = {.name = "generator",
                                                    .size = sizeof(struct source),
                                                    .init = generator_init,
                                                    .complete = source_complete,
                                                    .save = source_save,
                                                    .restore = source_restore,
                                                    .describe = generator_describe,
                                                    .close = source_close};

const struct fil_processor_ops fil_list_source_ops = {.name = "list source",
                                                      .size = sizeof(struct source),
                                                      .init = list_init,
                                                      .complete = source_complete,
                                                      .save = source_save,
                                                      .restore = source_restore,
                                                      .describe = list_describe,
                                                      .close = source_close};
