// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/kept.h"

#include <string.h>

#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "protocol/resp/group.h"

struct fil_bytes fil_resp_copy_word(uint8_t **room, struct fil_bytes bytes)
{
    uint8_t *copy = *room;
    if (bytes.size > 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    *room += bytes.size;
    return fil_bytes_make(copy, bytes.size);
}

static size_t list_bytes(const struct fil_resp_command *command)
{
    return command->count * sizeof(struct fil_resp_argument);
}

size_t fil_resp_kept_bytes(const struct fil_resp_session *session,
                           const struct fil_resp_command *command)
{
    size_t size = list_bytes(command);
    for (uint32_t i = 0; i < command->count && !fil_resp_is_huge(session); i++) {
        size += command->arguments[i].size;
    }
    return size;
}

static struct fil_resp_command copy(const struct fil_resp_command *command, void *room)
{
    struct fil_resp_argument *arguments = room;
    uint8_t *base = (uint8_t *)(arguments + command->count);
    uint8_t *end = base;
    for (uint32_t i = 0; i < command->count; i++) {
        size_t offset = (size_t)(end - base);
        struct fil_bytes copy = fil_resp_copy_word(&end, fil_resp_argument(command, i));
        arguments[i] = (struct fil_resp_argument){.offset = offset, .size = copy.size};
    }
    return (struct fil_resp_command){.base = base, .arguments = arguments, .count = command->count};
}

/** Takes what was received, up to the end of the command. */
static bool take(struct fil_resp_session *session, const struct fil_resp_command *command,
                 void *room, struct fil_resp_kept *out_kept) FIL_RUNS_ON(io)
{
    fil_assert(fil_resp_group_of(session)->count == 0);
    if (!fil_connection_take_input(session->connection, session->huge_end, &out_kept->parcel)) {
        return false;
    }
    session->huge_end = NULL;
    memcpy(room, command->arguments, list_bytes(command));
    out_kept->command = *command;
    out_kept->command.arguments = room;
    return true;
}

bool fil_resp_keep(struct fil_resp_session *session, const struct fil_resp_command *command,
                   void *room, struct fil_resp_kept *out_kept)
{
    *out_kept = (struct fil_resp_kept){0};
    if (fil_resp_is_huge(session)) {
        return take(session, command, room, out_kept);
    }
    out_kept->command = copy(command, room);
    return true;
}
