// SPDX-License-Identifier: Apache-2.0
/**
 * Load for HTTP servers, and what became of it as one line of JSON.
 *
 *   http-load PORT PATH CONNECTIONS MS closed DEPTH             as fast as answers come
 *   http-load PORT PATH CONNECTIONS MS patient DEPTH            as closed, sleeping in between
 *   http-load PORT PATH CONNECTIONS MS open RATE [DEADLINE_MS]  Poisson arrivals, a deadline
 *   http-load PORT PATH CONNECTIONS MS open RATE:MS,RATE:MS...  the same, one rate after another
 *
 * Open means that arrivals do not wait for answers: latency counts from the moment at which a
 * request was due, also when no connection was free, and a request that is never answered counts as
 * lost. What is due in the first second of an open run warms up and is not counted; the steps of
 * several rates begin after it, and bins then tell, for each 100 ms in which requests were due, how
 * many there were and how many were answered in time. lag is how far the generator itself was
 * behind; a run with a large one is void.
 *
 * HTTP_LOAD_HEADERS in the environment is added to each request, lines ended by \n.
 *
 * One thread, which does not sleep in a closed run, and in an open one wakes a little before the
 * next request is due.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/service/schedule.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/histogram.h"
#include "lib/base/prng.h"
#include "lib/os/address.h"
#include "lib/os/env.h"

#define NS_PER_SECOND  UINT64_C(1000000000)
#define NS_PER_MS      UINT64_C(1000000)
#define DEPTH_MAX      64U
#define BUFFER_BYTES   65536U
#define DUE_MAX        (1U << 20)
#define EVENTS         256U
#define DRAIN_NS       NS_PER_SECOND
#define DEADLINE_NEVER UINT64_MAX
#define WARM_NS        NS_PER_SECOND
#define EARLY_NS       UINT64_C(100000) // before a request is due nobody sleeps

struct connection {
    int fd;
    uint32_t in_flight;
    uint64_t due_ns[DEPTH_MAX]; // of those in flight, a ring
    uint32_t first;
    size_t size; // received and not looked at
    size_t skip; // of a body that is still to come
    uint8_t buffer[BUFFER_BYTES];
};

struct outcome {
    uint64_t sent;
    uint64_t ok; // 200 within the deadline
    uint64_t late;
    uint64_t rejected; // 503
    uint64_t failed;
    struct fil_histogram ok_ns; // all that were answered with 200
    struct fil_histogram rejected_ns;
    struct fil_histogram lag_ns;
};

static struct fil_env *env;
static struct fil_poller *poller;
static struct connection *connections;
static uint32_t connection_count;
static char request_text[512];
static size_t request_size;
static uint32_t depth = 1;
static bool is_open_loop;
static bool is_patient;
static struct schedule schedule;
static uint64_t deadline_ns = DEADLINE_NEVER;
static uint64_t counted_from_ns; // what was due before is not counted
static struct outcome outcome;
static struct fil_prng prng;

// Requests that are due and have no connection yet; connections that have none in flight. The one
// that has been idle for longest is next: a server cuts those that never say anything.
static uint64_t *due;
static uint64_t due_head;
static uint64_t due_tail;
static uint32_t *idle; // a ring
static uint32_t idle_first;
static uint32_t idle_count;

static void die(const char *what)
{
    (void)fprintf(stderr, "http-load: %s\n", what);
    exit(2);
}

static uint64_t number(const char *text)
{
    uint64_t value = 0;
    if (!fil_bytes_to_u64(fil_bytes_of(text), &value)) {
        die("a number is expected");
    }
    return value;
}

static void put_idle(uint32_t index)
{
    idle[(idle_first + idle_count) % connection_count] = index;
    idle_count++;
}

static struct connection *take_idle(void)
{
    struct connection *connection = &connections[idle[idle_first]];
    idle_first = (idle_first + 1) % connection_count;
    idle_count--;
    return connection;
}

static void connect_all(uint16_t port)
{
    struct fil_address address = {.port = port, .ip = {127, 0, 0, 1}};
    connections = fil_alloc_zero(connection_count, sizeof(*connections));
    idle = fil_alloc_zero(connection_count, sizeof(*idle));
    due = fil_alloc_zero(DUE_MAX, sizeof(*due));
    if (connections == NULL || idle == NULL || due == NULL ||
        env->ops->poller_new(env, &poller) != FIL_OK) {
        die("out of memory");
    }
    for (uint32_t i = 0; i < connection_count; i++) {
        struct connection *connection = &connections[i];
        int error = env->ops->connect(env, &address, &connection->fd);
        if ((error != FIL_OK && error != FIL_E_AGAIN) ||
            env->ops->poller_add(env, poller, connection->fd, FIL_POLL_READ, connection) !=
                FIL_OK) {
            die("cannot connect");
        }
        put_idle(i);
    }
}

/** Sends `count` requests that were due then; a connection takes them whole or is broken. */
static void send_requests(struct connection *connection, uint32_t count, uint64_t when_ns)
{
    struct fil_bytes slices[DEPTH_MAX];
    for (uint32_t i = 0; i < count; i++) {
        slices[i] = fil_bytes_make(request_text, request_size);
        connection->due_ns[(connection->first + connection->in_flight + i) % DEPTH_MAX] = when_ns;
    }
    int64_t sent = FIL_E_AGAIN;
    // A connection that is still being made takes nothing for a moment.
    while (sent == FIL_E_AGAIN) {
        sent = env->ops->send(env, connection->fd, slices, count);
    }
    if (sent != (int64_t)(request_size * count)) {
        die("a request was not taken");
    }
    connection->in_flight += count;
    outcome.sent += when_ns >= counted_from_ns ? count : 0;
}

