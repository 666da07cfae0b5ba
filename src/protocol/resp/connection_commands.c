// SPDX-License-Identifier: Apache-2.0
/** Commands about the connection itself: PING, ECHO, HELLO, AUTH, SELECT, QUIT, CLIENT. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/cursor.h"
#include "lib/net/loop.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"

#define NS_PER_SECOND         UINT64_C(1000000000)
#define CLIENT_LINE_BYTES_MAX 512U

static bool is_word(const struct fil_resp_command *command, uint32_t index, const char *word)
{
    return index < command->count &&
           fil_bytes_equal_nocase(fil_resp_argument(command, index), fil_bytes_of(word));
}

FIL_RESP_HANDLER(ping)
{
    if (command->count > 2) {
        fil_resp_error(fil_resp_output(session),
                       "ERR wrong number of arguments for 'ping' command");
    } else if (command->count == 2) {
        fil_resp_bulk(fil_resp_output(session), fil_resp_argument(command, 1));
    } else {
        fil_resp_simple(fil_resp_output(session), "PONG");
    }
}

FIL_RESP_HANDLER(echo)
{
    fil_resp_bulk(fil_resp_output(session), fil_resp_argument(command, 1));
}

FIL_RESP_HANDLER(quit)
{
    fil_role_assert_io();
    (void)command;
    fil_resp_simple(fil_resp_output(session), "OK");
    fil_connection_finish(session->connection, FIL_CLOSE_REQUEST);
}

FIL_RESP_HANDLER(select)
{
    int64_t index = 0;
    if (!fil_bytes_to_i64(fil_resp_argument(command, 1), &index)) {
        fil_resp_error(fil_resp_output(session), "ERR value is not an integer or out of range");
    } else if (index != 0) {
        fil_resp_error(fil_resp_output(session), "ERR DB index is out of range");
    } else {
        fil_resp_simple(fil_resp_output(session), "OK");
    }
}

FIL_RESP_HANDLER(auth)
{
    (void)command;
    fil_resp_error(fil_resp_output(session),
                   "ERR AUTH <password> called without any password configured for the default "
                   "user. Are you sure your configuration is correct?");
}

/** Names may hold no blanks or control characters, so that CLIENT LIST can be read back. */
static bool is_name(struct fil_bytes name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] < '!' || name.data[i] > '~') {
            return false;
        }
    }
    return name.size < FIL_RESP_NAME_MAX;
}

static void store_name(struct fil_resp_session *session, char target[FIL_RESP_NAME_MAX],
                       struct fil_bytes name)
{
    fil_mutex_lock(&session->server->mutex);
    memcpy(target, name.data, name.size);
    target[name.size] = '\0';
    fil_mutex_unlock(&session->server->mutex);
}

static void reply_bad_name(struct fil_resp_session *session, const char *what)
{
    fil_resp_error(fil_resp_output(session),
                   "ERR %s cannot contain spaces, newlines or special characters, nor be longer "
                   "than %u bytes.",
                   what, FIL_RESP_NAME_MAX - 1);
}

/** What HELLO asks for besides the version. */
struct hello {
    uint32_t version;
    bool has_name;
    struct fil_bytes name;
};

/** Reads HELLO's arguments; answers what is wrong with them and returns false. */
static bool read_hello(struct fil_resp_session *session, const struct fil_resp_command *command,
                       struct hello *hello)
{
    struct fil_output *output = fil_resp_output(session);
    uint64_t version = 0;
    if (!fil_bytes_to_u64(fil_resp_argument(command, 1), &version)) {
        fil_resp_error(output, "ERR Protocol version is not an integer or out of range");
        return false;
    }
    if (version != 2 && version != 3) {
        fil_resp_error(output, "NOPROTO unsupported protocol version");
        return false;
    }
    hello->version = (uint32_t)version;
    for (uint32_t i = 2; i < command->count; i++) {
        if (is_word(command, i, "auth") && i + 2 < command->count) {
            fil_resp__auth(session, command);
            return false;
        }
        if (!is_word(command, i, "setname") || i + 1 >= command->count) {
            struct fil_bytes word = fil_resp_argument(command, i);
            fil_resp_error(output, "ERR Syntax error in HELLO option '%.*s'",
                           (int)(word.size < 64 ? word.size : 64), (const char *)word.data);
            return false;
        }
        i++;
        hello->has_name = true;
        hello->name = fil_resp_argument(command, i);
        if (!is_name(hello->name)) {
            reply_bad_name(session, "Client names");
            return false;
        }
    }
    return true;
}

