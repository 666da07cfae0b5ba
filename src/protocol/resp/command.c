// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/command.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "protocol/resp/call.h"
#include "protocol/resp/debug_commands_internal.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"

#define ANYTIME (FIL_RESP_LOADING | FIL_RESP_STALE)

// Alphabetical, by lower-case name: found by binary search.
// clang-format off
static const struct fil_resp_command_info commands[] = {
    {"auth", fil_resp__auth, -2, ANYTIME | FIL_RESP_FAST | FIL_RESP_NOSCRIPT, 0, 0, 0,
     "connection", "1.0.0", "Authenticates the connection."},
    {"client", fil_resp__client, -2, ANYTIME | FIL_RESP_NOSCRIPT, 0, 0, 0,
     "connection", "2.4.0", "Tells of the connected clients: ID, INFO, LIST, names."},
    {"command", fil_resp__command, -1, ANYTIME, 0, 0, 0,
     "server", "2.8.13", "Tells of the commands: COUNT, DOCS, INFO, LIST."},
    {"config", fil_resp__config, -2, ANYTIME | FIL_RESP_NOSCRIPT, 0, 0, 0,
     "server", "2.0.0", "Reads options, or changes those that need no restart: GET, SET."},
    {"dbsize", fil_resp__dbsize, 1, FIL_RESP_READONLY | FIL_RESP_FAST | FIL_RESP_AFTER_ALL, 0, 0, 0,
     "server", "1.0.0", "Returns the number of keys."},
    {"del", fil_resp__del, -2, FIL_RESP_WRITE, 1, -1, 1,
     "generic", "1.0.0", "Removes keys; returns how many there were."},
    {"echo", fil_resp__echo, 2, ANYTIME | FIL_RESP_FAST, 0, 0, 0,
     "connection", "1.0.0", "Returns its argument."},
    {"exists", fil_resp__exists, -2, FIL_RESP_READONLY | FIL_RESP_FAST, 1, -1, 1,
     "generic", "1.0.0", "Returns how many of the keys exist."},
    {"get", fil_resp__get, 2, FIL_RESP_READONLY | FIL_RESP_FAST, 1, 1, 1,
     "string", "1.0.0", "Returns the value of a key."},
    {"hello", fil_resp__hello, -1, ANYTIME | FIL_RESP_FAST | FIL_RESP_NOSCRIPT, 0, 0, 0,
     "connection", "6.0.0", "Chooses the protocol version and tells of the server."},
    {"info", fil_resp__info, -1, ANYTIME | FIL_RESP_AFTER_ALL, 0, 0, 0,
     "server", "1.0.0", "Tells of the member in sections."},
    {"ping", fil_resp__ping, -1, FIL_RESP_FAST, 0, 0, 0,
     "connection", "1.0.0", "Returns PONG, or its argument."},
    {"quit", fil_resp__quit, -1, ANYTIME | FIL_RESP_FAST | FIL_RESP_NOSCRIPT, 0, 0, 0,
     "connection", "1.0.0", "Closes the connection."},
    {"select", fil_resp__select, 2, ANYTIME | FIL_RESP_FAST, 0, 0, 0,
     "connection", "1.0.0", "Selects the database; there is one, 0."},
    {"set", fil_resp__set, -3, FIL_RESP_WRITE | FIL_RESP_DENYOOM, 1, 1, 1,
     "string", "1.0.0", "Sets the value of a key."},
};
// clang-format on

uint32_t fil_resp_command_count(void)
{
    return FIL_COUNT_OF(commands);
}

const struct fil_resp_command_info *fil_resp_command_at(uint32_t index)
{
    fil_assert(index < FIL_COUNT_OF(commands));
    return &commands[index];
}

/** Copies the name in lower case; false when it is too long to be one, or holds a zero. */
static bool to_lower(struct fil_bytes name, char lower[FIL_RESP_NAME_BYTES_MAX])
{
    if (name.size >= FIL_RESP_NAME_BYTES_MAX || fil_bytes_find(name, '\0') != name.size) {
        return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        bool is_upper = name.data[i] >= 'A' && name.data[i] <= 'Z';
        lower[i] = (char)(is_upper ? name.data[i] | 0x20 : name.data[i]);
    }
    lower[name.size] = '\0';
    return true;
}

static const struct fil_resp_command_info *search(struct fil_bytes name)
{
    char lower[FIL_RESP_NAME_BYTES_MAX];
    if (!to_lower(name, lower)) {
        return NULL;
    }
    size_t begin = 0;
    size_t end = FIL_COUNT_OF(commands);
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        int order = strcmp(lower, commands[middle].name);
        if (order == 0) {
            return &commands[middle];
        }
        if (order < 0) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return NULL;
}

