// SPDX-License-Identifier: Apache-2.0
/**
 * Where paths lead, one test a promise: those below the folder are found, whether they are there or
 * not, and links inside it may be used; nothing leads out of it, by dots, by links or by an
 * absolute path; a folder that is not there is told from that.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/os/file.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

static struct folder folder;
static char root[FOLDER_PATH_MAX * 2];
static char real[FIL_PATH_MAX];

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    folder_write(&folder, "outside.csv", "secret");
    folder_write(&folder, "data-other/a.csv", "secret");
    folder_write(&folder, "data/a.csv", "1");
    folder_write(&folder, "data/deep/b.csv", "2");
    assert_int_equal(symlink("../outside.csv", folder_path(&folder, "data/out.csv")), 0);
    assert_int_equal(symlink("../nowhere.csv", folder_path(&folder, "data/dangling.csv")), 0);
    assert_int_equal(symlink("..", folder_path(&folder, "data/up")), 0);
    assert_int_equal(symlink("loop", folder_path(&folder, "data/loop")), 0);
    assert_int_equal(symlink("deep/b.csv", folder_path(&folder, "data/inside.csv")), 0);
    assert_int_equal(symlink("data", folder_path(&folder, "link-to-data")), 0);
    (void)snprintf(root, sizeof(root), "%s", folder_path(&folder, "data"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

static void check(const char *path, const char *name)
{
    assert_int_equal(fil_file_resolve_below(root, path, real), FIL_OK);
    // The folder of the tests may itself be behind a link.
    const char *found = strstr(real, "/data");
    assert_non_null(found);
    assert_string_equal(found, name);
}

static void test_paths_below_are_found(void **state)
{
    (void)state;
    check("a.csv", "/data/a.csv");
    check("deep/b.csv", "/data/deep/b.csv");
    check("inside.csv", "/data/deep/b.csv");
    check("./deep//b.csv", "/data/deep/b.csv");
    check(".", "/data");
    check(folder_path(&folder, "data/a.csv"), "/data/a.csv");
    check(folder_path(&folder, "link-to-data/a.csv"), "/data/a.csv");
    check(root, "/data");
}

static void test_what_is_not_there_yet_is_found_too(void **state)
{
    (void)state;
    check("new", "/data/new");
    check("deep/new/er", "/data/deep/new/er");
    check("...", "/data/...");
    check(folder_path(&folder, "data/new/x.csv"), "/data/new/x.csv");
}

static void test_nothing_leads_out(void **state)
{
    (void)state;
    static const char *const paths[] = {"../outside.csv",
                                        "deep/../../outside.csv",
                                        "deep/../a.csv",
                                        "..",
                                        "new/../../x",
                                        "/etc/passwd",
                                        "/",
                                        "out.csv",
                                        "up",
                                        "up/outside.csv",
                                        "up/new/x.csv",
                                        "dangling.csv",
                                        "dangling.csv/",
                                        "loop",
                                        "loop/x",
                                        "a.csv/x",
                                        "/nosuch/at/all"};
    for (size_t i = 0; i < FIL_COUNT_OF(paths); i++) {
        assert_int_equal(fil_file_resolve_below(root, paths[i], real), FIL_E_DENIED);
    }
    static const char *const names[] = {"outside.csv", "data-other/a.csv", "data-new/x.csv", ""};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        assert_int_equal(fil_file_resolve_below(root, folder_path(&folder, names[i]), real),
                         FIL_E_DENIED);
    }
    static char long_path[2 * FIL_PATH_MAX];
    memset(long_path, 'x', sizeof(long_path) - 1);
    assert_int_equal(fil_file_resolve_below(root, long_path, real), FIL_E_DENIED);
}

static void test_folder_that_is_missing_is_told(void **state)
{
    (void)state;
    assert_int_equal(fil_file_resolve_below(folder_path(&folder, "none"), "a.csv", real),
                     FIL_E_NOT_FOUND);
}

static void test_root_is_a_folder_as_well(void **state)
{
    (void)state;
    assert_int_equal(fil_file_resolve_below("/", "/nosuch/at/all", real), FIL_OK);
    assert_string_equal(real, "/nosuch/at/all");
    assert_int_equal(fil_file_resolve_below("/", "/", real), FIL_OK);
    assert_string_equal(real, "/");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(paths_below_are_found),    TEST(what_is_not_there_yet_is_found_too),
        TEST(nothing_leads_out),        TEST(folder_that_is_missing_is_told),
        TEST(root_is_a_folder_as_well),
    };
#undef TEST
    return cmocka_run_group_tests_name("file_resolve", tests, NULL, NULL);
}
