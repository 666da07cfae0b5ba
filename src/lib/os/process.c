// SPDX-License-Identifier: Apache-2.0
#include "lib/os/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_BACKTRACE 1
#else
#define HAS_BACKTRACE 0
#endif

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/os/file_internal.h"
#include "lib/os/process_internal.h"

#define DESCRIPTOR_FOLDER "/proc/self/fd"
#define BACKTRACE_FRAMES  64
#define HEAP_BLOCK_MAX    (256 << 10) // larger blocks are apart from the heap
#define NS_PER_US         UINT64_C(1000)
#define NS_PER_S          UINT64_C(1000000000)

static uint64_t to_ns(struct timeval time)
{
    fil_assert(time.tv_sec >= 0);
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * NS_PER_US;
}

static uint64_t read_resident_bytes(void)
{
    char text[128];
    int64_t size = fil_file__read_start("/proc/self/statm", text, sizeof(text));
    if (size <= 0) {
        return 0;
    }
    // "total resident shared ...", in pages.
    struct fil_bytes rest = fil_bytes_make(text, (size_t)size);
    size_t blank = fil_bytes_find(rest, ' ');
    if (blank == rest.size) {
        return 0;
    }
    rest = fil_bytes_make(rest.data + blank + 1, rest.size - blank - 1);
    uint64_t pages = 0;
    if (!fil_bytes_to_u64(fil_bytes_make(rest.data, fil_bytes_find(rest, ' ')), &pages)) {
        return 0;
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/** Counts one by one, for kernels before 6.2. */
static uint64_t list_descriptors(void)
{
    DIR *folder = opendir(DESCRIPTOR_FOLDER);
    if (folder == NULL) {
        return 0;
    }
    uint64_t count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder); // was only read
    fil_assert(count > 0);
    return count - 1; // the folder itself was open
}

static uint64_t count_descriptors(void)
{
    // New kernels tell the number as the folder's size: no walk over a million connections.
    struct stat status;
    if (stat(DESCRIPTOR_FOLDER, &status) == 0 && status.st_size > 0) {
        return (uint64_t)status.st_size;
    }
    return list_descriptors();
}

void fil_process_measure(struct fil_process_usage *out_usage)
{
    struct rusage usage = {0};
    int failed = getrusage(RUSAGE_SELF, &usage);
    fil_assert(failed == 0);
    *out_usage = (struct fil_process_usage){
        .user_ns = to_ns(usage.ru_utime),
        .system_ns = to_ns(usage.ru_stime),
        .resident_bytes = read_resident_bytes(),
        .descriptor_count = count_descriptors(),
    };
}

/** How the limit is told: 0 when there is none. */
static uint64_t told_limit(rlim_t limit)
{
    return limit == RLIM_INFINITY ? 0 : limit;
}

uint64_t fil_process_descriptor_limit(void)
{
    struct rlimit limit = {0};
    int failed = getrlimit(RLIMIT_NOFILE, &limit);
    fil_assert(failed == 0);
    return told_limit(limit.rlim_cur);
}

uint64_t fil_process_raise_descriptor_limit(void)
{
    struct rlimit limit = {0};
    int failed = getrlimit(RLIMIT_NOFILE, &limit);
    fil_assert(failed == 0);
    struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
        limit = raised;
    }
    fil_assert(limit.rlim_cur <= limit.rlim_max);
    return told_limit(limit.rlim_cur);
}

void fil_process_steady_heap(void)
{
#ifdef M_MMAP_THRESHOLD
    // A value that is set is also one that does not grow, and the limit for trimming with it.
    (void)mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_MAX);
#endif
}

void fil_process_trim_heap(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0); // whether there was something is not of interest
#endif
}

int fil_process_fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        // The lowest free number is taken, so those below are filled first.
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) {
            return FIL_E_SYSTEM;
        }
    }
    return FIL_OK;
}

uint32_t fil_process_id(void)
{
    return (uint32_t)getpid();
}

const char *const *fil_process_environment(void)
{
    static const char *const none[] = {NULL};
    // The C library leaves NULL behind when the whole environment was cleared.
    return environ == NULL ? none : (const char *const *)environ;
}

const char *fil_process_variable(const char *name)
{
    fil_assert(name != NULL);
    return getenv(name);
}

bool fil_process_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

uint32_t fil_process_terminal_columns(int fd)
{
    struct winsize size = {0};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char *fil_process_hostname(char text[FIL_HOSTNAME_MAX])
{
    static const char unknown[] = "unknown";
    text[0] = '\0';
    bool is_told = gethostname(text, FIL_HOSTNAME_MAX) == 0;
    text[FIL_HOSTNAME_MAX - 1] = '\0';
    if (!is_told || text[0] == '\0') {
        memcpy(text, unknown, sizeof(unknown));
    }
    return text;
}

void fil_process_backtrace(int fd)
{
#if HAS_BACKTRACE
    void *frames[BACKTRACE_FRAMES];
    int count = backtrace(frames, BACKTRACE_FRAMES);
    backtrace_symbols_fd(frames, count, fd);
#else
    static const char line[] = "(no backtrace with this C library)\n";
    (void)!write(fd, line, sizeof(line) - 1); // there is nobody left to tell
#endif
}

void fil_process__prepare_backtrace(void)
{
#if HAS_BACKTRACE
    void *frame = NULL;
    int count = backtrace(&frame, 1);
    fil_assert(count <= 1);
#endif
}
