// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include "filbert/error.h"
#include "lib/base/attr.h"

struct part {
    const char *name;
    int (*run)(struct fil_env *env, bool is_quick, struct fil_writer *writer);
};

static const struct part parts[] = {
    {"kick", lab_kernel_kick},
    {"parked", lab_kernel_parked},
    {"events", lab_kernel_events},
};

int lab_kernel_run(struct fil_env *env, bool is_quick, struct fil_writer *writer)
{
    (void)fil_writer_text(writer, "{\n");
    for (uint32_t i = 0; i < FIL_COUNT_OF(parts); i++) {
        (void)fil_writer_format(writer, "  \"%s\": ", parts[i].name);
        int error = parts[i].run(env, is_quick, writer);
        if (error != FIL_OK) {
            return error;
        }
        (void)fil_writer_text(writer, i + 1 < FIL_COUNT_OF(parts) ? ",\n" : "\n");
    }
    (void)fil_writer_text(writer, "}\n");
    return FIL_OK;
}
