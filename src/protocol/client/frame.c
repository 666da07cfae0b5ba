// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/frame.h"

#include "lib/base/assert.h"

bool fil_wire_cursor_leave(struct fil_wire_cursor *cursor)
{
    struct fil_wire_frame frame;
    size_t depth = 1;
    while (depth > 0) {
        if (!fil_wire_cursor_next(cursor, &frame)) {
            return false;
        }
        if ((frame.flags & FIL_WIRE_BEGIN) != 0) {
            depth++;
        } else if ((frame.flags & FIL_WIRE_END) != 0) {
            depth--;
        }
    }
    fil_assert(cursor->position <= cursor->end);
    return true;
}
