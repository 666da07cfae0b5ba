// SPDX-License-Identifier: Apache-2.0
/** Commands about the connection itself: PING, ECHO, HELLO, AUTH, SELECT, RESET, QUIT. */
#include "filbert/error.h"
#include "lib/net/loop.h"
#include "protocol/resp/client_internal.h"
#include "protocol/resp/database.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/pubsub_commands_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"
#include "protocol/resp/watch.h"
#include "protocol/resp/word.h"

FIL_RESP_HANDLER(ping)
{
    if (command->count > 2) {
        fil_resp_error(fil_resp_output(session),
                       "ERR wrong number of arguments for 'ping' command");
    } else if (fil_resp_pubsub__is_subscribed(session)) {
        fil_resp_array(fil_resp_output(session), 2);
        fil_resp_bulk_text(fil_resp_output(session), "pong");
        fil_resp_bulk(fil_resp_output(session),
                      command->count == 2 ? fil_resp_argument(command, 1) : fil_bytes_of(""));
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

static void use_database(struct fil_resp_session *session, uint32_t number, struct fil_map *map)
{
    session->map = map;
    // Relaxed: for CLIENT LIST, which wants a recent figure.
    atomic_store_explicit(&session->database, number, memory_order_relaxed);
}

FIL_RESP_HANDLER(select)
{
    int64_t number = 0;
    struct fil_map *map = NULL;
    struct fil_output *output = fil_resp_output(session);
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 1), &number)) {
        fil_resp_error(output, FIL_RESP_NOT_INTEGER);
        return;
    }
    int error = fil_resp_database_get(session->server, number, &map);
    if (error == FIL_E_NOMEM) {
        fil_resp_out_of_memory(output);
    } else if (error == FIL_E_COUNT_MAX) {
        fil_resp_error(output, "ERR %s", fil_error_text(error));
    } else if (error != FIL_OK) {
        fil_resp_error(output, "ERR DB index is out of range");
    } else {
        use_database(session, (uint32_t)number, map);
        fil_resp_simple(output, "OK");
    }
}

FIL_RESP_HANDLER(auth)
{
    if (fil_resp_word_is(command, 0, "auth") && command->count > 3) {
        fil_resp_error(fil_resp_output(session), FIL_RESP_SYNTAX);
        return;
    }
    fil_resp_error(fil_resp_output(session),
                   "ERR AUTH <password> called without any password configured for the default "
                   "user. Are you sure your configuration is correct?");
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
        if (fil_resp_word_is(command, i, "auth") && i + 2 < command->count) {
            fil_resp__auth(session, command);
            return false;
        }
        if (!fil_resp_word_is(command, i, "setname") || i + 1 >= command->count) {
            struct fil_bytes word = fil_resp_argument(command, i);
            fil_resp_error(output, "ERR Syntax error in HELLO option '%.*s'",
                           (int)(word.size < 64 ? word.size : 64), (const char *)word.data);
            return false;
        }
        i++;
        hello->has_name = true;
        hello->name = fil_resp_argument(command, i);
        if (!fil_resp__is_name(hello->name)) {
            fil_resp__reply_bad_name(session, "Client names", hello->name);
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
        fil_resp__store_name(session, session->name, hello.name);
    }
    // Relaxed: read by this loop, and by lists that want a recent figure.
    atomic_store_explicit(&session->version, hello.version, memory_order_relaxed);
    reply_hello(session);
}

/** The connection as it was when it was new. */
FIL_RESP_HANDLER(reset)
{
    fil_role_assert_io();
    (void)command;
    if (!fil_resp_pubsub__forget(session)) {
        return;
    }
    fil_resp_transaction_drop(session);
    fil_resp_watch_drop(session);
    use_database(session, 0, fil_resp_database_find(session->server, 0));
    fil_resp__store_name(session, session->name, fil_bytes_of(""));
    // Relaxed: read by this loop, and by lists that want a recent figure.
    atomic_store_explicit(&session->version, 2, memory_order_relaxed);
    fil_resp_simple(fil_resp_output(session), "RESET");
}
