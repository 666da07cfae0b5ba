// SPDX-License-Identifier: Apache-2.0
/**
 * A YAML file as a source: libyaml's events walk through the sections and set options.
 *
 * Mappings of names to single values are read and, for options that are lists, lists of items
 * (yaml_list.c). Whatever else YAML has (anchors, aliases, tags, several documents) is refused
 * where it stands; what it holds is skipped, so that one mistake gives one message.
 */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_internal.h"
#include "lib/conf/yaml_internal.h"
#include "lib/conf/yaml_text.h"

/** Depth of what is skipped; deeper nesting is an attack or the wrong file. */
#define SKIP_DEPTH_MAX 16

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

static struct fil_conf_origin origin_at(const struct fil_yaml_loader *loader,
                                        const yaml_mark_t *mark)
{
    return fil_conf__file_origin(loader->file, mark->line + 1, mark->column + 1);
}

void fil_yaml__report(struct fil_yaml_loader *loader, const yaml_mark_t *mark, const char *format,
                      ...)
{
    struct fil_conf_origin origin = origin_at(loader, mark);
    char reason[FIL_OPTION_REASON_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof(reason), format, arguments); // a long one is cut
    va_end(arguments);
    fil_conf__report(loader->conf, &origin, reason);
}

/** A node is complete: a value follows a key, and a key a value. */
static void advance(struct fil_yaml_loader *loader)
{
    if (fil_yaml__is_in_list(loader)) {
        fil_yaml__list_advance(loader);
    } else if (loader->expected == EXPECTED_KEY) {
        loader->expected = EXPECTED_VALUE;
    } else if (loader->expected == EXPECTED_VALUE) {
        loader->expected = EXPECTED_KEY;
        loader->option = NULL;
        loader->section = NULL;
    }
}

void fil_yaml__skip(struct fil_yaml_loader *loader)
{
    fil_assert(loader->skip_depth == 0);
    loader->skip_depth = 1;
}

/** A value whose key was wrong is passed over: the key has its message. */
static bool is_unwanted(const struct fil_yaml_loader *loader)
{
    return !fil_yaml__is_in_list(loader) && loader->expected == EXPECTED_VALUE &&
           loader->option == NULL && loader->section == NULL;
}

static void refuse_extras(struct fil_yaml_loader *loader, const yaml_char_t *anchor,
                          const yaml_char_t *tag, const yaml_mark_t *mark)
{
    if (anchor != NULL) {
        fil_yaml__report(loader, mark,
                         "anchors are not supported: remove the word that begins with '&'");
    }
    if (tag != NULL) {
        fil_yaml__report(loader, mark,
                         "tags are not supported: remove the word that begins with '!'");
    }
}

/** The section's path and the key as one name; false when no option's name is that long. */
static bool join(const struct fil_yaml_loader *loader, struct fil_bytes key,
                 struct fil_writer *writer)
{
    fil_writer_bytes(writer, fil_bytes_make(loader->path, loader->path_size));
    if (loader->path_size > 0) {
        fil_writer_u8(writer, '.');
    }
    return fil_writer_bytes(writer, key);
}

/** Notes the line where an option stands; one that was there before gets no second value. */
static void find_option(struct fil_yaml_loader *loader, const struct fil_option *option,
                        const yaml_mark_t *mark)
{
    size_t *line = &loader->option_lines[option - loader->conf->table->options];
    if (*line == 0) {
        *line = mark->line + 1;
        loader->option = option;
        loader->option_mark = *mark;
    } else {
        fil_yaml__report(loader, mark, "'%s' stands in line %zu already: keep one of the two",
                         option->name, *line);
    }
}

static void find_section(struct fil_yaml_loader *loader, const struct fil_option_section *section,
                         const yaml_mark_t *mark)
{
    size_t *line = &loader->section_lines[section - loader->conf->table->sections];
    if (*line == 0) {
        *line = mark->line + 1;
        loader->section = section;
    } else {
        fil_yaml__report(loader, mark,
                         "the section '%s' stands in line %zu already: put its options there",
                         section->name, *line);
    }
}

