// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/group.h"

#include "core/exec/activity.h"
#include "core/exec/turn.h"
#include "grid/map/shelf.h"
#include "lib/base/assert.h"
#include "protocol/resp/command.h"
#include "protocol/resp/session.h"
#include "protocol/resp/single.h"

// A reply beyond this is a large one: the session's next commands run one by one. Its share of the
// group grows again while replies are small.
#define SMALL_BYTES_MAX ((size_t)4 << 10)

/** Enters the command's partition; false when it must be handed over. */
static bool enter(struct fil_resp_grouped *grouped, struct fil_turn *turn) FIL_RUNS_ON(io)
{
    const struct fil_resp_access *access = &grouped->access;
    uint64_t wait_key = 0;
    grouped->partition = fil_turn_enter(turn, access->key.partition_id);
    if (FIL_UNLIKELY(grouped->partition == NULL)) {
        return false;
    }
    if (FIL_UNLIKELY(fil_resp_access_must_wait(access, &wait_key))) {
        fil_turn_step_out(turn, grouped->partition);
        return false;
    }
    return true;
}

/**
 * What is asked for in one pass is there in the next. The first is not the one that enters: to ask
 * for a bucket is to read where it is, and the atomic step into the next partition would wait for
 * that.
 */
FIL_PREFETCHES static void await_memory(struct fil_resp_grouped *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_map_prefetch_here(commands[i].access.map, &commands[i].access.key);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_access *access = &commands[i].access;
        commands[i].guess = fil_map_guess_here(access->map, &access->key);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct fil_resp_access *access = &commands[i].access;
        fil_map_prefetch_guess_here(access->map, &access->key, commands[i].guess);
    }
}

/** How many reach for collections. */
static uint32_t count_reaching(const struct fil_resp_grouped *commands, uint32_t count)
{
    uint32_t reaching = 0;
    for (uint32_t i = 0; i < count; i++) {
        reaching += commands[i].access.reach != FIL_RESP_REACH_ENTRY;
    }
    return reaching;
}

/** All that several commands need of memory. */
static void await_all(struct fil_resp_grouped *commands, uint32_t count)
{
    uint32_t reaching = count_reaching(commands, count);
    if (FIL_LIKELY(reaching < count)) {
        await_memory(commands, count);
    }
    if (reaching > 0) {
        fil_resp_group__reach(commands, count);
    }
}

/** False when it must be handed over because it is too heavy. */
static bool run_one(struct fil_resp_grouped *grouped, struct fil_turn *turn) FIL_RUNS_ON(io)
{
    struct fil_resp_session *session = grouped->access.session;
    struct fil_output *output = &session->connection->output;
    size_t size_before = output->queue.size_bytes;
    fil_activity_rename(&turn->runner, grouped->access.name);
    fil_activity_place(&turn->runner, grouped->access.key.partition_id);
    if (FIL_UNLIKELY(!fil_resp_access_try(&grouped->access, output))) {
        return false;
    }
    size_t size = output->queue.size_bytes - size_before;
    fil_turn_charge(turn, size);
    if (FIL_UNLIKELY(size > SMALL_BYTES_MAX)) {
        session->share_limit = 1;
    } else if (session->share_limit < FIL_RESP_SHARE_MAX) {
        session->share_limit++;
    }
    return true;
}

/** Runs those at the front that can run together; returns how many, and whether the next one is
 * too heavy. */
static uint32_t run_together(struct fil_resp_grouped *commands, uint32_t count,
                             struct fil_turn *turn, bool *out_is_heavy) FIL_RUNS_ON(io)
{
    uint32_t entered = 0;
    while (entered < count && enter(&commands[entered], turn)) {
        entered++;
    }
    if (entered > 1) {
        await_all(commands, entered);
    }
    uint32_t done = 0;
    while (done < entered && FIL_LIKELY(run_one(&commands[done], turn))) {
        done++;
    }
    // All at the end: letting go waits until all that was written before is on its way to memory.
    for (uint32_t i = 0; i < entered; i++) {
        fil_turn_step_out(turn, commands[i].partition);
    }
    if (done > 0) {
        fil_turn_count(turn, done);
    }
    *out_is_heavy = done < entered;
    return done;
}

/** Those that are handed over do not tell how large replies are: what left the line does. */
static void adapt_share(struct fil_resp_session *session) FIL_RUNS_ON(io)
{
    uint32_t more = 2 * session->share_limit;
    bool is_single = session->server->options.has_single_replies;
    if (is_single || session->last_reply_bytes > SMALL_BYTES_MAX) {
        session->share_limit = 1;
    } else {
        session->share_limit = more < FIL_RESP_SHARE_MAX ? more : FIL_RESP_SHARE_MAX;
    }
}

