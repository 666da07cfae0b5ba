// SPDX-License-Identifier: Apache-2.0
/** Strings as rows of bits: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"
#include "protocol/resp/bit_word.h"
#include "protocol/resp/bits.h"
#include "protocol/resp/handlers_internal.h"
#include "protocol/resp/key.h"
#include "protocol/resp/plan.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"
#include "protocol/resp/word.h"

enum range_option {
    RANGE_GIVEN = 1U << 0, // there is a first place
    RANGE_ENDS = 1U << 1,  // and a last one
    RANGE_BITS = 1U << 2,  // places are of bits, not of bytes
    RANGE_WANTED = 1U << 3 // BITPOS: the bit is 1
};

// One bit.

static struct fil_resp_bit_field bit_at(int64_t offset)
{
    return (struct fil_resp_bit_field){.offset = (uint64_t)offset, .width = 1};
}

static int64_t access_getbit(struct fil_resp_access *access)
{
    struct fil_resp_bit_field bit = bit_at(access->numbers[0]);
    struct fil_bytes value = {0};
    (void)fil_map_get_here(access->map, &access->key, access->now_ms, &value);
    fil_resp_integer(access->output, fil_resp_bits_read(value, &bit));
    return 0;
}

FIL_RESP_PLAN(getbit)
{
    fil_resp_plan_one(plan, access_getbit, 1, 0);
    plan->wants_string = true;
    plan->error = fil_resp_bit_word_offset(fil_resp_argument(command, 2), 0, &plan->numbers[0]);
}

static void write_bit(void *context, uint8_t *value, size_t size)
{
    const struct fil_resp_access *access = context;
    struct fil_resp_bit_field bit = bit_at(access->numbers[0]);
    fil_assert(bit.offset / 8 < size);
    fil_resp_bits_write(value, &bit, access->numbers[1]);
}

/** Writes the bit; where it is already as it should be nothing changes, and nobody is told. */
static int64_t access_setbit(struct fil_resp_access *access)
{
    struct fil_resp_bit_field bit = bit_at(access->numbers[0]);
    struct fil_bytes value = {0};
    size_t size = (size_t)access->numbers[0] / 8 + 1;
    int error = FIL_OK;
    (void)fil_map_peek_here(access->map, &access->key, access->now_ms, &value);
    int64_t old = fil_resp_bits_read(value, &bit);
    if (size > value.size || old != access->numbers[1]) {
        error = fil_resp_key_write_string(access->map, &access->key, size, access->now_ms,
                                          write_bit, access);
    }
    if (error == FIL_OK) {
        fil_resp_integer(access->output, old);
    } else {
        fil_resp_plan_tell(access->output, error);
    }
    return 0;
}

FIL_RESP_PLAN(setbit)
{
    fil_resp_plan_one(plan, access_setbit, 1, 0);
    plan->wants_string = true;
    plan->error = fil_resp_bit_word_offset(fil_resp_argument(command, 2), 0, &plan->numbers[0]);
    if (plan->error == NULL &&
        (!fil_resp_word_to_integer(fil_resp_argument(command, 3), &plan->numbers[1]) ||
         (plan->numbers[1] & ~INT64_C(1)) != 0)) {
        plan->error = "ERR bit is not an integer or out of range";
    }
    plan->is_slow = plan->numbers[0] / 8 >= FIL_RESP_FAR_BYTES;
}

// Many bits.

/** Reads [start [end [BYTE | BIT]]]. */
static const char *read_range(const struct fil_resp_command *command, uint32_t first,
                              struct fil_resp_plan *plan)
{
    plan->numbers[1] = -1;
    if (command->count > first + 3) {
        return FIL_RESP_SYNTAX;
    }
    for (uint32_t i = 0; i < 2 && first + i < command->count; i++) {
        plan->options |= i == 0 ? RANGE_GIVEN : RANGE_ENDS;
        if (!fil_resp_word_to_integer(fil_resp_argument(command, first + i), &plan->numbers[i])) {
            return FIL_RESP_NOT_INTEGER;
        }
    }
    if (command->count < first + 3) {
        return NULL;
    }
    bool has_bits = fil_resp_word_is(command, first + 2, "bit");
    plan->options |= has_bits ? RANGE_BITS : 0;
    return has_bits || fil_resp_word_is(command, first + 2, "byte") ? NULL : FIL_RESP_SYNTAX;
}