/** A command as a client of this thread has lately spelt it. */
struct spelling {
    const struct fil_resp_command_info *info; // NULL: none yet
    uint8_t name[FIL_RESP_NAME_BYTES_MAX];
    size_t size;
};

#define SPELLINGS 16U // a power of two

// Clients send few different commands, always spelt the same: most searches end here.
static _Thread_local struct spelling spellings[SPELLINGS];

static struct spelling *spelling_of(struct fil_bytes name)
{
    size_t mixed = (size_t)name.data[0] + (size_t)name.data[name.size - 1] + name.size;
    return &spellings[mixed & (SPELLINGS - 1)];
}

const struct fil_resp_command_info *fil_resp_command_find(struct fil_bytes name)
{
    if (name.size == 0 || name.size >= FIL_RESP_NAME_BYTES_MAX) {
        return NULL;
    }
    struct spelling *spelling = spelling_of(name);
    if (FIL_LIKELY(spelling->size == name.size &&
                   memcmp(spelling->name, name.data, name.size) == 0)) {
        return spelling->info;
    }
    const struct fil_resp_command_info *info = search(name);
    if (info != NULL) {
        spelling->info = info;
        spelling->size = name.size;
        memcpy(spelling->name, name.data, name.size);
    }
    return info;
}

/** Redis's words, which clients parse: the name and the beginning of the arguments. */
static void reply_unknown(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    char words[160];
    size_t used = 0;
    words[0] = '\0';
    for (uint32_t i = 1; i < command->count && used < 128; i++) {
        struct fil_bytes word = fil_resp_argument(command, i);
        size_t room = 128 - used;
        int shown = (int)(word.size < room ? word.size : room);
        int written =
            snprintf(words + used, sizeof(words) - used, "'%.*s' ", shown, (const char *)word.data);
        used += written > 0 ? (size_t)written : 0;
    }
    struct fil_bytes name = fil_resp_argument(command, 0);
    fil_resp_error(fil_resp_output(session),
                   "ERR unknown command '%.*s', with args beginning with: %s",
                   (int)(name.size < 128 ? name.size : 128), (const char *)name.data, words);
}

static bool is_count_right(const struct fil_resp_command_info *info, uint32_t count)
{
    return info->arity < 0 ? count >= (uint32_t)-info->arity : count == (uint32_t)info->arity;
}

/**
 * Whether the word is what a browser sends: a page can make it talk to any port, with commands in
 * the lines that follow. Redis ends such a connection too.
 */
static bool is_http(struct fil_bytes name)
{
    return fil_bytes_equal_nocase(name, fil_bytes_of("host:")) ||
           fil_bytes_equal_nocase(name, fil_bytes_of("post"));
}

/** Answers a command that cannot run; false when it can. */
static bool refuse(struct fil_resp_session *session, const struct fil_resp_command *command,
                   const struct fil_resp_command_info *info) FIL_RUNS_ON(io)
{
    if (FIL_LIKELY(info != NULL && is_count_right(info, command->count))) {
        return false;
    }
    struct fil_output *output = fil_resp_call_open(session);
    if (info == NULL && is_http(fil_resp_argument(command, 0))) {
        fil_resp_error(output, "ERR this is HTTP, not RESP: the connection ends");
        fil_connection_finish(session->connection, FIL_CLOSE_MALFORMED);
    } else if (info == NULL) {
        reply_unknown(session, command);
    } else {
        fil_resp_error(output, "ERR wrong number of arguments for '%s' command", info->name);
    }
    fil_resp_call_close(session);
    return true;
}

bool fil_resp_command_run(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_bytes name = fil_resp_argument(command, 0);
    const struct fil_resp_command_info *info = fil_resp_command_find(name);
    if (FIL_UNLIKELY(info == NULL && session->server->options.has_debug_commands)) {
        info = fil_resp_debug__find(name);
    }
    if (refuse(session, command, info)) {
        return true;
    }
    if ((info->flags & FIL_RESP_AFTER_ALL) && !fil_list_is_empty(&session->line)) {
        session->waits_for_line = true;
        return false;
    }
    // Relaxed: for CLIENT LIST, which wants a recent figure.
    atomic_store_explicit(&session->last_command, info->name, memory_order_relaxed);
    if (info->first_key > 0) {
        info->handler(session, command); // opens a reply of its own
        return true;
    }
    (void)fil_resp_call_open(session);
    info->handler(session, command);
    fil_resp_call_close(session);
    return true;
}
