// SPDX-License-Identifier: Apache-2.0
/** What commands on hashes, sets and sorted sets share: opening keys, scanning, drawing lots. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/shelf/bundle.h"
#include "grid/map/shelf.h"
#include "lib/base/prng.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/plan.h"

/** What the access's key has of a kind; false when it has another type, as is told. */
FIL_INSIDE_PARTITION bool fil_resp_members_open(struct fil_resp_access *access,
                                                enum fil_collection_kind kind,
                                                struct fil_bundle *out_bundle);

/** The same for who wants to put something. */
FIL_INSIDE_PARTITION bool fil_resp_members_need(struct fil_resp_access *access,
                                                enum fil_collection_kind kind,
                                                struct fil_bundle *out_bundle);

/** After a change through the bundle. */
FIL_INSIDE_PARTITION void fil_resp_members_touch(const struct fil_resp_access *access,
                                                 struct fil_bundle *bundle);

/** A plan of one key whose command has more words than an access takes. */
void fil_resp_members_plan(struct fil_resp_plan *plan, fil_resp_together_fn run);

/** The access of such a plan's key. */
void fil_resp_members_access(const struct fil_resp_plan *plan,
                             const struct fil_resp_command *command, struct fil_output *output,
                             struct fil_resp_access *out_access);

/** One of the keys of a command, with what it has. */
struct fil_resp_place {
    struct fil_map *map;
    struct fil_map_key key;
    struct fil_bundle bundle;
};

/** What the key with this index has of a kind; false when it has another type, as is told. */
FIL_INSIDE_PARTITION bool fil_resp_members_open_at(const struct fil_resp_plan *plan,
                                                   const struct fil_resp_command *command,
                                                   uint32_t index, enum fil_collection_kind kind,
                                                   struct fil_output *output,
                                                   struct fil_resp_place *out_place);

/** Reads LIMIT of SINTERCARD and its kin, behind the keys; it is the first number. */
void fil_resp_members_read_limit(const struct fil_resp_command *command,
                                 struct fil_resp_plan *plan);

/** A result that is being put together, before it is told or takes a key's place. */
struct fil_resp_draft {
    struct fil_shelf *shelf; // with one key
    struct fil_bundle bundle;
    int error; // why it is not complete; FIL_OK: it is
};

/** False without memory, as is told. */
bool fil_resp_draft_init(struct fil_resp_draft *draft, const struct fil_resp_plan *plan,
                         enum fil_collection_kind kind, struct fil_output *output);
void fil_resp_draft_fini(struct fil_resp_draft *draft);

/** Gives the key what is in the draft, which is empty then; an empty one removes the key.
 * FIL_E_NOMEM: the key has what it had. */
FIL_INSIDE_PARTITION int fil_resp_draft_store(struct fil_resp_draft *draft,
                                              const struct fil_resp_plan *plan,
                                              const struct fil_map_key *key) FIL_NODISCARD;

/** The same, and the reply: how many there are, or what is wrong. */
FIL_INSIDE_PARTITION void fil_resp_draft_reply_stored(struct fil_resp_draft *draft,
                                                      const struct fil_resp_plan *plan,
                                                      const struct fil_map_key *key,
                                                      struct fil_output *output);

/** Plans HSCAN and its kin; the kind is the plan's first number. */
void fil_resp_members_plan_scan(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                                enum fil_collection_kind kind);

/**
 * Plans HRANDFIELD and its kin: how many are wanted is the first number, a seed the second.
 * The options say whether a number was given, and whether values are wanted with it.
 */
enum fil_resp_lot_option {
    FIL_RESP_LOT_COUNTED = 1U << 0,
    FIL_RESP_LOT_WITH_VALUES = 1U << 1,
};
void fil_resp_members_plan_lots(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                                fil_resp_access_fn run, const char *values_word);

/** Told how many will be drawn, then of each of them. */
struct fil_resp_lots {
    void (*begin)(void *context, uint64_t count);
    fil_dict_visit_fn visit;
    void *context;
};

/** Draws members: up to `wanted` different ones or, when it is negative, that many in all. */
FIL_INSIDE_PARTITION void fil_resp_members_draw(struct fil_bundle *bundle, int64_t wanted,
                                                uint64_t seed, const struct fil_resp_lots *lots);

/** Randomness from the environment, for a plan. */
uint64_t fil_resp_members_seed(const struct fil_resp_plan *plan);
