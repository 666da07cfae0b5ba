// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of show, one test a promise:
 * it prints nested YAML in the table's order, with origins as comments when asked, whatever text
 * an option holds loads again as the same, and a writer without room says so.
 */
#include <string.h>

#include "lib/conf/conf.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/conf/sample.h"

static struct sample sample;
static struct fil_conf conf;
static char shown[4096];

static int set_up(void **state)
{
    (void)state;
    return fil_conf_init(&conf, &sample_table, &sample);
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static const char *show(bool has_origins)
{
    struct fil_writer writer;
    fil_writer_init(&writer, shown, sizeof(shown));
    assert_int_equal(fil_conf_show(&conf, has_origins, &writer), FIL_OK);
    return fil_writer_terminate(&writer);
}

static void test_options_are_nested_in_order(void **state)
{
    (void)state;
    assert_string_equal(show(false), "title: sample\n"
                                     "room:\n"
                                     "  open: true\n"
                                     "  seats: 4\n"
                                     "  kitchen:\n"
                                     "    cup: 1KiB\n"
                                     "    brew_time: 3m\n"
                                     "  colour: green\n"
                                     "door: 127.0.0.1:80\n");
}

static void test_origins_are_comments(void **state)
{
    (void)state;
    const char *const environment[] = {"SAMPLE_DOOR=[::1]:80", NULL};
    assert_int_equal(fil_conf_load_yaml(&conf, "a.yaml", fil_bytes_of("title: x\n")), FIL_OK);
    assert_int_equal(fil_conf_load_environment(&conf, environment), FIL_OK);
    assert_int_equal(fil_conf_set(&conf, "room.seats=5", "--set"), FIL_OK);
    assert_string_equal(show(true), "title: x                                # file:a.yaml:1:8\n"
                                    "room:\n"
                                    "  open: true                            # default\n"
                                    "  seats: 5                              # flag --set\n"
                                    "  kitchen:\n"
                                    "    cup: 1KiB                           # default\n"
                                    "    brew_time: 3m                       # default\n"
                                    "  colour: green                         # default\n"
                                    "door: \"[::1]:80\"                        "
                                    "# environment SAMPLE_DOOR\n");
}

static void test_any_text_loads_again_as_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",        " ",    "null", "~",       "true",     "No",   "1",    "1e3",     "-",
        "- a",     "a: b", "a #b", "#",       "'",        "\"",   "\\",   "\"\\n\"", "[a]",
        "{a}",     "&a",   "*a",   "!a",      "|",        ">",    "%a",   "@a",      "`a",
        "?",       ":",    "a:",   "a b",     " a ",      "0x10", ".inf", "=",       "\xC3\xBC",
        "a\"b\\c", "---",  "...",  "a'b",     "1:2:3",    "a,b",  "a.b",  "a-b",     "a_b",
        "<<",      "YES",  "NULL", "2001-01", "\xC2\xA0",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(fil_conf_set_option(&conf, "title", texts[i], "--title"), FIL_OK);
        const char *text = show(i % 2 == 0);
        memset(sample.title, 0, sizeof(sample.title));
        assert_int_equal(fil_conf_load_yaml(&conf, "shown.yaml", fil_bytes_of(text)), FIL_OK);
        assert_string_equal(sample.title, texts[i]);
    }
}

static void test_full_writer_is_told(void **state)
{
    (void)state;
    size_t size = strlen(show(true));
    for (size_t room = 0; room <= size; room++) {
        struct fil_writer writer;
        fil_writer_init(&writer, shown, room);
        assert_int_equal(fil_conf_show(&conf, true, &writer), room < size ? FIL_E_FULL : FIL_OK);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_options_are_nested_in_order),
        TEST(test_origins_are_comments),
        TEST(test_any_text_loads_again_as_the_same),
        TEST(test_full_writer_is_told),
    };
    return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
