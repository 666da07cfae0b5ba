// SPDX-License-Identifier: Apache-2.0
/**
 * Configurations from strangers: the input is a YAML file, and beside that an assignment and the
 * value of each option in turn. Whatever loads must show, and what is shown must load to the same
 * values; whatever does not load must say why.
 */
#include <stdint.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/conf/conf.h"
#include "node/options.h"

#define SHOWN_SIZE      (32 * 1024)
#define ASSIGNMENT_SIZE 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void start(struct fil_conf *conf, struct fil_options *options)
{
    int error = fil_conf_init(conf, &fil_options_table, options);
    fil_assert(error == FIL_OK);
}

static void check_messages(const struct fil_conf *conf, int error)
{
    fil_assert((error == FIL_OK) == (fil_conf_message_count(conf) == 0));
    for (size_t i = 0; i < fil_conf_message_count(conf); i++) {
        const char *message = fil_conf_message(conf, i);
        fil_assert(strlen(message) > 0);
        fil_assert(strpbrk(message, "\n\r\t\x1B") == NULL);
    }
}

static void check_equal(const struct fil_conf *a, const struct fil_conf *b)
{
    for (size_t i = 0; i < fil_options_table.count; i++) {
        char left[FIL_OPTION_TEXT_MAX + 1];
        char right[FIL_OPTION_TEXT_MAX + 1];
        int left_error = fil_conf_get(a, fil_options_table.options[i].name, left);
        int right_error = fil_conf_get(b, fil_options_table.options[i].name, right);
        fil_assert(left_error == FIL_OK);
        fil_assert(right_error == FIL_OK);
        fil_assert(strcmp(left, right) == 0);
    }
}

static void check_round_trip(const struct fil_conf *conf)
{
    static char shown[SHOWN_SIZE];
    struct fil_writer writer;
    fil_writer_init(&writer, shown, sizeof(shown));
    int show_error = fil_conf_show(conf, true, &writer);
    fil_assert(show_error == FIL_OK);

    struct fil_options options;
    struct fil_conf again;
    start(&again, &options);
    int load_error = fil_conf_load_yaml(&again, "shown.yaml", fil_writer_written(&writer));
    fil_assert(load_error == FIL_OK);
    check_equal(conf, &again);
    fil_conf_fini(&again);
}

static void try_file(struct fil_bytes text)
{
    struct fil_options options;
    struct fil_conf conf;
    start(&conf, &options);
    int error = fil_conf_load_yaml(&conf, "fuzz.yaml", text);
    check_messages(&conf, error);
    if (error == FIL_OK) {
        int check_error = fil_conf_check(&conf);
        check_messages(&conf, check_error);
        check_round_trip(&conf);
    }
    fil_conf_fini(&conf);
}

static void try_assignment(const char *text)
{
    struct fil_options options;
    struct fil_conf conf;
    start(&conf, &options);
    int error = fil_conf_set(&conf, text, "--set");
    check_messages(&conf, error);
    if (error == FIL_OK) {
        check_round_trip(&conf);
    }
    fil_conf_fini(&conf);
}

/** Every option gets the text; those that take it must show it. */
static void try_values(const char *text)
{
    struct fil_options options;
    struct fil_conf conf;
    start(&conf, &options);
    for (size_t i = 0; i < fil_options_table.count; i++) {
        int error = fil_conf_set_option(&conf, fil_options_table.options[i].name, text, "--x");
        fil_assert(error == FIL_OK || error == FIL_E_CONFIG);
    }
    check_round_trip(&conf);
    fil_conf_fini(&conf);
}

static void try_variable(const char *text)
{
    static char entry[ASSIGNMENT_SIZE + 16] = "FILBERT_";
    memcpy(entry + strlen("FILBERT_"), text, strlen(text) + 1);
    const char *const entries[] = {entry, NULL};
    struct fil_options options;
    struct fil_conf conf;
    start(&conf, &options);
    int error = fil_conf_load_environment(&conf, entries);
    check_messages(&conf, error);
    fil_conf_fini(&conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_file(fil_bytes_make(data, size));

    char text[ASSIGNMENT_SIZE + 1];
    size_t text_size = size < ASSIGNMENT_SIZE ? size : ASSIGNMENT_SIZE;
    if (text_size > 0) {
        memcpy(text, data, text_size);
    }
    text[text_size] = '\0';
    try_assignment(text);
    try_values(text);
    try_variable(text);
    return 0;
}
