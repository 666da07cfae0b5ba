// SPDX-License-Identifier: Apache-2.0
#include "lib/conf/option_table.h"

#include <assert.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/conf/suggest.h"

static_assert(FIL_OPTION_NAME_MAX <= FIL_SUGGEST_SIZE_MAX, "every name can be suggested");

static bool is_lower(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/**
 * Words begin with a letter; an underscore stands single and between two letters or digits, because
 * two of them are the dot in the environment.
 */
static void check_name(const char *name)
{
    size_t size = strlen(name);
    size_t dots = 0;
    fil_assert(size > 0);
    fil_assert(size <= FIL_OPTION_NAME_MAX);
    for (size_t i = 0; i < size; i++) {
        char before = i == 0 ? '.' : name[i - 1];
        bool is_word_start = before == '.';
        bool is_after_word = is_lower(before) || is_digit(before);
        if (is_word_start) {
            fil_assert(is_lower(name[i]));
        } else if (name[i] == '.' || name[i] == '_') {
            fil_assert(is_after_word);
            fil_assert(i + 1 < size);
        } else {
            fil_assert(is_lower(name[i]) || is_digit(name[i]));
        }
        dots += name[i] == '.' ? 1 : 0;
    }
    fil_assert(dots <= FIL_OPTION_DEPTH_MAX);
}

/** The name without its last word; empty at the top. */
static struct fil_bytes parent_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return fil_bytes_make(name, dot == NULL ? 0 : (size_t)(dot - name));
}

static void check_sections(const struct fil_option_table *table)
{
    fil_assert(table->section_count <= FIL_OPTION_SECTIONS_MAX);
    for (size_t i = 0; i < table->section_count; i++) {
        const struct fil_option_section *section = &table->sections[i];
        check_name(section->name);
        fil_assert(section->doc[0] != '\0');
        fil_assert(fil_option_table_find_section(table, fil_bytes_of(section->name)) == section);
        fil_assert(fil_option_table_find(table, fil_bytes_of(section->name)) == NULL);
        struct fil_bytes parent = parent_of(section->name);
        fil_assert(parent.size == 0 || fil_option_table_find_section(table, parent) != NULL);
        (void)fil_option_table_first_in_section(table, section); // asserts that there is one
    }
}

/** Options of a section are one run: behind its end no other one comes. */
static void check_runs(const struct fil_option_table *table)
{
    for (size_t i = 0; i < table->section_count; i++) {
        size_t run_count = 0;
        bool was_inside = false;
        for (size_t j = 0; j < table->count; j++) {
            bool is_inside = fil_option_is_in_section(&table->options[j], &table->sections[i]);
            run_count += is_inside && !was_inside ? 1 : 0;
            was_inside = is_inside;
        }
        fil_assert(run_count == 1);
    }
}

static void check_option(const struct fil_option_table *table, const struct fil_option *option)
{
    check_name(option->name);
    fil_assert(fil_option_table_find(table, fil_bytes_of(option->name)) == option);
    struct fil_bytes parent = parent_of(option->name);
    fil_assert(parent.size == 0 || fil_option_table_find_section(table, parent) != NULL);
    fil_assert(option->doc[0] != '\0');
    fil_assert(option->reason[0] != '\0');
    fil_assert(option->minimum <= option->maximum);
    if (option->type == FIL_OPTION_CHOICE) {
        fil_assert(option->choices[0] != NULL);
    }
    if (option->type == FIL_OPTION_LIST) {
        fil_assert(!option->is_setting);
        fil_assert(strcmp(option->default_text, "none") == 0);
    }
    if (option->type == FIL_OPTION_TEXT || option->type == FIL_OPTION_LIST) {
        fil_assert(option->minimum >= 0);
        fil_assert(option->maximum <= FIL_OPTION_TEXT_MAX);
    }

    struct fil_option_value value;
    char reason[FIL_OPTION_REASON_MAX + 1];
    int error = fil_option_parse(option, fil_bytes_of(option->default_text), &value, reason);
    fil_assert(error == FIL_OK);
}

