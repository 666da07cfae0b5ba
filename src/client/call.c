// SPDX-License-Identifier: Apache-2.0
/** Calls: made, sent, repeated, ended. */
#include <assert.h>
#include <string.h>

#include "client/client_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/error_code.h"

#define SLOT_BITS       16
#define SLOT_MASK       ((INT64_C(1) << SLOT_BITS) - 1)
#define FAST_ATTEMPTS   5U // so often at once, then with a pause
#define RETRY_PAUSE_NS  UINT64_C(1000000000)
#define CALLS_MAX       (FIL_CLIENT_IN_FLIGHT_MAX + FIL_CLIENT_DELIVERIES_MAX)
#define CALL_BLOCKS_MAX (CALLS_MAX / FIL_CLIENT_CALL_BLOCK + 1)

static _Thread_local uint64_t call_timeout_ms; // 0: as the client says

uint64_t fil_call_timeout_set(uint64_t timeout_ms)
{
    uint64_t before = call_timeout_ms;
    call_timeout_ms = timeout_ms;
    return before;
}

uint64_t fil_client__deadline_ns(struct fil_client *client)
{
    uint64_t timeout_ns = call_timeout_ms == 0 ? client->settings.call_timeout_ns
                                               : fil_client__time_ns(call_timeout_ms);
    return fil_env_now_ns(client->env) + timeout_ns;
}

static uint64_t deadline_of(struct fil_client *client, const struct fil_client_op *op)
{
    return op->has_no_deadline ? FIL_WHEEL_NEVER - 1 : fil_client__deadline_ns(client);
}

int fil_client__calls_init(struct fil_client *client)
{
    static_assert(CALLS_MAX + FIL_CLIENT_CALL_BLOCK <= SLOT_MASK, "slots are told by 16 bits");
    fil_list_init(&client->free_calls);
    fil_list_init(&client->waiting);
    client->blocks = fil_alloc_zero(CALL_BLOCKS_MAX, sizeof(struct fil_client_call *));
    return client->blocks == NULL ? FIL_E_NOMEM : FIL_OK;
}

void fil_client__calls_fini(struct fil_client *client)
{
    for (uint32_t i = 0; i < client->call_count / FIL_CLIENT_CALL_BLOCK; i++) {
        fil_free(client->blocks[i]);
    }
    fil_free(client->blocks);
    client->blocks = NULL;
    client->call_count = 0;
}

static bool grow_calls(struct fil_client *client)
{
    uint32_t index = client->call_count / FIL_CLIENT_CALL_BLOCK;
    fil_assert(index < CALL_BLOCKS_MAX);
    struct fil_client_call *block = fil_alloc_zero(FIL_CLIENT_CALL_BLOCK, sizeof(*block));
    if (block == NULL) {
        return false;
    }
    client->blocks[index] = block;
    for (uint32_t i = 0; i < FIL_CLIENT_CALL_BLOCK; i++) {
        block[i].slot = client->call_count + i;
        fil_list_init(&block[i].link);
        fil_timer_init(&block[i].timer);
        fil_list_push_back(&client->free_calls, &block[i].link);
    }
    client->call_count += FIL_CLIENT_CALL_BLOCK;
    return true;
}

static struct fil_client_call *find_call(struct fil_client *client, int64_t correlation)
{
    uint32_t slot = (uint32_t)(correlation & SLOT_MASK);
    if (slot >= client->call_count) {
        return NULL;
    }
    struct fil_client_call *call =
        &client->blocks[slot / FIL_CLIENT_CALL_BLOCK][slot % FIL_CLIENT_CALL_BLOCK];
    return call->correlation == correlation && call->carrier != NULL ? call : NULL;
}

int fil_client__encode(struct fil_client *client, const struct fil_client_op *op,
                       const struct fil_wire_header *header, const void *fields,
                       struct fil_chunk_queue **out_bytes)
{
    struct fil_wire_writer writer;
    fil_chunk_queue_clear(&client->scratch);
    client->scratch.is_out_of_memory = false;
    fil_wire_writer_init(&writer, &client->scratch, &client->pool,
                         client->settings.request_bytes_max);
    *out_bytes = &client->scratch;
    if (op->write != NULL) {
        return op->write(&writer, *header, fields);
    }
    return fil_wire_encode(op->request, &writer, header, fields);
}

