// SPDX-License-Identifier: Apache-2.0
/**
 * What a command wants to do with its keys: found out on the loop, before any partition is entered,
 * so that inside of one nothing is parsed and nothing can be wrong with the words.
 *
 * A plan does not point into the session: the same command is planned again by whoever runs it
 * later, on whichever thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/shelf/collection.h"
#include "grid/map/map.h"
#include "lib/net/output.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/notify.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"

struct fil_resp_command_info;
struct fil_resp_server;
struct fil_resp_session;

struct fil_resp_access;

/** Where an access will look, so that a group can ask for that memory before. */
enum fil_resp_reach {
    FIL_RESP_REACH_ENTRY,  // the key's entry
    FIL_RESP_REACH_LIST,   // the key's list, at its ends
    FIL_RESP_REACH_MEMBER, // the key's collection, and in it the member that is the value
};

/** How much of what its keys have a command that is weighed handles at most (weight.h). */
struct fil_resp_extent {
    uint32_t most;   // members; UINT32_MAX: all of them
    uint32_t spared; // members that are surely left alone
    bool is_sought;  // it has to look for its place from an end on
};

#define FIL_RESP_EXTENT_ALL \
    {                       \
        .most = UINT32_MAX  \
    }

/**
 * Runs one key of a command inside its partition. What it returns is for the kinds of plan that say
 * so; the others return 0.
 */
typedef int64_t (*fil_resp_access_fn)(struct fil_resp_access *access);

/** One key of a command, as it runs inside the key's partition. */
struct fil_resp_access {
    fil_resp_access_fn run;
    struct fil_map *map;
    struct fil_map_key key;
    struct fil_bytes value;  // what comes with the key, if anything
    struct fil_bytes second; // what comes with that, if anything
    struct fil_output *output;
    uint64_t now_ms;
    int64_t numbers[2];
    uint32_t options;
    uint8_t version;
    uint8_t reach; // enum fil_resp_reach
    bool is_write;
    bool is_counting;  // what it returns is the reply
    bool wants_string; // a collection under the key is an error, which is told before
    bool is_weighed;   // on a loop: what is there is weighed before
    bool can_put_off;  // it runs on a loop, and may leave that undone
    bool is_put_off;   // it has done so: nothing was done, it is too heavy for a loop
    struct fil_resp_extent extent;
    struct fil_resp_session *session;
    const char *name; // of the command, for the watchdog
};

struct fil_resp_plan;

/** What a command that waits remembers of a key since it began to wait. */
struct fil_resp_mark {
    uint64_t numbers[2];
    bool is_set;
};

/** Whether the plan's one key has what the command waits for, inside the key's partition. */
typedef bool (*fil_resp_news_fn)(const struct fil_resp_plan *plan,
                                 const struct fil_resp_command *command);

/** Runs all keys of a command, with all their partitions entered. */
typedef void (*fil_resp_together_fn)(const struct fil_resp_plan *plan,
                                     const struct fil_resp_command *command,
                                     struct fil_output *output);

enum fil_resp_plan_kind {
    FIL_RESP_PLAN_ONE,      // one key, whose access writes the reply
    FIL_RESP_PLAN_SUM,      // the results are summed, and the sum is the reply
    FIL_RESP_PLAN_EACH,     // an array of what the accesses write
    FIL_RESP_PLAN_ALL,      // OK, or the first error that an access returns
    FIL_RESP_PLAN_TOGETHER, // all keys at once
    FIL_RESP_PLAN_NO_KEYS,  // the command's handler answers
};

struct fil_resp_plan {
    // Set before the command's plan function is called.
    struct fil_resp_session *session;
    struct fil_map *map;
    uint64_t now_ms;
    int version;
    const char *name; // of the command

