// SPDX-License-Identifier: Apache-2.0
/** A small product for the tests of lib/conf: every type, a section in a section, a check. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/conf/option_table.h"
#include "lib/os/address.h"

enum sample_colour {
    SAMPLE_RED,
    SAMPLE_GREEN,
    SAMPLE_BLUE
};

struct sample {
    char title[11];
    struct {
        bool is_open;
        int64_t seats;
        enum sample_colour colour;
        struct {
            uint64_t cup;
            uint64_t brew_ns;
        } kitchen;
    } room;
    struct fil_address door;
};

/** Its check: no more than ten seats in a room that is not open. */
extern const struct fil_option_table sample_table;
