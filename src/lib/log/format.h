// SPDX-License-Identifier: Apache-2.0
/**
 * How a record becomes a line: logfmt and JSON for machines, a short form for a terminal.
 *
 *   ts=2031-05-04T12:30:01.042Z level=info role=io/0 event=listening address=127.0.0.1:5701
 *   {"ts":"2031-05-04T12:30:01.042Z","level":"info","role":"io/0","event":"listening",...}
 *   12:30:01.042Z INFO  io/0 listening address=127.0.0.1:5701
 *
 * Every value is escaped by text.h; a line always ends in one newline and has no other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/bytes.h"
#include "lib/base/writer.h"
#include "lib/log/record.h"

enum fil_log_format {
    FIL_LOG_FORMAT_LOGFMT,
    FIL_LOG_FORMAT_JSON,
    FIL_LOG_FORMAT_HUMAN
};

struct fil_log_style {
    enum fil_log_format format;
    bool has_color; // the human form only
};

/** No line is longer. */
#define FIL_LOG_LINE_BYTES_MAX (UINT32_C(1) << 15)

/** "logfmt", "json", "human", or "auto": human on a terminal, else logfmt. False on others. */
bool fil_log_format_parse(struct fil_bytes text, bool is_terminal, enum fil_log_format *out_format);

/**
 * Colour is for terminals that are not dumb (TERM) and whose user did not set NO_COLOR; an empty
 * value counts as not set.
 */
bool fil_log_format_wants_color(bool is_terminal, const char *no_color, const char *term);

/** Appends the record as one line; the writer has room for FIL_LOG_LINE_BYTES_MAX. */
void fil_log_format_line(struct fil_writer *writer, const struct fil_log_style *style,
                         const struct fil_log_record *record);

/** Appends only the fields, in logfmt, as far as they fit. */
void fil_log_format_fields(struct fil_writer *writer, const struct fil_log_record *record);
