// SPDX-License-Identifier: Apache-2.0
/** One connection: dialed, written, read, closed. */
#include <string.h>

#include "client/client_internal.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define INPUT_BYTES     ((size_t)64 << 10)
#define INPUT_KEPT_MAX  ((size_t)1 << 20) // a larger buffer is given back when it is empty
#define DIAL_TIMEOUT_NS UINT64_C(5000000000)

static void check_link(const struct fil_fsm *fsm)
{
    const struct fil_client_link *link = FIL_CONTAINER_OF_CONST(fsm, struct fil_client_link, fsm);
    bool is_open = !fil_client__link_is(link, FIL_CLIENT_LINK_IDLE);
    fil_assert(is_open == (link->fd >= 0));
    if (fil_client__link_is(link, FIL_CLIENT_LINK_READY)) {
        fil_assert(link->is_known);
    }
}

//  IDLE <---> DIALING ---> GREETING ---> READY, and from each back to IDLE.
static const struct fil_fsm_state link_states[] = {
    [FIL_CLIENT_LINK_IDLE] = {"idle", FIL_FSM_TO(FIL_CLIENT_LINK_DIALING)},
    [FIL_CLIENT_LINK_DIALING] = {"dialing", FIL_FSM_TO(FIL_CLIENT_LINK_GREETING) |
                                                FIL_FSM_TO(FIL_CLIENT_LINK_IDLE)},
    [FIL_CLIENT_LINK_GREETING] = {"greeting", FIL_FSM_TO(FIL_CLIENT_LINK_READY) |
                                                  FIL_FSM_TO(FIL_CLIENT_LINK_IDLE)},
    [FIL_CLIENT_LINK_READY] = {"ready", FIL_FSM_TO(FIL_CLIENT_LINK_IDLE)},
};
static const struct fil_fsm_kind link_kind =
    FIL_FSM_KIND("client link", link_states, check_link, NULL);

void fil_client__link_init(struct fil_client *client, uint8_t index)
{
    struct fil_client_link *link = &client->links[index];
    *link = (struct fil_client_link){.client = client, .index = index, .fd = -1};
    fil_chunk_queue_init(&link->output);
    fil_list_init(&link->calls);
    fil_fsm_init(&link->fsm, &link_kind, FIL_CLIENT_LINK_IDLE);
}

void fil_client__link_append(struct fil_client_link *link, struct fil_bytes bytes)
{
    struct fil_client *client = link->client;
    fil_chunk_queue_append(&link->output, &client->pool, bytes);
    link->stream_end += bytes.size;
    client->dirty |= UINT64_C(1) << link->index;
    if (link->output.is_out_of_memory) {
        fil_client__link_doom(link, "memory is out");
    }
}

void fil_client__link_tell(struct fil_client_link *link, const struct fil_client_op *op,
                           int64_t correlation, const void *fields)
{
    struct fil_client *client = link->client;
    struct fil_wire_header header = {.correlation = correlation, .partition = -1};
    struct fil_chunk_queue *bytes = NULL;
    if (fil_client__encode(client, op, &header, fields, &bytes) != FIL_OK) {
        fil_client__link_doom(link, "memory is out");
        return;
    }
    link->stream_end += bytes->size_bytes;
    client->dirty |= UINT64_C(1) << link->index;
    fil_chunk_queue_move(&link->output, bytes);
}

static bool prepare_input(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    if (link->input == NULL) {
        link->input = fil_alloc(INPUT_BYTES + 1);
        link->input_capacity = INPUT_BYTES;
    }
    link->input_begin = 0;
    link->input_end = 0;
    link->has_input = false;
    fil_wire_receiver_init(&link->receiver, &client->budget);
    size_t limit = (size_t)client->settings.message_bytes_max;
    fil_wire_receiver_trust(&link->receiver,
                            limit < FIL_WIRE_FRAME_MAX ? limit : FIL_WIRE_FRAME_MAX, limit);
    // Members send none, and results are read where they were received.
    link->receiver.takes_fragments = false;
    return link->input != NULL;
}

