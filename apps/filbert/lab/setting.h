// SPDX-License-Identifier: Apache-2.0
/**
 * The settings that the lab compares: the kernel with ordinary options, and models of other
 * architectures.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"

enum lab_kind {
    LAB_KIND_KERNEL,   // a member with the setting's options
    LAB_KIND_BLOCKING, // a thread for each connection
    LAB_KIND_LOOP,     // one event loop, no partitions
    LAB_KIND_SHARDED,  // loops that own a share of the keys each
    LAB_KIND_SEDA,     // SEDA as in the books
};

enum lab_place {
    LAB_PLACE_APART, // the load has a core of its own, the server the others
    LAB_PLACE_ONE,   // the load has a core of its own, the server one other
    LAB_PLACE_ALL,   // all threads on all cores
};

/** What the stage lab compares; the groups and settings come in this order. */
struct lab_setting {
    const char *name;    // for programs
    const char *group;   // heading for people
    const char *title;   // for people
    const char *options; // assignments with blanks between them; "": the defaults
    enum lab_kind kind;
    enum lab_place place;
};

uint32_t lab_setting_count(void);
const struct lab_setting *lab_setting_at(uint32_t index);

/** NULL when there is none of that name. */
const struct lab_setting *lab_setting_find(struct fil_bytes name);

/** Which cpus @first and @last in options stand for. */
struct lab_setting_cpus {
    uint32_t first;
    uint32_t last;
};

/**
 * Cuts the first assignment, "name=value", off the options; false when there is none. It must fit
 * into text with its end.
 */
bool lab_setting_next_option(const char **options, struct lab_setting_cpus cpus, char *text,
                             uint32_t capacity);
