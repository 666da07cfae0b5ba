// SPDX-License-Identifier: Apache-2.0
/** The configuration as a command line gives it: file, environment, flags, in this order. */
#pragma once

#include <stdbool.h>

#include "lib/conf/conf.h"
#include "node/options.h"

#define SETTINGS_FLAGS_MAX 64

struct settings {
    struct fil_options options;
    struct fil_conf conf;
    const char *file; // NULL: none
};

/** One "--set name=value" or a flag that stands for an option. */
struct settings_flag {
    const char *option; // NULL: the value is an assignment
    const char *value;
    const char *flag;
};

struct settings_source {
    const char *file;
    struct settings_flag flags[SETTINGS_FLAGS_MAX];
    int flag_count;
};

/**
 * Takes --config, --listen and --set at words[index]; returns how many words it took, 0 when the
 * word is none of them, or -1 after a message when a value is missing or one too many.
 */
int settings_take_flag(struct settings_source *source, int count, char **words, int index);

/** Loads all sources and prints what is wrong to stderr. Returns whether all is well. */
bool settings_load(struct settings *settings, const struct settings_source *source);

void settings_fini(struct settings *settings);
