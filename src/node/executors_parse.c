// SPDX-License-Identifier: Apache-2.0
/** What executor.named says. */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/conf/option_list.h"
#include "node/executors.h"

bool fil_executors_is_name(struct fil_bytes word)
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

struct fil_executor_wish fil_executors_default(const struct fil_options *options)
{
    return (struct fil_executor_wish){
        .thread_count = (uint32_t)options->executor.threads,
        .capacity = (uint32_t)options->executor.capacity,
        .policy = options->executor.policy,
    };
}

static struct fil_executor_wish wish_of(const char *name, const struct fil_options *options)
{
    struct fil_executor_wish wish = fil_executors_default(options);
    memcpy(wish.name, name, strlen(name) + 1);
    return wish;
}

int fil_executors_parse(const struct fil_options *options,
                        struct fil_executor_wish out_wishes[FIL_EXECUTORS_MAX],
                        char out_problem[FIL_OPTION_REASON_MAX + 1])
{
    struct fil_options own = *options;
    struct fil_option_list list;
    int got = 0;
    fil_option_list_init(&list, &fil_options_table, "executor.named", options->executor.named);
    while ((got = fil_option_list_next(&list, &own, out_problem)) > 0) {
        if (list.count > FIL_EXECUTORS_MAX) {
            (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1, "more than %u executors",
                           FIL_EXECUTORS_MAX);
            return FIL_E_CONFIG;
        }
        if (!fil_executors_is_name(fil_bytes_of(list.name))) {
            (void)snprintf(out_problem, FIL_OPTION_REASON_MAX + 1,
                           "an executor's name has 1 to %u letters, digits, dots and dashes, not "
                           "'%.40s'",
                           FIL_EXECUTOR_NAME_MAX - 1, list.name);
            return FIL_E_CONFIG;
        }
        out_wishes[list.count - 1] = wish_of(list.name, &own);
        own = *options;
    }
    return got < 0 ? got : (int)list.count;
}
