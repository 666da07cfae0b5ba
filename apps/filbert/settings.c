// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/os/env.h"
#include "lib/os/process.h"

struct flag_name {
    const char *flag;
    const char *option; // what it stands for; NULL: takes an assignment
};

static const struct flag_name flag_names[] = {
    {"--set", NULL},
    {"--listen", "net.listen"},
};

/** The value of "--flag value" or "--flag=value"; NULL when the word is another one. */
static const char *match_flag(int count, char **words, int index, const char *flag,
                              int *out_word_count)
{
    size_t size = strlen(flag);
    const char *word = words[index];
    if (strncmp(word, flag, size) != 0 || (word[size] != '\0' && word[size] != '=')) {
        return NULL;
    }
    if (word[size] == '=') {
        *out_word_count = 1;
        return word + size + 1;
    }
    *out_word_count = index + 1 < count ? 2 : -1;
    return index + 1 < count ? words[index + 1] : "";
}

static int complain_missing(const char *flag)
{
    (void)fprintf(stderr, "filbert: %s needs a value: see filbert help start\n", flag);
    return -1;
}

static int add_flag(struct settings_source *source, const struct flag_name *name, const char *value,
                    int word_count)
{
    if (source->flag_count == SETTINGS_FLAGS_MAX) {
        (void)fprintf(stderr, "filbert: more than %d flags: use a file and --config\n",
                      SETTINGS_FLAGS_MAX);
        return -1;
    }
    source->flags[source->flag_count] =
        (struct settings_flag){.option = name->option, .value = value, .flag = name->flag};
    source->flag_count++;
    return word_count;
}

/** One file is read: of two, the first would be dropped without a word. */
static int add_file(struct settings_source *source, const char *file, int word_count)
{
    if (file[0] == '\0') {
        (void)fprintf(stderr, "filbert: --config needs the name of a file, but it is empty\n");
        return -1;
    }
    if (source->file != NULL) {
        (void)fprintf(stderr,
                      "filbert: --config names '%s' and '%s', but only one file is read: put all "
                      "options into one, or use --set\n",
                      source->file, file);
        return -1;
    }
    source->file = file;
    return word_count;
}

int settings_take_flag(struct settings_source *source, int count, char **words, int index)
{
    int word_count = 0;
    const char *file = match_flag(count, words, index, "--config", &word_count);
    if (file != NULL) {
        return word_count < 0 ? complain_missing("--config") : add_file(source, file, word_count);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(flag_names); i++) {
        const char *value = match_flag(count, words, index, flag_names[i].flag, &word_count);
        if (value != NULL) {
            return word_count < 0 ? complain_missing(flag_names[i].flag)
                                  : add_flag(source, &flag_names[i], value, word_count);
        }
    }
    return 0;
}

static void print_messages(const struct fil_conf *conf)
{
    for (size_t i = 0; i < fil_conf_message_count(conf); i++) {
        (void)fprintf(stderr, "filbert: %s\n", fil_conf_message(conf, i));
    }
}

/** Loads one source after the other, so that one run shows all that is wrong. */
static int load_all(struct settings *settings, const struct settings_source *source)
{
    struct fil_conf *conf = &settings->conf;
    int error = FIL_OK;
    if (source->file != NULL) {
        error = fil_conf_load_file(conf, fil_env_real(), source->file);
    }
    int loaded = fil_conf_load_environment(conf, fil_process_environment());
    error = error == FIL_OK ? loaded : error;
    for (int i = 0; i < source->flag_count; i++) {
        const struct settings_flag *flag = &source->flags[i];
        int set = flag->option == NULL
                      ? fil_conf_set(conf, flag->value, flag->flag)
                      : fil_conf_set_option(conf, flag->option, flag->value, flag->flag);
        error = error == FIL_OK ? set : error;
    }
    return error == FIL_OK ? fil_conf_check(conf) : error;
}

bool settings_load(struct settings *settings, const struct settings_source *source)
{
    settings->file = source->file;
    int error = fil_conf_init(&settings->conf, &fil_options_table, &settings->options);
    if (error != FIL_OK) {
        (void)fprintf(stderr, "filbert: %s\n", fil_error_text(error));
        return false;
    }
    error = load_all(settings, source);
    if (error == FIL_OK) {
        return true;
    }
    print_messages(&settings->conf);
    if (error != FIL_E_CONFIG) {
        (void)fprintf(stderr, "filbert: %s\n", fil_error_text(error));
    }
    fil_conf_fini(&settings->conf);
    return false;
}

void settings_fini(struct settings *settings)
{
    fil_conf_fini(&settings->conf);
}
