// SPDX-License-Identifier: Apache-2.0
/**
 * This process: what it uses, what it may use, where it runs.
 *
 * Threads: any; the environment variables must not be changed by anybody after main began.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"

#define FIL_HOSTNAME_MAX 65 // with the end

struct fil_process_usage {
    uint64_t user_ns;          // cpu time of all threads so far
    uint64_t system_ns;        // the same, inside the kernel
    uint64_t resident_bytes;   // memory that is really there
    uint64_t descriptor_count; // open files and sockets
};

/** Reads all of it; a figure the system does not tell (no /proc) is 0. */
void fil_process_measure(struct fil_process_usage *out_usage);

/** How many descriptors may be open; 0: there is no limit. */
uint64_t fil_process_descriptor_limit(void);

/** Raises that limit as far as the system allows, and returns it. */
uint64_t fil_process_raise_descriptor_limit(void);

/**
 * Before memory is used: lets the heap give freed memory back in small pieces. Left to itself it
 * waits for ever larger ones, and returning one of 64 MB holds its thread for milliseconds.
 */
void fil_process_steady_heap(void);

/** Gives all pages back that the heap has no block in. Looks through all that is free: not for
 * those who are in a hurry. */
void fil_process_trim_heap(void);

/**
 * Before anything is opened: gives the standard descriptors that are closed to the null device, so
 * that no socket gets their numbers and what is printed goes nowhere. FIL_E_SYSTEM: it cannot.
 */
int fil_process_fill_standard_descriptors(void) FIL_NODISCARD;

uint32_t fil_process_id(void);

/** The variables as "NAME=VALUE", the last one followed by NULL. */
const char *const *fil_process_environment(void);

/** The variable's value, or NULL when it is not set. */
const char *fil_process_variable(const char *name);

bool fil_process_is_terminal(int fd);

/** Width of the terminal; 0 when fd is none or does not know. */
uint32_t fil_process_terminal_columns(int fd);

/** The machine's name in its network; "unknown" when it has none. Returns text. */
const char *fil_process_hostname(char text[FIL_HOSTNAME_MAX]);

/**
 * Writes the calling thread's stack, a frame a line. Async-signal-safe, except for the first call
 * of the process: it may load the unwinder (fil_signals_report_crashes sees to that).
 */
void fil_process_backtrace(int fd);
