// SPDX-License-Identifier: Apache-2.0
/** A version, but nothing that it is the version of. */
#include <filbert/package.h>

const uint32_t fil_package_abi = FIL_PACKAGE_ABI;
