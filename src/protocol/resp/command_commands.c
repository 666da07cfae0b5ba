// SPDX-License-Identifier: Apache-2.0
/** COMMAND: what clients want to know of the commands. */
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

struct flag_name {
    uint32_t flag;
    const char *name;
};

static const struct flag_name flag_names[] = {
    {FIL_RESP_READONLY, "readonly"}, {FIL_RESP_WRITE, "write"},     {FIL_RESP_FAST, "fast"},
    {FIL_RESP_DENYOOM, "denyoom"},   {FIL_RESP_LOADING, "loading"}, {FIL_RESP_STALE, "stale"},
    {FIL_RESP_NOSCRIPT, "noscript"}, {FIL_RESP_PUBSUB, "pubsub"},   {FIL_RESP_ADMIN, "admin"},
    {FIL_RESP_BLOCKING, "blocking"},
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
    fil_resp_set(output, fil_resp_version(session),
                 0);                                    // access control categories
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

static void command_list(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    (void)command;
    struct fil_output *output = fil_resp_output(session);
    fil_resp_array(output, fil_resp_command_count());
    for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
        fil_resp_bulk_text(output, fil_resp_command_at(i)->name);
    }
}

/** The keys of a command, by the positions that its line of the table says. */
static void command_get_keys(struct fil_resp_session *session,
                             const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    const struct fil_resp_command_info *info = fil_resp_command_find(fil_resp_argument(command, 2));
    int32_t words = (int32_t)command->count - 2; // of the command that is asked about
    if (info == NULL) {
        fil_resp_error(output, "ERR Invalid command specified");
        return;
    }
    if (info->arity < 0 ? words < -info->arity : words != info->arity) {
        fil_resp_error(output, "ERR Invalid number of arguments specified for command");
        return;
    }
    int32_t last = info->last_key < 0 ? words + info->last_key : info->last_key;
    if (info->first_key == 0 || last >= words) {
        fil_resp_error(output, "ERR The command has no key arguments");
        return;
    }
    uint32_t first = (uint32_t)info->first_key;
    uint32_t step = (uint32_t)info->key_step;
    uint32_t count = ((uint32_t)last - first) / step + 1;
    fil_resp_array(output, count);
    for (uint32_t i = 0; i < count; i++) {
        fil_resp_bulk(output, fil_resp_argument(command, 2 + first + i * step));
    }
}

static void command_help(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    static const char *const lines[] = {
        "COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "(no subcommand)",
        "    Return details about all Redis commands.",
        "COUNT",
        "    Return the total number of commands in this Redis server.",
        "DOCS [<command-name> ...]",
        "    Return documentation details about multiple Redis commands.",
        "GETKEYS <full-command>",
        "    Return the keys from a full Redis command.",
        "INFO [<command-name> ...]",
        "    Return details about multiple Redis commands.",
        "LIST",
        "    Return a list of all commands in this Redis server.",
        "HELP",
        "    Print this help.",
    };
    fil_resp__help(session, command, "command", lines, FIL_COUNT_OF(lines));
}

static void command_count(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    (void)command;
    fil_resp_integer(fil_resp_output(session), fil_resp_command_count());
}

FIL_RESP_HANDLER(command)
{
    static const struct fil_resp_subcommand subcommands[] = {
        {"info", 2, UINT32_MAX, command_info},        {"count", 2, 2, command_count},
        {"docs", 2, UINT32_MAX, command_docs},        {"list", 2, 2, command_list},
        {"getkeys", 4, UINT32_MAX, command_get_keys},
    };
    if (command->count == 1) {
        command_info(session, command);
    } else if (!fil_resp__run_subcommand(session, command, "command", subcommands,
                                         FIL_COUNT_OF(subcommands))) {
        command_help(session, command);
    }
}
