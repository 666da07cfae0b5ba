// SPDX-License-Identifier: Apache-2.0
/** What the files of the steward share. */
#pragma once

#include "core/stream/steward.h"

/** The execution, which is over, is about to be freed: its figures stay. */
void fil_steward__keep_figures(struct fil_steward *steward);

/** SUSPENDED becomes STARTING; false: it is not suspended. */
FIL_ANY_THREAD bool fil_steward__rouse(struct fil_steward *steward);
