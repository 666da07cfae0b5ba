// SPDX-License-Identifier: Apache-2.0
/** Reliable topics: a ring buffer on the members, and readers that ask for what comes next. */
#include <string.h>

#include "client/listener_internal.h"
#include "client/reliable_message.h"
#include "client/thing_internal.h"
#include "filbert/topic.h"
#include "lib/base/alloc.h"
#include "protocol/client/generated/ringbuffer.h"

#define OVERWRITE  0
#define READ_COUNT 100
#define NS_A_MS    UINT64_C(1000000)

struct fil_reliable_topic {
    struct fil_client_thing thing;
};

/** Asks for messages as long as it is not closed; one question is always under way. */
struct fil_client_reader {
    struct fil_subscription subscription;
    struct fil_reliable_subscribe_options options;
    struct fil_client_thing *thing;
    int64_t next;   // whoever has the question: the number to go on with
    bool is_closed; // under the mutex
    bool is_ended;  // under the mutex: there is no question under way any more
};

static const struct fil_client_op add_op = {.request = &fil_wire_ringbuffer_add_request_layout,
                                            .answer = FIL_CLIENT_ANSWER_I64};
static const struct fil_client_op tail_op = {.request =
                                                 &fil_wire_ringbuffer_tail_sequence_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_I64,
                                             .is_retryable = true};
static const struct fil_client_op read_op = {.request =
                                                 &fil_wire_ringbuffer_read_many_request_layout,
                                             .answer = FIL_CLIENT_ANSWER_RAW,
                                             .is_retryable = true,
                                             .has_no_deadline = true,
                                             .is_beyond_limit = true};

struct fil_reliable_topic *fil_reliable_topic(struct fil_grid *grid, const char *name)
{
    struct fil_client_thing *thing = fil_client__thing(grid, FIL_CLIENT_RELIABLE_TOPIC, name);
    return thing == NULL ? NULL : FIL_CONTAINER_OF(thing, struct fil_reliable_topic, thing);
}

static int publish(struct fil_client_thing *thing, struct fil_bytes value)
{
    size_t size = FIL_RELIABLE_HEAD_SIZE + value.size;
    uint8_t *message = fil_alloc(size);
    if (message == NULL) {
        return FIL_E_NOMEM;
    }
    uint64_t now_ms = fil_env_wall_ns(thing->client->env) / NS_A_MS;
    fil_reliable_head_encode(message, (int64_t)now_ms, value.size);
    memcpy(message + FIL_RELIABLE_HEAD_SIZE, value.data, value.size);
    struct fil_wire_ringbuffer_add_request fields = {.overflow_policy = OVERWRITE,
                                                     .name = fil_client__thing_name(thing),
                                                     .value = fil_bytes_make(message, size)};
    int error = fil_client__thing_run(thing, &add_op, &fields, NULL);
    fil_free(message);
    return error;
}

int fil_reliable_topic_publish(struct fil_reliable_topic *topic, struct fil_value message)
{
    struct fil_map_data data = {0};
    int error = topic == NULL ? FIL_E_INVALID : fil_client__map_encode(&message, &data);
    if (error == FIL_OK) {
        error = publish(&topic->thing, data.bytes);
    }
    fil_client__map_release(&data);
    return error;
}

static bool is_closed(struct fil_client_reader *reader)
{
    fil_client__lock(reader->thing->client);
    bool closed = reader->is_closed;
    fil_client__unlock(reader->thing->client);
    return closed;
}

static void tell_message(struct fil_client_reader *reader, int64_t number, struct fil_bytes data)
{
    struct fil_message message = {.number = number};
    struct fil_bytes value;
    if (fil_reliable_decode(data, &message.published_ms, &value) != FIL_OK) {
        return; // what else somebody may have put into the ring buffer
    }
    message.value = fil_client__value_view(value);
    struct fil_client_seal seal = fil_client__seal(&message.value);
    reader->options.heard(reader->options.context, &message);
    fil_client__unseal(seal);
}