static void find_target(struct fil_yaml_loader *loader, struct fil_bytes name,
                        const yaml_mark_t *mark)
{
    const struct fil_option_table *table = loader->conf->table;
    const struct fil_option *option = fil_option_table_find(table, name);
    const struct fil_option_section *section = fil_option_table_find_section(table, name);
    if (option != NULL) {
        find_option(loader, option, mark);
    } else if (section != NULL) {
        find_section(loader, section, mark);
    } else {
        char reason[FIL_OPTION_REASON_MAX + 1];
        fil_conf__explain_unknown(loader->conf, name, reason);
        fil_yaml__report(loader, mark, "%s", reason);
    }
}

static void take_key(struct fil_yaml_loader *loader, struct fil_bytes key, const yaml_mark_t *mark)
{
    fil_assert(loader->option == NULL);
    fil_assert(loader->section == NULL);
    char name[FIL_OPTION_NAME_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, name, sizeof(name));
    if (key.size == 0) {
        fil_yaml__report(loader, mark, "the name before ':' is missing: write 'name: value'");
    } else if (join(loader, key, &writer)) {
        find_target(loader, fil_writer_written(&writer), mark);
    } else {
        char reason[FIL_OPTION_REASON_MAX + 1];
        fil_conf__explain_unknown(loader->conf, key, reason);
        fil_yaml__report(loader, mark, "%s", reason);
    }
}

/** What YAML takes for "nothing", when it is not in quotes. */
static bool is_null(const yaml_event_t *event, struct fil_bytes value)
{
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (value.size == 0 || fil_bytes_equal_text(value, "~") ||
            fil_bytes_equal_nocase(value, fil_bytes_of("null")));
}

static const char *example_of(const struct fil_yaml_loader *loader)
{
    return fil_option_table_first_in_section(loader->conf->table, loader->section)->name;
}

static void take_value(struct fil_yaml_loader *loader, const yaml_event_t *event,
                       struct fil_bytes value)
{
    const yaml_mark_t *mark = &event->start_mark;
    if (loader->section != NULL && !is_null(event, value)) {
        fil_yaml__report(loader, mark, "'%s' is a section: put its options below it, like '%s'",
                         loader->section->name, example_of(loader));
    } else if (loader->option != NULL && is_null(event, value)) {
        fil_yaml__report(loader, mark,
                         "'%s' has no value: write one behind the ':', or remove the line",
                         loader->option->name);
    } else if (loader->option != NULL) {
        struct fil_conf_origin origin = origin_at(loader, mark);
        // The message is all that is needed: the load fails when there is one.
        (void)!fil_conf__assign(loader->conf, loader->option, value, &origin);
    }
}

static void refuse_root(struct fil_yaml_loader *loader, const yaml_mark_t *mark)
{
    fil_yaml__report(loader, mark, "the file must hold options: write lines like 'name: value'");
}

/** The list is complete: its items are the option's value. */
static void close_list(struct fil_yaml_loader *loader, const yaml_mark_t *mark)
{
    struct fil_bytes text = fil_yaml__list_close(loader, mark);
    if (text.size > 0) {
        struct fil_conf_origin origin = origin_at(loader, &loader->option_mark);
        // The message is all that is needed: the load fails when there is one.
        (void)!fil_conf__assign(loader->conf, loader->option, text, &origin);
    }
    advance(loader);
}

static void on_scalar(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    struct fil_bytes text = fil_bytes_make(event->data.scalar.value, event->data.scalar.length);
    refuse_extras(loader, event->data.scalar.anchor, event->data.scalar.tag, &event->start_mark);
    if (fil_yaml__is_in_list(loader)) {
        fil_yaml__list_scalar(loader, text, &event->start_mark);
        return;
    }
    if (loader->expected == EXPECTED_KEY) {
        take_key(loader, text, &event->start_mark);
    } else if (loader->expected == EXPECTED_VALUE) {
        take_value(loader, event, text);
    } else if (!is_null(event, text)) {
        refuse_root(loader, &event->start_mark);
    }
    advance(loader);
}

