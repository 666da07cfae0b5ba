// SPDX-License-Identifier: Apache-2.0
/** A shared object that is no package. */
__attribute__((visibility("default"))) extern const int nothing;
const int nothing = 1;
