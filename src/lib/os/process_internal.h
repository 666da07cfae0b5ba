// SPDX-License-Identifier: Apache-2.0
/** What the crash report needs from the process. */
#pragma once

/** Loads the unwinder, so that fil_process_backtrace may run in a signal handler. */
void fil_process__prepare_backtrace(void);
