// SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "lib/base/writer.h"

#define EVENTS_PER_TURN 128
#define GAP_FACTOR      4U
#define GREETING_BYTES  1024U

// What is due shortly before the end of an open loop may leave so much later; what a server that is
// too slow has kept waiting for longer never leaves.
#define GRACE_NS UINT64_C(100000000)

/** Replies of one receive that were due together and so took the same time. */
struct streak {
    uint64_t due_ns;
    uint32_t group;
    uint32_t count;
};

/** What one receive has brought. */
struct reception {
    uint64_t now_ns;
    uint32_t count; // replies
    uint32_t counted;
    struct streak streak;
};

static int fail(struct load_generator *generator, int code, const char *format, ...)
    FIL_PRINTF(3, 4);

/** Keeps the first failure. */
static int fail(struct load_generator *generator, int code, const char *format, ...)
{
    fil_assert(code < 0);
    struct load_failure *failure = &generator->failure;
    if (failure->code != FIL_OK) {
        return failure->code;
    }
    failure->code = code;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(failure->text, sizeof(failure->text), format, arguments);
    va_end(arguments);
    return code;
}

static int fail_connection(struct load_generator *generator, int code)
{
    return code == FIL_E_CLOSED
               ? fail(generator, code, "the server closed a connection after %llu replies",
                      (unsigned long long)fil_counter_read(&generator->figures.replies))
               : fail(generator, code, "%s", fil_error_text(code));
}

static int open_clients(struct load_generator *generator, const struct fil_address *address,
                        uint32_t count)
{
    struct fil_env *env = generator->env;
    char text[FIL_ADDRESS_TEXT_MAX];
    for (uint32_t i = 0; i < count; i++) {
        int error = load_client_open(&generator->clients[i], env, generator->poller, address);
        if (error == FIL_E_CLOSED) {
            return fail(generator, error, "nobody takes connections at %s",
                        fil_address_format(address, text));
        }
        if (error != FIL_OK) {
            return fail(generator, error, "cannot open connection %u: %s", i + 1,
                        fil_error_text(error));
        }
        generator->client_count++;
    }
    return FIL_OK;
}

/** A connection is made, or refused. */
static int settle(struct load_generator *generator, struct load_client *client, uint32_t ready)
{
    struct fil_env *env = generator->env;
    if ((ready & FIL_POLL_ERROR) != 0) {
        return FIL_E_CLOSED;
    }
    if (client->is_connected || (ready & FIL_POLL_WRITE) == 0) {
        return 0;
    }
    client->is_connected = true;
    int error = env->ops->poller_change(env, generator->poller, client->fd, FIL_POLL_READ, client);
    return error == FIL_OK ? 1 : error;
}

static int wait_for_connections(struct load_generator *generator, const struct fil_address *address)
{
    struct fil_env *env = generator->env;
    struct fil_poll_event events[EVENTS_PER_TURN];
    char text[FIL_ADDRESS_TEXT_MAX];
    uint64_t end_ns = fil_env_now_ns(env) + LOAD_CONNECT_LIMIT_NS;
    uint32_t made = 0;
    while (made < generator->client_count) {
        uint64_t now_ns = fil_env_now_ns(env);
        if (now_ns >= end_ns) {
            return fail(generator, FIL_E_TIMEOUT, "%s took %u of %u connections within %u s",
                        fil_address_format(address, text), made, generator->client_count,
                        (unsigned)(LOAD_CONNECT_LIMIT_NS / 1000000000));
        }
        int count = env->ops->poller_wait(env, generator->poller, events, EVENTS_PER_TURN,
                                          (int64_t)(end_ns - now_ns));
        for (int i = 0; i < count; i++) {
            int settled = settle(generator, events[i].context, events[i].ready);
            if (settled < 0) {
                return fail(generator, settled, "nobody takes connections at %s",
                            fil_address_format(address, text));
            }
            made += (uint32_t)settled;
        }
    }
    return FIL_OK;
}

