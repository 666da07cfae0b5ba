// SPDX-License-Identifier: Apache-2.0
/** Runs one case on a mutant of the code: succeeds when the case finds it out. */
#include <stdio.h>

#include "tests/interleave/explorer.h"
#include "tests/interleave/kernel_cases.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s CASE\n", argv[0]);
        return 2;
    }
    struct fil_explorer_result result;
    if (!fil_kernel_case_run(argv[1], &result)) {
        (void)fprintf(stderr, "there is no case %s\n", argv[1]);
        return 2;
    }
    (void)printf("%s: %s after %llu states\n", argv[1],
                 result.has_failed ? result.failure : "nothing found",
                 (unsigned long long)result.state_count);
    return result.has_failed ? 0 : 1;
}
