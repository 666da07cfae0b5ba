// SPDX-License-Identifier: Apache-2.0
/** What map.named says. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "grid/map/config.h"
#include "lib/base/attr.h"
#include "lib/base/units.h"

/** One setting that is read, and what was wrong with it. */
struct reading {
    struct fil_bytes key;
    struct fil_bytes value;
    char *problem;
    size_t problem_size;
};

FIL_PRINTF(2, 3) static int complain(struct reading *reading, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reading->problem, reading->problem_size, format, arguments); // may cut
    va_end(arguments);
    return FIL_E_CONFIG;
}

static int complain_of_value(struct reading *reading, const char *wanted)
{
    return complain(reading, "%.*s takes %s, not '%.*s'", (int)reading->key.size,
                    (const char *)reading->key.data, wanted, (int)reading->value.size,
                    (const char *)reading->value.data);
}

/** Takes what stands before the separator, without blanks around it; false at the end. */
static bool take(struct fil_bytes *rest, uint8_t separator, struct fil_bytes *out_part)
{
    *rest = fil_bytes_trim(*rest);
    if (rest->size == 0) {
        return false;
    }
    size_t size = fil_bytes_find(*rest, separator);
    size_t used = size < rest->size ? size + 1 : size;
    *out_part = fil_bytes_trim(fil_bytes_make(rest->data, size));
    *rest = fil_bytes_make(rest->data + used, rest->size - used);
    return true;
}

static int read_duration(struct reading *reading, uint64_t *out_ms)
{
    uint64_t ns = 0;
    if (fil_units_parse_duration(reading->value, &ns, NULL) != FIL_OK || ns % 1000000 != 0) {
        return complain_of_value(reading, "a duration such as 60s, or 0 for none");
    }
    *out_ms = ns / 1000000;
    return FIL_OK;
}

static int read_number(struct reading *reading, uint64_t maximum, const char *wanted,
                       uint64_t *out_number)
{
    uint64_t number = 0;
    if (fil_units_parse_count(reading->value, &number, NULL) != FIL_OK || number > maximum) {
        return complain_of_value(reading, wanted);
    }
    *out_number = number;
    return FIL_OK;
}

static int read_small(struct reading *reading, uint32_t maximum, const char *wanted,
                      uint32_t *out_number)
{
    uint64_t number = 0;
    int error = read_number(reading, maximum, wanted, &number);
    if (error == FIL_OK) {
        *out_number = (uint32_t)number;
    }
    return error;
}

static int read_size(struct reading *reading, uint64_t *out_bytes)
{
    if (fil_units_parse_size(reading->value, out_bytes, NULL) != FIL_OK) {
        return complain_of_value(reading, "a size such as 64MiB, or 0 for no limit");
    }
    return FIL_OK;
}

static int read_eviction(struct reading *reading, enum fil_eviction *out_eviction)
{
    for (uint32_t i = 0; fil_map_eviction_words[i] != NULL; i++) {
        if (fil_bytes_equal_text(reading->value, fil_map_eviction_words[i])) {
            *out_eviction = (enum fil_eviction)i;
            return FIL_OK;
        }
    }
    return complain_of_value(reading, "none, lru, lfu, random or sieve");
}

static int read_truth(struct reading *reading, bool *out_truth)
{
    *out_truth = fil_bytes_equal_text(reading->value, "true");
    if (!*out_truth && !fil_bytes_equal_text(reading->value, "false")) {
        return complain_of_value(reading, "true or false");
    }
    return FIL_OK;
}

#define NUMBERS "a number, or 0 for no limit"

