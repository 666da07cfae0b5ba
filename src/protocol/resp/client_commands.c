// SPDX-License-Identifier: Apache-2.0
/** CLIENT: who is connected, and what they call themselves. */
#include <inttypes.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/cursor.h"
#include "lib/net/loop.h"
#include "protocol/resp/client_internal.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define NS_PER_SECOND         UINT64_C(1000000000)
#define CLIENT_LINE_BYTES_MAX 512U

bool fil_resp__is_name(struct fil_bytes name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] < '!' || name.data[i] > '~') {
            return false;
        }
    }
    return name.size < FIL_RESP_NAME_MAX;
}

void fil_resp__store_name(struct fil_resp_session *session, char target[FIL_RESP_NAME_MAX],
                          struct fil_bytes name)
{
    fil_mutex_lock(&session->server->mutex);
    memcpy(target, name.data, name.size);
    target[name.size] = '\0';
    fil_mutex_unlock(&session->server->mutex);
}

void fil_resp__reply_bad_name(struct fil_resp_session *session, const char *what,
                              struct fil_bytes name)
{
    if (name.size >= FIL_RESP_NAME_MAX) {
        fil_resp_error(fil_resp_output(session), "ERR %s cannot be longer than %u bytes.", what,
                       FIL_RESP_NAME_MAX - 1);
    } else {
        fil_resp_error(fil_resp_output(session),
                       "ERR %s cannot contain spaces, newlines or special characters.", what);
    }
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
        " flags=N db=%u cmd=%s user=default resp=%u lib-name=%s lib-ver=%s\n",
        session->connection->id, fil_address_format(&session->connection->peer, peer),
        session->connection->fd, session->name,
        now_ns > opened_ns ? (now_ns - opened_ns) / NS_PER_SECOND : 0, idle_ns / NS_PER_SECOND,
        (unsigned)atomic_load_explicit(&session->database, memory_order_relaxed),
        atomic_load_explicit(&session->last_command, memory_order_relaxed),
        (unsigned)fil_resp_version(session), session->library_name, session->library_version);
}

static void client_info(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    (void)command;
    char text[CLIENT_LINE_BYTES_MAX];
    struct fil_writer line;
    fil_writer_init(&line, text, sizeof(text));
    fil_mutex_lock(&session->server->mutex);
    describe(session, fil_env_now_ns(session->server->options.env), &line);
    fil_mutex_unlock(&session->server->mutex);
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&line));
}

/** Which clients CLIENT LIST shows. */
struct filter {
    const struct fil_resp_command *command;
    uint32_t first_id; // index of the first id among the words; 0: all
    bool is_nobody;    // a type that there is not: masters, replicas
};

static bool is_shown(struct fil_resp_session *session, const struct filter *filter)
{
    int64_t id = 0;
    if (filter->is_nobody) {
        return false;
    }
    bool is_found = filter->first_id == 0;
    for (uint32_t i = filter->first_id; i > 0 && i < filter->command->count && !is_found; i++) {
        is_found = fil_resp_word_to_integer(fil_resp_argument(filter->command, i), &id) &&
                   (uint64_t)id == session->connection->id;
    }
    return is_found;
}

/** All clients into one text of bounded size; returns it, to be freed, or NULL. */
static char *list_clients(struct fil_resp_server *server, const struct filter *filter,
                          struct fil_writer *writer)
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
            struct fil_resp_session *other = FIL_CONTAINER_OF(link, struct fil_resp_session, link);
            if (is_shown(other, filter)) {
                describe(other, now_ns, writer);
            }
        }
    }
    fil_mutex_unlock(&server->mutex);
    return text;
}

/** Reads CLIENT LIST's arguments; false when they are wrong, which is told. */
static bool read_filter(const struct fil_resp_command *command, struct filter *filter,
                        struct fil_output *output)
{
    int64_t id = 0;
    filter->command = command;
    if (command->count == 4 && fil_resp_word_is(command, 2, "type")) {
        filter->is_nobody =
            fil_resp_word_is(command, 3, "master") || fil_resp_word_is(command, 3, "replica");
        bool is_known = filter->is_nobody || fil_resp_word_is(command, 3, "normal");
        struct fil_bytes type = fil_resp_argument(command, 3);
        if (!is_known) {
            fil_resp_error(output, "ERR Unknown client type '%.*s'",
                           (int)(type.size < 64 ? type.size : 64), (const char *)type.data);
        }
        return is_known;
    }
    if (command->count > 3 && fil_resp_word_is(command, 2, "id")) {
        filter->first_id = 3;
        for (uint32_t i = 3; i < command->count; i++) {
            if (!fil_resp_word_to_integer(fil_resp_argument(command, i), &id) || id <= 0) {
                fil_resp_error(output, "ERR Invalid client ID");
                return false;
            }
        }
        return true;
    }
    if (command->count != 2) {
        fil_resp_error(output, FIL_RESP_SYNTAX);
    }
    return command->count == 2;
}

