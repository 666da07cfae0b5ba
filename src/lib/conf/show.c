// SPDX-License-Identifier: Apache-2.0
/** A configuration as YAML, to be read by people and by fil_conf_load_yaml. */
#include <string.h>

#include "lib/base/assert.h"
#include "lib/conf/conf.h"

#define INDENT        2
#define ORIGIN_COLUMN 40

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
    bool is_text = option->type == FIL_OPTION_TEXT && !is_plain(text);
    bool is_bracketed = option->type == FIL_OPTION_ADDRESS && text[0] == '[';
    if (is_text || is_bracketed) {
        write_quoted(writer, text);
    } else {
        fil_writer_text(writer, text);
    }
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
    fil_writer_fill(writer, ' ', INDENT * count_dots(option->name, strlen(option->name)));
    fil_writer_text(writer, word);
    fil_writer_text(writer, ": ");
    write_value(conf, option, writer);
    if (has_origin) {
        char origin[FIL_CONF_ORIGIN_MAX + 1];
        size_t used = writer->size - start;
        fil_writer_fill(writer, ' ', used < ORIGIN_COLUMN ? ORIGIN_COLUMN - used : 1);
        fil_writer_text(writer, "# ");
        fil_writer_text(writer, fil_conf_origin(conf, option, origin));
    }
    fil_writer_u8(writer, '\n');
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
