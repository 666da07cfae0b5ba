// SPDX-License-Identifier: Apache-2.0
/**
 * A configuration: a product's options with their values, and where each value came from.
 *
 * Values come from the defaults, then from what is loaded, the later call winning; the usual order
 * is file, environment, flags. Every value remembers its origin. What is wrong becomes a message
 * that says where, what and how to mend it; loading goes on behind a mistake, so that one run shows
 * them all. A configuration with messages must not be used.
 *
 *     struct options options;
 *     struct fil_conf conf;
 *     fil_conf_init(&conf, &table, &options);
 *     fil_conf_load_file(&conf, env, "filbert.yaml");
 *     fil_conf_load_environment(&conf, environment);
 *     fil_conf_set(&conf, "net.io_threads=2", "--set");
 *     fil_conf_check(&conf);
 *     for (size_t i = 0; i < fil_conf_message_count(&conf); i++) { ... fil_conf_message(&conf, i) }
 *
 * Order:    later wins; inside one file a second value for an option is a mistake.
 * Memory:   borrows table and target, which must outlive it; init allocates, and libyaml does while
 *           a file is loaded.
 * Threads:  whoever owns the configuration; the target is written only in these calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/conf/option_table.h"

struct fil_env;

/** Size of a file, in bytes. */
#define FIL_CONF_FILE_SIZE_MAX (1024U * 1024U)

/** Messages kept; behind them stands one that says that there are more. */
#define FIL_CONF_MESSAGES_MAX 20

/** Bytes of a message, of a place ("filbert.yaml:12:5"), of an origin; without the end. */
#define FIL_CONF_MESSAGE_MAX 479
#define FIL_CONF_PLACE_MAX   127
#define FIL_CONF_ORIGIN_MAX  159

enum fil_conf_source {
    FIL_CONF_DEFAULT,
    FIL_CONF_FILE,
    FIL_CONF_ENVIRONMENT,
    FIL_CONF_FLAG,
    FIL_CONF_CHANGE, // at run time
};

/** Where a value came from: "filbert.yaml:12:5", "FILBERT_NET__LISTEN", "--set" or nothing. */
struct fil_conf_origin {
    enum fil_conf_source source;
    char place[FIL_CONF_PLACE_MAX + 1];
};

struct fil_conf_message {
    char text[FIL_CONF_MESSAGE_MAX + 1];
};

struct fil_conf {
    const struct fil_option_table *table;
    void *target;
    struct fil_conf_origin *origins; // one an option, in the table's order
    struct fil_conf_message *messages;
    size_t message_count;
    size_t ignored_count;                 // variables with the prefix that are no options
    char ignored[FIL_CONF_PLACE_MAX + 1]; // the first of them
};

/** Checks the table and gives every option its default. Returns FIL_OK or FIL_E_NOMEM. */
int fil_conf_init(struct fil_conf *conf, const struct fil_option_table *table, void *target)
    FIL_NODISCARD;

void fil_conf_fini(struct fil_conf *conf);

/**
 * Loads a YAML file: sections as nested mappings, as dotted keys, or both. Returns FIL_OK,
 * FIL_E_CONFIG when there are new messages (also when the file cannot be read), or FIL_E_NOMEM.
 */
int fil_conf_load_file(struct fil_conf *conf, struct fil_env *env, const char *path) FIL_NODISCARD;

/** As load_file, from memory; the name stands in messages and origins. */
int fil_conf_load_yaml(struct fil_conf *conf, const char *name, struct fil_bytes text)
    FIL_NODISCARD;

/**
 * Takes the variables with the table's prefix out of "NAME=VALUE" entries, NULL behind the last. A
 * variable with the prefix that is no option is a mistake when an option has a similar name or when
 * it has two underscores in a row; any other is counted in ignored_count, for a warning, since
 * whatever starts the process may have set it. Returns FIL_OK or FIL_E_CONFIG.
 */
int fil_conf_load_environment(struct fil_conf *conf, const char *const *entries) FIL_NODISCARD;

/** Sets "name=value" as given with the flag. Returns FIL_OK or FIL_E_CONFIG. */
int fil_conf_set(struct fil_conf *conf, const char *assignment, const char *flag) FIL_NODISCARD;

/** As set, for a flag that stands for one option ("--listen"). */
int fil_conf_set_option(struct fil_conf *conf, const char *name, const char *value,
                        const char *flag) FIL_NODISCARD;

/** Runs the product's check of options that depend on each other. FIL_OK or FIL_E_CONFIG. */
int fil_conf_check(struct fil_conf *conf) FIL_NODISCARD;

/** For the product's check: a message at the place where the option's value came from. */
void fil_conf_complain(struct fil_conf *conf, const char *name, const char *format, ...)
    FIL_PRINTF(3, 4);

/**
 * Changes a reloadable option while the process runs; the product's check has its say. Otherwise
 * nothing changes and the reason tells why: FIL_E_NOT_FOUND for an unknown option,
 * FIL_E_UNSUPPORTED when it needs a restart, FIL_E_INVALID for a value that will not do,
 * FIL_E_CONFIG when the configuration has messages and so is not in use.
 */
int fil_conf_change(struct fil_conf *conf, const char *name, const char *value,
                    char out_reason[FIL_CONF_MESSAGE_MAX + 1]) FIL_NODISCARD;

/** The value as a user would write it. FIL_E_NOT_FOUND when there is no such option. */
int fil_conf_get(const struct fil_conf *conf, const char *name,
                 char out_text[FIL_OPTION_TEXT_MAX + 1]) FIL_NODISCARD;

/** "default", "file:filbert.yaml:12:5", "environment FILBERT_NET__LISTEN". Returns out_text. */
const char *fil_conf_origin(const struct fil_conf *conf, const struct fil_option *option,
                            char out_text[FIL_CONF_ORIGIN_MAX + 1]);

/** At most FIL_CONF_MESSAGES_MAX + 1. */
size_t fil_conf_message_count(const struct fil_conf *conf);

/** One line without its end: "filbert.yaml:3:3: unknown option ...". */
const char *fil_conf_message(const struct fil_conf *conf, size_t index);

/** Writes all options as YAML that loads to the same values. Returns FIL_OK or FIL_E_FULL. */
int fil_conf_show(const struct fil_conf *conf, bool has_origins, struct fil_writer *writer)
    FIL_NODISCARD;

/** Writes the reference of all options as Markdown. Returns FIL_OK or FIL_E_FULL. */
int fil_conf_docs(const struct fil_option_table *table, struct fil_writer *writer) FIL_NODISCARD;