static void open_mapping(struct fil_yaml_loader *loader, const char *path)
{
    fil_assert(loader->depth < FIL_COUNT_OF(loader->outer_sizes));
    loader->outer_sizes[loader->depth] = loader->path_size;
    loader->depth++;
    loader->path_size = strlen(path);
    fil_assert(loader->path_size < sizeof(loader->path));
    memcpy(loader->path, path, loader->path_size);
    loader->expected = EXPECTED_KEY;
    loader->option = NULL;
    loader->section = NULL;
}

static void close_mapping(struct fil_yaml_loader *loader)
{
    fil_assert(loader->depth > 0);
    loader->depth--;
    loader->path_size = loader->outer_sizes[loader->depth];
    loader->expected = loader->depth == 0 ? EXPECTED_ROOT : EXPECTED_KEY;
}

static void on_mapping(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    refuse_extras(loader, event->data.mapping_start.anchor, event->data.mapping_start.tag, mark);
    if (fil_yaml__is_in_list(loader)) {
        fil_yaml__list_mapping(loader, mark);
        return;
    }
    if (loader->expected == EXPECTED_ROOT) {
        open_mapping(loader, "");
        return;
    }
    if (loader->section != NULL) {
        open_mapping(loader, loader->section->name);
        return;
    }
    if (loader->expected == EXPECTED_KEY) {
        fil_yaml__report(loader, mark, "a name cannot be a mapping: write 'name: value'");
    } else if (loader->option != NULL && loader->option->type == FIL_OPTION_LIST) {
        fil_yaml__report(loader, mark, "'%s' is a list: write '- name: ...' for each item",
                         loader->option->name);
    } else if (loader->option != NULL) {
        fil_yaml__report(loader, mark,
                         "'%s' takes one value, not a mapping: write it behind the ':'",
                         loader->option->name);
    }
    fil_yaml__skip(loader);
}

static void on_sequence(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    refuse_extras(loader, event->data.sequence_start.anchor, event->data.sequence_start.tag, mark);
    if (fil_yaml__is_in_list(loader)) {
        fil_yaml__list_sequence(loader, mark);
        return;
    }
    if (loader->expected == EXPECTED_ROOT) {
        refuse_root(loader, mark);
    } else if (loader->expected == EXPECTED_KEY) {
        fil_yaml__report(loader, mark, "a name cannot be a list: write 'name: value'");
    } else if (loader->option != NULL && loader->option->type == FIL_OPTION_LIST) {
        fil_yaml__list_open(loader);
        return;
    } else if (loader->option != NULL && loader->option->type == FIL_OPTION_ADDRESS) {
        fil_yaml__report(
            loader, mark,
            "'%s' takes one address, not a list: write one, in quotes if it has brackets",
            loader->option->name);
    } else if (loader->option != NULL) {
        fil_yaml__report(loader, mark,
                         "'%s' takes one value, not a list: write it without '-' and brackets",
                         loader->option->name);
    } else if (loader->section != NULL) {
        fil_yaml__report(
            loader, mark,
            "'%s' is a section, not a list: put its options below it, like '%s', without '-'",
            loader->section->name, example_of(loader));
    }
    fil_yaml__skip(loader);
}

static void on_alias(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    fil_yaml__report(loader, &event->start_mark,
                     "aliases are not supported: write the value in place of '*'");
    advance(loader);
}

static void on_document(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    if (loader->has_document) {
        fil_yaml__report(loader, &event->start_mark,
                         "a second document: remove the line '---' and keep all options in one");
        loader->is_stopped = true;
    }
    loader->has_document = true;
}

/** Inside a collection that is refused only the depth counts. */
static void skip_event(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    bool is_start =
        event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
    bool is_end = event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
    loader->skip_depth += is_start ? 1 : 0;
    loader->skip_depth -= is_end ? 1 : 0;
    if (loader->skip_depth == 0) {
        advance(loader);
    }
    if (loader->skip_depth > SKIP_DEPTH_MAX) {
        fil_yaml__report(loader, &event->start_mark,
                         "nested deeper than %d levels: remove some, sections need at most %d",
                         SKIP_DEPTH_MAX, FIL_OPTION_DEPTH_MAX);
        loader->is_stopped = true;
    }
}

