// SPDX-License-Identifier: Apache-2.0
/** Commands that are only there with debug.commands; COMMAND does not tell of them. */
#pragma once

#include "lib/base/bytes.h"
#include "protocol/resp/command.h"

/** NULL when there is no such command; any case. */
const struct fil_resp_command_info *fil_resp_debug__find(struct fil_bytes name);
