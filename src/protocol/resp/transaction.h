// SPDX-License-Identifier: Apache-2.0
/**
 * MULTI and EXEC: commands that wait for EXEC and then run as one, with all their partitions
 * entered at once, so that nobody sees the one done and the other not.
 *
 * Order:  EXEC waits for the commands before it, and the commands after it wait
 * for EXEC. Memory: commands are copied and charged to the budget; their number is limited.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/conc/role.h"
#include "lib/mem/parcel.h"
#include "protocol/resp/command.h"
#include "protocol/resp/session.h"

#define FIL_RESP_TRANSACTION_COMMANDS_MAX 1048576U

struct fil_resp_queued {
    struct fil_resp_queued *next;
    const struct fil_resp_command_info *info;
    struct fil_resp_command command;
    struct fil_parcel parcel; // with the words of a huge one
    uint64_t bytes;           // drawn from the budget
};

struct fil_resp_transaction {
    struct fil_resp_queued *first;
    struct fil_resp_queued *last;
    uint32_t count;
    uint32_t publish_count; // of those: PUBLISH
    uint64_t word_count;    // of all commands: as many keys they have at most
    uint64_t word_bytes;    // of these words
    uint64_t write_count;   // commands that may need memory
    uint64_t write_bytes;   // and what comes with them
    bool is_failed;         // a command was refused: EXEC will be too
};

/** Queues the command and answers so, or says why it cannot be queued. */
void fil_resp_transaction_queue(struct fil_resp_session *session,
                                const struct fil_resp_command_info *info,
                                const struct fil_resp_command *command) FIL_RUNS_ON(io);

/** A command was refused before it could be queued. */
void fil_resp_transaction_fail(struct fil_resp_session *session);

/** Ends the transaction, if there is one, and forgets its commands; watches stay. */
void fil_resp_transaction_drop(struct fil_resp_session *session);
