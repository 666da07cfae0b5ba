// SPDX-License-Identifier: Apache-2.0
/**
 * The border's promises: each number of the system that a caller can act on has its own meaning
 * here, and no number at all leaves as success or as an unknown code.
 */
#include <errno.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/os/errno_internal.h"
#include "tests/unit/harness.h"

static void test_numbers_that_callers_act_on(void **state)
{
    (void)state;
    const int pairs[][2] = {
        {EAGAIN, FIL_E_AGAIN},          {EINPROGRESS, FIL_E_AGAIN},
        {ECONNRESET, FIL_E_CLOSED},     {EPIPE, FIL_E_CLOSED},
        {ECONNREFUSED, FIL_E_CLOSED},   {EHOSTUNREACH, FIL_E_CLOSED},
        {ETIMEDOUT, FIL_E_TIMEOUT},     {EADDRINUSE, FIL_E_ADDRESS_USED},
        {EADDRNOTAVAIL, FIL_E_ADDRESS}, {EAFNOSUPPORT, FIL_E_ADDRESS},
        {EACCES, FIL_E_DENIED},         {EPERM, FIL_E_DENIED},
        {ENOENT, FIL_E_NOT_FOUND},      {ENOTDIR, FIL_E_NOT_FOUND},
        {EEXIST, FIL_E_EXISTS},         {EINVAL, FIL_E_INVALID},
        {ENOMEM, FIL_E_NOMEM},          {EMFILE, FIL_E_SYSTEM},
        {ENFILE, FIL_E_SYSTEM},         {ENOBUFS, FIL_E_SYSTEM},
        {ENOSPC, FIL_E_SYSTEM},         {EFBIG, FIL_E_LIMIT},
        {ENOSYS, FIL_E_UNSUPPORTED},    {EIO, FIL_E_IO},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_int_equal(fil_errno__translate(pairs[i][0]), pairs[i][1]);
    }
}

static void test_every_number_becomes_a_known_error(void **state)
{
    (void)state;
    for (int number = 1; number < 4096; number++) {
        int error = fil_errno__translate(number);
        assert_true(error < 0);
        assert_string_not_equal(fil_error_name(error), "UNKNOWN");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_that_callers_act_on),
        cmocka_unit_test(test_every_number_becomes_a_known_error),
    };
    return cmocka_run_group_tests_name("errno", tests, NULL, NULL);
}
