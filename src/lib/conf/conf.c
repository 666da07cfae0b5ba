// SPDX-License-Identifier: Apache-2.0
#include "lib/conf/conf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/conf/conf_internal.h"
#include "lib/os/env.h"
#include "lib/os/file.h"

#define ELLIPSIS "..."

static size_t index_of(const struct fil_conf *conf, const struct fil_option *option)
{
    size_t index = (size_t)(option - conf->table->options);
    fil_assert(index < conf->table->count);
    return index;
}

static void apply(struct fil_conf *conf, const struct fil_option *option,
                  const struct fil_option_value *value, const struct fil_conf_origin *origin)
{
    fil_option_store(option, value, conf->target);
    conf->origins[index_of(conf, option)] = *origin;
}

static void apply_default(struct fil_conf *conf, const struct fil_option *option)
{
    const struct fil_conf_origin origin = {.source = FIL_CONF_DEFAULT};
    struct fil_option_value value;
    char reason[FIL_OPTION_REASON_MAX + 1];
    int error = fil_option_parse(option, fil_bytes_of(option->default_text), &value, reason);
    fil_assert(error == FIL_OK);
    apply(conf, option, &value, &origin);
}

int fil_conf_init(struct fil_conf *conf, const struct fil_option_table *table, void *target)
{
    fil_assert(target != NULL);
    fil_option_table_check(table);
    *conf = (struct fil_conf){.table = table, .target = target};
    conf->origins = fil_alloc_zero(table->count, sizeof(*conf->origins));
    if (conf->origins == NULL) {
        return FIL_E_NOMEM;
    }
    conf->messages = fil_alloc_zero(FIL_CONF_MESSAGES_MAX + 1, sizeof(*conf->messages));
    if (conf->messages == NULL) {
        fil_conf_fini(conf);
        return FIL_E_NOMEM;
    }
    for (size_t i = 0; i < table->count; i++) {
        apply_default(conf, &table->options[i]);
    }
    return FIL_OK;
}

void fil_conf_fini(struct fil_conf *conf)
{
    fil_free(conf->origins);
    fil_free(conf->messages);
    *conf = (struct fil_conf){0};
}

/** How an origin stands before a message: "filbert.yaml:3:5: ", "environment NAME: " or nothing. */
static const char *introduce(enum fil_conf_source source)
{
    switch (source) {
    case FIL_CONF_DEFAULT:
    case FIL_CONF_CHANGE:
    case FIL_CONF_FILE:
        return "";
    case FIL_CONF_ENVIRONMENT:
        return "environment ";
    case FIL_CONF_FLAG:
        return "flag ";
    }
    return "";
}

bool fil_conf__is_full(const struct fil_conf *conf)
{
    fil_assert(conf->message_count <= FIL_CONF_MESSAGES_MAX + 1);
    return conf->message_count == FIL_CONF_MESSAGES_MAX + 1;
}

void fil_conf__report(struct fil_conf *conf, const struct fil_conf_origin *origin,
                      const char *reason)
{
    if (fil_conf__is_full(conf)) {
        return;
    }
    if (conf->message_count == FIL_CONF_MESSAGES_MAX) {
        reason = "there are more mistakes than are shown: mend the ones above first";
    }
    struct fil_conf_message *message = &conf->messages[conf->message_count];
    (void)snprintf(message->text, sizeof(message->text), "%s%s%s%s", introduce(origin->source),
                   origin->place, origin->place[0] == '\0' ? "" : ": ", reason);
    conf->message_count++;
}

struct fil_conf_origin fil_conf__file_origin(const char *path, size_t line, size_t column)
{
    struct fil_conf_origin origin = {.source = FIL_CONF_FILE};
    char position[48] = "";
    if (line > 0) {
        (void)snprintf(position, sizeof(position), ":%zu:%zu", line, column);
    }
    struct fil_bytes end = fil_bytes_of(path);
    size_t room = FIL_CONF_PLACE_MAX - strlen(position);
    bool is_cut = end.size > room;
    if (is_cut) {
        size_t kept = room - strlen(ELLIPSIS);
        end = fil_bytes_make(end.data + end.size - kept, kept);
    }
    char shown[FIL_CONF_PLACE_MAX + 1];
    struct fil_writer writer;
    fil_writer_init(&writer, origin.place, sizeof(origin.place));
    fil_writer_text(&writer, is_cut ? ELLIPSIS : "");
    fil_writer_text(&writer, fil_utf8_excerpt(end, shown, sizeof(shown)));
    fil_writer_text(&writer, position);
    fil_assert(fil_writer_room(&writer) > 0);
    (void)fil_writer_terminate(&writer); // returns the place
    return origin;
}

