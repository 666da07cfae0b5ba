// SPDX-License-Identifier: Apache-2.0
/**
 * The options of Filbert as a struct, made from options.def: net.io_threads is
 * options.net.io_threads.
 *
 * Sizes are bytes; durations are nanoseconds and their fields end in _ns; a 0 that means
 * "automatic" or "never" arrives as 0. Load them with lib/conf and fil_options_table.
 *
 * Threads: read-only once the member runs; what is reloadable changes by a message to its stage.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/executor.h"
#include "core/service/admission.h"
#include "grid/map/config.h"
#include "grid/queue/queue.h"
#include "lib/base/attr.h"
#include "lib/base/cursor.h"
#include "lib/conc/idle.h"
#include "lib/conf/option_table.h"
#include "lib/log/level.h"
#include "lib/os/address.h"
#include "lib/os/cpu_set.h"

struct fil_conf;
struct fil_log;

enum fil_options_log_format {
    FIL_OPTIONS_LOG_AUTO,
    FIL_OPTIONS_LOG_LOGFMT,
    FIL_OPTIONS_LOG_JSON,
    FIL_OPTIONS_LOG_HUMAN,
};

// clang-format off
#define FIL_FIELD_BOOLEAN         bool
#define FIL_FIELD_INTEGER         int64_t
#define FIL_FIELD_SIZE            uint64_t
#define FIL_FIELD_DURATION        uint64_t
#define FIL_FIELD_ADDRESS         struct fil_address
#define FIL_FIELD_CHOICE_OF(name) enum name

// The field's name: FIL_NAME_DURATION(timeout) is timeout_ns, the others are plain.
#define FIL_NAME_PLAIN(field)     field
#define FIL_NAME_NS(field)        field##_ns
#define FIL_NAME_BOOLEAN          FIL_NAME_PLAIN
#define FIL_NAME_INTEGER          FIL_NAME_PLAIN
#define FIL_NAME_SIZE             FIL_NAME_PLAIN
#define FIL_NAME_DURATION         FIL_NAME_NS
#define FIL_NAME_ADDRESS          FIL_NAME_PLAIN
#define FIL_NAME_CHOICE_OF(name)  FIL_NAME_PLAIN

struct fil_options {
#define SECTION(name, doc)                 struct {
#define SECTION_END(name)                  } name;
#define OPTION(section, field, type, ...)  FIL_FIELD_##type FIL_NAME_##type(field);
#define TEXT(section, field, size_max, ...) char field[(size_max) + 1];
#define LIST(section, field, size_max, ...) char field[(size_max) + 1];
#include "node/options.def"
};
// clang-format on

extern const struct fil_option_table fil_options_table;

/** Warns of the variables that were ignored, if there are any, in one event. */
void fil_options_warn_ignored(const struct fil_conf *conf, struct fil_log *log);

/** Logs the options that are not as they are by themselves, and where each value comes from. */
void fil_options_tell(const struct fil_conf *conf, struct fil_log *log);

/** What net.cpus and its kin mean: FIL_OK and a set, or FIL_E_NOT_FOUND for all cpus. */
int fil_options_cpus(const char *text, struct fil_cpu_set *out_cpus) FIL_NODISCARD;

/** As stages take it: the set, kept by the caller, or NULL for all cpus. */
const struct fil_cpu_set *fil_options_read_cpus(const char *text, struct fil_cpu_set *out_cpus);

/** Writes docs/configuration.md. Returns FIL_OK or FIL_E_FULL. */
int fil_options_docs(struct fil_writer *writer) FIL_NODISCARD;
