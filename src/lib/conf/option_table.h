// SPDX-License-Identifier: Apache-2.0
/**
 * The options of a product: everything that reads, shows or documents them works from this table.
 *
 * Options of one section stand together, in the order in which people shall see them; each section
 * is listed, a section inside another one too. A table that breaks the rules is a mistake of the
 * product's author, so fil_option_table_check asserts.
 *
 * Memory: all constant and borrowed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/bytes.h"
#include "lib/conf/option.h"

#define FIL_OPTIONS_MAX         256
#define FIL_OPTION_SECTIONS_MAX 64

/** Bytes of an environment variable's name: every dot of an option's name takes two. */
#define FIL_OPTION_ENVIRONMENT_MAX 95

struct fil_conf;

/** Looks at options that depend on each other; reports with fil_conf_complain. */
typedef void (*fil_option_check_fn)(struct fil_conf *conf, const void *target);

struct fil_option_section {
    const char *name; // "net"
    const char *doc;  // one sentence
};

struct fil_option_table {
    const struct fil_option *options;
    size_t count;
    const struct fil_option_section *sections;
    size_t section_count;
    const char *environment_prefix;         // "FILBERT_"
    const char *const *environment_ignored; // names with the prefix that are no options, NULL last
    const char *const *environment_foreign; // how names begin that others set, NULL last; or NULL
    const char *list_hint;                  // how to see all options, as the end of a sentence
    fil_option_check_fn check;              // or NULL
};

/** Asserts that the table keeps the rules and that every default is a valid value. */
void fil_option_table_check(const struct fil_option_table *table);

/** The option with that name, or NULL. */
const struct fil_option *fil_option_table_find(const struct fil_option_table *table,
                                               struct fil_bytes name);

/** The next setting that items of the list may have, from *index on, which begins at 0; or NULL. */
const struct fil_option *fil_option_table_setting(const struct fil_option_table *table,
                                                  const struct fil_option *list, size_t *index);

/** The last word of its name: "io_threads". */
const char *fil_option_word(const struct fil_option *option);

/** The section with that name, or NULL. */
const struct fil_option_section *fil_option_table_find_section(const struct fil_option_table *table,
                                                               struct fil_bytes name);

/** Whether the option stands in the section or in a section inside it. */
bool fil_option_is_in_section(const struct fil_option *option,
                              const struct fil_option_section *section);

/** The first option of a section. */
const struct fil_option *
fil_option_table_first_in_section(const struct fil_option_table *table,
                                  const struct fil_option_section *section);

/** Which option may have been meant, also when its section was left out; NULL when none is near. */
const char *fil_option_table_suggest(const struct fil_option_table *table, struct fil_bytes name);

/** "net.io_threads" -> "FILBERT_NET__IO_THREADS". Returns out_name. */
const char *fil_option_environment_name(const struct fil_option_table *table,
                                        const struct fil_option *option,
                                        char out_name[FIL_OPTION_ENVIRONMENT_MAX + 1]);