static int read_setting(struct reading *reading, struct fil_map_config *config)
{
    struct fil_bytes key = reading->key;
    if (fil_bytes_equal_text(key, "ttl")) {
        return read_duration(reading, &config->ttl_ms);
    }
    if (fil_bytes_equal_text(key, "max_idle")) {
        return read_duration(reading, &config->max_idle_ms);
    }
    if (fil_bytes_equal_text(key, "eviction")) {
        return read_eviction(reading, &config->eviction);
    }
    if (fil_bytes_equal_text(key, "entries_max")) {
        return read_number(reading, UINT64_MAX, NUMBERS, &config->entry_count_max);
    }
    if (fil_bytes_equal_text(key, "partition_entries_max")) {
        return read_number(reading, UINT64_MAX, NUMBERS, &config->partition_entry_count_max);
    }
    if (fil_bytes_equal_text(key, "bytes_max")) {
        return read_size(reading, &config->byte_count_max);
    }
    if (fil_bytes_equal_text(key, "memory_percent_max")) {
        return read_small(reading, 100, "a number from 1 to 100, or 0 for no limit",
                          &config->memory_percent_max);
    }
    if (fil_bytes_equal_text(key, "statistics")) {
        return read_truth(reading, &config->has_statistics);
    }
    if (fil_bytes_equal_text(key, "journal")) {
        return read_small(reading, FIL_MAP_JOURNAL_MAX, "a number of events, up to 16777216",
                          &config->journal_capacity);
    }
    return complain(reading,
                    "'%.*s' is not ttl=, max_idle=, eviction=, entries_max=, "
                    "partition_entries_max=, bytes_max=, memory_percent_max=, statistics= or "
                    "journal=",
                    (int)key.size, (const char *)key.data);
}

/** A name, or a pattern with one star. */
static bool is_name(struct fil_bytes word)
{
    if (word.size > FIL_MAP_NAME_MAX) {
        return false;
    }
    size_t star = fil_bytes_find(word, '*');
    size_t rest = star < word.size ? star + 1 : star;
    return fil_bytes_find(fil_bytes_make(word.data + rest, word.size - rest), '*') ==
           word.size - rest;
}

/** One map: its name, then its settings. */
static int read_rule(struct reading *reading, struct fil_bytes text, struct fil_map_rule *rule)
{
    struct fil_bytes word;
    if (!take(&text, ' ', &word)) {
        return complain(reading, "there is nothing between two semicolons");
    }
    if (!is_name(word)) {
        return complain(reading, "a map's name has up to %u bytes and at most one '*', not '%.*s'",
                        FIL_MAP_NAME_MAX, (int)word.size, (const char *)word.data);
    }
    memcpy(rule->name, word.data, word.size);
    rule->name[word.size] = '\0';
    int error = FIL_OK;
    while (error == FIL_OK && take(&text, ' ', &word)) {
        size_t at = fil_bytes_find(word, '=');
        size_t behind = at < word.size ? at + 1 : at;
        reading->key = fil_bytes_make(word.data, at);
        reading->value = fil_bytes_make(word.data + behind, word.size - behind);
        error = read_setting(reading, &rule->config);
    }
    return error;
}

static bool is_taken(const struct fil_map_rule *rules, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(rules[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

int fil_map_rules_parse(const char *text, const struct fil_map_config *defaults,
                        struct fil_map_rule out_rules[FIL_MAP_RULES_MAX], char *out_problem,
                        size_t problem_size)
{
    struct reading reading = {.problem_size = problem_size};
    reading.problem = out_problem;
    struct fil_bytes rest = fil_bytes_of(text);
    struct fil_bytes part;
    int count = 0;
    if (strcmp(text, "none") == 0) {
        return 0;
    }
    while (take(&rest, ';', &part)) {
        if (count == (int)FIL_MAP_RULES_MAX) {
            return complain(&reading, "more than %u rules", FIL_MAP_RULES_MAX);
        }
        struct fil_map_rule *rule = &out_rules[count];
        *rule = (struct fil_map_rule){.config = *defaults};
        if (read_rule(&reading, part, rule) != FIL_OK) {
            return FIL_E_CONFIG;
        }
        if (is_taken(out_rules, count, rule->name)) {
            return complain(&reading, "'%s' is there twice", rule->name);
        }
        count++;
    }
    return count;
}
