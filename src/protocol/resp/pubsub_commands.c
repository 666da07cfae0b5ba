// SPDX-License-Identifier: Apache-2.0
/** SUBSCRIBE and its kin, PUBLISH, PUBSUB; and what a subscribed connection may still say. */
#include <stdio.h>
#include <string.h>

#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/resp/call.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/publish.h"
#include "protocol/resp/pubsub.h"
#include "protocol/resp/pubsub_commands_internal.h"
#include "protocol/resp/pubsub_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define HUNT_STEPS 1024U // between two looks at the turn's time

/** Redis's confirmation: what, to which, and to how many it listens now; NULL: to none. */
static void confirm(struct fil_resp_session *session, const char *what,
                    const struct fil_bytes *name)
{
    struct fil_output *output = fil_resp_output(session);
    const struct fil_resp_subscriber *subscriber = session->subscriber;
    uint32_t count = subscriber == NULL ? 0 : subscriber->set.count;
    // Relaxed: for CLIENT LIST, which wants a recent figure.
    atomic_store_explicit(&session->topic_count, count, memory_order_relaxed);
    fil_resp_push(output, fil_resp_version(session), 3);
    fil_resp_bulk_text(output, what);
    if (name == NULL) {
        fil_resp_null(output, fil_resp_version(session));
    } else {
        fil_resp_bulk(output, *name);
    }
    fil_resp_integer(output, count);
}

static void reply_failure(struct fil_resp_session *session, int error)
{
    struct fil_output *output = fil_resp_output(session);
    if (error == FIL_E_NOMEM) {
        fil_resp_out_of_memory(output);
    } else if (error == FIL_E_INVALID) {
        fil_resp_error(output, "%s", FIL_RESP_PATTERN_TOO_LONG);
    } else if (session->subscriber == NULL) {
        fil_resp_error(output, "ERR too many subscribers for event.capacity");
    } else {
        fil_resp_error(output,
                       "ERR too many channels and patterns on one connection: "
                       "event.subscriptions_max is %u",
                       session->server->options.subscriptions_max);
    }
}

/**
 * Whether the loop should see to others before the command goes on; it comes again then. Not
 * before something was done, so that it ends.
 */
static bool must_yield(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    struct fil_turn *turn = session->connection->loop->context;
    fil_turn_step(turn);
    if (!fil_turn_is_spent(turn) && !fil_connection_is_output_full(session->connection)) {
        return false;
    }
    session->is_held = true;
    fil_connection_yield(session->connection);
    return true;
}

bool fil_resp_pubsub__hunt(struct fil_resp_session *session, struct fil_bytes word)
{
    while (!fil_resp_hunt__go_on(session->hunt, word, HUNT_STEPS)) {
        if (must_yield(session)) {
            return false;
        }
    }
    return true;
}

/** Where a command with many words goes on; it begins with the first behind its name. */
static uint32_t begin_words(const struct fil_resp_session *session)
{
    return session->words_done == 0 ? 1 : session->words_done;
}

static void subscribe(struct fil_resp_session *session, const struct fil_resp_command *command,
                      const char *what, bool is_pattern) FIL_RUNS_ON(io)
{
    struct fil_resp_subscriber *subscriber = NULL;
    int error = fil_resp_subscriber_get(session, &subscriber);
    for (uint32_t i = begin_words(session); error == FIL_OK && i < command->count; i++) {
        struct fil_bytes name = fil_resp_argument(command, i);
        error = is_pattern && name.size > FIL_RESP_PATTERN_BYTES_MAX
                    ? FIL_E_INVALID
                    : fil_resp_subscriber_add(subscriber, name, is_pattern);
        if (error == FIL_OK) {
            confirm(session, what, &name);
        }
        if (error == FIL_OK && i + 1 < command->count && must_yield(session)) {
            session->words_done = i + 1;
            return;
        }
    }
    session->words_done = 0;
    if (error != FIL_OK) {
        reply_failure(session, error);
    }
}

