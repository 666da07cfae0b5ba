// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/client_filter.h"

#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define SHOWN_BYTES_MAX 64U

static bool is_id(const struct fil_resp_command *command, uint32_t index, int64_t *out_id)
{
    return fil_resp_word_to_integer(fil_resp_argument(command, index), out_id) && *out_id > 0;
}

/** Answers that the word is none that may stand there. */
static bool refuse_word(struct fil_output *output, const char *what, struct fil_bytes word)
{
    fil_resp_error(output, "ERR %s '%.*s'", what,
                   (int)(word.size < SHOWN_BYTES_MAX ? word.size : SHOWN_BYTES_MAX),
                   (const char *)word.data);
    return false;
}

static bool read_type(const struct fil_resp_command *command, uint32_t index,
                      struct fil_output *output, enum fil_resp_client_type *out_type)
{
    if (fil_resp_word_is(command, index, "normal")) {
        *out_type = FIL_RESP_CLIENT_NORMAL;
    } else if (fil_resp_word_is(command, index, "pubsub")) {
        *out_type = FIL_RESP_CLIENT_PUBSUB;
    } else if (fil_resp_word_is(command, index, "master") ||
               fil_resp_word_is(command, index, "replica") ||
               fil_resp_word_is(command, index, "slave")) {
        *out_type = FIL_RESP_CLIENT_OTHER;
    } else {
        return refuse_word(output, "Unknown client type", fil_resp_argument(command, index));
    }
    return true;
}

bool fil_resp_client_filter_of_list(const struct fil_resp_command *command,
                                    struct fil_output *output,
                                    struct fil_resp_client_filter *out_filter)
{
    int64_t id = 0;
    *out_filter = (struct fil_resp_client_filter){.command = command};
    if (command->count == 4 && fil_resp_word_is(command, 2, "type")) {
        return read_type(command, 3, output, &out_filter->type);
    }
    if (command->count > 3 && fil_resp_word_is(command, 2, "id")) {
        out_filter->first_id = 3;
        out_filter->id_end = command->count;
        for (uint32_t i = 3; i < command->count; i++) {
            if (!is_id(command, i, &id)) {
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

static bool read_skipme(const struct fil_resp_command *command, uint32_t index,
                        struct fil_output *output, bool *out_spares_caller)
{
    *out_spares_caller = fil_resp_word_is(command, index, "yes");
    bool is_sound = *out_spares_caller || fil_resp_word_is(command, index, "no");
    if (!is_sound) {
        fil_resp_error(output, FIL_RESP_SYNTAX);
    }
    return is_sound;
}

/** Reads the filter at the index and the word behind it. */
static bool read_pair(struct fil_resp_client_filter *filter, uint32_t index,
                      struct fil_output *output)
{
    const struct fil_resp_command *command = filter->command;
    int64_t id = 0;
    if (index + 1 >= command->count) {
        fil_resp_error(output, FIL_RESP_SYNTAX);
        return false;
    }
    if (fil_resp_word_is(command, index, "id")) {
        filter->first_id = index + 1;
        filter->id_end = index + 2;
        if (!is_id(command, index + 1, &id)) {
            fil_resp_error(output, "ERR client-id should be greater than 0");
            return false;
        }
        return true;
    }
    if (fil_resp_word_is(command, index, "type")) {
        return read_type(command, index + 1, output, &filter->type);
    }
    if (fil_resp_word_is(command, index, "addr")) {
        filter->has_address = true;
        filter->address = fil_resp_argument(command, index + 1);
        return true;
    }
    if (fil_resp_word_is(command, index, "user")) {
        return fil_resp_word_is(command, index + 1, "default") ||
               refuse_word(output, "No such user", fil_resp_argument(command, index + 1));
    }
    if (fil_resp_word_is(command, index, "skipme")) {
        return read_skipme(command, index + 1, output, &filter->spares_caller);
    }
    fil_resp_error(output, FIL_RESP_SYNTAX);
    return false;
}

bool fil_resp_client_filter_of_kill(const struct fil_resp_command *command,
                                    struct fil_output *output,
                                    struct fil_resp_client_filter *out_filter)
{
    *out_filter = (struct fil_resp_client_filter){.command = command, .spares_caller = true};
    fil_assert(command->count >= 3);
    if (command->count == 3) {
        out_filter->has_address = true;
        out_filter->address = fil_resp_argument(command, 2);
        out_filter->spares_caller = false;
        return true;
    }
    for (uint32_t i = 2; i < command->count; i += 2) {
        if (!read_pair(out_filter, i, output)) {
            return false;
        }
    }
    return true;
}

static bool has_listed_id(const struct fil_resp_client_filter *filter, uint64_t id)
{
    int64_t wanted = 0;
    for (uint32_t i = filter->first_id; i < filter->id_end; i++) {
        if (is_id(filter->command, i, &wanted) && (uint64_t)wanted == id) {
            return true;
        }
    }
    return filter->first_id == 0;
}

static bool has_type(const struct fil_resp_session *session, enum fil_resp_client_type type)
{
    // Relaxed: a recent figure will do.
    bool is_subscribed = atomic_load_explicit(&session->topic_count, memory_order_relaxed) > 0;
    switch (type) {
    case FIL_RESP_CLIENT_NORMAL:
        return !is_subscribed;
    case FIL_RESP_CLIENT_PUBSUB:
        return is_subscribed;
    case FIL_RESP_CLIENT_OTHER:
        return false;
    case FIL_RESP_CLIENT_ANY:
        break;
    }
    return true;
}

bool fil_resp_client_filter_matches(const struct fil_resp_client_filter *filter,
                                    const struct fil_resp_session *session)
{
    char peer[FIL_ADDRESS_TEXT_MAX];
    const struct fil_connection *connection = session->connection;
    return has_type(session, filter->type) && has_listed_id(filter, connection->id) &&
           (!filter->has_address ||
            fil_bytes_equal_text(filter->address, fil_address_format(&connection->peer, peer)));
}
