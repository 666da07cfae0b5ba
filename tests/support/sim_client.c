// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sim_client.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"

#define BYTES_DEFAULT 65536U

int fil_sim_client_init(struct fil_sim_client *client, struct fil_sim *sim, const char *name,
                        const struct fil_sim_client_options *options)
{
    fil_assert(name != NULL);
    memset(client, 0, sizeof(*client));
    client->sim = sim;
    client->name = name;
    client->fd = -1;
    client->is_reading = true;
    fil_sim_timer_init(&client->timer);
    if (options != NULL) {
        client->options = *options;
    }
    if (client->options.send_bytes_max == 0) {
        client->options.send_bytes_max = BYTES_DEFAULT;
    }
    if (client->options.receive_bytes_max == 0) {
        client->options.receive_bytes_max = BYTES_DEFAULT;
    }

    size_t send_max = client->options.send_bytes_max;
    size_t receive_max = client->options.receive_bytes_max;
    client->memory = fil_alloc(send_max + 2 * receive_max);
    if (client->memory == NULL) {
        return FIL_E_NOMEM;
    }
    client->script = client->memory;
    client->received = client->memory + send_max;
    client->expected = client->received + receive_max;
    return FIL_OK;
}

void fil_sim_client_fini(struct fil_sim_client *client)
{
    fil_sim_timer_cancel(&client->timer);
    if (client->fd >= 0) {
        client->sim->env.ops->close(&client->sim->env, client->fd);
    }
    client->fd = -1;
    fil_free(client->memory);
    client->memory = NULL;
}

// The script.

static void add_step(struct fil_sim_client *client, struct fil_sim_step step)
{
    fil_assert(client->step_count < FIL_SIM_CLIENT_STEPS_MAX);
    client->steps[client->step_count] = step;
    client->step_count++;
}

static void add_plain(struct fil_sim_client *client, enum fil_sim_step_kind kind, uint64_t value)
{
    add_step(client, (struct fil_sim_step){.kind = kind, .value = value});
}

void fil_sim_client_connect(struct fil_sim_client *client, const struct fil_address *address)
{
    add_step(client, (struct fil_sim_step){.kind = FIL_SIM_STEP_CONNECT, .address = *address});
}

void fil_sim_client_send(struct fil_sim_client *client, struct fil_bytes bytes)
{
    fil_assert(bytes.size > 0);
    fil_assert(bytes.size <= client->options.send_bytes_max - client->script_size);
    memcpy(client->script + client->script_size, bytes.data, bytes.size);
    client->script_size += bytes.size;
    // The step is done when everything up to here was sent.
    add_plain(client, FIL_SIM_STEP_SEND, client->script_size);
}

void fil_sim_client_pause(struct fil_sim_client *client, uint64_t elapsed_ns)
{
    add_plain(client, FIL_SIM_STEP_PAUSE, elapsed_ns);
}

void fil_sim_client_pause_until(struct fil_sim_client *client, uint64_t at_ns)
{
    add_plain(client, FIL_SIM_STEP_PAUSE_UNTIL, at_ns);
}

void fil_sim_client_await(struct fil_sim_client *client, uint64_t byte_count)
{
    fil_assert(byte_count <= client->options.receive_bytes_max);
    add_plain(client, FIL_SIM_STEP_AWAIT, byte_count);
}

void fil_sim_client_stop_reading(struct fil_sim_client *client)
{
    add_plain(client, FIL_SIM_STEP_STOP_READING, 0);
}

void fil_sim_client_start_reading(struct fil_sim_client *client)
{
    add_plain(client, FIL_SIM_STEP_START_READING, 0);
}

void fil_sim_client_finish(struct fil_sim_client *client)
{
    add_plain(client, FIL_SIM_STEP_FINISH, 0);
}

void fil_sim_client_close(struct fil_sim_client *client)
{
    add_plain(client, FIL_SIM_STEP_CLOSE, 0);
}