static void run_group(struct fil_resp_group *group, struct fil_turn *turn) FIL_RUNS_ON(io)
{
    // Empty from here on: what is handed over asks for the group to be run before it.
    uint32_t count = group->count;
    uint32_t done = 0;
    group->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        group->commands[i].access.session->share = 0;
    }
    while (done < count) {
        bool is_heavy = false;
        done += run_together(&group->commands[done], count - done, turn, &is_heavy);
        if (FIL_UNLIKELY(done < count)) {
            adapt_share(group->commands[done].access.session);
            count = done + fil_resp_single_send(&group->commands[done], count - done, is_heavy);
        }
    }
}

void fil_resp_group_run(struct fil_resp_session *session)
{
    struct fil_resp_group *group = fil_resp_group_of(session);
    if (group->count > 0) {
        struct fil_turn *turn = session->connection->loop->context;
        const char *name = fil_activity_name(&turn->runner);
        run_group(group, turn);
        fil_activity_rename(&turn->runner, name);
    }
}

/** Where the next command's access goes. */
static inline struct fil_resp_access *next_access(struct fil_resp_group *group)
{
    fil_assert(group->count < FIL_RESP_GROUP_MAX);
    return &group->commands[group->count].access;
}

/** The next access is complete: counts it, and runs the group when it has to. */
static inline void join(struct fil_resp_group *group, struct fil_resp_session *session,
                        const struct fil_resp_access *access) FIL_RUNS_ON(io)
{
    fil_map_prefetch_shard(access->map, access->key.partition_id);
    if (access->reach != FIL_RESP_REACH_ENTRY) {
        fil_map_prefetch_shelf(access->map, access->key.partition_id);
    }
    fil_turn_prefetch(session->connection->loop->context, access->key.partition_id);
    group->count++;
    session->share++;
    // The text of an inline command lives only until the next one is decoded.
    if (group->count == FIL_RESP_GROUP_MAX || session->share >= session->share_limit ||
        FIL_UNLIKELY(session->decoder.text != NULL)) {
        fil_resp_group_run(session);
    }
}

void fil_resp_group_add(struct fil_resp_session *session, const struct fil_resp_plan *plan,
                        const struct fil_resp_command *command)
{
    struct fil_resp_group *group = fil_resp_group_of(session);
    struct fil_resp_access *access = next_access(group);
    fil_resp_plan_access(plan, command, 0, access);
    join(group, session, access);
}

/** The words of a plain command, of which its plan says where they are. */
static inline void take_words(const struct fil_resp_planned *planned,
                              const struct fil_resp_command *command,
                              struct fil_resp_access *access)
{
    access->key = fil_map_place(access->map, fil_resp_argument(command, planned->plan.first));
    if (planned->plan.value != 0) {
        access->value = fil_resp_argument(command, planned->plan.value);
    }
    if (FIL_UNLIKELY(planned->plan.second != 0)) {
        access->second = fil_resp_argument(command, planned->plan.second);
    }
}

void fil_resp_group_add_planned(struct fil_resp_session *session,
                                const struct fil_resp_planned *planned,
                                const struct fil_resp_command *command)
{
    struct fil_resp_group *group = fil_resp_group_of(session);
    const struct fil_turn *turn = session->connection->loop->context;
    struct fil_resp_access *access = next_access(group);
    // And then all of it that is not the same for every command of its kind.
    *access = planned->draft;
    access->session = session;
    access->map = session->map;
    access->now_ms = fil_map_now_ms(session->map, turn->runner.now_ns);
    access->version = (uint8_t)fil_resp_version(session);
    take_words(planned, command, access);
    join(group, session, access);
}

static void run_deferred(struct fil_deferred *deferred, struct fil_loop *loop)
{
    fil_role_assert_io();
    struct fil_resp_group *group = FIL_CONTAINER_OF(deferred, struct fil_resp_group, deferred);
    struct fil_turn *turn = loop->context;
    if (group->count > 0) {
        const char *outer = fil_activity_begin(&turn->runner, group->commands[0].access.name);
        run_group(group, turn);
        fil_activity_end(&turn->runner, outer);
    }
}

void fil_resp_group_end(struct fil_resp_session *session)
{
    struct fil_resp_group *group = fil_resp_group_of(session);
    struct fil_connection *connection = session->connection;
    if (!fil_connection_can_defer(connection)) {
        fil_resp_group_run(session);
    } else if (group->count > 0) {
        group->deferred.run = run_deferred;
        group->deferred.protocol = connection->protocol;
        fil_loop_defer(connection->loop, &group->deferred);
    }
}
