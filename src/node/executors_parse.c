// SPDX-License-Identifier: Apache-2.0
/** What executor.named says. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "node/executors.h"

/** A text that is read, and what was wrong with it. */
struct reading {
    struct fil_bytes rest;
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

/** Takes what stands before the separator, without blanks around it; false at the end. */
static bool take(struct fil_bytes *rest, uint8_t separator, struct fil_bytes *out_part)
{
    while (rest->size > 0 && rest->data[0] == ' ') {
        *rest = fil_bytes_make(rest->data + 1, rest->size - 1);
    }
    if (rest->size == 0) {
        return false;
    }
    size_t size = fil_bytes_find(*rest, separator);
    *out_part = fil_bytes_make(rest->data, size);
    size_t used = size < rest->size ? size + 1 : size;
    *rest = fil_bytes_make(rest->data + used, rest->size - used);
    while (out_part->size > 0 && out_part->data[out_part->size - 1] == ' ') {
        out_part->size--;
    }
    return true;
}

static bool is_name(struct fil_bytes word)
{
    if (word.size == 0 || word.size >= FIL_EXECUTOR_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < word.size; i++) {
        uint8_t c = word.data[i];
        bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
        if (!is_fine) {
            return false;
        }
    }
    return true;
}

/** A number from 1 to the maximum. */
static int read_count(struct reading *reading, struct fil_bytes key, struct fil_bytes value,
                      uint32_t maximum, uint32_t *out_count)
{
    uint64_t number = 0;
    if (!fil_bytes_to_u64(value, &number) || number == 0 || number > maximum) {
        return complain(reading, "%.*s takes a number from 1 to %u, not '%.*s'", (int)key.size,
                        (const char *)key.data, maximum, (int)value.size, (const char *)value.data);
    }
    *out_count = (uint32_t)number;
    return FIL_OK;
}

static int read_policy(struct reading *reading, struct fil_bytes value,
                       enum fil_executor_policy *out_policy)
{
    if (fil_bytes_equal_text(value, "reject")) {
        *out_policy = FIL_EXECUTOR_REJECT;
    } else if (fil_bytes_equal_text(value, "wait")) {
        *out_policy = FIL_EXECUTOR_WAIT;
    } else {
        return complain(reading, "policy takes reject or wait, not '%.*s'", (int)value.size,
                        (const char *)value.data);
    }
    return FIL_OK;
}

static int read_setting(struct reading *reading, struct fil_bytes word,
                        struct fil_executor_wish *wish)
{
    size_t at = fil_bytes_find(word, '=');
    struct fil_bytes key = fil_bytes_make(word.data, at);
    struct fil_bytes value = at < word.size ? fil_bytes_make(word.data + at + 1, word.size - at - 1)
                                            : fil_bytes_make(NULL, 0);
    if (fil_bytes_equal_text(key, "threads")) {
        return read_count(reading, key, value, FIL_CREW_MEMBERS_MAX, &wish->thread_count);
    }
    if (fil_bytes_equal_text(key, "capacity")) {
        return read_count(reading, key, value, FIL_MPMC_CAPACITY_MAX, &wish->capacity);
    }
    if (fil_bytes_equal_text(key, "policy")) {
        return read_policy(reading, value, &wish->policy);
    }
    return complain(reading, "'%.*s' is not threads=, capacity= or policy=", (int)word.size,
                    (const char *)word.data);
}

/** One executor: its name, then its settings. */
static int read_wish(struct reading *reading, struct fil_bytes text, struct fil_executor_wish *wish)
{
    struct fil_bytes word = {0};
    if (!take(&text, ' ', &word) || !is_name(word)) {
        return complain(
            reading, "an executor's name has 1 to %u letters, digits, dots and dashes, not '%.*s'",
            FIL_EXECUTOR_NAME_MAX - 1, (int)word.size, (const char *)word.data);
    }
    memcpy(wish->name, word.data, word.size);
    wish->name[word.size] = '\0';
    int error = FIL_OK;
    while (error == FIL_OK && take(&text, ' ', &word)) {
        error = read_setting(reading, word, wish);
    }
    return error;
}

static bool is_taken(const struct fil_executor_wish *wishes, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(wishes[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

int fil_executors_parse(const struct fil_options *options,
                        struct fil_executor_wish out_wishes[FIL_EXECUTORS_MAX], char *out_problem,
                        size_t problem_size)
{
    struct reading reading = {.rest = fil_bytes_of(options->executor.named),
                              .problem_size = problem_size};
    reading.problem = out_problem;
    struct fil_bytes text;
    int count = 0;
    if (strcmp(options->executor.named, "none") == 0) {
        return 0;
    }
    while (take(&reading.rest, ';', &text)) {
        if (count == (int)FIL_EXECUTORS_MAX) {
            return complain(&reading, "more than %u executors", FIL_EXECUTORS_MAX);
        }
        struct fil_executor_wish wish = {
            .thread_count = (uint32_t)options->executor.threads,
            .capacity = (uint32_t)options->executor.capacity,
            .policy = options->executor.policy,
        };
        if (read_wish(&reading, text, &wish) != FIL_OK) {
            return FIL_E_CONFIG;
        }
        if (is_taken(out_wishes, count, wish.name)) {
            return complain(&reading, "'%s' is there twice", wish.name);
        }
        out_wishes[count] = wish;
        count++;
    }
    return count;
}
