// SPDX-License-Identifier: Apache-2.0
/** The environment as a source: FILBERT_NET__IO_THREADS=2 is net.io_threads: 2. */
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_internal.h"

static bool is_ignored(const struct fil_option_table *table, struct fil_bytes name)
{
    const char *const *ignored = table->environment_ignored;
    while (ignored != NULL && *ignored != NULL) {
        if (fil_bytes_equal_text(name, *ignored)) {
            return true;
        }
        ignored++;
    }
    return false;
}

static const struct fil_option *find_option(const struct fil_option_table *table,
                                            struct fil_bytes variable)
{
    for (size_t i = 0; i < table->count; i++) {
        char name[FIL_OPTION_ENVIRONMENT_MAX + 1];
        (void)fil_option_environment_name(table, &table->options[i], name);
        if (fil_bytes_equal_text(variable, name)) {
            return &table->options[i];
        }
    }
    return NULL;
}

/** The option's name that a variable without its prefix would stand for; cut when too long. */
static struct fil_bytes to_option_name(struct fil_bytes rest, char *out_name, size_t size)
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_name, size);
    for (size_t i = 0; i < rest.size; i++) {
        bool is_dot = rest.data[i] == '_' && i + 1 < rest.size && rest.data[i + 1] == '_';
        fil_writer_u8(&writer, is_dot ? '.' : rest.data[i]);
        i += is_dot ? 1 : 0;
    }
    return fil_writer_written(&writer);
}

/** The option that may have been meant, or NULL. */
static const struct fil_option *find_near(const struct fil_option_table *table,
                                          struct fil_bytes variable)
{
    size_t prefix_size = strlen(table->environment_prefix);
    fil_assert(variable.size >= prefix_size);
    char wanted[FIL_OPTION_ENVIRONMENT_MAX + 1];
    struct fil_bytes rest =
        fil_bytes_make(variable.data + prefix_size, variable.size - prefix_size);
    const char *suggestion =
        fil_option_table_suggest(table, to_option_name(rest, wanted, sizeof(wanted)));
    return suggestion == NULL ? NULL : fil_option_table_find(table, fil_bytes_of(suggestion));
}

static bool is_foreign(const struct fil_option_table *table, struct fil_bytes variable)
{
    const char *const *beginning = table->environment_foreign;
    while (beginning != NULL && *beginning != NULL) {
        size_t size = strlen(*beginning);
        if (variable.size >= size && memcmp(variable.data, *beginning, size) == 0) {
            return true;
        }
        beginning++;
    }
    return false;
}

/** Only options have two underscores in a row: who writes them means one. */
static bool is_spelt_as_option(struct fil_bytes variable)
{
    for (size_t i = 1; i < variable.size; i++) {
        if (variable.data[i - 1] == '_' && variable.data[i] == '_') {
            return true;
        }
    }
    return false;
}

/** The suggestion is shown as a variable, since that is what has to be mended. */
static void explain_unknown(const struct fil_option_table *table, const struct fil_option *option,
                            char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    if (option == NULL) {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1,
                       "no option has this name: unset it, or correct it; %s", table->list_hint);
        return;
    }
    char name[FIL_OPTION_ENVIRONMENT_MAX + 1];
    (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1,
                   "no option has this name: did you mean %s?",
                   fil_option_environment_name(table, option, name));
}

/** Whatever starts the process may have variables of its own: only a likely slip is a mistake. */
static int take_unknown(struct fil_conf *conf, struct fil_bytes variable,
                        const struct fil_conf_origin *origin)
{
    const struct fil_option *near = find_near(conf->table, variable);
    bool is_slip = near != NULL || is_spelt_as_option(variable);
    if (!is_slip || is_foreign(conf->table, variable)) {
        if (conf->ignored_count == 0) {
            memcpy(conf->ignored, origin->place, sizeof(conf->ignored));
        }
        conf->ignored_count++;
        return FIL_OK;
    }
    char reason[FIL_OPTION_REASON_MAX + 1];
    explain_unknown(conf->table, near, reason);
    fil_conf__report(conf, origin, reason);
    return FIL_E_CONFIG;
}

static int take_variable(struct fil_conf *conf, struct fil_bytes variable, struct fil_bytes value)
{
    struct fil_conf_origin origin = {.source = FIL_CONF_ENVIRONMENT};
    (void)fil_utf8_excerpt(variable, origin.place, sizeof(origin.place));
    const struct fil_option *option = find_option(conf->table, variable);
    return option != NULL ? fil_conf__assign(conf, option, value, &origin)
                          : take_unknown(conf, variable, &origin);
}

int fil_conf_load_environment(struct fil_conf *conf, const char *const *entries)
{
    const char *prefix = conf->table->environment_prefix;
    int result = FIL_OK;
    for (; *entries != NULL; entries++) {
        struct fil_bytes entry = fil_bytes_of(*entries);
        size_t equals = fil_bytes_find(entry, '=');
        if (strncmp(*entries, prefix, strlen(prefix)) != 0 || equals == entry.size) {
            continue;
        }
        struct fil_bytes variable = fil_bytes_make(entry.data, equals);
        struct fil_bytes value = fil_bytes_make(entry.data + equals + 1, entry.size - equals - 1);
        if (!is_ignored(conf->table, variable) && take_variable(conf, variable, value) != FIL_OK) {
            result = FIL_E_CONFIG;
        }
    }
    return result;
}
