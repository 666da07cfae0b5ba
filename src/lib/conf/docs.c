// SPDX-License-Identifier: Apache-2.0
/** The options as a page of Markdown: what the table says, and nothing else. */
#include <string.h>

#include "lib/base/assert.h"
#include "lib/conf/conf.h"

/** Whether the option stands in the section itself, not in one inside it. */
static bool is_directly_in(const struct fil_option *option,
                           const struct fil_option_section *section)
{
    return fil_option_is_in_section(option, section) &&
           strchr(option->name + strlen(section->name) + 1, '.') == NULL;
}

/** What an item of the list may have. */
static void write_settings(const struct fil_option_table *table, const struct fil_option *list,
                           struct fil_writer *writer)
{
    const struct fil_option *setting = NULL;
    size_t index = 0;
    fil_writer_text(writer, "- Items: `name`, and where they differ from this section ");
    for (bool is_first = true; (setting = fil_option_table_setting(table, list, &index)) != NULL;
         is_first = false) {
        fil_writer_format(writer, "%s`%s`", is_first ? "" : ", ", fil_option_word(setting));
    }
    fil_writer_text(writer, "\n");
}

static void write_option(const struct fil_option_table *table, const struct fil_option *option,
                         struct fil_writer *writer)
{
    char range[FIL_OPTION_TEXT_MAX + 1];
    char variable[FIL_OPTION_ENVIRONMENT_MAX + 1];
    const char *default_text = option->default_text[0] == '\0' ? "\"\"" : option->default_text;
    fil_writer_format(writer, "\n### `%s`\n\n%s\n\n", option->name, option->doc);
    fil_writer_format(writer, "- Value: %s; %s\n", fil_option_type_text(option->type),
                      fil_option_range(option, range));
    if (option->type == FIL_OPTION_LIST) {
        write_settings(table, option, writer);
    }
    fil_writer_format(writer, "- Default: `%s`. %s\n", default_text, option->reason);
    fil_writer_format(writer, "- Environment: `%s`\n",
                      fil_option_environment_name(table, option, variable));
    fil_writer_format(writer, "- Change: %s\n",
                      option->is_reloadable ? "while the process runs" : "needs a restart");
}

static void write_section(const struct fil_option_table *table,
                          const struct fil_option_section *section, struct fil_writer *writer)
{
    fil_writer_format(writer, "\n## %s\n\n%s\n", section->name, section->doc);
    for (size_t i = 0; i < table->count; i++) {
        if (is_directly_in(&table->options[i], section)) {
            write_option(table, &table->options[i], writer);
        }
    }
}

int fil_conf_docs(const struct fil_option_table *table, struct fil_writer *writer)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strchr(table->options[i].name, '.') == NULL) {
            write_option(table, &table->options[i], writer);
        }
    }
    for (size_t i = 0; i < table->section_count; i++) {
        write_section(table, &table->sections[i], writer);
    }
    return writer->is_full ? FIL_E_FULL : FIL_OK;
}
