// SPDX-License-Identifier: Apache-2.0
/**
 * The name of the function at an address, for people who read a stack.
 *
 * Names come from what the dynamic linker knows and, for functions that are not exported, from the
 * symbol table in the program's or library's file. Without one (stripped) the place is given as an
 * offset that addr2line understands.
 *
 * Cost:    reads a file for each call: tens of microseconds, milliseconds the first time. Not for
 *          threads that must not block.
 * Threads: any; not async-signal-safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Room for what describe writes, with the end; longer names are cut. */
#define FIL_SYMBOL_TEXT_MAX 160U

/**
 * "function+0x1f", with " (library)" behind it when it is not in the program itself; else
 * "library+0x12ab", else the bare address. Returns text.
 */
const char *fil_symbol_describe(uintptr_t address, char text[FIL_SYMBOL_TEXT_MAX]);