void fil_sim_client_reset(struct fil_sim_client *client)
{
    add_plain(client, FIL_SIM_STEP_RESET, 0);
}

void fil_sim_client_vanish(struct fil_sim_client *client)
{
    add_plain(client, FIL_SIM_STEP_VANISH, 0);
}

void fil_sim_client_expect(struct fil_sim_client *client, struct fil_bytes bytes)
{
    fil_assert(bytes.size > 0);
    fil_assert(bytes.size <= client->options.receive_bytes_max - client->expected_size);
    memcpy(client->expected + client->expected_size, bytes.data, bytes.size);
    client->expected_size += bytes.size;
}

// The steps: each returns whether it is done.

static void lose(struct fil_sim_client *client)
{
    if (client->fd >= 0) {
        client->sim->env.ops->close(&client->sim->env, client->fd);
        client->fd = -1;
    }
    client->state = FIL_SIM_CLIENT_LOST;
    client->step_index = client->step_count;
    fil_sim_timer_cancel(&client->timer);
}

static bool connect_now(struct fil_sim_client *client, const struct fil_address *address)
{
    fil_assert(client->state == FIL_SIM_CLIENT_NEW);
    int error = fil_sim_connect(client->sim, client->name, NULL, address, &client->fd);
    fil_assert(error == FIL_OK); // otherwise the options allow too few for this test
    client->state = FIL_SIM_CLIENT_OPEN;
    return true;
}

/** One fragment; *out_moved says whether the network took any of it. */
static bool send_some(struct fil_sim_client *client, uint64_t end, uint32_t *out_moved)
{
    struct fil_env *env = &client->sim->env;
    fil_assert(client->fd >= 0);
    fil_assert(client->sent_size < end);
    uint64_t size = fil_sim_draw(client->sim, client->options.fragment_bytes);
    uint64_t left = end - client->sent_size;
    struct fil_bytes fragment =
        fil_bytes_make(client->script + client->sent_size, size == 0 || size > left ? left : size);
    int64_t sent = env->ops->send(env, client->fd, &fragment, 1);
    if (sent == FIL_E_CLOSED) {
        lose(client);
        return false;
    }
    if (sent > 0) {
        client->sent_size += (size_t)sent;
        *out_moved += 1;
    }
    return client->sent_size == end;
}

static bool pause_until(struct fil_sim_client *client, uint64_t at_ns, uint32_t *out_moved)
{
    if (!fil_list_is_linked(&client->timer.link)) {
        fil_sim_timer_set(client->sim, &client->timer, at_ns);
        *out_moved += 1;
    }
    if (client->timer.at_ns > client->sim->now_ns) {
        return false;
    }
    fil_sim_timer_cancel(&client->timer);
    return true;
}

static bool leave(struct fil_sim_client *client, enum fil_sim_step_kind kind)
{
    fil_assert(client->fd >= 0);
    if (kind == FIL_SIM_STEP_CLOSE) {
        client->sim->env.ops->close(&client->sim->env, client->fd);
    } else if (kind == FIL_SIM_STEP_RESET) {
        fil_sim_reset(client->sim, client->fd);
    } else {
        fil_sim_vanish(client->sim, client->fd);
    }
    client->fd = -1;
    client->state = FIL_SIM_CLIENT_CLOSED;
    return true;
}

