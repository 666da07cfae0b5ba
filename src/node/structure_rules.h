// SPDX-License-Identifier: Apache-2.0
/** What structures are like by their names, as the sections queue, list, set ... say it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "grid/list/list.h"
#include "grid/map/config.h"
#include "grid/queue/queue.h"
#include "grid/ringbuffer/ringbuffer.h"
#include "grid/set/set.h"
#include "lib/base/attr.h"
#include "lib/conf/option.h"
#include "node/options.h"
#include "protocol/client/order.h"

#define FIL_STRUCTURE_RULES_MAX 64U // of each kind

enum fil_structure_kind {
    FIL_STRUCTURE_QUEUE,
    FIL_STRUCTURE_LIST,
    FIL_STRUCTURE_SET,
    FIL_STRUCTURE_RINGBUFFER,
    FIL_STRUCTURE_MULTIMAP,
    FIL_STRUCTURE_KINDS,
};

/** Which member holds follows from the kind. */
struct fil_structure_config {
    union {
        struct fil_queue_config queue;
        struct fil_list_config list;
        struct fil_set_config set;
        struct fil_ringbuffer_config ringbuffer;
        struct fil_map_config multimap;
    };
    struct fil_wire_order order; // of a queue, which points to it
    bool is_wrong;               // its attribute is none
};

struct fil_structure_rule {
    char name[FIL_OPTION_ITEM_NAME_MAX + 1];
    struct fil_structure_config config;
};

/** All rules of one kind, and what holds without any. */
struct fil_structure_rules {
    struct fil_structure_config defaults;
    uint32_t count;
    struct fil_structure_rule rules[FIL_STRUCTURE_RULES_MAX];
};

/** Reads the rules of a kind, in place: queues point into them. FIL_E_CONFIG and why. */
int fil_structure_rules_read(struct fil_structure_rules *rules, enum fil_structure_kind kind,
                             const struct fil_options *options,
                             char out_problem[FIL_OPTION_REASON_MAX + 1]) FIL_NODISCARD;

/** The name of the kind's list option. */
const char *fil_structure_rules_option(enum fil_structure_kind kind);

/** What the structure of that name is like. */
const struct fil_structure_config *fil_structure_rules_find(const struct fil_structure_rules *rules,
                                                            struct fil_bytes name);