/** The bits of the value that the access is about. */
static struct fil_resp_bit_range range_of(const struct fil_resp_access *access,
                                          struct fil_bytes value)
{
    int64_t scale = access->options & RANGE_BITS ? 1 : 8;
    int64_t size = (int64_t)value.size * 8 / scale;
    int64_t first = access->numbers[0];
    int64_t last = access->numbers[1];
    first = first < 0 ? first + size : first;
    last = last < 0 ? last + size : last;
    first = first < 0 ? 0 : first;
    last = last < 0 ? 0 : last;
    last = last >= size ? size - 1 : last;
    if (first > last) {
        return (struct fil_resp_bit_range){.first = 0, .last = -1};
    }
    return (struct fil_resp_bit_range){.first = first * scale, .last = last * scale + scale - 1};
}

static int64_t access_bitcount(struct fil_resp_access *access)
{
    struct fil_bytes value = {0};
    const int64_t *ends = access->numbers;
    bool is_empty = ends[0] < 0 && ends[1] < 0 && ends[0] > ends[1];
    (void)fil_map_get_here(access->map, &access->key, access->now_ms, &value);
    uint64_t count = is_empty ? 0 : fil_resp_bits_count(value, range_of(access, value));
    fil_resp_integer(access->output, (int64_t)count);
    return 0;
}

FIL_RESP_PLAN(bitcount)
{
    fil_resp_plan_one(plan, access_bitcount, 1, 0);
    plan->wants_string = true;
    plan->error = command->count == 3 ? FIL_RESP_SYNTAX : read_range(command, 2, plan);
}

/** Without a last place there are zeros behind the value. */
static int64_t access_bitpos(struct fil_resp_access *access)
{
    bool wanted = (access->options & RANGE_WANTED) != 0;
    struct fil_bytes value = {0};
    bool is_there = fil_map_get_here(access->map, &access->key, access->now_ms, &value);
    struct fil_resp_bit_range range = range_of(access, value);
    int64_t place = fil_resp_bits_find(value, range, wanted);
    bool has_room = range.first <= range.last && (access->options & RANGE_ENDS) == 0;
    if (place < 0 && !wanted && !is_there) {
        place = 0;
    } else if (place < 0 && !wanted && has_room) {
        place = range.last + 1;
    }
    fil_resp_integer(access->output, place);
    return 0;
}

FIL_RESP_PLAN(bitpos)
{
    int64_t bit = 0;
    fil_resp_plan_one(plan, access_bitpos, 1, 0);
    plan->wants_string = true;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, 2), &bit)) {
        plan->error = FIL_RESP_NOT_INTEGER;
    } else if (bit != 0 && bit != 1) {
        plan->error = "ERR The bit argument must be 1 or 0.";
    } else {
        plan->options = bit == 1 ? RANGE_WANTED : 0;
        plan->error = read_range(command, 3, plan);
    }
}

// From several strings.

enum operation {
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_NOT,
};

/** The value of one of the sources, empty when there is none; false when it is no string, as is
 * told. */
static bool read_source(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        uint32_t index, struct fil_output *output, struct fil_bytes *out_value)
{
    struct fil_map_key key = fil_resp_plan_place(plan, command, index);
    *out_value = fil_bytes_make(NULL, 0);
    if (!fil_map_get_here(plan->map, &key, plan->now_ms, out_value) &&
        fil_resp_key_has_collection(plan->map, &key, plan->now_ms)) {
        fil_resp_error(output, FIL_RESP_WRONG_TYPE);
        return false;
    }
    return true;
}

