// SPDX-License-Identifier: Apache-2.0
/** A package without the function that builds its pipeline. */
#include <filbert/package.h>

FIL_PACKAGE("none", 0, {.guarantee = FIL_GUARANTEE_NONE})
