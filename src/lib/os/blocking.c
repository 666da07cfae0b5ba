// SPDX-License-Identifier: Apache-2.0
#include "lib/os/blocking.h"

#include <fcntl.h>

#include "lib/base/assert.h"

void fil_blocking_allow(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    fil_assert(flags >= 0);
    int failed = fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    fil_assert(failed == 0);
}
