// SPDX-License-Identifier: Apache-2.0
/**
 * Whole configuration files against Filbert's own options, one promise a test:
 * every broken file gives exactly the messages of its .golden file, and a loaded file that is shown
 * loads again to the same values.
 *
 * A changed message is accepted with `config_golden --update`, run in the project's root; the diff
 * of the .golden files is then what a reviewer looks at.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/attr.h"
#include "lib/conf/conf.h"
#include "node/options.h"
#include "tests/unit/harness.h"

#define BROKEN_FOLDER "tests/config/broken"
#define GOOD_FOLDER   "tests/config/good"
#define CASES_MAX     128
#define BROKEN_MIN    30
#define NAME_SIZE     64
#define TEXT_SIZE     (64 * 1024)

struct names {
    char items[CASES_MAX][NAME_SIZE];
    size_t count;
};

static bool is_update;
static struct fil_options options;
static struct fil_conf conf;

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    size_t end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((const char *)a, (const char *)b);
}

/** The names in the folder with the ending, without it, sorted. */
static void list_names(const char *folder, const char *ending, struct names *out_names)
{
    out_names->count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (!ends_with(entry->d_name, ending)) {
            continue;
        }
        size_t size = strlen(entry->d_name) - strlen(ending);
        assert_true(out_names->count < CASES_MAX);
        assert_true(size < NAME_SIZE);
        char *name = out_names->items[out_names->count];
        memcpy(name, entry->d_name, size);
        name[size] = '\0';
        out_names->count++;
    }
    closedir(directory);
    qsort(out_names->items, out_names->count, NAME_SIZE, compare_names);
}

static size_t read_text(const char *folder, const char *name, const char *ending, char *out_text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s: missing; config_golden --update writes golden files", path);
        return 0;
    }
    size_t size = fread(out_text, 1, TEXT_SIZE - 1, file);
    assert_int_equal(fclose(file), 0);
    out_text[size] = '\0';
    return size;
}

static void load(const char *folder, const char *name)
{
    static char text[TEXT_SIZE];
    char file[NAME_SIZE + 8];
    size_t size = read_text(folder, name, ".yaml", text);
    (void)snprintf(file, sizeof(file), "%s.yaml", name);
    assert_int_equal(fil_conf_init(&conf, &fil_options_table, &options), FIL_OK);
    int error = fil_conf_load_yaml(&conf, file, fil_bytes_make(text, size));
    int check_error = error == FIL_OK ? fil_conf_check(&conf) : FIL_E_CONFIG;
    // An error and a message come together.
    assert_int_equal(check_error, fil_conf_message_count(&conf) == 0 ? FIL_OK : FIL_E_CONFIG);
}

/** All messages, a line each. */
static void collect_messages(char *out_text)
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_text, TEXT_SIZE);
    for (size_t i = 0; i < fil_conf_message_count(&conf); i++) {
        fil_writer_format(&writer, "%s\n", fil_conf_message(&conf, i));
    }
    assert_false(writer.is_full);
    (void)fil_writer_terminate(&writer);
}

static void write_golden(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s.golden", BROKEN_FOLDER, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void test_broken_file_gives_exactly_its_messages(void **state)
{
    (void)state;
    static struct names cases;
    static char messages[TEXT_SIZE];
    static char golden[TEXT_SIZE];
    list_names(BROKEN_FOLDER, ".yaml", &cases);
    assert_true(cases.count >= BROKEN_MIN);
    for (size_t i = 0; i < cases.count; i++) {
        const char *name = cases.items[i];
        load(BROKEN_FOLDER, name);
        collect_messages(messages);
        fil_conf_fini(&conf);
        assert_string_not_equal(messages, "");
        if (is_update) {
            write_golden(name, messages);
        }
        (void)read_text(BROKEN_FOLDER, name, ".golden", golden);
        if (strcmp(messages, golden) != 0) {
            print_error("%s: the messages are\n%s", name, messages);
        }
        assert_string_equal(messages, golden);
    }
}

static void test_every_golden_file_has_its_case(void **state)
{
    (void)state;
    static struct names goldens;
    static struct names cases;
    list_names(BROKEN_FOLDER, ".golden", &goldens);
    list_names(BROKEN_FOLDER, ".yaml", &cases);
    assert_int_equal(goldens.count, cases.count);
    for (size_t i = 0; i < cases.count; i++) {
        assert_string_equal(goldens.items[i], cases.items[i]);
    }
}

static void assert_shown_loads_the_same(const char *name, bool has_origins)
{
    static char shown[TEXT_SIZE];
    struct fil_writer writer;
    fil_writer_init(&writer, shown, sizeof(shown));
    assert_int_equal(fil_conf_show(&conf, has_origins, &writer), FIL_OK);

    struct fil_options again;
    struct fil_conf second;
    assert_int_equal(fil_conf_init(&second, &fil_options_table, &again), FIL_OK);
    if (fil_conf_load_yaml(&second, "shown.yaml", fil_writer_written(&writer)) != FIL_OK) {
        fail_msg("%s: %s", name, fil_conf_message(&second, 0));
    }
    for (size_t i = 0; i < fil_options_table.count; i++) {
        char before[FIL_OPTION_TEXT_MAX + 1];
        char after[FIL_OPTION_TEXT_MAX + 1];
        const char *option = fil_options_table.options[i].name;
        assert_int_equal(fil_conf_get(&conf, option, before), FIL_OK);
        assert_int_equal(fil_conf_get(&second, option, after), FIL_OK);
        assert_string_equal(before, after);
    }
    fil_conf_fini(&second);
}

static void test_good_file_survives_show_and_load(void **state)
{
    (void)state;
    static struct names cases;
    list_names(GOOD_FOLDER, ".yaml", &cases);
    assert_true(cases.count > 0);
    for (size_t i = 0; i < cases.count; i++) {
        load(GOOD_FOLDER, cases.items[i]);
        if (fil_conf_message_count(&conf) > 0) {
            fail_msg("%s", fil_conf_message(&conf, 0));
        }
        assert_shown_loads_the_same(cases.items[i], false);
        assert_shown_loads_the_same(cases.items[i], true);
        fil_conf_fini(&conf);
    }
}

int main(int argument_count, char **arguments)
{
    is_update = argument_count == 2 && strcmp(arguments[1], "--update") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_file_gives_exactly_its_messages),
        cmocka_unit_test(test_every_golden_file_has_its_case),
        cmocka_unit_test(test_good_file_survives_show_and_load),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
