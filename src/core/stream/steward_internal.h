// SPDX-License-Identifier: Apache-2.0
/** What the files of the steward share. */
#pragma once

#include "core/stream/steward.h"

/** The execution, which is over, is about to be freed: its figures stay. */
void fil_steward__keep_figures(struct fil_steward *steward);

/** SUSPENDED becomes STARTING; false: it is not suspended. */
FIL_ANY_THREAD bool fil_steward__rouse(struct fil_steward *steward);

/** Asks for a barrier; a terminal one is the last of the execution. */
void fil_steward__begin_snapshot(struct fil_steward *steward, uint64_t now_ns, bool is_terminal);

/** All have saved: writes the snapshot and lets them commit, or gives it up. */
void fil_steward__keep_current(struct fil_steward *steward, uint64_t now_ns);

/** All have committed. */
void fil_steward__end_commit(struct fil_steward *steward, uint64_t now_ns);

/** What the snapshot was made for is done, well or not. */
void fil_steward__end_snapshot(struct fil_steward *steward, uint64_t now_ns, bool is_good);

/** An export is over: the next one may begin. */
void fil_steward__tell_export(struct fil_steward *steward);
