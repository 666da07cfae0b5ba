// SPDX-License-Identifier: Apache-2.0
#include "lib/metric/family.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t size = strlen(text);
    size_t suffix_size = strlen(suffix);
    return size >= suffix_size && strcmp(text + size - suffix_size, suffix) == 0;
}

/** Words of small letters and digits with one underscore between them. */
static bool is_snake_case(const char *name)
{
    bool is_word_start = true;
    for (; *name != '\0'; name++) {
        bool is_letter = *name >= 'a' && *name <= 'z';
        bool is_digit = *name >= '0' && *name <= '9';
        bool is_underscore = *name == '_';
        if ((!is_letter && !is_digit && !is_underscore) || (is_underscore && is_word_start)) {
            return false;
        }
        is_word_start = is_underscore;
    }
    return !is_word_start;
}

static bool is_one_of(struct fil_bytes word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fil_bytes_equal_text(word, list[i])) {
            return true;
        }
    }
    return false;
}

static const char *word_problem(struct fil_bytes word)
{
    static const char *const types[] = {"counter", "gauge", "histogram", "summary"};
    static const char *const units[] = {"nanoseconds", "microseconds", "milliseconds", "minutes",
                                        "hours",       "days",         "weeks",        "bits",
                                        "kilobytes",   "megabytes",    "gigabytes",    "percent"};
    static const char *const short_units[] = {"s", "ms", "us", "ns", "sec", "m",  "h",
                                              "d", "b",  "kb", "mb", "gb",  "tb", "pb"};
    if (is_one_of(word, types, FIL_COUNT_OF(types))) {
        return "a metric's name does not say its type: leave counter, gauge, histogram out";
    }
    if (is_one_of(word, units, FIL_COUNT_OF(units))) {
        return "a metric's unit is a base unit: seconds, bytes or ratio";
    }
    if (is_one_of(word, short_units, FIL_COUNT_OF(short_units))) {
        return "a metric's unit is written out: seconds, bytes";
    }
    return NULL;
}

static const char *words_problem(const char *name)
{
    const char *problem = NULL;
    struct fil_bytes rest = fil_bytes_of(name);
    while (problem == NULL && rest.size > 0) {
        size_t size = fil_bytes_find(rest, '_');
        problem = word_problem(fil_bytes_make(rest.data, size));
        size_t step = size < rest.size ? size + 1 : size;
        rest = fil_bytes_make(rest.data + step, rest.size - step);
    }
    return problem;
}

static const char *name_problem(const char *name)
{
    if (name == NULL || strnlen(name, FIL_METRIC_NAME_MAX + 1) > FIL_METRIC_NAME_MAX) {
        return "a metric has a name of at most 96 characters";
    }
    if (!has_prefix(name, "filbert_") && !has_prefix(name, "process_")) {
        return "a metric's name begins with filbert_, or process_ for the standard ones";
    }
    if (!is_snake_case(name)) {
        return "a metric's name is small letters and digits with single underscores between words";
    }
    return words_problem(name);
}

static const char *suffix_problem(const struct fil_metric_family *family)
{
    bool is_counter = family->type == FIL_METRIC_COUNTER;
    if (is_counter != has_suffix(family->name, "_total")) {
        return is_counter ? "a counter's name ends in _total"
                          : "only a counter's name ends in _total";
    }
    if (has_suffix(family->name, "_count") || has_suffix(family->name, "_sum") ||
        has_suffix(family->name, "_bucket")) {
        return "_count, _sum and _bucket are kept for the parts of a histogram";
    }
    bool shows_seconds = has_suffix(family->name, is_counter ? "_seconds_total" : "_seconds");
    if (family->unit == FIL_METRIC_NS && !shows_seconds) {
        return "what is recorded in nanoseconds is shown in seconds: the name ends in _seconds, "
               "or _seconds_total for a counter";
    }
    return NULL;
}

static const char *help_problem(const char *help)
{
    if (help == NULL || help[0] == '\0' ||
        strnlen(help, FIL_METRIC_HELP_MAX + 1) > FIL_METRIC_HELP_MAX) {
        return "a metric has a help text of at most 256 characters";
    }
    for (; *help != '\0'; help++) {
        if ((unsigned char)*help < 0x20) {
            return "a metric's help text is one line";
        }
    }
    return NULL;
}

const char *fil_metric_family_problem(const struct fil_metric_family *family)
{
    const char *problem = name_problem(family->name);
    if (problem == NULL) {
        problem = suffix_problem(family);
    }
    if (problem == NULL) {
        problem = help_problem(family->help);
    }
    return problem;
}

bool fil_metric_family_is_same(const struct fil_metric_family *a, const struct fil_metric_family *b)
{
    return a == b || (a->type == b->type && a->unit == b->unit && strcmp(a->name, b->name) == 0 &&
                      strcmp(a->help, b->help) == 0);
}