/** The topic is held meanwhile: its name is told after it may be gone. */
static void unsubscribe_all(struct fil_resp_session *session, const char *what, bool is_pattern)
    FIL_RUNS_ON(io)
{
    struct fil_resp_subscriber *subscriber = session->subscriber;
    struct fil_resp_topic *topic =
        subscriber == NULL ? NULL : fil_resp_subscriber_first(subscriber, is_pattern);
    if (topic == NULL) {
        confirm(session, what, NULL);
        return;
    }
    while (topic != NULL) {
        fil_resp_topic__ref(topic);
        fil_resp_subscriber_remove(subscriber, topic->name, is_pattern);
        confirm(session, what, &topic->name);
        fil_resp_topic__unref(topic);
        topic = fil_resp_subscriber_first(subscriber, is_pattern);
        if (topic != NULL && must_yield(session)) {
            return;
        }
    }
}

static void unsubscribe(struct fil_resp_session *session, const struct fil_resp_command *command,
                        const char *what, bool is_pattern) FIL_RUNS_ON(io)
{
    if (command->count == 1) {
        unsubscribe_all(session, what, is_pattern);
        return;
    }
    for (uint32_t i = begin_words(session); i < command->count; i++) {
        struct fil_bytes name = fil_resp_argument(command, i);
        if (session->subscriber != NULL) {
            fil_resp_subscriber_remove(session->subscriber, name, is_pattern);
        }
        confirm(session, what, &name);
        if (i + 1 < command->count && must_yield(session)) {
            session->words_done = i + 1;
            return;
        }
    }
    session->words_done = 0;
}

bool fil_resp_pubsub__forget(struct fil_resp_session *session)
{
    if (session->subscriber != NULL && !fil_resp_subscriber_quit_some(session->subscriber)) {
        session->is_held = true;
        fil_connection_yield(session->connection);
        return false;
    }
    // Relaxed: for CLIENT LIST, which wants a recent figure.
    atomic_store_explicit(&session->topic_count, 0, memory_order_relaxed);
    return true;
}

FIL_RESP_HANDLER(subscribe)
{
    fil_role_assert_io();
    subscribe(session, command, "subscribe", false);
}

FIL_RESP_HANDLER(psubscribe)
{
    fil_role_assert_io();
    subscribe(session, command, "psubscribe", true);
}

FIL_RESP_HANDLER(unsubscribe)
{
    fil_role_assert_io();
    unsubscribe(session, command, "unsubscribe", false);
}

FIL_RESP_HANDLER(punsubscribe)
{
    fil_role_assert_io();
    unsubscribe(session, command, "punsubscribe", true);
}

FIL_RESP_HANDLER(publish)
{
    fil_role_assert_io();
    fil_resp_publish(session, fil_resp_argument(command, 1), fil_resp_argument(command, 2));
}

static void write_topics(struct fil_output *output, struct fil_resp_topic *const *topics,
                         uint32_t count)
{
    fil_resp_array(output, count);
    for (uint32_t i = 0; i < count; i++) {
        fil_resp_bulk(output, topics[i]->name);
    }
}

/** NULL: all of them. */
static void write_channels(struct fil_resp_session *session, const struct fil_bytes *pattern)
{
    struct fil_output *output = fil_resp_output(session);
    const struct fil_resp_hunt *hunt = session->hunt;
    if (hunt == NULL || hunt->is_out_of_memory) {
        fil_resp_out_of_memory(output);
    } else if (pattern == NULL) {
        write_topics(output, hunt->book->topics, hunt->book->count);
    } else {
        write_topics(output, hunt->found, hunt->found_count);
    }
}

static void reply_channels(struct fil_resp_session *session, const struct fil_bytes *pattern)
    FIL_RUNS_ON(io)
{
    if (pattern != NULL && pattern->size > FIL_RESP_PATTERN_BYTES_MAX) {
        fil_resp_error(fil_resp_output(session), "%s", FIL_RESP_PATTERN_TOO_LONG);
        return;
    }
    if (session->hunt == NULL) {
        struct fil_resp_book *book = fil_resp_topic__channels(&session->server->pubsub);
        session->hunt = book == NULL ? NULL : fil_resp_hunt__new(book);
    }
    if (session->hunt != NULL && pattern != NULL && !fil_resp_pubsub__hunt(session, *pattern)) {
        return; // it comes again
    }
    write_channels(session, pattern);
    fil_resp_hunt__free(session->hunt);
    session->hunt = NULL;
}

static void reply_counts(struct fil_resp_session *session, const struct fil_resp_command *command)
{
    struct fil_output *output = fil_resp_output(session);
    fil_resp_array(output, (uint64_t)(command->count - 2) * 2);
    for (uint32_t i = 2; i < command->count; i++) {
        struct fil_bytes name = fil_resp_argument(command, i);
        fil_resp_bulk(output, name);
        fil_resp_integer(output, fil_resp_pubsub_count(&session->server->pubsub, name));
    }
}

