// SPDX-License-Identifier: Apache-2.0
/** CONFIG: options of the member, and those of Redis's that tools ask for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/database.h"
#include "protocol/resp/glob.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/notify.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

// Of one CONFIG GET, because each is matched with every option on a loop; bytes of all together.
#define PATTERNS_MAX      64U
#define PATTERN_BYTES_MAX 4096U

static bool is_asked(const struct fil_resp_command *command, const char *name)
{
    for (uint32_t i = 2; i < command->count; i++) {
        if (fil_resp_glob_matches(fil_resp_argument(command, i), fil_bytes_of(name))) {
            return true;
        }
    }
    return false;
}

#define REDIS_VALUE_MAX 24U

/** What Redis's own tools ask for, told as it is here. */
struct redis_option {
    const char *name;
    const char *value; // NULL: read tells it
    void (*read)(struct fil_resp_server *server, char text[REDIS_VALUE_MAX]);
};

static void read_memory_limit(struct fil_resp_server *server, char text[REDIS_VALUE_MAX])
{
    (void)snprintf(text, REDIS_VALUE_MAX, "%" PRIu64, server->options.budget->limit_bytes);
}

static void read_policy(struct fil_resp_server *server, char text[REDIS_VALUE_MAX])
{
    (void)snprintf(text, REDIS_VALUE_MAX, "%s", fil_resp_database_policy(server));
}

static void read_notified(struct fil_resp_server *server, char text[REDIS_VALUE_MAX])
{
    static_assert(FIL_RESP_NOTIFY_TEXT_MAX <= REDIS_VALUE_MAX, "the letters fit");
    fil_resp_notify_text(atomic_load_explicit(&server->notified, memory_order_relaxed), text);
}

/** The option of Redis that is changed here and is no option of the member. */
#define NOTIFY_OPTION "notify-keyspace-events"

static const struct redis_option redis_options[] = {
    {"appendonly", "no", NULL},
    {"databases", "16", NULL},
    {"maxmemory", NULL, read_memory_limit},
    {"maxmemory-policy", NULL, read_policy},
    {NOTIFY_OPTION, NULL, read_notified},
    {"save", "", NULL},
};

static void reply_option(struct fil_output *output, const char *name, const char *value)
{
    fil_resp_bulk_text(output, name);
    fil_resp_bulk_text(output, value);
}

static void reply_redis_option(struct fil_resp_session *session, const struct redis_option *option)
{
    char text[REDIS_VALUE_MAX] = "";
    if (option->value == NULL) {
        option->read(session->server, text);
    }
    reply_option(fil_resp_output(session), option->name,
                 option->value == NULL ? text : option->value);
}

/** Under the mutex of the options: somebody may be changing one. */
static void reply_own_option(struct fil_resp_session *session, const char *name)
{
    struct fil_resp_server *server = session->server;
    char value[FIL_OPTION_TEXT_MAX + 1] = "";
    fil_mutex_lock(&server->conf_mutex);
    int error = fil_conf_get(server->options.conf, name, value);
    fil_mutex_unlock(&server->conf_mutex);
    fil_assert(error == FIL_OK); // the name is the table's
    reply_option(fil_resp_output(session), name, value);
}

static uint64_t count_asked(const struct fil_conf *conf, const struct fil_resp_command *command)
{
    uint64_t count = 0;
    for (size_t i = 0; i < conf->table->count; i++) {
        count += is_asked(command, conf->table->options[i].name);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(redis_options); i++) {
        count += is_asked(command, redis_options[i].name);
    }
    return count;
}

static uint64_t pattern_bytes(const struct fil_resp_command *command)
{
    uint64_t bytes = 0;
    for (uint32_t i = 2; i < command->count; i++) {
        bytes += fil_resp_argument(command, i).size;
    }
    return bytes;
}

/** The names are matched under no mutex: the table does not change. */
static void reply_asked(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    const struct fil_conf *conf = session->server->options.conf;
    fil_resp_map(fil_resp_output(session), fil_resp_version(session), count_asked(conf, command));
    for (size_t i = 0; i < conf->table->count; i++) {
        const char *name = conf->table->options[i].name;
        if (is_asked(command, name)) {
            reply_own_option(session, name);
        }
    }
    for (size_t i = 0; i < FIL_COUNT_OF(redis_options); i++) {
        if (is_asked(command, redis_options[i].name)) {
            reply_redis_option(session, &redis_options[i]);
        }
    }
}

