// SPDX-License-Identifier: Apache-2.0
/** Keys, whatever their value: whether they are there, what they cost, and until when they stay. */
#include "filbert/error.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/weight.h"
#include "protocol/resp/word.h"

#define FREQUENCY_MAX    255U // as far as Redis counts
#define EMBEDDED_MAX     44U  // bytes of a string that Redis stores with its head
#define SHARED_INTEGERS  10000
#define INTEGER_TEXT_MAX 20U

static int64_t access_remove(struct fil_resp_access *access)
{
    return fil_resp_key_remove(access->map, &access->key, access->now_ms);
}

/** Also EXISTS: as with containsKey, an entry that is asked for is not idle. */
static int64_t access_touch(struct fil_resp_access *access)
{
    struct fil_bytes value;
    return fil_map_get_here(access->map, &access->key, access->now_ms, &value) ||
           fil_resp_key_has_collection(access->map, &access->key, access->now_ms);
}

static void plan_sum(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                     fil_resp_access_fn run)
{
    plan->kind = FIL_RESP_PLAN_SUM;
    plan->run = run;
    plan->count = command->count - 1;
}

FIL_RESP_PLAN(del)
{
    plan_sum(command, plan, access_remove);
}

FIL_RESP_PLAN(exists)
{
    plan_sum(command, plan, access_touch);
}

FIL_RESP_PLAN(touch)
{
    plan_sum(command, plan, access_touch);
}

static int64_t access_type(struct fil_resp_access *access)
{
    struct fil_store_view view;
    enum fil_resp_type type =
        fil_resp_key_inspect(access->map, &access->key, access->now_ms, &view);
    fil_resp_simple(access->output, fil_resp_type_name(type));
    return 0;
}

FIL_RESP_PLAN(type)
{
    (void)command;
    fil_resp_plan_one(plan, access_type, 1, 0);
}

enum expire_option {
    EXPIRE_NX = 1U << 0,
    EXPIRE_XX = 1U << 1,
    EXPIRE_GT = 1U << 2,
    EXPIRE_LT = 1U << 3,
};

/** Whether the options allow the change; an entry that stays for ever is later than any time. */
static bool may_expire(uint32_t options, uint64_t current_ms, int64_t wanted_ms)
{
    bool has_expiry = current_ms != FIL_STORE_NEVER;
    bool is_later = has_expiry && wanted_ms > (int64_t)current_ms;
    bool is_earlier = !has_expiry || wanted_ms < (int64_t)current_ms;
    return !((options & EXPIRE_NX) && has_expiry) && !((options & EXPIRE_XX) && !has_expiry) &&
           !((options & EXPIRE_GT) && !is_later) && !((options & EXPIRE_LT) && !is_earlier);
}

/** On a loop: whether a change of when the key expires is left undone, as a string may be copied
 * for it; a collection never is. */
static bool puts_off_expiry(struct fil_resp_access *access, enum fil_resp_type type,
                            const struct fil_store_view *view)
{
    return type == FIL_RESP_TYPE_STRING && fil_resp_access_puts_off(access, view->value.size);
}

static int64_t access_expire(struct fil_resp_access *access)
{
    struct fil_store_view view;
    int64_t wanted_ms = access->numbers[0];
    enum fil_resp_type type =
        fil_resp_key_inspect(access->map, &access->key, access->now_ms, &view);
    if (type == FIL_RESP_TYPE_NONE || !may_expire(access->options, view.expires_ms, wanted_ms)) {
        fil_resp_integer(access->output, 0);
        return 0;
    }
    if (puts_off_expiry(access, type, &view)) {
        return 0;
    }
    int error = FIL_OK;
    if (wanted_ms <= (int64_t)access->now_ms) {
        (void)fil_resp_key_remove(access->map, &access->key, access->now_ms);
    } else {
        struct fil_store_write how = {.now_ms = access->now_ms,
                                      .expires_ms = (uint64_t)wanted_ms,
                                      .max_idle_ms = view.max_idle_ms};
        error = fil_resp_key_expire(access->map, &access->key, type, &how);
    }
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else {
        fil_resp_integer(access->output, 1);
    }
    return 0;
}

struct expire_word {
    const char *word;
    uint32_t option;
};

static const struct expire_word expire_words[] = {
    {"nx", EXPIRE_NX}, {"xx", EXPIRE_XX}, {"gt", EXPIRE_GT}, {"lt", EXPIRE_LT}};

static uint32_t expire_option(const struct fil_resp_command *command, uint32_t index)
{
    for (size_t i = 0; i < FIL_COUNT_OF(expire_words); i++) {
        if (fil_resp_word_is(command, index, expire_words[i].word)) {
            return expire_words[i].option;
        }
    }
    return 0;
}

