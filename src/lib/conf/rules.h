// SPDX-License-Identifier: Apache-2.0
/**
 * Which items of a list option are meant by a name: an item's name is a whole name, or a pattern
 * with one `*`, which stands for any bytes. A whole name wins over patterns; of several patterns
 * that fit, the longest wins.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"

/** Whether it has at most one star. */
bool fil_rule_is_name(const char *rule);

/** Whether the rule's name is this name, or a pattern that fits it. */
bool fil_rule_fits(const char *rule, struct fil_bytes name);

/** Whether a rule that fits wins over another that does; NULL is none. */
bool fil_rule_wins(const char *rule, const char *other);
