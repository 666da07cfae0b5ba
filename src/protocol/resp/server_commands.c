// SPDX-License-Identifier: Apache-2.0
/** Commands about the member: COMMAND, CONFIG, INFO, DBSIZE. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/map.h"
#include "lib/base/cursor.h"
#include "lib/base/units.h"
#include "lib/os/process.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"

#define NS_PER_SECOND  UINT64_C(1000000000)
#define INFO_BYTES_MAX 4096U

struct flag_name {
    uint32_t flag;
    const char *name;
};

static const struct flag_name flag_names[] = {
    {FIL_RESP_READONLY, "readonly"}, {FIL_RESP_WRITE, "write"},     {FIL_RESP_FAST, "fast"},
    {FIL_RESP_DENYOOM, "denyoom"},   {FIL_RESP_LOADING, "loading"}, {FIL_RESP_STALE, "stale"},
    {FIL_RESP_NOSCRIPT, "noscript"},
};

static void reply_flags(struct fil_resp_session *session, uint32_t flags)
{
    struct fil_output *output = fil_resp_output(session);
    fil_resp_set(output, fil_resp_version(session),
                 (uint64_t)__builtin_popcount(flags & FIL_RESP_TOLD_FLAGS));
    for (size_t i = 0; i < FIL_COUNT_OF(flag_names); i++) {
        if (flags & flag_names[i].flag) {
            fil_resp_simple(output, flag_names[i].name);
        }
    }
}

static void reply_command(struct fil_resp_session *session,
                          const struct fil_resp_command_info *info)
{
    struct fil_output *output = fil_resp_output(session);
    fil_resp_array(output, 10);
    fil_resp_bulk_text(output, info->name);
    fil_resp_integer(output, info->arity);
    reply_flags(session, info->flags);
    fil_resp_integer(output, info->first_key);
    fil_resp_integer(output, info->last_key);
    fil_resp_integer(output, info->key_step);
    fil_resp_set(output, fil_resp_version(session), 0); // access control categories
    fil_resp_set(output, fil_resp_version(session), 0); // tips
    fil_resp_set(output, fil_resp_version(session), 0); // key specifications
    fil_resp_array(output, 0);                          // subcommands
}

static void reply_docs(struct fil_resp_session *session, const struct fil_resp_command_info *info)
{
    struct fil_output *output = fil_resp_output(session);
    fil_resp_bulk_text(output, info->name);
    fil_resp_map(output, fil_resp_version(session), 3);
    fil_resp_bulk_text(output, "summary");
    fil_resp_bulk_text(output, info->summary);
    fil_resp_bulk_text(output, "since");
    fil_resp_bulk_text(output, info->since);
    fil_resp_bulk_text(output, "group");
    fil_resp_bulk_text(output, info->group);
}

static void command_docs(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    bool is_all = command->count == 2;
    uint32_t count = 0;
    for (uint32_t i = 2; i < command->count; i++) {
        count += fil_resp_command_find(fil_resp_argument(command, i)) != NULL;
    }
    fil_resp_map(output, fil_resp_version(session), is_all ? fil_resp_command_count() : count);
    for (uint32_t i = 0; is_all && i < fil_resp_command_count(); i++) {
        reply_docs(session, fil_resp_command_at(i));
    }
    for (uint32_t i = 2; i < command->count; i++) {
        const struct fil_resp_command_info *info =
            fil_resp_command_find(fil_resp_argument(command, i));
        if (info != NULL) {
            reply_docs(session, info);
        }
    }
}

static void command_info(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    if (command->count <= 2) {
        fil_resp_array(output, fil_resp_command_count());
        for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
            reply_command(session, fil_resp_command_at(i));
        }
        return;
    }
    fil_resp_array(output, command->count - 2);
    for (uint32_t i = 2; i < command->count; i++) {
        const struct fil_resp_command_info *info =
            fil_resp_command_find(fil_resp_argument(command, i));
        if (info == NULL) {
            fil_resp_null(output, fil_resp_version(session));
        } else {
            reply_command(session, info);
        }
    }
}

static void command_list(struct fil_resp_session *session)
{
    struct fil_output *output = fil_resp_output(session);
    fil_resp_array(output, fil_resp_command_count());
    for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
        fil_resp_bulk_text(output, fil_resp_command_at(i)->name);
    }
}

FIL_RESP_HANDLER(command)
{
    struct fil_bytes word =
        command->count > 1 ? fil_resp_argument(command, 1) : fil_bytes_of("info");
    if (fil_bytes_equal_nocase(word, fil_bytes_of("info"))) {
        command_info(session, command);
    } else if (fil_bytes_equal_nocase(word, fil_bytes_of("count")) && command->count == 2) {
        fil_resp_integer(fil_resp_output(session), fil_resp_command_count());
    } else if (fil_bytes_equal_nocase(word, fil_bytes_of("docs"))) {
        command_docs(session, command);
    } else if (fil_bytes_equal_nocase(word, fil_bytes_of("list")) && command->count == 2) {
        command_list(session);
    } else {
        fil_resp_error(fil_resp_output(session),
                       "ERR unknown subcommand '%.*s'. Try COMMAND COUNT, DOCS, INFO or LIST.",
                       (int)(word.size < 128 ? word.size : 128), (const char *)word.data);
    }
}

static void info_server(struct fil_resp_server *server, struct fil_writer *text)
{
    uint64_t up_ns = fil_env_now_ns(server->options.env) - server->started_ns;
    fil_writer_format(text,
                      "# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\n"
                      "filbert_version:%s\r\nmember_name:%s\r\nprocess_id:%u\r\ntcp_port:%u\r\n"
                      "uptime_in_seconds:%" PRIu64 "\r\n",
                      FIL_RESP_REDIS_VERSION, FIL_VERSION, server->options.member_name,
                      fil_process_id(), (unsigned)server->options.port, up_ns / NS_PER_SECOND);
}

static struct fil_resp_stats read_stats(struct fil_resp_server *server)
{
    struct fil_resp_stats stats = {0};
    server->options.read_stats(server->options.context, &stats);
    return stats;
}

static void info_clients(struct fil_resp_server *server, struct fil_writer *text)
{
    fil_writer_format(text, "# Clients\r\nconnected_clients:%" PRIu64 "\r\n",
                      read_stats(server).connections);
}

static void info_memory(struct fil_resp_server *server, struct fil_writer *text)
{
    char used[FIL_UNITS_TEXT_MAX];
    char limit[FIL_UNITS_TEXT_MAX];
    uint64_t used_bytes = fil_budget_drawn(server->options.budget);
    uint64_t limit_bytes = server->options.budget->limit_bytes;
    struct fil_process_usage usage;
    fil_process_measure(&usage);
    fil_writer_format(text,
                      "# Memory\r\nused_memory:%" PRIu64 "\r\nused_memory_human:%s\r\n"
                      "used_memory_rss:%" PRIu64 "\r\nmaxmemory:%" PRIu64
                      "\r\nmaxmemory_human:%s\r\nmaxmemory_policy:noeviction\r\n",
                      used_bytes, fil_units_human_size(used_bytes, used), usage.resident_bytes,
                      limit_bytes, fil_units_human_size(limit_bytes, limit));
}

static void info_stats(struct fil_resp_server *server, struct fil_writer *text)
{
    struct fil_resp_stats stats = read_stats(server);
    fil_writer_format(
        text,
        "# Stats\r\ntotal_connections_received:%" PRIu64 "\r\ntotal_commands_processed:%" PRIu64
        "\r\ntotal_net_input_bytes:%" PRIu64 "\r\ntotal_net_output_bytes:%" PRIu64
        "\r\nrejected_connections:%" PRIu64 "\r\n",
        stats.accepted, stats.requests, stats.received_bytes, stats.sent_bytes, stats.refused);
}

static void info_keyspace(struct fil_resp_server *server, struct fil_writer *text)
{
    uint64_t keys = fil_map_size(server->options.map);
    fil_writer_format(text, "# Keyspace\r\n");
    if (keys > 0) {
        fil_writer_format(text, "db0:keys=%" PRIu64 ",expires=0,avg_ttl=0\r\n", keys);
    }
}

struct info_section {
    const char *name;
    void (*write)(struct fil_resp_server *server, struct fil_writer *text);
};

static const struct info_section info_sections[] = {
    {"server", info_server}, {"clients", info_clients},   {"memory", info_memory},
    {"stats", info_stats},   {"keyspace", info_keyspace},
};

/** Whether INFO's arguments ask for the section; no argument asks for all. */
static bool is_wanted(const struct fil_resp_command *command, const char *name)
{
    static const char *const everything[] = {"all", "default", "everything"};
    bool is_found = command->count == 1;
    for (uint32_t i = 1; i < command->count && !is_found; i++) {
        struct fil_bytes word = fil_resp_argument(command, i);
        is_found = fil_bytes_equal_nocase(word, fil_bytes_of(name));
        for (size_t k = 0; k < FIL_COUNT_OF(everything) && !is_found; k++) {
            is_found = fil_bytes_equal_nocase(word, fil_bytes_of(everything[k]));
        }
    }
    return is_found;
}

