// SPDX-License-Identifier: Apache-2.0
/** CLIENT: who is connected, what they call themselves, and how to stop them. */
#include <string.h>

#include "lib/net/loop.h"
#include "protocol/resp/client_filter.h"
#include "protocol/resp/client_internal.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/pause.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define NS_PER_MS    UINT64_C(1000000)
#define PAUSE_MS_MAX (INT64_MAX / INT64_C(1000000) / 2)

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

/**
 * Tells the client's loop to end it, without what still waits to be sent. False: somebody has done
 * so before, and for the outside it is gone.
 */
static bool kill_client(struct fil_resp_session *session)
{
    // Relaxed: the loop looks at it after it was called for.
    if (atomic_exchange_explicit(&session->is_killed, true, memory_order_relaxed)) {
        return false;
    }
    fil_connection_attend(session->connection);
    return true;
}

/** Kills those that match but the caller, for whom it says whether it is among them. */
static uint32_t kill_others(struct fil_resp_session *session,
                            const struct fil_resp_client_filter *filter, bool *out_has_caller)
{
    struct fil_resp_server *server = session->server;
    uint32_t count = 0;
    *out_has_caller = false;
    fil_mutex_lock(&server->mutex);
    // A session in the list has the hold of its loop: its connection is there.
    fil_list_foreach(link, &server->sessions) {
        struct fil_resp_session *other = FIL_CONTAINER_OF(link, struct fil_resp_session, link);
        if (!fil_resp_client_filter_matches(filter, other)) {
            continue;
        }
        if (other == session) {
            *out_has_caller = !filter->spares_caller;
        } else {
            count += kill_client(other);
        }
    }
    fil_mutex_unlock(&server->mutex);
    return count;
}

/** The caller hears its reply before it ends, unless EXEC runs the command elsewhere. */
static void kill_caller(struct fil_resp_session *session)
{
    if (fil_role_is(&fil_role_io)) {
        fil_role_assert_io();
        fil_connection_finish(session->connection, FIL_CLOSE_KILLED);
    } else {
        (void)kill_client(session);
    }
}

static void client_kill(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    struct fil_resp_client_filter filter;
    bool has_caller = false;
    if (!fil_resp_client_filter_of_kill(command, output, &filter)) {
        return;
    }
    int64_t count = kill_others(session, &filter, &has_caller);
    count += has_caller;
    if (command->count > 3) {
        fil_resp_integer(output, count);
    } else if (count == 0) {
        fil_resp_error(output, "ERR No such client");
    } else {
        fil_resp_simple(output, "OK");
    }
    if (has_caller) {
        kill_caller(session);
    }
}

static void client_pause(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    int64_t length_ms = 0;
    bool is_for_writes = fil_resp_word_is(command, 3, "write");
    if (command->count > 4) {
        fil_resp_error(output, "ERR unknown subcommand or wrong number of arguments for 'PAUSE'. "
                               "Try CLIENT HELP.");
    } else if (command->count == 4 && !is_for_writes && !fil_resp_word_is(command, 3, "all")) {
        fil_resp_error(output, "ERR CLIENT PAUSE mode must be WRITE or ALL");
    } else if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &length_ms) ||
               length_ms > PAUSE_MS_MAX) {
        fil_resp_error(output, "ERR timeout is not an integer or out of range");
    } else if (length_ms < 0) {
        fil_resp_error(output, "ERR timeout is negative");
    } else {
        fil_resp_pause_begin(session->server, (uint64_t)length_ms * NS_PER_MS, !is_for_writes);
        fil_resp_simple(output, "OK");
    }
}

static void client_unpause(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    (void)command;
    fil_role_assert_io();
    if (fil_resp_pause_end(session)) {
        fil_resp_simple(fil_resp_output(session), "OK");
    }
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
        "KILL <ip:port>",
        "    Kill connection made from <ip:port>.",
        "KILL <option> <value> [<option> <value> [...]]",
        "    Kill connections. Options are: ADDR, ID, TYPE (NORMAL|PUBSUB), USER, SKIPME (YES|NO).",
        "LIST [ID <client-id> ...] [TYPE (NORMAL|MASTER|REPLICA|PUBSUB)]",
        "    Return information about client connections.",
        "NO-EVICT (ON|OFF)",
        "    Accepted: connections are never closed to free memory.",
        "PAUSE <timeout> [WRITE|ALL]",
        "    Suspend all, or just write, clients for <timeout> milliseconds.",
        "SETINFO (LIB-NAME|LIB-VER) <value>",
        "    Name the client library of the current connection.",
        "SETNAME <name>",
        "    Assign the name <name> to the current connection.",
        "UNPAUSE",
        "    Stop the current client pause, resuming traffic.",
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
        {"info", 2, 2, fil_resp__client_info},
        {"kill", 3, UINT32_MAX, client_kill},
        {"list", 2, UINT32_MAX, fil_resp__client_list},
        {"no-evict", 3, 3, client_no_evict},
        {"pause", 3, UINT32_MAX, client_pause},
        {"unpause", 2, 2, client_unpause},
    };
    // Otherwise it is told at the end of receive, and the session would list an older one.
    atomic_store_explicit(&session->last_command, "client", memory_order_relaxed);
    if (!fil_resp__run_subcommand(session, command, "client", subcommands,
                                  FIL_COUNT_OF(subcommands))) {
        client_help(session, command);
    }
}
