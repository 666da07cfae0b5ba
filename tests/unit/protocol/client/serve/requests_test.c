// SPDX-License-Identifier: Apache-2.0
/**
 * Every request that is served, with every kind of wrong input, one test a promise: a stranger's is
 * refused and ends the connection; one without its fields, cut off after any of its fields, or with
 * null in the place of any of them is answered and the connection lives on; a partition that there
 * is not is refused.
 *
 * Requests are random ones of their layouts, so that most names, keys and objects mean nothing.
 */
#include <string.h>

#include "protocol/client/error_code.h"
#include "protocol/client/frame.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/task.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/client/serve/wire_world.h"
#include "tests/unit/protocol/client/wire_sample.h"

#define NUMBERS_MAX 0x250000U
#define FIELDS_MAX  64U
#define SEND_MAX    (1U << 20)
#define HEADER_SIZE 22U // of a request without fields: a frame's head, number, correlation, place
#define PING_NUMBER 0xFFFFU

// Client 1, cluster "dev", no user, PYH 5.7.0 named c, no labels.
static const char hello[] =
    "CP2\x28\0\0\0\0\xc0\0\1\0\0\1\0\0\0\0\0\0\0\xff\xff\xff\xff\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0"
    "\0\1\x9\0\0\0\0\0dev\6\0\0\0\0\4\6\0\0\0\0\4\x9\0\0\0\0\0PYH\xb\0\0\0\0\0"
    "5.7.0\7\0\0\0\0\0c\6\0\0\0\0\x10\6\0\0\0\0\x28";

static struct wire_sample sample;
static uint8_t room[SEND_MAX];
static size_t used;

static void add(struct fil_bytes bytes)
{
    assert_true(bytes.size <= sizeof(room) - used);
    memcpy(room + used, bytes.data, bytes.size);
    used += bytes.size;
}

/** Adds a request of so many bytes with that correlation; its last frame becomes the final one. */
static void add_request(struct fil_bytes message, int64_t correlation, int32_t partition,
                        size_t final_frame)
{
    uint8_t *start = room + used;
    add(message);
    fil_store_u64_le(start + 10, (uint64_t)correlation);
    fil_store_u32_le(start + 18, (uint32_t)partition);
    uint16_t flags = fil_load_u16_le(start + final_frame + 4);
    fil_store_u16_le(start + final_frame + 4, (uint16_t)(flags | FIL_WIRE_FINAL));
}

/** A request without any field. */
static void add_bare(uint32_t number, int64_t correlation)
{
    uint8_t message[HEADER_SIZE] = {HEADER_SIZE, 0, 0, 0, 0, 0xe0};
    fil_store_u32_le(message + 6, number);
    add_request(fil_bytes_make(message, sizeof(message)), correlation, -1, 0);
}

static struct fil_sim_client *connect_client(bool is_let_in)
{
    world.net.client_options.send_bytes_max = SEND_MAX;
    world.net.client_options.receive_bytes_max = SEND_MAX;
    struct fil_sim_client *client = net_world_client(&world.net);
    if (is_let_in) {
        fil_sim_client_send(client, fil_bytes_make(hello, sizeof(hello) - 1));
        net_world_run_for(&world.net, SECOND / 10);
        assert_true(fil_sim_client_received(client).size > 32);
    }
    return client;
}

/** Sends what was added; gives what came back. */
static struct fil_bytes send_all(struct fil_sim_client *client)
{
    size_t before = fil_sim_client_received(client).size;
    fil_sim_client_send(client, fil_bytes_make(room, used));
    used = 0;
    net_world_run_for(&world.net, SECOND / 10);
    struct fil_bytes all = fil_sim_client_received(client);
    return fil_bytes_make(all.data + before, all.size - before);
}

/** The next message of what came back; false at the end, which must be that of a message. */
static bool take_message(struct fil_bytes *received, struct fil_bytes *out_message)
{
    size_t at = 0;
    uint16_t flags = 0;
    while (at < received->size && (flags & FIL_WIRE_FINAL) == 0) {
        assert_true(received->size - at >= 6);
        uint32_t size = fil_load_u32_le(received->data + at);
        flags = fil_load_u16_le(received->data + at + 4);
        assert_true(size >= 6 && size <= received->size - at);
        at += size;
    }
    assert_true(at == 0 || (flags & FIL_WIRE_FINAL) != 0);
    *out_message = fil_bytes_make(received->data, at);
    *received = fil_bytes_make(received->data + at, received->size - at);
    return at > 0;
}