/** The next try, later each time, and not at the same time as all others. */
static void put_off(struct fil_client_link *link, uint64_t now_ns)
{
    struct fil_client *client = link->client;
    const struct fil_client_settings *settings = &client->settings;
    uint64_t delay = link->retry_delay_ns;
    delay = delay < settings->retry_first_ns ? settings->retry_first_ns : delay;
    link->retry_at_ns = now_ns + delay + fil_prng_below(&client->prng, delay / 4 + 1);
    link->retry_delay_ns = delay * 2 < settings->retry_max_ns ? delay * 2 : settings->retry_max_ns;
}

static int open_socket(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    struct fil_env *env = client->env;
    int fd = -1;
    int error = env->ops->connect(env, &link->address, &fd);
    if (error != FIL_OK) {
        return error;
    }
    error = env->ops->poller_add(env, client->poller, fd, FIL_POLL_READ | FIL_POLL_WRITE, link);
    if (error != FIL_OK) {
        env->ops->close(env, fd);
        return error;
    }
    link->fd = fd;
    return FIL_OK;
}

void fil_client__link_dial(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    uint64_t now_ns = fil_env_now_ns(client->env);
    fil_assert(link->is_used && fil_list_is_empty(&link->calls) && link->output.size_bytes == 0);
    int error = prepare_input(link) ? open_socket(link) : FIL_E_NOMEM;
    if (error != FIL_OK) {
        char address[FIL_ADDRESS_TEXT_MAX];
        fil_client__complain(client, "cannot connect to %s: %s",
                             fil_address_format(&link->address, address), fil_error_text(error));
        put_off(link, now_ns);
        return;
    }
    link->stream_end = 0;
    link->stream_sent = 0;
    link->wants_write = true;
    link->is_doomed = false;
    link->deadline_ns = now_ns + DIAL_TIMEOUT_NS;
    link->received_ns = now_ns;
    link->sent_ns = now_ns;
    fil_fsm_move(&link->fsm, FIL_CLIENT_LINK_DIALING);
}

void fil_client__link_doom(struct fil_client_link *link, const char *reason)
{
    if (link->is_doomed || fil_client__link_is(link, FIL_CLIENT_LINK_IDLE)) {
        return;
    }
    char address[FIL_ADDRESS_TEXT_MAX];
    fil_client__complain(link->client, "%s: %s", fil_address_format(&link->address, address),
                         reason);
    link->is_doomed = true;
    fil_client__hurry(link->client);
}

void fil_client__link_close(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    bool was_ready = fil_client__link_is(link, FIL_CLIENT_LINK_READY);
    client->env->ops->poller_remove(client->env, client->poller, link->fd);
    client->env->ops->close(client->env, link->fd);
    link->fd = -1;
    link->is_doomed = false;
    link->has_input = false;
    fil_chunk_queue_clear(&link->output);
    link->output.is_out_of_memory = false;
    client->dirty &= ~(UINT64_C(1) << link->index);
    fil_wire_receiver_fini(&link->receiver);
    put_off(link, fil_env_now_ns(client->env));
    fil_fsm_move(&link->fsm, FIL_CLIENT_LINK_IDLE);
    if (was_ready) {
        fil_client__link_down(link);
    }
    fil_client__abandon(client, link);
}

static void watch_room(struct fil_client_link *link, bool wants_write)
{
    struct fil_client *client = link->client;
    if (link->wants_write == wants_write) {
        return;
    }
    uint32_t interest = FIL_POLL_READ | (wants_write ? FIL_POLL_WRITE : 0);
    link->wants_write = wants_write;
    if (client->env->ops->poller_change(client->env, client->poller, link->fd, interest, link) !=
        FIL_OK) {
        fil_client__link_doom(link, "the operating system refused to watch the connection");
    }
}

/** Sends some; false when the socket is full or broken. */
static bool send_some(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    struct fil_bytes slices[FIL_SEND_SLICES_MAX];
    uint32_t count = fil_chunk_queue_slices(&link->output, slices, FIL_SEND_SLICES_MAX);
    int64_t sent = client->env->ops->send(client->env, link->fd, slices, count);
    if (sent < 0) {
        if (sent != FIL_E_AGAIN) {
            fil_client__link_doom(link, "the member closed the connection");
        }
        return false;
    }
    fil_chunk_queue_consume(&link->output, (size_t)sent);
    link->stream_sent += (uint64_t)sent;
    client->stats.sent_bytes += (uint64_t)sent;
    return true;
}

