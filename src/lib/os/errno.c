// SPDX-License-Identifier: Apache-2.0
#include "lib/os/errno_internal.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/assert.h"

struct translation {
    int number;
    int error;
};

static_assert(EWOULDBLOCK == EAGAIN, "one row of the table serves both");

static const struct translation translations[] = {
    // Not now.
    {EAGAIN, FIL_E_AGAIN},
    {EINPROGRESS, FIL_E_AGAIN},
    {EINTR, FIL_E_AGAIN},
    {EBUSY, FIL_E_AGAIN},

    // The other side is gone, was never there or cannot be reached any more.
    {ECONNRESET, FIL_E_CLOSED},
    {ECONNABORTED, FIL_E_CLOSED},
    {ECONNREFUSED, FIL_E_CLOSED},
    {EPIPE, FIL_E_CLOSED},
    {ENOTCONN, FIL_E_CLOSED},
    {ESHUTDOWN, FIL_E_CLOSED},
    {EHOSTDOWN, FIL_E_CLOSED},
    {EHOSTUNREACH, FIL_E_CLOSED},
    {ENETDOWN, FIL_E_CLOSED},
    {ENETRESET, FIL_E_CLOSED},
    {ENETUNREACH, FIL_E_CLOSED},
    {EBADF, FIL_E_CLOSED},
    {ETIMEDOUT, FIL_E_TIMEOUT},

    // Addresses.
    {EADDRINUSE, FIL_E_ADDRESS_USED},
    {EADDRNOTAVAIL, FIL_E_ADDRESS},
    {EAFNOSUPPORT, FIL_E_ADDRESS},
    {EDESTADDRREQ, FIL_E_ADDRESS},

    // Rights and names.
    {EACCES, FIL_E_DENIED},
    {EPERM, FIL_E_DENIED},
    {EROFS, FIL_E_DENIED},
    {ENOENT, FIL_E_NOT_FOUND},
    {ENOTDIR, FIL_E_NOT_FOUND},
    {ENODEV, FIL_E_NOT_FOUND},
    {ENXIO, FIL_E_NOT_FOUND},
    {ESRCH, FIL_E_NOT_FOUND},
    {EEXIST, FIL_E_EXISTS},
    {EINVAL, FIL_E_INVALID},
    {ENAMETOOLONG, FIL_E_INVALID},
    {ELOOP, FIL_E_INVALID},

    // Resources.
    {ENOMEM, FIL_E_NOMEM},
    {EMFILE, FIL_E_SYSTEM},
    {ENFILE, FIL_E_SYSTEM},
    {ENOBUFS, FIL_E_SYSTEM},
    {ENOSPC, FIL_E_SYSTEM},
    {EDQUOT, FIL_E_SYSTEM},
    {EFBIG, FIL_E_LIMIT},
    {EMSGSIZE, FIL_E_LIMIT},
    {EOVERFLOW, FIL_E_LIMIT},

    // What this kernel or this build cannot do.
    {ENOSYS, FIL_E_UNSUPPORTED},
    {EOPNOTSUPP, FIL_E_UNSUPPORTED},
    {EPROTONOSUPPORT, FIL_E_UNSUPPORTED},
};

int fil_errno__translate(int number)
{
    fil_assert(number > 0);
    for (size_t i = 0; i < FIL_COUNT_OF(translations); i++) {
        if (translations[i].number == number) {
            return translations[i].error;
        }
    }
    return FIL_E_IO;
}
