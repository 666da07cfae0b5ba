// SPDX-License-Identifier: Apache-2.0
/** A package of another version: nothing else of it may be looked at. */
#include <filbert/package.h>

const uint32_t fil_package_abi = FIL_PACKAGE_ABI + 6;
const struct fil_package fil_package = {0};
