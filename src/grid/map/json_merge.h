// SPDX-License-Identifier: Apache-2.0
/**
 * JSON merge patch (RFC 7396): an object in the patch changes the members it names, null removes
 * them, anything else replaces what was there.
 *
 * What the patch does not name is copied as it was written; of members with the same name the last
 * one counts. Names are compared by their characters, whatever their escapes.
 *
 * Limits: strict JSON in UTF-8, of up to 8192 values each and 64 levels; the result has no blanks
 *         between its parts but those inside what was copied.
 */
#pragma once

#include "grid/map/processor.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** Appends the merged document; an empty target is none. FIL_E_MALFORMED, FIL_E_LIMIT, FIL_E_NOMEM.
 */
int fil_json_merge(struct fil_bytes target, struct fil_bytes patch, struct fil_map_buffer *out)
    FIL_NODISCARD;
