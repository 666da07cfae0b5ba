// SPDX-License-Identifier: Apache-2.0
/**
 * The promises of files: all of a file and a 0 byte behind it, sizes up to the limit and not one
 * byte more, also for files that do not know their size; what is no regular file is refused without
 * blocking; each failure has its code and leaves nothing behind; writes say how much they took and
 * never wait for a reader; a saved file holds what was given and nothing of what was there before.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "lib/os/file.h"
#include "lib/os/file_internal.h"
#include "lib/os/process.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

#define NOBODY 65534U

static struct fil_env *env;
static struct folder folder;

static int set_up(void **state)
{
    (void)state;
    env = fil_env_real();
    folder_make(&folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

static int read_file(const char *name, size_t size_max, char **out_text, size_t *out_size)
{
    return env->ops->file_read(env, folder_path(&folder, name), size_max, out_text, out_size);
}

static void expect_text(const char *name, size_t size_max, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(read_file(name, size_max, &text, &size), FIL_OK);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(text, expected);
    fil_free(text);
}

static void expect_error(const char *name, size_t size_max, int error)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(read_file(name, size_max, &text, &size), error);
    assert_null(text);
}

static void test_whole_file_is_read_and_terminated(void **state)
{
    (void)state;
    folder_write(&folder, "file", "hello\nworld\n");
    expect_text("file", 1000, "hello\nworld\n");
}

static void test_empty_file_is_an_empty_text(void **state)
{
    (void)state;
    folder_write(&folder, "file", "");
    expect_text("file", 1000, "");
    expect_text("file", 0, "");
}

static void test_limit_is_exact(void **state)
{
    (void)state;
    folder_write(&folder, "file", "12345");
    expect_text("file", 5, "12345");
    expect_error("file", 4, FIL_E_LIMIT);
    expect_error("file", 0, FIL_E_LIMIT);
}

static void test_file_without_a_known_size_is_read_to_its_end(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    const char *path = "/proc/self/status"; // its size is told as 0
    assert_int_equal(env->ops->file_read(env, path, 1U << 20, &text, &size), FIL_OK);
    assert_memory_equal(text, "Name:", 5);
    assert_int_equal(strlen(text), size);
    fil_free(text);
    text = NULL;
    assert_int_equal(env->ops->file_read(env, path, 10, &text, &size), FIL_E_LIMIT);
    assert_null(text);
}

static void test_large_file_of_unknown_size_grows_its_block(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    const char *path = "/proc/self/smaps"; // more than the first block holds
    int error = env->ops->file_read(env, path, 64U << 20, &text, &size);
    if (error != FIL_OK) {
        skip(); // a kernel that hides it
    }
    assert_int_equal(text[size], '\0');
    assert_true(size > 4096);
    fil_free(text);
}

static void test_what_is_no_file_is_refused_without_blocking(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(folder_path(&folder, "pipe"), 0600), 0);
    expect_error("pipe", 1000, FIL_E_UNSUPPORTED);
    expect_error(".", 1000, FIL_E_UNSUPPORTED);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(env->ops->file_read(env, "/dev/null", 1000, &text, &size), FIL_E_UNSUPPORTED);
}

static void test_missing_file_is_not_found(void **state)
{
    (void)state;
    folder_write(&folder, "file", "x");
    expect_error("other", 1000, FIL_E_NOT_FOUND);
    expect_error("no/such/folder", 1000, FIL_E_NOT_FOUND);
    expect_error("file/below", 1000, FIL_E_NOT_FOUND);
}

static void test_forbidden_file_is_denied(void **state)
{
    (void)state;
    folder_write(&folder, "file", "secret");
    assert_int_equal(chmod(folder_path(&folder, "file"), 0), 0);
    bool is_root = geteuid() == 0;
    if (is_root && seteuid(NOBODY) != 0) {
        skip(); // root without the right to be somebody else
    }
    char *text = NULL;
    size_t size = 0;
    int error = read_file("file", 1000, &text, &size);
    if (is_root) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(error, FIL_E_DENIED);
}

static uint64_t count_descriptors(void)
{
    struct fil_process_usage usage;
    fil_process_measure(&usage);
    return usage.descriptor_count;
}

static void test_failures_leave_nothing_behind(void **state)
{
    (void)state;
    folder_write(&folder, "file", "text");
    uint64_t before = count_descriptors();
    char *text = NULL;
    size_t size = 0;
    int64_t passed = 0;
    for (;; passed++) {
        fil_alloc_fail_after(passed);
        int error = read_file("file", 1000, &text, &size);
        fil_alloc_fail_after(-1);
        if (error == FIL_OK) {
            break;
        }
        assert_int_equal(error, FIL_E_NOMEM);
        assert_null(text);
    }
    assert_int_equal(passed, 1);
    fil_free(text);
    expect_error("file", 1, FIL_E_LIMIT);
    expect_error(".", 1000, FIL_E_UNSUPPORTED);
    assert_int_equal(count_descriptors(), before);
}

static void test_start_of_a_file_is_cut_at_the_capacity(void **state)
{
    (void)state;
    char text[4];
    folder_write(&folder, "file", "12345");
    assert_int_equal(fil_file__read_start(folder_path(&folder, "file"), text, sizeof(text)), 3);
    assert_string_equal(text, "123");
    assert_int_equal(fil_file__read_start(folder_path(&folder, "other"), text, sizeof(text)),
                     FIL_E_NOT_FOUND);
}

static void test_write_says_how_much_it_took(void **state)
{
    (void)state;
    static char block[65536];
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    assert_int_equal(env->ops->file_write(env, ends[1], "hello", 5), 5);
    assert_int_equal(read(ends[0], block, sizeof(block)), 5);
    assert_memory_equal(block, "hello", 5);
    int64_t count = 0;
    do {
        count = env->ops->file_write(env, ends[1], block, sizeof(block));
    } while (count > 0);
    assert_int_equal(count, FIL_E_AGAIN);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(env->ops->file_write(env, ends[1], "x", 1), FIL_E_CLOSED);
    assert_int_equal(close(ends[1]), 0);
}

/** Writes until nothing is taken any more, although the descriptor would block. */
static void expect_full(int fd)
{
    static const char block[65536];
    int64_t count = 0;
    do {
        count = env->ops->file_write(env, fd, block, sizeof(block));
    } while (count > 0);
    assert_int_equal(count, FIL_E_AGAIN);
}