static const char *const help_lines[] = {
    "PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "CHANNELS [<pattern>]",
    "    Return the currently active channels matching a <pattern> (default: '*').",
    "NUMPAT",
    "    Return number of subscriptions to patterns.",
    "NUMSUB [<channel> ...]",
    "    Return the number of subscribers for the specified channels, excluding",
    "    pattern subscriptions(default: no channels).",
    "HELP",
    "    Prints this help.",
};

static void reply_help(struct fil_resp_session *session)
{
    struct fil_output *output = fil_resp_output(session);
    fil_resp_array(output, FIL_COUNT_OF(help_lines));
    for (size_t i = 0; i < FIL_COUNT_OF(help_lines); i++) {
        fil_resp_simple(output, help_lines[i]);
    }
}

static bool is_word(const struct fil_resp_command *command, const char *word)
{
    return fil_bytes_equal_nocase(fil_resp_argument(command, 1), fil_bytes_of(word));
}

FIL_RESP_HANDLER(pubsub)
{
    fil_role_assert_io();
    struct fil_output *output = fil_resp_output(session);
    struct fil_bytes word = fil_resp_argument(command, 1);
    uint32_t count = command->count;
    if (is_word(command, "channels") && count <= 3) {
        struct fil_bytes pattern =
            count == 3 ? fil_resp_argument(command, 2) : fil_bytes_make(NULL, 0);
        reply_channels(session, count == 3 ? &pattern : NULL);
    } else if (is_word(command, "channels")) {
        fil_resp_error(output,
                       "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try PUBSUB "
                       "HELP.",
                       (int)word.size, (const char *)word.data);
    } else if (is_word(command, "numsub")) {
        reply_counts(session, command);
    } else if (is_word(command, "numpat") || is_word(command, "help")) {
        bool is_help = is_word(command, "help");
        if (count != 2) {
            fil_resp_error(output, "ERR wrong number of arguments for 'pubsub|%s' command",
                           is_help ? "help" : "numpat");
        } else if (is_help) {
            reply_help(session);
        } else {
            fil_resp_integer(output, fil_resp_pubsub_pattern_count(&session->server->pubsub));
        }
    } else {
        fil_resp_error(output, "ERR unknown subcommand '%.*s'. Try PUBSUB HELP.",
                       (int)(word.size < 128 ? word.size : 128), (const char *)word.data);
    }
}

bool fil_resp_pubsub__is_subscribed(const struct fil_resp_session *session)
{
    return session->subscriber != NULL && session->subscriber->set.count > 0 &&
           fil_resp_version(session) == 2;
}

/** Commands with subcommands, which Redis names with them. */
static bool has_subcommands(const char *name)
{
    static const char *const names[] = {"client", "command", "config", "pubsub"};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/** The word in lower case, cut to what is shown. */
static void to_lower(struct fil_bytes word, char text[FIL_RESP_NAME_BYTES_MAX])
{
    size_t size = word.size < FIL_RESP_NAME_BYTES_MAX ? word.size : FIL_RESP_NAME_BYTES_MAX - 1;
    for (size_t i = 0; i < size; i++) {
        bool is_upper = word.data[i] >= 'A' && word.data[i] <= 'Z';
        text[i] = (char)(is_upper ? word.data[i] | 0x20 : word.data[i]);
    }
    text[size] = '\0';
}

bool fil_resp_pubsub__refuse(struct fil_resp_session *session,
                             const struct fil_resp_command *command,
                             const struct fil_resp_command_info *info)
{
    if (!fil_resp_pubsub__is_subscribed(session) || (info->flags & FIL_RESP_SUBSCRIBED) != 0) {
        return false;
    }
    char word[FIL_RESP_NAME_BYTES_MAX] = "";
    bool has_word = has_subcommands(info->name) && command->count > 1;
    if (has_word) {
        to_lower(fil_resp_argument(command, 1), word);
    }
    fil_resp_error(fil_resp_call_open(session),
                   "ERR Can't execute '%s%s%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / "
                   "QUIT / RESET are allowed in this context",
                   info->name, has_word ? "|" : "", word);
    fil_resp_call_close(session);
    return true;
}
