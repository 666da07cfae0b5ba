// SPDX-License-Identifier: Apache-2.0
/** Commands about the member: TIME, SLOWLOG, LOLWUT, SWAPDB; and HELP of all commands. */
#include <stdio.h>
#include <string.h>

#include "core/exec/slow_table.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/database.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define NS_PER_SECOND     UINT64_C(1000000000)
#define NS_PER_US         UINT64_C(1000)
#define SLOWLOG_GET_USUAL 10

void fil_resp__help(struct fil_resp_session *session, const struct fil_resp_command *command,
                    const char *name, const char *const *lines, size_t count)
{
    struct fil_output *output = fil_resp_output(session);
    struct fil_bytes word = fil_resp_argument(command, 1);
    if (!fil_resp_word_is(command, 1, "help")) {
        char upper[FIL_RESP_NAME_BYTES_MAX];
        size_t size = strlen(name);
        fil_assert(size < sizeof(upper));
        for (size_t i = 0; i <= size; i++) {
            upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 0x20 : name[i]);
        }
        fil_resp_error(output, "ERR unknown subcommand '%.*s'. Try %s HELP.",
                       (int)(word.size < 128 ? word.size : 128), (const char *)word.data, upper);
        return;
    }
    fil_resp_array(output, count);
    for (size_t i = 0; i < count; i++) {
        fil_resp_simple(output, lines[i]);
    }
}

bool fil_resp__run_subcommand(struct fil_resp_session *session,
                              const struct fil_resp_command *command, const char *name,
                              const struct fil_resp_subcommand *subcommands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct fil_resp_subcommand *sub = &subcommands[i];
        if (!fil_resp_word_is(command, 1, sub->word)) {
            continue;
        }
        if (command->count < sub->count_min || command->count > sub->count_max) {
            fil_resp_error(fil_resp_output(session),
                           "ERR wrong number of arguments for '%s|%s' command", name, sub->word);
        } else {
            sub->run(session, command);
        }
        return true;
    }
    return false;
}

FIL_RESP_HANDLER(time)
{
    (void)command;
    struct fil_output *output = fil_resp_output(session);
    uint64_t now_ns = fil_env_wall_ns(session->server->options.env);
    uint64_t parts[] = {now_ns / NS_PER_SECOND, now_ns % NS_PER_SECOND / NS_PER_US};
    fil_resp_array(output, FIL_COUNT_OF(parts));
    for (size_t i = 0; i < FIL_COUNT_OF(parts); i++) {
        char text[FIL_RESP_NUMBER_TEXT_MAX];
        size_t size = fil_resp_word_of_integer((int64_t)parts[i], text);
        fil_resp_bulk(output, fil_bytes_make(text, size));
    }
}

FIL_RESP_HANDLER(lolwut)
{
    (void)command;
    fil_resp_verbatim(fil_resp_output(session), fil_resp_version(session),
                      fil_bytes_of("Filbert ver. " FIL_VERSION "\n"));
}

FIL_RESP_HANDLER(swapdb)
{
    static const char *const words[] = {"first", "second"};
    int64_t numbers[FIL_COUNT_OF(words)] = {0};
    for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
        if (!fil_resp_word_to_integer(fil_resp_argument(command, i + 1), &numbers[i])) {
            fil_resp_error(fil_resp_output(session), "ERR invalid %s DB index", words[i]);
            return;
        }
    }
    int error = fil_resp_database_swap(session->server, numbers[0], numbers[1]);
    if (error == FIL_OK) {
        fil_resp_database_follow(session);
        fil_resp_simple(fil_resp_output(session), "OK");
    } else if (error == FIL_E_LIMIT) {
        fil_resp_error(fil_resp_output(session), "ERR DB index is out of range");
    } else if (error == FIL_E_COUNT_MAX) {
        fil_resp_error(fil_resp_output(session), "ERR %s", fil_error_text(error));
    } else {
        fil_resp_out_of_memory(fil_resp_output(session));
    }
}

