// SPDX-License-Identifier: Apache-2.0
/** What threads need to know about the crash report. */
#pragma once

/** The handler's own stack: room for the registers of wide vector units and for the unwinder. */
#define FIL_CRASH_STACK_BYTES (64U * 1024U)