int load_generator_open(struct load_generator *generator, struct fil_env *env,
                        const struct fil_address *address, uint32_t connection_count)
{
    fil_assert(connection_count > 0);
    *generator = (struct load_generator){.env = env, .protocol = &load_protocol_resp};
    generator->clients = fil_alloc_zero(connection_count, sizeof(*generator->clients));
    generator->buffer = fil_alloc(LOAD_RECEIVE_BYTES);
    if (generator->clients == NULL || generator->buffer == NULL) {
        return fail(generator, FIL_E_NOMEM, "%s", fil_error_text(FIL_E_NOMEM));
    }
    int error = env->ops->poller_new(env, &generator->poller);
    if (error != FIL_OK) {
        return fail(generator, error, "%s", fil_error_text(error));
    }
    error = open_clients(generator, address, connection_count);
    return error == FIL_OK ? wait_for_connections(generator, address) : error;
}

static void free_rings(struct load_generator *generator)
{
    fil_free(generator->pending);
    fil_free(generator->expected);
    generator->pending = NULL;
    generator->expected = NULL;
}

void load_generator_close(struct load_generator *generator)
{
    for (uint32_t i = 0; i < generator->client_count; i++) {
        load_client_close(&generator->clients[i], generator->env, generator->poller);
    }
    if (generator->poller != NULL) {
        generator->env->ops->poller_free(generator->env, generator->poller);
    }
    free_rings(generator);
    fil_free(generator->clients);
    fil_free(generator->buffer);
    generator->clients = NULL;
    generator->client_count = 0;
    generator->buffer = NULL;
    generator->poller = NULL;
}

static int make_rings(struct load_generator *generator, uint32_t pipeline)
{
    fil_assert(pipeline > 0 && pipeline <= LOAD_PIPELINE_MAX);
    uint32_t size = 1;
    // Answers in any order leave gaps, which must not stop the next requests.
    uint32_t wanted = generator->protocol->is_numbered ? pipeline * GAP_FACTOR : pipeline;
    while (size < wanted) {
        size *= 2;
    }
    free_rings(generator);
    generator->pending =
        fil_alloc_zero((size_t)generator->client_count * size, sizeof(struct load_pending));
    generator->expected = fil_alloc_zero(pipeline, sizeof(struct load_expected));
    if (generator->pending == NULL || generator->expected == NULL) {
        return fail(generator, FIL_E_NOMEM, "%s", fil_error_text(FIL_E_NOMEM));
    }
    for (uint32_t i = 0; i < generator->client_count; i++) {
        struct load_client *client = &generator->clients[i];
        fil_assert(client->in_flight == 0);
        client->pending = generator->pending + (size_t)i * size;
        client->pending_mask = size - 1;
        client->first = 0;
        client->span = 0;
    }
    return FIL_OK;
}

static void reset_figures(struct load_figures *figures)
{
    memset(figures, 0, sizeof(*figures));
    for (uint32_t i = 0; i < LOAD_GROUPS; i++) {
        fil_histogram_init(&figures->latency_ns[i]);
    }
    fil_histogram_init(&figures->refused_ns);
    fil_histogram_init(&figures->lag_ns);
}

static bool is_open_loop(const struct load_generator *generator)
{
    return generator->plan.interval_ns > 0;
}

static bool may_send(const struct load_generator *generator, uint64_t now_ns)
{
    return !generator->is_ending && generator->left_count > 0 && now_ns < generator->end_ns &&
           (!is_open_loop(generator) || load_arrivals_has_next(&generator->arrivals));
}

/** The next request leaves now; returns since when its latency counts. */
static uint64_t take_due(struct load_generator *generator, uint64_t now_ns)
{
    if (!is_open_loop(generator)) {
        return now_ns;
    }
    uint64_t due_ns = load_arrivals_take(&generator->arrivals);
    if (due_ns >= generator->counted_ns) {
        fil_histogram_record(&generator->figures.lag_ns, now_ns > due_ns ? now_ns - due_ns : 0);
    }
    return due_ns;
}

/** Gives each request of the batch its number; the bytes are the source's own. */
static void stamp_batch(const struct load_generator *generator, const struct load_client *client,
                        const struct load_batch *batch)
{
    uint8_t *request = (uint8_t *)(uintptr_t)batch->bytes.data;
    uint32_t number = client->first + client->span;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct load_expected *expected = &generator->expected[i];
        fil_store_u64_le(request + expected->stamp, number + i);
        request += expected->size;
    }
    fil_assert(request == batch->bytes.data + batch->bytes.size);
}

