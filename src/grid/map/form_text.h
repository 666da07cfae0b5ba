// SPDX-License-Identifier: Apache-2.0
/**
 * What a serialized value reads as for those who know only text: JSON as its text, numbers in
 * decimal, truths as true and false. Everything else has no text of its own.
 *
 * A double has the fewest digits that give it back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "grid/map/form.h"
#include "lib/base/attr.h"

#define FIL_MAP_FORM_TEXT_MAX 32U // bytes of a number

/** Slow path of text: the form begins as a serialized one does. */
struct fil_bytes fil_map_form_text_of(struct fil_bytes form, char room[FIL_MAP_FORM_TEXT_MAX]);

/** The text, in the form itself or in the room; the form as it is when it has none. */
static inline struct fil_bytes fil_map_form_text(struct fil_bytes form,
                                                 char room[FIL_MAP_FORM_TEXT_MAX])
{
    // Plain text never begins with a zero byte, so this is all it pays.
    if (FIL_LIKELY(form.size <= FIL_MAP_FORM_HEAD || form.data[0] != 0)) {
        return form;
    }
    return fil_map_form_text_of(form, room);
}
