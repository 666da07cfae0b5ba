// SPDX-License-Identifier: Apache-2.0
/** Commands that are only there with debug.commands: what benchmarks and tests do to a member. */

#include "protocol/resp/call.h"
#include "protocol/resp/debug_commands_internal.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/reply.h"

#define BURN_US_MAX UINT64_C(10000000)
#define LOOKS_PER_US \
    UINT64_C(1000) // more than any clock allows: ends it where the clock stands still
#define NS_PER_US UINT64_C(1000)

/** Takes the processor, and the partition, for as long as the value says. */
static int64_t access_burn(struct fil_resp_access *access)
{
    // It is always a part of a call: slow operations are never run in place.
    struct fil_resp_part *part = FIL_CONTAINER_OF(access, struct fil_resp_part, access);
    struct fil_env *env = part->call->session->server->options.env;
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

static FIL_RESP_HANDLER(burn)
{
    fil_role_assert_io();
    fil_resp_call_keys(
        session, command,
        &(struct fil_resp_keys){
            .run = access_burn, .is_slow = true, .first = 2, .count = 1, .value = 1});
}

static const struct fil_resp_command_info burn_info = {
    .name = "filbert.burn",
    .handler = fil_resp__burn,
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