/** Sends up to limit requests over the connection; returns how many. */
static uint32_t send_batch(struct load_generator *generator, struct load_client *client,
                           uint32_t limit, uint64_t now_ns)
{
    uint32_t most = limit < generator->left_count ? limit : (uint32_t)generator->left_count;
    const struct load_source *source = &generator->plan.source;
    struct load_batch batch;
    source->next(source->context, most, generator->expected, &batch);
    fil_assert(batch.count > 0 && batch.count <= most);
    if (generator->in_flight == 0) {
        generator->last_ns = now_ns; // nothing was to come before
    }
    if (generator->protocol->is_numbered) {
        stamp_batch(generator, client, &batch);
    }
    for (uint32_t i = 0; i < batch.count; i++) {
        load_client_push(client, (struct load_pending){.due_ns = take_due(generator, now_ns),
                                                       .expected = generator->expected[i]});
    }
    generator->in_flight += batch.count;
    generator->left_count -= generator->left_count == LOAD_ALL ? 0 : batch.count;
    fil_counter_add(&generator->figures.sent_bytes, batch.bytes.size);
    int error = load_client_send(client, generator->env, generator->poller, batch.bytes);
    if (error != FIL_OK) {
        (void)fail_connection(generator, error);
    }
    return batch.count;
}

static uint32_t room_of(const struct load_generator *generator, const struct load_client *client)
{
    uint32_t room = generator->plan.pipeline - client->in_flight;
    uint32_t gap_room = client->pending_mask + 1 - client->span;
    return load_client_has_rest(client) ? 0 : (room < gap_room ? room : gap_room);
}

/** The next connection in turn that waits for nothing, or else one with room; NULL: none has. */
static struct load_client *choose_client(struct load_generator *generator)
{
    struct load_client *chosen = NULL;
    uint32_t count = generator->client_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (generator->next_client + i) % count;
        struct load_client *client = &generator->clients[index];
        if (room_of(generator, client) == generator->plan.pipeline) {
            generator->next_client = (index + 1) % count;
            return client;
        }
        if (chosen == NULL && room_of(generator, client) > 0) {
            chosen = client;
        }
    }
    if (chosen != NULL) {
        generator->next_client = (uint32_t)(chosen - generator->clients + 1) % count;
    }
    return chosen;
}

/** Open loop: sends what is due, as far as the connections have room. */
static void send_due(struct load_generator *generator, uint64_t now_ns)
{
    uint64_t room = (uint64_t)generator->client_count * generator->plan.pipeline;
    while (generator->failure.code == FIL_OK && may_send(generator, now_ns) &&
           generator->in_flight < room) {
        uint32_t due = load_arrivals_count(&generator->arrivals, now_ns);
        struct load_client *client = due > 0 ? choose_client(generator) : NULL;
        if (client == NULL) {
            return;
        }
        // One at a time as long as connections are idle; what piles up leaves together.
        uint32_t limit = due <= generator->client_count ? 1 : room_of(generator, client);
        (void)send_batch(generator, client, limit < due ? limit : due, now_ns);
    }
}

static void flush_streak(struct load_generator *generator, struct streak *streak, uint64_t now_ns)
{
    if (streak->count > 0) {
        // A request may be due a moment after the clock was read for it.
        uint64_t latency_ns = now_ns > streak->due_ns ? now_ns - streak->due_ns : 0;
        uint64_t deadline_ns = generator->plan.deadline_ns;
        fil_histogram_record_many(&generator->figures.latency_ns[streak->group], latency_ns,
                                  streak->count);
        if (deadline_ns > 0 && latency_ns > deadline_ns) {
            fil_counter_add(&generator->figures.late, streak->count);
        }
        streak->count = 0;
    }
}

static void count_latency(struct load_generator *generator, struct streak *streak,
                          const struct load_pending *pending, uint64_t now_ns)
{
    if (pending->due_ns != streak->due_ns || pending->expected.group != streak->group) {
        flush_streak(generator, streak, now_ns);
        streak->due_ns = pending->due_ns;
        streak->group = pending->expected.group;
    }
    streak->count++;
}