/** Keeps the encoded request with the call, for this attempt and the next ones. */
static int keep_request(struct fil_client_call *call, const struct fil_chunk_queue *bytes)
{
    fil_assert(call != NULL && bytes->size_bytes > 0);
    call->request_size = bytes->size_bytes;
    call->request = call->room;
    if (call->request_size > FIL_CLIENT_CALL_ROOM) {
        call->request = fil_alloc(call->request_size);
        if (call->request == NULL) {
            return FIL_E_NOMEM;
        }
    }
    size_t at = 0;
    const struct fil_chunk *chunk = bytes->first;
    while (chunk != NULL) {
        size_t size = chunk->end - chunk->begin;
        memcpy(call->request + at, chunk->data + chunk->begin, size);
        at += size;
        chunk = (const struct fil_chunk *)(const void *)chunk->link.next;
    }
    fil_assert(at == call->request_size);
    return FIL_OK;
}

static void drop_request(struct fil_client_call *call)
{
    if (call->request != call->room) {
        fil_free(call->request);
    }
    call->request = call->room;
    call->request_size = 0;
}

/** A call that is made but not sent; FIL_E_FULL when there are too many. */
static int take_call(struct fil_client *client, const struct fil_client_op *op, size_t size,
                     struct fil_client_call **out_call)
{
    const struct fil_client_settings *settings = &client->settings;
    uint32_t count_max = op->is_beyond_limit ? FIL_CLIENT_IN_FLIGHT_MAX : settings->in_flight_max;
    if (client->in_flight >= count_max ||
        size > settings->request_bytes_max - client->in_flight_bytes) {
        client->stats.refused_count++;
        return FIL_E_FULL;
    }
    if (fil_list_is_empty(&client->free_calls) && !grow_calls(client)) {
        return FIL_E_NOMEM;
    }
    struct fil_list *first = fil_list_take_front(&client->free_calls);
    *out_call = FIL_CONTAINER_OF(first, struct fil_client_call, link);
    return FIL_OK;
}

/** A new attempt has a new number, so that an answer to an older one is told apart. */
static void number_attempt(struct fil_client *client, struct fil_client_call *call)
{
    client->serial++;
    call->correlation = (int64_t)(client->serial << SLOT_BITS) | (int64_t)call->slot;
    fil_assert(call->correlation < FIL_CLIENT_OWN);
    fil_store_u64_le(call->request + FIL_WIRE_FRAME_HEADER + 4, (uint64_t)call->correlation);
    call->attempt_count++;
}

static void send_over(struct fil_client_link *link, struct fil_client_call *call)
{
    struct fil_client *client = link->client;
    number_attempt(client, call);
    call->carrier = link;
    call->stream_begin = link->stream_end;
    fil_list_remove(&call->link);
    fil_list_push_back(&link->calls, &call->link);
    fil_client__link_append(link, fil_bytes_make(call->request, call->request_size));
}

/** Over a link, or to those that wait for one. */
static void dispatch(struct fil_client *client, struct fil_client_call *call)
{
    struct fil_client_link *link = fil_client__route(client, call->partition);
    fil_wheel_arm(&client->wheel, &call->timer, call->deadline_ns);
    if (link == NULL) {
        fil_list_push_back(&client->waiting, &call->link);
        return;
    }
    send_over(link, call);
}

static void fill_call(struct fil_client *client, struct fil_client_call *call,
                      const struct fil_client_request *request)
{
    call->op = request->op;
    call->partition = request->partition;
    call->done = request->done;
    call->tell = request->tell;
    call->context = request->context;
    call->map = request->map;
    call->near_ticket = request->near_ticket;
    call->attempt_count = 0;
    call->carrier = NULL;
    call->deadline_ns =
        request->deadline_ns != 0 ? request->deadline_ns : deadline_of(client, request->op);
    client->in_flight++;
    client->in_flight_bytes += call->request_size;
    client->stats.call_count++;
}