static void test_write_does_not_wait_for_the_reader_of_a_pipe(void **state)
{
    (void)state;
    char block[4096];
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    expect_full(ends[1]);
    assert_int_equal(read(ends[0], block, sizeof(block)), sizeof(block));
    assert_int_equal(env->ops->file_write(env, ends[1], "x", 1), 1);
    expect_full(ends[1]);
    assert_int_equal(fil_file_tell(ends[1], fil_bytes_of("x"), 1000000), FIL_E_TIMEOUT);
    assert_int_equal(read(ends[0], block, sizeof(block)), sizeof(block));
    assert_int_equal(fil_file_tell(ends[1], fil_bytes_of("x"), 1000000), FIL_OK);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(fil_file_tell(ends[1], fil_bytes_of("x"), 1000000), FIL_E_CLOSED);
    assert_int_equal(close(ends[1]), 0);
}

static void test_write_does_not_wait_for_the_reader_of_a_terminal(void **state)
{
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    int inner = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(inner >= 0);
    assert_int_equal(env->ops->file_write(env, inner, "hello", 5), 5);
    assert_int_equal(tcflow(inner, TCOOFF), 0);
    assert_int_equal(env->ops->file_write(env, inner, "hello", 5), FIL_E_AGAIN);
    assert_int_equal(tcflow(inner, TCOON), 0);
    expect_full(inner);
    assert_int_equal(close(inner), 0);
    assert_int_equal(close(terminal), 0);
}

static void test_terminal_gets_whole_lines(void **state)
{
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    int inner = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(inner >= 0);
    char lines[600];
    memset(lines, 'x', sizeof(lines));
    // A line's end becomes two bytes: two lines of 100 are 202, three would be more than 256.
    lines[99] = lines[199] = lines[299] = '\n';
    assert_int_equal(env->ops->file_write(env, inner, lines, sizeof(lines)), 200);
    assert_int_equal(env->ops->file_write(env, inner, lines + 200, 100), 100);
    assert_int_equal(env->ops->file_write(env, inner, lines + 300, 300), 256); // no end in sight
    memset(lines, '\t', sizeof(lines));
    assert_int_equal(env->ops->file_write(env, inner, lines, sizeof(lines)), 32);
    assert_int_equal(close(inner), 0);
    assert_int_equal(close(terminal), 0);
}

static void test_pipe_gets_whole_lines(void **state)
{
    (void)state;
    static char lines[8192];
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    memset(lines, 'x', sizeof(lines));
    lines[4000] = '\n';
    assert_int_equal(env->ops->file_write(env, ends[1], lines, sizeof(lines)), 4001);
    assert_int_equal(env->ops->file_write(env, ends[1], lines + 4001, 4191), 4096);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);
}