static void read_expire_options(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    for (uint32_t i = 3; i < command->count && plan->error == NULL; i++) {
        uint32_t option = expire_option(command, i);
        plan->options |= option;
        if (option == 0) {
            plan->error = "ERR Unsupported option ";
            plan->error_word = i;
        }
    }
    if (plan->error != NULL) {
        return;
    }
    if ((plan->options & EXPIRE_NX) && (plan->options & ~(uint32_t)EXPIRE_NX)) {
        plan->error = "ERR NX and XX, GT or LT options at the same time are not compatible";
    } else if ((plan->options & EXPIRE_GT) && (plan->options & EXPIRE_LT)) {
        plan->error = "ERR GT and LT options at the same time are not compatible";
    }
}

/** The access weighs a string itself; a collection is no load. */
static void weigh_string_inside(struct fil_resp_plan *plan)
{
    plan->is_weighed_inside = true;
    plan->extent = (struct fil_resp_extent){.most = 0};
}

static void plan_expire(const struct fil_resp_command *command, struct fil_resp_plan *plan,
                        enum fil_resp_time_unit unit)
{
    int64_t value = 0;
    fil_resp_plan_one(plan, access_expire, 1, 0);
    read_expire_options(command, plan);
    if (plan->error != NULL) {
        return;
    }
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &value)) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else {
        plan->has_bad_time = !fil_resp_word_to_time(value, unit, plan->now_ms, &plan->numbers[0]);
    }
    // A time that has passed removes the key; another one changes nothing in a collection.
    plan->is_weighed = plan->numbers[0] <= (int64_t)plan->now_ms;
    if (!plan->is_weighed) {
        weigh_string_inside(plan);
    }
}

FIL_RESP_PLAN(expire)
{
    plan_expire(command, plan, FIL_RESP_SECONDS);
}

FIL_RESP_PLAN(pexpire)
{
    plan_expire(command, plan, FIL_RESP_MILLISECONDS);
}

FIL_RESP_PLAN(expireat)
{
    plan_expire(command, plan, FIL_RESP_SECONDS_AT);
}

FIL_RESP_PLAN(pexpireat)
{
    plan_expire(command, plan, FIL_RESP_MILLISECONDS_AT);
}

static int64_t access_persist(struct fil_resp_access *access)
{
    struct fil_store_view view;
    enum fil_resp_type type =
        fil_resp_key_inspect(access->map, &access->key, access->now_ms, &view);
    bool has_expiry = type != FIL_RESP_TYPE_NONE && view.expires_ms != FIL_STORE_NEVER;
    int error = FIL_OK;
    if (has_expiry && puts_off_expiry(access, type, &view)) {
        return 0;
    }
    if (has_expiry) {
        struct fil_store_write how = {.now_ms = access->now_ms,
                                      .expires_ms = FIL_STORE_NEVER,
                                      .max_idle_ms = view.max_idle_ms};
        error = fil_resp_key_expire(access->map, &access->key, type, &how);
    }
    if (error != FIL_OK) {
        fil_resp_plan_tell(access->output, error);
    } else {
        fil_resp_integer(access->output, has_expiry);
    }
    return 0;
}

FIL_RESP_PLAN(persist)
{
    (void)command;
    fil_resp_plan_one(plan, access_persist, 1, 0);
    weigh_string_inside(plan);
}

enum ttl_option {
    TTL_SECONDS = 1U << 0,
    TTL_AT = 1U << 1, // the time, not what is left until then
};

static int64_t access_ttl(struct fil_resp_access *access)
{
    struct fil_store_view view;
    if (fil_resp_key_inspect(access->map, &access->key, access->now_ms, &view) ==
        FIL_RESP_TYPE_NONE) {
        fil_resp_integer(access->output, -2);
        return 0;
    }
    if (view.expires_ms == FIL_STORE_NEVER) {
        fil_resp_integer(access->output, -1);
        return 0;
    }
    bool is_at = (access->options & TTL_AT) != 0;
    uint64_t left_ms = is_at ? view.expires_ms : view.expires_ms - access->now_ms;
    bool is_seconds = (access->options & TTL_SECONDS) != 0;
    fil_resp_integer(access->output, (int64_t)(is_seconds ? (left_ms + 500) / 1000 : left_ms));
    return 0;
}

static void plan_ttl(struct fil_resp_plan *plan, uint32_t options)
{
    fil_resp_plan_one(plan, access_ttl, 1, 0);
    plan->options = options;
}

FIL_RESP_PLAN(ttl)
{
    (void)command;
    plan_ttl(plan, TTL_SECONDS);
}

FIL_RESP_PLAN(pttl)
{
    (void)command;
    plan_ttl(plan, 0);
}

FIL_RESP_PLAN(expiretime)
{
    (void)command;
    plan_ttl(plan, TTL_SECONDS | TTL_AT);
}

FIL_RESP_PLAN(pexpiretime)
{
    (void)command;
    plan_ttl(plan, TTL_AT);
}

