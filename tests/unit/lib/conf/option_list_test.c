// SPDX-License-Identifier: Apache-2.0
/**
 * Lists in one line of text, one test a promise: items come in their order with their settings and
 * all others as they were; settings are read like the section's options; a name that stands there
 * twice, is none, or is missing is refused, and so is a setting that is none.
 */
#include "lib/conf/option_list.h"

#include <string.h>

#include "tests/unit/harness.h"

struct fleet {
    char named[200];
    int64_t crew;
    uint64_t patience_ns;
    int64_t ships_max;
};

static const struct fil_option options[] = {
    {
        .name = "fleet.named",
        .type = FIL_OPTION_LIST,
        .offset = offsetof(struct fleet, named),
        .default_text = "none",
        .maximum = 199,
        .doc = "Ships that differ.",
        .reason = "Most are alike.",
    },
    {
        .name = "fleet.crew",
        .type = FIL_OPTION_INTEGER,
        .is_setting = true,
        .offset = offsetof(struct fleet, crew),
        .default_text = "3",
        .minimum = 1,
        .maximum = 9,
        .doc = "Who sails.",
        .reason = "A boat takes as many.",
    },
    {
        .name = "fleet.patience",
        .type = FIL_OPTION_DURATION,
        .is_setting = true,
        .offset = offsetof(struct fleet, patience_ns),
        .default_text = "5s",
        .minimum = 1,
        .maximum = INT64_C(3600000000000),
        .doc = "How long to wait.",
        .reason = "The tide turns.",
    },
    {
        .name = "fleet.ships_max",
        .type = FIL_OPTION_INTEGER,
        .offset = offsetof(struct fleet, ships_max),
        .default_text = "10",
        .maximum = 100,
        .doc = "How many there are.",
        .reason = "The harbour is small.",
    },
};

static const struct fil_option_section sections[] = {{.name = "fleet", .doc = "Ships."}};

static const struct fil_option_table table = {
    .options = options,
    .count = FIL_COUNT_OF(options),
    .sections = sections,
    .section_count = 1,
    .environment_prefix = "FLEET_",
    .list_hint = "ask the harbour",
};

static const struct fleet defaults = {.crew = 3, .patience_ns = 5};
static struct fil_option_list list;
static struct fleet own;
static char reason[FIL_OPTION_REASON_MAX + 1];

static void open_list(const char *text)
{
    fil_option_table_check(&table);
    fil_option_list_init(&list, &table, "fleet.named", text);
}

static int next(void)
{
    own = defaults;
    return fil_option_list_next(&list, &own, reason);
}

static void test_items_come_in_order(void **state)
{
    (void)state;
    open_list(" ann crew=4  patience=2s; bob ;carl patience=1h;");
    assert_int_equal(next(), 1);
    assert_string_equal(list.name, "ann");
    assert_int_equal(own.crew, 4);
    assert_int_equal(own.patience_ns, 2000000000);
    assert_int_equal(next(), 1);
    assert_string_equal(list.name, "bob");
    assert_int_equal(own.crew, 3);
    assert_int_equal(own.patience_ns, 5);
    assert_int_equal(next(), 1);
    assert_string_equal(list.name, "carl");
    assert_int_equal(next(), 0);
    assert_int_equal(list.count, 3);
}

static void test_no_items(void **state)
{
    (void)state;
    open_list("none");
    assert_int_equal(next(), 0);
    open_list("  ");
    assert_int_equal(next(), 0);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        {"a crew=10", "'fleet.crew' "},
        {"a patience=soon", "'fleet.patience' takes a duration, not 'soon'"},
        {"a crew", "'fleet.crew' "},
        {"a ships_max=1", "'ships_max' is no setting of an item: there are crew=, patience="},
        {"a; a", "'a' is there twice"},
        {"a; ; b", "there is nothing between two semicolons"},
        {"crew=1", "a name has 1 to 255 bytes without blanks, ';' and '=', not 'crew=1'"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        int got = 1;
        open_list(cases[i].text);
        while (got == 1) {
            got = next();
        }
        assert_int_equal(got, FIL_E_CONFIG);
        assert_non_null(strstr(reason, cases[i].said));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_come_in_order),
        cmocka_unit_test(test_no_items),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests_name("option_list", tests, NULL, NULL);
}