void fil_client__link_flush(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    client->dirty &= ~(UINT64_C(1) << link->index);
    if (link->is_doomed || fil_client__link_is(link, FIL_CLIENT_LINK_IDLE) ||
        fil_client__link_is(link, FIL_CLIENT_LINK_DIALING)) {
        return;
    }
    bool has_room = true;
    while (has_room && link->output.size_bytes > 0) {
        has_room = send_some(link);
    }
    link->sent_ns = fil_env_now_ns(client->env);
    if (!link->is_doomed) {
        watch_room(link, link->output.size_bytes > 0);
    }
}

/** Room for what the message in front needs, or for any more bytes. */
static bool make_room(struct fil_client_link *link)
{
    size_t held = link->input_end - link->input_begin;
    if (link->input_begin > 0) {
        memmove(link->input, link->input + link->input_begin, held);
        link->input_begin = 0;
        link->input_end = held;
    }
    size_t wanted = fil_wire_receiver_expected(&link->receiver);
    bool is_oversized = held == 0 && link->input_capacity > INPUT_KEPT_MAX;
    if (!is_oversized && link->input_capacity >= wanted && held < link->input_capacity) {
        return true;
    }
    size_t capacity = is_oversized ? INPUT_BYTES : link->input_capacity * 2;
    capacity = capacity < wanted ? wanted : capacity;
    uint8_t *input = fil_realloc(link->input, capacity + 1);
    if (input == NULL) {
        return is_oversized;
    }
    link->input = input;
    link->input_capacity = capacity;
    return true;
}

static void take_message(struct fil_client_link *link, struct fil_bytes message)
{
    struct fil_wire_header header;
    if (fil_wire_header_decode_reply(message, &header) != FIL_OK) {
        fil_client__link_doom(link, "sent a message that is too short");
        return;
    }
    if ((header.correlation & FIL_CLIENT_OWN) != 0) {
        fil_client__own_message(link, &header, message);
    } else {
        fil_client__answer(link->client, &header, message);
    }
}

void fil_client__link_continue(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    link->has_input = false;
    while (!link->is_doomed && link->input_begin < link->input_end) {
        if (client->delivery_count == FIL_CLIENT_DELIVERIES_MAX) {
            link->has_input = true;
            return;
        }
        struct fil_bytes bytes =
            fil_bytes_make(link->input + link->input_begin, link->input_end - link->input_begin);
        struct fil_bytes message;
        size_t size = 0;
        int error = fil_wire_receive(&link->receiver, bytes, &message, &size);
        link->input_begin += size;
        if (error == FIL_E_AGAIN) {
            return;
        }
        if (error != FIL_OK) {
            fil_client__link_doom(link, link->receiver.problem);
            return;
        }
        take_message(link, message);
    }
}

static void receive(struct fil_client_link *link)
{
    struct fil_client *client = link->client;
    if (link->has_input) {
        return; // what is there comes first
    }
    if (!make_room(link)) {
        fil_client__link_doom(link, "memory is out");
        return;
    }
    int64_t size = client->env->ops->receive(client->env, link->fd, link->input + link->input_end,
                                             link->input_capacity - link->input_end);
    if (size == FIL_E_AGAIN) {
        return;
    }
    if (size <= 0) {
        fil_client__link_doom(link, fil_client__link_is(link, FIL_CLIENT_LINK_DIALING)
                                        ? "nobody takes connections there"
                                        : "the member closed the connection");
        return;
    }
    link->input_end += (size_t)size;
    link->received_ns = fil_env_now_ns(client->env);
    client->stats.received_bytes += (uint64_t)size;
    fil_client__link_continue(link);
}

void fil_client__link_event(struct fil_client_link *link, uint32_t ready)
{
    if (link->is_doomed || fil_client__link_is(link, FIL_CLIENT_LINK_IDLE)) {
        return;
    }
    if ((ready & FIL_POLL_ERROR) == 0 && (ready & FIL_POLL_WRITE) != 0) {
        if (fil_client__link_is(link, FIL_CLIENT_LINK_DIALING)) {
            fil_fsm_move(&link->fsm, FIL_CLIENT_LINK_GREETING);
            link->client->stats.connect_count++;
            fil_client__greet(link);
        }
        fil_client__link_flush(link);
    }
    if ((ready & (FIL_POLL_READ | FIL_POLL_ERROR)) != 0 && !link->is_doomed) {
        receive(link);
    }
}
