// SPDX-License-Identifier: Apache-2.0
#include "lib/os/thread_usage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/os/file_internal.h"

#define TASK_FOLDER      "/proc/self/task"
#define STATUS_BYTES_MAX 4096U
#define NS_PER_S         UINT64_C(1000000000)

uint32_t fil_thread_usage_list(uint32_t *out_ids, uint32_t limit)
{
    DIR *folder = opendir(TASK_FOLDER);
    if (folder == NULL) {
        return 0;
    }
    uint32_t count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL && count < limit;
         entry = readdir(folder)) {
        uint64_t id = 0;
        if (fil_bytes_to_u64(fil_bytes_of(entry->d_name), &id)) {
            out_ids[count] = (uint32_t)id;
            count++;
        }
    }
    (void)closedir(folder); // was only read
    return count;
}

/** The clock that counts a thread's processor time: the kernel's numbering of such clocks. */
static clockid_t cpu_clock_of(uint32_t id)
{
    return (clockid_t)((~id << 3) | 6U);
}

/** The number behind the label in the lines of a status file; 0 when it is not there. */
static uint64_t find_number(const char *text, const char *label)
{
    const char *found = strstr(text, label);
    if (found == NULL) {
        return 0;
    }
    found += strlen(label);
    struct fil_bytes line = fil_bytes_make(found, strcspn(found, "\n"));
    uint64_t number = 0;
    return fil_bytes_to_u64(fil_bytes_trim(line), &number) ? number : 0;
}

uint64_t fil_thread_usage_cpu_ns(uint32_t id)
{
    struct timespec time = {0};
    if (clock_gettime(cpu_clock_of(id), &time) != 0) {
        return 0;
    }
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

int fil_thread_usage_read(uint32_t id, struct fil_thread_usage *out_usage)
{
    fil_assert(id > 0);
    uint64_t cpu_ns = fil_thread_usage_cpu_ns(id);
    if (cpu_ns == 0) {
        return FIL_E_NOT_FOUND;
    }
    char path[64];
    char text[STATUS_BYTES_MAX];
    (void)snprintf(path, sizeof(path), TASK_FOLDER "/%u/status", id);
    if (fil_file__read_start(path, text, sizeof(text)) < 0) {
        return FIL_E_NOT_FOUND;
    }
    *out_usage = (struct fil_thread_usage){
        .cpu_ns = cpu_ns,
        .sleep_count = find_number(text, "\nvoluntary_ctxt_switches:"),
        .preempted_count = find_number(text, "\nnonvoluntary_ctxt_switches:"),
    };
    return FIL_OK;
}