int fil_conf__report_too_large(struct fil_conf *conf, const char *path)
{
    struct fil_conf_origin origin = fil_conf__file_origin(path, 1, 1);
    fil_conf__report(conf, &origin,
                     "the file is larger than 1MiB: make sure that it is the right one");
    return FIL_E_CONFIG;
}

int fil_conf__assign(struct fil_conf *conf, const struct fil_option *option, struct fil_bytes value,
                     const struct fil_conf_origin *origin)
{
    struct fil_option_value parsed;
    char reason[FIL_OPTION_REASON_MAX + 1];
    if (fil_option_parse(option, value, &parsed, reason) != FIL_OK) {
        fil_conf__report(conf, origin, reason);
        return FIL_E_CONFIG;
    }
    apply(conf, option, &parsed, origin);
    return FIL_OK;
}

void fil_conf__explain_unknown(const struct fil_conf *conf, struct fil_bytes name,
                               char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    const struct fil_option_table *table = conf->table;
    const struct fil_option_section *section = fil_option_table_find_section(table, name);
    const char *suggestion = fil_option_table_suggest(table, name);
    char excerpt[FIL_OPTION_NAME_MAX + 1];
    (void)fil_utf8_excerpt(name, excerpt, sizeof(excerpt));
    if (section != NULL) {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1,
                       "'%s' is a section, not an option: name an option in it, like '%s'", excerpt,
                       fil_option_table_first_in_section(table, section)->name);
    } else if (suggestion != NULL) {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1,
                       "unknown option '%s': did you mean '%s'?", excerpt, suggestion);
    } else {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1, "unknown option '%s': %s", excerpt,
                       table->list_hint);
    }
}

int fil_conf_load_file(struct fil_conf *conf, struct fil_env *env, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    int error = env->ops->file_read(env, path, FIL_CONF_FILE_SIZE_MAX, &text, &size);
    if (error == FIL_OK) {
        error = fil_conf_load_yaml(conf, path, fil_bytes_make(text, size));
        fil_free(text);
        return error;
    }
    if (error == FIL_E_NOMEM) {
        return error;
    }
    if (error == FIL_E_LIMIT) {
        return fil_conf__report_too_large(conf, path);
    }
    struct fil_conf_origin origin = fil_conf__file_origin(path, 0, 0);
    char reason[FIL_OPTION_REASON_MAX + 1];
    (void)snprintf(reason, sizeof(reason), "cannot read the file: %s", fil_file_why(error));
    fil_conf__report(conf, &origin, reason);
    return FIL_E_CONFIG;
}

/** Only a flag can be wrong before it is known which option it means. */
static struct fil_conf_origin origin_of_flag(const char *flag)
{
    struct fil_conf_origin origin = {.source = FIL_CONF_FLAG};
    (void)fil_utf8_excerpt(fil_bytes_of(flag), origin.place, sizeof(origin.place));
    return origin;
}

static int set_named(struct fil_conf *conf, struct fil_bytes name, struct fil_bytes value,
                     const struct fil_conf_origin *origin)
{
    const struct fil_option *option = fil_option_table_find(conf->table, name);
    if (option != NULL) {
        return fil_conf__assign(conf, option, value, origin);
    }
    char reason[FIL_OPTION_REASON_MAX + 1];
    fil_conf__explain_unknown(conf, name, reason);
    fil_conf__report(conf, origin, reason);
    return FIL_E_CONFIG;
}

int fil_conf_set(struct fil_conf *conf, const char *assignment, const char *flag)
{
    struct fil_conf_origin origin = origin_of_flag(flag);
    struct fil_bytes whole = fil_bytes_of(assignment);
    size_t equals = fil_bytes_find(whole, '=');
    if (equals == whole.size) {
        char excerpt[FIL_OPTION_NAME_MAX + 1];
        char reason[FIL_OPTION_REASON_MAX + 1];
        (void)snprintf(reason, sizeof(reason), "'%s' has no '=': write name=value",
                       fil_utf8_excerpt(whole, excerpt, sizeof(excerpt)));
        fil_conf__report(conf, &origin, reason);
        return FIL_E_CONFIG;
    }
    struct fil_bytes value = fil_bytes_make(whole.data + equals + 1, whole.size - equals - 1);
    return set_named(conf, fil_bytes_make(whole.data, equals), value, &origin);
}

int fil_conf_set_option(struct fil_conf *conf, const char *name, const char *value,
                        const char *flag)
{
    struct fil_conf_origin origin = origin_of_flag(flag);
    return set_named(conf, fil_bytes_of(name), fil_bytes_of(value), &origin);
}

