// SPDX-License-Identifier: Apache-2.0
/** filbert config: shows, checks and documents the options. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/cursor.h"
#include "settings.h"

#define OUTPUT_BYTES_MAX ((size_t)256 * 1024)

typedef int (*write_fn)(const struct fil_conf *conf, struct fil_writer *writer);

static int write_plain(const struct fil_conf *conf, struct fil_writer *writer)
{
    return fil_conf_show(conf, false, writer);
}

static int write_origins(const struct fil_conf *conf, struct fil_writer *writer)
{
    return fil_conf_show(conf, true, writer);
}

static int write_docs(const struct fil_conf *conf, struct fil_writer *writer)
{
    (void)conf;
    return fil_options_docs(writer);
}

static int print(const struct fil_conf *conf, write_fn write)
{
    struct fil_writer writer;
    char *memory = fil_alloc(OUTPUT_BYTES_MAX);
    int error = FIL_E_NOMEM;
    if (memory != NULL) {
        fil_writer_init(&writer, memory, OUTPUT_BYTES_MAX);
        error = write(conf, &writer);
    }
    if (error == FIL_OK) {
        struct fil_bytes text = fil_writer_written(&writer);
        (void)fwrite(text.data, 1, text.size, stdout);
    } else {
        (void)fprintf(stderr, "filbert: %s\n", fil_error_text(error));
    }
    fil_free(memory);
    return error == FIL_OK ? EXIT_OK : EXIT_FAILED;
}

static int complain_usage(const char *word)
{
    (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help config\n", word);
    return EXIT_USAGE;
}

/** show and check: loads the configuration as start would. */
static int show_or_check(int count, char **words, bool is_check)
{
    struct settings_source source = {0};
    struct settings settings;
    bool has_origin = false;
    for (int i = 2; i < count;) {
        int taken = settings_take_flag(&source, count, words, i);
        if (taken == 0 && !is_check && strcmp(words[i], "--origin") == 0) {
            has_origin = true;
            taken = 1;
        }
        if (taken <= 0) {
            return taken < 0 ? EXIT_USAGE : complain_usage(words[i]);
        }
        i += taken;
    }
    if (!settings_load(&settings, &source)) {
        return EXIT_FAILED;
    }
    int code = EXIT_OK;
    if (is_check) {
        (void)printf("the configuration is valid\n");
        if (settings.conf.ignored_count > 0) {
            (void)printf("ignored: %zu variables that are no options, such as %s\n",
                         settings.conf.ignored_count, settings.conf.ignored);
        }
    } else {
        code = print(&settings.conf, has_origin ? write_origins : write_plain);
    }
    settings_fini(&settings);
    return code;
}

int command_config(int count, char **words)
{
    const char *verb = count > 1 ? words[1] : "";
    if (strcmp(verb, "show") == 0) {
        return show_or_check(count, words, false);
    }
    if (strcmp(verb, "check") == 0) {
        return show_or_check(count, words, true);
    }
    if (strcmp(verb, "docs") == 0) {
        return count == 2 ? print(NULL, write_docs) : complain_usage(words[2]);
    }
    if (count < 2) {
        (void)fprintf(stderr,
                      "filbert: config wants show, check or docs: see filbert help config\n");
        return EXIT_USAGE;
    }
    return complain_usage(verb);
}
