// SPDX-License-Identifier: Apache-2.0
/** What a client accepts: lists with weights (RFC 9110, section 12.4.2 and 12.5.3). */
#pragma once

#include <stdbool.h>

#include "lib/base/bytes.h"

/**
 * Whether an Accept-Encoding header lets the answer have this content coding: it is named, or a
 * star is, with a weight that is not 0. What cannot be read as a weight is 0.
 */
bool fil_http_accepts_coding(struct fil_bytes header, const char *coding);
