// SPDX-License-Identifier: Apache-2.0
/** What the files of the steward share. */
#pragma once

#include "core/stream/steward.h"

/** The execution, which is over, is about to be freed: its figures stay. */
void fil_steward__keep_figures(struct fil_steward *steward);
