// SPDX-License-Identifier: Apache-2.0
/** Lines of replies that are text; the state is in struct load_replies. */
#pragma once

#include "replies.h"

/** Takes what there is of a line: true when it is complete, without its end, in replies->line. */
bool load_line_take(struct load_replies *replies, struct fil_bytes *bytes);

/** Whether the line begins so. */
bool load_line_begins(const struct load_replies *replies, const char *text);

/** Keeps the line as what the last error said. */
void load_line_keep_error(struct load_replies *replies);

/** Skips what there is of a body; true when nothing of it is left. */
bool load_body_skip(struct load_replies *replies, struct fil_bytes *bytes);
