// SPDX-License-Identifier: Apache-2.0
#include "lib/os/syscall_name_internal.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "lib/base/attr.h"

struct call {
    uint64_t number;
    const char *name;
    bool is_restarted;
};

#define RESTARTED(name)         \
    {                           \
        SYS_##name, #name, true \
    }
#define CUT_SHORT(name)          \
    {                            \
        SYS_##name, #name, false \
    }

// What blocks for long; signal(7) tells which of them go on after a handler.
static const struct call calls[] = {
    RESTARTED(read),
    RESTARTED(write),
    RESTARTED(readv),
    RESTARTED(writev),
    RESTARTED(pread64),
    RESTARTED(pwrite64),
    RESTARTED(preadv),
    RESTARTED(pwritev),
    RESTARTED(openat),
    RESTARTED(close),
    RESTARTED(fsync),
    RESTARTED(fdatasync),
    RESTARTED(ftruncate),
    RESTARTED(fallocate),
    RESTARTED(sync_file_range),
    RESTARTED(getdents64),
    RESTARTED(newfstatat),
    RESTARTED(statx),
    RESTARTED(unlinkat),
    RESTARTED(renameat2),
    RESTARTED(mkdirat),
    RESTARTED(fcntl),
    RESTARTED(flock),
    RESTARTED(ioctl),
    RESTARTED(futex),
    RESTARTED(wait4),
    RESTARTED(waitid),
    RESTARTED(sendfile),
    RESTARTED(splice),
    RESTARTED(copy_file_range),
    RESTARTED(mmap),
    RESTARTED(munmap),
    RESTARTED(mprotect),
    RESTARTED(madvise),
    RESTARTED(msync),
    RESTARTED(getrandom),
    RESTARTED(sched_yield),
    RESTARTED(clone),
    CUT_SHORT(connect),
    CUT_SHORT(accept),
    CUT_SHORT(accept4),
    CUT_SHORT(sendto),
    CUT_SHORT(recvfrom),
    CUT_SHORT(sendmsg),
    CUT_SHORT(recvmsg),
    CUT_SHORT(sendmmsg),
    CUT_SHORT(recvmmsg),
    CUT_SHORT(nanosleep),
    CUT_SHORT(ppoll),
    CUT_SHORT(clock_nanosleep),
    CUT_SHORT(pselect6),
    CUT_SHORT(epoll_pwait),
    CUT_SHORT(epoll_pwait2),
    CUT_SHORT(io_getevents),
    CUT_SHORT(semop),
    CUT_SHORT(semtimedop),
    CUT_SHORT(msgrcv),
    CUT_SHORT(msgsnd),
    CUT_SHORT(mq_timedreceive),
    CUT_SHORT(mq_timedsend),
    CUT_SHORT(futex_waitv),
    CUT_SHORT(rt_sigtimedwait),
    CUT_SHORT(rt_sigsuspend),
    CUT_SHORT(io_uring_enter),
#if defined(SYS_poll)
    RESTARTED(open),
    RESTARTED(stat),
    RESTARTED(lstat),
    RESTARTED(unlink),
    RESTARTED(rename),
    RESTARTED(mkdir),
    CUT_SHORT(poll),
    CUT_SHORT(select),
    CUT_SHORT(epoll_wait),
    CUT_SHORT(pause),
#endif
};

const char *fil_syscall__name(uint64_t number, bool *out_is_restarted)
{
    for (size_t i = 0; i < FIL_COUNT_OF(calls); i++) {
        if (calls[i].number == number) {
            *out_is_restarted = calls[i].is_restarted;
            return calls[i].name;
        }
    }
    *out_is_restarted = false;
    return "(other call)";
}