static void reply_hello(struct fil_resp_session *session)
{
    struct fil_output *output = fil_resp_output(session);
    int version = fil_resp_version(session);
    fil_resp_map(output, version, 7);
    fil_resp_bulk_text(output, "server");
    fil_resp_bulk_text(output, "redis");
    fil_resp_bulk_text(output, "version");
    fil_resp_bulk_text(output, FIL_RESP_REDIS_VERSION);
    fil_resp_bulk_text(output, "proto");
    fil_resp_integer(output, version);
    fil_resp_bulk_text(output, "id");
    fil_resp_integer(output, (int64_t)session->connection->id);
    fil_resp_bulk_text(output, "mode");
    fil_resp_bulk_text(output, "standalone");
    fil_resp_bulk_text(output, "role");
    fil_resp_bulk_text(output, "master");
    fil_resp_bulk_text(output, "modules");
    fil_resp_array(output, 0);
}

FIL_RESP_HANDLER(hello)
{
    struct hello hello = {.version = (uint32_t)fil_resp_version(session)};
    if (command->count > 1 && !read_hello(session, command, &hello)) {
        return;
    }
    if (hello.has_name) {
        store_name(session, session->name, hello.name);
    }
    // Relaxed: read by this loop, and by lists that want a recent figure.
    atomic_store_explicit(&session->version, hello.version, memory_order_relaxed);
    reply_hello(session);
}

/** One line of CLIENT LIST; the server's mutex is held. */
static void describe(struct fil_resp_session *session, uint64_t now_ns, struct fil_writer *line)
{
    char peer[FIL_ADDRESS_TEXT_MAX];
    uint64_t active_ns = atomic_load_explicit(&session->active_ns, memory_order_relaxed);
    uint64_t idle_ns = now_ns > active_ns ? now_ns - active_ns : 0;
    uint64_t opened_ns = session->connection->opened_ns;
    fil_writer_format(
        line,
        "id=%" PRIu64 " addr=%s fd=%d name=%s age=%" PRIu64 " idle=%" PRIu64
        " flags=N db=0 cmd=%s user=default resp=%u lib-name=%s lib-ver=%s\n",
        session->connection->id, fil_address_format(&session->connection->peer, peer),
        session->connection->fd, session->name,
        now_ns > opened_ns ? (now_ns - opened_ns) / NS_PER_SECOND : 0, idle_ns / NS_PER_SECOND,
        atomic_load_explicit(&session->last_command, memory_order_relaxed),
        (unsigned)fil_resp_version(session), session->library_name, session->library_version);
}

static void client_info(struct fil_resp_session *session)
{
    char text[CLIENT_LINE_BYTES_MAX];
    struct fil_writer line;
    fil_writer_init(&line, text, sizeof(text));
    fil_mutex_lock(&session->server->mutex);
    describe(session, fil_env_now_ns(session->server->options.env), &line);
    fil_mutex_unlock(&session->server->mutex);
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&line));
}

/** All clients into one text of bounded size; returns it, to be freed, or NULL. */
static char *list_clients(struct fil_resp_server *server, struct fil_writer *writer)
{
    size_t count = 1;
    uint64_t now_ns = fil_env_now_ns(server->options.env);
    fil_mutex_lock(&server->mutex);
    fil_list_foreach(link, &server->sessions) {
        count++;
    }
    char *text = fil_alloc(count * CLIENT_LINE_BYTES_MAX);
    if (text != NULL) {
        fil_writer_init(writer, text, count * CLIENT_LINE_BYTES_MAX);
        fil_list_foreach(link, &server->sessions) {
            describe(FIL_CONTAINER_OF(link, struct fil_resp_session, link), now_ns, writer);
        }
    }
    fil_mutex_unlock(&server->mutex);
    return text;
}