/** Calls the function with the number and the handler of all requests but authentication. */
static void each_request(void (*function)(struct fil_sim_client *client, uint32_t number,
                                          const struct fil_wire_handler *handler),
                         struct fil_sim_client *client)
{
    uint32_t count = 0;
    for (uint32_t number = 0x100; number < NUMBERS_MAX; number += 0x100) {
        const struct fil_wire_handler *handler = fil_wire_handler_find(number);
        if (handler != NULL && number != FIL_WIRE_CLIENT_AUTHENTICATION &&
            number != FIL_WIRE_CLIENT_AUTHENTICATION_CUSTOM) {
            function(client, number, handler);
            count++;
        }
    }
    assert_true(count > 100);
}

/** Whether a request may be answered later, by somebody else's doing. */
static bool may_wait(const struct fil_wire_handler *handler)
{
    return handler->kind == FIL_WIRE_SERVE_WAITING || handler->kind == FIL_WIRE_SERVE_CONTAINER;
}

static int set_up_sample(void **state)
{
    wire_sample_init(&sample, 6);
    used = 0;
    return set_up(state);
}

static int tear_down_sample(void **state)
{
    wire_sample_fini(&sample);
    return tear_down(state);
}

static void refuse_stranger(struct fil_sim_client *client, uint32_t number,
                            const struct fil_wire_handler *handler)
{
    (void)handler;
    (void)client;
    world.net.client_count = 0; // the one before has ended
    struct fil_sim_client *stranger = connect_client(false);
    add(fil_bytes_of("CP2"));
    add_bare(number, 7);
    struct fil_bytes received = send_all(stranger);
    struct fil_bytes message;
    assert_true(take_message(&received, &message));
    assert_int_equal(fil_load_u32_le(message.data + 6), 0);
    assert_int_equal(fil_load_u32_le(message.data + 37), FIL_WIRE_ERROR_AUTHENTICATION);
    assert_int_equal(stranger->state, FIL_SIM_CLIENT_ENDED);
    fil_sim_client_close(stranger);
    net_world_run_for(&world.net, SECOND / 10);
    fil_sim_client_fini(stranger);
}

static void test_strangers_are_refused(void **state)
{
    (void)state;
    each_request(refuse_stranger, NULL);
    world.net.client_count = 0;
    assert_int_equal(fil_maps_find(world.maps, fil_bytes_of("m")) == NULL, true);
}

/** Counts the answers; a ping that was sent last must be among them. */
static uint32_t count_answers(struct fil_bytes received)
{
    struct fil_bytes message;
    uint32_t count = 0;
    bool has_ping = false;
    while (take_message(&received, &message)) {
        bool is_event = (fil_load_u16_le(message.data + 4) & FIL_WIRE_EVENT) != 0;
        bool is_ping = fil_load_u64_le(message.data + 10) == PING_NUMBER;
        count += !is_event && !is_ping;
        has_ping |= is_ping;
    }
    assert_true(has_ping);
    return count;
}

static void send_bare(struct fil_sim_client *client, uint32_t number,
                      const struct fil_wire_handler *handler)
{
    (void)handler;
    add_bare(number, 7);
    add_bare(FIL_WIRE_CLIENT_PING, PING_NUMBER);
    assert_int_equal(count_answers(send_all(client)), 1);
}

