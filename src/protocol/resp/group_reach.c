// SPDX-License-Identifier: Apache-2.0
/**
 * The memory that commands on collections need, asked for before they run: the key's record on the
 * shelf, the collection that it refers to, and in that what the command looks at.
 *
 * Everything is a guess: a record may be another key's of the same tag. Then something is asked for
 * that nobody needs, and the command waits for its own memory.
 */
#include "protocol/resp/group.h"

#include <string.h>

#include "grid/map/shelf.h"

#define BOX_LINES 5U // of a collection: its members' table and slab, their account, the order

/** From the key to its record. */
FIL_PREFETCHES static void reach_records(struct fil_resp_grouped *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_map_prefetch_collection_here(commands[i].access.map, &commands[i].access.key);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_access *access = &commands[i].access;
        commands[i].guess = fil_map_guess_collection_here(access->map, &access->key);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_access *access = &commands[i].access;
        fil_map_prefetch_collection_guess_here(access->map, &access->key, commands[i].guess);
    }
}

/** From there to what its collection begins with. */
FIL_PREFETCHES static void reach_collections(struct fil_resp_grouped *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_access *access = &commands[i].access;
        commands[i].collection =
            fil_map_guessed_collection_here(access->map, &access->key, commands[i].guess);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_collection *collection = commands[i].collection;
        if (collection == NULL) {
            continue;
        }
        if (collection->kind == FIL_COLLECTION_LIST) {
            fil_items_prefetch(&collection->items);
        } else if (collection->kind != FIL_COLLECTION_STREAM) {
            const uint8_t *box = (const uint8_t *)collection->box;
            for (uint32_t line = 0; line < BOX_LINES; line++) {
                FIL_PREFETCH(box + (size_t)line * FIL_CACHE_LINE);
            }
        }
    }
}

static bool has_member(const struct fil_resp_grouped *command)
{
    return command->access.reach == FIL_RESP_REACH_MEMBER && command->collection != NULL &&
           command->collection->kind != FIL_COLLECTION_LIST &&
           command->collection->kind != FIL_COLLECTION_STREAM;
}

/** From there to the ends of lists. */
FIL_PREFETCHES static void reach_ends(const struct fil_resp_grouped *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_collection *collection = commands[i].collection;
        if (collection != NULL && collection->kind == FIL_COLLECTION_LIST) {
            fil_items_prefetch_ends(&collection->items);
        }
    }
}

/** From there to the member. */
FIL_PREFETCHES static void reach_members(struct fil_resp_grouped *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fil_resp_grouped *command = &commands[i];
        if (!has_member(command)) {
            command->collection = NULL;
            continue;
        }
        command->member_hash = fil_collection_hash(command->collection, command->access.value);
        fil_store_prefetch(&command->collection->box->store, command->member_hash);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_grouped *command = &commands[i];
        commands[i].guess =
            command->collection == NULL
                ? FIL_SLAB_NONE
                : fil_store_guess(&command->collection->box->store, command->member_hash);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (commands[i].guess != FIL_SLAB_NONE) {
            fil_store_prefetch_guess(&commands[i].collection->box->store, commands[i].guess);
        }
    }
}

/** Whether it is going to change the order of a sorted set, about where its first number says. */
static bool has_score(const struct fil_resp_grouped *command)
{
    return command->collection != NULL && command->collection->kind == FIL_COLLECTION_ZSET &&
           command->access.is_write;
}

/** From there to the places of scores. */
FIL_PREFETCHES static void reach_scores(const struct fil_resp_grouped *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (has_score(&commands[i])) {
            fil_ranking_prefetch(&commands[i].collection->box->ranking);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (has_score(&commands[i])) {
            double score = 0;
            memcpy(&score, &commands[i].access.numbers[0], sizeof(score));
            fil_ranking_prefetch_leaf(&commands[i].collection->box->ranking, score);
        }
    }
}

FIL_PREFETCHES void fil_resp_group__reach(struct fil_resp_grouped *commands, uint32_t count)
{
    reach_records(commands, count);
    reach_collections(commands, count);
    reach_ends(commands, count);
    reach_members(commands, count);
    reach_scores(commands, count);
}
