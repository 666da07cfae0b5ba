// SPDX-License-Identifier: Apache-2.0
/**
 * Predicates that clients send as serialized objects: which entries they mean.
 *
 * Known are those of the clients' own factory: true, false, equal, not equal, greater and less,
 * between, in, like, and, or, not; about the key (`__key`) or the value (`this`) as a whole, when
 * it is a number, a truth, a text or a UUID. Numbers compare across their types. What is of another
 * type, or of a type that cannot be compared with the wanted one, is not equal to it and neither
 * less nor greater.
 *
 * Progress: linear in the predicate; objects are nested 16 deep at most.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "protocol/client/codec.h"

/** FIL_E_UNSUPPORTED for what is not known, FIL_E_MALFORMED; the fault says what it is. */
int fil_wire_predicate_check(struct fil_bytes predicate, struct fil_wire_fault *out_fault)
    FIL_NODISCARD;

/** Whether an entry, in the forms of the map, is meant; the predicate has been checked. */
bool fil_wire_predicate_test(struct fil_bytes predicate, struct fil_bytes key,
                             struct fil_bytes value);
