// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/command.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/debug_commands_internal.h"
#include "protocol/resp/group.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/pubsub_commands_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/transaction.h"
#include "protocol/resp/watch.h"

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
    uint32_t begin = 0;
    uint32_t end = fil_resp_command_count();
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        const struct fil_resp_command_info *info = fil_resp_command_at(middle);
        int order = strcmp(lower, info->name);
        if (order == 0) {
            return info;
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

#define SPELLINGS 64U // a power of two

// Clients send few different commands, always spelt the same: most searches end here.
static _Thread_local struct spelling spellings[SPELLINGS];

static inline struct spelling *spelling_of(struct fil_bytes name)
{
    size_t mixed = (size_t)name.data[0] + (size_t)name.data[name.size - 1] + name.size;
    return &spellings[mixed & (SPELLINGS - 1)];
}

/** Whether it is the command as it was spelt; without a call, for most names are short. */
static inline bool is_spelt(const struct spelling *spelling, struct fil_bytes name)
{
    if (spelling->size != name.size) {
        return false;
    }
    if (name.size < sizeof(uint16_t) || name.size > 2 * sizeof(uint16_t)) {
        return memcmp(spelling->name, name.data, name.size) == 0;
    }
    // Two halves that may overlap in the middle.
    uint16_t halves[4];
    size_t last = name.size - sizeof(uint16_t);
    memcpy(&halves[0], name.data, sizeof(uint16_t));
    memcpy(&halves[1], spelling->name, sizeof(uint16_t));
    memcpy(&halves[2], name.data + last, sizeof(uint16_t));
    memcpy(&halves[3], spelling->name + last, sizeof(uint16_t));
    return halves[0] == halves[1] && halves[2] == halves[3];
}

/** The command, if it was lately spelt so; else NULL. */
static inline const struct fil_resp_command_info *find_spelt(struct fil_bytes name)
{
    if (FIL_UNLIKELY(name.size == 0)) {
        return NULL;
    }
    const struct spelling *spelling = spelling_of(name);
    return FIL_LIKELY(is_spelt(spelling, name)) ? spelling->info : NULL;
}

/** The command by its name, whose spelling is remembered; NULL: there is none. */
FIL_COLD static const struct fil_resp_command_info *learn(struct fil_bytes name)
{
    if (name.size == 0 || name.size >= FIL_RESP_NAME_BYTES_MAX) {
        return NULL;
    }
    const struct fil_resp_command_info *info = search(name);
    if (info != NULL) {
        struct spelling *spelling = spelling_of(name);
        spelling->info = info;
        spelling->size = name.size;
        memcpy(spelling->name, name.data, name.size);
    }
    return info;
}

const struct fil_resp_command_info *fil_resp_command_find(struct fil_bytes name)
{
    const struct fil_resp_command_info *info = find_spelt(name);
    return FIL_LIKELY(info != NULL) ? info : learn(name);
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
    uint32_t fewest = fil_resp_command_words(info);
    return info->arity < 0 ? count >= fewest : count == fewest;
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

/** Answers a command that there is not, or not with so many words. */
FIL_COLD static void refuse(struct fil_resp_session *session,
                            const struct fil_resp_command *command,
                            const struct fil_resp_command_info *info) FIL_RUNS_ON(io)
{
    struct fil_output *output = fil_resp_call_open(session);
    fil_resp_transaction_fail(session);
    if (info == NULL && is_http(fil_resp_argument(command, 0))) {
        fil_resp_error(output, "ERR this is HTTP, not RESP: the connection ends");
        fil_connection_finish(session->connection, FIL_CLOSE_MALFORMED);
    } else if (info == NULL) {
        reply_unknown(session, command);
    } else if (session->transaction != NULL && info->handler == fil_resp__exec) {
        fil_resp_error(output, "EXECABORT Transaction discarded because of: "
                               "wrong number of arguments for 'exec' command");
        fil_resp_transaction_drop(session);
        fil_resp_watch_drop(session);
    } else {
        fil_resp_error(output, "ERR wrong number of arguments for '%s' command", info->name);
    }
    fil_resp_call_close(session);
}

/** The command by its name; those for debugging only where they are wanted. */
static inline const struct fil_resp_command_info *find(struct fil_resp_session *session,
                                                       struct fil_bytes name)
{
    const struct fil_resp_command_info *info = find_spelt(name);
    if (FIL_LIKELY(info != NULL)) {
        return info;
    }
    info = learn(name);
    return info == NULL && session->server->options.has_debug_commands ? fil_resp_debug__find(name)
                                                                       : info;
}

/** Runs a command that may run now; false when it has to come again. */
static inline bool run(struct fil_resp_session *session, const struct fil_resp_command_info *info,
                       const struct fil_resp_command *command) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    fil_activity_rename(&turn->runner, info->name);
    if (FIL_LIKELY(info->plan != NULL)) {
        return fil_resp_call_keys(session, info, command);
    }
    if (fil_resp_call_must_wait(session)) {
        return false;
    }
    (void)fil_resp_call_open(session);
    info->handler(session, command);
    fil_resp_call_close(session);
    bool is_held = session->is_held;
    session->is_held = false;
    return !is_held;
}

static inline struct fil_resp_count *count_of(struct fil_resp_session *session,
                                              const struct fil_resp_command_info *info)
    FIL_RUNS_ON(io)
{
    return fil_resp_tally_of(&fil_resp_group_of(session)->tally, info, session->server);
}

bool fil_resp_command_run(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    // What is under way comes first, and may use what is the session's: nothing is done meanwhile.
    if (FIL_UNLIKELY(session->has_journey)) {
        if (!fil_list_is_empty(&session->line)) {
            session->waits_for_line = true;
            return false;
        }
        fil_resp_hold_end(session);
        session->has_journey = false;
    }
    const struct fil_resp_command_info *info = find(session, fil_resp_argument(command, 0));
    if (FIL_UNLIKELY(info == NULL || !is_count_right(info, command->count))) {
        if (info != NULL) {
            fil_counter_add(&count_of(session, info)->rejected, 1);
        }
        refuse(session, command, info);
        return true;
    }
    if (FIL_UNLIKELY(session->subscriber != NULL) &&
        fil_resp_pubsub__refuse(session, command, info)) {
        return true;
    }
    if (FIL_UNLIKELY(fil_resp_pause_is_on(&session->server->pause)) &&
        fil_resp_pause_hold(session, info)) {
        return false;
    }
    if (FIL_UNLIKELY(session->transaction != NULL) && !(info->flags & FIL_RESP_AT_ONCE)) {
        fil_counter_add(&count_of(session, info)->calls, 1);
        fil_resp_transaction_queue(session, info, command);
        return true;
    }
    // Counted before, for INFO shows itself; and taken back when it comes again.
    fil_counter_add(&count_of(session, info)->calls, 1);
    bool is_over = run(session, info, command);
    if (FIL_UNLIKELY(!is_over)) {
        fil_counter_add(&count_of(session, info)->calls, UINT64_MAX);
    }
    return is_over;
}
