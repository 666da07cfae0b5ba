// SPDX-License-Identifier: Apache-2.0
#include "lib/os/thread_state.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/os/file_internal.h"
#include "lib/os/syscall_name_internal.h"
#include "lib/os/thread_usage.h"

#define LINE_MAX_BYTES 256U

/** Reads the beginning of a file about the thread; its size, or an error. */
static int64_t read_about(uint32_t id, const char *name, char line[LINE_MAX_BYTES])
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%u/%s", id, name);
    return fil_file__read_start(path, line, LINE_MAX_BYTES);
}

/** The letter behind the name, which stands in parentheses and may hold any byte; 0: unknown. */
static char read_letter(uint32_t id)
{
    char line[LINE_MAX_BYTES];
    if (read_about(id, "stat", line) <= 0) {
        return 0;
    }
    const char *end = strrchr(line, ')');
    return end == NULL || end[1] != ' ' ? 0 : end[2];
}

static void read_channel(uint32_t id, struct fil_thread_state *state)
{
    char line[LINE_MAX_BYTES];
    int64_t size = read_about(id, "wchan", line);
    // A lone zero is what the kernel says to those who may not know.
    if (size > 0 && strcmp(line, "0") != 0) {
        (void)snprintf(state->channel, sizeof(state->channel), "%.*s",
                       (int)sizeof(state->channel) - 1, line);
    }
}

/** "running", "-1 ..." outside of system calls, or "230 0x0 ...". */
static void read_call(uint32_t id, struct fil_thread_state *state)
{
    char line[LINE_MAX_BYTES];
    if (read_about(id, "syscall", line) <= 0) {
        return; // some systems keep it from the process itself
    }
    if (strncmp(line, "running", 7) == 0) {
        state->is_running = true;
        return;
    }
    uint64_t number = 0;
    if (fil_bytes_to_u64(fil_bytes_make(line, strcspn(line, " \n")), &number)) {
        state->call = fil_syscall__name(number, &state->is_restarted);
    }
}

int fil_thread_state_read(uint32_t id, struct fil_thread_state *out_state)
{
    fil_assert(id > 0);
    char letter = read_letter(id);
    if (letter == 0) {
        return fil_thread_usage_cpu_ns(id) == 0 ? FIL_E_NOT_FOUND : FIL_E_UNSUPPORTED;
    }
    *out_state = (struct fil_thread_state){.is_running = letter == 'R', .call = ""};
    if (!out_state->is_running) {
        read_call(id, out_state);
    }
    if (!out_state->is_running) {
        read_channel(id, out_state);
    }
    fil_assert(!out_state->is_running || out_state->call[0] == '\0');
    return FIL_OK;
}