static int tell_all(struct fil_client_reader *reader, struct fil_bytes message)
{
    struct fil_wire_ringbuffer_read_many_response response;
    struct fil_bytes data;
    int error = FIL_WIRE_DECODE(ringbuffer_read_many_response, message, &response, NULL);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_wire_cursor cursor = fil_wire_part_open(&response.items);
    size_t count = response.item_seqs.size / sizeof(int64_t);
    for (size_t i = 0; fil_wire_cursor_data(&cursor, &data) && !is_closed(reader); i++) {
        int64_t number = i < count ? fil_wire_packed_i64(response.item_seqs, i) : -1;
        tell_message(reader, number, data);
    }
    reader->next = response.next_seq;
    return FIL_OK;
}

static int ask_for_more(struct fil_client_reader *reader);

/** No question is under way any more; who closes frees, or has left that to here. */
static void end(struct fil_client_reader *reader, int error)
{
    struct fil_client *client = reader->thing->client;
    fil_client__lock(client);
    reader->is_ended = true;
    bool is_last = reader->is_closed || client->is_closing;
    fil_client__unlock(client);
    if (is_last) {
        fil_free(reader);
    } else if (reader->options.ended != NULL) {
        reader->options.ended(reader->options.context, error);
    }
}

static void on_messages(struct fil_client_call *call, int error, struct fil_bytes message)
{
    struct fil_client_reader *reader = call->context;
    if (error == FIL_OK) {
        error = tell_all(reader, message);
    }
    if (error == FIL_OK && !is_closed(reader)) {
        fil_client__lock(reader->thing->client);
        error = ask_for_more(reader);
        fil_client__unlock(reader->thing->client);
        if (error == FIL_OK) {
            return;
        }
    }
    end(reader, error);
}

/** Under the mutex. */
static int ask_for_more(struct fil_client_reader *reader)
{
    struct fil_client *client = reader->thing->client;
    struct fil_wire_ringbuffer_read_many_request fields = {
        .start_sequence = reader->next,
        .min_count = 1,
        .max_count = READ_COUNT,
        .name = fil_client__thing_name(reader->thing)};
    struct fil_client_request request = {.op = &read_op,
                                         .fields = &fields,
                                         .done = on_messages,
                                         .context = reader,
                                         .partition = fil_client__thing_partition(reader->thing)};
    int error = fil_client__begin(client, &request);
    if (error == FIL_OK) {
        fil_client__kick(client);
    }
    return error;
}

static int find_start(struct fil_client_reader *reader)
{
    struct fil_value tail = fil_null();
    struct fil_wire_ringbuffer_tail_sequence_request fields = {
        .name = fil_client__thing_name(reader->thing)};
    reader->next = reader->options.from;
    if (reader->options.from != FIL_TOPIC_NEW) {
        return FIL_OK;
    }
    int error = fil_client__thing_run(reader->thing, &tail_op, &fields, &tail);
    reader->next = fil_value_i64(&tail) + 1;
    return error;
}

int fil_reliable_topic_subscribe(struct fil_reliable_topic *topic,
                                 const struct fil_reliable_subscribe_options *options,
                                 struct fil_subscription **out_subscription)
{
    if (topic == NULL || options == NULL || options->heard == NULL || out_subscription == NULL ||
        options->from < FIL_TOPIC_NEW) {
        return FIL_E_INVALID;
    }
    struct fil_client_reader *reader = fil_alloc_zero(1, sizeof(*reader));
    if (reader == NULL) {
        return FIL_E_NOMEM;
    }
    reader->subscription.reader = reader;
    reader->options = *options;
    reader->thing = &topic->thing;
    int error = find_start(reader);
    if (error == FIL_OK) {
        *out_subscription = &reader->subscription; // before the first message
        fil_client__lock(topic->thing.client);
        error = ask_for_more(reader);
        fil_client__unlock(topic->thing.client);
    }
    if (error != FIL_OK) {
        *out_subscription = NULL;
        fil_free(reader);
    }
    return error;
}

void fil_client__reader_close(struct fil_client_reader *reader)
{
    struct fil_client *client = reader->thing->client;
    fil_client__lock(client);
    reader->is_closed = true;
    bool is_ended = reader->is_ended;
    fil_client__unlock(client);
    if (is_ended) {
        fil_free(reader);
    }
}