static int judge(struct load_generator *generator, const struct load_client *client,
                 const struct load_reply *reply, const struct load_expected *expected)
{
    struct load_figures *figures = &generator->figures;
    if (reply->miss_count > 0) {
        fil_counter_add(&figures->misses, reply->miss_count);
    }
    if (reply->kind == expected->kind && reply->element_count == expected->element_count) {
        return FIL_OK;
    }
    if (reply->kind != '-') {
        return fail(generator, FIL_E_MALFORMED,
                    "a reply begins with '%c' and has %u elements, not '%c' and %u", reply->kind,
                    reply->element_count, expected->kind, expected->element_count);
    }
    if (fil_counter_read(&figures->errors) == 0) {
        memcpy(figures->error_text, client->replies.error_text, sizeof(figures->error_text));
    }
    fil_counter_add(&figures->errors, 1);
    return FIL_OK;
}

/** With a deadline a refusal is an answer of its own kind, not an error. */
static bool take_refusal(struct load_generator *generator, const struct load_reply *reply,
                         uint64_t due_ns, uint64_t now_ns)
{
    if (!reply->is_refusal || generator->plan.deadline_ns == 0) {
        return false;
    }
    fil_counter_add(&generator->figures.refused, 1);
    fil_histogram_record(&generator->figures.refused_ns, now_ns > due_ns ? now_ns - due_ns : 0);
    return true;
}

/** The request that the reply answers. */
static bool match(const struct load_generator *generator, struct load_client *client,
                  const struct load_reply *reply, struct load_pending *out_pending)
{
    if (generator->protocol->is_numbered) {
        return load_client_take_number(client, reply->number, out_pending);
    }
    if (client->in_flight == 0) {
        return false;
    }
    *out_pending = load_client_take(client);
    return true;
}

/** Counts a reply; what was due during the warm-up is only looked at. */
static int take_reply(struct load_generator *generator, struct load_client *client,
                      const struct load_reply *reply, struct reception *reception)
{
    struct load_pending pending;
    if (!match(generator, client, reply, &pending)) {
        return fail(generator, FIL_E_MALFORMED, "the server sent a reply that nobody asked for");
    }
    reception->count++;
    if (pending.due_ns < generator->counted_ns) {
        return FIL_OK;
    }
    reception->counted++;
    if (take_refusal(generator, reply, pending.due_ns, reception->now_ns)) {
        return FIL_OK;
    }
    int error = judge(generator, client, reply, &pending.expected);
    if (error == FIL_OK) {
        count_latency(generator, &reception->streak, &pending, reception->now_ns);
    }
    return error;
}

/** Takes the replies in the bytes off the connection's requests. */
static int take_replies(struct load_generator *generator, struct load_client *client,
                        struct fil_bytes bytes, struct reception *reception)
{
    struct load_reply reply;
    int result = 0;
    while ((result = generator->protocol->next(&client->replies, &bytes, &reply)) == 1) {
        int error = take_reply(generator, client, &reply, reception);
        if (error != FIL_OK) {
            return error;
        }
    }
    flush_streak(generator, &reception->streak, reception->now_ns);
    return result == 0 ? FIL_OK
                       : fail(generator, FIL_E_MALFORMED, "the server sent what is no reply of %s",
                              generator->protocol->name);
}

static void receive(struct load_generator *generator, struct load_client *client)
{
    struct fil_env *env = generator->env;
    int64_t size = env->ops->receive(env, client->fd, generator->buffer, LOAD_RECEIVE_BYTES);
    if (size <= 0) {
        if (size != FIL_E_AGAIN) {
            (void)fail_connection(generator, size == 0 ? FIL_E_CLOSED : (int)size);
        }
        return;
    }
    struct reception reception = {.now_ns = fil_env_now_ns(env)};
    generator->last_ns = reception.now_ns;
    fil_counter_add(&generator->figures.received_bytes, (uint64_t)size);
    int error = take_replies(generator, client, fil_bytes_make(generator->buffer, (size_t)size),
                             &reception);
    fil_counter_add(&generator->figures.replies, reception.counted);
    generator->in_flight -= reception.count;
    bool is_free = error == FIL_OK && reception.count > 0 &&
                   room_of(generator, client) == generator->plan.pipeline;
    if (is_free && !is_open_loop(generator) && may_send(generator, reception.now_ns)) {
        (void)send_batch(generator, client, generator->plan.pipeline, reception.now_ns);
    }
}

