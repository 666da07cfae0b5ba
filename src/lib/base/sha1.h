// SPDX-License-Identifier: Apache-2.0
/**
 * SHA-1 (FIPS 180-4) of short texts, for protocols that ask for it by name. It is no longer safe
 * against whoever makes two texts with the same digest: nothing of ours rests on it.
 */
#pragma once

#include <stdint.h>

#include "lib/base/bytes.h"

#define FIL_SHA1_SIZE 20U

void fil_sha1(struct fil_bytes bytes, uint8_t out_digest[FIL_SHA1_SIZE]);