FIL_RESP_HANDLER(info)
{
    char memory[INFO_BYTES_MAX];
    struct fil_writer text;
    bool is_first = true;
    fil_writer_init(&text, memory, sizeof(memory));
    for (size_t i = 0; i < FIL_COUNT_OF(info_sections); i++) {
        if (is_wanted(command, info_sections[i].name)) {
            fil_writer_format(&text, "%s", is_first ? "" : "\r\n");
            info_sections[i].write(session->server, &text);
            is_first = false;
        }
    }
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_writer_written(&text));
}

FIL_RESP_HANDLER(dbsize)
{
    (void)command;
    fil_resp_integer(fil_resp_output(session), (int64_t)fil_map_size(session->server->options.map));
}

/** Redis's glob with * and ?; enough for names of options. */
static bool is_match(struct fil_bytes pattern, const char *name)
{
    size_t at = 0;
    size_t star = SIZE_MAX;
    const char *retry = name;
    while (*name != '\0') {
        if (at < pattern.size && pattern.data[at] == '*') {
            star = at++;
            retry = name;
        } else if (at < pattern.size &&
                   (pattern.data[at] == '?' || pattern.data[at] == (uint8_t)*name)) {
            at++;
            name++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (at < pattern.size && pattern.data[at] == '*') {
        at++;
    }
    return at == pattern.size;
}

static bool is_asked(const struct fil_resp_command *command, const char *name)
{
    for (uint32_t i = 2; i < command->count; i++) {
        if (is_match(fil_resp_argument(command, i), name)) {
            return true;
        }
    }
    return false;
}

/** What Redis's own tools ask for, told as it is here. */
struct redis_option {
    const char *name;
    const char *value;
};

static const struct redis_option redis_options[] = {
    {"appendonly", "no"}, {"databases", "1"}, {"maxmemory-policy", "noeviction"}, {"save", ""}};

static void reply_option(struct fil_output *output, const char *name, const char *value)
{
    fil_resp_bulk_text(output, name);
    fil_resp_bulk_text(output, value);
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

static void config_get(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    const struct fil_conf *conf = session->server->options.conf;
    char value[FIL_OPTION_TEXT_MAX + 1];
    fil_resp_map(output, fil_resp_version(session), count_asked(conf, command));
    for (size_t i = 0; i < conf->table->count; i++) {
        const char *name = conf->table->options[i].name;
        if (is_asked(command, name) && fil_conf_get(conf, name, value) == FIL_OK) {
            reply_option(output, name, value);
        }
    }
    for (size_t i = 0; i < FIL_COUNT_OF(redis_options); i++) {
        if (is_asked(command, redis_options[i].name)) {
            reply_option(output, redis_options[i].name, redis_options[i].value);
        }
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

static void config_set(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_resp_server *server = session->server;
    char name[FIL_OPTION_TEXT_MAX + 1];
    char value[FIL_OPTION_TEXT_MAX + 1];
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    if (!copy_text(fil_resp_argument(command, 2), name, sizeof(name)) ||
        !copy_text(fil_resp_argument(command, 3), value, sizeof(value))) {
        fil_resp_error(fil_resp_output(session), "ERR CONFIG SET: name or value is too long");
        return;
    }
    int error = fil_conf_change(server->options.conf, name, value, reason);
    if (error == FIL_OK) {
        server->options.changed(server->options.context);
        fil_resp_simple(fil_resp_output(session), "OK");
    } else {
        fil_resp_error(fil_resp_output(session), "ERR CONFIG SET failed - %s", reason);
    }
}

FIL_RESP_HANDLER(config)
{
    struct fil_resp_server *server = session->server;
    struct fil_bytes word = fil_resp_argument(command, 1);
    bool is_get = fil_bytes_equal_nocase(word, fil_bytes_of("get")) && command->count > 2;
    bool is_set = fil_bytes_equal_nocase(word, fil_bytes_of("set")) && command->count == 4;
    if ((!is_get && !is_set) || server->options.conf == NULL) {
        fil_resp_error(fil_resp_output(session),
                       "ERR unknown subcommand or wrong number of arguments for '%.*s'. "
                       "Try CONFIG GET pattern or CONFIG SET name value.",
                       (int)(word.size < 64 ? word.size : 64), (const char *)word.data);
        return;
    }
    fil_mutex_lock(&server->mutex);
    if (is_get) {
        config_get(session, command);
    } else {
        config_set(session, command);
    }
    fil_mutex_unlock(&server->mutex);
}
