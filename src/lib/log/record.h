// SPDX-License-Identifier: Apache-2.0
/**
 * One event as it travels from the thread that has it to the log's writer: a head, then the fields,
 * each text right behind its field. Lives in a ring or in a buffer of FIL_LOG_RECORD_BYTES_MAX.
 *
 * Memory: event, file, role and keys are borrowed and outlive the record; texts are copied.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/log/field.h"
#include "lib/log/level.h"

/** The place in the source that logs; with the error code it tells repeats from other events. */
struct fil_log_site {
    const char *event;
    const char *file;
    uint32_t line;
};

struct fil_log_record {
    struct fil_log_site site;
    const char *role;
    uint64_t wall_ns;
    uint32_t size; // of the whole record
    uint32_t field_count;
    enum fil_log_level level;
    int error; // of the first field with a code, else FIL_OK
};

#define FIL_LOG_RECORD_BYTES_MAX     \
    (sizeof(struct fil_log_record) + \
     FIL_LOG_FIELDS_MAX * (sizeof(struct fil_log_field) + FIL_LOG_TEXT_MAX))

/** Bytes that the fields, up to their FIL_LOG_END, take as a record. */
uint32_t fil_log_record_measure(const struct fil_log_field *fields);

/**
 * Puts head and fields into memory (a multiple of eight, as large as measured). The head's size,
 * field count and error are filled in here.
 */
struct fil_log_record *fil_log_record_encode(void *memory, const struct fil_log_record *head,
                                             const struct fil_log_field *fields);

/** Copies the head and as many of the first fields, whole, as go into so many bytes. */
struct fil_log_record *fil_log_record_copy(void *memory, uint32_t size,
                                           const struct fil_log_record *record);

/** Walks the fields of a record: start with *position = 0; false behind the last one. */
bool fil_log_record_next(const struct fil_log_record *record, uint32_t *position,
                         struct fil_log_field *out_field);