static void config_get(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    if (command->count - 2 > PATTERNS_MAX || pattern_bytes(command) > PATTERN_BYTES_MAX) {
        fil_resp_error(fil_resp_output(session),
                       "ERR CONFIG GET takes at most %u patterns, of %u bytes together: ask in "
                       "several commands, or for *",
                       PATTERNS_MAX, PATTERN_BYTES_MAX);
    } else {
        reply_asked(session, command);
    }
}

/** Copies an argument as a C string; false when it does not fit or holds a NUL. */
static bool copy_text(struct fil_bytes bytes, char *text, size_t capacity)
{
    if (bytes.size >= capacity || fil_bytes_find(bytes, '\0') != bytes.size) {
        return false;
    }
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    return true;
}

static void notify_set(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    uint32_t classes = 0;
    if (!fil_resp_notify_parse(fil_resp_argument(command, 3), &classes)) {
        fil_resp_error(fil_resp_output(session),
                       "ERR CONFIG SET failed (possibly related to argument '" NOTIFY_OPTION
                       "') - Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
        return;
    }
    // Relaxed: a switch publishes nothing but itself.
    atomic_store_explicit(&session->server->notified, classes, memory_order_relaxed);
    fil_resp_simple(fil_resp_output(session), "OK");
}

/** Changes it and has the change taken over, one after the other. */
static int change_option(struct fil_resp_server *server, const char *name, const char *value,
                         char reason[FIL_CONF_MESSAGE_MAX + 1])
{
    fil_mutex_lock(&server->conf_mutex);
    int error = fil_conf_change(server->options.conf, name, value, reason);
    if (error == FIL_OK) {
        server->options.changed(server->options.context);
    }
    fil_mutex_unlock(&server->conf_mutex);
    return error;
}

static void config_set(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_resp_server *server = session->server;
    char name[FIL_OPTION_TEXT_MAX + 1];
    char value[FIL_OPTION_TEXT_MAX + 1];
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    if (fil_bytes_equal_nocase(fil_resp_argument(command, 2), fil_bytes_of(NOTIFY_OPTION))) {
        notify_set(session, command);
        return;
    }
    if (!copy_text(fil_resp_argument(command, 2), name, sizeof(name)) ||
        !copy_text(fil_resp_argument(command, 3), value, sizeof(value))) {
        fil_resp_error(fil_resp_output(session), "ERR CONFIG SET: name or value is too long");
        return;
    }
    if (change_option(server, name, value, reason) == FIL_OK) {
        fil_resp_simple(fil_resp_output(session), "OK");
    } else {
        fil_resp_error(fil_resp_output(session), "ERR CONFIG SET failed - %s", reason);
    }
}

static void config_help(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    static const char *const lines[] = {
        "CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET <pattern>",
        "    Return parameters matching the glob-like <pattern> and their values.",
        "SET <directive> <value>",
        "    Set the configuration <directive> to <value>.",
        "RESETSTAT",
        "    Accepted: the figures of INFO count from the start on.",
        "HELP",
        "    Print this help.",
    };
    fil_resp__help(session, command, "config", lines, FIL_COUNT_OF(lines));
}

/** GET and SET. */
static void config_access(struct fil_resp_session *session, const struct fil_resp_command *command,
                          bool is_get)
{
    if (session->server->options.conf == NULL) {
        fil_resp_error(fil_resp_output(session), "ERR there is no configuration here");
    } else if (is_get) {
        config_get(session, command);
    } else {
        config_set(session, command);
    }
}

/** RESETSTAT and REWRITE. */
static void config_other(struct fil_output *output, const struct fil_resp_command *command,
                         bool is_reset)
{
    if (command->count != 2) {
        fil_resp_error(output, "ERR wrong number of arguments for 'config|%s' command",
                       is_reset ? "resetstat" : "rewrite");
    } else if (is_reset) {
        fil_resp_simple(output, "OK");
    } else {
        fil_resp_error(output, "ERR CONFIG REWRITE is not supported: edit the configuration file");
    }
}

FIL_RESP_HANDLER(config)
{
    struct fil_output *output = fil_resp_output(session);
    bool is_get = fil_resp_word_is(command, 1, "get");
    bool is_set = fil_resp_word_is(command, 1, "set");
    bool is_reset = fil_resp_word_is(command, 1, "resetstat");
    bool is_rewrite = fil_resp_word_is(command, 1, "rewrite");
    if (is_get ? command->count > 2 : is_set && command->count == 4) {
        config_access(session, command, is_get);
    } else if (is_get || is_set) {
        fil_resp_error(output, "ERR wrong number of arguments for 'config|%s' command",
                       is_get ? "get" : "set");
    } else if (is_reset || is_rewrite) {
        config_other(output, command, is_reset);
    } else {
        config_help(session, command);
    }
}
