// SPDX-License-Identifier: Apache-2.0
/** Functions of another version: nothing else of them may be looked at. */
#include <filbert/package.h>

const uint32_t fil_package_functions_abi = FIL_PACKAGE_FUNCTIONS_ABI + 6;
const uint32_t fil_package_function_count = 1;
const struct fil_function fil_package_functions[] = {{0}};
