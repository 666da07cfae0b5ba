// SPDX-License-Identifier: Apache-2.0
/** Runs one case on a mutant of the code: succeeds when the case finds it out. */
#include <stdio.h>
#include <string.h>

#include "tests/interleave/suite.h"

int main(int argc, char **argv)
{
    for (uint32_t i = 0; argc == 2 && i < fil_suite_case_count(); i++) {
        if (strcmp(fil_suite_case_name(i), argv[1]) != 0) {
            continue;
        }
        struct fil_explorer_result result = fil_suite_case_run(i);
        (void)printf("%s: %s after %llu states\n", argv[1],
                     result.has_failed ? result.failure : "nothing found",
                     (unsigned long long)result.state_count);
        return result.has_failed ? 0 : 1;
    }
    (void)fprintf(stderr, "usage: %s CASE, one of the suite's\n", argv[0]);
    return 2;
}
