// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lib/conf/sample.h"

#include <stddef.h>

#include "lib/base/attr.h"
#include "lib/conf/conf.h"

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct fil_option options[] = {
    {
        .name = "title",
        .type = FIL_OPTION_TEXT,
        .offset = offsetof(struct sample, title),
        .default_text = "sample",
        .maximum = 10,
        .is_reloadable = true,
        .doc = "What stands over the door.",
        .reason = "It is short.",
    },
    {
        .name = "room.open",
        .type = FIL_OPTION_BOOLEAN,
        .offset = offsetof(struct sample, room.is_open),
        .default_text = "true",
        .doc = "Whether anybody may come in.",
        .reason = "Guests are welcome.",
    },
    {
        .name = "room.seats",
        .type = FIL_OPTION_INTEGER,
        .offset = offsetof(struct sample, room.seats),
        .default_text = "4",
        .minimum = -5,
        .maximum = 100,
        .is_reloadable = true,
        .doc = "How many may sit.",
        .reason = "One a side.",
    },
    {
        .name = "room.kitchen.cup",
        .type = FIL_OPTION_SIZE,
        .offset = offsetof(struct sample, room.kitchen.cup),
        .default_text = "1KiB",
        .minimum = 16,
        .maximum = 1048576,
        .zero = "bottomless",
        .doc = "What a cup holds.",
        .reason = "See the shelf.",
    },
    {
        .name = "room.kitchen.brew_time",
        .type = FIL_OPTION_DURATION,
        .offset = offsetof(struct sample, room.kitchen.brew_ns),
        .default_text = "3m",
        .minimum = 1000,
        .maximum = INT64_C(3600000000000),
        .doc = "How long tea takes.",
        .reason = "Black tea takes as long.",
    },
    {
        .name = "room.colour",
        .type = FIL_OPTION_CHOICE,
        .offset = offsetof(struct sample, room.colour),
        .default_text = "green",
        .choices = colours,
        .is_reloadable = true,
        .doc = "The colour of the walls.",
        .reason = "It calms.",
    },
    {
        .name = "door",
        .type = FIL_OPTION_ADDRESS,
        .offset = offsetof(struct sample, door),
        .default_text = "127.0.0.1:80",
        .doc = "Where to knock.",
        .reason = "Neighbours know it.",
    },
};

static const struct fil_option_section sections[] = {
    {.name = "room", .doc = "The room."},
    {.name = "room.kitchen", .doc = "Its kitchen."},
};

static const char *const ignored[] = {"SAMPLE_FILE", NULL};
static const char *const foreign[] = {"SAMPLE_ROOM_SEAT_", NULL};

static void check(struct fil_conf *conf, const void *target)
{
    const struct sample *sample = target;
    if (!sample->room.is_open && sample->room.seats > 10) {
        fil_conf_complain(conf, "room.seats", "'room.seats' is %d in a closed room: open it",
                          (int)sample->room.seats);
    }
}

const struct fil_option_table sample_table = {
    .options = options,
    .count = FIL_COUNT_OF(options),
    .sections = sections,
    .section_count = FIL_COUNT_OF(sections),
    .environment_prefix = "SAMPLE_",
    .environment_ignored = ignored,
    .environment_foreign = foreign,
    .list_hint = "see the sample",
    .check = check,
};