static void test_requests_without_fields_are_answered(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_client(true);
    each_request(send_bare, client);
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

/** A field of a message besides the fixed ones: a frame, or a structure from BEGIN to END. */
static size_t field_end(struct fil_bytes message, size_t at)
{
    uint32_t depth = 0;
    do {
        uint16_t flags = fil_load_u16_le(message.data + at + 4);
        depth += (flags & FIL_WIRE_BEGIN) != 0;
        depth -= (flags & FIL_WIRE_END) != 0;
        at += fil_load_u32_le(message.data + at);
    } while (depth > 0 && at < message.size);
    return at;
}

/** Where the initial frame and the fields of a message begin; returns how many there are. */
static uint32_t find_fields(struct fil_bytes message, size_t starts[FIELDS_MAX + 1])
{
    uint32_t count = 0;
    size_t at = 0;
    while (at < message.size) {
        assert_true(count < FIELDS_MAX);
        starts[count++] = at;
        at = field_end(message, at);
    }
    starts[count] = at;
    return count;
}

/** Where the last frame before a place begins. */
static size_t last_frame(struct fil_bytes message, size_t end)
{
    size_t at = 0;
    while (at + fil_load_u32_le(message.data + at) < end) {
        at += fil_load_u32_le(message.data + at);
    }
    return at;
}

/** The message with null instead of a field. */
static void add_with_null(struct fil_bytes message, size_t start, size_t end)
{
    uint8_t changed[65536];
    assert_true(message.size + 6 <= sizeof(changed));
    memcpy(changed, message.data, start);
    fil_store_u32_le(changed + start, 6);
    fil_store_u16_le(changed + start + 4, FIL_WIRE_NULL);
    memcpy(changed + start + 6, message.data + end, message.size - end);
    struct fil_bytes whole = fil_bytes_make(changed, start + 6 + message.size - end);
    add_request(whole, 7, 3, last_frame(whole, whole.size));
}

static void send_variants(struct fil_sim_client *client, uint32_t number,
                          const struct fil_wire_handler *handler)
{
    const struct fil_wire_message *known = fil_wire_message_find(number);
    size_t starts[FIELDS_MAX + 1];
    assert_non_null(known);
    wire_sample_reset(&sample);
    void *fields = wire_sample_fields(&sample, known->request);
    struct fil_bytes message = wire_sample_encode(&sample, known->request, fields);
    uint32_t count = find_fields(message, starts);
    uint32_t sent = 0;
    for (uint32_t i = 1; i < count; i++) {
        struct fil_bytes cut = fil_bytes_make(message.data, starts[i]);
        add_request(cut, 7, 3, last_frame(cut, cut.size));
        add_with_null(message, starts[i], starts[i + 1]);
        sent += 2;
    }
    add_bare(FIL_WIRE_CLIENT_PING, PING_NUMBER);
    uint32_t answers = count_answers(send_all(client));
    assert_true(answers == sent || (may_wait(handler) && answers < sent));
}

static void test_cut_off_requests_and_nulls_are_answered(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_client(true);
    each_request(send_variants, client);
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

static void send_elsewhere(struct fil_sim_client *client, uint32_t number,
                           const struct fil_wire_handler *handler)
{
    static const int32_t places[] = {-1, (int32_t)PARTITION_COUNT, INT32_MAX, INT32_MIN};
    if (handler->kind != FIL_WIRE_SERVE_PARTITION && handler->kind != FIL_WIRE_SERVE_WAITING) {
        return;
    }
    const struct fil_wire_message *known = fil_wire_message_find(number);
    for (size_t i = 0; i < FIL_COUNT_OF(places); i++) {
        wire_sample_reset(&sample);
        void *fields = wire_sample_fields(&sample, known->request);
        struct fil_bytes message = wire_sample_encode(&sample, known->request, fields);
        add_request(message, 7, places[i], last_frame(message, message.size));
    }
    struct fil_bytes received = send_all(client);
    struct fil_bytes message;
    for (size_t i = 0; i < FIL_COUNT_OF(places); i++) {
        assert_true(take_message(&received, &message));
        assert_int_equal(fil_load_u32_le(message.data + 6), 0);
    }
}

static void test_partitions_that_there_are_not_are_refused(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_client(true);
    each_request(send_elsewhere, client);
    assert_int_equal(client->state, FIL_SIM_CLIENT_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_strangers_are_refused, set_up_sample,
                                        tear_down_sample),
        cmocka_unit_test_setup_teardown(test_requests_without_fields_are_answered, set_up_sample,
                                        tear_down_sample),
        cmocka_unit_test_setup_teardown(test_cut_off_requests_and_nulls_are_answered, set_up_sample,
                                        tear_down_sample),
        cmocka_unit_test_setup_teardown(test_partitions_that_there_are_not_are_refused,
                                        set_up_sample, tear_down_sample),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
