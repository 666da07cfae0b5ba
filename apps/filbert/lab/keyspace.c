// SPDX-License-Identifier: Apache-2.0
#include "keyspace.h"

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "protocol/resp/reply.h"

#define NS_PER_US UINT64_C(1000)

static enum lab_verb verb_of(const struct fil_resp_command *command)
{
    struct fil_bytes name = fil_resp_argument(command, 0);
    if (command->count == 2 && fil_bytes_equal_nocase(name, fil_bytes_of("get"))) {
        return LAB_VERB_GET;
    }
    if (command->count == 3 && fil_bytes_equal_nocase(name, fil_bytes_of("set"))) {
        return LAB_VERB_SET;
    }
    if (command->count == 3 && fil_bytes_equal_nocase(name, fil_bytes_of("filbert.burn"))) {
        return LAB_VERB_BURN;
    }
    return LAB_VERB_UNKNOWN;
}

struct lab_request lab_request_parse(const struct fil_resp_command *command)
{
    struct lab_request request = {.verb = verb_of(command)};
    switch (request.verb) {
    case LAB_VERB_SET:
        request.value = fil_resp_argument(command, 2);
        request.key = fil_resp_argument(command, 1);
        break;
    case LAB_VERB_BURN:
        request.value = fil_resp_argument(command, 1);
        request.key = fil_resp_argument(command, 2);
        break;
    case LAB_VERB_GET:
        request.key = fil_resp_argument(command, 1);
        break;
    case LAB_VERB_UNKNOWN:
    default:
        return request;
    }
    request.hash = fil_hash(request.key, 0);
    return request;
}

void lab_keyspace_init(struct lab_keyspace *keyspace, struct fil_env *env,
                       struct fil_budget *budget)
{
    keyspace->env = env;
    static const struct fil_store_options options = {0};
    fil_store_init(&keyspace->store, budget, &options);
}

void lab_keyspace_fini(struct lab_keyspace *keyspace)
{
    fil_store_fini(&keyspace->store);
}

static void get(struct lab_keyspace *keyspace, const struct lab_request *request,
                struct fil_output *output)
{
    struct fil_bytes value;
    if (fil_store_get(&keyspace->store, request->hash, request->key, 0, &value)) {
        fil_resp_bulk(output, value);
    } else {
        fil_resp_null(output, 2);
    }
}

static void set(struct lab_keyspace *keyspace, const struct lab_request *request,
                struct fil_output *output)
{
    static const struct fil_store_write plainly = {0};
    int error = fil_store_put(&keyspace->store, request->hash, request->key, request->value,
                              &plainly, NULL);
    if (error == FIL_OK) {
        fil_resp_simple(output, "OK");
    } else {
        fil_resp_error(output, "ERR %s", fil_error_text(error));
    }
}

static void burn(struct lab_keyspace *keyspace, const struct lab_request *request,
                 struct fil_output *output)
{
    uint64_t microseconds = 0;
    if (!fil_bytes_to_u64(request->value, &microseconds)) {
        fil_resp_error(output, "ERR value is not an integer or out of range");
        return;
    }
    uint64_t end_ns = fil_env_now_ns(keyspace->env) + microseconds * NS_PER_US;
    while (fil_env_now_ns(keyspace->env) < end_ns) {
    }
    fil_resp_simple(output, "OK");
}

void lab_keyspace_run(struct lab_keyspace *keyspace, const struct lab_request *request,
                      struct fil_output *output)
{
    switch (request->verb) {
    case LAB_VERB_GET:
        get(keyspace, request, output);
        break;
    case LAB_VERB_SET:
        set(keyspace, request, output);
        break;
    case LAB_VERB_BURN:
        burn(keyspace, request, output);
        break;
    case LAB_VERB_UNKNOWN:
    default:
        fil_resp_error(output, "ERR unknown command");
        break;
    }
}
