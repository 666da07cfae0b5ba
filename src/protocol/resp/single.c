// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/single.h"

#include <string.h>

#include "core/exec/activity.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/call.h"
#include "protocol/resp/door.h"
#include "protocol/resp/kept.h"
#include "protocol/resp/reply.h"

#define STEP_NS_MAX UINT64_C(100000) // then whoever waits for this thread gets his turn
#define BULKY_BYTES 1024U            // of words, beyond which a write may be refused for others

/** Commands of one session, with the words they need behind them. */
struct train {
    struct fil_resp_call call;
    uint32_t position; // the next one
    uint32_t count;
    struct fil_resp_access accesses[];
};

/** What became of the next command. */
enum progress {
    PROGRESS_DONE,
    PROGRESS_ELSEWHERE, // it can only go on inside the command's own partition
    PROGRESS_PARKED,
};

/** Its key is locked by another: waits for that, or answers that it cannot. */
static enum progress wait_for_lock(struct train *train, const struct fil_resp_access *access,
                                   struct fil_partition *home, uint64_t wait_key)
{
    struct fil_resp_call *call = &train->call;
    if (access->key.partition_id != home->id) {
        return PROGRESS_ELSEWHERE;
    }
    int error = fil_partition_park(home, &call->op, wait_key);
    if (error == FIL_OK) {
        return PROGRESS_PARKED;
    }
    fil_resp_error(&call->reply, "ERR %s", fil_error_text(error));
    return PROGRESS_DONE;
}

/** Whether only a peer that is gone would learn what the command finds. */
static bool is_for_nobody(const struct train *train, const struct fil_resp_access *access)
{
    // Relaxed: the flag says nothing but itself.
    return !access->is_write &&
           atomic_load_explicit(&train->call.is_unwanted, memory_order_relaxed);
}

static enum progress run_next(struct train *train, const struct fil_resp_door *door)
{
    struct fil_resp_access *access = &train->accesses[train->position];
    struct fil_partition *partition = fil_resp_door_enter(door, access->key.partition_id);
    uint64_t wait_key = 0;
    if (partition == NULL) {
        return PROGRESS_ELSEWHERE;
    }
    access->now_ms = fil_map_now_ms(access->map, door->runner->now_ns);
    if (FIL_UNLIKELY(fil_resp_access_must_wait(access, &wait_key))) {
        fil_resp_door_step_out(door, partition);
        return wait_for_lock(train, access, door->home, wait_key);
    }
    if (!is_for_nobody(train, access)) {
        fil_activity_rename(door->runner, access->name);
        fil_resp_access_run(access, &train->call.reply);
    }
    fil_resp_door_leave(door, partition);
    return PROGRESS_DONE;
}

/** Goes on until all is done, one has to wait, or it has taken its time. */
static enum fil_op_outcome step_train(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct train *train = FIL_CONTAINER_OF(call, struct train, call);
    struct fil_resp_door door = fil_resp_door_of(partition);
    struct fil_env *env = call->session->server->options.env;
    uint64_t until_ns = train->count > 1 ? fil_env_now_ns(env) + STEP_NS_MAX : 0;
    enum progress progress = PROGRESS_DONE;
    bool is_due = false;
    while (progress == PROGRESS_DONE && train->position < train->count && !is_due) {
        progress = run_next(train, &door);
        train->position += progress == PROGRESS_DONE;
        is_due = train->position < train->count && fil_env_now_ns(env) >= until_ns;
    }
    if (progress == PROGRESS_PARKED) {
        return FIL_OP_PARKED;
    }
    if (train->position < train->count) {
        call->next = train->accesses[train->position].key.partition_id;
    }
    return FIL_OP_DONE;
}

static uint8_t *copy_words(struct fil_resp_access *access, uint8_t *room)
{
    access->key.bytes = fil_resp_copy_word(&room, access->key.bytes);
    access->value = fil_resp_copy_word(&room, access->value);
    access->second = fil_resp_copy_word(&room, access->second);
    return room;
}

/** Answers a write whose words found no memory to wait in; it has done nothing. */
static int64_t refuse_access(struct fil_resp_access *access)
{
    fil_resp_out_of_memory(access->output);
    return 0;
}

