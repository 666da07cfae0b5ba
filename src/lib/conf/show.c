// SPDX-License-Identifier: Apache-2.0
/** A configuration as YAML, to be read by people and by fil_conf_load_yaml. */
#include <string.h>

#include "lib/base/assert.h"
#include "lib/conf/conf.h"

#define INDENT        2
#define ORIGIN_COLUMN 40

// Settings hold little else; what they mean is in their type, so "true" is no danger here.
#define BARE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/** Whether YAML reads the text as itself without quotes; when in doubt, no. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};
    for (size_t i = 0; i < FIL_COUNT_OF(words); i++) {
        if (fil_bytes_equal_nocase(fil_bytes_of(text), fil_bytes_of(words[i]))) {
            return false;
        }
    }
    for (const char *letter = text; *letter != '\0'; letter++) {
        bool is_digit = *letter >= '0' && *letter <= '9';
        if (!is_letter(*letter) && !is_digit && strchr("-_.", *letter) == NULL) {
            return false;
        }
    }
    return is_letter(text[0]);
}

/** Values hold only printable characters, so two escapes are enough. */
static void write_quoted(struct fil_writer *writer, const char *text)
{
    fil_writer_u8(writer, '"');
    for (const char *letter = text; *letter != '\0'; letter++) {
        if (*letter == '"' || *letter == '\\') {
            fil_writer_u8(writer, '\\');
        }
        fil_writer_u8(writer, (uint8_t)*letter);
    }
    fil_writer_u8(writer, '"');
}

static void write_value(const struct fil_conf *conf, const struct fil_option *option,
                        struct fil_writer *writer)
{
    char text[FIL_OPTION_TEXT_MAX + 1];
    struct fil_option_value value;
    fil_option_load(option, conf->target, &value);
    (void)fil_option_format(option, &value, text); // returns the text that it was given
    bool is_text =
        (option->type == FIL_OPTION_TEXT || option->type == FIL_OPTION_LIST) && !is_plain(text);
    bool is_bracketed = option->type == FIL_OPTION_ADDRESS && text[0] == '[';
    if (is_text || is_bracketed) {
        write_quoted(writer, text);
    } else {
        fil_writer_text(writer, text);
    }
}

/** Takes what stands before the separator, without blanks around it; false at the end. */
static bool take_part(struct fil_bytes *rest, uint8_t separator, struct fil_bytes *out_part)
{
    *rest = fil_bytes_trim(*rest);
    size_t size = fil_bytes_find(*rest, separator);
    size_t used = size < rest->size ? size + 1 : size;
    *out_part = fil_bytes_trim(fil_bytes_make(rest->data, size));
    *rest = fil_bytes_make(rest->data + used, rest->size - used);
    return used > 0;
}

/** One item of a list, its name and its settings in a line each. */
static void write_item(struct fil_writer *writer, struct fil_bytes item, size_t indent)
{
    struct fil_bytes word;
    char text[FIL_OPTION_TEXT_MAX + 1];
    fil_writer_fill(writer, ' ', indent);
    fil_writer_text(writer, "- name: ");
    for (bool is_name = true; take_part(&item, ' ', &word); is_name = false) {
        size_t at = is_name ? word.size : fil_bytes_find(word, '=');
        if (!is_name) {
            fil_writer_fill(writer, ' ', indent + INDENT);
            fil_writer_bytes(writer, fil_bytes_make(word.data, at));
            fil_writer_text(writer, ": ");
            word = fil_bytes_make(word.data + at + 1, word.size - at - 1);
        }
        memcpy(text, word.data, word.size);
        text[word.size] = '\0';
        bool is_bare = is_name ? is_plain(text) : strspn(text, BARE) == word.size;
        if (is_bare) {
            fil_writer_text(writer, text);
        } else {
            write_quoted(writer, text);
        }
        fil_writer_u8(writer, '\n');
    }
}

/** The items below the name of the option, which has_items. */
static void write_items(const struct fil_conf *conf, const struct fil_option *option,
                        struct fil_writer *writer, size_t indent)
{
    struct fil_option_value value;
    struct fil_bytes item;
    fil_option_load(option, conf->target, &value);
    struct fil_bytes rest = fil_bytes_of(value.text);
    while (take_part(&rest, ';', &item)) {
        write_item(writer, item, indent);
    }
}

