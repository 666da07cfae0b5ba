// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes that a member sends, to a C client in a simulation: it loses its connection at worst, its
 * calls end, and all memory comes back.
 *
 * The first byte says when the bytes come (bit 0: after the client was let in) and whose number the
 * first message bears (bits 1 and 2: as it is, the last request's, the views', the near cache's or
 * the entry listener's one), because nobody guesses those. The member is an honest one otherwise.
 */
#include <stdint.h>
#include <string.h>

#include "client/reliable_message.h"
#include "filbert/client.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "tests/unit/client/client_world.h"

#define CORRELATION_AT 10U
#define SIZE_MAX_INPUT 60000U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct client_world world;
static uint32_t ended_count;

static void on_value(void *context, int error, const struct fil_value *value)
{
    (void)context;
    (void)value;
    fil_assert(error <= 0);
    ended_count++;
}

static void on_change(void *context, const struct fil_map_change *change)
{
    (void)context;
    fil_assert(change != NULL);
}

/** A client with a listener, a near cache and a call that nobody answers. */
static void make_busy(struct fake_member *member)
{
    struct fil_subscription *subscription = NULL;
    struct fil_map_subscribe_options options = {.has_values = true, .changed = on_change};
    struct fil_map *map = client_world_map(&world);
    int error = fil_map_subscribe(map, &options, &subscription);
    fil_assert(error == FIL_OK);
    error = fil_map_cache_near(map, NULL);
    fil_assert(error == FIL_OK);
    member->is_mute = true;
    error = fil_map_get_async(map, fil_i32(1), on_value, NULL);
    fil_assert(error == FIL_OK);
    client_world_pass(&world, 10);
}

static void send_bytes(struct fake_member *member, uint8_t flags, struct fil_bytes bytes)
{
    const struct fake_connection *connection = &member->connections[0];
    int64_t numbers[] = {0, connection->last, connection->view, connection->near};
    int64_t number = numbers[(flags >> 1) & 3U];
    uint8_t *copy = fil_alloc(bytes.size + 1);
    fil_assert(copy != NULL);
    memcpy(copy, bytes.data, bytes.size);
    number = (flags & 8U) != 0 && connection->entry != 0 ? connection->entry : number;
    if (number != 0 && bytes.size >= CORRELATION_AT + sizeof(number)) {
        memcpy(copy + CORRELATION_AT, &number, sizeof(number));
    }
    (void)fake_member_send(member, fil_bytes_make(copy, bytes.size));
    fil_free(copy);
}

/** The same bytes as a message of a reliable topic, which any client may have put there. */
static void read_message(struct fil_bytes data)
{
    struct fil_bytes value;
    int64_t time_ms = 0;
    if (fil_reliable_decode(data, &time_ms, &value) == FIL_OK) {
        fil_assert(value.data >= data.data && value.size <= data.size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake_member *member = &world.cluster.members[0];
    if (size < 2 || size > SIZE_MAX_INPUT) {
        return 0;
    }
    bool is_let_in = (data[0] & 1U) != 0;
    read_message(fil_bytes_make(data + 1, size - 1));
    memset(&world, 0, sizeof(world));
    ended_count = 0;
    client_world_prepare(&world, 1);
    member->is_silent = !is_let_in;
    client_world_open(&world, NULL);
    client_world_pass(&world, 10);
    if (is_let_in) {
        make_busy(member);
    }
    send_bytes(member, data[0], fil_bytes_make(data + 1, size - 1));
    client_world_pass(&world, 50);
    client_world_fini(&world);
    fil_assert(ended_count == is_let_in);
    return 0;
}