/** Whether the command does not go with the others when memory is short: a write of many bytes. */
static bool is_bulky(const struct fil_resp_access *access)
{
    return access->is_write && access->value.size + access->second.size > BULKY_BYTES;
}

/** In the place of the command, so that it is refused in its turn. */
static void strip(struct fil_resp_access *access)
{
    access->run = refuse_access;
    access->value = (struct fil_bytes){0};
    access->second = (struct fil_bytes){0};
    access->is_write = false; // it waits for no lock
    access->is_counting = false;
    access->wants_string = false;
}

/** Moves the accesses of the session to the train; returns how many of other sessions there are. */
static uint32_t load(struct train *train, struct fil_resp_grouped *commands, uint32_t count)
{
    uint8_t *room = (uint8_t *)&train->accesses[train->count];
    uint32_t kept = 0;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (commands[i].access.session != train->call.session) {
            commands[kept] = commands[i];
            kept++;
        } else {
            struct fil_resp_access *access = &train->accesses[moved];
            *access = commands[i].access;
            access->can_put_off = false;
            access->is_put_off = false;
            room = copy_words(access, room);
            moved++;
        }
    }
    fil_assert(moved == train->count);
    return kept;
}

/** How many of the commands are the session's, and the bytes that their accesses take. */
static uint32_t measure(const struct fil_resp_grouped *commands, uint32_t count,
                        const struct fil_resp_session *session, size_t *out_bytes)
{
    uint32_t own = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_access *access = &commands[i].access;
        if (access->session == session) {
            bytes +=
                sizeof(*access) + access->key.bytes.size + access->value.size + access->second.size;
            own++;
        }
    }
    *out_bytes = bytes;
    return own;
}

/** A train for all commands of the session whose one is the first; NULL when memory is out. */
static struct train *make_train(const struct fil_resp_grouped *commands, uint32_t count)
    FIL_RUNS_ON(io)
{
    const struct fil_resp_access *first = &commands[0].access;
    size_t bytes = 0;
    uint32_t own = measure(commands, count, first->session, &bytes);
    struct fil_resp_call *call =
        fil_resp_call_new(first->session, sizeof(struct train) + bytes, step_train);
    if (call == NULL) {
        return NULL;
    }
    struct train *train = FIL_CONTAINER_OF(call, struct train, call);
    train->position = 0;
    train->count = own;
    call->name = first->name;
    call->is_traveller = own > 1;
    call->is_read_only = own == 1 && !first->is_write;
    call->reply_count = own;
    return train;
}

/** As make_train, with less memory: large writes behind the first are refused in their turn. */
static struct train *make_light_train(struct fil_resp_grouped *commands, uint32_t count)
    FIL_RUNS_ON(io)
{
    bool is_lighter = false;
    for (uint32_t i = 1; i < count; i++) {
        struct fil_resp_access *access = &commands[i].access;
        if (access->session == commands[0].access.session && is_bulky(access)) {
            strip(access);
            is_lighter = true;
        }
    }
    return is_lighter ? make_train(commands, count) : NULL;
}

/** Answers the first command that there is no memory for it; the others may still find some. */
static uint32_t refuse_first(struct fil_resp_grouped *commands, uint32_t count) FIL_RUNS_ON(io)
{
    fil_resp_call_refuse(commands[0].access.session);
    memmove(commands, commands + 1, (count - 1) * sizeof(*commands));
    return count - 1;
}

uint32_t fil_resp_single_send(struct fil_resp_grouped *commands, uint32_t count, bool is_heavy)
{
    fil_partition_id id = commands[0].access.key.partition_id;
    struct train *train = make_train(commands, count);
    if (FIL_UNLIKELY(train == NULL)) {
        train = make_light_train(commands, count);
    }
    if (FIL_UNLIKELY(train == NULL)) {
        return refuse_first(commands, count);
    }
    uint32_t kept = load(train, commands, count);
    train->call.is_slow = is_heavy;
    fil_resp_call_send(&train->call, id);
    return kept;
}

void fil_resp_single_run(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                         const struct fil_resp_command *command)
{
    if (FIL_LIKELY(fil_resp_single_can_join(session, plan))) {
        fil_resp_group_add(session, plan, command);
        return;
    }
    struct fil_resp_grouped alone;
    fil_resp_plan_access(plan, command, 0, &alone.access);
    (void)fil_resp_single_send(&alone, 1, plan->is_slow);
}
