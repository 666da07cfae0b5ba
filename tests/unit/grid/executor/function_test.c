// SPDX-License-Identifier: Apache-2.0
/**
 * Functions, one test a promise: they are found by name and by ids; a name or ids that are taken
 * are refused, and so are names that cannot be; a function sees its argument as text or as the
 * fields of an object; the last reply counts; memory that is missing is told, and drawn memory
 * comes back.
 */
#include "grid/executor/function.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static struct fil_functions functions;
static struct fil_budget budget;
static struct fil_function_call call;

static int set_up(void **state)
{
    (void)state;
    fil_functions_init(&functions);
    fil_budget_init(&budget, 1 << 20);
    memset(&call, 0, sizeof(call));
    call.env = fil_env_real();
    call.budget = &budget;
    call.partition_id = FIL_OP_NO_PARTITION;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_function_call_fini(&call);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static int run_named(const char *name, const char *argument)
{
    const struct fil_function_entry *entry = fil_functions_find(&functions, fil_bytes_of(name));
    assert_non_null(entry);
    call.argument = fil_bytes_of(argument);
    return entry->function.run(&call);
}

static int nothing(struct fil_function_call *ignored)
{
    (void)ignored;
    return FIL_OK;
}

static void test_functions_are_found_by_name_and_by_ids(void **state)
{
    (void)state;
    struct fil_function mine = {"mine", 5, 6, nothing};
    int context = 0;
    assert_int_equal(fil_functions_add(&functions, &mine, &context), FIL_OK);
    const struct fil_function_entry *entry = fil_functions_find(&functions, fil_bytes_of("mine"));
    assert_non_null(entry);
    assert_ptr_equal(entry->context, &context);
    assert_ptr_equal(fil_functions_find_ids(&functions, 5, 6), entry);
    assert_null(fil_functions_find(&functions, fil_bytes_of("min")));
    assert_null(fil_functions_find_ids(&functions, 6, 5));
    assert_ptr_equal(fil_functions_find_ids(&functions, FIL_FUNCTION_FACTORY, 1),
                     fil_functions_find(&functions, fil_bytes_of("echo")));
}

static void test_what_cannot_be_is_refused(void **state)
{
    (void)state;
    char names[FIL_FUNCTIONS_MAX][8];
    struct fil_function same_name = {"echo", 1, 1, nothing};
    struct fil_function same_ids = {"other", FIL_FUNCTION_FACTORY, 1, nothing};
    struct fil_function blank = {"two words", 0, 0, nothing};
    struct fil_function empty = {"", 0, 0, nothing};
    struct fil_function idle = {"idle", 0, 0, NULL};
    assert_int_equal(fil_functions_add(&functions, &same_name, NULL), FIL_E_EXISTS);
    assert_int_equal(fil_functions_add(&functions, &same_ids, NULL), FIL_E_EXISTS);
    assert_int_equal(fil_functions_add(&functions, &blank, NULL), FIL_E_INVALID);
    assert_int_equal(fil_functions_add(&functions, &empty, NULL), FIL_E_INVALID);
    assert_int_equal(fil_functions_add(&functions, &idle, NULL), FIL_E_INVALID);
    // Without ids, many may be there by their names alone.
    for (uint32_t i = functions.count; i < FIL_FUNCTIONS_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i);
        struct fil_function next = {names[i], 0, 0, nothing};
        assert_int_equal(fil_functions_add(&functions, &next, NULL), FIL_OK);
    }
    struct fil_function last = {"last", 0, 0, nothing};
    assert_int_equal(fil_functions_add(&functions, &last, NULL), FIL_E_LIMIT);
    assert_null(fil_functions_find_ids(&functions, 0, 0));
}

static void test_text_is_what_was_sent_or_the_first_field(void **state)
{
    (void)state;
    assert_int_equal(run_named("echo", "hello"), FIL_OK);
    assert_int_equal(call.reply, FIL_FUNCTION_TEXT);
    assert_memory_equal(call.data, "hello", 5);
    call.has_fields = true;
    const struct fil_function_entry *entry = fil_functions_find(&functions, fil_bytes_of("echo"));
    call.argument = fil_bytes_make("\0\0\0\2hi and more", 15);
    assert_int_equal(entry->function.run(&call), FIL_OK);
    assert_int_equal(call.size, 2);
    assert_memory_equal(call.data, "hi", 2);
    call.argument = fil_bytes_make("\0\0\0\7short", 9);
    assert_int_equal(entry->function.run(&call), FIL_E_INVALID);
    assert_non_null(strstr(call.problem, "one string"));
}

static void test_the_last_reply_counts(void **state)
{
    (void)state;
    assert_int_equal(fil_function_reply_text(&call, "abc", 3), FIL_OK);
    assert_int_equal(fil_function_reply_json(&call, "[]", 2), FIL_OK);
    assert_int_equal(call.reply, FIL_FUNCTION_JSON);
    assert_int_equal(fil_budget_drawn(&budget), 2);
    assert_int_equal(fil_function_reply_number(&call, -7), FIL_OK);
    assert_int_equal(call.reply, FIL_FUNCTION_NUMBER);
    assert_int_equal(call.number, -7);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    assert_int_equal(fil_function_reply_data(&call, "short", 5), FIL_E_INVALID);
    assert_int_equal(fil_function_reply_data(&call, "\0\0\0\0\0\0\0\0", 8), FIL_OK);
    assert_int_equal(call.reply, FIL_FUNCTION_DATA);
}

static void test_missing_memory_is_told(void **state)
{
    (void)state;
    fil_budget_init(&budget, 16);
    assert_int_equal(fil_function_reply_text(&call, "more than sixteen bytes", 23), FIL_E_NOMEM);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_function_reply_text(&call, "few", 3), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_int_equal(call.reply, FIL_FUNCTION_NOTHING);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_sleep_ends_when_nobody_wants_it(void **state)
{
    (void)state;
    assert_int_equal(run_named("sleep", "1"), FIL_OK);
    assert_int_equal(call.number, 1);
    assert_int_equal(run_named("sleep", "soon"), FIL_E_INVALID);
    assert_int_equal(run_named("sleep", "-1"), FIL_E_INVALID);
    fil_function_call_cancel(&call);
    assert_true(fil_function_is_cancelled(&call));
    assert_int_equal(run_named("sleep", "3600000"), FIL_E_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_functions_are_found_by_name_and_by_ids, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_text_is_what_was_sent_or_the_first_field, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_last_reply_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_memory_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sleep_ends_when_nobody_wants_it, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("function", tests, NULL, NULL);
}