static void test_write_to_a_file_takes_it_all(void **state)
{
    (void)state;
    static const char block[200000];
    int fd = open(folder_path(&folder, "file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(env->ops->file_write(env, fd, block, sizeof(block)), sizeof(block));
    assert_int_equal(close(fd), 0);
}

static void test_saved_file_holds_what_was_given(void **state)
{
    (void)state;
    folder_write(&folder, "file", "something longer than what comes");
    assert_int_equal(fil_file_save(folder_path(&folder, "file"), fil_bytes_of("short")), FIL_OK);
    expect_text("file", 1000, "short");
    assert_int_equal(fil_file_save(folder_path(&folder, "new"), fil_bytes_of("")), FIL_OK);
    expect_text("new", 1000, "");
}

static void test_save_says_why_it_cannot(void **state)
{
    (void)state;
    uint64_t before = count_descriptors();
    struct fil_bytes text = fil_bytes_of("text");
    assert_int_equal(fil_file_save(folder_path(&folder, "no/such/folder"), text), FIL_E_NOT_FOUND);
    assert_int_equal(fil_file_save(folder_path(&folder, "."), text), FIL_E_IO);
    assert_int_equal(fil_file_save("/dev/full", text), FIL_E_IO);
    assert_int_equal(count_descriptors(), before);
}

static void test_file_grows_piece_by_piece_and_gets_its_name(void **state)
{
    (void)state;
    uint64_t before = count_descriptors();
    char part[FOLDER_PATH_MAX + 16];
    (void)snprintf(part, sizeof(part), "%s", folder_path(&folder, "part"));
    struct fil_file file;
    assert_int_equal(fil_file_create(&file, part), FIL_OK);
    assert_int_equal(fil_file_append(&file, fil_bytes_of("one ")), FIL_OK);
    assert_int_equal(fil_file_append(&file, fil_bytes_of("two")), FIL_OK);
    assert_int_equal(fil_file_sync(&file), FIL_OK);
    assert_int_equal(fil_file_close(&file), FIL_OK);
    assert_int_equal(fil_file_close(&file), FIL_OK);
    assert_int_equal(fil_file_rename(part, folder_path(&folder, "whole")), FIL_OK);
    assert_int_equal(fil_file_rename(part, folder_path(&folder, "whole")), FIL_E_NOT_FOUND);
    expect_text("whole", 1000, "one two");
    char text[8] = {0};
    assert_int_equal(fil_file_open(&file, folder_path(&folder, "whole")), FIL_OK);
    assert_int_equal(fil_file_read_at(&file, 4, text, sizeof(text)), 3);
    assert_string_equal(text, "two");
    assert_int_equal(fil_file_read_at(&file, 7, text, sizeof(text)), 0);
    fil_file_drop(&file);
    assert_int_equal(fil_file_remove(folder_path(&folder, "whole")), FIL_OK);
    assert_int_equal(fil_file_remove(folder_path(&folder, "whole")), FIL_E_NOT_FOUND);
    assert_int_equal(count_descriptors(), before);
}

static void test_folder_is_made_once(void **state)
{
    (void)state;
    assert_int_equal(fil_folder_make(folder_path(&folder, "inside")), FIL_OK);
    assert_int_equal(fil_folder_make(folder_path(&folder, "inside")), FIL_OK);
    folder_write(&folder, "file", "text");
    assert_int_equal(fil_folder_make(folder_path(&folder, "file")), FIL_E_IO);
    assert_int_equal(fil_folder_make(folder_path(&folder, "no/such")), FIL_E_NOT_FOUND);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN); // as fil_signals_block does for a member
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_file_is_read_and_terminated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_file_is_an_empty_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit_is_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file_without_a_known_size_is_read_to_its_end, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_large_file_of_unknown_size_grows_its_block, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_file_is_refused_without_blocking, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_missing_file_is_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_forbidden_file_is_denied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failures_leave_nothing_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_start_of_a_file_is_cut_at_the_capacity, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_write_says_how_much_it_took, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_write_does_not_wait_for_the_reader_of_a_pipe, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_write_does_not_wait_for_the_reader_of_a_terminal,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_terminal_gets_whole_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pipe_gets_whole_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_write_to_a_file_takes_it_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_saved_file_holds_what_was_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file_grows_piece_by_piece_and_gets_its_name, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_folder_is_made_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_save_says_why_it_cannot, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
