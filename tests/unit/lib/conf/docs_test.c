// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of docs, one test a promise:
 * the page says all the table knows, each option once under its section, and a writer without room
 * says so.
 */
#include <string.h>

#include "lib/conf/conf.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/conf/sample.h"

static char page[16384];

static const char *write_page(void)
{
    struct fil_writer writer;
    fil_writer_init(&writer, page, sizeof(page));
    assert_int_equal(fil_conf_docs(&sample_table, &writer), FIL_OK);
    return fil_writer_terminate(&writer);
}

static void test_option_is_described_whole(void **state)
{
    (void)state;
    const char *text = write_page();
    assert_non_null(strstr(text, "### `room.kitchen.cup`\n"
                                 "\n"
                                 "What a cup holds.\n"
                                 "\n"
                                 "- Value: size; 0 (bottomless), or 16 to 1MiB\n"
                                 "- Default: `1KiB`. See the shelf.\n"
                                 "- Environment: `SAMPLE_ROOM__KITCHEN__CUP`\n"
                                 "- Change: needs a restart\n"));
    assert_non_null(strstr(text, "- Environment: `SAMPLE_ROOM__COLOUR`\n"
                                 "- Change: while the process runs\n"));
}

static void test_options_stand_once_under_their_section(void **state)
{
    (void)state;
    static const char *const headings[] = {
        "### `title`",
        "### `door`",
        "## room\n",
        "### `room.open`",
        "### `room.seats`",
        "### `room.colour`",
        "## room.kitchen\n",
        "### `room.kitchen.cup`",
        "### `room.kitchen.brew_time`",
    };
    const char *at = write_page();
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        const char *found = strstr(at, headings[i]);
        assert_non_null(found);
        assert_null(strstr(found + 1, headings[i]));
        at = found;
    }
}

static void test_full_writer_is_told(void **state)
{
    (void)state;
    size_t size = strlen(write_page());
    struct fil_writer writer;
    fil_writer_init(&writer, page, size - 1);
    assert_int_equal(fil_conf_docs(&sample_table, &writer), FIL_E_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_option_is_described_whole),
        cmocka_unit_test(test_options_stand_once_under_their_section),
        cmocka_unit_test(test_full_writer_is_told),
    };
    return cmocka_run_group_tests_name("docs", tests, NULL, NULL);
}