static bool do_step(struct fil_sim_client *client, const struct fil_sim_step *step,
                    uint32_t *out_moved)
{
    switch (step->kind) {
    case FIL_SIM_STEP_CONNECT:
        return connect_now(client, &step->address);
    case FIL_SIM_STEP_SEND:
        return send_some(client, step->value, out_moved);
    case FIL_SIM_STEP_PAUSE:
        return pause_until(client, client->sim->now_ns + step->value, out_moved);
    case FIL_SIM_STEP_PAUSE_UNTIL:
        return pause_until(client, step->value, out_moved);
    case FIL_SIM_STEP_AWAIT:
        return client->received_size >= step->value || client->state != FIL_SIM_CLIENT_OPEN;
    case FIL_SIM_STEP_STOP_READING:
    case FIL_SIM_STEP_START_READING:
        client->is_reading = step->kind == FIL_SIM_STEP_START_READING;
        return true;
    case FIL_SIM_STEP_FINISH:
        client->sim->env.ops->finish(&client->sim->env, client->fd);
        return true;
    case FIL_SIM_STEP_CLOSE:
    case FIL_SIM_STEP_RESET:
    case FIL_SIM_STEP_VANISH:
        return leave(client, step->kind);
    }
    return true;
}

static uint32_t follow_script(struct fil_sim_client *client)
{
    if (fil_sim_client_is_done(client)) {
        return 0;
    }
    uint32_t moved = 0;
    if (do_step(client, &client->steps[client->step_index], &moved)) {
        client->step_index++;
        moved++;
    }
    return moved;
}

static uint32_t receive_some(struct fil_sim_client *client)
{
    struct fil_env *env = &client->sim->env;
    size_t room = client->options.receive_bytes_max - client->received_size;
    if (client->state != FIL_SIM_CLIENT_OPEN || !client->is_reading || room == 0) {
        return 0;
    }
    uint64_t size = fil_sim_draw(client->sim, client->options.receive_bytes);
    room = size == 0 ? room : fil_min_size(room, size);
    int64_t count =
        env->ops->receive(env, client->fd, client->received + client->received_size, room);
    if (count == FIL_E_AGAIN) {
        return 0;
    }
    if (count == FIL_E_CLOSED) {
        lose(client);
    } else if (count == 0) {
        client->state = FIL_SIM_CLIENT_ENDED;
    } else {
        fil_assert(count > 0);
        client->received_size += (size_t)count;
    }
    return 1;
}

uint32_t fil_sim_client_cycle(void *context)
{
    struct fil_sim_client *client = context;
    return follow_script(client) + receive_some(client);
}

bool fil_sim_client_is_done(const struct fil_sim_client *client)
{
    fil_assert(client->step_index <= client->step_count);
    return client->step_index == client->step_count;
}

struct fil_bytes fil_sim_client_received(const struct fil_sim_client *client)
{
    return fil_bytes_make(client->received, client->received_size);
}

enum fil_sim_verdict fil_sim_client_verdict(const struct fil_sim_client *client)
{
    if (client->received_size > client->expected_size ||
        memcmp(client->received, client->expected, client->received_size) != 0) {
        return FIL_SIM_VERDICT_WRONG;
    }
    if (client->received_size == client->expected_size) {
        return FIL_SIM_VERDICT_MATCHED;
    }
    switch (client->state) {
    case FIL_SIM_CLIENT_ENDED:
    case FIL_SIM_CLIENT_CLOSED:
        return FIL_SIM_VERDICT_ENDED;
    case FIL_SIM_CLIENT_LOST:
        return FIL_SIM_VERDICT_LOST;
    case FIL_SIM_CLIENT_NEW:
    case FIL_SIM_CLIENT_OPEN:
        break;
    }
    return FIL_SIM_VERDICT_WAITING;
}

bool fil_sim_client_is_settled(const struct fil_sim_client *client)
{
    enum fil_sim_verdict verdict = fil_sim_client_verdict(client);
    return verdict == FIL_SIM_VERDICT_WRONG ||
           (fil_sim_client_is_done(client) && verdict != FIL_SIM_VERDICT_WAITING);
}

const char *fil_sim_verdict_text(enum fil_sim_verdict verdict)
{
    static const char *const texts[] = {"waiting", "matched", "ended", "lost", "wrong"};
    fil_assert((uint32_t)verdict < FIL_COUNT_OF(texts));
    return texts[verdict];
}
