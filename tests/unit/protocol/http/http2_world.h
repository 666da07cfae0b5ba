// SPDX-License-Identifier: Apache-2.0
/** A server of HTTP/2 and 1.1 on a simulated network, and frames to send to it. */
#pragma once

#include <string.h>

#include "lib/base/alloc.h"
#include "protocol/http/http2.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND      UINT64_C(1000000000)
#define LARGE_SIZE  200000U
#define GREETING    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\6\4\0\0\0\0\0\0\1\0\0\0\0" // no table
#define END_STREAM  1U
#define END_HEADERS 4U

enum frame_kind {
    FRAME_DATA,
    FRAME_HEADERS,
    FRAME_PRIORITY,
    FRAME_RST_STREAM,
    FRAME_SETTINGS,
    FRAME_PUSH_PROMISE,
    FRAME_PING,
    FRAME_GOAWAY,
    FRAME_WINDOW_UPDATE,
};

static struct net_world world;
static struct fil_service service;
static struct fil_http_server http_server;
static struct fil_http2_server http2_server;
static struct fil_protocol protocols[2];
static struct fil_request *parked; // of the route that answers later

static inline struct fil_reply page_hello(struct fil_request *request)
{
    return fil_reply_text(request, 200, "hello %s\n", fil_header(request, "host", "-"));
}

static inline struct fil_reply page_large(struct fil_request *request)
{
    for (size_t position = 0; position < LARGE_SIZE; position += 1000) {
        uint8_t piece[1000];
        toy_fill(piece, position, sizeof(piece));
        fil_request_add(request, fil_bytes_make(piece, sizeof(piece)));
    }
    return fil_reply_content(200, "application/octet-stream");
}

static inline struct fil_reply page_echo(struct fil_request *request)
{
    size_t size = 0;
    const void *body = fil_body(request, &size);
    return fil_reply_bytes(200, "text/plain", body, size);
}

static inline struct fil_reply page_later(struct fil_request *request)
{
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER) {
        fil_assert(parked == NULL);
        parked = request;
    }
    return later;
}

/** Counts what it reads, on the loop. */
static inline void count_body(struct fil_request *request, void *context)
{
    static size_t total;
    (void)context;
    char room[1000];
    size_t size = 0;
    int error = fil_body_read(request, room, sizeof(room), &size);
    while (error == FIL_OK && size > 0) {
        total += size;
        error = fil_body_read(request, room, sizeof(room), &size);
    }
    if (error != FIL_E_AGAIN) {
        size_t counted = total;
        total = 0;
        fil_request_complete(request, error == FIL_OK ? fil_reply_text(request, 200, "%zu", counted)
                                                      : fil_reply_error(request, error));
    }
}

static inline struct fil_reply page_count(struct fil_request *request)
{
    struct fil_reply later = fil_reply_later(request);
    if (later.status == FIL_REPLY_LATER && fil_body_watch(request, count_body, NULL) != FIL_OK) {
        fil_request_complete(request, fil_reply_error(request, FIL_E_INVALID));
    }
    return later;
}

static inline void add_route(const char *pattern, fil_handler_fn handler, bool is_streamed)
{
    struct fil_route_options options = {.body_bytes_max = is_streamed ? 1U << 20 : 64,
                                        .streams_body = is_streamed};
    int error = fil_service_route(&service, pattern, handler, &options, NULL);
    fil_assert(error == FIL_OK);
}

static inline void open_world(void) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor))
{
    parked = NULL;
    net_world_init(&world);
    http_server = (struct fil_http_server){
        .env = &world.sim.env, .service = &service, .budget = &world.budget};
    http2_server = (struct fil_http2_server){.http = &http_server};
    protocols[0] = (struct fil_protocol){&fil_http2_protocol, &http2_server};
    protocols[1] = (struct fil_protocol){&fil_http_protocol, &http_server};
    world.protocols = protocols;
    world.protocol_count = FIL_COUNT_OF(protocols);
    world.client_options.receive_bytes_max = 1U << 20;
    net_world_must_open(&world);
    fil_service_init(&service,
                     &(struct fil_service_options){.env = &world.sim.env, .budget = &world.budget});
    add_route("GET /hello", page_hello, false);
    add_route("GET /large", page_large, false);
    add_route("POST /echo", page_echo, false);
    add_route("GET /later", page_later, false);
    add_route("POST /count", page_count, true);
    int error = fil_service_open(&service);
    fil_assert(error == FIL_OK);
}

static inline void close_world(void)
{
    fil_alloc_fail_after(-1);
    if (parked != NULL) {
        fil_request_complete(parked, (struct fil_reply){.status = 204});
        parked = NULL;
    }
    net_world_close(&world);
    fil_service_fini(&service);
}

// Frames.

static inline void send_frame(struct fil_sim_client *client, enum frame_kind kind, unsigned flags,
                              uint32_t stream, struct fil_bytes payload)
{
    uint8_t head[9] = {(uint8_t)(payload.size >> 16),
                       (uint8_t)(payload.size >> 8),
                       (uint8_t)payload.size,
                       (uint8_t)kind,
                       (uint8_t)flags,
                       (uint8_t)(stream >> 24),
                       (uint8_t)(stream >> 16),
                       (uint8_t)(stream >> 8),
                       (uint8_t)stream};
    fil_sim_client_send(client, fil_bytes_make(head, sizeof(head)));
    if (payload.size > 0) {
        fil_sim_client_send(client, payload);
    }
}

static inline struct fil_sim_client *greet(void)
{
    struct fil_sim_client *client = net_world_client(&world);
    fil_sim_client_send(client, fil_bytes_make(GREETING, sizeof(GREETING) - 1));
    return client;
}

/** A request without further headers; flags: whether a body follows. */
static inline void ask(struct fil_sim_client *client, uint32_t stream, const char *method,
                       const char *path, unsigned flags)
{
    uint8_t block[256];
    size_t size = 0;
    const char *const fields[][2] = {
        {":method", method}, {":scheme", "http"}, {":path", path}, {":authority", "x"}};
    for (size_t i = 0; i < FIL_COUNT_OF(fields); i++) {
        block[size++] = 0;
        for (size_t j = 0; j < 2; j++) {
            size_t length = strlen(fields[i][j]);
            block[size++] = (uint8_t)length;
            memcpy(block + size, fields[i][j], length);
            size += length;
        }
    }
    send_frame(client, FRAME_HEADERS, END_HEADERS | flags, stream, fil_bytes_make(block, size));
}