/** The longest source's size; false when one of them is no string, as is told. */
static bool measure(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                    struct fil_output *output, size_t *out_size)
{
    struct fil_bytes value;
    *out_size = 0;
    for (uint32_t i = 1; i < plan->count; i++) {
        if (!read_source(plan, command, i, output, &value)) {
            return false;
        }
        *out_size = value.size > *out_size ? value.size : *out_size;
    }
    return true;
}

/** Takes one more source into the result, whose end it may not reach: there it has zeros. */
static void combine(enum operation operation, struct fil_bytes value, uint8_t *result, size_t size)
{
    fil_assert(value.size <= size);
    for (size_t i = 0; i < value.size; i++) {
        uint8_t byte = value.data[i];
        switch (operation) {
        case OPERATION_AND:
            result[i] &= byte;
            break;
        case OPERATION_OR:
            result[i] |= byte;
            break;
        case OPERATION_XOR:
        case OPERATION_NOT: // against ones
            result[i] ^= byte;
            break;
        }
    }
    if (operation == OPERATION_AND) {
        memset(result + value.size, 0, size - value.size);
    }
}

/** The result of a size, in room for it. */
static void work_out(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                     struct fil_output *output, uint8_t *result, size_t size)
{
    enum operation operation = (enum operation)plan->options;
    bool has_ones = operation == OPERATION_AND || operation == OPERATION_NOT;
    memset(result, has_ones ? 0xFF : 0, size);
    for (uint32_t i = 1; i < plan->count; i++) {
        struct fil_bytes value;
        bool is_string = read_source(plan, command, i, output, &value);
        fil_assert(is_string); // it was measured
        combine(operation, value, result, size);
    }
}

static int store_result(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                        struct fil_output *output, size_t size)
{
    struct fil_budget *budget = plan->session->server->options.budget;
    struct fil_map_key target = fil_resp_plan_place(plan, command, 0);
    struct fil_store_write how = {.now_ms = plan->now_ms};
    if (size == 0) {
        (void)fil_resp_key_remove(plan->map, &target, plan->now_ms);
        return FIL_OK;
    }
    uint8_t *result = fil_budget_alloc(budget, size);
    if (result == NULL) {
        return FIL_E_NOMEM;
    }
    work_out(plan, command, output, result, size);
    int error = fil_map_put_here(plan->map, &target, fil_bytes_make(result, size), &how, NULL);
    fil_budget_free(budget, result, size);
    return error;
}

static void run_bitop(const struct fil_resp_plan *plan, const struct fil_resp_command *command,
                      struct fil_output *output)
{
    size_t size = 0;
    if (!measure(plan, command, output, &size)) {
        return;
    }
    int error = store_result(plan, command, output, size);
    if (error == FIL_OK) {
        fil_resp_integer(output, (int64_t)size);
    } else {
        fil_resp_plan_tell(output, error);
    }
}

FIL_RESP_PLAN(bitop)
{
    static const char *const words[] = {
        [OPERATION_AND] = "and",
        [OPERATION_OR] = "or",
        [OPERATION_XOR] = "xor",
        [OPERATION_NOT] = "not",
    };
    plan->kind = FIL_RESP_PLAN_TOGETHER;
    plan->run_together = run_bitop;
    plan->first = 2;
    plan->count = command->count - 2;
    plan->error = FIL_RESP_SYNTAX;
    for (uint32_t i = 0; i < FIL_COUNT_OF(words); i++) {
        if (fil_resp_word_is(command, 1, words[i])) {
            plan->options = i;
            plan->error = NULL;
        }
    }
    if (plan->error == NULL && plan->options == OPERATION_NOT && command->count != 4) {
        plan->error = "ERR BITOP NOT must be called with a single source key.";
    }
}