static void client_list(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_writer writer;
    struct filter filter = {0};
    if (!read_filter(command, &filter, fil_resp_output(session))) {
        return;
    }
    char *text = list_clients(session->server, &filter, &writer);
    if (text == NULL) {
        fil_resp_error(fil_resp_output(session), "ERR %s", fil_error_text(FIL_E_NOMEM));
        return;
    }
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&writer));
    fil_free(text);
}

/** No name is null, as in Redis, and not an empty name. */
static void client_get_name(struct fil_resp_session *session,
                            const struct fil_resp_command *command)
{
    (void)command;
    if (session->name[0] == '\0') {
        fil_resp_null(fil_resp_output(session), fil_resp_version(session));
    } else {
        fil_resp_bulk_text(fil_resp_output(session), session->name);
    }
}

static void client_set_name(struct fil_resp_session *session,
                            const struct fil_resp_command *command)
{
    struct fil_bytes name = fil_resp_argument(command, 2);
    if (!fil_resp__is_name(name)) {
        fil_resp__reply_bad_name(session, "Client names", name);
        return;
    }
    fil_resp__store_name(session, session->name, name);
    fil_resp_simple(fil_resp_output(session), "OK");
}

static void client_set_info(struct fil_resp_session *session,
                            const struct fil_resp_command *command)
{
    struct fil_bytes value = fil_resp_argument(command, 3);
    if (!fil_resp__is_name(value)) {
        fil_resp__reply_bad_name(session, "lib-name and lib-ver", value);
    } else if (fil_resp_word_is(command, 2, "lib-name")) {
        fil_resp__store_name(session, session->library_name, value);
        fil_resp_simple(fil_resp_output(session), "OK");
    } else if (fil_resp_word_is(command, 2, "lib-ver")) {
        fil_resp__store_name(session, session->library_version, value);
        fil_resp_simple(fil_resp_output(session), "OK");
    } else {
        struct fil_bytes option = fil_resp_argument(command, 2);
        fil_resp_error(fil_resp_output(session), "ERR Unrecognized option '%.*s'",
                       (int)(option.size < 64 ? option.size : 64), (const char *)option.data);
    }
}

static void client_help(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    static const char *const lines[] = {
        "CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GETNAME",
        "    Return the name of the current connection.",
        "ID",
        "    Return the ID of the current connection.",
        "INFO",
        "    Return information about the current client connection.",
        "LIST [ID <client-id> ...] [TYPE (NORMAL|MASTER|REPLICA)]",
        "    Return information about client connections.",
        "NO-EVICT (ON|OFF)",
        "    Accepted: connections are never closed to free memory.",
        "SETINFO (LIB-NAME|LIB-VER) <value>",
        "    Name the client library of the current connection.",
        "SETNAME <name>",
        "    Assign the name <name> to the current connection.",
        "HELP",
        "    Print this help.",
    };
    fil_resp__help(session, command, "client", lines, FIL_COUNT_OF(lines));
}

static void client_no_evict(struct fil_resp_session *session,
                            const struct fil_resp_command *command)
{
    bool is_sound = fil_resp_word_is(command, 2, "on") || fil_resp_word_is(command, 2, "off");
    if (is_sound) {
        fil_resp_simple(fil_resp_output(session), "OK");
    } else {
        fil_resp_error(fil_resp_output(session), FIL_RESP_SYNTAX);
    }
}

static void client_id(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    (void)command;
    fil_resp_integer(fil_resp_output(session), (int64_t)session->connection->id);
}

FIL_RESP_HANDLER(client)
{
    static const struct fil_resp_subcommand subcommands[] = {
        {"id", 2, 2, client_id},
        {"getname", 2, 2, client_get_name},
        {"setname", 3, 3, client_set_name},
        {"setinfo", 4, 4, client_set_info},
        {"info", 2, 2, client_info},
        {"list", 2, UINT32_MAX, client_list},
        {"no-evict", 3, 3, client_no_evict},
    };
    // Otherwise it is told at the end of receive, and the session would list an older one.
    atomic_store_explicit(&session->last_command, "client", memory_order_relaxed);
    if (!fil_resp__run_subcommand(session, command, "client", subcommands,
                                  FIL_COUNT_OF(subcommands))) {
        client_help(session, command);
    }
}
