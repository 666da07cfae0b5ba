// SPDX-License-Identifier: Apache-2.0
/**
 * The items of a list option, read from its one line of text.
 *
 *     struct fil_options own = *options;
 *     fil_option_list_init(&list, &fil_options_table, "map.named", options->map.named);
 *     while ((got = fil_option_list_next(&list, &own, reason)) > 0) {
 *         ... list.name, own.map.ttl_ns ...
 *         own = *options;
 *     }
 *
 * An item's settings are those options of the list's section that are marked so, and are read as
 * these are: with their ranges, units and messages.
 *
 * Memory: allocates nothing; the text is borrowed.
 */
#pragma once

#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conf/option.h"
#include "lib/conf/option_table.h"

struct fil_option_list {
    const struct fil_option_table *table;
    const struct fil_option *option;
    struct fil_bytes text;
    struct fil_bytes rest; // what was not read yet
    uint32_t count;        // items read
    char name[FIL_OPTION_ITEM_NAME_MAX + 1];
};

/** The option is a list of the table. */
void fil_option_list_init(struct fil_option_list *list, const struct fil_option_table *table,
                          const char *option, const char *text);

/**
 * Reads the next item: its name into the list, its settings into their fields of target, the
 * product's struct. Returns 1, 0 at the end, or FIL_E_CONFIG and what is wrong.
 */
int fil_option_list_next(struct fil_option_list *list, void *target,
                         char out_reason[FIL_OPTION_REASON_MAX + 1]) FIL_NODISCARD;