    // What the function says.
    const char *event; // for keyspace notifications; NULL: the usual one of the command
    enum fil_resp_plan_kind kind;
    enum fil_resp_reach reach;
    fil_resp_access_fn run;
    fil_resp_together_fn run_together;
    bool is_write;
    bool blocks;   // of all keys at once: writes nothing when it has to wait for something
    bool yields;   // that: leaves what others wait for to them
    bool is_joint; // that: needs all its keys, and waits for the first only
    bool has_null; // that: between MULTI and EXEC the answer is null, not a null array
    enum fil_collection_kind awaited; // that: what it waits for
    fil_resp_news_fn has_news;        // that: NULL: for anything of that kind
    struct fil_resp_mark *mark;       // that, while it waits: of its one key; else NULL
    uint64_t timeout_ns;              // that: 0: none
    bool is_slow;                     // never in place: only on a partition thread
    bool is_weighed;                  // so when what is there is huge; the table decides first
    bool is_weighed_inside;           // of one key: the access itself finds that out
    struct fil_resp_extent extent;    // of one that is weighed
    bool wants_string;                // of one key: a collection there is an error
    uint32_t first;                   // index of the first key among the words
    uint32_t step;                    // from one key to the next
    uint32_t count;
    uint32_t also;   // index of the last key when it is not in line with the others; 0: it is
    uint32_t value;  // index of the word that comes with the first key; 0: none
    uint32_t second; // the same of another word, of a command of one key
    uint32_t options;
    int64_t numbers[2];
    struct fil_map *other_map; // the second key's; NULL: as the first's
    const char *error;         // why the command cannot run; NULL: it can
    uint32_t error_word;       // index of the word that is shown behind it; 0: none
    bool shows_name;           // the command's name ends the text
    bool has_bad_time;         // that: its expiry is none, told with the command's name
    bool is_wrong_argument_count;
    const char *subcommand; // for texts with the command's name; NULL: none
};

typedef void (*fil_resp_plan_fn)(const struct fil_resp_command *command,
                                 struct fil_resp_plan *plan);

/** Plans the command; false when it cannot run, which the output is told. */
bool fil_resp_plan_make(struct fil_resp_plan *plan, struct fil_resp_session *session,
                        const struct fil_resp_command_info *info,
                        const struct fil_resp_command *command, uint64_t now_ns);

void fil_resp_plan_refuse(const struct fil_resp_plan *plan,
                          const struct fil_resp_command_info *info,
                          const struct fil_resp_command *command, struct fil_output *output);