void fil_option_table_check(const struct fil_option_table *table)
{
    fil_assert(table->count > 0);
    fil_assert(table->count <= FIL_OPTIONS_MAX);
    fil_assert(table->list_hint[0] != '\0');
    size_t prefix_size = strlen(table->environment_prefix);
    fil_assert(prefix_size > 0);
    fil_assert(prefix_size + FIL_OPTION_NAME_MAX + FIL_OPTION_DEPTH_MAX <=
               FIL_OPTION_ENVIRONMENT_MAX);
    for (size_t i = 0; i < table->count; i++) {
        check_option(table, &table->options[i]);
    }
    check_sections(table);
    check_runs(table);
}

const struct fil_option *fil_option_table_setting(const struct fil_option_table *table,
                                                  const struct fil_option *list, size_t *index)
{
    struct fil_bytes section = parent_of(list->name);
    fil_assert(list->type == FIL_OPTION_LIST);
    for (; *index < table->count; (*index)++) {
        const struct fil_option *option = &table->options[*index];
        if (option->is_setting && fil_bytes_equal(parent_of(option->name), section)) {
            (*index)++;
            return option;
        }
    }
    return NULL;
}

const char *fil_option_word(const struct fil_option *option)
{
    const char *dot = strrchr(option->name, '.');
    return dot == NULL ? option->name : dot + 1;
}

const struct fil_option *fil_option_table_find(const struct fil_option_table *table,
                                               struct fil_bytes name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (fil_bytes_equal_text(name, table->options[i].name)) {
            return &table->options[i];
        }
    }
    return NULL;
}

const struct fil_option_section *fil_option_table_find_section(const struct fil_option_table *table,
                                                               struct fil_bytes name)
{
    for (size_t i = 0; i < table->section_count; i++) {
        if (fil_bytes_equal_text(name, table->sections[i].name)) {
            return &table->sections[i];
        }
    }
    return NULL;
}

bool fil_option_is_in_section(const struct fil_option *option,
                              const struct fil_option_section *section)
{
    size_t size = strlen(section->name);
    return strncmp(option->name, section->name, size) == 0 && option->name[size] == '.';
}

const struct fil_option *fil_option_table_first_in_section(const struct fil_option_table *table,
                                                           const struct fil_option_section *section)
{
    size_t i = 0;
    while (i < table->count && !fil_option_is_in_section(&table->options[i], section)) {
        i++;
    }
    fil_assert(i < table->count);
    return &table->options[i];
}

/** Whether the name is the end of the option's, from a dot on. */
static bool is_tail_of(struct fil_bytes name, const struct fil_option *option)
{
    struct fil_bytes whole = fil_bytes_of(option->name);
    if (name.size == 0 || name.size + 1 >= whole.size) {
        return false;
    }
    size_t start = whole.size - name.size;
    struct fil_bytes tail = fil_bytes_make(whole.data + start, name.size);
    return whole.data[start - 1] == '.' && fil_bytes_equal_nocase(tail, name);
}

const char *fil_option_table_suggest(const struct fil_option_table *table, struct fil_bytes name)
{
    struct fil_suggest suggest;
    fil_suggest_init(&suggest, name);
    for (size_t i = 0; i < table->count; i++) {
        if (is_tail_of(name, &table->options[i])) {
            return table->options[i].name;
        }
        fil_suggest_offer(&suggest, table->options[i].name);
    }
    for (size_t i = 0; i < table->section_count; i++) {
        fil_suggest_offer(&suggest, table->sections[i].name);
    }
    return suggest.best;
}

const char *fil_option_environment_name(const struct fil_option_table *table,
                                        const struct fil_option *option,
                                        char out_name[FIL_OPTION_ENVIRONMENT_MAX + 1])
{
    struct fil_writer writer;
    fil_writer_init(&writer, out_name, FIL_OPTION_ENVIRONMENT_MAX + 1);
    fil_writer_text(&writer, table->environment_prefix);
    for (const char *letter = option->name; *letter != '\0'; letter++) {
        if (*letter == '.') {
            fil_writer_text(&writer, "__");
        } else {
            fil_writer_u8(&writer, (uint8_t)(is_lower(*letter) ? *letter - 'a' + 'A' : *letter));
        }
    }
    fil_assert(fil_writer_room(&writer) > 0);
    return fil_writer_terminate(&writer);
}