/** Whether the word is a setting of the list's items, with a value as it would be written. */
static bool is_setting(const struct fil_option_table *table, const struct fil_option *list,
                       struct fil_bytes word)
{
    size_t at = fil_bytes_find(word, '=');
    const struct fil_option *setting = NULL;
    size_t index = 0;
    while ((setting = fil_option_table_setting(table, list, &index)) != NULL &&
           !fil_bytes_equal_text(fil_bytes_make(word.data, at), fil_option_word(setting))) {
    }
    if (setting == NULL || at == word.size) {
        return false;
    }
    struct fil_bytes text = fil_bytes_make(word.data + at + 1, word.size - at - 1);
    struct fil_option_value value;
    char reason[FIL_OPTION_REASON_MAX + 1];
    char written[FIL_OPTION_TEXT_MAX + 1];
    return fil_option_parse(setting, text, &value, reason) == FIL_OK &&
           fil_bytes_equal_text(text, fil_option_format(setting, &value, written));
}

/** Adds the item to the writer as a file's list would be read; false when no list can say it. */
static bool rewrite_item(const struct fil_option_table *table, const struct fil_option *list,
                         struct fil_bytes item, struct fil_writer *writer)
{
    struct fil_bytes word;
    bool is_sound = take_part(&item, ' ', &word) && word.size > 0 &&
                    word.size <= FIL_OPTION_ITEM_NAME_MAX && fil_bytes_find(word, '=') == word.size;
    fil_writer_text(writer, writer->size > 0 ? "; " : "");
    fil_writer_bytes(writer, word);
    while (is_sound && take_part(&item, ' ', &word)) {
        is_sound = is_setting(table, list, word);
        fil_writer_u8(writer, ' ');
        fil_writer_bytes(writer, word);
    }
    return is_sound;
}

/** Whether a list in a file can say what the text does, to the letter. */
static bool has_items(const struct fil_conf *conf, const struct fil_option *option)
{
    struct fil_option_value value;
    struct fil_bytes item;
    char text[FIL_OPTION_TEXT_MAX + 1];
    struct fil_writer writer;
    if (option->type != FIL_OPTION_LIST) {
        return false;
    }
    fil_option_load(option, conf->target, &value);
    fil_writer_init(&writer, text, sizeof(text));
    struct fil_bytes rest = fil_bytes_of(value.text);
    bool is_sound = strcmp(value.text, "none") != 0;
    while (is_sound && take_part(&rest, ';', &item)) {
        is_sound = rewrite_item(conf->table, option, item, &writer);
    }
    return is_sound && !writer.is_full && strcmp(fil_writer_terminate(&writer), value.text) == 0;
}

/** Bytes that both names have in common, up to and with a dot. */
static size_t shared_path(const char *previous, const char *name)
{
    size_t shared = 0;
    for (size_t i = 0; previous[i] != '\0' && previous[i] == name[i]; i++) {
        shared = name[i] == '.' ? i + 1 : shared;
    }
    return shared;
}

static size_t count_dots(const char *name, size_t size)
{
    size_t dots = 0;
    for (size_t i = 0; i < size; i++) {
        dots += name[i] == '.' ? 1 : 0;
    }
    return dots;
}

/** Opens the sections of the name that are not open yet; returns its last word. */
static const char *write_sections(struct fil_writer *writer, const char *previous, const char *name)
{
    const char *word = name + shared_path(previous, name);
    for (const char *dot = strchr(word, '.'); dot != NULL; dot = strchr(word, '.')) {
        fil_writer_fill(writer, ' ', INDENT * count_dots(name, (size_t)(word - name)));
        fil_writer_bytes(writer, fil_bytes_make(word, (size_t)(dot - word)));
        fil_writer_text(writer, ":\n");
        word = dot + 1;
    }
    return word;
}

static void write_option(const struct fil_conf *conf, const struct fil_option *option,
                         const char *word, bool has_origin, struct fil_writer *writer)
{
    size_t start = writer->size;
    size_t indent = INDENT * count_dots(option->name, strlen(option->name));
    bool is_list = has_items(conf, option);
    fil_writer_fill(writer, ' ', indent);
    fil_writer_text(writer, word);
    fil_writer_text(writer, is_list ? ":" : ": ");
    if (!is_list) {
        write_value(conf, option, writer);
    }
    if (has_origin) {
        char origin[FIL_CONF_ORIGIN_MAX + 1];
        size_t used = writer->size - start;
        fil_writer_fill(writer, ' ', used < ORIGIN_COLUMN ? ORIGIN_COLUMN - used : 1);
        fil_writer_text(writer, "# ");
        fil_writer_text(writer, fil_conf_origin(conf, option, origin));
    }
    fil_writer_u8(writer, '\n');
    if (is_list) {
        write_items(conf, option, writer, indent + INDENT);
    }
}

int fil_conf_show(const struct fil_conf *conf, bool has_origins, struct fil_writer *writer)
{
    const char *previous = "";
    for (size_t i = 0; i < conf->table->count; i++) {
        const struct fil_option *option = &conf->table->options[i];
        const char *word = write_sections(writer, previous, option->name);
        write_option(conf, option, word, has_origins, writer);
        previous = option->name;
    }
    return writer->is_full ? FIL_E_FULL : FIL_OK;
}
