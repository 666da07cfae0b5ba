// SPDX-License-Identifier: Apache-2.0
/** What the files that read YAML share: the loader, lists, and what is wrong with a text as YAML.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/conf/conf.h"
#include "lib/conf/option.h"

/** What comes next in a mapping. */
enum fil_yaml_expected {
    EXPECTED_ROOT,
    EXPECTED_KEY,
    EXPECTED_VALUE
};

/** A list that is read. */
struct fil_yaml_list {
    bool is_open;
    enum fil_yaml_expected expected;  // ROOT: an item
    const struct fil_option *setting; // whose value comes; NULL: the name's, or nobody's
    bool is_name;                     // it is the name's
    bool is_broken;                   // something of it was refused
    uint64_t seen;                    // settings of the item, by their index among them
    yaml_mark_t item_mark;
    char name[FIL_OPTION_ITEM_NAME_MAX + 1];
    char settings[FIL_OPTION_TEXT_MAX + 1];
    struct fil_writer item; // into settings
    char bytes[FIL_OPTION_TEXT_MAX + 1];
    struct fil_writer text; // into bytes
};

struct fil_yaml_loader {
    struct fil_conf *conf;
    const char *file;
    bool is_stopped;
    bool has_document;

    // The open mappings: the path of the innermost one, and how long it was outside each.
    char path[FIL_OPTION_NAME_MAX + 1];
    size_t path_size;
    size_t outer_sizes[FIL_OPTION_DEPTH_MAX + 1];
    size_t depth;
    size_t skip_depth; // collections open inside one that is skipped, itself included

    // What the next value is for: an option, a section, or neither because the key was wrong.
    enum fil_yaml_expected expected;
    const struct fil_option *option;
    yaml_mark_t option_mark; // of its name
    const struct fil_option_section *section;
    struct fil_yaml_list list; // of the option

    // In which line each option and section stands, or 0.
    size_t option_lines[FIL_OPTIONS_MAX];
    size_t section_lines[FIL_OPTION_SECTIONS_MAX];
};

FIL_PRINTF(3, 4)
void fil_yaml__report(struct fil_yaml_loader *loader, const yaml_mark_t *mark, const char *format,
                      ...);

/** The collection that has just begun was refused: what it holds is passed over. */
void fil_yaml__skip(struct fil_yaml_loader *loader);

static inline bool fil_yaml__is_in_list(const struct fil_yaml_loader *loader)
{
    return loader->list.is_open;
}

/** yaml_list.c: a list begins as the value of loader->option. */
void fil_yaml__list_open(struct fil_yaml_loader *loader);

/** It ends. The items as the option's text; empty when something of it was refused. */
struct fil_bytes fil_yaml__list_close(struct fil_yaml_loader *loader, const yaml_mark_t *mark);

/** What is found inside it. */
void fil_yaml__list_scalar(struct fil_yaml_loader *loader, struct fil_bytes text,
                           const yaml_mark_t *mark);
void fil_yaml__list_mapping(struct fil_yaml_loader *loader, const yaml_mark_t *mark);
void fil_yaml__list_mapping_end(struct fil_yaml_loader *loader);
void fil_yaml__list_sequence(struct fil_yaml_loader *loader, const yaml_mark_t *mark);

/** A node that was refused is complete. */
void fil_yaml__list_advance(struct fil_yaml_loader *loader);

struct fil_yaml_fault {
    size_t line; // both count from 1, columns in characters
    size_t column;
    char reason[FIL_OPTION_REASON_MAX + 1];
};

/** Looks for bytes that are not UTF-8 and for characters that YAML forbids; true when found. */
bool fil_yaml__find_bad_character(struct fil_bytes text, struct fil_yaml_fault *out_fault);

/** Explains why the parser stopped; the text is the one it parses. */
void fil_yaml__explain(const yaml_parser_t *parser, struct fil_bytes text,
                       struct fil_yaml_fault *out_fault);
