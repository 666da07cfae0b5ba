// SPDX-License-Identifier: Apache-2.0
/** BITFIELD: numbers of any width somewhere in a string, several steps in one command. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"
#include "protocol/resp/bit_word.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/members.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"
#include "protocol/resp/word.h"

const char *fil_resp_bit_word_offset(struct fil_bytes word, uint32_t width, int64_t *out_offset)
{
    static const char error[] = "ERR bit offset is not an integer or out of range";
    bool is_scaled = width > 0 && word.size > 0 && word.data[0] == '#';
    struct fil_bytes digits = is_scaled ? fil_bytes_make(word.data + 1, word.size - 1) : word;
    int64_t offset = 0;
    if (!fil_resp_word_to_integer(digits, &offset)) {
        return error;
    }
    if (is_scaled && __builtin_mul_overflow(offset, (int64_t)width, &offset)) {
        return error;
    }
    if (offset < 0 || offset / 8 >= (int64_t)FIL_RESP_STRING_BYTES_MAX) {
        return error;
    }
    *out_offset = offset;
    return NULL;
}

const char *fil_resp_bit_word_type(struct fil_bytes word, struct fil_resp_bit_field *out_field)
{
    int64_t width = 0;
    bool is_signed = word.size > 0 && word.data[0] == 'i';
    bool is_sound = word.size > 1 && (is_signed || word.data[0] == 'u') &&
                    fil_resp_word_to_integer(fil_bytes_make(word.data + 1, word.size - 1), &width);
    if (!is_sound || width < 1 || width > (is_signed ? 64 : 63)) {
        return "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not "
               "supported "
               "but i64 is.";
    }
    *out_field = (struct fil_resp_bit_field){.width = (uint32_t)width, .is_signed = is_signed};
    return NULL;
}

enum step_kind {
    STEP_GET,
    STEP_SET,
    STEP_ADD,
};

/** One of the steps, read from the words. */
struct step {
    enum step_kind kind;
    enum fil_resp_bit_overflow overflow; // holds for the steps behind it too
    struct fil_resp_bit_field field;
    int64_t number;
};

static const char *read_overflow(const struct fil_resp_command *command, uint32_t index,
                                 enum fil_resp_bit_overflow *out_overflow)
{
    if (fil_resp_word_is(command, index, "wrap")) {
        *out_overflow = FIL_RESP_BIT_WRAP;
    } else if (fil_resp_word_is(command, index, "sat")) {
        *out_overflow = FIL_RESP_BIT_SATURATE;
    } else if (fil_resp_word_is(command, index, "fail")) {
        *out_overflow = FIL_RESP_BIT_FAIL;
    } else {
        return "ERR Invalid OVERFLOW type specified";
    }
    return NULL;
}

/** Which step the word begins; false when it is none or words are missing behind it. */
static bool read_kind(const struct fil_resp_command *command, uint32_t index,
                      enum step_kind *out_kind)
{
    static const char *const words[] = {
        [STEP_GET] = "get", [STEP_SET] = "set", [STEP_ADD] = "incrby"};
    for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
        if (fil_resp_word_is(command, index, words[i])) {
            *out_kind = (enum step_kind)i;
            return index + (i == STEP_GET ? 2 : 3) < command->count;
        }
    }
    return false;
}

/** The words from that one on, which are one step. */
static const char *read_operands(const struct fil_resp_command *command, uint32_t index,
                                 struct step *step)
{
    int64_t offset = 0;
    const char *error = fil_resp_bit_word_type(fil_resp_argument(command, index + 1), &step->field);
    if (error == NULL) {
        error = fil_resp_bit_word_offset(fil_resp_argument(command, index + 2), step->field.width,
                                         &offset);
        step->field.offset = (uint64_t)offset;
    }
    if (error == NULL && step->kind != STEP_GET &&
        !fil_resp_word_to_integer(fil_resp_argument(command, index + 3), &step->number)) {
        error = FIL_RESP_NOT_INTEGER;
    }
    return error;
}

/** Reads the next step, and goes behind it; false at the end, or when something is wrong. */
static bool next_step(const struct fil_resp_command *command, uint32_t *index, struct step *step,
                      const char **out_error)
{
    *out_error = NULL;
    while (*out_error == NULL && *index + 1 < command->count &&
           fil_resp_word_is(command, *index, "overflow")) {
        *out_error = read_overflow(command, *index + 1, &step->overflow);
        *index += 2;
    }
    if (*out_error != NULL || *index == command->count) {
        return false;
    }
    *out_error = read_kind(command, *index, &step->kind) ? read_operands(command, *index, step)
                                                         : FIL_RESP_SYNTAX;
    *index += step->kind == STEP_GET ? 3 : 4;
    return *out_error == NULL;
}

static struct step first_step(void)
{
    return (struct step){.overflow = FIL_RESP_BIT_WRAP};
}

/** Reads all steps: the first number is how many there are, the second what bytes are written. */
static void read_steps(const struct fil_resp_command *command, struct fil_resp_plan *plan)
{
    struct step step = first_step();
    uint32_t index = 2;
    plan->is_write = false;
    while (next_step(command, &index, &step, &plan->error)) {
        int64_t end = (int64_t)((step.field.offset + step.field.width - 1) / 8 + 1);
        plan->numbers[0]++;
        if (step.kind != STEP_GET) {
            plan->is_write = true;
            plan->numbers[1] = end > plan->numbers[1] ? end : plan->numbers[1];
        }
    }
}

