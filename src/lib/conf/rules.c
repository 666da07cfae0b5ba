// SPDX-License-Identifier: Apache-2.0
#include "lib/conf/rules.h"

#include <string.h>

bool fil_rule_is_name(const char *rule)
{
    const char *star = strchr(rule, '*');
    return star == NULL || strchr(star + 1, '*') == NULL;
}

bool fil_rule_fits(const char *rule, struct fil_bytes name)
{
    const char *star = strchr(rule, '*');
    if (star == NULL) {
        return fil_bytes_equal_text(name, rule);
    }
    struct fil_bytes head = fil_bytes_make(rule, (size_t)(star - rule));
    struct fil_bytes tail = fil_bytes_of(star + 1);
    if (name.size < head.size + tail.size) {
        return false;
    }
    return fil_bytes_equal(fil_bytes_make(name.data, head.size), head) &&
           fil_bytes_equal(fil_bytes_make(name.data + name.size - tail.size, tail.size), tail);
}

bool fil_rule_wins(const char *rule, const char *other)
{
    if (other == NULL || strchr(rule, '*') == NULL) {
        return true;
    }
    return strchr(other, '*') != NULL && strlen(rule) > strlen(other);
}
