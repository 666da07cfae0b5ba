// SPDX-License-Identifier: Apache-2.0
/**
 * CLIENT LIST and CLIENT INFO. With thousands of clients the list takes many milliseconds: it is
 * made on the generic pool, and under the server's mutex the facts are only copied.
 */
#include <inttypes.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/net/loop.h"
#include "protocol/resp/client_filter.h"
#include "protocol/resp/client_internal.h"
#include "protocol/resp/errand.h"
#include "protocol/resp/reply.h"

#define NS_PER_SECOND  UINT64_C(1000000000)
#define LINE_BYTES_MAX 512U

/** What a line tells of a client. */
struct facts {
    uint64_t id;
    struct fil_address peer;
    int fd;
    uint64_t opened_ns;
    uint64_t active_ns;
    uint32_t version;
    uint32_t database;
    uint32_t topic_count;
    uint64_t lost; // messages of its subscriptions
    const char *last_command;
    char name[FIL_RESP_NAME_MAX];
    char library_name[FIL_RESP_NAME_MAX];
    char library_version[FIL_RESP_NAME_MAX];
};

/** The server's mutex is held. */
static void read_facts(const struct fil_resp_session *session, struct facts *out_facts)
{
    const struct fil_connection *connection = session->connection;
    // Relaxed: figures.
    *out_facts = (struct facts){
        .id = connection->id,
        .peer = connection->peer,
        .fd = connection->fd,
        .opened_ns = connection->opened_ns,
        .active_ns = atomic_load_explicit(&session->active_ns, memory_order_relaxed),
        .version = atomic_load_explicit(&session->version, memory_order_relaxed),
        .database = atomic_load_explicit(&session->database, memory_order_relaxed),
        .topic_count = atomic_load_explicit(&session->topic_count, memory_order_relaxed),
        .last_command = atomic_load_explicit(&session->last_command, memory_order_relaxed),
    };
    if (session->subscriber != NULL) {
        out_facts->lost = fil_counter_read(&session->subscriber->lost);
    }
    memcpy(out_facts->name, session->name, sizeof(out_facts->name));
    memcpy(out_facts->library_name, session->library_name, sizeof(out_facts->library_name));
    memcpy(out_facts->library_version, session->library_version,
           sizeof(out_facts->library_version));
}

static uint64_t seconds_since(uint64_t then_ns, uint64_t now_ns)
{
    return now_ns > then_ns ? (now_ns - then_ns) / NS_PER_SECOND : 0;
}

static void describe(const struct facts *facts, uint64_t now_ns, struct fil_writer *line)
{
    char peer[FIL_ADDRESS_TEXT_MAX];
    fil_writer_format(line,
                      "id=%" PRIu64 " addr=%s fd=%d name=%s age=%" PRIu64 " idle=%" PRIu64
                      " flags=%c db=%u sub=%u lost=%" PRIu64
                      " cmd=%s user=default resp=%u lib-name=%s lib-ver=%s\n",
                      facts->id, fil_address_format(&facts->peer, peer), facts->fd, facts->name,
                      seconds_since(facts->opened_ns, now_ns),
                      seconds_since(facts->active_ns, now_ns), facts->topic_count > 0 ? 'P' : 'N',
                      facts->database, facts->topic_count, facts->lost, facts->last_command,
                      facts->version, facts->library_name, facts->library_version);
}

void fil_resp__client_info(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    (void)command;
    char text[LINE_BYTES_MAX];
    struct fil_writer line;
    struct facts facts;
    fil_writer_init(&line, text, sizeof(text));
    fil_mutex_lock(&session->server->mutex);
    read_facts(session, &facts);
    fil_mutex_unlock(&session->server->mutex);
    describe(&facts, fil_env_now_ns(session->server->options.env), &line);
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&line));
}

/** How many clients there are; the server's mutex is held. */
static size_t count_clients(const struct fil_resp_server *server)
{
    size_t count = 0;
    fil_list_foreach(link, &server->sessions) {
        count++;
    }
    return count;
}

/** The facts of those that the filter is for, to be freed; NULL when memory is out. */
static struct facts *gather(struct fil_resp_server *server,
                            const struct fil_resp_client_filter *filter, size_t *out_count)
{
    size_t count = 0;
    fil_mutex_lock(&server->mutex);
    struct facts *facts = fil_alloc((count_clients(server) + 1) * sizeof(*facts));
    if (facts != NULL) {
        fil_list_foreach(link, &server->sessions) {
            struct fil_resp_session *other = FIL_CONTAINER_OF(link, struct fil_resp_session, link);
            if (fil_resp_client_filter_matches(filter, other)) {
                read_facts(other, &facts[count]);
                count++;
            }
        }
    }
    fil_mutex_unlock(&server->mutex);
    *out_count = count;
    return facts;
}

/** The lines of all of them as one text; false when memory is out. */
static bool reply_lines(const struct fil_resp_session *session, const struct facts *facts,
                        size_t count, struct fil_output *output)
{
    size_t size = (count + 1) * LINE_BYTES_MAX;
    char *text = fil_alloc(size);
    if (text == NULL) {
        return false;
    }
    struct fil_writer writer;
    uint64_t now_ns = fil_env_now_ns(session->server->options.env);
    fil_writer_init(&writer, text, size);
    for (size_t i = 0; i < count; i++) {
        describe(&facts[i], now_ns, &writer);
    }
    fil_resp_verbatim(output, fil_resp_version(session), fil_writer_written(&writer));
    fil_free(text);
    return true;
}

static void list_clients(struct fil_resp_session *session, const struct fil_resp_command *command,
                         struct fil_output *output)
{
    struct fil_resp_client_filter filter;
    if (!fil_resp_client_filter_of_list(command, output, &filter)) {
        return;
    }
    size_t count = 0;
    struct facts *facts = gather(session->server, &filter, &count);
    if (facts == NULL || !reply_lines(session, facts, count, output)) {
        fil_resp_error(output, "ERR %s", fil_error_text(FIL_E_NOMEM));
    }
    fil_free(facts);
}

void fil_resp__client_list(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    fil_resp_errand_run(session, command, list_clients);
}
