// SPDX-License-Identifier: Apache-2.0
/** Commands that are only there with debug.commands: what benchmarks and tests do to a member. */

#include "protocol/resp/call.h"
#include "protocol/resp/debug_commands_internal.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define BURN_US_MAX UINT64_C(10000000)
#define LOOKS_PER_US \
    UINT64_C(1000) // more than any clock allows: ends it where the clock stands
                   // still
#define NS_PER_US         UINT64_C(1000)
#define NS_PER_SECOND     1000000000.0L
#define SLEEP_SECONDS_MAX 3600

/** Takes the processor, and the partition, for as long as the value says. */
static int64_t access_burn(struct fil_resp_access *access)
{
    struct fil_env *env = access->session->server->options.env;
    uint64_t microseconds = 0;
    if (!fil_bytes_to_u64(access->value, &microseconds) || microseconds > BURN_US_MAX) {
        fil_resp_error(access->output, "ERR value is not an integer or out of range");
        return 0;
    }
    uint64_t end_ns = fil_env_now_ns(env) + microseconds * NS_PER_US;
    for (uint64_t i = 0; i < microseconds * LOOKS_PER_US && fil_env_now_ns(env) < end_ns; i++) {
    }
    fil_resp_simple(access->output, "OK");
    return 0;
}

static FIL_RESP_PLAN(burn)
{
    (void)command;
    fil_resp_plan_one(plan, access_burn, 2, 1);
    plan->is_slow = true;
}

static const struct fil_resp_command_info burn_info = {
    .name = "filbert.burn",
    .plan = fil_resp__plan_burn,
    .arity = 3,
    .flags = FIL_RESP_READONLY,
    .first_key = 2,
    .last_key = 2,
    .key_step = 1,
    .group = "server",
    .since = "7.0.0",
    .summary = "Takes the processor for some microseconds on the key's partition.",
};

const struct fil_resp_command_info *fil_resp_debug__find(struct fil_bytes name)
{
    return fil_bytes_equal_nocase(name, fil_bytes_of(burn_info.name)) ? &burn_info : NULL;
}

/** A call that sleeps: it is parked until its time has come, so that no thread sleeps. */
struct nap {
    struct fil_resp_call call;
    uint64_t length_ns;
};

static enum fil_op_outcome step_nap(struct fil_resp_call *call, struct fil_partition *partition)
{
    struct nap *nap = FIL_CONTAINER_OF(call, struct nap, call);
    call->op.deadline_ns = partition->runner->now_ns + nap->length_ns;
    call->op.error = fil_partition_park(partition, &call->op, (uint64_t)(uintptr_t)call);
    return call->op.error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void debug_sleep(struct fil_resp_session *session, const struct fil_resp_command *command)
    FIL_RUNS_ON(io)
{
    long double seconds = 0;
    if (!fil_resp_word_to_float(fil_resp_argument(command, 2), &seconds) || seconds < 0 ||
        seconds > SLEEP_SECONDS_MAX) {
        fil_resp_error(fil_resp_output(session), FIL_RESP_NOT_FLOAT);
        return;
    }
    struct fil_resp_call *call = fil_resp_call_new(session, sizeof(struct nap), step_nap);
    if (call == NULL) {
        fil_resp_out_of_memory(fil_resp_output(session));
        return;
    }
    FIL_CONTAINER_OF(call, struct nap, call)->length_ns = (uint64_t)(seconds * NS_PER_SECOND);
    call->timeout_reply = "+OK\r\n";
    fil_resp_call_send(call, 0);
}

FIL_RESP_HANDLER(debug)
{
    static const char *const lines[] = {
        "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "SLEEP <seconds>",
        "    Answer after so many seconds; other connections are not held up.",
        "HELP",
        "    Print this help.",
    };
    fil_role_assert_io();
    if (!session->server->options.has_debug_commands) {
        fil_resp_error(fil_resp_output(session),
                       "ERR DEBUG command not allowed. Set debug.commands and start the member "
                       "again.");
    } else if (fil_resp_word_is(command, 1, "sleep") && command->count == 3) {
        debug_sleep(session, command);
    } else {
        fil_resp__help(session, command, "debug", lines, FIL_COUNT_OF(lines));
    }
}
