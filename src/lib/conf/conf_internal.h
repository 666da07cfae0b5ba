// SPDX-License-Identifier: Apache-2.0
/** What the sources of a configuration share: giving a value, and saying what is wrong. */
#pragma once

#include "lib/conf/conf.h"

/** Adds "place: reason"; the first message beyond the limit says that there are more. */
void fil_conf__report(struct fil_conf *conf, const struct fil_conf_origin *origin,
                      const char *reason);

/** A place in a file, or the file as a whole with line 0; of a long path the end is kept. */
struct fil_conf_origin fil_conf__file_origin(const char *path, size_t line, size_t column);

/** Reports that the file is larger than FIL_CONF_FILE_SIZE_MAX; returns FIL_E_CONFIG. */
int fil_conf__report_too_large(struct fil_conf *conf, const char *path) FIL_NODISCARD;

/** Whether the last message said that there are more, so that looking further is no use. */
bool fil_conf__is_full(const struct fil_conf *conf);

/** Gives the option the value, or reports why not. FIL_OK or FIL_E_CONFIG. */
int fil_conf__assign(struct fil_conf *conf, const struct fil_option *option, struct fil_bytes value,
                     const struct fil_conf_origin *origin) FIL_NODISCARD;

/** Whether items of lists may have that name: it stands in one line with others. */
bool fil_option__is_item_name(struct fil_bytes name);

/** Says of a name that is no option what it is, and which one may have been meant. */
void fil_conf__explain_unknown(const struct fil_conf *conf, struct fil_bytes name,
                               char out_reason[FIL_OPTION_REASON_MAX + 1]);
