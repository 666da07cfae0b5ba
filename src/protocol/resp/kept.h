// SPDX-License-Identifier: Apache-2.0
/**
 * A command that is kept beyond its turn: its words are copied, or, when they are huge, stay where
 * they were received, and that memory leaves the connection with the command: a loop copies no
 * MiBs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/conc/role.h"
#include "lib/mem/parcel.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/session.h"

struct fil_resp_kept {
    struct fil_resp_command command;
    struct fil_parcel parcel; // with the words of a huge one
};

/** Whether the command that runs now is huge, and its words are still the connection's. */
static inline bool fil_resp_is_huge(const struct fil_resp_session *session)
{
    return FIL_UNLIKELY(session->huge_end != NULL);
}

/** Bytes of room that keep needs. */
size_t fil_resp_kept_bytes(const struct fil_resp_session *session,
                           const struct fil_resp_command *command) FIL_RUNS_ON(io);

/**
 * Keeps the command that runs now, in the room, as long as that lives and until it is dropped.
 * False: no memory for what was received behind a huge one, and nothing has happened. The group is
 * empty, for what is in it may be in the same memory.
 */
bool fil_resp_keep(struct fil_resp_session *session, const struct fil_resp_command *command,
                   void *room, struct fil_resp_kept *out_kept) FIL_RUNS_ON(io) FIL_NODISCARD;

/** Frees what a huge one has taken with it; its words are gone. May be done twice. */
static inline void fil_resp_kept_drop(struct fil_resp_kept *kept)
{
    fil_parcel_free(&kept->parcel);
}

/** Copies one word to the room, which then begins behind it. */
struct fil_bytes fil_resp_copy_word(uint8_t **room, struct fil_bytes bytes);