static void client_list(struct fil_resp_session *session)
{
    struct fil_writer writer;
    char *text = list_clients(session->server, &writer);
    if (text == NULL) {
        fil_resp_error(fil_resp_output(session), "ERR %s", fil_error_text(FIL_E_NOMEM));
        return;
    }
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&writer));
    fil_free(text);
}

/** No name is null, as in Redis, and not an empty name. */
static void client_get_name(struct fil_resp_session *session)
{
    if (session->name[0] == '\0') {
        fil_resp_null(fil_resp_output(session), fil_resp_version(session));
    } else {
        fil_resp_bulk_text(fil_resp_output(session), session->name);
    }
}

static void client_set_name(struct fil_resp_session *session, struct fil_bytes name)
{
    if (!is_name(name)) {
        reply_bad_name(session, "Client names");
        return;
    }
    store_name(session, session->name, name);
    fil_resp_simple(fil_resp_output(session), "OK");
}

static void client_set_info(struct fil_resp_session *session,
                            const struct fil_resp_command *command)
{
    struct fil_bytes value = fil_resp_argument(command, 3);
    if (!is_name(value)) {
        reply_bad_name(session, "lib-name and lib-ver");
    } else if (is_word(command, 2, "lib-name")) {
        store_name(session, session->library_name, value);
        fil_resp_simple(fil_resp_output(session), "OK");
    } else if (is_word(command, 2, "lib-ver")) {
        store_name(session, session->library_version, value);
        fil_resp_simple(fil_resp_output(session), "OK");
    } else {
        struct fil_bytes option = fil_resp_argument(command, 2);
        fil_resp_error(fil_resp_output(session), "ERR Unrecognized option '%.*s'",
                       (int)(option.size < 64 ? option.size : 64), (const char *)option.data);
    }
}

static void client_help(struct fil_resp_session *session)
{
    static const char *const lines[] = {
        "CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GETNAME -- the name of this connection.",
        "ID -- the id of this connection.",
        "INFO -- what CLIENT LIST says of this connection.",
        "LIST -- one line for each connection.",
        "SETINFO LIB-NAME|LIB-VER <value> -- names the client library.",
        "SETNAME <name> -- names this connection.",
        "HELP -- this text.",
    };
    fil_resp_array(fil_resp_output(session), FIL_COUNT_OF(lines));
    for (size_t i = 0; i < FIL_COUNT_OF(lines); i++) {
        fil_resp_simple(fil_resp_output(session), lines[i]);
    }
}

static void reply_unknown_client(struct fil_resp_session *session,
                                 const struct fil_resp_command *command)
{
    struct fil_bytes word = fil_resp_argument(command, 1);
    fil_resp_error(fil_resp_output(session), "ERR unknown subcommand '%.*s'. Try CLIENT HELP.",
                   (int)(word.size < 128 ? word.size : 128), (const char *)word.data);
}

FIL_RESP_HANDLER(client)
{
    struct fil_output *output = fil_resp_output(session);
    uint32_t count = command->count;
    if (is_word(command, 1, "id") && count == 2) {
        fil_resp_integer(output, (int64_t)session->connection->id);
    } else if (is_word(command, 1, "getname") && count == 2) {
        client_get_name(session);
    } else if (is_word(command, 1, "setname") && count == 3) {
        client_set_name(session, fil_resp_argument(command, 2));
    } else if (is_word(command, 1, "setinfo") && count == 4) {
        client_set_info(session, command);
    } else if (is_word(command, 1, "info") && count == 2) {
        client_info(session);
    } else if (is_word(command, 1, "list") && count == 2) {
        client_list(session);
    } else if (is_word(command, 1, "help") && count == 2) {
        client_help(session);
    } else {
        reply_unknown_client(session, command);
    }
}