int fil_conf_check(struct fil_conf *conf)
{
    size_t count = conf->message_count;
    if (conf->table->check != NULL) {
        conf->table->check(conf, conf->target);
    }
    bool has_more = conf->message_count > count || fil_conf__is_full(conf);
    return has_more ? FIL_E_CONFIG : FIL_OK;
}

void fil_conf_complain(struct fil_conf *conf, const char *name, const char *format, ...)
{
    const struct fil_option *option = fil_option_table_find(conf->table, fil_bytes_of(name));
    fil_assert(option != NULL);
    char reason[FIL_OPTION_REASON_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof(reason), format, arguments); // a long one is cut
    va_end(arguments);
    fil_conf__report(conf, &conf->origins[index_of(conf, option)], reason);
}

/** Stores the value and lets the check look; whatever was there comes back if it objects. */
static int try_change(struct fil_conf *conf, const struct fil_option *option,
                      const struct fil_option_value *value,
                      char out_reason[FIL_CONF_MESSAGE_MAX + 1])
{
    const struct fil_conf_origin origin = {.source = FIL_CONF_CHANGE};
    const struct fil_conf_origin old_origin = conf->origins[index_of(conf, option)];
    struct fil_option_value old_value;
    fil_option_load(option, conf->target, &old_value);

    fil_assert(conf->message_count == 0);
    apply(conf, option, value, &origin);
    if (fil_conf_check(conf) == FIL_OK) {
        return FIL_OK;
    }
    memcpy(out_reason, conf->messages[0].text, sizeof(conf->messages[0].text));
    conf->message_count = 0;
    apply(conf, option, &old_value, &old_origin);
    return FIL_E_INVALID;
}

int fil_conf_change(struct fil_conf *conf, const char *name, const char *value,
                    char out_reason[FIL_CONF_MESSAGE_MAX + 1])
{
    static_assert(FIL_OPTION_REASON_MAX <= FIL_CONF_MESSAGE_MAX, "a reason fits");
    const struct fil_option *option = fil_option_table_find(conf->table, fil_bytes_of(name));
    out_reason[0] = '\0';
    if (conf->message_count > 0) {
        (void)snprintf(out_reason, FIL_CONF_MESSAGE_MAX + 1,
                       "the configuration has mistakes: mend them first");
        return FIL_E_CONFIG;
    }
    if (option == NULL) {
        fil_conf__explain_unknown(conf, fil_bytes_of(name), out_reason);
        return FIL_E_NOT_FOUND;
    }
    if (!option->is_reloadable) {
        (void)snprintf(out_reason, FIL_CONF_MESSAGE_MAX + 1,
                       "'%s' cannot be changed while the process runs: set it in the "
                       "configuration and restart",
                       option->name);
        return FIL_E_UNSUPPORTED;
    }
    struct fil_option_value parsed;
    int error = fil_option_parse(option, fil_bytes_of(value), &parsed, out_reason);
    return error == FIL_OK ? try_change(conf, option, &parsed, out_reason) : error;
}

int fil_conf_get(const struct fil_conf *conf, const char *name,
                 char out_text[FIL_OPTION_TEXT_MAX + 1])
{
    const struct fil_option *option = fil_option_table_find(conf->table, fil_bytes_of(name));
    if (option == NULL) {
        return FIL_E_NOT_FOUND;
    }
    struct fil_option_value value;
    fil_option_load(option, conf->target, &value);
    (void)fil_option_format(option, &value, out_text); // returns the text that it was given
    return FIL_OK;
}

const char *fil_conf_origin(const struct fil_conf *conf, const struct fil_option *option,
                            char out_text[FIL_CONF_ORIGIN_MAX + 1])
{
    static const char *const words[] = {
        [FIL_CONF_DEFAULT] = "default",
        [FIL_CONF_FILE] = "file:",
        [FIL_CONF_ENVIRONMENT] = "environment ",
        [FIL_CONF_FLAG] = "flag ",
        [FIL_CONF_CHANGE] = "changed at run time",
    };
    const struct fil_conf_origin *origin = &conf->origins[index_of(conf, option)];
    (void)snprintf(out_text, FIL_CONF_ORIGIN_MAX + 1, "%s%s", words[origin->source], origin->place);
    return out_text;
}

size_t fil_conf_message_count(const struct fil_conf *conf)
{
    return conf->message_count;
}

const char *fil_conf_message(const struct fil_conf *conf, size_t index)
{
    fil_assert(index < conf->message_count);
    return conf->messages[index].text;
}
