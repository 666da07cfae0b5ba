// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/plan.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/command.h"
#include "protocol/resp/key.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"

static void begin(struct fil_resp_plan *plan, struct fil_resp_session *session, uint64_t now_ns)
{
    plan->session = session;
    plan->map = session->map;
    plan->now_ms = fil_map_now_ms(session->map, now_ns);
    plan->version = fil_resp_version(session);
    plan->kind = FIL_RESP_PLAN_ONE;
    plan->reach = FIL_RESP_REACH_ENTRY;
    plan->run = NULL;
    plan->run_together = NULL;
    plan->event = NULL;
    plan->blocks = false;
    plan->yields = false;
    plan->is_joint = false;
    plan->has_null = false;
    plan->has_news = NULL;
    plan->mark = NULL;
    plan->timeout_ns = 0;
    plan->is_slow = false;
    plan->is_weighed_inside = false;
    plan->extent = (struct fil_resp_extent)FIL_RESP_EXTENT_ALL;
    plan->wants_string = false;
    plan->first = 1;
    plan->step = 1;
    plan->count = 1;
    plan->also = 0;
    plan->value = 0;
    plan->second = 0;
    plan->options = 0;
    plan->numbers[0] = 0;
    plan->numbers[1] = 0;
    plan->other_map = NULL;
    plan->error = NULL;
    plan->error_word = 0;
    plan->shows_name = false;
    plan->has_bad_time = false;
    plan->is_wrong_argument_count = false;
    plan->subcommand = NULL;
}

bool fil_resp_plan_make(struct fil_resp_plan *plan, struct fil_resp_session *session,
                        const struct fil_resp_command_info *info,
                        const struct fil_resp_command *command, uint64_t now_ns)
{
    begin(plan, session, now_ns);
    plan->is_write = (info->flags & FIL_RESP_WRITE) != 0;
    plan->is_weighed = (info->flags & FIL_RESP_WEIGHED) != 0;
    plan->name = info->name;
    info->plan(command, plan);
    return FIL_LIKELY(plan->error == NULL && !plan->has_bad_time && !plan->is_wrong_argument_count);
}

void fil_resp_plan_refuse(const struct fil_resp_plan *plan,
                          const struct fil_resp_command_info *info,
                          const struct fil_resp_command *command, struct fil_output *output)
{
    const char *bar = plan->subcommand == NULL ? "" : "|";
    const char *sub = plan->subcommand == NULL ? "" : plan->subcommand;
    if (plan->has_bad_time) {
        fil_resp_error(output, "ERR invalid expire time in '%s' command", info->name);
    } else if (plan->is_wrong_argument_count) {
        fil_resp_error(output, "ERR wrong number of arguments for '%s%s%s' command", info->name,
                       bar, sub);
    } else if (plan->error_word != 0) {
        struct fil_bytes word = fil_resp_argument(command, plan->error_word);
        fil_resp_error(output, "%s%.*s", plan->error, (int)(word.size < 128 ? word.size : 128),
                       (const char *)word.data);
    } else if (plan->shows_name) {
        fil_resp_error(output, "%s%s' command", plan->error, info->name);
    } else {
        fil_resp_error(output, "%s", plan->error);
    }
}

void fil_resp_plan_tell(struct fil_output *output, int error)
{
    if (error == FIL_E_NOMEM) {
        fil_resp_out_of_memory(output);
    } else if (error == FIL_E_ENTRIES_MAX || error == FIL_E_BYTES_MAX) {
        fil_resp_error(output, "OOM command not allowed: %s", fil_error_text(error));
    } else if (error == FIL_E_LIMIT) {
        fil_resp_error(output, "ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    } else {
        fil_resp_error(output, "ERR %s", fil_error_text(error));
    }
}

bool fil_resp_access_is_refused(struct fil_resp_access *access)
{
    bool is_refused = fil_resp_key_has_collection(access->map, &access->key, access->now_ms);
    if (is_refused) {
        fil_resp_error(access->output, FIL_RESP_WRONG_TYPE);
    }
    return is_refused;
}

static int64_t run_key(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       uint32_t index, struct fil_output *output)
{
    struct fil_resp_access access;
    fil_resp_plan_access(plan, command, index, &access);
    access.output = output;
    return access.wants_string && fil_resp_access_is_refused(&access)
               ? 0
               : fil_resp_access_call(&access);
}

/** Nobody waits between MULTI and EXEC. */
static void run_all(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output)
{
    uint64_t size_before = output->queue.size_bytes;
    fil_resp_plan_call(plan, command, output);
    bool is_empty = output->queue.size_bytes == size_before;
    if (plan->blocks && is_empty && plan->has_null) {
        fil_resp_null(output, plan->version);
    } else if (plan->blocks && is_empty) {
        fil_resp_null_array(output, plan->version);
    }
}

void fil_resp_plan_run(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                       struct fil_output *output)
{
    if (plan->kind == FIL_RESP_PLAN_TOGETHER) {
        run_all(plan, command, output);
        return;
    }
    int64_t sum = 0;
    int64_t error = FIL_OK;
    if (plan->kind == FIL_RESP_PLAN_EACH) {
        fil_resp_array(output, plan->count);
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        int64_t result = run_key(plan, command, i, output);
        sum += result;
        error = error == FIL_OK ? result : error;
    }
    if (plan->kind == FIL_RESP_PLAN_SUM) {
        fil_resp_integer(output, sum);
    } else if (plan->kind == FIL_RESP_PLAN_ALL && error != FIL_OK) {
        fil_resp_plan_tell(output, (int)error);
    } else if (plan->kind == FIL_RESP_PLAN_ALL) {
        fil_resp_simple(output, "OK");
    }
}

bool fil_resp_access_is_locked(const struct fil_resp_access *access, uint64_t *out_wait_key)
{
    struct fil_map_owner owner = {.thread = access->session->connection->id};
    return fil_map_must_wait_here(access->map, &access->key, &owner, access->now_ms, out_wait_key);
}

bool fil_resp_plan_must_wait(const struct fil_resp_plan *plan, uint32_t index,
                             const struct fil_map_key *key, uint64_t *out_wait_key)
{
    struct fil_resp_access access = {.map = fil_resp_plan_map(plan, index),
                                     .key = *key,
                                     .now_ms = plan->now_ms,
                                     .is_write = plan->is_write,
                                     .session = plan->session};
    return fil_resp_access_must_wait(&access, out_wait_key);
}