static void serve(struct load_generator *generator, struct load_client *client, uint32_t ready)
{
    if ((ready & FIL_POLL_WRITE) != 0 && load_client_has_rest(client)) {
        int error = load_client_resume(client, generator->env, generator->poller);
        if (error != FIL_OK) {
            (void)fail_connection(generator, error);
            return;
        }
    }
    if ((ready & (FIL_POLL_READ | FIL_POLL_ERROR)) != 0) {
        receive(generator, client);
    }
}

static void set_clock(struct load_generator *generator, const struct load_plan *plan)
{
    bool is_open = is_open_loop(generator);
    uint64_t warmup_ns = is_open ? plan->warmup_ns : 0;
    generator->begin_ns = fil_env_now_ns(generator->env);
    generator->last_ns = generator->begin_ns;
    generator->counted_ns = generator->begin_ns + warmup_ns;
    generator->end_ns = UINT64_MAX;
    if (plan->duration_ns > 0) {
        generator->end_ns = generator->counted_ns + plan->duration_ns + (is_open ? GRACE_NS : 0);
    }
    load_arrivals_init(&generator->arrivals, generator->begin_ns,
                       plan->duration_ns > 0 ? warmup_ns + plan->duration_ns : 0,
                       plan->interval_ns);
    if (plan->is_random) {
        load_arrivals_scatter(&generator->arrivals, plan->seed);
    }
}

int load_generator_begin(struct load_generator *generator, const struct load_plan *plan)
{
    generator->plan = *plan;
    generator->is_ending = false;
    generator->left_count = plan->request_count;
    generator->in_flight = 0;
    reset_figures(&generator->figures);
    int error = make_rings(generator, plan->pipeline);
    if (error != FIL_OK) {
        return error;
    }
    set_clock(generator, plan);
    uint64_t now_ns = generator->begin_ns;
    for (uint32_t i = 0; !is_open_loop(generator) && i < generator->client_count; i++) {
        if (generator->failure.code == FIL_OK && may_send(generator, now_ns)) {
            (void)send_batch(generator, &generator->clients[i], plan->pipeline, now_ns);
            now_ns = fil_env_now_ns(generator->env);
        }
    }
    return generator->failure.code;
}

/** From when on nobody waits for answers any more; UINT64_MAX: until they come. */
static uint64_t lost_from_ns(const struct load_generator *generator)
{
    bool is_limited = generator->plan.deadline_ns > 0 && generator->end_ns != UINT64_MAX;
    return is_limited ? generator->end_ns + generator->plan.deadline_ns : UINT64_MAX;
}

/** Counts what is in flight as lost. The connections are of no use for another run. */
static void give_up(struct load_generator *generator)
{
    for (uint32_t i = 0; i < generator->client_count; i++) {
        const struct load_client *client = &generator->clients[i];
        for (uint32_t k = 0; k < client->span; k++) {
            const struct load_pending *pending =
                &client->pending[(client->first + k) & client->pending_mask];
            bool is_lost = !pending->is_done && pending->due_ns >= generator->counted_ns;
            fil_counter_add(&generator->figures.lost, is_lost);
        }
    }
    generator->in_flight = 0;
}

/** How long there is nothing to do but to receive. */
static uint64_t wait_ns(const struct load_generator *generator, uint64_t now_ns)
{
    uint64_t lost_ns = lost_from_ns(generator);
    uint64_t until_ns = lost_ns == UINT64_MAX ? generator->last_ns + LOAD_PATIENCE_NS : lost_ns;
    uint64_t room = (uint64_t)generator->client_count * generator->plan.pipeline;
    if (is_open_loop(generator) && may_send(generator, now_ns) && generator->in_flight < room) {
        uint64_t due_ns = load_arrivals_next_ns(&generator->arrivals);
        until_ns = generator->in_flight == 0 || due_ns < until_ns ? due_ns : until_ns;
    }
    return until_ns > now_ns ? until_ns - now_ns : 0;
}