static void note_answer(struct connection *connection, int status, uint64_t now_ns)
{
    uint64_t due_ns = connection->due_ns[connection->first];
    uint64_t took = now_ns - due_ns;
    connection->first = (connection->first + 1) % DEPTH_MAX;
    connection->in_flight--;
    if (due_ns < counted_from_ns) {
        return;
    }
    if (status == 200) {
        fil_histogram_record(&outcome.ok_ns, took);
        outcome.ok += took <= deadline_ns;
        schedule_bin(&schedule, due_ns - counted_from_ns)->ok += took <= deadline_ns;
        outcome.late += took > deadline_ns;
    } else if (status == 503) {
        fil_histogram_record(&outcome.rejected_ns, took);
        outcome.rejected++;
    } else {
        outcome.failed++;
    }
}

static size_t content_length(const uint8_t *head, size_t size)
{
    const uint8_t *found = memmem(head, size, "ontent-Length: ", 15);
    found = found == NULL ? memmem(head, size, "ontent-length: ", 15) : found;
    size_t value = 0;
    for (found = found == NULL ? head + size : found + 15; found < head + size && *found >= '0';
         found++) {
        value = value * 10 + (size_t)(*found - '0');
    }
    return value;
}

/** Takes one answer off the front; returns its size, 0 when its head is not complete. */
static size_t take_answer(struct connection *connection, size_t at, uint64_t now_ns)
{
    const uint8_t *start = connection->buffer + at;
    size_t left = connection->size - at;
    const uint8_t *end = memmem(start, left, "\r\n\r\n", 4);
    if (end == NULL) {
        return 0;
    }
    size_t head = (size_t)(end - start) + 4;
    int status =
        head < 12 ? 0 : (start[9] - '0') * 100 + (start[10] - '0') * 10 + (start[11] - '0');
    size_t size = head + content_length(start, head);
    note_answer(connection, status, now_ns);
    if (size > left) {
        connection->skip = size - left;
        size = left;
    }
    return size;
}

static void take_answers(struct connection *connection, uint64_t now_ns)
{
    size_t at = connection->skip < connection->size ? connection->skip : connection->size;
    connection->skip -= at;
    while (at < connection->size) {
        size_t size = take_answer(connection, at, now_ns);
        if (size == 0) {
            break;
        }
        at += size;
    }
    connection->size -= at;
    memmove(connection->buffer, connection->buffer + at, connection->size);
}

static void receive(struct connection *connection)
{
    int64_t received = env->ops->receive(env, connection->fd, connection->buffer + connection->size,
                                         BUFFER_BYTES - connection->size);
    if (received == FIL_E_AGAIN) {
        return;
    }
    if (received <= 0) {
        die("the server has closed a connection");
    }
    connection->size += (size_t)received;
    uint32_t before = connection->in_flight;
    take_answers(connection, fil_env_now_ns(env));
    if (before > 0 && connection->in_flight == 0) {
        put_idle((uint32_t)(connection - connections));
    }
}

/** Arrivals up to now. */
static double arrive(double next_ns, uint64_t now_ns, uint64_t end_ns)
{
    while (next_ns <= (double)now_ns && next_ns < (double)end_ns) {
        if (due_tail - due_head == DUE_MAX) {
            die("too many requests are due");
        }
        due[due_tail++ % DUE_MAX] = (uint64_t)next_ns;
        if ((uint64_t)next_ns >= counted_from_ns) {
            schedule_bin(&schedule, (uint64_t)next_ns - counted_from_ns)->due++;
        }
        double rate = schedule_rate(&schedule, next_ns - (double)counted_from_ns);
        next_ns += -log(1.0 - fil_prng_real(&prng)) * (double)NS_PER_SECOND / rate;
    }
    return next_ns;
}

static void send_due(uint64_t now_ns)
{
    while (due_head < due_tail && idle_count > 0) {
        uint64_t when_ns = due[due_head++ % DUE_MAX];
        fil_histogram_record(&outcome.lag_ns, now_ns > when_ns ? now_ns - when_ns : 0);
        send_requests(take_idle(), 1, when_ns);
    }
}

static void send_closed(uint64_t now_ns)
{
    while (idle_count > 0) {
        send_requests(take_idle(), depth, now_ns);
    }
}

