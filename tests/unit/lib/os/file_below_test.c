// SPDX-License-Identifier: Apache-2.0
/**
 * Files below a folder, one test a promise: a path is found segment by segment, with its size and
 * time; nothing above the folder can be reached, by dots or by links; what is no file is told, and
 * no descriptor is left.
 */
#include <string.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/os/file.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

static struct folder folder;
static struct fil_file root;
static int first_fd; // the next one, when nothing is left open

static int next_fd(void)
{
    int fd = dup(root.fd);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    return fd;
}

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    folder_write(&folder, "outside.txt", "secret");
    folder_write(&folder, "site/a.txt", "hello");
    folder_write(&folder, "site/deep/er/b.txt", "deep");
    assert_int_equal(symlink("../outside.txt", folder_path(&folder, "site/link.txt")), 0);
    assert_int_equal(symlink("..", folder_path(&folder, "site/up")), 0);
    assert_int_equal(fil_folder_open(&root, folder_path(&folder, "site")), FIL_OK);
    first_fd = next_fd();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(next_fd(), first_fd);
    fil_file_drop(&root);
    folder_remove(&folder);
    return 0;
}

static void check_content(const char *path, const char *content)
{
    struct fil_file file;
    struct fil_file_facts facts;
    char room[16] = {0};
    assert_int_equal(fil_file_open_below(&file, &root, path, &facts), FIL_OK);
    assert_int_equal(facts.size, strlen(content));
    assert_true(facts.changed_ns > UINT64_C(1600000000) * 1000000000);
    assert_int_equal(fil_file_read_at(&file, 0, room, sizeof(room)), strlen(content));
    assert_string_equal(room, content);
    fil_file_drop(&file);
}

static void test_paths_are_found_segment_by_segment(void **state)
{
    (void)state;
    check_content("a.txt", "hello");
    check_content("deep/er/b.txt", "deep");
}

static void check_refused(const char *path, int error)
{
    struct fil_file file;
    struct fil_file_facts facts;
    assert_int_equal(fil_file_open_below(&file, &root, path, &facts), error);
    assert_int_equal(file.fd, -1);
}

static void test_nothing_above_can_be_reached(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "../outside.txt", "deep/../../outside.txt", "deep/../a.txt", "..",      "./a.txt",
        "/etc/passwd",    "deep//er/b.txt",         "link.txt",      "up/a.txt"};
    for (size_t i = 0; i < 8; i++) {
        check_refused(paths[i], FIL_E_DENIED);
    }
    // A link in the middle is no folder.
    check_refused(paths[8], FIL_E_NOT_FOUND);
}

static void test_what_is_no_file_is_told(void **state)
{
    (void)state;
    char long_name[400];
    memset(long_name, 'x', sizeof(long_name));
    long_name[sizeof(long_name) - 1] = '\0';
    check_refused("", FIL_E_NOT_FOUND);
    check_refused("b.txt", FIL_E_NOT_FOUND);
    check_refused("deep/no/b.txt", FIL_E_NOT_FOUND);
    check_refused("a.txt/b.txt", FIL_E_NOT_FOUND);
    check_refused("deep", FIL_E_IO);
    check_refused(long_name, FIL_E_DENIED);
    struct fil_file other;
    assert_int_equal(fil_folder_open(&other, folder_path(&folder, "nowhere")), FIL_E_NOT_FOUND);
    assert_int_equal(fil_folder_open(&other, folder_path(&folder, "site/a.txt")), FIL_E_NOT_FOUND);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(paths_are_found_segment_by_segment),
        TEST(nothing_above_can_be_reached),
        TEST(what_is_no_file_is_told),
    };
#undef TEST
    return cmocka_run_group_tests_name("file_below", tests, NULL, NULL);
}
