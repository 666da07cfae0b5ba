// SPDX-License-Identifier: Apache-2.0
/** What the requests about lists, queues and sets share with those that only one of them has. */
#pragma once

#include <stdbool.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/serve/task.h"

/** Visits of items: writes the item to a struct fil_wire_writer. */
bool fil_wire_write_item(void *context, struct fil_bytes item);

/** The answer to an addition; who is full takes nothing, which is no error. */
int fil_wire_answer_added(struct fil_wire_task *task, int error, bool has_changed) FIL_NODISCARD;
