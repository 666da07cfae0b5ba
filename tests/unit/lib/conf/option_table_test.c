// SPDX-License-Identifier: Apache-2.0
/**
 * The table's contract, one test a promise:
 * options and sections are found by their whole name, a misspelt or shortened name gets a
 * suggestion, names map to the environment, and a table that breaks a rule stops the process.
 */
#include "lib/conf/option_table.h"

#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/conf/sample.h"

static const struct fil_option *find(const char *name)
{
    return fil_option_table_find(&sample_table, fil_bytes_of(name));
}

static const struct fil_option_section *find_section(const char *name)
{
    return fil_option_table_find_section(&sample_table, fil_bytes_of(name));
}

static void test_names_are_found_whole(void **state)
{
    (void)state;
    assert_ptr_equal(find("room.seats"), &sample_table.options[2]);
    assert_null(find("room.seat"));
    assert_null(find("room.seatss"));
    assert_null(find("room"));
    assert_null(find(""));
    assert_ptr_equal(find_section("room.kitchen"), &sample_table.sections[1]);
    assert_null(find_section("kitchen"));
    assert_null(find_section("room.seats"));
}

static void test_section_knows_its_options(void **state)
{
    (void)state;
    assert_true(fil_option_is_in_section(find("room.kitchen.cup"), find_section("room")));
    assert_true(fil_option_is_in_section(find("room.kitchen.cup"), find_section("room.kitchen")));
    assert_false(fil_option_is_in_section(find("room.seats"), find_section("room.kitchen")));
    assert_false(fil_option_is_in_section(find("title"), find_section("room")));
    assert_ptr_equal(fil_option_table_first_in_section(&sample_table, find_section("room")),
                     find("room.open"));
}

static const char *suggest(const char *name)
{
    const char *suggestion = fil_option_table_suggest(&sample_table, fil_bytes_of(name));
    return suggestion == NULL ? "" : suggestion;
}

static void test_wrong_name_gets_the_nearest(void **state)
{
    (void)state;
    assert_string_equal(suggest("room.seat"), "room.seats");
    assert_string_equal(suggest("Room.Seats"), "room.seats");
    assert_string_equal(suggest("tilte"), "title");
    assert_string_equal(suggest("roo"), "room");
    assert_string_equal(suggest("seats"), "room.seats");
    assert_string_equal(suggest("kitchen.cup"), "room.kitchen.cup");
    assert_string_equal(suggest("cup"), "room.kitchen.cup");
    assert_string_equal(suggest("window"), "");
    assert_string_equal(suggest(""), "");
}

static void test_environment_name_doubles_the_dot(void **state)
{
    (void)state;
    char name[FIL_OPTION_ENVIRONMENT_MAX + 1];
    assert_string_equal(fil_option_environment_name(&sample_table, find("title"), name),
                        "SAMPLE_TITLE");
    assert_string_equal(
        fil_option_environment_name(&sample_table, find("room.kitchen.brew_time"), name),
        "SAMPLE_ROOM__KITCHEN__BREW_TIME");
}

static jmp_buf assertion_failed;

static void catch_assertion(const char *text)
{
    (void)text;
    longjmp(assertion_failed, 1);
}

/** Whether the check stops at the table, instead of returning. */
static bool is_refused(const struct fil_option_table *table)
{
    fil_assert_set_hook(catch_assertion);
    if (setjmp(assertion_failed) != 0) {
        return true; // the hook is used up
    }
    fil_option_table_check(table);
    fil_assert_set_hook(NULL);
    return false;
}

#define OPTIONS_MAX 8

struct copy {
    struct fil_option_table table;
    struct fil_option options[OPTIONS_MAX];
    struct fil_option_section sections[OPTIONS_MAX];
};

/** The sample, to be broken. */
static void copy_sample(struct copy *copy)
{
    assert_true(sample_table.count <= OPTIONS_MAX);
    copy->table = sample_table;
    memcpy(copy->options, sample_table.options, sample_table.count * sizeof(copy->options[0]));
    memcpy(copy->sections, sample_table.sections,
           sample_table.section_count * sizeof(copy->sections[0]));
    copy->table.options = copy->options;
    copy->table.sections = copy->sections;
}

static void test_well_formed_table_passes(void **state)
{
    (void)state;
    struct copy copy;
    copy_sample(&copy);
    assert_false(is_refused(&sample_table));
    assert_false(is_refused(&copy.table));
}

static void test_malformed_names_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "Title",
        "ti-tle",
        "ti__tle",
        "_title",
        "title_",
        ".title",
        "title.",
        "ti..tle",
        "9title",
        "ti tle",
        "a.b.c.d.e",
        "room",
        "door",
        "nowhere.title",
        "room_.title",
        "sixty_one_characters_are_one_more_than_the_limit_of_sixty_xxx",
    };
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        struct copy copy;
        copy_sample(&copy);
        copy.options[0].name = names[i];
        assert_true(is_refused(&copy.table));
    }
}

static void test_malformed_options_are_refused(void **state)
{
    (void)state;
    struct copy copy;
    copy_sample(&copy);
    copy.options[2].default_text = "many";
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.options[2].default_text = "101";
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.options[2].minimum = 101;
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.options[0].maximum = FIL_OPTION_TEXT_MAX + 1;
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.options[0].doc = "";
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.options[0].reason = "";
    assert_true(is_refused(&copy.table));
}

static void test_malformed_tables_are_refused(void **state)
{
    (void)state;
    struct copy copy;
    copy_sample(&copy);
    copy.table.section_count = 1; // the kitchen is not listed
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.sections[0].name = "roof"; // nothing is in it
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.options[6] = copy.options[1]; // the room's options are no longer one run
    copy.options[1] = sample_table.options[6];
    copy.options[1].name = "room.door";
    copy.options[5].name = "colour";
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.table.count = 0;
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.table.environment_prefix = "";
    assert_true(is_refused(&copy.table));
    copy_sample(&copy);
    copy.table.list_hint = "";
    assert_true(is_refused(&copy.table));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_found_whole),
        cmocka_unit_test(test_section_knows_its_options),
        cmocka_unit_test(test_wrong_name_gets_the_nearest),
        cmocka_unit_test(test_environment_name_doubles_the_dot),
        cmocka_unit_test(test_well_formed_table_passes),
        cmocka_unit_test(test_malformed_names_are_refused),
        cmocka_unit_test(test_malformed_options_are_refused),
        cmocka_unit_test(test_malformed_tables_are_refused),
    };
    return cmocka_run_group_tests_name("option_table", tests, NULL, NULL);
}
