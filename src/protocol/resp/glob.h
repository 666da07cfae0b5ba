// SPDX-License-Identifier: Apache-2.0
/** Redis's patterns: * ? [abc] [a-z] [^a] and \ before what shall mean itself. */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"

/** Linear in the text for patterns with one star, at most the product of the sizes otherwise. */
bool fil_resp_glob_matches(struct fil_bytes pattern, struct fil_bytes text);