/** What Redis would say of a value that was set like this. */
static const char *encoding_of(enum fil_resp_type type, struct fil_bytes value)
{
    int64_t number = 0;
    if (type != FIL_RESP_TYPE_STRING) {
        return fil_resp_type_encoding(type, fil_value_is_odd(value));
    }
    if (value.size <= INTEGER_TEXT_MAX && fil_resp_word_to_integer(value, &number)) {
        return "int";
    }
    return value.size <= EMBEDDED_MAX ? "embstr" : "raw";
}

/** As many share a small integer in Redis, where everything else is one key's own. */
static int64_t references_of(enum fil_resp_type type, struct fil_bytes value)
{
    int64_t number = -1;
    bool is_shared = type == FIL_RESP_TYPE_STRING && fil_resp_word_to_integer(value, &number) &&
                     number >= 0 && number < SHARED_INTEGERS;
    return is_shared ? INT32_MAX : 1;
}

enum object_question {
    OBJECT_ENCODING,
    OBJECT_FREQ,
    OBJECT_IDLETIME,
    OBJECT_REFCOUNT,
    OBJECT_COST,
};

static int64_t access_object(struct fil_resp_access *access)
{
    struct fil_store_view view;
    enum fil_resp_type type =
        fil_resp_key_inspect(access->map, &access->key, access->now_ms, &view);
    if (type == FIL_RESP_TYPE_NONE) {
        fil_resp_null(access->output, access->version);
        return 0;
    }
    uint64_t used_ms = view.accessed_ms;
    uint64_t idle_ms = used_ms != 0 && used_ms < access->now_ms ? access->now_ms - used_ms : 0;
    switch ((enum object_question)access->options) {
    case OBJECT_ENCODING:
        fil_resp_bulk_text(access->output, encoding_of(type, view.value));
        break;
    case OBJECT_FREQ:
        fil_resp_integer(access->output, view.hits < FREQUENCY_MAX ? view.hits : FREQUENCY_MAX);
        break;
    case OBJECT_IDLETIME:
        fil_resp_integer(access->output, (int64_t)(idle_ms / 1000));
        break;
    case OBJECT_REFCOUNT:
        fil_resp_integer(access->output, references_of(type, view.value));
        break;
    case OBJECT_COST:
        fil_resp_integer(access->output, (int64_t)fil_resp_key_cost(type, &view));
        break;
    }
    return 0;
}

struct question_word {
    const char *word;
    enum object_question question;
};

static const struct question_word question_words[] = {
    {"encoding", OBJECT_ENCODING},
    {"freq", OBJECT_FREQ},
    {"idletime", OBJECT_IDLETIME},
    {"refcount", OBJECT_REFCOUNT},
};

FIL_RESP_PLAN(object)
{
    plan->kind = FIL_RESP_PLAN_NO_KEYS;
    for (size_t i = 0; i < FIL_COUNT_OF(question_words); i++) {
        if (fil_resp_word_is(command, 1, question_words[i].word)) {
            fil_resp_plan_one(plan, access_object, 2, 0);
            plan->options = question_words[i].question;
            plan->subcommand = question_words[i].word;
            plan->is_wrong_argument_count = command->count != 3;
            return;
        }
    }
}

FIL_RESP_HANDLER(object)
{
    static const char *const lines[] = {
        "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "ENCODING <key>",
        "    Return the kind of internal representation used in order to store the value",
        "    associated with a <key>.",
        "FREQ <key>",
        "    Return the access frequency index of the <key>: how often it was used.",
        "IDLETIME <key>",
        "    Return the idle time of the <key>, that is the approximated number of",
        "    seconds elapsed since the last access to the key.",
        "REFCOUNT <key>",
        "    Return the number of references of the value associated with the specified",
        "    <key>: always 1.",
        "HELP",
        "    Print this help.",
    };
    fil_resp__help(session, command, "object", lines, FIL_COUNT_OF(lines));
}

FIL_RESP_PLAN(memory)
{
    if (!fil_resp_word_is(command, 1, "usage")) {
        plan->kind = FIL_RESP_PLAN_NO_KEYS;
        return;
    }
    int64_t samples = 0;
    fil_resp_plan_one(plan, access_object, 2, 0);
    plan->options = OBJECT_COST;
    plan->subcommand = "usage";
    plan->is_wrong_argument_count = command->count < 3;
    if (command->count <= 3) {
        return;
    }
    bool has_samples = command->count == 5 && fil_resp_word_is(command, 3, "samples");
    if (has_samples && !fil_resp_word_to_integer(fil_resp_argument(command, 4), &samples)) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else if (!has_samples || samples < 0) {
        plan->error = FIL_RESP_SYNTAX;
    }
}

FIL_RESP_HANDLER(memory)
{
    static const char *const lines[] = {
        "MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "USAGE <key> [SAMPLES <count>]",
        "    Return memory in bytes used by <key> and its value.",
        "HELP",
        "    Print this help.",
    };
    fil_resp__help(session, command, "memory", lines, FIL_COUNT_OF(lines));
}