/** A whole value, or the beginning of one, that nobody waits for. */
static void pass_over(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    fil_assert(is_unwanted(loader));
    if (event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT) {
        fil_yaml__skip(loader);
    } else {
        advance(loader);
    }
}

static void on_event(struct fil_yaml_loader *loader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        on_document(loader, event);
        break;
    case YAML_ALIAS_EVENT:
        on_alias(loader, event);
        break;
    case YAML_SCALAR_EVENT:
        on_scalar(loader, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_sequence(loader, event);
        break;
    case YAML_MAPPING_START_EVENT:
        on_mapping(loader, event);
        break;
    case YAML_MAPPING_END_EVENT:
        if (fil_yaml__is_in_list(loader)) {
            fil_yaml__list_mapping_end(loader);
        } else {
            close_mapping(loader);
        }
        break;
    case YAML_SEQUENCE_END_EVENT: // else it is inside what is skipped
        close_list(loader, &event->start_mark);
        break;
    case YAML_STREAM_END_EVENT:
        loader->is_stopped = true;
        break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
}

static int report_fault(struct fil_yaml_loader *loader, const struct fil_yaml_fault *fault)
{
    struct fil_conf_origin origin = fil_conf__file_origin(loader->file, fault->line, fault->column);
    fil_conf__report(loader->conf, &origin, fault->reason);
    return FIL_E_CONFIG;
}

/** FIL_OK when the end or the limit of messages was reached. */
static int walk(struct fil_yaml_loader *loader, yaml_parser_t *parser, struct fil_bytes text)
{
    while (!loader->is_stopped && !fil_conf__is_full(loader->conf)) {
        yaml_event_t event;
        if (yaml_parser_parse(parser, &event) == 0) {
            if (parser->error == YAML_MEMORY_ERROR) {
                return FIL_E_NOMEM;
            }
            struct fil_yaml_fault fault;
            fil_yaml__explain(parser, text, &fault);
            return report_fault(loader, &fault);
        }
        if (loader->skip_depth > 0) {
            skip_event(loader, &event);
        } else if (is_unwanted(loader)) {
            pass_over(loader, &event);
        } else {
            on_event(loader, &event);
        }
        yaml_event_delete(&event);
    }
    return FIL_OK;
}

static int parse(struct fil_yaml_loader *loader, struct fil_bytes text)
{
    struct fil_yaml_fault fault;
    if (fil_yaml__find_bad_character(text, &fault)) {
        return report_fault(loader, &fault);
    }
    yaml_parser_t parser;
    int error = fil_yaml_text_open(&parser, text);
    if (error != FIL_OK) {
        return error;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    error = walk(loader, &parser, text);
    yaml_parser_delete(&parser);
    return error;
}

static struct fil_bytes without_mark(struct fil_bytes text)
{
    size_t size = strlen(BYTE_ORDER_MARK);
    bool has_mark = text.size >= size && memcmp(text.data, BYTE_ORDER_MARK, size) == 0;
    return has_mark ? fil_bytes_make(text.data + size, text.size - size) : text;
}

int fil_conf_load_yaml(struct fil_conf *conf, const char *name, struct fil_bytes text)
{
    size_t message_count = conf->message_count;
    if (fil_conf__is_full(conf)) {
        return FIL_E_CONFIG;
    }
    if (text.size > FIL_CONF_FILE_SIZE_MAX) {
        return fil_conf__report_too_large(conf, name);
    }
    if (text.size == 0) {
        return FIL_OK; // libyaml wants bytes
    }
    struct fil_yaml_loader loader = {.conf = conf, .file = name};
    int error = parse(&loader, without_mark(text));
    if (error == FIL_OK && conf->message_count > message_count) {
        return FIL_E_CONFIG;
    }
    return error;
}
