// SPDX-License-Identifier: Apache-2.0
/** Who is connected, as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/env.h"
#include "protocol/client/serve/session.h"

#define LINE_BYTES_MAX 1024U
#define WORD_MAX       (2 * FIL_WIRE_NAME_MAX + 1)
#define NS_PER_MS      UINT64_C(1000000)

/** A text of printable characters inside of quotes. */
static const char *quote(const char *text, char out_word[WORD_MAX])
{
    size_t used = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            out_word[used++] = '\\';
        }
        out_word[used++] = *at;
    }
    fil_assert(used < WORD_MAX);
    out_word[used] = '\0';
    return out_word;
}

static int render_one(const struct fil_wire_session *session, bool is_first, fil_wire_sink_fn sink,
                      void *context)
{
    const struct fil_wire_client *client = &session->client;
    uint64_t now_ns = fil_env_now_ns(session->server->options.env);
    char line[LINE_BYTES_MAX];
    char name[WORD_MAX];
    char type[WORD_MAX];
    char version[WORD_MAX];
    char labels[WORD_MAX];
    int size = snprintf(
        line, sizeof(line),
        "%s\n  {\"uuid\": \"%016" PRIx64 "%016" PRIx64 "\", \"name\": \"%s\", \"type\": \"%s\", "
        "\"version\": \"%s\", \"labels\": \"%s\", \"address\": \"%s\", \"connected_ms\": %" PRIu64
        ", \"requests\": %" PRIu64 ", \"listeners\": %u, \"events_lost\": %" PRIu64
        ", \"statistics\": %" PRIu64 "}",
        is_first ? "" : ",", session->client_uuid.high, session->client_uuid.low,
        quote(client->name, name), quote(client->type, type), quote(client->version, version),
        quote(client->labels, labels), client->address, (now_ns - client->connected_ns) / NS_PER_MS,
        fil_counter_read(&session->request_count), (unsigned)session->subscription_count,
        fil_counter_read(&session->events_lost), client->statistics_count);
    fil_assert(size > 0 && (size_t)size < sizeof(line));
    return sink(context, fil_bytes_make(line, (size_t)size));
}

static int render_all(struct fil_wire_server *server, fil_wire_sink_fn sink, void *context)
{
    bool is_first = true;
    int error = FIL_OK;
    fil_list_foreach(link, &server->sessions) {
        const struct fil_wire_session *session =
            FIL_CONTAINER_OF(link, struct fil_wire_session, link);
        if (error == FIL_OK && !session->client_uuid.is_null) {
            error = render_one(session, is_first, sink, context);
            is_first = false;
        }
    }
    return error;
}

int fil_wire_server_render_clients(struct fil_wire_server *server, fil_wire_sink_fn sink,
                                   void *context)
{
    int error = sink(context, fil_bytes_of("["));
    if (error == FIL_OK) {
        fil_mutex_lock(&server->mutex);
        error = render_all(server, sink, context);
        fil_mutex_unlock(&server->mutex);
    }
    return error == FIL_OK ? sink(context, fil_bytes_of("\n]\n")) : error;
}