/** The command handles no more members than that. */
static inline void fil_resp_plan_limit(struct fil_resp_plan *plan, uint64_t most)
{
    plan->extent.most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/** It leaves at least so many alone. */
static inline void fil_resp_plan_spare(struct fil_resp_plan *plan, uint64_t spared)
{
    plan->extent.spared = spared < UINT32_MAX ? (uint32_t)spared : UINT32_MAX;
}

/** One key: the access reads the words `first` and, when it is not 0, `value`. */
static inline void fil_resp_plan_one(struct fil_resp_plan *plan, fil_resp_access_fn run,
                                     uint32_t first, uint32_t value)
{
    plan->kind = FIL_RESP_PLAN_ONE;
    plan->run = run;
    plan->first = first;
    plan->count = 1;
    plan->value = value;
}

/** The same of a list. */
static inline void fil_resp_plan_list(struct fil_resp_plan *plan, fil_resp_access_fn run,
                                      uint32_t first, uint32_t value)
{
    fil_resp_plan_one(plan, run, first, value);
    plan->reach = FIL_RESP_REACH_LIST;
}

/** The same of a hash, a set or a sorted set; the value is a member. */
static inline void fil_resp_plan_member(struct fil_resp_plan *plan, fil_resp_access_fn run,
                                        uint32_t first, uint32_t value)
{
    fil_resp_plan_one(plan, run, first, value);
    plan->reach = FIL_RESP_REACH_MEMBER;
}

/** The map of the key with this index. */
static inline struct fil_map *fil_resp_plan_map(const struct fil_resp_plan *plan, uint32_t index)
{
    return index == 1 && plan->other_map != NULL ? plan->other_map : plan->map;
}

/** Where the key with this index lives. */
static inline struct fil_map_key fil_resp_plan_place(const struct fil_resp_plan *plan,
                                                     const struct fil_resp_command *command,
                                                     uint32_t index)
{
    fil_debug_assert(index < plan->count);
    bool is_apart = FIL_UNLIKELY(plan->also != 0) && index == plan->count - 1;
    uint32_t word = is_apart ? plan->also : plan->first + index * plan->step;
    return fil_map_place(fil_resp_plan_map(plan, index), fil_resp_argument(command, word));
}

/** What the accesses of all keys of the plan have in common. */
static inline void fil_resp_plan_draft(const struct fil_resp_plan *plan,
                                       struct fil_resp_access *out_access)
{
    *out_access = (struct fil_resp_access){
        .run = plan->run,
        .map = plan->map,
        .now_ms = plan->now_ms,
        .numbers = {plan->numbers[0], plan->numbers[1]},
        .options = plan->options,
        .version = (uint8_t)plan->version,
        .reach = (uint8_t)plan->reach,
        .is_write = plan->is_write,
        .wants_string = plan->wants_string,
        .is_counting = plan->kind == FIL_RESP_PLAN_SUM,
        .is_weighed = plan->is_weighed,
        .extent = plan->extent,
        .session = plan->session,
        .name = plan->name,
    };
}

/** Where a key lives, and the words that come with it. */
static inline void fil_resp_plan_address(const struct fil_resp_plan *plan,
                                         const struct fil_resp_command *command, uint32_t index,
                                         struct fil_resp_access *access)
{
    access->key = fil_resp_plan_place(plan, command, index);
    if (plan->value != 0) {
        access->value = fil_resp_argument(command, plan->value + index * plan->step);
    }
    if (FIL_UNLIKELY(plan->second != 0)) {
        access->second = fil_resp_argument(command, plan->second);
    }
}

/** The key with this index, ready to run; but for its output. */
static inline void fil_resp_plan_access(const struct fil_resp_plan *plan,
                                        const struct fil_resp_command *command, uint32_t index,
                                        struct fil_resp_access *out_access)
{
    fil_resp_plan_draft(plan, out_access);
    fil_resp_plan_address(plan, command, index, out_access);
}

/** Runs the command with all its partitions entered. */
void fil_resp_plan_run(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output);

/** Whether the write has to wait for the lock that another has on its key of that index, inside the
 * key's partition; out_wait_key says for what. */
bool fil_resp_plan_must_wait(const struct fil_resp_plan *plan, uint32_t index,
                             const struct fil_map_key *key, uint64_t *out_wait_key);

/** Whether somebody else has locked the key of a write. */
bool fil_resp_access_is_locked(const struct fil_resp_access *access, uint64_t *out_wait_key);

/** The same for one key of it, inside the key's partition. */
static inline bool fil_resp_access_must_wait(const struct fil_resp_access *access,
                                             uint64_t *out_wait_key)
{
    return FIL_UNLIKELY(access->is_write &&
                        fil_map_has_locks_here(access->map, access->key.partition_id)) &&
           fil_resp_access_is_locked(access, out_wait_key);
}

/** Whether the key has a collection and the command wants a string, which is told. */
bool fil_resp_access_is_refused(struct fil_resp_access *access);

/** Runs it, whatever has to be told of it; what its function returns. */
static inline int64_t fil_resp_access_call(struct fil_resp_access *access)
{
    return fil_resp_notify_is_on(access->session->server) ? fil_resp_notify_access(access)
                                                          : access->run(access);
}

/** The same for a command of all keys at once. */
static inline void fil_resp_plan_call(const struct fil_resp_plan *plan,
                                      const struct fil_resp_command *command,
                                      struct fil_output *output)
{
    if (fil_resp_notify_is_on(plan->session->server)) {
        fil_resp_notify_together(plan, command, output);
    } else {
        plan->run_together(plan, command, output);
    }
}

/** Inside the key's partition: runs it, and writes its reply. */
static inline void fil_resp_access_run(struct fil_resp_access *access, struct fil_output *output)
{
    access->output = output;
    if (FIL_UNLIKELY(access->wants_string) && fil_resp_access_is_refused(access)) {
        return;
    }
    int64_t result = fil_resp_access_call(access);
    if (access->is_counting) {
        fil_resp_integer(output, result);
    }
}

/** Whether what the key has is too heavy for a loop. */
FIL_INSIDE_PARTITION bool fil_resp_access_is_heavy(const struct fil_resp_access *access);

/**
 * On a loop: runs it as above, unless it is too heavy for one; then nothing has happened, and it is
 * to be handed over.
 */
static inline bool fil_resp_access_try(struct fil_resp_access *access, struct fil_output *output)
{
    if (FIL_UNLIKELY(access->is_weighed) && fil_resp_access_is_heavy(access)) {
        return false;
    }
    access->can_put_off = true;
    fil_resp_access_run(access, output);
    return FIL_LIKELY(!access->is_put_off);
}

/** What Redis says to a write that failed. */
void fil_resp_plan_tell(struct fil_output *output, int error);