/** What is told of a step. */
struct result {
    int64_t number;
    bool is_null; // it has failed
};

/** The steps of a command under way. */
struct work {
    const struct fil_resp_command *command;
    struct result *results;
    uint64_t result_count;
};

/** What a step makes of the field; false when it fails. */
static bool make_number(const struct step *step, int64_t old, int64_t *out_new)
{
    return step->kind == STEP_ADD
               ? fil_resp_bits_add(&step->field, old, step->number, step->overflow, out_new)
               : fil_resp_bits_fit(&step->field, step->number, step->overflow, out_new);
}

/** The row is the value's, or NULL when nobody writes. */
static struct result run_step(const struct step *step, struct fil_bytes value, uint8_t *row)
{
    int64_t number = 0;
    int64_t old = fil_resp_bits_read(value, &step->field);
    if (step->kind == STEP_GET) {
        return (struct result){.number = old};
    }
    fil_assert(row != NULL);
    if (!make_number(step, old, &number)) {
        return (struct result){.is_null = true};
    }
    fil_resp_bits_write(row, &step->field, number);
    return (struct result){.number = step->kind == STEP_ADD ? number : old};
}

/** All steps, one after the other. */
static void run_steps(struct work *work, struct fil_bytes value, uint8_t *row)
{
    struct step step = first_step();
    const char *error = NULL;
    uint32_t index = 2;
    for (uint64_t i = 0; next_step(work->command, &index, &step, &error); i++) {
        fil_assert(i < work->result_count);
        work->results[i] = run_step(&step, value, row);
    }
    fil_assert(error == NULL); // the plan has read them
}

/** Runs all steps if none of them changes anything; false when one would. */
static bool run_idle_steps(struct work *work, struct fil_bytes value)
{
    struct step step = first_step();
    const char *error = NULL;
    uint32_t index = 2;
    for (uint64_t i = 0; next_step(work->command, &index, &step, &error); i++) {
        int64_t old = fil_resp_bits_read(value, &step.field);
        int64_t number = old;
        bool is_refused = step.kind != STEP_GET && !make_number(&step, old, &number);
        if (!is_refused && number != old) {
            return false;
        }
        fil_assert(i < work->result_count);
        work->results[i] = (struct result){.number = old, .is_null = is_refused};
    }
    return true;
}

static void write_fields(void *context, uint8_t *value, size_t size)
{
    run_steps(context, fil_bytes_make(value, size), value);
}

static int run_all(const struct fil_resp_plan *plan, const struct fil_resp_access *access,
                   struct work *work)
{
    size_t size = (size_t)plan->numbers[1];
    struct fil_bytes value = {0};
    if (plan->is_write) {
        // As in Redis, what changes nothing is no write: nobody who watches the key is told.
        if (fil_map_peek_here(access->map, &access->key, access->now_ms, &value) &&
            value.size >= size && run_idle_steps(work, value)) {
            return FIL_OK;
        }
        return fil_resp_key_write_string(access->map, &access->key, size, access->now_ms,
                                         write_fields, work);
    }
    (void)fil_map_get_here(access->map, &access->key, access->now_ms, &value);
    run_steps(work, value, NULL);
    return FIL_OK;
}

static void reply(const struct fil_resp_access *access, const struct work *work)
{
    fil_resp_array(access->output, work->result_count);
    for (uint64_t i = 0; i < work->result_count; i++) {
        if (work->results[i].is_null) {
            fil_resp_null(access->output, access->version);
        } else {
            fil_resp_integer(access->output, work->results[i].number);
        }
    }
}

/** Results are told when all is written: before that it can be refused. */
static void run_bitfield(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                         struct fil_output *output)
{
    struct fil_budget *budget = plan->session->server->options.budget;
    struct fil_resp_access access;
    struct work work = {.command = command, .result_count = (uint64_t)plan->numbers[0]};
    size_t bytes = (work.result_count + 1) * sizeof(struct result);
    fil_resp_members_access(plan, command, output, &access);
    if (fil_resp_access_is_refused(&access)) {
        return;
    }
    work.results = fil_budget_alloc(budget, bytes);
    if (work.results == NULL) {
        fil_resp_out_of_memory(output);
        return;
    }
    int error = run_all(plan, &access, &work);
    if (error == FIL_OK) {
        reply(&access, &work);
    } else {
        fil_resp_plan_tell(output, error);
    }
    fil_budget_free(budget, work.results, bytes);
}

FIL_RESP_PLAN(bitfield)
{
    fil_resp_members_plan(plan, run_bitfield);
    read_steps(command, plan);
    plan->is_slow = plan->numbers[1] >= FIL_RESP_FAR_BYTES;
}

FIL_RESP_PLAN(bitfield_ro)
{
    fil_resp__plan_bitfield(command, plan);
    if (plan->error == NULL && plan->is_write) {
        plan->error = "ERR BITFIELD_RO only supports the GET subcommand";
    }
}