static bool is_stuck(const struct load_generator *generator, uint64_t now_ns)
{
    return generator->in_flight > 0 && lost_from_ns(generator) == UINT64_MAX &&
           now_ns - generator->last_ns >= LOAD_PATIENCE_NS;
}

bool load_generator_cycle(struct load_generator *generator)
{
    struct fil_env *env = generator->env;
    struct fil_poll_event events[EVENTS_PER_TURN];
    uint64_t now_ns = fil_env_now_ns(env);
    if (is_open_loop(generator)) {
        send_due(generator, now_ns);
    }
    if (now_ns >= lost_from_ns(generator)) {
        give_up(generator);
    }
    bool is_over =
        generator->in_flight == 0 && !(is_open_loop(generator) && may_send(generator, now_ns));
    if (is_over || generator->failure.code != FIL_OK) {
        return false;
    }
    int count = env->ops->poller_wait(env, generator->poller, events, EVENTS_PER_TURN,
                                      (int64_t)wait_ns(generator, now_ns));
    for (int i = 0; i < count && generator->failure.code == FIL_OK; i++) {
        serve(generator, events[i].context, events[i].ready);
    }
    if (count < 0) {
        (void)fail(generator, count, "%s", fil_error_text(count));
    } else if (count == 0 && is_stuck(generator, fil_env_now_ns(env))) {
        (void)fail(generator, FIL_E_TIMEOUT, "no reply for %u s",
                   (unsigned)(LOAD_PATIENCE_NS / 1000000000));
    }
    return generator->failure.code == FIL_OK;
}

void load_generator_end(struct load_generator *generator)
{
    generator->is_ending = true;
}

int load_generator_run(struct load_generator *generator, const struct load_plan *plan)
{
    int error = load_generator_begin(generator, plan);
    while (error == FIL_OK && load_generator_cycle(generator)) {
        error = generator->failure.code;
    }
    return generator->failure.code;
}

uint64_t load_generator_unsent_count(const struct load_generator *generator)
{
    if (!is_open_loop(generator)) {
        return 0;
    }
    uint64_t left = generator->left_count == LOAD_ALL ? 0 : generator->left_count;
    if (generator->plan.duration_ns == 0) {
        return left;
    }
    uint64_t rest = load_arrivals_rest(&generator->arrivals);
    return generator->left_count < rest ? left : rest;
}

/** The greeting of one connection after the other, each as another client. */
struct greeting {
    const struct load_protocol *protocol;
    struct load_requests_options options;
    uint8_t bytes[GREETING_BYTES];
};

static void next_greeting(void *context, uint32_t limit, struct load_expected *out_expected,
                          struct load_batch *out_batch)
{
    struct greeting *greeting = context;
    struct fil_writer writer;
    fil_assert(limit > 0);
    greeting->options.client++;
    fil_writer_init(&writer, greeting->bytes, sizeof(greeting->bytes));
    struct load_shape shape = greeting->protocol->greet(&writer, &greeting->options);
    fil_assert(!writer.is_full);
    out_expected[0] = shape.expected;
    out_expected[0].size = (uint32_t)shape.size;
    *out_batch = (struct load_batch){.bytes = fil_writer_written(&writer), .count = 1};
}

int load_generator_use(struct load_generator *generator, const struct load_protocol *protocol,
                       const struct load_requests_options *options)
{
    struct greeting greeting = {.protocol = protocol, .options = *options};
    generator->protocol = protocol;
    if (protocol->greet == NULL) {
        return FIL_OK;
    }
    int error = load_generator_run(
        generator, &(struct load_plan){.source = {.next = next_greeting, .context = &greeting},
                                       .pipeline = 1,
                                       .request_count = generator->client_count});
    if (error == FIL_OK && fil_counter_read(&generator->figures.errors) > 0) {
        error = fail(generator, FIL_E_DENIED, "the server refused a connection: %s",
                     generator->figures.error_text);
    }
    return error;
}