int fil_client__begin(struct fil_client *client, const struct fil_client_request *request)
{
    fil_assert(client->is_locked && request->done != NULL);
    struct fil_wire_header header = {.partition = request->partition};
    struct fil_chunk_queue *bytes = NULL;
    struct fil_client_call *call = NULL;
    if (client->is_closing || client->fatal != FIL_OK) {
        return client->is_closing ? FIL_E_CLOSED : client->fatal;
    }
    int error = fil_client__encode(client, request->op, &header, request->fields, &bytes);
    if (error == FIL_OK) {
        error = take_call(client, request->op, bytes->size_bytes, &call);
    }
    if (error == FIL_OK) {
        error = keep_request(call, bytes);
        if (error != FIL_OK) {
            drop_request(call);
            fil_list_push_front(&client->free_calls, &call->link);
        }
    }
    if (error == FIL_OK) {
        fill_call(client, call, request);
        dispatch(client, call);
    }
    return error;
}

int fil_client__begin_when_possible(struct fil_client *client, struct fil_client_request *request)
{
    int error = fil_client__begin(client, request);
    if (error == FIL_E_FULL) {
        request->deadline_ns = deadline_of(client, request->op);
    }
    while (error == FIL_E_FULL && client->in_flight > 0) {
        if (fil_env_now_ns(client->env) >= request->deadline_ns) {
            client->stats.timeout_count++;
            fil_client__complain(client, "there was no room for another call in time");
            return FIL_E_TIMEOUT;
        }
        fil_client__flush(client);
        fil_client__turn_until(client, request->deadline_ns);
        error = fil_client__begin(client, request);
    }
    return error;
}

/** Has a result: no longer in flight, the stepper tells it. */
static void deliver(struct fil_client *client, struct fil_client_call *call, int error,
                    struct fil_bytes message)
{
    fil_assert(client->delivery_count < FIL_CLIENT_DELIVERIES_MAX && client->in_flight > 0);
    fil_list_remove(&call->link);
    fil_wheel_disarm(&client->wheel, &call->timer);
    call->carrier = NULL;
    client->in_flight--;
    client->in_flight_bytes -= call->request_size;
    client->stats.answer_count += error == FIL_OK;
    client->stats.failure_count += error != FIL_OK;
    client->deliveries[client->delivery_count] =
        (struct fil_client_delivery){.call = call, .message = message, .error = error};
    client->delivery_count++;
}

void fil_client__recycle(struct fil_client *client, struct fil_client_call *call)
{
    fil_assert(call->carrier == NULL && !fil_list_is_linked(&call->link));
    drop_request(call);
    fil_list_push_front(&client->free_calls, &call->link);
}

void fil_client__resume(struct fil_client *client)
{
    uint64_t now_ns = fil_env_now_ns(client->env);
    fil_list_foreach_safe(item, following, &client->waiting) {
        struct fil_client_call *call = FIL_CONTAINER_OF(item, struct fil_client_call, link);
        bool is_pausing = call->attempt_count > FAST_ATTEMPTS && call->timer.deadline_ns > now_ns &&
                          call->timer.deadline_ns < call->deadline_ns;
        struct fil_client_link *link =
            is_pausing ? NULL : fil_client__route(client, call->partition);
        if (link != NULL) {
            fil_wheel_arm(&client->wheel, &call->timer, call->deadline_ns);
            send_over(link, call);
        }
    }
}

/** Lets the call wait for another attempt: at once, after many of them with a pause. */
static void retry(struct fil_client *client, struct fil_client_call *call)
{
    client->stats.retry_count++;
    fil_list_remove(&call->link);
    call->carrier = NULL;
    if (call->attempt_count <= FAST_ATTEMPTS) {
        dispatch(client, call);
        return;
    }
    uint64_t next_ns = fil_env_now_ns(client->env) + RETRY_PAUSE_NS;
    fil_list_push_back(&client->waiting, &call->link);
    fil_wheel_arm(&client->wheel, &call->timer,
                  next_ns < call->deadline_ns ? next_ns : call->deadline_ns);
}

void fil_client__expire(struct fil_client *client, struct fil_client_call *call, uint64_t now_ns)
{
    if (now_ns < call->deadline_ns) {
        fil_assert(call->carrier == NULL); // its pause is over
        fil_list_remove(&call->link);
        dispatch(client, call);
        return;
    }
    client->stats.timeout_count++;
    fil_client__complain(client, "no answer in time, after %u attempts, %u members connected",
                         call->attempt_count, client->ready_count);
    deliver(client, call, FIL_E_TIMEOUT, fil_bytes_make(NULL, 0));
}