/** Entries of the slow table as SLOWLOG GET shows them. */
struct slow_reply {
    struct fil_resp_session *session;
    struct fil_output body;
    int64_t limit; // negative: none
    int64_t count;
};

/** Whether SLOWLOG RESET was not called since. */
static bool is_new(const struct fil_resp_session *session, const struct fil_slow_entry *entry)
{
    // Relaxed: a number of its own.
    return entry->serial >
           atomic_load_explicit(&session->server->slow_forgotten, memory_order_relaxed);
}

static void add_slow(void *context, const struct fil_slow_entry *entry)
{
    struct slow_reply *reply = context;
    struct fil_output *body = &reply->body;
    if (!is_new(reply->session, entry) || reply->count == reply->limit) {
        return;
    }
    reply->count++;
    fil_resp_array(body, 6);
    fil_resp_integer(body, (int64_t)entry->serial);
    fil_resp_integer(body, (int64_t)(entry->last_wall_ns / NS_PER_SECOND));
    fil_resp_integer(body, (int64_t)(entry->max_ns / NS_PER_US));
    fil_resp_array(body, 1);
    fil_resp_bulk_text(body, entry->op);
    fil_resp_bulk_text(body, entry->thread);
    fil_resp_bulk_text(body, "");
}

static void slowlog_get(struct fil_resp_session *session, int64_t limit)
{
    struct fil_output *output = fil_resp_output(session);
    struct slow_reply reply = {.session = session, .limit = limit};
    fil_output_init(&reply.body);
    reply.body.pool = output->pool;
    if (session->server->options.slow != NULL) {
        fil_slow_table_each(session->server->options.slow, add_slow, &reply);
    }
    fil_resp_array(output, (uint64_t)reply.count);
    fil_chunk_queue_move(&output->queue, &reply.body.queue);
    fil_output_fini(&reply.body);
}

struct slow_count {
    struct fil_resp_session *session;
    uint64_t count;
    uint64_t newest;
};

static void count_slow(void *context, const struct fil_slow_entry *entry)
{
    struct slow_count *counting = context;
    counting->count += is_new(counting->session, entry);
    counting->newest = entry->serial > counting->newest ? entry->serial : counting->newest;
}

static struct slow_count count_all_slow(struct fil_resp_session *session)
{
    struct slow_count counting = {.session = session};
    if (session->server->options.slow != NULL) {
        fil_slow_table_each(session->server->options.slow, count_slow, &counting);
    }
    return counting;
}

FIL_RESP_HANDLER(slowlog)
{
    static const char *const lines[] = {
        "SLOWLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET [<count>]",
        "    Return the <count> longest operations of the slow table (default: 10).",
        "LEN",
        "    Return the length of the slowlog.",
        "RESET",
        "    Reset the slowlog.",
        "HELP",
        "    Print this help.",
    };
    struct fil_output *output = fil_resp_output(session);
    int64_t limit = SLOWLOG_GET_USUAL;
    if (fil_resp_word_is(command, 1, "get") && command->count <= 3) {
        bool is_sound =
            command->count == 2 || fil_resp_word_to_integer(fil_resp_argument(command, 2), &limit);
        if (!is_sound || limit < -1) {
            fil_resp_error(output, "ERR count should be greater than or equal to -1");
        } else {
            slowlog_get(session, limit);
        }
    } else if (fil_resp_word_is(command, 1, "len") && command->count == 2) {
        fil_resp_integer(output, (int64_t)count_all_slow(session).count);
    } else if (fil_resp_word_is(command, 1, "reset") && command->count == 2) {
        // Relaxed: as in is_new.
        atomic_store_explicit(&session->server->slow_forgotten, count_all_slow(session).newest,
                              memory_order_relaxed);
        fil_resp_simple(output, "OK");
    } else {
        fil_resp__help(session, command, "slowlog", lines, FIL_COUNT_OF(lines));
    }
}