static void poll_once(int64_t timeout_ns)
{
    struct fil_poll_event events[EVENTS];
    int count = env->ops->poller_wait(env, poller, events, EVENTS, timeout_ns);
    for (int i = 0; i < count; i++) {
        receive(events[i].context);
    }
}

/** How long to wait for answers: until shortly before there is something else to do. */
static int64_t pause_ns(double next_ns, uint64_t now_ns, uint64_t end_ns)
{
    uint64_t until_ns = is_open_loop && next_ns < (double)end_ns ? (uint64_t)next_ns : end_ns;
    bool is_restless = !is_open_loop && !is_patient;
    bool is_soon = until_ns <= now_ns + EARLY_NS;
    return is_restless || is_soon ? 0 : (int64_t)(until_ns - now_ns - EARLY_NS);
}

static double run(uint64_t length_ns)
{
    uint64_t start_ns = fil_env_now_ns(env);
    counted_from_ns = is_open_loop ? start_ns + WARM_NS : start_ns;
    uint64_t end_ns = counted_from_ns + length_ns;
    double next_ns = (double)start_ns;
    uint64_t now_ns = start_ns;
    while (now_ns < end_ns) {
        if (is_open_loop) {
            next_ns = arrive(next_ns, now_ns, end_ns);
            send_due(now_ns);
        } else {
            send_closed(now_ns);
        }
        poll_once(pause_ns(next_ns, now_ns, end_ns));
        now_ns = fil_env_now_ns(env);
    }
    double seconds = (double)(now_ns - counted_from_ns) / (double)NS_PER_SECOND;
    while (idle_count < connection_count && now_ns < end_ns + DRAIN_NS) {
        poll_once((int64_t)NS_PER_MS);
        now_ns = fil_env_now_ns(env);
    }
    return seconds;
}

static double ms(const struct fil_histogram *histogram, double share)
{
    return (double)fil_histogram_quantile(histogram, share) / 1e6;
}

static void report(double seconds)
{
    const struct outcome *o = &outcome;
    uint64_t answered = o->ok + o->late + o->rejected + o->failed;
    uint64_t lost = o->sent - answered + (due_tail - due_head);
    (void)printf("{\"seconds\": %.3f, \"sent\": %" PRIu64 ", \"ok\": %" PRIu64
                 ", \"late\": %" PRIu64 ", \"rejected\": %" PRIu64 ", \"failed\": %" PRIu64
                 ", \"lost\": %" PRIu64
                 ", \"ok_p50_ms\": %.3f, \"ok_p99_ms\": %.3f, \"rejected_p50_ms\": %.3f, "
                 "\"rejected_p99_ms\": %.3f, \"lag_p99_ms\": %.3f",
                 seconds, o->sent, o->ok, o->late, o->rejected, o->failed, lost, ms(&o->ok_ns, 0.5),
                 ms(&o->ok_ns, 0.99), ms(&o->rejected_ns, 0.5), ms(&o->rejected_ns, 0.99),
                 ms(&o->lag_ns, 0.99));
    schedule_print(&schedule, seconds);
}

/** The request with what the environment adds. */
static void write_request(const char *path)
{
    const char *more = getenv("HTTP_LOAD_HEADERS");
    int size = snprintf(request_text, sizeof(request_text),
                        "GET %s HTTP/1.1\r\nHost: localhost\r\n", path);
    for (; more != NULL && *more != '\0' && size < (int)sizeof(request_text) - 4; more++) {
        if (*more == '\n') {
            request_text[size++] = '\r';
        }
        request_text[size++] = *more;
    }
    size += snprintf(request_text + size, sizeof(request_text) - (size_t)size, "\r\n");
    request_size = (size_t)size;
}

static void read_options(int count, char **words)
{
    if (count < 7) {
        die("usage: http-load PORT PATH CONNECTIONS MS closed DEPTH | patient DEPTH | open RATE "
            "[DEADLINE_MS]");
    }
    connection_count = (uint32_t)number(words[3]);
    is_open_loop = strcmp(words[5], "open") == 0;
    is_patient = strcmp(words[5], "patient") == 0;
    if (is_open_loop && !schedule_read(&schedule, words[6])) {
        die("a rate, or RATE:MS,RATE:MS is expected");
    }
    depth = is_open_loop ? 1 : (uint32_t)number(words[6]);
    if (count > 7) {
        deadline_ns = number(words[7]) * NS_PER_MS;
    }
    if (connection_count == 0 || depth == 0 || depth > DEPTH_MAX) {
        die("counts are out of range");
    }
    write_request(words[2]);
}

int main(int count, char **words)
{
    env = fil_env_real();
    read_options(count, words);
    fil_prng_init(&prng, 1);
    fil_histogram_init(&outcome.ok_ns);
    fil_histogram_init(&outcome.rejected_ns);
    fil_histogram_init(&outcome.lag_ns);
    connect_all((uint16_t)number(words[1]));
    report(run(number(words[4]) * NS_PER_MS));
    return 0;
}