/** Errors that tell that the call did not run, so that any call may be repeated. */
static bool did_not_run(int32_t code)
{
    static const int32_t codes[] = {
        FIL_WIRE_ERROR_CALLER_NOT_MEMBER,
        FIL_WIRE_ERROR_INSTANCE_NOT_ACTIVE,
        FIL_WIRE_ERROR_MEMBER_LEFT,
        FIL_WIRE_ERROR_PARTITION_MIGRATING,
        FIL_WIRE_ERROR_RETRYABLE_HAZELCAST,
        FIL_WIRE_ERROR_RETRYABLE_IO,
        FIL_WIRE_ERROR_TARGET_NOT_MEMBER,
        FIL_WIRE_ERROR_WRONG_TARGET,
        FIL_WIRE_ERROR_TARGET_NOT_REPLICA,
        FIL_WIRE_ERROR_CANNOT_REPLICATE,
        FIL_WIRE_ERROR_IO,
    };
    for (size_t i = 0; i < FIL_COUNT_OF(codes); i++) {
        if (codes[i] == code) {
            return true;
        }
    }
    return false;
}

static bool may_run_twice(const struct fil_client *client, const struct fil_client_call *call)
{
    return call->op->is_retryable || client->settings.repeats_all;
}

/** The link is gone: again if it never left or may run twice, else nobody knows. */
static void abandon_call(struct fil_client *client, struct fil_client_call *call)
{
    const struct fil_client_link *link = call->carrier;
    fil_assert(link != NULL);
    bool has_left = call->stream_begin < link->stream_sent;
    if (!has_left || may_run_twice(client, call)) {
        retry(client, call);
        return;
    }
    char address[FIL_ADDRESS_TEXT_MAX];
    fil_client__complain(client, "the connection to %s was lost before the answer came",
                         fil_address_format(&link->address, address));
    deliver(client, call, FIL_E_INDETERMINATE, fil_bytes_make(NULL, 0));
}

void fil_client__abandon(struct fil_client *client, struct fil_client_link *link)
{
    // A call that is tried again never comes back to this link: it is not ready any more.
    while (!fil_list_is_empty(&link->calls) && client->delivery_count < FIL_CLIENT_DELIVERIES_MAX) {
        abandon_call(client, FIL_CONTAINER_OF(link->calls.next, struct fil_client_call, link));
    }
}

static bool cancel_list(struct fil_client *client, struct fil_list *calls, int error)
{
    while (!fil_list_is_empty(calls) && client->delivery_count < FIL_CLIENT_DELIVERIES_MAX) {
        struct fil_client_call *call = FIL_CONTAINER_OF(calls->next, struct fil_client_call, link);
        deliver(client, call, error, fil_bytes_make(NULL, 0));
    }
    return fil_list_is_empty(calls);
}

bool fil_client__cancel_all(struct fil_client *client, int error)
{
    bool is_done = cancel_list(client, &client->waiting, error);
    for (uint32_t i = 0; i < FIL_CLIENT_LINKS_MAX; i++) {
        is_done = cancel_list(client, &client->links[i].calls, error) && is_done;
    }
    return is_done;
}

void fil_client__answer(struct fil_client *client, const struct fil_wire_header *header,
                        struct fil_bytes message)
{
    struct fil_client_call *call = find_call(client, header->correlation);
    if (call == NULL) {
        client->stats.late_count++;
        return;
    }
    if (header->type == call->op->request->id + 1) {
        deliver(client, call, FIL_OK, message);
        return;
    }
    int32_t code = 0;
    int error = FIL_E_MALFORMED;
    if (header->type == 0) {
        error = fil_client__read_error(client, call->carrier, message, &code);
    }
    if (did_not_run(code) ||
        (code == FIL_WIRE_ERROR_TARGET_DISCONNECTED && may_run_twice(client, call))) {
        retry(client, call);
        return;
    }
    deliver(client, call, error, fil_bytes_make(NULL, 0));
}
